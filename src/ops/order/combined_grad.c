/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of cumulations by formulas.
 *
 * With formulas f, the values y of elements 0 to i are f(y[i - 1], x[i]). So
 * dy[i] = A[i] dy[i - 1] + B[i] dx[i], with the slopes A and B of f at these
 * values. Where A is a lower triangle, the gradient is a recurrence from the
 * other end for each value, the last value first. */
#include <gpugraph/replace.h>
#include <gpugraph/rop.h>
#include <gpugraph/walk.h>
#include <string.h>

#include "ops/order/formula.h"
#include "ops/order/running.h"

enum { EXCLUSIVE = GA_CUMULATE_EXCLUSIVE, REVERSED = GA_CUMULATE_REVERSED };

typedef struct slopes {
  const gg_apply *a;
  gg__formulas f;
  gg_var *before[GG_RUN_VALUES];                          /* y[i - 1] */
  unsigned char depends[GG_RUN_VALUES][2][GG_RUN_VALUES]; /* [k][run][j]: does
                             formula j have a slope along value k of that run */
} slopes;

static int find_slopes(slopes *s, const gg_apply *a) {
  gg_var *out[GG_RUN_VALUES + 1] = {NULL};

  *s = (slopes){.a = a};
  GA_TRY(gg__formulas_read(&s->f, a, 1));
  memcpy(out, s->f.roots, s->f.n * sizeof *out);
  for (unsigned int k = 0; k < s->f.n; k++)
    for (unsigned int run = 0; run < 2; run++)
      if (s->f.run[k][run] != NULL)
        GA_TRY(gg_connections(s->depends[k][run],
                              (gg_var *[]){s->f.run[k][run], NULL}, out));
  return GA_NO_ERROR;
}

static int way_of(const gg_apply *a, int flags) {
  return gg__cumulate_flags(a->props) ^ flags;
}

static int find_before(slopes *s) {
  const gg_apply *a = s->a;
  gg__cumulate_props p = *(const gg__cumulate_props *)a->props;
  gg_var *const *out = a->out;

  if (!p.exclusive) {
    p.exclusive = 1;
    gg_var *v = gg_op_apply(NULL, a->op, &p, a->n_in, a->in);
    if (v == NULL)
      return gg_graph_status(gg_var_graph(a->in[0]));
    out = gg_var_owner(v)->out;
  }
  memcpy(s->before, out, s->f.n * sizeof *out);
  return GA_NO_ERROR;
}

/* The slope of formula j along value k of a run, at each element. */
static gg_var *slope(const slopes *s, unsigned int j, unsigned int k,
                     unsigned int run) {
  gg_given givens[2 * GG_RUN_VALUES + 1] = {{NULL, NULL}};
  gg_var *const along = s->f.run[k][run];
  gg_var *const one = gg_fill(along, gg__num(along, 1));
  unsigned int n = 0;
  gg_var *d;

  if (one == NULL ||
      gg_rop(&d, 1, &s->f.roots[j], 1, &along, &one) != GA_NO_ERROR)
    return NULL;
  for (unsigned int i = 0; i < s->f.n; i++)
    for (unsigned int r = 0; r < 2; r++)
      if (s->f.run[i][r] != NULL)
        givens[n++] = (gg_given){
            s->f.run[i][r], r == GG_RUN_BEFORE ? s->before[i] : s->a->in[i]};
  if (gg_replace(&d, 1, &d, givens) != GA_NO_ERROR)
    return NULL;
  return gg_fill(s->before[j], d);
}

static void add_to(gg_var **sum, gg_var *v, int dtype) {
  v = gg_cast(v, dtype);
  *sum = *sum != NULL ? gg_add(*sum, v) : v;
}

/* v[i + 1] at i, and 0 at the end. */
static gg_var *from_next(const gg_apply *a, gg_var *v) {
  const gg__cumulate_props *p = a->props;

  return gg__recurrence(gg_fill(a->in[0], gg__num(v, 0)), v, p->axis,
                        (way_of(a, REVERSED) & REVERSED) | EXCLUSIVE);
}

/* z[i] = g[i] + (c z)[i + 1]. */
static gg_var *back_along(const gg_apply *a, gg_var *c, gg_var *g) {
  const gg__cumulate_props *p = a->props;

  return gg_add(g,
                gg__recurrence(c, gg_mul(c, g), p->axis,
                               (way_of(a, REVERSED) & REVERSED) | EXCLUSIVE));
}

/* The gradient for the values of elements 0 to i, value k. Those of higher
 * values are in `back`. */
static gg_var *gradient_of(const slopes *s, unsigned int k, gg_var *g,
                           gg_var *const *back) {
  const int dtype = gg_var_type(s->a->in[k])->dtype;
  const gg__cumulate_props *p = s->a->props;

  if (g != NULL && p->exclusive)
    g = from_next(s->a, g);
  for (unsigned int j = k + 1; j < s->f.n; j++)
    if (back[j] != NULL && s->depends[k][GG_RUN_BEFORE][j])
      add_to(&g,
             from_next(s->a, gg_mul(slope(s, j, k, GG_RUN_BEFORE), back[j])),
             dtype);
  if (g == NULL || !s->depends[k][GG_RUN_BEFORE][k])
    return g;
  return back_along(s->a, slope(s, k, k, GG_RUN_BEFORE), g);
}

int gg__combined_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *back[GG_RUN_VALUES] = {NULL};
  slopes s;
  int err;

  GA_CHECK(find_slopes(&s, a));
  GA_CHECK(find_before(&s));
  for (unsigned int k = s.f.n; k-- > 0;)
    back[k] = gradient_of(&s, k, gout[k], back);
  for (unsigned int k = 0; k < s.f.n; k++)
    for (unsigned int j = 0; j < s.f.n; j++)
      if (back[j] != NULL && s.depends[k][GG_RUN_AFTER][j])
        add_to(&gin[k], gg_mul(slope(&s, j, k, GG_RUN_AFTER), back[j]),
               gg_var_type(a->in[k])->dtype);

done:
  gg__formulas_clear(&s.f);
  return err;
}

const char *gg__combined_no_grad(const gg_apply *a, unsigned int in) {
  const char *why = NULL;
  slopes s;

  (void)in;
  if (find_slopes(&s, a) != GA_NO_ERROR)
    why = "its formulas cannot be read";
  for (unsigned int k = 0; k < s.f.n; k++)
    for (unsigned int j = 0; j < k; j++)
      if (s.depends[k][GG_RUN_BEFORE][j])
        why = "a value depends on one of a higher number of the run before";
  gg__formulas_clear(&s.f);
  return why;
}
