/* SPDX-License-Identifier: BSD-2-Clause */
/* Epilogues of ops with kernels of their own. */
#include "base/dtype.h"
#include "emit/emit.h"

/* Read the text for all plans. The result that it reads may be of a dtype that
 * has no products, such as that of a draw; then each plan reads it. */
static int read_text(gg__epilogue *x, const gg_apply *a) {
  const gg_type *t = &a->out[0]->type;

  return ga__dtype_kind(t->dtype) == GA_KIND_FLOAT
             ? GpuEpilogue_read(&x->e, t->ctx, t->dtype)
             : GA_NO_ERROR;
}

/* Let *x own a text and its arguments. */
static void fill(gg__epilogue *x, const gg__emitter *e, const gg__arguments *a,
                 const gg__body *b) {
  x->args = a->list.v;
  x->names = a->names;
  x->text = e->text;
  x->e.text = ga__strb_text(&x->text);
  x->e.n_args = (unsigned int)a->list.n;
  x->e.args = x->args;
  x->e.flags = b->vector ? GE_VECTOR : 0;
}

/* Make the epilogue of `a`, which owns its source and arguments. On failure,
 * *to has what was made. */
static int new_epilogue(gg__epilogue **to, gg__kernels *k, const gg_apply *a,
                        const gg__body *b) {
  gg__emitter e = GG_EMITTER(k, "p", "q", "o");
  gg__arguments out = {{NULL, 0, 0}, NULL};
  gg__epilogue *x = ga__calloc(1, sizeof *x);

  *to = x;
  if (x == NULL)
    return ga__fail_nomem();
  gg__emit_names(&e, b);
  gg__emit_result(&e, a, "acc");
  int err = gg__emit_epilogue_body(&e, b, &out);
  fill(x, &e, &out, b);
  return err == GA_NO_ERROR ? read_text(x, a) : err;
}

/* Make the map in front of `a`. It computes v in the work type of what is
 * read. */
static int new_front(gg__epilogue **to, gg__kernels *k, const gg_apply *a,
                     const gg__body *b) {
  gg__emitter e = GG_EMITTER(k, "i", "s", "o");
  gg__arguments in = {{NULL, 0, 0}, NULL};
  gg__epilogue *x = ga__calloc(1, sizeof *x);

  *to = x;
  if (x == NULL)
    return ga__fail_nomem();
  gg__emit_names(&e, b);
  gg__emit_nodes(&e, b);
  gg__emit_reduced(&e, a, ga__dtype_work(a->in[0]->type.dtype), "v");
  int err = gg__list_arguments(&in, &e, b, 0);
  fill(x, &e, &in, b);
  return err == GA_NO_ERROR ? e.text.err : err;
}

int gg__emit_epilogue(gg__kernels *k, const gg__step *s, gg__kernel *out) {
  const gg__kernel_step *x = gg__kernel_of(s);
  gg__epilogue *e = NULL;
  int err;

  if (x->epilogue.n_out == 0)
    return GA_NO_ERROR;
  GA_CHECK(new_epilogue(&e, k, s->apply, &x->epilogue));
  if (x->front.n_nodes != 0) {
    GA_CHECK(new_front(&e->front, k, s->apply, &x->front));
    e->e.front = &e->front->e;
  }
  if (x->sum != NULL) {
    GA_CHECK(new_epilogue(&e->sum, k, x->sum, &x->sum_epilogue));
    e->e.sum = &e->sum->e;
  }
  out->epilogue = e;
  return GA_NO_ERROR;

done:
  gg__epilogue_free(e);
  return err;
}

void gg__epilogue_free(gg__epilogue *x) {
  if (x == NULL)
    return;
  gg__epilogue_free(x->sum);
  gg__epilogue_free(x->front);
  GpuEpilogue_forget(&x->e);
  ga__free(x->args);
  ga__free(x->names);
  ga__strb_clear(&x->text);
  ga__free(x);
}
