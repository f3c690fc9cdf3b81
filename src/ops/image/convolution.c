/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients. Each of the three ops computes one of the
 * arrays x, w and y (or its gradient) from the other two and is linear in both.
 * Its gradients are the other two ops. */
#include <gpugraph/conv.h>

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "ops/compose.h"
#include "ops/image/conv_host.h"

/* The most elements along a dimension, and the largest stride, dilation and
 * padding. */
#define CONV_MOST ((int64_t)INT32_MAX / 4)

/* --- properties --- */

static GpuConv conv_of(const gg_apply *a) {
  const gg__conv_props *p = a->props;
  GpuConv c = {.nd = (unsigned int)p->nd,
               .groups = (size_t)p->groups,
               .flip = (int)p->flip};

  for (unsigned int d = 0; d < GA_CONV_ND; d++) {
    c.stride[d] = (size_t)p->stride[d];
    c.dilation[d] = (size_t)p->dilation[d];
    c.before[d] = (size_t)p->before[d];
    c.after[d] = (size_t)p->after[d];
  }
  return c;
}

/* Which part of a convolution the node computes. */
static ga_conv_part part_of(const gg_apply *a) {
  return a->op == &gg__op_conv         ? GA_CONV_FORWARD
         : a->op == &gg__op_conv_input ? GA_CONV_INPUT
                                       : GA_CONV_FILTERS;
}

/* Append " name=v,v" to the string in `buf`, unless all values are `usual`. */
static void print_list(char *buf, size_t bytes, const char *name,
                       const int64_t *v, int64_t n, int64_t usual) {
  size_t at = 0;

  while (buf[at] != '\0')
    at++;
  for (int64_t d = 0; d < n; d++)
    if (v[d] != usual) {
      at += (size_t)snprintf(buf + at, bytes - at, "%s%s=", at > 0 ? " " : "",
                             name);
      for (int64_t e = 0; e < n && at < bytes; e++)
        at += (size_t)snprintf(buf + at, bytes - at, "%s%lld", e > 0 ? "," : "",
                               (long long)v[e]);
      return;
    }
}

static void print_conv(const gg_apply *a, char *buf, size_t bytes) {
  const gg__conv_props *p = a->props;

  buf[0] = '\0';
  print_list(buf, bytes, "stride", p->stride, p->nd, 1);
  print_list(buf, bytes, "dilation", p->dilation, p->nd, 1);
  print_list(buf, bytes, "before", p->before, p->nd, 0);
  print_list(buf, bytes, "after", p->after, p->nd, 0);
  print_list(buf, bytes, "groups", &p->groups, 1, 1);
  print_list(buf, bytes, "flip", &p->flip, 1, 0);
}

/* --- shapes: a size of -1 is unknown --- */

static int check_groups(const gg_apply *a, const char *what, int64_t n) {
  const gg__conv_props *p = a->props;

  return n < 0 || n % p->groups == 0
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR,
                        "%lld %s are no multiple of %lld groups", (long long)n,
                        what, (long long)p->groups);
}

/* Check channels and filters: w is [filters, each, ...]. */
static int check_channels(const gg_apply *a, int64_t channels,
                          const int64_t *w) {
  const gg__conv_props *p = a->props;

  GA_TRY(check_groups(a, "channels", channels));
  GA_TRY(check_groups(a, "filters", w[0]));
  if (channels >= 0 && w[1] >= 0 && channels / p->groups != w[1])
    return ga__fail(GA_VALUE_ERROR,
                    "%lld channels in %lld groups are %lld in each, filters "
                    "have %lld",
                    (long long)channels, (long long)p->groups,
                    (long long)(channels / p->groups), (long long)w[1]);
  return GA_NO_ERROR;
}

/* Set the spatial sizes of y, and check those that are known. */
static int find_sizes(const gg_apply *a, const int64_t *x, const int64_t *w,
                      int64_t *y) {
  const GpuConv c = conv_of(a);

  for (unsigned int d = 0; d < c.nd; d++) {
    size_t size;

    if (x[d + 2] < 0 || w[d + 2] < 0)
      continue;
    const int err =
        GpuConv_size(&size, &c, d, (size_t)x[d + 2], (size_t)w[d + 2]);
    if (err != GA_NO_ERROR)
      return err;
    if (y[d + 2] >= 0 && y[d + 2] != (int64_t)size)
      return ga__fail(GA_VALUE_ERROR,
                      "dim %u: input %lld and filters %lld give %zu, not "
                      "%lld",
                      d, (long long)x[d + 2], (long long)w[d + 2], size,
                      (long long)y[d + 2]);
    y[d + 2] = (int64_t)size;
  }
  return GA_NO_ERROR;
}

static int check_equal(const char *what, int64_t m, int64_t n) {
  return m < 0 || n < 0 || m == n ? GA_NO_ERROR
                                  : ga__fail(GA_VALUE_ERROR, "%lld and %lld %s",
                                             (long long)m, (long long)n, what);
}

/* Check the sizes of the operands and the result, in the order of a part. Set
 * those of the result of gg__op_conv. Errors are the thread's. */
static int check_sizes(const gg_apply *a, int64_t dims[3][GG_MAX_ND]) {
  static const int order[3][3] = {[GA_CONV_FORWARD] = {0, 1, 2},
                                  [GA_CONV_INPUT] = {2, 1, 0},
                                  [GA_CONV_FILTERS] = {0, 2, 1}};
  const int *at = order[part_of(a)];
  int64_t *x = dims[at[0]], *w = dims[at[1]], *y = dims[at[2]];

  GA_TRY(check_channels(a, x[1], w));
  GA_TRY(check_equal("images of x and of y", x[0], y[0]));
  GA_TRY(check_equal("filters of w and channels of y", w[0], y[1]));
  if (part_of(a) == GA_CONV_FORWARD) {
    y[0] = x[0];
    y[1] = w[0];
  }
  return find_sizes(a, x, w, y);
}

static int infer_conv(const gg_apply *a, gg_type *out) {
  const gg_type *first = gg_var_type(a->in[0]);
  int64_t dims[3][GG_MAX_ND];

  for (unsigned int i = 0; i < 3; i++)
    for (unsigned int d = 0; d < first->nd; d++)
      dims[i][d] = i < a->n_in ? gg_var_type(a->in[i])->dims[d] : GG_ANY;
  const int err = check_sizes(a, dims);
  if (err != GA_NO_ERROR)
    return gg_op_fail(a, err, "%s", gpuarray_error_text(err));
  out->dtype = first->dtype;
  out->nd = first->nd;
  for (unsigned int d = 0; d < first->nd; d++)
    out->dims[d] = dims[2][d];
  return GA_NO_ERROR;
}

static int shape_conv(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  int64_t dims[3][GG_MAX_ND];

  (void)host;
  for (unsigned int i = 0; i < 3; i++)
    for (unsigned int d = 0; d < in[0].nd; d++)
      dims[i][d] = i < a->n_in ? (int64_t)in[i].dim[d] : -1;
  const int err = check_sizes(a, dims);
  if (err != GA_NO_ERROR)
    return gg_op_fail(a, err, "%s", gpuarray_error_text(err));
  out->nd = in[0].nd;
  for (unsigned int d = 0; d < in[0].nd; d++)
    out->dim[d] = (size_t)dims[2][d];
  return GA_NO_ERROR;
}

/* --- gradients --- */

static gg_var *apply(const gg_op *op, const gg_apply *a, gg_var *u, gg_var *v,
                     gg_var *like) {
  gg_var *const in[3] = {u, v, like};

  return gg_op_apply(NULL, op, a->props, like != NULL ? 3 : 2, in);
}

static int grad_conv(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const u = a->in[0], *const v = a->in[1], *const g = gout[0];

  switch (part_of(a)) {
  case GA_CONV_FORWARD: /* (x, w) */
    gin[0] = apply(&gg__op_conv_input, a, g, v, u);
    gin[1] = apply(&gg__op_conv_filters, a, u, g, v);
    break;
  case GA_CONV_INPUT: /* (y, w) */
    gin[0] = apply(&gg__op_conv, a, g, v, NULL);
    gin[1] = apply(&gg__op_conv_filters, a, g, u, v);
    break;
  default: /* (x, y) */
    gin[0] = apply(&gg__op_conv_input, a, v, g, u);
    gin[1] = apply(&gg__op_conv, a, u, g, NULL);
  }
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_conv(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  const GpuConv c = conv_of(p->apply);

  slot_in[0] = 0;
  slot_in[1] = 1;
  slot_out[0] = 2;
  return GpuConv_prepare(out, &c, part_of(p->apply), p->in[0], p->in[1],
                         p->out[0], NULL, NULL);
}

/* Find the sizes of a result that has no array, because an epilogue follows. */
static int find_result(const gg_prepare *p, const GpuConv *c, size_t *dims) {
  const GpuArray *const x = p->in[0], *const w = p->in[1];

  if (part_of(p->apply) != GA_CONV_FORWARD) {
    memcpy(dims, p->in[2]->dimensions, p->in[2]->nd * sizeof *dims);
    return GA_NO_ERROR;
  }
  dims[0] = x->dimensions[0];
  dims[1] = w->dimensions[0];
  for (unsigned int d = 0; d < c->nd; d++)
    GA_TRY(GpuConv_size(&dims[d + 2], c, d, x->dimensions[d + 2],
                        w->dimensions[d + 2]));
  return GA_NO_ERROR;
}

static int post_conv(const gg_prepare *p, const GpuEpilogue *post, void **args,
                     GpuLaunch **out, int *slot_in, unsigned int *slot_post) {
  const GpuConv c = conv_of(p->apply);
  size_t dims[GG_MAX_ND];
  GpuArray r = {.dimensions = dims, .nd = c.nd + 2};

  slot_in[0] = 0;
  slot_in[1] = 1;
  *slot_post = 3;
  GA_TRY(find_result(p, &c, dims));
  return GpuConv_prepare(out, &c, part_of(p->apply), p->in[0], p->in[1], &r,
                         post, args);
}

/* Tensor cores, which compute with narrow floats, read and write channels that
 * lie last. Other kernels prefer C order. */
static int keeps_last(const gg_apply *a) {
  return part_of(a) != GA_CONV_FILTERS &&
         ga__dtype_is_narrow(gg_var_type(a->in[0])->dtype);
}

static int reference_conv(const gg_prepare *p) {
  const GpuConv c = conv_of(p->apply);

  return gg__conv_on_host(p, &c, part_of(p->apply));
}

#define CONV_OP(text, unread)                                                  \
  {                                                                            \
    .name = text, .kind = GG_OP_KERNEL, .half_ok = 1,                          \
    .props_bytes = sizeof(gg__conv_props), .n_out = 1, .shape_only = unread,   \
    .infer = infer_conv, .shape = shape_conv, .grad = grad_conv,               \
    .prepare = prepare_conv, .prepare_post = post_conv,                        \
    .reference = reference_conv, .print = print_conv, .keeps_last = keeps_last \
  }

const gg_op gg__op_conv = CONV_OP("conv", 0);
const gg_op gg__op_conv_input = CONV_OP("conv_input", 4);
const gg_op gg__op_conv_filters = CONV_OP("conv_filters", 4);

/* --- builders --- */

static void set_props(gg__conv_props *p, const GpuConv *c, unsigned int nd) {
  *p = (gg__conv_props){.nd = nd,
                        .groups = c != NULL ? gg__as_property(c->groups) : 1,
                        .flip = c != NULL && c->flip};

  for (unsigned int d = 0; d < nd && d < GA_CONV_ND; d++) {
    p->stride[d] = c != NULL ? gg__as_property(c->stride[d]) : 1;
    p->dilation[d] = c != NULL ? gg__as_property(c->dilation[d]) : 1;
    p->before[d] = c != NULL ? gg__as_property(c->before[d]) : 0;
    p->after[d] = c != NULL ? gg__as_property(c->after[d]) : 0;
  }
}

/* Check the properties that a file or a caller gives. */
static int check_conv(const gg_apply *a) {
  const gg__conv_props *p = a->props;
  const int64_t most = CONV_MOST;

  if (p->nd < 1 || p->nd > GA_CONV_ND)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "%lld spatial dimensions, expected 1 to %d",
                      (long long)p->nd, GA_CONV_ND);
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__rank(a, i) != (unsigned int)p->nd + 2)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "operand %u has %u dimensions, expected %lld", i,
                        gg__rank(a, i), (long long)p->nd + 2);
  if (p->groups < 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "groups is %lld, expected 1 or more",
                      (long long)p->groups);
  if (p->flip < 0 || p->flip > 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "flip is %lld, expected 0 or 1",
                      (long long)p->flip);
  for (int d = 0; d < GA_CONV_ND; d++) {
    const int64_t least = d < p->nd, limit = d < p->nd ? most : 0;

    if (p->stride[d] < least || p->stride[d] > limit ||
        p->dilation[d] < least || p->dilation[d] > limit || p->before[d] < 0 ||
        p->before[d] > limit || p->after[d] < 0 || p->after[d] > limit)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %d: stride %lld, dilation %lld, padding %lld and "
                        "%lld; stride and dilation are at least 1, each is at "
                        "most %lld",
                        d, (long long)p->stride[d], (long long)p->dilation[d],
                        (long long)p->before[d], (long long)p->after[d],
                        (long long)most);
  }
  return GA_NO_ERROR;
}

/* Cast two operands to their common float dtype. Returns 0 after an error. */
static int take_operands(const gg_op *op, gg_var **in) {
  if (!gg__given(op, 2, in))
    return 0;
  const int dtype =
      gg__common_dtype(gg_var_type(in[0])->dtype, gg_var_type(in[1])->dtype);
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT) {
    gg__refuse(op, 2, in, GA_UNSUPPORTED_ERROR, "expected a float dtype");
    return 0;
  }
  in[0] = gg_cast(in[0], dtype);
  in[1] = gg_cast(in[1], dtype);
  return in[0] != NULL && in[1] != NULL;
}

/* Count of spatial dimensions: that of the geometry, or else of x. */
static unsigned int spatial(const GpuConv *c, gg_var *x) {
  const unsigned int nd = gg_var_type(x)->nd;

  return c != NULL ? c->nd : nd > 2 ? nd - 2 : 0;
}

gg_var *gg_conv(gg_var *x, gg_var *w, const GpuConv *c) {
  gg_var *in[2] = {x, w};
  gg__conv_props p;

  if (!take_operands(&gg__op_conv, in))
    return NULL;
  set_props(&p, c, spatial(c, x));
  return gg__apply_checked(&gg__op_conv, &p, 2, in, check_conv);
}

static const gg_op transposed = {.name = "conv_transposed"};

/* Fails if the size of the result of a transposed convolution along dimension
 * d is known and is none. */
static int check_result(gg_var *const *in, const gg__conv_props *p, int d,
                        size_t more) {
  const int64_t y = gg_var_type(in[0])->dims[d + 2];
  const int64_t w = gg_var_type(in[1])->dims[d + 2];

  if (y < 1 || w < 1 || y > CONV_MOST || w > CONV_MOST)
    return 1; /* unknown, or refused with the geometry */
  const int64_t size = (y - 1) * p->stride[d] + (w - 1) * p->dilation[d] + 1 -
                       p->before[d] - p->after[d] + (int64_t)more;
  if (size >= 1 && size <= CONV_MOST)
    return 1;
  gg__refuse(&transposed, 2, in, GA_VALUE_ERROR,
             "dim %d: %lld positions with stride %lld, filters of %lld with "
             "dilation %lld, padding %lld and %lld and %zu more give %lld "
             "elements, expected 1 to %lld",
             d, (long long)y, (long long)p->stride[d], (long long)w,
             (long long)p->dilation[d], (long long)p->before[d],
             (long long)p->after[d], more, (long long)size,
             (long long)CONV_MOST);
  return 0;
}

/* The least open size of y along dimension d for which a transposed convolution
 * has a result: (y - 1) * stride is at least padding - more - (w - 1) *
 * dilation. NULL: calls need not check it. */
static gg_var *least_size(gg_var *const *in, const gg__conv_props *p, int d,
                          size_t more) {
  const int64_t padding = p->before[d] + p->after[d] - (int64_t)more;
  gg_var *const w = gg_shape(in[1], d + 2), *const y = gg_shape(in[0], d + 2);
  double known;

  if (padding <= 0 || (gg_var_uniform(w, &known) && gg_var_uniform(y, &known)))
    return NULL;
  gg_var *span = gg__number_mul(w, gg__whole_number(w, -p->dilation[d]));
  gg_var *least = gg__number_add(
      gg__number_over(
          gg__number_add(span, gg__whole_number(w, padding + p->dilation[d] +
                                                       p->stride[d] - 1)),
          p->stride[d]),
      gg__whole_number(w, 1));
  return gg_var_uniform(least, &known) && known <= 1
             ? NULL
             : gg__number_most(y, least);
}

/* The size of the result of a transposed convolution along spatial dimension
 * d. */
static gg_var *result_size(gg_var *y, gg_var *w, const gg__conv_props *p, int d,
                           size_t more) {
  gg_graph *const g = gg_var_graph(y);
  const int64_t rest =
      1 - p->stride[d] - p->dilation[d] - p->before[d] - p->after[d];

  return gg_add(gg_add(gg_mul(gg_shape(y, d + 2), gg_i64(g, p->stride[d])),
                       gg_mul(gg_shape(w, d + 2), gg_i64(g, p->dilation[d]))),
                gg_i64(g, rest + (int64_t)more));
}

/* Of two operands that are there. */
static gg_var *build_transposed(gg_var *y, gg_var *w, const GpuConv *c,
                                const size_t *more) {
  gg_var *in[3] = {y, w, NULL}, *sizes[GG_MAX_ND], *least[GG_MAX_ND] = {NULL};
  gg__conv_props p;

  if (!take_operands(&transposed, in))
    return NULL;
  set_props(&p, c, spatial(c, y));
  if (check_conv(&(gg_apply){&transposed, &p, 2, 0, in, NULL}) != GA_NO_ERROR)
    return NULL;
  for (int d = 0; d < p.nd; d++) {
    if (more != NULL && more[d] >= (size_t)p.stride[d])
      return gg__refuse(&transposed, 2, in, GA_VALUE_ERROR,
                        "dim %d: %zu more, expected less than the stride %lld",
                        d, more[d], (long long)p.stride[d]);
    if (!check_result(in, &p, d, more != NULL ? more[d] : 0))
      return NULL;
    least[d + 2] = least_size(in, &p, d, more != NULL ? more[d] : 0);
  }
  in[0] = gg__with_sizes(&transposed, 2, in, in[0], least,
                         "the result has at least one element");
  if (in[0] == NULL)
    return NULL;
  sizes[0] = gg_shape(y, 0);
  sizes[1] = gg_mul(gg_shape(w, 1), gg_i64(gg_var_graph(y), p.groups));
  for (int d = 0; d < p.nd; d++)
    sizes[d + 2] = result_size(y, w, &p, d, more != NULL ? more[d] : 0);
  in[2] = gg_alloc(gg__num(in[0], 0), (unsigned int)p.nd + 2, sizes);
  if (in[2] == NULL)
    return NULL;
  return gg__apply_checked(&gg__op_conv_input, &p, 3, in, check_conv);
}

gg_var *gg_conv_transposed(gg_var *y, gg_var *w, const GpuConv *c,
                           const size_t *more) {
  if (!gg__given(&transposed, 2, (gg_var *[]){y, w}))
    return NULL;
  gg_graph *const g = gg_var_graph(y);
  const gg_parts *outer =
      gg_parts_begin(g, &transposed, 2, (gg_var *[]){y, w},
                     "y has a channel for each filter, and groups divide them");
  return gg_parts_end(g, outer, build_transposed(y, w, c, more));
}

/* --- in texts and files --- */

/* A property with one value for each spatial dimension. */
#define LIST(member)                                                           \
  {                                                                            \
    GG_FIELD(#member, INT64, gg__conv_props, member),                          \
        .most = GA_CONV_ND, .count_at = offsetof(gg__conv_props, nd)           \
  }

static const gg_field conv_fields[] = {
    LIST(stride),
    LIST(dilation),
    LIST(before),
    LIST(after),
    {GG_FIELD("groups", INT64, gg__conv_props, groups), .optional = 1,
     .otherwise = 1},
    {GG_FIELD("flip", INT64, gg__conv_props, flip), .optional = 1}};

const gg_op_form gg__forms_conv[] = {
    GG_FORM_PROPS(conv, "FF", conv_fields, check_conv),
    GG_FORM_PROPS(conv_input, "FFF", conv_fields, check_conv),
    GG_FORM_PROPS(conv_filters, "FFF", conv_fields, check_conv), GG_FORMS_END};
