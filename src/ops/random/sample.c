/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops with kernels that turn random numbers into counts, choices and orders. */
#include <stdio.h>

#include "ops/random/draw.h"

static int stored_type(const gg_apply *a) {
  return ((const gg__sample_props *)a->props)->dtype;
}

static int count_of(const gg_apply *a) {
  return ((const gg__sample_props *)a->props)->count;
}

/* The type of input 0 with another dtype. */
static int infer_sample(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  out->dtype = stored_type(a);
  return GA_NO_ERROR;
}

static void print_count(const gg_apply *a, char *buf, size_t bytes) {
  if (count_of(a) >= 0)
    snprintf(buf, bytes, "%d", count_of(a));
}

/* --- binomial: (u, n, p), broadcast to the shape of u --- */

static int prepare_binomial(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                            int *slot_out) {
  slot_out[0] = 0;
  for (unsigned int i = 0; i < 3; i++)
    slot_in[i] = (int)i + 1;
  return GpuRandom_binomial_prepare(out, p->out[0], p->in[0], p->in[1],
                                    p->in[2]);
}

const gg_op gg__op_binomial = {.name = "binomial",
                               .kind = GG_OP_KERNEL,
                               .half_ok = 1,
                               .props_bytes = sizeof(gg__sample_props),
                               .n_out = 1,
                               .infer = infer_sample,
                               .shape = gg__shape_first,
                               .prepare = prepare_binomial,
                               .connected = gg__not_connected};

/* --- multinomial: (u, p) --- */

static int prepare_multinomial(const gg_prepare *p, GpuLaunch **out,
                               int *slot_in, int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 1;
  slot_in[1] = 2;
  return GpuRandom_multinomial_prepare(out, p->out[0], p->in[0], p->in[1],
                                       (size_t)count_of(p->apply));
}

const gg_op gg__op_multinomial = {.name = "multinomial",
                                  .kind = GG_OP_KERNEL,
                                  .half_ok = 1,
                                  .props_bytes = sizeof(gg__sample_props),
                                  .n_out = 1,
                                  .infer = infer_sample,
                                  .shape = gg__shape_first,
                                  .prepare = prepare_multinomial,
                                  .connected = gg__not_connected,
                                  .print = print_count};

/* --- choice: (u, p), one choice for each column of u --- */

static int prepare_choice(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 1;
  slot_in[1] = 2;
  return GpuRandom_choice_prepare(out, p->out[0], p->in[0], p->in[1]);
}

const gg_op gg__op_choice = {.name = "choice",
                             .kind = GG_OP_KERNEL,
                             .half_ok = 1,
                             .props_bytes = sizeof(gg__sample_props),
                             .n_out = 1,
                             .infer = infer_sample,
                             .shape = gg__shape_first,
                             .prepare = prepare_choice,
                             .connected = gg__not_connected,
                             .print = print_count};

/* --- permutation: (bits, n), `count` integers below n or all --- */

static int infer_permutation(const gg_apply *a, gg_type *out) {
  double n;

  out->dtype = GA_LONG;
  out->nd = 1;
  out->dims[0] = count_of(a);
  if (count_of(a) < 0) /* rewriting may find that n is 1: see sized.c */
    out->dims[0] = gg_var_uniform(a->in[1], &n) && n != 1 ? (int64_t)n : GG_ANY;
  return GA_NO_ERROR;
}

static int shape_permutation(const gg_apply *a, const gg_dims *in,
                             const double *const *host, gg_dims *out) {
  const int count = count_of(a);

  (void)in;
  if (host[1] == NULL)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the size must be known before anything runs: a "
                      "constant, the size of a variable or an integer input");
  if (!(*host[1] >= 0 && *host[1] <= 0x1p52))
    return gg_op_fail(a, GA_VALUE_ERROR, "an order of %g numbers", *host[1]);
  if (count >= 0 && (double)count > *host[1])
    return gg_op_fail(a, GA_VALUE_ERROR, "%d different numbers out of %g",
                      count, *host[1]);
  out->nd = 1;
  out->dim[0] = count >= 0 ? (size_t)count : (size_t)*host[1];
  return GA_NO_ERROR;
}

static int prepare_permutation(const gg_prepare *p, GpuLaunch **out,
                               int *slot_in, int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 1;
  return GpuRandom_permutation_prepare(out, p->out[0], p->in[0],
                                       (size_t)*p->number[1]);
}

const gg_op gg__op_permutation = {.name = "permutation",
                                  .kind = GG_OP_KERNEL,
                                  .half_ok = 1,
                                  .c_order = 1,
                                  .props_bytes = sizeof(gg__sample_props),
                                  .n_out = 1,
                                  .number_only = 1u << 1,
                                  .infer = infer_permutation,
                                  .shape = shape_permutation,
                                  .prepare = prepare_permutation,
                                  .connected = gg__not_connected,
                                  .print = print_count};

/* --- in texts and files --- */

static int check_sample(const gg_apply *a) {
  GA_TRY(gg__check_dtype(a, stored_type(a)));
  if (count_of(a) < (a->op == &gg__op_multinomial ? 0 : -1))
    return gg_op_fail(a, GA_VALUE_ERROR, "%d numbers", count_of(a));
  return GA_NO_ERROR;
}

static int check_binomial(const gg_apply *a) {
  GA_TRY(check_sample(a));
  GA_TRY(gg__check_ranks(a, 0, 1));
  return gg__check_ranks(a, 0, 2);
}

static const gg_field sample_fields[] = {
    {GG_FIELD("dtype", DTYPE, gg__sample_props, dtype)},
    {GG_FIELD("count", INT, gg__sample_props, count), .optional = 1,
     .otherwise = -1}};

const gg_op_form gg__forms_sample[] = {
    GG_FORM_PROPS(binomial, "FFF", sample_fields, check_binomial),
    GG_FORM_PROPS(multinomial, "F2F2", sample_fields, check_sample),
    GG_FORM_PROPS(choice, "F2F2", sample_fields, check_sample),
    GG_FORM_PROPS(permutation, "i1i", sample_fields, check_sample),
    GG_FORMS_END};
