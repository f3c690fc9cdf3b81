/* SPDX-License-Identifier: BSD-2-Clause */
#include "index/put_model.h"

#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>

#include "base/dtype.h"

int put_has_dtype(int typecode) {
  return gpucontext_caps(test_context())->fp64 ||
         (typecode != GA_DOUBLE && typecode != GA_CDOUBLE);
}

void host_init(host *h, int typecode, unsigned int nd, const size_t *dims) {
  h->typecode = typecode;
  h->nd = nd;
  h->n = 1;
  for (unsigned int d = 0; d < nd; d++)
    h->n *= h->dims[d] = dims[d];
  h->item = ga__dtype_size(typecode);
  h->data = calloc(h->n + 1, 16);
}

void host_fill(host *h, uint32_t seed) {
  test_fill(h->data, h->typecode, h->n, 0, h->typecode == GA_BOOL ? 2 : 20,
            seed);
}

void host_indices(host *h, size_t rows, uint32_t seed) {
  const int is_signed = ga__dtype_kind(h->typecode) == GA_KIND_INT;

  test_fill(h->data, h->typecode, h->n, is_signed ? -(double)rows : 0,
            (double)rows, seed);
}

void host_send(GpuArray *a, const host *h, unsigned int kind) {
  ssize_t strides[ND], step = kind == 1 ? 2 : 1;

  for (unsigned int i = 0; i < h->nd; i++) {
    const unsigned int d = kind == 1 ? i : h->nd - 1 - i;

    strides[d] = step;
    step *= (ssize_t)h->dims[d] + (kind == 3 && i == 0);
    if (kind == 2)
      strides[d] = -strides[d];
  }
  if (kind == 0)
    test_array(a, h->typecode, h->nd, h->dims, h->data);
  else
    test_array_strided(a, h->typecode, h->nd, h->dims, strides, h->data);
}

static size_t row_of(const host *index, size_t k, size_t rows) {
  const double i = test_get(index->data, index->typecode, k);

  return (size_t)(i < 0 ? i + (double)rows : i);
}

size_t put_place(const host *a, const host *index, unsigned int axis,
                 int is_gather, size_t k) {
  size_t inner = 1, row;

  for (unsigned int d = axis + 1; d < a->nd; d++)
    inner *= a->dims[d];
  size_t i = k % inner;
  size_t outer = k / inner;
  if (is_gather) {
    row = row_of(index, k, a->dims[axis]);
    outer /= index->dims[axis];
  } else {
    row = row_of(index, outer % index->n, a->dims[axis]);
    outer /= index->n;
  }
  return (outer * a->dims[axis] + row) * inner + i;
}

static void taken_init(host *v, const host *a, const host *index,
                       unsigned int axis, int is_gather) {
  size_t dims[ND];
  unsigned int nd = 0;

  for (unsigned int d = 0; !is_gather && d < axis; d++)
    dims[nd++] = a->dims[d];
  for (unsigned int d = 0; d < index->nd; d++)
    dims[nd++] = index->dims[d];
  for (unsigned int d = axis + 1; !is_gather && d < a->nd; d++)
    dims[nd++] = a->dims[d];
  host_init(v, a->typecode, nd, dims);
}

/* --- one geometry, all functions --- */

void check_take(const host *a, const host *index, unsigned int axis,
                int is_gather, unsigned int kind) {
  GpuArray da, di, r;
  host v;

  taken_init(&v, a, index, axis, is_gather);
  for (size_t k = 0; k < v.n; k++)
    memcpy(v.data + k * a->item,
           a->data + put_place(a, index, axis, is_gather, k) * a->item,
           a->item);
  host_send(&da, a, kind);
  host_send(&di, index, kind);
  for (int checked = 0; checked < 2; checked++) {
    assert_ok(is_gather ? GpuArray_gather(&r, &da, &di, axis, checked)
                        : GpuArray_take(&r, &da, &di, axis, checked));
    assert_int_equal(r.nd, v.nd);
    test_array_equal(&r, v.data);
    GpuArray_clear(&r);
  }
  GpuArray_clear(&da);
  GpuArray_clear(&di);
  free(v.data);
}

/* One element of an array, of any dtype, plus one of another, rounded to the
 * dtype. */
static void add(const host *a, size_t i, const host *v, size_t k) {
  const int type = a->typecode == GA_CFLOAT    ? GA_FLOAT
                   : a->typecode == GA_CDOUBLE ? GA_DOUBLE
                                               : a->typecode;
  const size_t parts = a->item / ga__dtype_size(type);

  for (size_t p = 0; p < parts; p++) {
    const double sum = test_get(a->data, type, i * parts + p) +
                       test_get(v->data, type, k * parts + p);
    test_set(a->data, type, i * parts + p, type == GA_BOOL ? sum != 0 : sum);
  }
}

/* One element combined with another by op, in double. */
static void combine(ga_put_op op, const host *a, size_t i, const host *v,
                    size_t k) {
  const double x = test_get(a->data, a->typecode, i);
  const double y = test_get(v->data, v->typecode, k);

  test_set(a->data, a->typecode, i,
           op == GA_PUT_MUL   ? x * y
           : op == GA_PUT_MAX ? (x > y ? x : y)
                              : (x < y ? x : y));
}

void check_put(const host *a, const host *index, unsigned int axis,
               int is_scatter, unsigned int kind, ga_put_op op) {
  const int is_add = op == GA_PUT_ADD || op == GA_PUT_ADD_ANY;
  GpuArray da, di, dv;
  host v, want = *a;

  taken_init(&v, a, index, axis, is_scatter);
  host_fill(&v, 5);
  want.data = malloc(a->n * 16 + 16);
  memcpy(want.data, a->data, a->n * a->item);
  for (size_t k = 0; k < v.n; k++) {
    const size_t i = put_place(a, index, axis, is_scatter, k);

    if (is_add)
      add(&want, i, &v, k);
    else if (op >= GA_PUT_MUL)
      combine(op, &want, i, &v, k);
    else
      memcpy(want.data + i * a->item, v.data + k * a->item, a->item);
  }
  host_send(&da, a, kind);
  host_send(&di, index, kind);
  host_send(&dv, &v, (kind + 1) % 4);
  assert_ok(is_scatter ? GpuArray_scatter(&da, &di, &dv, axis, op, kind & 1)
                       : GpuArray_put(&da, &di, &dv, axis, op, kind & 1));
  test_array_equal(&da, want.data);
  GpuArray_clear(&da);
  GpuArray_clear(&di);
  GpuArray_clear(&dv);
  free(want.data);
  free(v.data);
}

void host_distinct(host *index, unsigned int axis, size_t rows) {
  size_t inner = 1;

  for (unsigned int d = axis + 1; d < index->nd; d++)
    inner *= index->dims[d];
  for (size_t k = 0; k < index->n; k++)
    test_set(index->data, index->typecode, k,
             (double)((k / inner * 7 + 1) % rows));
}
