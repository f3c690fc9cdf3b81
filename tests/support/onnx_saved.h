/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions as models: saved, read again by the library, and run. */
#ifndef SUPPORT_ONNX_SAVED_H
#define SUPPORT_ONNX_SAVED_H

#include <gpugraph/gpugraph.h>

#define SAVED_MOST 128 /* inputs or outputs of a function */

/* A function's results for random arguments, whose open sizes are 3, are those
 * of its model. With ONNX_SAVED=FOLDER the model stays there, with arguments
 * and results as .npy files. */
void assert_saved(gg_graph *g, const gg_func_spec *spec, const char *name);

#endif
