/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of epilogues: their checks, and what is read from their text. */
#include <string.h>

#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/sha256.h"
#include "linalg/epilogue_spec.h"

/* --- checks --- */

int ga__epilogue_check_names(const GpuEpilogue *e, gpucontext *ctx,
                             const char *own) {
  GA_TRY(ga__args_check_used(ctx, e->n_args, e->args));
  for (unsigned int k = 0; k < e->n_args; k++) {
    const gpuelemwise_arg *a = &e->args[k];

    if (ga__dtype_is_complex(a->typecode))
      return ga__fail(GA_INVALID_ERROR, "%s is %s, expected a real type",
                      a->name, ga__dtype_name(a->typecode));
    if (strncmp(a->name, "p_", 2) == 0 || strcmp(a->name, own) == 0)
      return ga__fail(GA_VALUE_ERROR, "the name %s is taken", a->name);
  }
  return GA_NO_ERROR;
}

static int check_spec(const GpuEpilogue *e, gpucontext *ctx) {
  int written = 0;

  if (e == NULL || e->text == NULL)
    return ga__fail(GA_VALUE_ERROR, "no epilogue");
  if (e->front != NULL)
    return ga__fail(GA_VALUE_ERROR, "a map in front of a product");
  GA_TRY(ga__epilogue_check_names(e, ctx, "acc"));
  for (unsigned int k = 0; k < e->n_args; k++)
    written += (e->args[k].flags & GE_WRITE) != 0;
  if (written == 0)
    return ga__fail(GA_VALUE_ERROR, "epilogue: none of %u arguments is written",
                    e->n_args);
  return GA_NO_ERROR;
}

int ga__epilogue_check_params(const GpuEpilogue *e, gpucontext *ctx, size_t own,
                              size_t each) {
  const size_t most = gpucontext_caps(ctx)->param_bytes;
  size_t params = own;

  for (unsigned int k = 0; k < e->n_args; k++)
    params += e->args[k].flags & GE_SCALAR ? 1 : each;
  for (unsigned int k = 0; e->sum != NULL && k < e->sum->n_args; k++)
    params += e->sum->args[k].flags & GE_SCALAR ? 1 : GA_SUM_PARAMS;
  if (params * 8 > most)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%zu bytes of kernel arguments, the device takes %zu",
                    params * 8, most);
  return GA_NO_ERROR;
}

/* --- texts --- */

int ga__epilogue_expr(ga__expr *to, const GpuEpilogue *e, const char *own,
                      int typecode) {
  gpuelemwise_arg *all = ga__calloc(e->n_args + 1, sizeof *all);

  if (all == NULL)
    return ga__fail_nomem();
  memcpy(all, e->args, e->n_args * sizeof *all);
  all[e->n_args] = (gpuelemwise_arg){own, typecode, GE_READ};
  int err = ga__expr_init(to, e->text, e->n_args + 1, all,
                          (e->flags & GE_VECTOR) != 0);
  ga__free(all);
  return err;
}

static void hash_spec(GpuEpilogueText *t, const GpuEpilogue *e) {
  unsigned char hash[GA_SHA256_BYTES];
  ga__sha256 h;

  ga__sha256_init(&h);
  ga__sha256_add_str(&h, t->expr.text);
  ga__sha256_add_str(&h, t->expr.boolean);
  ga__sha256_add_str(&h, e->preamble != NULL ? e->preamble : "");
  for (unsigned int k = 0; k < e->n_args; k++) {
    const int numbers[2] = {e->args[k].typecode, e->args[k].flags};

    ga__sha256_add_str(&h, e->args[k].name);
    ga__sha256_add(&h, numbers, sizeof numbers);
  }
  ga__sha256_end(&h, hash);
  memcpy(t->hash, hash, sizeof t->hash);
}

static int read_text(GpuEpilogueText **out, const GpuEpilogue *e,
                     gpucontext *ctx, int typecode) {
  GpuEpilogueText *t;

  GA_TRY(check_spec(e, ctx));
  t = ga__calloc(1, sizeof *t);
  *out = t;
  if (t == NULL)
    return ga__fail_nomem();
  t->ctx = ctx;
  ga__ctx_retain(ctx);
  t->typecode = typecode;
  GA_TRY(ga__epilogue_expr(&t->expr, e, "acc", typecode));
  hash_spec(t, e);
  return GA_NO_ERROR;
}

static void free_text(GpuEpilogueText *t) {
  if (t == NULL)
    return;
  ga__expr_clear(&t->expr);
  gpucontext_deref(t->ctx);
  ga__free(t);
}

int GpuEpilogue_read(GpuEpilogue *e, gpucontext *ctx, int typecode) {
  GpuEpilogueText *t = NULL;
  int err;

  if (ctx == NULL || ga__dtype_kind(typecode) != GA_KIND_FLOAT)
    return ga__fail(GA_VALUE_ERROR, "an epilogue %s",
                    ctx == NULL ? "without a context" : "of no real type");
  err = read_text(&t, e, ctx, ga__dtype_canon(typecode));
  if (err != GA_NO_ERROR) {
    free_text(t);
    return err;
  }
  free_text(e->read);
  e->read = t;
  return GA_NO_ERROR;
}

void GpuEpilogue_forget(GpuEpilogue *e) {
  if (e == NULL)
    return;
  free_text(e->read);
  e->read = NULL;
}

/* --- epilogues of one preparation --- */

const GpuEpilogueText *ga__epilogue_known(const GpuEpilogue *e,
                                          const gpucontext *ctx, int typecode) {
  return e != NULL && e->read != NULL && e->read->ctx == ctx &&
                 e->read->typecode == typecode
             ? e->read
             : NULL;
}

int ga__epilogue_init(ga__epilogue *to, const GpuEpilogue *e, gpucontext *ctx,
                      int typecode) {
  to->spec = e;
  to->text = ga__epilogue_known(e, ctx, typecode);
  to->made = NULL;
  to->sum = NULL;
  to->is_batch = 0;
  to->room.far = NULL;
  if (to->text == NULL) {
    GA_TRY(read_text(&to->made, e, ctx, typecode));
    to->text = to->made;
  }
  to->args = ga__room_take(&to->room, e->n_args, sizeof *to->args);
  return to->args != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

void ga__epilogue_clear(ga__epilogue *e) {
  free_text(e->made);
  ga__room_drop(&e->room);
}

/* --- arguments of one preparation --- */

int ga__epilogue_check_args(const GpuEpilogue *e, void *const *args,
                            gpucontext *ctx, const char *result,
                            unsigned int nd, const size_t *dims) {
  for (unsigned int k = 0; k < e->n_args; k++)
    GA_TRY(ga__operand_check(&e->args[k], args[k], ctx));
  const GpuArray *a = args[ga__epilogue_first_written(e)];
  if (a->nd != nd)
    return ga__fail(GA_VALUE_ERROR,
                    "epilogue: arguments of %u dimensions, expected %u", a->nd,
                    nd);
  for (unsigned int d = 0; d < nd; d++) {
    if (a->dimensions[d] != dims[d])
      return ga__fail(GA_VALUE_ERROR,
                      "epilogue: dim %u: the %s has %zu, arguments %zu", d,
                      result, dims[d], a->dimensions[d]);
  }
  return GA_NO_ERROR;
}

int ga__epilogue_place(ptrdiff_t *strides, const gpuelemwise_arg *arg,
                       const GpuArray *a, unsigned int nd, const size_t *dims) {
  return ga__operand_place(strides, arg->name, a, nd, dims,
                           ga__arg_is_written(arg) ? 0 : GA_MAY_REPEAT);
}
