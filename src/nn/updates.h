/* SPDX-License-Identifier: BSD-2-Clause */
/* Updates while an optimiser makes them. */
#ifndef NN_UPDATES_H
#define NN_UPDATES_H

#include <gpugraph/optimise.h>

#include "nn/nn.h"

/* The names of what optimisers remember begin with this. */
#define GG_SLOTS "optimiser."

typedef struct gg__updates {
  gg_params *p;
  const gg_optimiser *how;
  gg_graph *g;
  int dtype;     /* that numbers are worked with */
  gg_var *t;     /* steps before this one */
  gg_var *count; /* steps with this one */
  gg_var *rate;
  gg_var *scale;          /* of the cost, or NULL */
  gg_var *gate;           /* whether this call makes a step, or NULL: it does */
  GA_VEC(gg_update) list; /* so far */
} gg__updates;

/* A parameter in one step. */
typedef struct gg__moved {
  const gg__param *entry;
  gg_var *w, *grad; /* in the dtype of work */
  gg_var *rate;
  double decay;
} gg__moved;

/* The shared variable "optimiser.<name of v>.<what>" with the sizes of v and
 * one first value. */
gg_var *gg__slot(const gg__updates *u, const gg_var *v, const char *what,
                 double first);
/* Append an update; the value gets the dtype of the variable. The first is for
 * steps alone, the second for every call. */
int gg__update(gg__updates *u, gg_var *shared, gg_var *value);
int gg__update_always(gg__updates *u, gg_var *shared, gg_var *value);
/* The scalar "optimiser.<prefix><what>". */
gg_var *gg__scalar_slot(gg_params *p, const char *what, int dtype,
                        double first);
/* The slot "optimiser.<of><what>", or NULL. */
gg_var *gg__find_slot(const gg_params *p, const char *of, const char *what);
/* Make n gradients those of a step: divided by the scale, summed over calls.
 * Sets the gate. */
void gg__collect(gg__updates *u, unsigned int n, gg_var *const *wrt,
                 gg_var **grad);
/* x times a number. */
gg_var *gg__scaled(gg_var *x, double by);
/* The parameter after the step; what the optimiser remembers of it is
 * updated. */
gg_var *gg__step_of(gg__updates *u, const gg__moved *m);

#endif
