/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of the outputs of a choice. Both branches must compute the same. */
#include "loop/ifelse.h"
#include "plan/looping.h"

static int check_equal(unsigned int i, const gg_dims *yes, const gg_dims *no) {
  for (unsigned int k = 0; k < yes->nd; k++)
    if (yes->dim[k] != no->dim[k])
      return ga__fail(GA_VALUE_ERROR,
                      "ifelse: output %u, dim %u: %zu if the condition holds, "
                      "else %zu",
                      i, k, yes->dim[k], no->dim[k]);
  return GA_NO_ERROR;
}

static int size_branch(const gg__unit *u, const gg__blanks *in, gg_dims *out) {
  gg__sizes s = {.dims = NULL};

  GA_TRY(u->ops->measure(&s, &u->program, in->list));
  for (size_t i = 0; i < u->program.results.n; i++)
    out[i] = s.dims[u->program.results.v[i].value];
  gg__sizes_clear(&s);
  return GA_NO_ERROR;
}

int gg__ifelse_sizes(const gg__node *n, const gg_dims *in,
                     const GpuArray *const *argument, gg_dims *out) {
  const gg_apply *a = n->apply;
  const gg__inner *x = gg__inner_of(a);
  gg_dims *no = ga__malloc(a->n_out * sizeof *no);
  gg__blanks blanks;
  int err;

  GA_CHECK(gg__blanks_init(&blanks, x->n_in));
  if (no == NULL)
    GA_CHECK(ga__fail_nomem());
  for (unsigned int i = 0; i < x->n_in; i++) {
    GA_CHECK(gg__blanks_set(&blanks, i, x->in[i], &in[i + 1], 0));
    gg__blanks_lend(&blanks, i, argument[i + 1]);
  }
  GA_CHECK(size_branch(n->inner[0], &blanks, out));
  GA_CHECK(size_branch(n->inner[1], &blanks, no));
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_CHECK(check_equal(i, &out[i], &no[i]));
done:
  gg__blanks_clear(&blanks);
  ga__free(no);
  return err;
}
