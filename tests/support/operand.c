/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands in every layout. */
#include "support/operand.h"

#include <stdio.h>
#include <stdlib.h>

/* Strides in elements; the axes of `dims` in memory order from slow to fast
 * are order[0], order[1], ... */
static void strides_by(ssize_t *strides, unsigned int nd, const size_t *dims,
                       const unsigned int *order, ssize_t step) {
  for (unsigned int k = nd; k-- > 0;) {
    strides[order[k]] = step;
    step *= dims[order[k]] > 0 ? (ssize_t)dims[order[k]] : 1;
  }
}

static void lay_out(layout how, unsigned int nd, const size_t *shape,
                    size_t *dims, ssize_t *strides) {
  unsigned int order[OPERAND_ND];
  ssize_t step = how == LAYOUT_REVERSED ? -1 : how == LAYOUT_GAPS ? 2 : 1;

  for (unsigned int k = 0; k < nd; k++) {
    dims[k] = shape[k];
    order[k] = how == LAYOUT_F         ? nd - 1 - k
               : how == LAYOUT_ROTATED ? (k + nd - 1) % nd
                                       : k;
    if (how == LAYOUT_ONE || (how == LAYOUT_ROW && k == 0) ||
        (how == LAYOUT_COLUMN && k == nd - 1))
      dims[k] = 1;
  }
  strides_by(strides, nd, dims, order, step);
}

/* Index into an array of `dims` of the element at C position `i` of `shape`;
 * sizes of 1 repeat. */
static size_t repeated(size_t i, unsigned int nd, const size_t *shape,
                       const size_t *dims) {
  size_t index = 0, unit = 1;

  for (unsigned int k = nd; k-- > 0;) {
    size_t at = i % shape[k];

    i /= shape[k];
    index += dims[k] == 1 ? 0 : at * unit;
    unit *= dims[k];
  }
  return index;
}

size_t operand_size(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int k = 0; k < nd; k++)
    n *= dims[k];
  return n;
}

void operand_make(operand *o, int typecode, layout how, unsigned int nd,
                  const size_t *shape, double lo, double hi, uint32_t seed) {
  size_t dims[OPERAND_ND], n, total = operand_size(nd, shape);
  ssize_t strides[OPERAND_ND];
  int *whole;

  lay_out(how, nd, shape, dims, strides);
  n = operand_size(nd, dims);
  void *data = calloc(n + 1, 16);
  whole = calloc(n + 1, sizeof *whole);
  test_fill(whole, GA_INT, n, lo, hi, seed);
  for (size_t i = 0; i < n; i++)
    test_set(data, typecode, i, whole[i]);
  free(whole);
  test_array_strided(&o->a, typecode, nd, dims, strides, data);
  o->host = calloc(total + 1, sizeof *o->host);
  for (size_t i = 0; i < total; i++)
    o->host[i] = test_get(data, typecode, repeated(i, nd, shape, dims));
  free(data);
}

void operand_clear(operand *o) {
  GpuArray_clear(&o->a);
  free(o->host);
}

void operand_check(const operand *o, const double *want, const char *what) {
  size_t n = test_size(&o->a);
  char *got = calloc(n + 1, 16);

  test_gather(&o->a, got);
  for (size_t i = 0; i < n; i++) {
    if (test_get(got, o->a.typecode, i) != want[i])
      fail_msg("%s, type %d: element %zu of %zu is %g, expected %g", what,
               o->a.typecode, i, n, test_get(got, o->a.typecode, i), want[i]);
  }
  free(got);
}

GpuElemwise *elemwise_make(const char *text, unsigned int n,
                           gpuelemwise_arg *args, int flags) {
  GpuElemwise *ge =
      GpuElemwise_new(test_context(), NULL, text, n, args, 1, flags);

  if (ge == NULL)
    fail_msg("%s: %s", text, gpucontext_error(NULL, GA_IMPL_ERROR));
  return ge;
}

void elemwise_check_case(GpuElemwise *ge, int typecode, unsigned int nd,
                         const size_t *shape, const layout *how, int flags) {
  operand c, a, b;
  size_t n = operand_size(nd, shape);
  unsigned char s[16];
  void *values[] = {&c.a, &a.a, &b.a, s};
  double *want = calloc(n + 1, sizeof *want);
  char what[128];

  operand_make(&c, typecode, how[0], nd, shape, 0, 9, 1);
  operand_make(&a, typecode, how[1], nd, shape, 20, 50, 2);
  operand_make(&b, typecode, how[2], nd, shape, 0, 9, 3);
  test_set(s, typecode, 0, 2);
  for (size_t i = 0; i < n; i++)
    want[i] = a.host[i] - b.host[i] * 2;
  snprintf(what, sizeof what, "nd %u, first dim %zu, layouts %d %d %d", nd,
           nd > 0 ? shape[0] : 0, how[0], how[1], how[2]);
  assert_ok(GpuElemwise_call(ge, values, flags));
  operand_check(&c, want, what);
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  free(want);
}

GpuElemwise *elemwise_make_case(int typecode, int flags) {
  gpuelemwise_arg args[] = {{"c", typecode, GE_WRITE},
                            {"a", typecode, GE_READ},
                            {"b", typecode, GE_READ},
                            {"s", typecode, GE_READ | GE_SCALAR}};

  return elemwise_make("c = a - b * s", 4, args, flags);
}
