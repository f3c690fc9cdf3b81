/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays as operands of products. */
#include "linalg/blas_array.h"
#include "array/operands.h"

#include "array/view.h"

/* --- checks --- */

static int check_one(const ga__blas_array *o, unsigned int nd, ga__kind want) {
  const GpuArray *a = o->given;

  if (a == NULL || ga__array_check(a) != GA_NO_ERROR)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", o->name);
  if (ga__dtype_kind(a->typecode) != want)
    return ga__fail(GA_INVALID_ERROR, "%s is %s, expected a %s type", o->name,
                    ga__dtype_name(a->typecode),
                    want == GA_KIND_FLOAT ? "real" : "complex");
  if (a->nd != nd)
    return ga__fail(GA_VALUE_ERROR, "%s has %u dimensions, expected %u",
                    o->name, a->nd, nd);
  return ga__operand_check_aligned(o->name, a);
}

static int is_empty(const GpuArray *a) {
  for (unsigned int i = 0; i < a->nd; i++) {
    if (a->dimensions[i] == 0)
      return 1;
  }
  return 0;
}

/* Elements of a result each have a place of their own. */
static int check_result(const ga__blas_array *o) {
  const GpuArray *a = o->given;

  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_READONLY_ERROR, "%s is read-only", o->name);
  for (unsigned int i = 0; i < a->nd && !is_empty(a); i++) {
    if (a->dimensions[i] > 1 && a->strides[i] == 0)
      return ga__fail(GA_VALUE_ERROR, "%s, dim %u: %zu results in one place",
                      o->name, i, a->dimensions[i]);
  }
  return GA_NO_ERROR;
}

int ga__blas_array_check_inputs(ga__blas_array *o, size_t n,
                                const unsigned int *nds, ga__kind want) {
  for (size_t i = 0; i < n; i++) {
    GA_TRY(check_one(&o[i], nds[i], want));
    o[i].as.slot = (unsigned int)i;
    if (o[i].given->typecode != o[0].given->typecode)
      return ga__fail(GA_INVALID_ERROR, "%s is %s, %s is %s", o[0].name,
                      ga__dtype_name(o[0].given->typecode), o[i].name,
                      ga__dtype_name(o[i].given->typecode));
    if (GpuArray_context(o[i].given) != GpuArray_context(o[0].given))
      return ga__fail(GA_VALUE_ERROR, "%s and %s are in different contexts",
                      o[0].name, o[i].name);
  }
  return GA_NO_ERROR;
}

int ga__blas_array_check(ga__blas_array *o, size_t n, const unsigned int *nds,
                         ga__kind want) {
  GA_TRY(ga__blas_array_check_inputs(o, n, nds, want));
  return check_result(&o[n - 1]);
}

int ga__blas_array_trans(const ga__blas_array *o) {
  return ga__blas_trans(o->name, o->trans);
}

size_t ga__blas_array_rows(const ga__blas_array *o) {
  const size_t *d = o->given->dimensions + o->given->nd - 2;

  return d[o->trans == cb_no_trans ? 0 : 1];
}

size_t ga__blas_array_cols(const ga__blas_array *o) {
  const size_t *d = o->given->dimensions + o->given->nd - 2;

  return d[o->trans == cb_no_trans ? 1 : 0];
}

int ga__blas_array_fit(const ga__blas_array *o) {
  const size_t m = ga__blas_array_rows(&o[2]), n = ga__blas_array_cols(&o[2]);

  if (ga__blas_array_cols(&o[0]) == ga__blas_array_rows(&o[1]) &&
      ga__blas_array_rows(&o[0]) == m && ga__blas_array_cols(&o[1]) == n)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR,
                  "op(A) is %zux%zu, op(B) is %zux%zu, C is %zux%zu",
                  ga__blas_array_rows(&o[0]), ga__blas_array_cols(&o[0]),
                  ga__blas_array_rows(&o[1]), ga__blas_array_cols(&o[1]), m, n);
}

int ga__blas_array_fit_batch(const ga__blas_array *o) {
  const size_t a = o[0].given->dimensions[0], b = o[1].given->dimensions[0];
  const size_t c = o[2].given->dimensions[0];

  if (a == b && b == c)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "A has %zu matrices, B has %zu, C has %zu", a,
                  b, c);
}

/* --- operands --- */

static int is_whole(const GpuArray *a) {
  const ssize_t size = (ssize_t)ga__dtype_size(a->typecode);

  for (unsigned int i = 0; i < a->nd; i++) {
    if (a->dimensions[i] > 1 && a->strides[i] % size != 0)
      return 0;
  }
  return 1;
}

/* One line of `length` elements without gaps, `lines` of them apart. */
static int is_lines(const GpuArray *a, unsigned int line, unsigned int along) {
  const ssize_t size = (ssize_t)ga__dtype_size(a->typecode);
  const size_t length = a->dimensions[along];

  return (length <= 1 || a->strides[along] == size) &&
         (a->dimensions[line] <= 1 ||
          a->strides[line] >= size * (ssize_t)(length > 0 ? length : 1));
}

static int is_described(const GpuArray *a) {
  const unsigned int r = a->nd - 2, c = a->nd - 1;

  if (is_empty(a))
    return 1;
  if (!is_whole(a))
    return 0;
  return a->nd < 2 || is_lines(a, r, c) || is_lines(a, c, r);
}

static const GpuArray *used(const ga__blas_array *o) {
  return o->copy.data != NULL ? &o->copy : o->given;
}

/* Strides in elements, those of op(array). */
static void describe(ga__blas_array *o) {
  const GpuArray *a = used(o);
  const ptrdiff_t size = (ptrdiff_t)ga__dtype_size(a->typecode);
  const unsigned int nd = a->nd;

  o->as.buf = a->data;
  o->as.off = a->offset;
  if (nd == 1)
    o->as.rs = a->strides[0] / size;
  if (nd < 2)
    return;
  o->as.rs = a->strides[nd - 2] / size;
  o->as.cs = a->strides[nd - 1] / size;
  if (o->trans != cb_no_trans) {
    const ptrdiff_t rs = o->as.rs;

    o->as.rs = o->as.cs;
    o->as.cs = rs;
  }
  if (nd == 3)
    o->as.bs = a->strides[0] / size;
}

int ga__blas_array_take(ga__blas_array *o, int nocopy, int is_read) {
  const GpuArray *a = o->given;

  if (!is_described(a)) {
    if (nocopy)
      return ga__fail(GA_COPY_ERROR, "the strides of %s need a copy", o->name);
    if (is_read)
      GA_TRY(GpuArray_copy(&o->copy, a, GA_C_ORDER));
    else
      GA_TRY(GpuArray_empty(&o->copy, GpuArray_context(a), a->typecode, a->nd,
                            a->dimensions, GA_C_ORDER));
  }
  describe(o);
  return GA_NO_ERROR;
}

int ga__blas_array_give(ga__blas_array *o) {
  return o->copy.data != NULL ? GpuArray_setarray(o->given, &o->copy)
                              : GA_NO_ERROR;
}

void ga__blas_array_drop(ga__blas_array *o, size_t n) {
  for (size_t i = 0; i < n; i++)
    GpuArray_clear(&o[i].copy);
}
