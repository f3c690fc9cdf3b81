/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of gpugraph train. */
#ifndef CLI_TRAIN_ARGUMENTS_H
#define CLI_TRAIN_ARGUMENTS_H

#include <gpugraph/onnx.h>

#include "cli/cli.h"

typedef struct train_datum {
  const char *name, *path;
} train_datum;

/* Strings are parts of argv. */
typedef struct train_arguments {
  const char *model, *loss, *optimiser, *rate, *output, *function, *state;
  train_datum *data;
  gg_onnx_size *sizes; /* the list ends with a NULL name */
  const char **frozen; /* what names of weights begin with */
  size_t n_data, n_sizes, n_frozen;
  uint64_t epochs, batch, seed; /* batch 0: not given */
} train_arguments;

/* Read them over the defaults that *j has. The caller clears it, also after an
 * error. */
int train_read(train_arguments *j, const cli_command *c, int argc, char **argv);
void train_arguments_clear(train_arguments *j);

#endif
