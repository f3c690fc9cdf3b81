/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs and values of the case table. */
#include "support/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

/* Bools and classes are whole, and so is everything that an integer dtype
 * holds: unsigned ones start at 0. */
static double *make_values(const case_operand *in, int dtype, size_t n,
                           uint32_t seed) {
  const int is_uint = ga__dtype_kind(dtype) == GA_KIND_UINT;
  const size_t size = ga__dtype_size(dtype);
  const double lo = is_uint && in->lo < 0 ? 0 : in->lo;
  char *raw = malloc(n * size + 1);
  double *v = malloc((n + 1) * sizeof *v);

  assert_non_null(raw);
  assert_non_null(v);
  test_fill(raw, dtype, n, lo, in->hi, seed);
  for (size_t i = 0; i < n; i++)
    v[i] = test_get(raw, dtype, i);
  free(raw);
  return v;
}

int case_begin(case_run *r, const op_case *c, gg_graph *g, int dtype,
               case_sizes sizes) {
  int64_t dims[GG_MAX_ND];

  memset(r, 0, sizeof *r);
  r->c = c;
  for (unsigned int i = 0; i < c->n_in; i++)
    if (case_dtype(&c->in[i], dtype) < 0)
      return 0;
  r->g = g;
  for (unsigned int i = 0; i < c->n_in; i++) {
    r->n[i] = 1;
    for (unsigned int k = 0; k < c->in[i].nd; k++) {
      r->n[i] *= c->in[i].dims[k];
      dims[k] = sizes == SIZES_KNOWN || c->in[i].dims[k] == 1
                    ? (int64_t)c->in[i].dims[k]
                    : GG_ANY;
    }
    r->x[i] = gg_input_sized(r->g, "x", case_dtype(&c->in[i], dtype),
                             c->in[i].nd, dims);
    r->value[i] =
        make_values(&c->in[i], case_dtype(&c->in[i], dtype), r->n[i], 7 + i);
  }
  r->y = c->build(r->x);
  if (r->y == NULL)
    fail_msg("%s: %s", c->name, gg_graph_error(r->g));
  return 1;
}

void case_bind(const case_run *r, interp *it) {
  for (unsigned int i = 0; i < r->c->n_in; i++)
    interp_bind(it, r->x[i], r->c->in[i].nd, r->c->in[i].dims, r->value[i]);
}

void case_end(case_run *r) {
  for (unsigned int i = 0; i < 3; i++)
    free(r->value[i]);
}

gg_var *case_cost(const case_run *r, const tensor *y) {
  const int dtype = gg_var_type(r->y)->dtype;
  const size_t size = ga__dtype_size(dtype);
  char *w = malloc(y->n * size + 1);

  assert_non_null(w);
  for (size_t i = 0; i < y->n; i++)
    ga__dtype_from_double(dtype, w + i * size, cos((double)(3 * i + 1)));
  gg_var *weights = gg_constant(r->g, dtype, y->nd, y->dim, w);
  free(w);
  return gg_sum(gg_mul(r->y, weights));
}

int case_group(const char *name, void (*test)(void **state)) {
  struct CMUnitTest *tests = calloc(n_op_cases, sizeof *tests);

  if (tests == NULL)
    return 1;
  for (size_t i = 0; i < n_op_cases; i++) {
    tests[i].name = op_cases[i].name;
    tests[i].test_func = test;
    tests[i].initial_state = (void *)(uintptr_t)&op_cases[i];
  }
  int failed = _cmocka_run_group_tests(name, tests, n_op_cases, NULL, NULL);
  free(tests);
  return failed;
}
