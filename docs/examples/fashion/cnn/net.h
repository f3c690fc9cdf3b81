/* SPDX-License-Identifier: BSD-2-Clause */
/* A convolutional net for Fashion-MNIST. */
#ifndef FASHION_NET_H
#define FASHION_NET_H

#include <gpugraph/gpugraph.h>
#include <stdint.h>

#include "dataset.h"

enum { LAYERS = 3, FILTERS = 32 /* of the first layer */ };

typedef struct net {
  gg_graph *g;
  gg_random *random;
  gg_var *filters[LAYERS], *scale[LAYERS], *offset[LAYERS]; /* [channels] */
  gg_var *mean[LAYERS], *variance[LAYERS]; /* running statistics */
  gg_var *w, *b;                           /* of the dense layer */
  gg_func *train; /* (batch, rate): the loss, after which the net has changed */
  gg_func *test;  /* (batch of test images): guesses, and their probabilities */
} net;

/* Build a net and its functions. Batches are positions in a data set, int32. */
int net_build(net *m, gpucontext *ctx, const dataset *train,
              const dataset *test);
void net_clear(net *m);

/* A number in [0, 1), by xorshift64*. */
double net_draw(uint64_t *state);

#endif
