/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives beyond a single gradient: products of a vector with the Jacobian,
 * and whole matrices, row by row. */
#include <gpugraph/grad.h>
#include <gpugraph/scan.h>

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

/* Up to this number of rows, each row is built separately, and they fuse. More
 * rows are the iterations of a loop, which is compiled once. */
enum { WRITTEN_OUT = 16 };

/* The gradients of y[k] with respect to wrt; k is an int64 scalar. */
static int build_row(gg_var **row, gg_var *y, gg_var *k, unsigned int n,
                     gg_var *const *wrt) {
  gg_var *seed = gg_cast(gg_eq(gg__iota(y, 0), k), y->type.dtype);

  return gg_grad_of(row, &(gg_grad_spec){.n_wrt = n,
                                         .wrt = wrt,
                                         .n_known = 1,
                                         .known = &y,
                                         .known_grad = &seed,
                                         .flags = GG_GRAD_ALLOW_DISCONNECTED});
}

/* `row` is workspace for n variables. */
static int write_out(gg_var **out, gg_var *y, unsigned int n,
                     gg_var *const *wrt, gg_var **row) {
  const unsigned int m = (unsigned int)y->type.dims[0];
  gg_var **rows = ga__calloc((size_t)n * m + 1, sizeof *rows);
  int err;

  if (rows == NULL)
    return gg__fail(y->graph, GA_MEMORY_ERROR, "out of host memory");
  for (unsigned int k = 0; k < m; k++) {
    GA_CHECK(build_row(row, y, gg_i64(y->graph, k), n, wrt));
    for (unsigned int i = 0; i < n; i++)
      rows[i * m + k] = gg__expand(row[i], 0);
  }
  for (unsigned int i = 0; i < n; i++)
    out[i] = gg_join(0, m, rows + (size_t)i * m);
  err = gg_graph_status(y->graph);
done:
  ga__free(rows);
  return err;
}

static int loop_over(gg_var **out, gg_var *y, unsigned int n,
                     gg_var *const *wrt, gg_var **row) {
  gg_scan *s = gg_scan_open(y->graph);
  int err;

  GA_CHECK(build_row(row, y, gg_scan_sequence(s, gg__iota(y, 0), 0), n, wrt));
  for (unsigned int i = 0; i < n; i++)
    gg_scan_output(s, row[i]);
  GA_CHECK(gg_scan_close(s));
  for (unsigned int i = 0; i < n; i++)
    out[i] = gg_scan_all(s, row[i]);
  err = gg_graph_status(y->graph);
done:
  gg_scan_free(s);
  return err;
}

static int check(const gg_var *y) {
  char type[160];

  if (y->type.nd != 1 || !gg__is_float(y))
    return gg__fail(y->graph, GA_VALUE_ERROR,
                    "jacobian: expected a vector of floats, got %s",
                    gg_type_text(&y->type, type, sizeof type));
  return GA_NO_ERROR;
}

static int build(gg_var **out, gg_var *y, unsigned int n, gg_var *const *wrt) {
  const int64_t m = y->type.dims[0];
  gg_var **row = ga__calloc(n + (size_t)1, sizeof *row);

  if (row == NULL)
    return gg__fail(y->graph, GA_MEMORY_ERROR, "out of host memory");
  int err = m > 0 && m <= WRITTEN_OUT ? write_out(out, y, n, wrt, row)
                                      : loop_over(out, y, n, wrt, row);
  ga__free(row);
  return err;
}

int gg_jacobian(gg_var **out, gg_var *y, unsigned int n, gg_var *const *wrt) {
  for (unsigned int i = 0; i < n; i++)
    out[i] = NULL;
  if (y == NULL)
    return ga__fail(GA_VALUE_ERROR, "jacobian: the result is NULL");
  if (y->type.nd == 0)
    return gg_grad_ex(out, y, n, wrt, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED);
  GA_TRY(gg_graph_status(y->graph));
  GA_TRY(check(y));
  int err = build(out, y, n, wrt);
  for (unsigned int i = 0; i < n && err != GA_NO_ERROR; i++)
    out[i] = NULL;
  return err;
}

int gg_hessian(gg_var **out, gg_var *cost, unsigned int n, gg_var *const *wrt) {
  gg_var *slope;
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; i < n; i++)
    out[i] = NULL;
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++) {
    err = gg_grad_ex(&slope, cost, 1, &wrt[i], 0, NULL,
                     GG_GRAD_ALLOW_DISCONNECTED);
    if (err == GA_NO_ERROR)
      err = gg_jacobian(&out[i], slope, 1, &wrt[i]);
  }
  for (unsigned int i = 0; i < n && err != GA_NO_ERROR; i++)
    out[i] = NULL;
  return err;
}
