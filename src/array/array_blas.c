/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of arrays: shapes and types checked, operands that BLAS cannot
 * describe copied, the rest left to src/blas.
 *
 * A matrix can be described when one of its strides is one element and the
 * other, which is positive, leaps over that line; a vector whenever its stride
 * is a whole number of elements. */
#include <gpuarray/blas.h>
#include <gpuarray/launch.h>

#include "array/view.h"
#include "base/dtype.h"
#include "blas/direct.h"

/* An operand on its way: the caller's array, or a copy of it. */
typedef struct operand {
  const char *name; /* "A" */
  GpuArray *given;
  GpuArray copy; /* zeroed, or to be used in place of `given` */
  cb_transpose trans;
  ga__operand as;
} operand;

/* --- checks --- */

static int check_one(const operand *o, unsigned int nd) {
  const GpuArray *a = o->given;
  ga__kind kind;

  if (a == NULL || ga__array_check(a) != GA_NO_ERROR)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", o->name);
  kind = ga__dtype_kind(a->typecode);
  if (kind != GA_KIND_FLOAT)
    return ga__fail(GA_INVALID_ERROR, "%s is %s, expected a real type", o->name,
                    ga__dtype_name(a->typecode));
  if (a->nd != nd)
    return ga__fail(GA_VALUE_ERROR, "%s has %u dimensions, expected %u",
                    o->name, a->nd, nd);
  if (!GpuArray_ISALIGNED(a))
    return ga__fail(GA_UNALIGNED_ERROR, "%s is not aligned", o->name);
  return GA_NO_ERROR;
}

/* Elements of a result each have a place of their own. */
static int check_result(const operand *o) {
  const GpuArray *a = o->given;

  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_READONLY_ERROR, "%s is read-only", o->name);
  for (unsigned int i = 0; i < a->nd; i++) {
    if (a->dimensions[i] > 1 && a->strides[i] == 0)
      return ga__fail(GA_VALUE_ERROR, "%s, dim %u: %zu results in one place",
                      o->name, i, a->dimensions[i]);
  }
  return GA_NO_ERROR;
}

/* Dimensions of each, one type, one context; the last one is written to. */
static int check_all(operand *o, size_t n, const unsigned int *nds) {
  for (size_t i = 0; i < n; i++) {
    GA_TRY(check_one(&o[i], nds[i]));
    o[i].as.slot = (unsigned int)i;
    if (o[i].given->typecode != o[0].given->typecode)
      return ga__fail(GA_INVALID_ERROR, "%s is %s, %s is %s", o[0].name,
                      ga__dtype_name(o[0].given->typecode), o[i].name,
                      ga__dtype_name(o[i].given->typecode));
    if (GpuArray_context(o[i].given) != GpuArray_context(o[0].given))
      return ga__fail(GA_VALUE_ERROR, "%s and %s are in different contexts",
                      o[0].name, o[i].name);
  }
  return check_result(&o[n - 1]);
}

static int check_trans(const operand *o) {
  return ga__blas_trans(o->name, o->trans);
}

/* Sizes of op(array), from its last two dimensions. */
static size_t rows_of(const operand *o) {
  const size_t *d = o->given->dimensions + o->given->nd - 2;

  return d[o->trans == cb_no_trans ? 0 : 1];
}

static size_t cols_of(const operand *o) {
  const size_t *d = o->given->dimensions + o->given->nd - 2;

  return d[o->trans == cb_no_trans ? 1 : 0];
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

  if (!is_whole(a))
    return 0;
  return a->nd < 2 || is_lines(a, r, c) || is_lines(a, c, r);
}

static const GpuArray *used(const operand *o) {
  return o->copy.data != NULL ? &o->copy : o->given;
}

/* Strides in elements, those of op(array). */
static void describe(operand *o) {
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

/* Describe the array, or a copy of it if it must be. The contents of a result
 * that will not be read are not copied. */
static int take(operand *o, int nocopy, int is_read) {
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

/* Bring a result home that was computed in a copy. */
static int give(operand *o) {
  return o->copy.data != NULL ? GpuArray_setarray(o->given, &o->copy)
                              : GA_NO_ERROR;
}

static void drop(operand *o, size_t n) {
  for (size_t i = 0; i < n; i++)
    GpuArray_clear(&o[i].copy);
}

/* Each product has one function for both ways: with `out`, a launch is
 * prepared and nothing copied, without, it is run. */

/* --- dot --- */

static int dot(GpuLaunch **out, GpuArray *X, GpuArray *Y, GpuArray *Z,
               int nocopy) {
  operand o[3] = {{.name = "X", .given = X},
                  {.name = "Y", .given = Y},
                  {.name = "Z", .given = Z}};
  const unsigned int nds[3] = {1, 1, 0};
  ga__dot d;
  int err;

  GA_TRY(check_all(o, 3, nds));
  if (X->dimensions[0] != Y->dimensions[0])
    return ga__fail(GA_VALUE_ERROR, "X has %zu elements, Y has %zu",
                    X->dimensions[0], Y->dimensions[0]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(take(&o[i], nocopy, i < 2));
  d = (ga__dot){.ctx = GpuArray_context(Z),
                .typecode = Z->typecode,
                .n = X->dimensions[0],
                .x = o[0].as,
                .y = o[1].as,
                .z = o[2].as};
  err = out != NULL ? ga__dot_prepare(out, &d) : ga__dot_run(&d);

done:
  drop(o, 3);
  return err;
}

int GpuArray_rdot(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy) {
  return dot(NULL, X, Y, Z, nocopy);
}

int GpuArray_rdot_prepare(GpuLaunch **out, GpuArray *X, GpuArray *Y,
                          GpuArray *Z) {
  *out = NULL;
  return dot(out, X, Y, Z, 1);
}

/* --- gemv --- */

static int gemv(GpuLaunch **out, cb_transpose transA, double alpha, GpuArray *A,
                GpuArray *X, double beta, GpuArray *Y, int nocopy) {
  operand o[3] = {{.name = "A", .given = A, .trans = transA},
                  {.name = "X", .given = X},
                  {.name = "Y", .given = Y}};
  const unsigned int nds[3] = {2, 1, 1};
  ga__gemv g;
  int err;

  GA_TRY(check_all(o, 3, nds));
  GA_TRY(check_trans(&o[0]));
  if (cols_of(&o[0]) != X->dimensions[0] || rows_of(&o[0]) != Y->dimensions[0])
    return ga__fail(
        GA_VALUE_ERROR, "op(A) is %zux%zu, X has %zu elements, Y has %zu",
        rows_of(&o[0]), cols_of(&o[0]), X->dimensions[0], Y->dimensions[0]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(take(&o[i], nocopy, i < 2 || beta != 0));
  g = (ga__gemv){.ctx = GpuArray_context(Y),
                 .typecode = Y->typecode,
                 .m = rows_of(&o[0]),
                 .n = cols_of(&o[0]),
                 .alpha = alpha,
                 .beta = beta,
                 .a = o[0].as,
                 .x = o[1].as,
                 .y = o[2].as};
  err = out != NULL ? ga__gemv_prepare(out, &g) : ga__gemv_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = give(&o[2]);

done:
  drop(o, 3);
  return err;
}

int GpuArray_rgemv(cb_transpose transA, double alpha, GpuArray *A, GpuArray *X,
                   double beta, GpuArray *Y, int nocopy) {
  return gemv(NULL, transA, alpha, A, X, beta, Y, nocopy);
}

int GpuArray_rgemv_prepare(GpuLaunch **out, cb_transpose transA, double alpha,
                           GpuArray *A, GpuArray *X, double beta, GpuArray *Y) {
  *out = NULL;
  return gemv(out, transA, alpha, A, X, beta, Y, 1);
}

/* --- ger --- */

static int ger(GpuLaunch **out, double alpha, GpuArray *X, GpuArray *Y,
               GpuArray *A, int nocopy) {
  operand o[3] = {{.name = "X", .given = X},
                  {.name = "Y", .given = Y},
                  {.name = "A", .given = A}};
  const unsigned int nds[3] = {1, 1, 2};
  ga__ger g;
  int err;

  GA_TRY(check_all(o, 3, nds));
  if (A->dimensions[0] != X->dimensions[0] ||
      A->dimensions[1] != Y->dimensions[0])
    return ga__fail(
        GA_VALUE_ERROR, "X has %zu elements, Y has %zu, A is %zux%zu",
        X->dimensions[0], Y->dimensions[0], A->dimensions[0], A->dimensions[1]);
  for (int i = 0; i < 3; i++)
    GA_CHECK(take(&o[i], nocopy, 1));
  g = (ga__ger){.ctx = GpuArray_context(A),
                .typecode = A->typecode,
                .m = A->dimensions[0],
                .n = A->dimensions[1],
                .alpha = alpha,
                .x = o[0].as,
                .y = o[1].as,
                .a = o[2].as};
  err = out != NULL ? ga__ger_prepare(out, &g) : ga__ger_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = give(&o[2]);

done:
  drop(o, 3);
  return err;
}

int GpuArray_rger(double alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                  int nocopy) {
  return ger(NULL, alpha, X, Y, A, nocopy);
}

int GpuArray_rger_prepare(GpuLaunch **out, double alpha, GpuArray *X,
                          GpuArray *Y, GpuArray *A) {
  *out = NULL;
  return ger(out, alpha, X, Y, A, 1);
}

/* --- gemm, one or a batch --- */

static int check_product(const operand *o) {
  const size_t m = rows_of(&o[2]), n = cols_of(&o[2]);

  if (cols_of(&o[0]) == rows_of(&o[1]) && rows_of(&o[0]) == m &&
      cols_of(&o[1]) == n)
    return GA_NO_ERROR;
  return ga__fail(
      GA_VALUE_ERROR, "op(A) is %zux%zu, op(B) is %zux%zu, C is %zux%zu",
      rows_of(&o[0]), cols_of(&o[0]), rows_of(&o[1]), cols_of(&o[1]), m, n);
}

static int check_counts(const operand *o) {
  const size_t a = o[0].given->dimensions[0], b = o[1].given->dimensions[0];
  const size_t c = o[2].given->dimensions[0];

  if (a == b && b == c)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "A has %zu matrices, B has %zu, C has %zu", a,
                  b, c);
}

static int gemm(GpuLaunch **out, unsigned int nd, operand *o, double alpha,
                double beta, int nocopy) {
  const unsigned int nds[3] = {nd, nd, nd};
  ga__gemm g;
  int err;

  GA_TRY(check_all(o, 3, nds));
  GA_TRY(check_trans(&o[0]));
  GA_TRY(check_trans(&o[1]));
  if (nd == 3)
    GA_TRY(check_counts(o));
  GA_TRY(check_product(o));
  for (int i = 0; i < 3; i++)
    GA_CHECK(take(&o[i], nocopy, i < 2 || beta != 0));
  g = (ga__gemm){.ctx = GpuArray_context(o[2].given),
                 .typecode = o[2].given->typecode,
                 .m = rows_of(&o[2]),
                 .n = cols_of(&o[2]),
                 .k = cols_of(&o[0]),
                 .batch = nd == 3 ? o[2].given->dimensions[0] : 1,
                 .alpha = alpha,
                 .beta = beta,
                 .a = o[0].as,
                 .b = o[1].as,
                 .c = o[2].as};
  err = out != NULL ? ga__gemm_prepare(out, &g) : ga__gemm_run(&g);
  if (err == GA_NO_ERROR && out == NULL)
    err = give(&o[2]);

done:
  drop(o, 3);
  return err;
}

int GpuArray_rgemm(cb_transpose transA, cb_transpose transB, double alpha,
                   GpuArray *A, GpuArray *B, double beta, GpuArray *C,
                   int nocopy) {
  operand o[3] = {{.name = "A", .given = A, .trans = transA},
                  {.name = "B", .given = B, .trans = transB},
                  {.name = "C", .given = C}};

  return gemm(NULL, 2, o, alpha, beta, nocopy);
}

int GpuArray_rgemm_prepare(GpuLaunch **out, cb_transpose transA,
                           cb_transpose transB, double alpha, GpuArray *A,
                           GpuArray *B, double beta, GpuArray *C) {
  operand o[3] = {{.name = "A", .given = A, .trans = transA},
                  {.name = "B", .given = B, .trans = transB},
                  {.name = "C", .given = C}};

  *out = NULL;
  return gemm(out, 2, o, alpha, beta, 1);
}

int GpuArray_rgemmBatch_3d(cb_transpose transA, cb_transpose transB,
                           double alpha, GpuArray *A, GpuArray *B, double beta,
                           GpuArray *C, int nocopy) {
  operand o[3] = {{.name = "A", .given = A, .trans = transA},
                  {.name = "B", .given = B, .trans = transB},
                  {.name = "C", .given = C}};

  return gemm(NULL, 3, o, alpha, beta, nocopy);
}

int GpuArray_rgemmBatch_3d_prepare(GpuLaunch **out, cb_transpose transA,
                                   cb_transpose transB, double alpha,
                                   GpuArray *A, GpuArray *B, double beta,
                                   GpuArray *C) {
  operand o[3] = {{.name = "A", .given = A, .trans = transA},
                  {.name = "B", .given = B, .trans = transB},
                  {.name = "C", .given = C}};

  *out = NULL;
  return gemm(out, 3, o, alpha, beta, 1);
}
