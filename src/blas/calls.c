/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of buffer_blas.h and blas_complex.h, real and complex: check the
 * arguments and describe the products. */
#include "blas/direct.h"

#include "base/dtype.h"

static int check_options(const ga__blas_call *c, int flags) {
  if (flags != 0)
    return ga__fail(GA_INVALID_ERROR, "flags are 0x%x, expected 0",
                    (unsigned int)flags);
  if (c->order != cb_row && c->order != cb_column)
    return ga__fail(GA_VALUE_ERROR, "order is %d, expected %d or %d",
                    (int)c->order, (int)cb_row, (int)cb_column);
  GA_TRY(ga__blas_trans("A", c->ta));
  return ga__blas_trans("B", c->tb);
}

/* The sizes of the product, which are those of op(A) and op(B). */
static void take_sizes(ga__product *p, const ga__blas_call *c) {
  const int is_turned = c->ta != cb_no_trans && !c->old_batch;

  p->m = c->m;
  p->n = c->n;
  p->k = c->routine == GA_ROUTINE_GEMM ? c->k : 1;
  if (c->routine == GA_ROUTINE_GEMV) {
    p->m = is_turned ? c->n : c->m;
    p->n = 1;
    p->k = is_turned ? c->m : c->n;
  }
  if (c->routine == GA_ROUTINE_DOT) {
    p->m = 1;
    p->n = 1;
    p->k = c->n;
  }
}

static int describe(ga__product *p, const ga__blas_call *c,
                    const ga__blas_operand o[3], size_t batch) {
  const char *form = ga__product_forms[c->routine];
  const char *const names[3] = {o[0].name, o[1].name, o[2].name};

  *p = (ga__product){.routine = c->routine,
                     .typecode = c->typecode,
                     .batch = batch,
                     .alpha = c->alpha,
                     .beta = c->beta,
                     .conj_a = c->ta == cb_conj_trans,
                     .conj_b = c->tb == cb_conj_trans};
  if (c->routine == GA_ROUTINE_DOT)
    p->conj_a = c->conj;
  if (c->routine == GA_ROUTINE_GER)
    p->conj_b = c->conj;
  take_sizes(p, c);
  GA_TRY(ga__blas_operand_of(&p->a, &o[0], form[0], c->typecode, c->order,
                             c->ta, p->m, p->k, batch));
  GA_TRY(ga__blas_operand_of(&p->b, &o[1], form[1], c->typecode, c->order,
                             c->tb, p->k, p->n, batch));
  GA_TRY(ga__blas_operand_of(&p->c, &o[2], form[2], c->typecode, c->order,
                             cb_no_trans, p->m, p->n, batch));
  if (batch > 1 && o[2].bs == 0)
    return ga__fail(GA_VALUE_ERROR, "C: stride 0 puts %zu results in one place",
                    batch);
  if (batch == 1)
    GA_TRY(ga__blas_apart(p, names));
  p->ctx = gpudata_context(o[2].buf);
  p->b.slot = 1;
  p->c.slot = 2;
  return GA_NO_ERROR;
}

int ga__blas_run(const ga__blas_call *c, const ga__blas_operand o[3],
                 size_t batch, int flags) {
  ga__product p;

  GA_TRY(check_options(c, flags));
  GA_TRY(describe(&p, c, o, batch));
  return ga__product_run(&p);
}

/* --- batches with operands in any buffers --- */

/* Operand i of a batch. */
static int operand_at(ga__blas_operand *o, const ga__blas_each *e,
                      const ga__blas_call *c, size_t i) {
  const size_t unit = c->old_batch ? ga__dtype_size(c->typecode) : 1;

  *o = (ga__blas_operand){.name = e->name,
                          .buf = e->bufs[i],
                          .off = e->offs[i] / unit,
                          .step = e->step};
  return e->offs[i] % unit == 0
             ? GA_NO_ERROR
             : ga__fail(GA_UNALIGNED_ERROR,
                        "%s: offset %zu is no multiple of %zu bytes", e->name,
                        e->offs[i], unit);
}

static int describe_at(ga__product *p, const ga__blas_call *c,
                       const ga__blas_each e[3], size_t i) {
  ga__blas_operand o[3];

  for (int k = 0; k < 3; k++)
    GA_TRY(operand_at(&o[k], &e[k], c, i));
  return describe(p, c, o, 1);
}

int ga__blas_run_each(const ga__blas_call *c, const ga__blas_each e[3],
                      size_t batch, int flags) {
  ga__product p;

  GA_TRY(check_options(c, flags));
  for (size_t i = 0; i < batch; i++)
    GA_TRY(describe_at(&p, c, e, i));
  for (size_t i = 0; i < batch; i++) {
    GA_TRY(describe_at(&p, c, e, i));
    GA_TRY(ga__product_run(&p));
  }
  return GA_NO_ERROR;
}
