/* SPDX-License-Identifier: BSD-2-Clause */
/* The ops that draw random numbers from the state of a stream. */
#include <stdio.h>
#include <string.h>

#include "ops/random/draw.h"

static const char *const names[] = {[GA_RANDOM_UNIFORM] = "uniform",
                                    [GA_RANDOM_NORMAL] = "normal",
                                    [GA_RANDOM_BITS] = "bits",
                                    NULL};

static ga_random what_of(const gg_apply *a) {
  return (ga_random)((const gg__draw_props *)a->props)->what;
}

/* --- types and shapes --- */

static void infer_numbers(const gg_apply *a, gg_type *out) {
  const gg__draw_props *p = a->props;

  if (a->n_in == 2) {
    *out = *gg_var_type(a->in[1]);
  } else {
    out->nd = (unsigned int)p->nd;
    memcpy(out->dims, p->dims, sizeof out->dims);
  }
  out->dtype = p->dtype;
}

static int infer_philox(const gg_apply *a, gg_type *out) {
  infer_numbers(a, out);
  return GA_NO_ERROR;
}

static int infer_mrg(const gg_apply *a, gg_type *out) {
  infer_numbers(a, &out[0]);
  out[1] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static void shape_numbers(const gg_apply *a, const gg_dims *in, gg_dims *out) {
  const gg__draw_props *p = a->props;

  if (a->n_in == 2) {
    *out = in[1];
    return;
  }
  out->nd = (unsigned int)p->nd;
  for (unsigned int i = 0; i < out->nd; i++)
    out->dim[i] = (size_t)p->dims[i];
}

static int shape_philox(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  (void)host;
  shape_numbers(a, in, out);
  return GA_NO_ERROR;
}

static int shape_mrg(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  (void)host;
  shape_numbers(a, in, &out[0]);
  out[1] = in[0];
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_philox(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 1;
  return GpuRandom_fill_prepare(out, p->out[0], what_of(p->apply), 0, 1,
                                p->in[0], NULL);
}

static int post_philox(const gg_prepare *p, const GpuEpilogue *post,
                       void **args, GpuLaunch **out, int *slot_in,
                       unsigned int *slot_post) {
  const gg__draw_props *props = p->apply->props;

  slot_in[0] = 0;
  *slot_post = 1;
  return GpuRandom_epilogue_prepare(out, what_of(p->apply), props->dtype,
                                    p->in[0], post, args);
}

static int prepare_mrg(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 1;
  slot_out[1] = 2;
  return GpuRandom_fill_prepare(out, p->out[0], what_of(p->apply), 0, 1,
                                p->in[0], p->out[1]);
}

/* Output 1, the next state, may overwrite input 0, the state. */
static int destroys_state(const gg_apply *a, unsigned int out) {
  (void)a;
  return out == 1 ? 0 : -1;
}

static void print_draw(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "%s", names[what_of(a)]);
}

const gg_op gg__op_philox = {.name = "philox",
                             .kind = GG_OP_KERNEL,
                             .half_ok = 1,
                             .c_order = 1,
                             .props_bytes = sizeof(gg__draw_props),
                             .n_out = 1,
                             .shape_only = 1u << 1,
                             .infer = infer_philox,
                             .shape = shape_philox,
                             .prepare = prepare_philox,
                             .prepare_post = post_philox,
                             .connected = gg__not_connected,
                             .print = print_draw};

const gg_op gg__op_mrg31k3p = {.name = "mrg31k3p",
                               .kind = GG_OP_KERNEL,
                               .half_ok = 1,
                               .c_order = 1,
                               .props_bytes = sizeof(gg__draw_props),
                               .n_out = 2,
                               .shape_only = 1u << 1,
                               .infer = infer_mrg,
                               .shape = shape_mrg,
                               .prepare = prepare_mrg,
                               .destroys = destroys_state,
                               .connected = gg__not_connected,
                               .print = print_draw};

/* --- in texts and files --- */

static int check_draw(const gg_apply *a) {
  const gg__draw_props *p = a->props;
  const ga__kind kind = ga__dtype_kind(p->dtype);
  const int is_philox = a->op == &gg__op_philox;

  if (a->n_in > 2 || (a->n_in == 2 && p->nd != 0))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected a state, and a shape at most once");
  if (gg_var_type(a->in[0])->dtype != (is_philox ? GA_ULONG : GA_INT) ||
      gg__rank(a, 0) != (is_philox ? 1u : 2u))
    return gg_op_fail(a, GA_VALUE_ERROR, "operand 0 is not a state");
  if (p->what == GA_RANDOM_BITS ? p->dtype != GA_UINT && p->dtype != GA_ULONG
                                : kind != GA_KIND_FLOAT)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "there are no such random numbers in %s",
                      ga__dtype_name(p->dtype));
  for (int i = 0; i < p->nd; i++)
    if (p->dims[i] < 0)
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %d: %lld is not a size", i,
                        (long long)p->dims[i]);
  return GA_NO_ERROR;
}

static const gg_field draw_fields[] = {
    {GG_FIELD("what", WORD, gg__draw_props, what), .words = names},
    {GG_FIELD("dtype", DTYPE, gg__draw_props, dtype)},
    {GG_FIELD("dims", INT64, gg__draw_props, dims), .most = GG_MAX_ND,
     .count_at = offsetof(gg__draw_props, nd), .optional = 1}};

const gg_op_form gg__forms_draw[] = {
    GG_FORM_PROPS(philox, "i1x?", draw_fields, check_draw),
    GG_FORM_PROPS(mrg31k3p, "i2x?", draw_fields, check_draw), GG_FORMS_END};
