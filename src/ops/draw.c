/* SPDX-License-Identifier: BSD-2-Clause */
/* The ops that draw from a state. */
#include <stdio.h>
#include <string.h>

#include "ops/draw.h"

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

/* The next state may take the place of the state. */
static int destroys_state(const gg_apply *a, unsigned int out) {
  (void)a;
  return out == 1 ? 0 : -1;
}

/* Numbers are no function of anything that has a gradient. */
static int is_connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)in;
  (void)out;
  return 0;
}

static void print_draw(const gg_apply *a, char *buf, size_t bytes) {
  static const char *const names[] = {[GA_RANDOM_UNIFORM] = "uniform",
                                      [GA_RANDOM_NORMAL] = "normal",
                                      [GA_RANDOM_BITS] = "bits"};

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
                             .connected = is_connected,
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
                               .connected = is_connected,
                               .print = print_draw};
