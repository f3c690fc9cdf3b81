/* SPDX-License-Identifier: BSD-2-Clause */
/* Products with an epilogue: checks of the arguments, and launches. */
#include <gpuarray/launch.h>

#include "array/operands.h"
#include "array/overlap.h"
#include "blas/dispatch.h"
#include "linalg/array_operand.h"
#include "linalg/epilogue_spec.h"

enum {
  OWN_PARAMS = 32, /* most arguments of the product itself */
  ARRAY_PARAMS = 5 /* buffer, offset and three strides */
};

/* A product with its operands and its epilogues. */
typedef struct product {
  ga__array_product in;
  unsigned int n;  /* operands that are given, later those that are read: 2
                      without Y or C, else 3 */
  unsigned int nd; /* rank of the result */
  ga__product as;  /* what dispatch.h gets */
  ga__epilogue epilogue, sum; /* `sum`: of the sum of X */
} product;

/* --- arguments of the epilogue --- */

/* Check that the written arguments do not overlap the first `n` operands: 2
 * if they may be the same array as Y or C, which another check compares, else
 * 3. */
static int check_apart(const product *p, const GpuEpilogue *e, void **args,
                       unsigned int n) {
  for (unsigned int k = 0; k < e->n_args; k++) {
    for (unsigned int i = 0; ga__arg_is_written(&e->args[k]) && i < n; i++)
      GA_TRY(ga__operand_check_apart(e->args[k].name, args[k], p->in.o[i].name,
                                     p->in.o[i].given));
  }
  return GA_NO_ERROR;
}

/* The same for Y or C, which a written argument may be. */
static int check_apart_result(const product *p, const GpuEpilogue *e,
                              void **args) {
  const ga__array_operand *c = &p->in.o[2];

  for (unsigned int k = 0; k < e->n_args; k++) {
    if (ga__arg_is_written(&e->args[k]) && !ga__arrays_same(args[k], c->given))
      GA_TRY(
          ga__operand_check_apart(e->args[k].name, args[k], c->name, c->given));
  }
  return GA_NO_ERROR;
}

static int take_arg(const product *p, const gpuelemwise_arg *arg,
                    const void *value, const size_t *dims,
                    ga__epilogue_arg *to) {
  const GpuArray *a = value;
  const unsigned int nd = p->nd;
  ptrdiff_t strides[3];

  if (ga__arg_is_scalar(arg)) {
    to->value = value;
    return GA_NO_ERROR;
  }
  GA_TRY(ga__epilogue_place(strides, arg, a, nd, dims));
  to->buf = a->data;
  to->off = a->offset;
  to->rs = strides[nd == 1 ? 0 : nd - 2];
  to->cs = nd > 1 ? strides[nd - 1] : 0;
  to->bs = nd == 3 ? strides[0] : 0;
  return GA_NO_ERROR;
}

/* Check the arguments and describe them. */
static int take_epilogue(product *p, const GpuEpilogue *e, void **args) {
  const size_t all[3] = {p->as.batch, p->as.m, p->as.n};
  const size_t *const dims = all + (p->nd < 3);

  GA_TRY(ga__epilogue_check_args(e, args, p->as.ctx, "product", p->nd, dims));
  for (unsigned int k = 0; k < e->n_args; k++)
    GA_TRY(take_arg(p, &e->args[k], args[k], dims, &p->epilogue.args[k]));
  GA_TRY(ga__operands_check_apart(e->n_args, e->args, args));
  if (p->n == 3)
    GA_TRY(check_apart_result(p, e, args));
  return check_apart(p, e, args, 2);
}

/* --- the sum of X --- */

static int check_sum_arg(const product *p, const gpuelemwise_arg *a,
                         const void *value) {
  GA_TRY(ga__operand_check(a, value, GpuArray_context(p->in.o[0].given)));
  return ga__arg_is_scalar(a)
             ? GA_NO_ERROR
             : ga__operand_place(NULL, a->name, value, 0, NULL, 0);
}

/* Check that no array that `e` writes overlaps an array of `other`, which runs
 * in the same kernel. */
static int check_strangers(const GpuEpilogue *e, void **own,
                           const GpuEpilogue *other, void **theirs) {
  for (unsigned int k = 0; k < e->n_args; k++) {
    for (unsigned int i = 0; (e->args[k].flags & GE_WRITE) && i < other->n_args;
         i++) {
      if (!ga__arg_is_scalar(&other->args[i]))
        GA_TRY(ga__operand_check_apart(e->args[k].name, own[k],
                                       other->args[i].name, theirs[i]));
    }
  }
  return GA_NO_ERROR;
}

/* Check overlaps of the sum's arguments with all others. One work-item writes
 * the sum's results while others still read and write, so the two epilogues may
 * not even use the same array. */
static int check_sum_apart(const product *p, const GpuEpilogue *e, void **args,
                           void **sum_args) {
  const GpuEpilogue *const s = e->sum;

  GA_TRY(ga__operands_check_apart(s->n_args, s->args, sum_args));
  GA_TRY(check_strangers(s, sum_args, e, args));
  GA_TRY(check_strangers(e, args, s, sum_args));
  return check_apart(p, s, sum_args, p->n);
}

static int take_sum(product *p, const GpuEpilogue *e, void **args) {
  const GpuEpilogue *const s = e->sum;
  void **const sum_args = args + e->n_args;

  for (unsigned int k = 0; k < s->n_args; k++)
    GA_TRY(check_sum_arg(p, &s->args[k], sum_args[k]));
  GA_TRY(check_sum_apart(p, e, args, sum_args));
  for (unsigned int k = 0; k < s->n_args; k++) {
    const GpuArray *a = sum_args[k];

    if (s->args[k].flags & GE_SCALAR)
      p->sum.args[k].value = sum_args[k];
    else
      p->sum.args[k] = (ga__epilogue_arg){.buf = a->data, .off = a->offset};
  }
  return GA_NO_ERROR;
}

/* --- the product --- */

static void product_clear(product *p) {
  ga__epilogue_clear(&p->epilogue);
  ga__epilogue_clear(&p->sum);
  ga__array_product_clear(&p->in);
}

/* Choose the strides of a C that the kernel does not access: by rows or by
 * columns, like those of the first written array. They decide whether the
 * kernel stores rows or columns at once. */
static void imagine_result(product *p, const GpuEpilogue *e) {
  const ga__epilogue_arg *a = &p->epilogue.args[ga__epilogue_first_written(e)];
  ga__product_operand *c = &p->as.c;

  *c = (ga__product_operand){
      .rs = (ptrdiff_t)p->as.n, .cs = 1, .slot = GA_NO_SLOT};
  if (p->nd == 1)
    c->cs = 0;
  else if ((a->rs < 0 ? -a->rs : a->rs) < (a->cs < 0 ? -a->cs : a->cs))
    *c = (ga__product_operand){
        .rs = 1, .cs = (ptrdiff_t)p->as.m, .slot = GA_NO_SLOT};
  c->bs = (ptrdiff_t)(p->as.m * p->as.n);
}

/* Describe the operands, Y or C only if it is read, and the epilogues. */
static int take_product(product *p, const GpuEpilogue *e, void **args) {
  if (p->as.beta.re == 0)
    p->n = 2; /* Y or C was only needed for its shape */
  GA_TRY(ga__array_product_take(&p->as.a, &p->in, 0, 1, 1));
  GA_TRY(ga__array_product_take(&p->as.b, &p->in, 1, 1, 1));
  if (p->n == 3)
    GA_TRY(ga__array_product_take(&p->as.c, &p->in, 2, 1, 1));
  GA_TRY(take_epilogue(p, e, args));
  if (e->sum != NULL)
    GA_TRY(take_sum(p, e, args));
  if (p->n == 2)
    imagine_result(p, e);
  p->as.epilogue = &p->epilogue;
  return GA_NO_ERROR;
}

/* Check the descriptions and read their texts. */
static int init_epilogues(product *p, const GpuEpilogue *e) {
  const GpuArray *const a = p->in.o[0].given;
  gpucontext *const ctx = GpuArray_context(a);

  GA_TRY(ga__epilogue_init(&p->epilogue, e, ctx, a->typecode));
  p->epilogue.is_batch = p->in.is_batch;
  if (e->sum != NULL) {
    GA_TRY(ga__epilogue_init(&p->sum, e->sum, ctx, a->typecode));
    p->epilogue.sum = &p->sum;
  }
  return ga__epilogue_check_params(e, ctx, OWN_PARAMS, ARRAY_PARAMS);
}

static int check_operands(product *p, const GpuEpilogue *e, void **args) {
  const ga__array_operand *c = &p->in.o[2];

  p->n = c->given != NULL ? 3 : 2;
  if (p->n == 2 && p->as.beta.re != 0)
    return ga__fail(GA_INVALID_ERROR, "%s: no array, and beta is %g", c->name,
                    p->as.beta.re);
  GA_TRY(ga__array_product_check(&p->in, 0));
  if (args == NULL)
    return ga__fail(GA_INVALID_ERROR, "epilogue: no arguments");
  GA_TRY(init_epilogues(p, e));
  if (e->sum == NULL)
    return GA_NO_ERROR;
  if (p->in.routine != GA_ROUTINE_GEMV)
    return ga__fail(GA_VALUE_ERROR, "the sum of X in a product of matrices");
  if (p->as.alpha.re == 0)
    return ga__fail(GA_VALUE_ERROR, "the sum of X with an alpha of 0");
  return GA_NO_ERROR;
}

static int prepare(GpuLaunch **out, product *p, const GpuEpilogue *e,
                   void **args) {
  int err;

  *out = NULL;
  GA_CHECK(check_operands(p, e, args));
  GA_CHECK(ga__array_product_fit(&p->as, &p->in));
  GA_CHECK(take_product(p, e, args));
  err = ga__product_prepare(out, &p->as);

done:
  product_clear(p);
  return err;
}

int GpuArray_rgemv_epilogue_prepare(GpuLaunch **out, cb_transpose transA,
                                    double alpha, GpuArray *A, GpuArray *X,
                                    double beta, GpuArray *Y,
                                    const GpuEpilogue *e, void **args) {
  product p = {.in = {GA_ROUTINE_GEMV,
                      GA_KIND_FLOAT,
                      0,
                      {{.name = "A", .given = A, .trans = transA},
                       {.name = "X", .given = X},
                       {.name = "Y", .given = Y}}},
               .nd = 1,
               .as = {.alpha = {alpha, 0}, .beta = {beta, 0}}};

  return prepare(out, &p, e, args);
}

static int prepare_gemm(GpuLaunch **out, int is_batch, cb_transpose transA,
                        cb_transpose transB, double alpha, GpuArray *A,
                        GpuArray *B, double beta, GpuArray *C,
                        const GpuEpilogue *e, void **args) {
  product p = {.in = {GA_ROUTINE_GEMM,
                      GA_KIND_FLOAT,
                      is_batch,
                      {{.name = "A", .given = A, .trans = transA},
                       {.name = "B", .given = B, .trans = transB},
                       {.name = "C", .given = C}}},
               .nd = is_batch ? 3 : 2,
               .as = {.alpha = {alpha, 0}, .beta = {beta, 0}}};

  return prepare(out, &p, e, args);
}

int GpuArray_rgemm_epilogue_prepare(GpuLaunch **out, cb_transpose transA,
                                    cb_transpose transB, double alpha,
                                    GpuArray *A, GpuArray *B, double beta,
                                    GpuArray *C, const GpuEpilogue *e,
                                    void **args) {
  return prepare_gemm(out, 0, transA, transB, alpha, A, B, beta, C, e, args);
}

int GpuArray_rgemmBatch_3d_epilogue_prepare(GpuLaunch **out,
                                            cb_transpose transA,
                                            cb_transpose transB, double alpha,
                                            GpuArray *A, GpuArray *B,
                                            double beta, GpuArray *C,
                                            const GpuEpilogue *e, void **args) {
  return prepare_gemm(out, 1, transA, transB, alpha, A, B, beta, C, e, args);
}
