/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of buffer_blas.h and blas_complex.h, real and complex alike: their
 * arguments checked and turned into products. */
#include "blas/direct.h"

static int check_options(const ga__blas_call *c, int flags) {
  GA_TRY(ga__blas_flags(flags));
  GA_TRY(ga__blas_order(c->order));
  GA_TRY(ga__blas_trans("A", c->ta));
  return ga__blas_trans("B", c->tb);
}

/* --- dot --- */

int ga__blas_dot(const ga__blas_call *c, const ga__blas_vector *x,
                 const ga__blas_vector *y, const ga__blas_vector *z) {
  ga__dot d = {.typecode = c->typecode, .n = c->n, .conj_x = c->conj};

  GA_TRY(ga__blas_vector_operand(&d.x, x, c->typecode, c->n));
  GA_TRY(ga__blas_vector_operand(&d.y, y, c->typecode, c->n));
  GA_TRY(ga__blas_vector_operand(&d.z, z, c->typecode, 1));
  d.ctx = gpudata_context(z->buf);
  d.y.slot = 1;
  d.z.slot = 2;
  return ga__dot_run(&d);
}

/* --- gemv --- */

static int describe_gemv(ga__gemv *g, const ga__blas_call *c,
                         const ga__blas_matrix *a, const ga__blas_vector *x,
                         const ga__blas_vector *y) {
  const int turned = c->ta != cb_no_trans;

  *g = (ga__gemv){.typecode = c->typecode,
                  .m = turned ? c->n : c->m,
                  .n = turned ? c->m : c->n,
                  .alpha = c->alpha,
                  .beta = c->beta,
                  .conj_a = c->ta == cb_conj_trans};
  GA_TRY(ga__blas_matrix_operand(&g->a, a, c->typecode, c->order, c->ta, g->m,
                                 g->n, 1));
  GA_TRY(ga__blas_vector_operand(&g->x, x, c->typecode, g->n));
  GA_TRY(ga__blas_vector_operand(&g->y, y, c->typecode, g->m));
  GA_TRY(ga__blas_apart(y->name, &g->y, g->m, 1, a->name, &g->a, g->m, g->n,
                        c->typecode));
  GA_TRY(ga__blas_apart(y->name, &g->y, g->m, 1, x->name, &g->x, g->n, 1,
                        c->typecode));
  g->ctx = gpudata_context(y->buf);
  g->x.slot = 1;
  g->y.slot = 2;
  return GA_NO_ERROR;
}

int ga__blas_gemv(const ga__blas_call *c, const ga__blas_matrix *a,
                  const ga__blas_vector *x, const ga__blas_vector *y) {
  ga__gemv g;

  GA_TRY(check_options(c, 0));
  GA_TRY(describe_gemv(&g, c, a, x, y));
  return ga__gemv_run(&g);
}

/* --- ger --- */

static int describe_ger(ga__ger *g, const ga__blas_call *c,
                        const ga__blas_vector *x, const ga__blas_vector *y,
                        const ga__blas_matrix *a) {
  *g = (ga__ger){.typecode = c->typecode,
                 .m = c->m,
                 .n = c->n,
                 .alpha = c->alpha,
                 .conj_y = c->conj};
  GA_TRY(ga__blas_vector_operand(&g->x, x, c->typecode, c->m));
  GA_TRY(ga__blas_vector_operand(&g->y, y, c->typecode, c->n));
  GA_TRY(ga__blas_matrix_operand(&g->a, a, c->typecode, c->order, cb_no_trans,
                                 c->m, c->n, 1));
  GA_TRY(ga__blas_apart(a->name, &g->a, c->m, c->n, x->name, &g->x, c->m, 1,
                        c->typecode));
  GA_TRY(ga__blas_apart(a->name, &g->a, c->m, c->n, y->name, &g->y, c->n, 1,
                        c->typecode));
  g->ctx = gpudata_context(a->buf);
  g->y.slot = 1;
  g->a.slot = 2;
  return GA_NO_ERROR;
}

int ga__blas_ger(const ga__blas_call *c, const ga__blas_vector *x,
                 const ga__blas_vector *y, const ga__blas_matrix *a) {
  ga__ger g;

  GA_TRY(check_options(c, 0));
  GA_TRY(describe_ger(&g, c, x, y, a));
  return ga__ger_run(&g);
}

/* --- gemm --- */

static int describe_gemm(ga__gemm *g, const ga__blas_call *c,
                         const ga__blas_matrix *a, const ga__blas_matrix *b,
                         const ga__blas_matrix *to, size_t batch) {
  *g = (ga__gemm){.typecode = c->typecode,
                  .m = c->m,
                  .n = c->n,
                  .k = c->k,
                  .batch = batch,
                  .alpha = c->alpha,
                  .beta = c->beta,
                  .conj_a = c->ta == cb_conj_trans,
                  .conj_b = c->tb == cb_conj_trans};
  GA_TRY(ga__blas_matrix_operand(&g->a, a, c->typecode, c->order, c->ta, c->m,
                                 c->k, batch));
  GA_TRY(ga__blas_matrix_operand(&g->b, b, c->typecode, c->order, c->tb, c->k,
                                 c->n, batch));
  GA_TRY(ga__blas_matrix_operand(&g->c, to, c->typecode, c->order, cb_no_trans,
                                 c->m, c->n, batch));
  if (batch > 1 && to->bs == 0)
    return ga__fail(GA_VALUE_ERROR, "C: stride 0 puts %zu results in one place",
                    batch);
  if (batch == 1) {
    GA_TRY(ga__blas_apart(to->name, &g->c, c->m, c->n, a->name, &g->a, c->m,
                          c->k, c->typecode));
    GA_TRY(ga__blas_apart(to->name, &g->c, c->m, c->n, b->name, &g->b, c->k,
                          c->n, c->typecode));
  }
  g->ctx = gpudata_context(to->buf);
  g->b.slot = 1;
  g->c.slot = 2;
  return GA_NO_ERROR;
}

int ga__blas_gemm(const ga__blas_call *c, const ga__blas_matrix *a,
                  const ga__blas_matrix *b, const ga__blas_matrix *to,
                  size_t batch, int flags) {
  ga__gemm g;

  GA_TRY(check_options(c, flags));
  GA_TRY(describe_gemm(&g, c, a, b, to, batch));
  return ga__gemm_run(&g);
}

/* --- batches --- */

static ga__blas_matrix matrix_at(const char *name, ga__blas_each e, size_t i) {
  return (ga__blas_matrix){
      .name = name, .buf = e.bufs[i], .off = e.offs[i], .ld = (size_t)e.step};
}

static ga__blas_vector vector_at(const char *name, ga__blas_each e, size_t i) {
  return (ga__blas_vector){
      .name = name, .buf = e.bufs[i], .off = e.offs[i], .inc = e.step};
}

static int gemv_at(ga__gemv *g, const ga__blas_call *c, const ga__blas_each *e,
                   size_t i) {
  const ga__blas_matrix a = matrix_at("A", e[0], i);
  const ga__blas_vector x = vector_at("X", e[1], i);
  const ga__blas_vector y = vector_at("Y", e[2], i);

  return describe_gemv(g, c, &a, &x, &y);
}

int ga__blas_gemv_batch(const ga__blas_call *c, ga__blas_each a,
                        ga__blas_each x, ga__blas_each y, size_t batch,
                        int flags) {
  const ga__blas_each e[3] = {a, x, y};
  ga__gemv g;

  GA_TRY(check_options(c, flags));
  for (size_t i = 0; i < batch; i++)
    GA_TRY(gemv_at(&g, c, e, i));
  for (size_t i = 0; i < batch; i++) {
    GA_TRY(gemv_at(&g, c, e, i));
    GA_TRY(ga__gemv_run(&g));
  }
  return GA_NO_ERROR;
}

static int ger_at(ga__ger *g, const ga__blas_call *c, const ga__blas_each *e,
                  size_t i) {
  const ga__blas_vector x = vector_at("X", e[0], i);
  const ga__blas_vector y = vector_at("Y", e[1], i);
  const ga__blas_matrix a = matrix_at("A", e[2], i);

  return describe_ger(g, c, &x, &y, &a);
}

int ga__blas_ger_batch(const ga__blas_call *c, ga__blas_each x, ga__blas_each y,
                       ga__blas_each a, size_t batch, int flags) {
  const ga__blas_each e[3] = {x, y, a};
  ga__ger g;

  GA_TRY(check_options(c, flags));
  for (size_t i = 0; i < batch; i++)
    GA_TRY(ger_at(&g, c, e, i));
  for (size_t i = 0; i < batch; i++) {
    GA_TRY(ger_at(&g, c, e, i));
    GA_TRY(ga__ger_run(&g));
  }
  return GA_NO_ERROR;
}

static int gemm_at(ga__gemm *g, const ga__blas_call *c, const ga__blas_each *e,
                   size_t i) {
  const ga__blas_matrix a = matrix_at("A", e[0], i);
  const ga__blas_matrix b = matrix_at("B", e[1], i);
  const ga__blas_matrix to = matrix_at("C", e[2], i);

  return describe_gemm(g, c, &a, &b, &to, 1);
}

int ga__blas_gemm_batch(const ga__blas_call *c, ga__blas_each a,
                        ga__blas_each b, ga__blas_each to, size_t batch,
                        int flags) {
  const ga__blas_each e[3] = {a, b, to};
  ga__gemm g;

  GA_TRY(check_options(c, flags));
  for (size_t i = 0; i < batch; i++)
    GA_TRY(gemm_at(&g, c, e, i));
  for (size_t i = 0; i < batch; i++) {
    GA_TRY(gemm_at(&g, c, e, i));
    GA_TRY(ga__gemm_run(&g));
  }
  return GA_NO_ERROR;
}
