/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives that are more than one gradient: products with the Jacobian from
 * the left, and whole matrices, row by row. */
#include <gpugraph/grad.h>

#include "graph/graph.h"
#include "ops/ops.h"

int gg_lop(gg_var **out, unsigned int n_y, gg_var *const *y,
           gg_var *const *seed, unsigned int n, gg_var *const *wrt) {
  return gg_grad_of(out, &(gg_grad_spec){.n_wrt = n,
                                         .wrt = wrt,
                                         .n_known = n_y,
                                         .known = y,
                                         .known_grad = seed});
}

/* --- rows --- */

enum { JOINED = 32 }; /* rows that one join takes */

/* Join n variables along axis 0, in place, level by level. */
static gg_var *join_rows(gg_var **v, size_t n) {
  size_t i, k;

  while (n > 1) {
    for (i = 0, k = 0; i < n; i += JOINED, k++)
      v[k] = gg_join(0, (unsigned int)(n - i < JOINED ? n - i : JOINED), v + i);
    n = k;
  }
  return v[0];
}

/* 1 at element k of y, 0 elsewhere. */
static gg_var *one_hot(gg_var *y, size_t k) {
  return gg_cast(gg_eq(gg__iota(y, 0), gg_i64(y->graph, (int64_t)k)),
                 y->type.dtype);
}

/* rows[i * m + k] = the gradient of y[k] in wrt[i], with a new axis in front.
 */
static int build_rows(gg_var **rows, gg_var *y, size_t m, unsigned int n,
                      gg_var *const *wrt, gg_var **row) {
  gg_var *seed;
  unsigned int i;
  size_t k;

  for (k = 0; k < m; k++) {
    seed = one_hot(y, k);
    GA_TRY(
        gg_grad_of(row, &(gg_grad_spec){.n_wrt = n,
                                        .wrt = wrt,
                                        .n_known = 1,
                                        .known = &y,
                                        .known_grad = &seed,
                                        .flags = GG_GRAD_ALLOW_DISCONNECTED}));
    for (i = 0; i < n; i++)
      rows[i * m + k] = gg__expand(row[i], 0);
  }
  return gg_graph_status(y->graph);
}

static int check(const gg_var *y) {
  char type[160];

  if (y->type.nd != 1 || y->type.dims[0] == GG_ANY || y->type.dims[0] < 1 ||
      y->type.dims[0] > GG_MAX_JACOBIAN)
    return gg__fail(y->graph, GA_VALUE_ERROR,
                    "jacobian: expected a vector of 1 to %d elements, got %s",
                    GG_MAX_JACOBIAN, gg_type_text(&y->type, type, sizeof type));
  return GA_NO_ERROR;
}

int gg_jacobian(gg_var **out, gg_var *y, unsigned int n, gg_var *const *wrt) {
  gg_var **rows = NULL, **row = NULL;
  unsigned int i;
  size_t m;
  int err;

  for (i = 0; i < n; i++)
    out[i] = NULL;
  if (y == NULL)
    return GA_VALUE_ERROR;
  if (y->type.nd == 0)
    return gg_grad_ex(out, y, n, wrt, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED);
  GA_TRY(gg_graph_status(y->graph));
  GA_TRY(check(y));
  m = (size_t)y->type.dims[0];
  rows = ga__calloc(m * n + 1, sizeof *rows);
  row = ga__calloc(n + (size_t)1, sizeof *row);
  if (rows == NULL || row == NULL)
    GA_CHECK(gg__fail(y->graph, GA_MEMORY_ERROR, "out of host memory"));
  GA_CHECK(build_rows(rows, y, m, n, wrt, row));
  for (i = 0; i < n; i++)
    out[i] = join_rows(rows + i * m, m);
  err = gg_graph_status(y->graph);
done:
  for (i = 0; i < n && err != GA_NO_ERROR; i++)
    out[i] = NULL;
  ga__free(rows);
  ga__free(row);
  return err;
}

int gg_hessian(gg_var **out, gg_var *cost, unsigned int n, gg_var *const *wrt) {
  gg_var *slope;
  unsigned int i;
  int err = GA_NO_ERROR;

  for (i = 0; i < n; i++)
    out[i] = NULL;
  for (i = 0; i < n && err == GA_NO_ERROR; i++) {
    err = gg_grad_ex(&slope, cost, 1, &wrt[i], 0, NULL,
                     GG_GRAD_ALLOW_DISCONNECTED);
    if (err == GA_NO_ERROR)
      err = gg_jacobian(&out[i], slope, 1, &wrt[i]);
  }
  for (i = 0; i < n && err != GA_NO_ERROR; i++)
    out[i] = NULL;
  return err;
}
