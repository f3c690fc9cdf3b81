/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays as operands of products. */
#include "linalg/array_operand.h"

#include <stdio.h>

#include "array/geometry.h"
#include "array/operands.h"

/* --- checks --- */

static unsigned int rank_of(const ga__array_product *a, int i) {
  if (ga__product_forms[a->routine][i] == 'm')
    return a->is_batch ? 3 : 2;
  return a->routine == GA_ROUTINE_DOT && i == 2 ? 0 : 1;
}

static int check_one(const ga__array_operand *o, unsigned int nd,
                     ga__kind want) {
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

/* Check that the result is writeable and that its elements do not share memory
 * by strides of 0. */
static int check_result(const ga__array_operand *o) {
  const GpuArray *a = o->given;

  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_READONLY_ERROR, "%s is read-only", o->name);
  return ga__operand_check_places(o->name, a);
}

int ga__array_product_check(const ga__array_product *a, int is_written) {
  const ga__array_operand *const o = a->o;
  const int n = o[2].given != NULL || is_written ? 3 : 2;

  for (int i = 0; i < n; i++) {
    GA_TRY(check_one(&o[i], rank_of(a, i), a->kind));
    if (o[i].given->typecode != o[0].given->typecode)
      return ga__fail(GA_INVALID_ERROR, "%s is %s, %s is %s", o[0].name,
                      ga__dtype_name(o[0].given->typecode), o[i].name,
                      ga__dtype_name(o[i].given->typecode));
    if (GpuArray_context(o[i].given) != GpuArray_context(o[0].given))
      return ga__fail(GA_VALUE_ERROR, "%s and %s are in different contexts",
                      o[0].name, o[i].name);
  }
  if (is_written)
    GA_TRY(check_result(&o[2]));
  GA_TRY(ga__blas_trans(o[0].name, o[0].trans));
  return ga__blas_trans(o[1].name, o[1].trans);
}

/* --- sizes --- */

typedef struct sizes {
  size_t rows, cols;
} sizes;

/* The sizes of op(array). A vector is a matrix of one row or column. */
static sizes sizes_of(const ga__array_product *a, int i) {
  const ga__array_operand *o = &a->o[i];
  const char form = ga__product_forms[a->routine][i];
  const unsigned int nd = o->given->nd;
  const size_t *d = o->given->dimensions + nd - (nd < 2 ? nd : 2);

  if (form != 'm') {
    const size_t n = nd > 0 ? d[0] : 1;

    return form == 'r' ? (sizes){1, n} : (sizes){n, 1};
  }
  return o->trans == cb_no_trans ? (sizes){d[0], d[1]} : (sizes){d[1], d[0]};
}

/* Write "op(A) is 3x4" or "X has 5 elements". */
static void say_sizes(char *to, size_t bytes, const ga__array_product *a, int i,
                      sizes s) {
  const char *name = a->o[i].name;

  if (ga__product_forms[a->routine][i] != 'm')
    snprintf(to, bytes, "%s has %zu elements", name, s.rows * s.cols);
  else if (i < 2)
    snprintf(to, bytes, "op(%s) is %zux%zu", name, s.rows, s.cols);
  else
    snprintf(to, bytes, "%s is %zux%zu", name, s.rows, s.cols);
}

int ga__array_product_fit(ga__product *p, const ga__array_product *a) {
  const ga__array_operand *const o = a->o;
  const sizes x = sizes_of(a, 0), y = sizes_of(a, 1);
  const sizes z = o[2].given != NULL ? sizes_of(a, 2) : (sizes){x.rows, y.cols};
  char text[3][64];

  p->ctx = GpuArray_context(o[0].given);
  p->routine = a->routine;
  p->typecode = o[0].given->typecode;
  p->batch = 1;
  p->m = z.rows;
  p->n = z.cols;
  p->k = x.cols;
  p->conj_a = o[0].trans == cb_conj_trans;
  p->conj_b = o[1].trans == cb_conj_trans;
  if (a->is_batch) {
    const GpuArray *const c = o[2].given != NULL ? o[2].given : o[0].given;
    const size_t n[3] = {o[0].given->dimensions[0], o[1].given->dimensions[0],
                         c->dimensions[0]};

    p->batch = n[2];
    if (n[0] != n[1] || n[1] != n[2])
      return ga__fail(GA_VALUE_ERROR,
                      "A has %zu matrices, B has %zu, C has %zu", n[0], n[1],
                      n[2]);
  }
  if (x.cols == y.rows && x.rows == z.rows && y.cols == z.cols)
    return GA_NO_ERROR;
  say_sizes(text[0], sizeof text[0], a, 0, x);
  say_sizes(text[1], sizeof text[1], a, 1, y);
  if (o[2].given == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s, %s", text[0], text[1]);
  say_sizes(text[2], sizeof text[2], a, 2, z);
  return ga__fail(GA_VALUE_ERROR, "%s, %s, %s", text[0], text[1], text[2]);
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

/* Whether the lines along dimension `along` are contiguous, and those along
 * `line` are a positive stride apart that is at least the length of a line. */
static int is_lines(const GpuArray *a, unsigned int line, unsigned int along) {
  const ssize_t size = (ssize_t)ga__dtype_size(a->typecode);
  const size_t length = a->dimensions[along];

  return (length <= 1 || a->strides[along] == size) &&
         (a->dimensions[line] <= 1 ||
          a->strides[line] >= size * (ssize_t)(length > 0 ? length : 1));
}

static int is_described(const GpuArray *a) {
  const unsigned int r = a->nd - 2, c = a->nd - 1;

  if (ga__array_total(a) == 0)
    return 1;
  if (!is_whole(a))
    return 0;
  return a->nd < 2 || is_lines(a, r, c) || is_lines(a, c, r);
}

static const GpuArray *used(const ga__array_operand *o) {
  return o->copy.data != NULL ? &o->copy : o->given;
}

/* Describe operand i with strides in elements, exchanged if it is
 * transposed. */
static void describe(ga__product_operand *to, const ga__array_product *a,
                     int i) {
  const GpuArray *array = used(&a->o[i]);
  const ptrdiff_t size = (ptrdiff_t)ga__dtype_size(array->typecode);
  const unsigned int nd = array->nd;
  const char form = ga__product_forms[a->routine][i];
  ptrdiff_t rs = 0, cs = 0;

  if (nd > 0 && form == 'c')
    rs = array->strides[0] / size;
  if (nd > 0 && form == 'r')
    cs = array->strides[0] / size;
  if (form == 'm') {
    rs = array->strides[nd - 2] / size;
    cs = array->strides[nd - 1] / size;
  }
  *to = (ga__product_operand){.buf = array->data,
                              .off = array->offset,
                              .rs = a->o[i].trans == cb_no_trans ? rs : cs,
                              .cs = a->o[i].trans == cb_no_trans ? cs : rs,
                              .bs = nd == 3 ? array->strides[0] / size : 0,
                              .slot = (unsigned int)i};
}

int ga__array_product_take(ga__product_operand *to, ga__array_product *a, int i,
                           int nocopy, int is_read) {
  ga__array_operand *o = &a->o[i];
  const GpuArray *given = o->given;

  if (!is_described(given)) {
    if (nocopy)
      return ga__fail(GA_COPY_ERROR, "the strides of %s need a copy", o->name);
    if (is_read)
      GA_TRY(GpuArray_copy(&o->copy, given, GA_C_ORDER));
    else
      GA_TRY(GpuArray_empty(&o->copy, GpuArray_context(given), given->typecode,
                            given->nd, given->dimensions, GA_C_ORDER));
  }
  describe(to, a, i);
  return GA_NO_ERROR;
}

int ga__array_product_give(ga__array_product *a) {
  ga__array_operand *o = &a->o[2];

  return o->copy.data != NULL ? GpuArray_setarray(o->given, &o->copy)
                              : GA_NO_ERROR;
}

void ga__array_product_clear(ga__array_product *a) {
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&a->o[i].copy);
}
