/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph that tests of saved files save. */
#ifndef TEXT_LEARNER_H
#define TEXT_LEARNER_H

#include "support/funcs.h"

extern const float learner_weights[6];

/* A step of something like learning: y = x w + b, w -= 0.1 y; as functions
 * "predict" and "step". */
gg_graph *learner_new(gpucontext *ctx);

#endif
