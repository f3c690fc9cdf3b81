/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that look at values on their way: x itself, once somebody has seen it or
 * a condition has been found to hold. Functions of the host in the order of the
 * kernels; where x may be overwritten it is not copied. */
#include <gpugraph/debug.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/ops.h"

static const char *message_of(const gg_apply *a) {
  return ((const gg__message_props *)a->props)->text;
}

/* --- x itself --- */

static int pass(const gg_prepare *p) {
  const GpuArray *x = p->in[0];
  GpuArray *out = p->out[0];

  if (out->data == x->data && out->offset == x->offset)
    return GA_NO_ERROR;
  return GpuArray_setarray(out, x);
}

static int pass_on_host(const gg_prepare *p) {
  size_t bytes = ga__dtype_size(p->out[0]->typecode);
  unsigned int i;

  for (i = 0; i < p->out[0]->nd; i++)
    bytes *= p->out[0]->dimensions[i];
  memcpy(p->to[0], p->from[0], bytes);
  return GA_NO_ERROR;
}

static int grad_same(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gout[0];
  return GA_NO_ERROR;
}

static int rop_same(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  (void)a;
  dout[0] = din[0];
  return GA_NO_ERROR;
}

static int is_connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)out;
  return in == 0;
}

static void print_message(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "\"%s\"", message_of(a));
}

/* --- shown --- */

static int perform_print(const gg_prepare *p) {
  void *arg;
  const gg_print_fn fn = gg_graph_printer(gg_var_graph(p->apply->out[0]), &arg);

  if (fn != NULL)
    GA_TRY(fn(arg, message_of(p->apply), p->in[0]));
  return pass(p);
}

const gg_op gg__op_print = {.name = "print",
                            .kind = GG_OP_PERFORM,
                            .props_bytes = sizeof(gg__message_props),
                            .n_out = 1,
                            .infer = gg__infer_first,
                            .shape = gg__shape_first,
                            .grad = grad_same,
                            .rop = rop_same,
                            .destroys = gg__destroys_first,
                            .print = print_message,
                            .perform = perform_print,
                            .reference = pass_on_host,
                            .half_ok = 1,
                            .no_fold = 1};

/* --- checked --- */

static int check(const gg_apply *a, unsigned char holds) {
  if (holds)
    return GA_NO_ERROR;
  return gg_op_fail(a, GA_VALUE_ERROR, "%s", message_of(a));
}

static int perform_assert(const gg_prepare *p) {
  unsigned char holds = 0;

  GA_TRY(GpuArray_read(&holds, sizeof holds, p->in[1]));
  GA_TRY(check(p->apply, holds));
  return pass(p);
}

static int assert_on_host(const gg_prepare *p) {
  GA_TRY(check(p->apply, *(const unsigned char *)p->from[1]));
  return pass_on_host(p);
}

const gg_op gg__op_assert = {.name = "assert",
                             .kind = GG_OP_PERFORM,
                             .props_bytes = sizeof(gg__message_props),
                             .n_out = 1,
                             .infer = gg__infer_first,
                             .shape = gg__shape_first,
                             .grad = grad_same,
                             .rop = rop_same,
                             .connected = is_connected,
                             .destroys = gg__destroys_first,
                             .print = print_message,
                             .perform = perform_assert,
                             .reference = assert_on_host,
                             .half_ok = 1,
                             .no_fold = 1};

/* --- builders --- */

static gg_var *apply(const gg_op *op, unsigned int n, gg_var *const *in,
                     const char *message) {
  gg__message_props p = {{0}};

  if (strlen(message) >= sizeof p.text)
    return gg__refuse(op, n, in, GA_VALUE_ERROR,
                      "a message of %zu bytes, expected at most %zu",
                      strlen(message), sizeof p.text - 1);
  memcpy(p.text, message, strlen(message));
  return gg_op_apply(NULL, op, &p, n, in);
}

gg_var *gg_print(gg_var *x, const char *message) {
  return x != NULL ? apply(&gg__op_print, 1, &x, message) : NULL;
}

gg_var *gg_assert(gg_var *x, gg_var *cond, const char *message) {
  gg_var *in[2] = {x, cond};

  if (x == NULL || cond == NULL)
    return NULL;
  in[1] = gg_reduce(GG_ALL_OF, cond, 0, NULL, 0);
  return in[1] != NULL ? apply(&gg__op_assert, 2, in, message) : NULL;
}
