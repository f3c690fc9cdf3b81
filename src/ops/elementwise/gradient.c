/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops whose value is x but whose gradient is changed. */
#include <gpugraph/grad.h>
#include <stdio.h>

#include "ops/elementwise/elementwise.h"

/* --- clip_gradient --- */

static int grad_clip(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__clip_props *p = a->props;

  gin[0] = gg_clip(gout[0], gg__num(gout[0], p->lo), gg__num(gout[0], p->hi));
  return GA_NO_ERROR;
}

static void print_clip(const gg_apply *a, char *buf, size_t bytes) {
  const gg__clip_props *p = a->props;

  snprintf(buf, bytes, "%g to %g", p->lo, p->hi);
}

const gg_op gg__op_clip_gradient = {.name = "clip_gradient",
                                    .kind = GG_OP_ELEMWISE,
                                    .props_bytes = sizeof(gg__clip_props),
                                    .n_out = 1,
                                    .grad = grad_clip,
                                    .code = CODE("%0", gg__eval_first, 0),
                                    .print = print_clip};

/* --- scale_gradient --- */

static int grad_scale(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__scale_props *p = a->props;

  gin[0] = p->factor == 0 ? gg_zeros_like(gout[0])
                          : gg_mul(gg__num(gout[0], p->factor), gout[0]);
  return GA_NO_ERROR;
}

static void print_scale(const gg_apply *a, char *buf, size_t bytes) {
  const gg__scale_props *p = a->props;

  snprintf(buf, bytes, "%g", p->factor);
}

const gg_op gg__op_scale_gradient = {.name = "scale_gradient",
                                     .kind = GG_OP_ELEMWISE,
                                     .props_bytes = sizeof(gg__scale_props),
                                     .n_out = 1,
                                     .grad = grad_scale,
                                     COMPLEX(GG_PARTS, "%0", gg__eval_same, 0),
                                     .code = CODE("%0", gg__eval_first, 0),
                                     .print = print_scale};

/* --- undefined_gradient --- */

static const char *reason_of(const gg_apply *a, unsigned int in) {
  (void)in;
  return ((const gg__message_props *)a->props)->text;
}

const gg_op gg__op_undefined_gradient = {
    .name = "undefined_gradient",
    .kind = GG_OP_ELEMWISE,
    .props_bytes = sizeof(gg__message_props),
    .n_out = 1,
    .no_grad = reason_of,
    COMPLEX(GG_PARTS, "%0", gg__eval_same, 0),
    .code = CODE("%0", gg__eval_first, 0),
    .print = gg__print_message};

/* --- builders --- */

static gg_var *apply(const gg_op *op, const void *props, gg_var *x) {
  if (x == NULL)
    return NULL;
  const int dtype = gg_var_type(x)->dtype;
  if (gg__float_dtype(dtype) != dtype)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "only floats and complex numbers have gradients");
  return gg_op_apply(NULL, op, props, 1, &x);
}

gg_var *gg_zero_gradient(gg_var *x) {
  return gg_scale_gradient(x, 0);
}

gg_var *gg_scale_gradient(gg_var *x, double factor) {
  const gg__scale_props p = {factor};

  return apply(&gg__op_scale_gradient, &p, x);
}

gg_var *gg_clip_gradient(gg_var *x, double lo, double hi) {
  const gg__clip_props p = {lo, hi};

  if (x != NULL && !(lo <= hi))
    return gg__refuse(&gg__op_clip_gradient, 1, &x, GA_VALUE_ERROR,
                      "%g is not below %g", lo, hi);
  return apply(&gg__op_clip_gradient, &p, x);
}

gg_var *gg_undefined_gradient(gg_var *x, const char *reason) {
  gg__message_props p;

  if (x == NULL || !gg__message(&p, &gg__op_undefined_gradient, 1, &x, reason))
    return NULL;
  return apply(&gg__op_undefined_gradient, &p, x);
}

/* --- in texts and files --- */

static const gg_field clip_fields[] = {
    {GG_FIELD("lo", REAL, gg__clip_props, lo)},
    {GG_FIELD("hi", REAL, gg__clip_props, hi)}};

static const gg_field scale_fields[] = {
    {GG_FIELD("factor", REAL, gg__scale_props, factor)}};

const gg_op_form gg__forms_gradient[] = {
    GG_FORM_PROPS(clip_gradient, "f", clip_fields, NULL),
    GG_FORM_PROPS(scale_gradient, "f", scale_fields, NULL),
    GG_FORM_PROPS(undefined_gradient, "f", gg__message_fields, NULL),
    GG_FORMS_END};
