/* SPDX-License-Identifier: BSD-2-Clause */
/* The gradient function of one op, for complex numbers, too.
 *
 * The gradient by z = x + i y is (d cost / dx) + i (d cost / dy). If w = f(z)
 * is analytic, that by z is conj(f'(z)) times that by w. Ops say f'(z) times
 * the gradient, as for real numbers, so both are conjugated around the call. */
#include "graph/graph.h"
#include "ops/ops.h"

static int has_complex(const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__is_complex(a->in[i]))
      return 1;
  for (unsigned int i = 0; i < a->n_out; i++)
    if (gg__is_complex(a->out[i]))
      return 1;
  return 0;
}

int gg__apply_gradient(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  if (a->op->complex_use != GG_ANALYTIC || !has_complex(a))
    return a->op->grad(a, gout, gin);
  gg_var **conj = ga__malloc(a->n_out * sizeof *conj);
  if (conj == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < a->n_out; i++)
    conj[i] = gg_conj(gout[i]);
  int err = a->op->grad(a, conj, gin);
  for (unsigned int i = 0; i < a->n_in; i++)
    gin[i] = gg_conj(gin[i]);
  ga__free(conj);
  return err;
}
