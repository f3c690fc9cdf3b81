/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that show or check values. The result is x, after it was shown or the
 * condition was found to hold. They are functions of the host that run in order
 * with the kernels. If x may be overwritten, it is not copied. */
#include <gpuarray/index_guard.h>
#include <gpugraph/debug.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "ops/ops.h"
#include "ops/order/order_word.h"
#include "ops/value_size.h"

static const char *message_of(const gg_apply *a) {
  return ((const gg__message_props *)a->props)->text;
}

/* --- passing x through --- */

static int pass(const gg_prepare *p) {
  const GpuArray *x = p->in[0];
  GpuArray *out = p->out[0];

  if (out->data == x->data && out->offset == x->offset)
    return GA_NO_ERROR;
  return GpuArray_setarray(out, x);
}

static int pass_on_host(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], gg__array_bytes(p->out[0]));
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

void gg__print_message(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "\"%s\"", message_of(a));
}

/* --- print --- */

static int perform_print(const gg_prepare *p) {
  void *arg;
  const gg_print_fn fn = gg_graph_printer(gg_var_graph(p->apply->out[0]), &arg);

  if (fn != NULL)
    GA_TRY(fn(arg, message_of(p->apply), p->in[0]));
  return pass(p);
}

const gg_op gg__op_print = {.name = "print",
                            .kind = GG_OP_PERFORM,
                            .complex_use = GG_PARTS,
                            .props_bytes = sizeof(gg__message_props),
                            .n_out = 1,
                            .infer = gg__infer_first,
                            .shape = gg__shape_first,
                            .grad = gg__grad_first,
                            .rop = rop_same,
                            .destroys = gg__destroys_first,
                            .print = gg__print_message,
                            .perform = perform_print,
                            .reference = pass_on_host,
                            .half_ok = 1,
                            .no_fold = 1};

/* --- assert --- */

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
                             .complex_use = GG_PARTS,
                             .props_bytes = sizeof(gg__message_props),
                             .n_out = 1,
                             .infer = gg__infer_first,
                             .shape = gg__shape_first,
                             .grad = gg__grad_first,
                             .rop = rop_same,
                             .connected = is_connected,
                             .destroys = gg__destroys_first,
                             .print = gg__print_message,
                             .perform = perform_assert,
                             .reference = assert_on_host,
                             .half_ok = 1,
                             .no_fold = 1};

/* --- indices --- */

/* An element of a vector of any integer dtype. */
typedef struct number {
  int64_t v;
  int is_huge; /* above INT64_MAX; then v is INT64_MAX */
} number;

static number number_at(int dtype, const void *data, size_t i) {
  const char *p = (const char *)data + i * ga__dtype_size(dtype);
  number x = {0, 0};
  uint64_t wide;

  if (dtype == GA_LONG) {
    memcpy(&x.v, p, sizeof x.v);
  } else if (dtype == GA_ULONG) {
    memcpy(&wide, p, sizeof wide);
    x.is_huge = wide > INT64_MAX;
    x.v = x.is_huge ? INT64_MAX : (int64_t)wide;
  } else {
    x.v = (int64_t)ga__dtype_to_double(dtype, p);
  }
  return x;
}

static int fail_index(const gg_apply *a, number x, size_t at, int64_t size) {
  const gg__bounds_props *p = a->props;

  return gg_op_fail(
      a, GA_VALUE_ERROR,
      "%s: index %s%lld at position %zu is out of range for axis %lld of "
      "size %lld",
      p->who, x.is_huge ? "above " : "", (long long)x.v, at, (long long)p->axis,
      (long long)size);
}

/* `data` is operand 0 in host memory. */
static int check_indices(const gg_prepare *p, const void *data) {
  const gg__bounds_props *props = p->apply->props;
  const int64_t size = (int64_t)p->in[1]->dimensions[props->axis];
  const int64_t low = props->from_end ? -size : 0;

  const size_t n = gg__array_count(p->in[0]);

  for (size_t i = 0; i < n; i++) {
    number x = number_at(p->in[0]->typecode, data, i);
    if (x.is_huge || x.v < low || x.v >= size)
      return fail_index(p->apply, x, i, size);
  }
  return GA_NO_ERROR;
}

/* Read operand 0, check it and pass it on. */
static int perform_check(const gg_prepare *p,
                         int (*look)(const gg_prepare *, const void *)) {
  const size_t bytes = gg__array_bytes(p->in[0]);
  void *data = ga__malloc(bytes);

  if (data == NULL)
    return gg_op_fail(p->apply, GA_MEMORY_ERROR, "out of host memory");
  int err = bytes != 0 ? GpuArray_read(data, bytes, p->in[0]) : GA_NO_ERROR;
  if (err == GA_NO_ERROR)
    err = look(p, data);
  ga__free(data);
  return err == GA_NO_ERROR ? pass(p) : err;
}

static int perform_check_index(const gg_prepare *p) {
  return perform_check(p, check_indices);
}

static int check_index_on_host(const gg_prepare *p) {
  GA_TRY(check_indices(p, p->from[0]));
  return pass_on_host(p);
}

static void print_check_index(const gg_apply *a, char *buf, size_t bytes) {
  const gg__bounds_props *p = a->props;

  snprintf(buf, bytes, "%s, axis=%lld", p->who, (long long)p->axis);
}

const gg_op gg__op_check_index = {.name = "check_index",
                                  .kind = GG_OP_PERFORM,
                                  .props_bytes = sizeof(gg__bounds_props),
                                  .n_out = 1,
                                  .shape_only = 2,
                                  .c_order = 1,
                                  .infer = gg__infer_first,
                                  .shape = gg__shape_first,
                                  .destroys = gg__destroys_first,
                                  .print = print_check_index,
                                  .perform = perform_check_index,
                                  .reference = check_index_on_host,
                                  .half_ok = 1,
                                  .no_fold = 1};

/* --- edges --- */

static int fail_edges(const gg_prepare *p, const char *edge, size_t at) {
  const gg__bounds_props *props = p->apply->props;
  const int dtype = p->in[0]->typecode;
  char before[GA_ELEMENT_TEXT], after[GA_ELEMENT_TEXT];

  ga__dtype_print(dtype, edge - ga__dtype_size(dtype), before);
  ga__dtype_print(dtype, edge, after);
  return gg_op_fail(p->apply, GA_VALUE_ERROR,
                    "%s: edges decrease from %s to %s at position %zu",
                    props->who, before, after, at);
}

/* `data` is operand 0 in host memory. */
static int check_edges(const gg_prepare *p, const void *data) {
  const GpuArray *edges = p->in[0];
  const size_t n = edges->dimensions[edges->nd - 1];
  const size_t total = gg__array_count(edges);
  const size_t size = ga__dtype_size(edges->typecode);
  const char *edge = data;
  uint64_t before = 0;

  for (size_t i = 0; i < total; i++, edge += size) {
    const uint64_t word = gg__order_word(edges->typecode, edge);
    if (i % n != 0 && word < before)
      return fail_edges(p, edge, i);
    before = word;
  }
  return GA_NO_ERROR;
}

static int perform_check_edges(const gg_prepare *p) {
  return perform_check(p, check_edges);
}

static int check_edges_on_host(const gg_prepare *p) {
  GA_TRY(check_edges(p, p->from[0]));
  return pass_on_host(p);
}

const gg_op gg__op_check_edges = {.name = "check_edges",
                                  .kind = GG_OP_PERFORM,
                                  .props_bytes = sizeof(gg__bounds_props),
                                  .n_out = 1,
                                  .c_order = 1,
                                  .infer = gg__infer_first,
                                  .shape = gg__shape_first,
                                  .destroys = gg__destroys_first,
                                  .print = print_check_index,
                                  .perform = perform_check_edges,
                                  .reference = check_edges_on_host,
                                  .half_ok = 1,
                                  .no_fold = 1};

/* --- indices that kernels check --- */

/* The same check by a kernel, which reports an index out of range to the index
 * guard. */
static int prepare_guard_index(const gg_prepare *p, GpuLaunch **out,
                               int *slot_in, int *slot_out) {
  const gg__bounds_props *props = p->apply->props;
  const unsigned int axis = (unsigned int)props->axis;

  slot_out[0] = 0;
  slot_in[0] = 1;
  GA_TRY(GpuArray_check_index_prepare(out, p->out[0], p->in[0],
                                      p->in[1]->dimensions[axis], axis,
                                      props->from_end != 0));
  return GpuLaunch_label(*out, props->who);
}

const gg_op gg__op_guard_index = {.name = "guard_index",
                                  .kind = GG_OP_KERNEL,
                                  .props_bytes = sizeof(gg__bounds_props),
                                  .n_out = 1,
                                  .shape_only = 2,
                                  .c_order = 1,
                                  .infer = gg__infer_first,
                                  .shape = gg__shape_first,
                                  .destroys = gg__destroys_first,
                                  .print = print_check_index,
                                  .prepare = prepare_guard_index,
                                  .reference = pass_on_host,
                                  .half_ok = 1,
                                  .no_fold = 1};

/* --- builders --- */

static void set_who(gg__bounds_props *p, const char *who) {
  const size_t n = strlen(who);

  memcpy(p->who, who, n < sizeof p->who ? n : sizeof p->who - 1);
}

gg_var *gg__check_index(const gg_op *op, const char *who, gg_var *index,
                        gg_var *x, int64_t axis, int64_t from_end) {
  gg__bounds_props p = {axis, from_end, {0}};
  gg_var *const in[2] = {index, x};

  set_who(&p, who);
  return gg_op_apply(NULL, op, &p, 2, in);
}

gg_var *gg__check_edges(const char *who, gg_var *edges) {
  gg__bounds_props p = {0};

  set_who(&p, who);
  return gg_op_apply(NULL, &gg__op_check_edges, &p, 1, &edges);
}

int gg__message(gg__message_props *p, const gg_op *op, unsigned int n,
                gg_var *const *in, const char *text) {
  const size_t bytes = text != NULL ? strlen(text) : 0;

  memset(p, 0, sizeof *p);
  if (text == NULL) {
    gg__refuse(op, n, in, GA_VALUE_ERROR, "the message is NULL");
    return 0;
  }
  if (bytes >= sizeof p->text) {
    gg__refuse(op, n, in, GA_VALUE_ERROR,
               "a message of %zu bytes, expected at most %zu", bytes,
               sizeof p->text - 1);
    return 0;
  }
  memcpy(p->text, text, bytes);
  return 1;
}

static gg_var *apply(const gg_op *op, unsigned int n, gg_var *const *in,
                     const char *message) {
  gg__message_props p;

  return gg__message(&p, op, n, in, message) ? gg_op_apply(NULL, op, &p, n, in)
                                             : NULL;
}

gg_var *gg_print(gg_var *x, const char *message) {
  return x != NULL ? apply(&gg__op_print, 1, &x, message) : NULL;
}

gg_var *gg_assert(gg_var *x, gg_var *cond, const char *message) {
  gg_var *in[2] = {x, cond};

  if (!gg__given(&gg__op_assert, 2, in))
    return NULL;
  in[1] = gg_reduce(GG_ALL_OF, cond, 0, NULL, 0);
  return in[1] != NULL ? apply(&gg__op_assert, 2, in, message) : NULL;
}

/* --- in texts and files --- */

const gg_field gg__message_fields[1] = {
    {GG_FIELD("message", TEXT, gg__message_props, text),
     .most = sizeof((gg__message_props *)0)->text}};

const gg_op_form gg__forms_inspect[] = {
    GG_FORM_PROPS(print, "x", gg__message_fields, NULL),
    GG_FORM_PROPS(assert, "xb0", gg__message_fields, NULL), GG_FORMS_END};
