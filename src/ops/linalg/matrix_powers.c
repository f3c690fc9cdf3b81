/* SPDX-License-Identifier: BSD-2-Clause */
/* Powers of square matrices, and products of several matrices. */
#include <gpugraph/linalg.h>
#include <string.h>

#include "ops/linalg/matrices.h"

static gg_var *power(gg_var *a, uint64_t n) {
  gg_var *all = NULL;

  for (; n != 0 && a != NULL; n >>= 1) {
    if (n & 1)
      all = all != NULL ? gg__multiply_each(all, a) : a;
    if (n > 1)
      a = gg__multiply_each(a, a);
  }
  return a != NULL ? all : NULL;
}

static gg_var *any_power(gg_var *a, int64_t n) {
  gg_var *const x = a != NULL ? gg__in_work_type(a) : NULL;

  if (x == NULL)
    return NULL;
  if (n == 0)
    return gg__identity_like(x);
  return n < 0 ? power(gg_inverse(x, 0), 0 - (uint64_t)n)
               : power(x, (uint64_t)n);
}

gg_var *gg_matrix_power(gg_var *a, int64_t n) {
  static const gg_op op = {.name = "matrix_power"}, *const name = &op;
  static const char square[] = "matrices are square";
  gg_var *want[GG_MAX_ND] = {NULL};

  if (!gg__as_matrices(name, 1, &a) || !gg__is_square(name, a))
    return NULL;
  const int dtype = gg_var_type(a)->dtype;
  const gg_parts *outer = gg_parts_begin(gg_var_graph(a), name, 1, &a, square);
  want[gg__rank_of(a) - 1] = gg_shape(a, -2);
  gg_var *const y = any_power(gg__with_sizes(name, 1, &a, a, want, square), n);
  return gg_parts_end(gg_var_graph(a), outer,
                      y != NULL ? gg_cast(y, dtype) : NULL);
}

/* --- products --- */

/* A letter for each size: ab,bc,cd->ad; ends that are vectors have one. */
enum { MOST = 51 };

static int64_t first_size(const gg_var *x) {
  return gg_var_type(x)->dims[0];
}

static int64_t last_size(const gg_var *x) {
  return gg_var_type(x)->dims[gg__rank_of(x) - 1];
}

/* Nonzero if operands are matrices, but vectors at the ends if they like, whose
 * sizes fit as far as they are known. */
static int fit_together(const gg_op *name, unsigned int n, gg_var *const *x) {
  for (unsigned int i = 0; i < n; i++) {
    const unsigned int nd = gg__rank_of(x[i]);
    if (nd != 2 && (nd != 1 || (i != 0 && i + 1 != n)))
      return gg__refuse(name, n, x, GA_VALUE_ERROR,
                        "operand %u: expected a matrix", i) != NULL;
  }
  for (unsigned int i = 1; i < n; i++) {
    const int64_t p = last_size(x[i - 1]), q = first_size(x[i]);
    if (p != q && p != GG_ANY && q != GG_ANY)
      return gg__refuse(name, n, x, GA_VALUE_ERROR,
                        "operands %u and %u: sizes %lld and %lld differ", i - 1,
                        i, (long long)p, (long long)q) != NULL;
  }
  return 1;
}

static char letter(unsigned int i) {
  return (char)(i < 26 ? 'a' + (int)i : 'A' + (int)(i - 26));
}

static void write_equation(char *to, unsigned int n, gg_var *const *x) {
  for (unsigned int i = 0; i < n; i++) {
    if (i > 0 || gg__rank_of(x[i]) > 1)
      *to++ = letter(i);
    if (i + 1 < n || gg__rank_of(x[i]) > 1)
      *to++ = letter(i + 1);
    *to++ = ',';
  }
  to[-1] = '-';
  *to++ = '>';
  if (gg__rank_of(x[0]) > 1)
    *to++ = letter(0);
  if (gg__rank_of(x[n - 1]) > 1)
    *to++ = letter(n);
  *to = '\0';
}

/* An inner size that is known to be 1 on one side is 1 on the other. Einsum
 * would broadcast. */
static gg_var *with_size(gg_var *x, unsigned int axis, int64_t size) {
  int64_t dims[2] = {GG_ANY, GG_ANY};

  if (x == NULL || size != 1 || gg_var_type(x)->dims[axis] == 1)
    return x;
  dims[axis] = 1;
  return gg_specify_shape(x, dims);
}

gg_var *gg_multi_dot(unsigned int n, gg_var *const *x) {
  static const gg_op op = {.name = "multi_dot"}, *const name = &op;
  gg_var *in[MOST];
  char equation[4 * MOST];

  if (n == 0 || x == NULL) {
    ga__fail(GA_VALUE_ERROR, "multi_dot: no operands");
    return NULL;
  }
  if (!gg__given(name, n, x))
    return NULL;
  if (n > MOST)
    return gg__refuse(name, 1, x, GA_VALUE_ERROR,
                      "%u operands are more than %d", n, MOST);
  if (!fit_together(name, n, x))
    return NULL;
  memcpy(in, x, n * sizeof *in);
  for (unsigned int i = 1; i < n; i++) {
    in[i] = with_size(x[i], 0, last_size(x[i - 1]));
    in[i - 1] =
        with_size(in[i - 1], gg__rank_of(x[i - 1]) - 1, first_size(x[i]));
  }
  if (n == 1)
    return in[0];
  write_equation(equation, n, in);
  const gg_parts *outer =
      gg_parts_begin(gg_var_graph(x[0]), &op, n, x, "inner sizes are equal");
  return gg_parts_end(gg_var_graph(x[0]), outer, gg_einsum(equation, n, in));
}
