/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes with training: numbers of single groups, averages, and files to go
 * on from. */
#include <gpugraph/optimise.h>

#include <math.h>
#include <string.h>

#include "nn/updates.h"

/* --- numbers of groups --- */

static int set_numbers(gg_params *p, const char *what, double v, int is_rate) {
  if (p == NULL)
    return GA_VALUE_ERROR;
  if (!isfinite(v) || v < 0)
    return gg__nn_fail(p->root->g, what, NULL, GA_VALUE_ERROR,
                       "%g, expected 0 or more", v);
  for (size_t i = 0; i < p->root->all.n; i++) {
    gg__param *e = &p->root->all.v[i];
    if (!gg__params_has(p, e->var))
      continue;
    if (is_rate)
      e->rate = v;
    else
      e->decay = v;
  }
  return GA_NO_ERROR;
}

int gg_params_rate(gg_params *p, double factor) {
  return set_numbers(p, "params_rate", factor, 1);
}

int gg_params_decay(gg_params *p, double decay) {
  return set_numbers(p, "params_decay", decay, 0);
}

/* --- averages --- */

/* Nonzero if f uses the shared variable. */
static int uses(const gg_func *f, const gg_var *v) {
  for (size_t i = 0; i < gg_func_n_shared(f); i++)
    if (strcmp(gg_var_name(gg_func_shared(f, i)), gg_var_name(v)) == 0)
      return 1;
  return 0;
}

int gg_params_averaged(gg_func **out, gg_params *p, const gg_func *f) {
  GA_VEC(gg_swap) swaps = {NULL, 0, 0};
  int err = GA_NO_ERROR;

  if (out == NULL || p == NULL || f == NULL)
    return ga__fail(GA_VALUE_ERROR, "an argument of params_averaged is NULL");
  *out = NULL;
  for (size_t i = 0; i < p->root->all.n; i++) {
    gg__param e = p->root->all.v[i];
    gg_var *mean =
        e.role == GG_ROLE_TRAINED && gg__params_has(p, e.var) && uses(f, e.var)
            ? gg__find_slot(p, gg_var_name(e.var), ".average")
            : NULL;
    if (mean != NULL)
      GA_CHECK(ga__vec_push(&swaps, ((gg_swap){e.var, mean})));
  }
  GA_CHECK(swaps.n > 0
               ? ga__vec_push(&swaps, ((gg_swap){NULL, NULL}))
               : ga__fail(GA_VALUE_ERROR,
                          "the function uses no parameter with an average"));
  err = gg_func_copy(out, f, &(gg_copy_spec){.swaps = swaps.v});
done:
  ga__vec_clear(&swaps);
  return err;
}

/* --- files --- */

/* The variables of all roles, and the states of random numbers, with names of
 * their own; to be freed. */
static gg_var **all_of(gg_params *p) {
  const gg_params *root = p->root;
  const size_t n = root->random != NULL ? gg_random_count(root->random) : 0;
  gg_var **all = ga__calloc(root->all.n + n + 1, sizeof(gg_var *));
  char name[64];

  for (size_t i = 0; all != NULL && i < root->all.n; i++)
    all[i] = root->all.v[i].var;
  for (size_t i = 0; all != NULL && i < n; i++) {
    snprintf(name, sizeof name, GG_SLOTS "random.%zu", i);
    all[root->all.n + i] = gg_named(gg_random_state(root->random, i), name);
  }
  return all;
}

static int with_all(gg_params *p, const char *path,
                    int (*act)(gg_var *const *vars, const char *path)) {
  gg_var **all = p != NULL ? all_of(p) : NULL;

  if (all == NULL)
    return p == NULL ? ga__fail(GA_VALUE_ERROR, "the group is NULL")
                     : ga__fail_nomem();
  const int err = act(all, path);
  ga__free(all);
  return err;
}

int gg_params_save_training(gg_params *p, const char *path) {
  return with_all(p, path, gg_safetensors_save);
}

int gg_params_load_training(gg_params *p, const char *path) {
  return with_all(p, path, gg_safetensors_load);
}
