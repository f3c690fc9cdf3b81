/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of parameters, as text, and in files. */
#include <gpugraph/params.h>

#include <inttypes.h>

#include "base/file.h"
#include "nn/nn.h"

static int is_listed(const gg_params *p, const gg__param *e, int trained) {
  if (!gg__params_has(p, e->var))
    return 0;
  return trained ? e->role == GG_ROLE_TRAINED && !e->is_frozen
                 : e->role != GG_ROLE_SLOT;
}

static gg_var *const *list(gg_params *p, int trained) {
  if (p == NULL)
    return NULL;
  int err = GA_NO_ERROR;
  p->list.n = 0;
  for (size_t i = 0; i < p->root->all.n && err == GA_NO_ERROR; i++)
    if (is_listed(p, &p->root->all.v[i], trained))
      err = ga__vec_push(&p->list, p->root->all.v[i].var);
  if (err == GA_NO_ERROR)
    err = ga__vec_push(&p->list, NULL);
  if (err == GA_NO_ERROR)
    return p->list.v;
  gg__nn_fail(p->root->g, "params", NULL, err, "out of host memory");
  return NULL;
}

gg_var *const *gg_params_trained(gg_params *p) {
  return list(p, 1);
}

gg_var *const *gg_params_all(gg_params *p) {
  return list(p, 0);
}

size_t gg_params_count(const gg_params *p) {
  size_t n = 0;

  for (size_t i = 0; p != NULL && i < p->root->all.n; i++)
    n += is_listed(p, &p->root->all.v[i], 0) != 0;
  return n;
}

/* Those of one array fit a size_t. */
static size_t elements(const gg__param *e) {
  const gg_type *t = gg_var_type(e->var);
  size_t n = 1;

  for (unsigned int i = 0; i < t->nd; i++)
    n *= (size_t)t->dims[i];
  return n;
}

size_t gg_params_elements(const gg_params *p) {
  size_t n = 0;

  for (size_t i = 0; p != NULL && i < p->root->all.n; i++) {
    const gg__param *e = &p->root->all.v[i];
    if (e->role == GG_ROLE_TRAINED && is_listed(p, e, 0))
      n += elements(e);
  }
  return n;
}

int gg_params_print(const gg_params *p, FILE *f) {
  char type[160];

  if (p == NULL || f == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s is NULL",
                    p == NULL ? "group" : "file");
  for (size_t i = 0; i < p->root->all.n; i++) {
    const gg__param *e = &p->root->all.v[i];
    if (is_listed(p, e, 0))
      fprintf(f, "%-32s %-24s %12zu%s\n", gg_var_name(e->var),
              gg_type_text(gg_var_type(e->var), type, sizeof type), elements(e),
              e->role == GG_ROLE_STATE ? "  state"
              : e->is_frozen           ? "  frozen"
                                       : "");
  }
  fprintf(f, "%zu variables, %zu elements of parameters\n", gg_params_count(p),
          gg_params_elements(p));
  return ga__flushed(f, "the list of parameters");
}

int gg_params_save(gg_params *p, const char *path) {
  gg_var *const *all = gg_params_all(p);

  if (all == NULL)
    return ga__fail(GA_VALUE_ERROR, "the group is NULL");
  return gg_safetensors_save(all, path);
}

int gg_params_load(gg_params *p, const char *path) {
  gg_var *const *all = gg_params_all(p);

  if (all == NULL)
    return ga__fail(GA_VALUE_ERROR, "the group is NULL");
  return gg_safetensors_load(all, path);
}
