/* SPDX-License-Identifier: BSD-2-Clause */
/* What a group of parameters consists of, and how the training kit refuses
 * arguments. */
#ifndef NN_NN_H
#define NN_NN_H

#ifndef GG_NO_SITES
#define GG_NO_SITES /* sites are those of the callers */
#endif
#include <gpugraph/gpugraph.h>
#include <gpugraph/params.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strb.h"
#include "base/vec.h"

/* What a variable of a group is for. */
typedef enum gg__role {
  GG_ROLE_TRAINED,
  GG_ROLE_STATE, /* of the model, not trained */
  GG_ROLE_SLOT   /* of an optimiser */
} gg__role;

typedef struct gg__param {
  gg_var *var;
  gg_var *next; /* a state's value in a training step, or NULL */
  gg__role role;
  int is_frozen;
  double decay, rate; /* weight decay, or NAN: the optimiser's; factor */
} gg__param;

typedef GA_VEC(gg_var *) gg__var_list;

struct gg_params {
  gg_params *root; /* itself if outermost */
  char *prefix;    /* "hidden.", or "" */
  int is_training;
  gg__var_list list; /* what a function has lent */
  /* The rest of the outermost group only. */
  gg_graph *g;
  int dtype;
  uint64_t seed;
  gg_random *random;
  ga__map index; /* by name: position in `all`, and 1 */
  GA_VEC(gg__param) all;
  GA_VEC(gg_params *) groups;  /* within it, at any depth */
  GA_VEC(gg_update *) updates; /* lists of optimisers */
};

/* Keep an error in the graph; the message begins with "what(types of x): ".
 * Returns `code`. x may be NULL. */
int gg__nn_fail(gg_graph *g, const char *what, gg_var *x, int code,
                const char *fmt, ...) GPUARRAY_PRINTF(5, 6);

/* Nonzero if none of n operands is NULL. Otherwise keeps an error, unless all
 * are NULL. */
int gg__nn_given(const char *what, unsigned int n, gg_var *const *x);

/* Nonzero if a variable of that name belongs to the group or to one within
 * it. */
int gg__params_has(const gg_params *p, const gg_var *v);
/* The variable `name` of a group, made with that dtype if there is none. NULL
 * on error. */
gg_var *gg__params_make(gg_params *p, const char *name, gg__role role,
                        int dtype, unsigned int nd, const size_t *dims,
                        gg_initial how);
/* The entry of a variable that the root has, or NULL. */
gg__param *gg__params_entry(const gg_params *p, const gg_var *v);

#endif
