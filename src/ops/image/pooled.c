/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling. The gradient of maxima reads where they are: each element of the
 * source picks from the windows that have it. The gradient of means is a sum
 * with the transposed bands. */
#include <gpugraph/gather.h>
#include <gpugraph/pooling.h>
#include <gpugraph/statistics.h>
#include <math.h>
#include <stdio.h>

#include "ops/compose.h"
#include "ops/image/banded.h"

/* --- properties --- */

static GpuPooling pooling_of(const gg_apply *a) {
  const gg__pooling_props *p = a->props;
  GpuPooling g = {.nd = (unsigned int)p->nd, .flags = (int)p->flags};

  for (int d = 0; d < GA_POOLING_ND; d++) {
    g.size[d] = (size_t)p->size[d];
    g.stride[d] = (size_t)p->stride[d];
    g.dilation[d] = (size_t)p->dilation[d];
    g.before[d] = (size_t)p->before[d];
    g.after[d] = (size_t)p->after[d];
  }
  return g;
}

static int is_mean(const gg_apply *a) {
  return a->op == &gg__op_pool_mean || a->op == &gg__op_pool_mean_back;
}

/* Nonzero for gradients: (g, like) and (g, indices, like). */
static int is_back(const gg_apply *a) {
  return a->op == &gg__op_pool_mean_back || a->op == &gg__op_pool_pick;
}

static void print_list(char *buf, size_t bytes, const char *name,
                       const int64_t *v, int64_t n) {
  size_t at = 0;

  while (buf[at] != '\0')
    at++;
  at +=
      (size_t)snprintf(buf + at, bytes - at, "%s%s=", at > 0 ? " " : "", name);
  for (int64_t d = 0; d < n && at < bytes; d++)
    at += (size_t)snprintf(buf + at, bytes - at, "%s%lld", d > 0 ? "," : "",
                           (long long)v[d]);
}

static void print_pooling(const gg_apply *a, char *buf, size_t bytes) {
  const gg__pooling_props *p = a->props;

  buf[0] = '\0';
  print_list(buf, bytes, "size", p->size, p->nd);
  if (p->flags & GA_POOLING_ADAPTIVE)
    return;
  print_list(buf, bytes, "stride", p->stride, p->nd);
  print_list(buf, bytes, "dilation", p->dilation, p->nd);
  print_list(buf, bytes, "before", p->before, p->nd);
  print_list(buf, bytes, "after", p->after, p->nd);
}

/* --- shapes: a size of -1 is unknown --- */

static int fail_sizes(const gg_apply *a, unsigned int d, int64_t have,
                      int64_t want) {
  return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: expected %lld, got %lld", d,
                    (long long)want, (long long)have);
}

/* Set the sizes `y` of the pooled source `x`; those that are set must agree. */
static int pool_sizes(const gg_apply *a, unsigned int nd, const int64_t *x,
                      int64_t *y) {
  const GpuPooling g = pooling_of(a);
  const unsigned int lead = nd - g.nd;

  for (unsigned int d = 0; d < nd; d++) {
    int64_t want = x[d];
    size_t size;

    if (d >= lead && x[d] >= 0) {
      const int err = GpuPooling_size(&size, &g, d - lead, (size_t)x[d]);
      if (err != GA_NO_ERROR)
        return gg_op_fail(a, err, "%s", gpuarray_error_text(err));
      want = (int64_t)size;
    } else if (d >= lead && (g.flags & GA_POOLING_ADAPTIVE)) {
      want = (int64_t)g.size[d - lead];
    }
    if (y[d] >= 0 && want >= 0 && y[d] != want)
      return fail_sizes(a, d, y[d], want);
    y[d] = want >= 0 ? want : y[d];
  }
  return GA_NO_ERROR;
}

/* Check the sizes of all operands, and set those of the result. */
static int check_sizes(const gg_apply *a, unsigned int nd,
                       int64_t in[][GG_MAX_ND], int64_t *out) {
  int64_t y[GG_MAX_ND];

  for (unsigned int d = 0; d < nd; d++)
    y[d] = is_back(a) ? in[0][d] : GG_ANY;
  GA_TRY(pool_sizes(a, nd, in[a->n_in - 1], y));
  for (unsigned int d = 0; d < nd; d++) {
    out[d] = is_back(a) ? in[a->n_in - 1][d] : y[d];
    if (a->n_in == 3 && y[d] >= 0 && in[1][d] >= 0 && in[1][d] != y[d])
      return fail_sizes(a, d, in[1][d], y[d]);
  }
  return GA_NO_ERROR;
}

static int infer_pooling(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);
  int64_t in[3][GG_MAX_ND];

  for (unsigned int i = 0; i < a->n_in; i++)
    for (unsigned int d = 0; d < x->nd; d++)
      in[i][d] = gg_var_type(a->in[i])->dims[d];
  out->dtype = a->op == &gg__op_pool_indices ? GA_LONG : x->dtype;
  out->nd = x->nd;
  return check_sizes(a, x->nd, in, out->dims);
}

static int shape_pooling(const gg_apply *a, const gg_dims *in,
                         const double *const *host, gg_dims *out) {
  int64_t sizes[3][GG_MAX_ND], y[GG_MAX_ND];

  (void)host;
  for (unsigned int i = 0; i < a->n_in; i++)
    for (unsigned int d = 0; d < in[0].nd; d++)
      sizes[i][d] = (int64_t)in[i].dim[d];
  GA_TRY(check_sizes(a, in[0].nd, sizes, y));
  out->nd = in[0].nd;
  for (unsigned int d = 0; d < out->nd; d++)
    out->dim[d] = (size_t)y[d];
  return GA_NO_ERROR;
}

/* --- gradients --- */

static gg_var *apply(const gg_op *op, const gg_apply *a, unsigned int n,
                     gg_var *const *in) {
  return gg_op_apply(NULL, op, a->props, n, in);
}

static gg_var *indices_of(const gg_apply *a) {
  return apply(&gg__op_pool_indices, a, 1, a->in);
}

/* x with the last n axes joined. */
static gg_var *join_last(gg_var *x, unsigned int n) {
  const unsigned int lead = gg_var_type(x)->nd - n;
  gg_var *sizes[GG_MAX_ND];

  for (unsigned int d = 0; d < lead; d++)
    sizes[d] = gg_shape(x, (int)d);
  sizes[lead] = gg__number_of(x, lead, lead + n);
  return gg_reshape_sizes(x, lead + 1, sizes);
}

/* The elements of x, a source, that lie at `index`, and 0 for an index below
 * 0. */
static gg_var *take_at(gg_var *x, gg_var *index, unsigned int n) {
  const unsigned int lead = gg_var_type(x)->nd - n;
  gg_var *at = join_last(index, n);
  gg_var *y =
      gg__reshape_like(gg_take_along(join_last(x, n), (int)lead, at), index);

  return gg_where(gg_lt(index, gg_weak_int(gg_var_graph(x), 0)),
                  gg_weak(gg_var_graph(x), 0), y);
}

static int grad_max(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const in[3] = {gout[0], indices_of(a), a->in[0]};

  gin[0] = apply(&gg__op_pool_pick, a, 3, in);
  return GA_NO_ERROR;
}

static int rop_max(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  const gg__pooling_props *p = a->props;

  dout[0] = take_at(din[0], indices_of(a), (unsigned int)p->nd);
  return GA_NO_ERROR;
}

static int grad_pick(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__pooling_props *p = a->props;

  gin[0] = take_at(gout[0], a->in[1], (unsigned int)p->nd);
  return GA_NO_ERROR;
}

static int grad_mean(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const in[2] = {gout[0], a->in[0]};

  gin[0] = is_back(a) ? apply(&gg__op_pool_mean, a, 1, gout)
                      : apply(&gg__op_pool_mean_back, a, 2, in);
  return GA_NO_ERROR;
}

static int connected_pick(const gg_apply *a, unsigned int in,
                          unsigned int out) {
  (void)a;
  (void)out;
  return in == 0;
}

/* --- launches --- */

/* The bands of a node whose source, or whose result if it is a gradient, has
 * the sizes `x`. */
static int make_bands(gg__bands *b, const gg_apply *a, const GpuArray *x) {
  const GpuPooling g = pooling_of(a);

  *b = (gg__bands){.n = g.nd};
  for (unsigned int d = 0; d < g.nd; d++) {
    GA_TRY(GpuBand_pool(&b->band[d], &g, d, x->dimensions[x->nd - g.nd + d],
                        is_mean(a)));
    if (is_back(a))
      GA_TRY(gg__bands_turn(b, d));
  }
  return GA_NO_ERROR;
}

static ga_pool_op operation(const gg_apply *a) {
  return is_mean(a)   ? GA_POOLING_SUM
         : is_back(a) ? GA_POOLING_PICK
                      : GA_POOLING_MAX;
}

static int prepare_pooling(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                           int *slot_out) {
  const gg_apply *a = p->apply;
  const int is_index = a->op == &gg__op_pool_indices;
  gg__bands b;
  int err;

  slot_in[0] = 0;
  if (a->op == &gg__op_pool_pick)
    slot_in[1] = 1;
  slot_out[0] = is_index ? 1 : 2;
  GA_CHECK(make_bands(&b, a, is_back(a) ? p->out[0] : p->in[0]));
  GA_CHECK(GpuPooling_prepare(out, operation(a), b.n, b.band, p->in[0],
                              is_index       ? p->out[0]
                              : a->n_in == 3 ? p->in[1]
                                             : NULL,
                              is_index ? NULL : p->out[0]));

done:
  gg__bands_clear(&b);
  return err;
}

static int post_pooling(const gg_prepare *p, const GpuEpilogue *post,
                        void **args, GpuLaunch **out, int *slot_in,
                        unsigned int *slot_post) {
  const gg_apply *a = p->apply;
  gg__bands b;
  int err;

  slot_in[0] = post->front == NULL ? 0 : -1;
  if (a->op == &gg__op_pool_pick)
    slot_in[1] = 1;
  *slot_post = 3;
  GA_CHECK(make_bands(&b, a, is_back(a) ? p->in[a->n_in - 1] : p->in[0]));
  GA_CHECK(GpuPooling_epilogue_prepare(out, operation(a), b.n, b.band, p->in[0],
                                       a->n_in == 3 ? p->in[1] : NULL, post,
                                       args));

done:
  gg__bands_clear(&b);
  return err;
}

/* Launches that store indices store no values. */
static int has_values(const gg_apply *a) {
  return a->op != &gg__op_pool_indices;
}

/* The windows that an element of input 0 is in, at most. */
static int front_pooling(const gg_apply *a) {
  const gg__pooling_props *p = a->props;
  const int64_t most = 1 << 20;
  int64_t n = 1;

  for (int64_t d = 0; d < p->nd; d++) {
    const int64_t size = p->size[d], stride = p->stride[d];

    if (p->flags & GA_POOLING_ADAPTIVE)
      n *= is_back(a) ? most : 2;
    else
      n *= is_back(a) ? size : (size + stride - 1) / stride;
    n = n < most ? n : most;
  }
  return (int)n;
}

static int keeps_last(const gg_apply *a) {
  (void)a;
  return 1;
}

static int reference_pooling(const gg_prepare *p) {
  const gg_apply *a = p->apply;
  const int is_index = a->op == &gg__op_pool_indices;
  const gg__bands_host h = {.op = operation(a),
                            .dtype = p->in[0]->typecode,
                            .nd = p->in[0]->nd,
                            .x = p->in[0]->dimensions,
                            .from = p->from[0],
                            .index = a->n_in == 3 ? p->from[1] : NULL,
                            .value = is_index ? NULL : p->to[0],
                            .place = is_index ? p->to[0] : NULL};
  gg__bands b;
  int err;

  GA_CHECK(make_bands(&b, a, is_back(a) ? p->out[0] : p->in[0]));
  GA_CHECK(gg__bands_compute(&b, &h));

done:
  gg__bands_clear(&b);
  return err;
}

#define POOLING_OP(text, unread, ...)                                          \
  {                                                                            \
    .name = text, .kind = GG_OP_KERNEL, .half_ok = 1,                          \
    .props_bytes = sizeof(gg__pooling_props), .n_out = 1,                      \
    .shape_only = unread, .infer = infer_pooling, .shape = shape_pooling,      \
    .prepare = prepare_pooling, .prepare_post = post_pooling,                  \
    .takes_post = has_values, .front = front_pooling,                          \
    .reference = reference_pooling, .print = print_pooling,                    \
    .keeps_last = keeps_last, __VA_ARGS__                                      \
  }

const gg_op gg__op_pool_max =
    POOLING_OP("pool_max", 0, .grad = grad_max, .rop = rop_max);
const gg_op gg__op_pool_indices =
    POOLING_OP("pool_indices", 0, .connected = gg__not_connected);
const gg_op gg__op_pool_pick =
    POOLING_OP("pool_pick", 4, .grad = grad_pick, .connected = connected_pick);
const gg_op gg__op_pool_mean = POOLING_OP("pool_mean", 0, .grad = grad_mean);
const gg_op gg__op_pool_mean_back =
    POOLING_OP("pool_mean_back", 2, .grad = grad_mean);

/* --- checks of properties that a file or a caller gives --- */

static int check_list(const gg_apply *a, const char *name, const int64_t *v,
                      int64_t least) {
  const gg__pooling_props *p = a->props;

  for (int d = 0; d < GA_POOLING_ND; d++) {
    const int64_t low = d < p->nd ? least : 0;
    const int64_t high = d < p->nd ? INT32_MAX / 4 : 0;

    if (v[d] < low || v[d] > high)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %d: %s is %lld, expected %lld to %lld", d, name,
                        (long long)v[d], (long long)low, (long long)high);
  }
  return GA_NO_ERROR;
}

static int check_operands(const gg_apply *a) {
  const gg__pooling_props *p = a->props;
  const ga__kind kind = ga__dtype_kind(gg_var_type(a->in[0])->dtype);

  if (gg__rank(a, 0) < (unsigned int)p->nd)
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld pooled dimensions of %u",
                      (long long)p->nd, gg__rank(a, 0));
  for (unsigned int i = 1; i < a->n_in; i++)
    GA_TRY(gg__check_ranks(a, 0, i));
  if (kind == GA_KIND_COMPLEX || kind == GA_KIND_BOOL)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR, "expected real numbers");
  if (a->n_in == 3 && gg_var_type(a->in[1])->dtype != GA_LONG)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected indices of int64");
  return GA_NO_ERROR;
}

static int check_pooling(const gg_apply *a) {
  const gg__pooling_props *p = a->props;
  const int64_t flags = GA_POOLING_CEIL | GA_POOLING_COUNT_PADDING |
                        GA_POOLING_COUNT_ALL | GA_POOLING_ADAPTIVE;

  if (p->nd < 1 || p->nd > GA_POOLING_ND)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "%lld pooled dimensions, expected 1 to %d",
                      (long long)p->nd, GA_POOLING_ND);
  if ((p->flags & ~flags) != 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "flags %lld, expected 0 to %lld",
                      (long long)p->flags, (long long)flags);
  const int64_t least = !(p->flags & GA_POOLING_ADAPTIVE);
  GA_TRY(check_list(a, "size", p->size, 1));
  GA_TRY(check_list(a, "stride", p->stride, least));
  GA_TRY(check_list(a, "dilation", p->dilation, least));
  GA_TRY(check_list(a, "before", p->before, 0));
  GA_TRY(check_list(a, "after", p->after, 0));
  return check_operands(a);
}

/* --- builders --- */

/* Members of an adaptive geometry that are not used become 0, so that equal
 * nodes are equal bytes. */
static void set_props(gg__pooling_props *p, const GpuPooling *g) {
  const int is_adaptive = (g->flags & GA_POOLING_ADAPTIVE) != 0;

  *p = (gg__pooling_props){.nd = g->nd, .flags = g->flags};
  for (unsigned int d = 0; d < g->nd && d < GA_POOLING_ND; d++) {
    p->size[d] = gg__as_property(g->size[d]);
    p->stride[d] = is_adaptive ? 0 : gg__as_property(g->stride[d]);
    p->dilation[d] = is_adaptive ? 0 : gg__as_property(g->dilation[d]);
    p->before[d] = is_adaptive ? 0 : gg__as_property(g->before[d]);
    p->after[d] = is_adaptive ? 0 : gg__as_property(g->after[d]);
  }
}

static gg_var *pooled(const gg_op *op, gg_var *x, const GpuPooling *g) {
  gg__pooling_props p;

  if (x == NULL)
    return NULL;
  if (g == NULL)
    return gg__refuse(op, 1, &x, GA_INVALID_ERROR, "no geometry");
  set_props(&p, g);
  return gg__apply_checked(op, &p, 1, &x, check_pooling);
}

gg_var *gg_pool_max(gg_var *x, const GpuPooling *p) {
  return pooled(&gg__op_pool_max, x, p);
}

gg_var *gg_pool_indices(gg_var *x, const GpuPooling *p) {
  return pooled(&gg__op_pool_indices, x, p);
}

/* x as floats. */
static gg_var *to_float(gg_var *x) {
  return x != NULL ? gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype)) : NULL;
}

gg_var *gg_pool_mean(gg_var *x, const GpuPooling *p) {
  return pooled(&gg__op_pool_mean, to_float(x), p);
}

gg_var *gg_pool_norm(gg_var *x, double q, const GpuPooling *p) {
  static const gg_op op = {.name = "pool_norm"};

  if (x == NULL)
    return NULL;
  if (!(q > 0 && isfinite(q)))
    return gg__refuse(&op, 1, &x, GA_VALUE_ERROR,
                      "the exponent is %g, expected a finite one above 0", q);
  if (p == NULL || p->nd > GA_POOLING_ND || (p->flags & GA_POOLING_ADAPTIVE))
    return gg__refuse(&op, 1, &x, GA_VALUE_ERROR,
                      "no geometry, or an adaptive one");
  gg_graph *g = gg_var_graph(x);
  GpuPooling own = *p;
  double count = 1;
  for (unsigned int d = 0; d < p->nd; d++)
    count *= (double)p->size[d];
  own.flags = (p->flags & GA_POOLING_CEIL) | GA_POOLING_COUNT_ALL;
  const gg_parts *outer = gg_parts_begin(g, &op, 1, &x, NULL);
  x = to_float(x);
  gg_var *sum = gg_pool_mean(gg_pow(gg_abs(x), gg_weak(g, q)), &own);
  return gg_parts_end(
      g, outer, gg_pow(gg_mul(sum, gg_weak(g, count)), gg_weak(g, 1 / q)));
}

gg_var *gg_pool_global(gg_var *x, gg_pool_kind kind, unsigned int n, double q) {
  const gg_op *op = GG_CALLED("pool_global");
  int axes[GG_MAX_ND];

  if (!gg__given(op, 1, &x))
    return NULL;
  if (n < 1 || n > gg__rank_of(x) || (unsigned int)kind > GG_POOL_NORM)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "kind %d, %u axes of %u, expected 1 or more", (int)kind,
                      n, gg__rank_of(x));
  if (kind == GG_POOL_NORM && !(q > 0 && isfinite(q)))
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "the exponent is %g, expected a finite one above 0", q);
  for (unsigned int d = 0; d < n; d++)
    axes[d] = (int)d - (int)n;
  if (kind == GG_POOL_MAX)
    return gg_reduce(GG_MAX, x, n, axes, 1);
  if (kind == GG_POOL_MEAN)
    return gg_mean_axes(to_float(x), n, axes, 1);
  gg_graph *g = gg_var_graph(x);
  gg_var *powers = gg_pow(gg_abs(to_float(x)), gg_weak(g, q));
  return gg_pow(gg_reduce(GG_SUM, powers, n, axes, 1), gg_weak(g, 1 / q));
}

/* y put at `index` into zeros of the sizes of `like`, the last n axes as one.
 * Indices below 0 put into one more place, which is cut off. */
static gg_var *put_joined(gg_var *y, gg_var *index, unsigned int n,
                          gg_var *like) {
  const unsigned int nd = gg_var_type(like)->nd, lead = nd - n;
  gg_graph *g = gg_var_graph(like);
  gg_var *more = gg__number_of(like, lead, nd), *sizes[GG_MAX_ND];
  gg_var *at = gg_where(gg_lt(index, gg_weak_int(g, 0)), more, index);

  if (at == NULL)
    return NULL;
  for (unsigned int d = 0; d < lead; d++)
    sizes[d] = gg_shape(like, (int)d);
  sizes[lead] = gg__number_add(more, gg_i64(g, 1));
  gg_var *all =
      gg_put_along(gg_alloc(gg__num(y, 0), lead + 1, sizes), (int)lead,
                   join_last(at, n), join_last(y, n), GG_PUT_SET);
  return gg_slice(all, (int)lead, 0, -1, 1);
}

/* Nonzero if the known sizes of (y, indices, like) fit. */
static int check_unpool(const gg_op *op, gg_var *const *in, unsigned int n) {
  const unsigned int nd = gg__rank_of(in[2]);

  if (n < 1 || n > nd || gg__rank_of(in[0]) != nd || gg__rank_of(in[1]) != nd) {
    gg__refuse(op, 3, in, GA_VALUE_ERROR,
               "%u axes of arrays of different ranks", n);
    return 0;
  }
  if (!gg__is_integer(gg_var_type(in[1])->dtype)) {
    gg__refuse(op, 3, in, GA_VALUE_ERROR, "indices are integers");
    return 0;
  }
  for (unsigned int i = 0; i < 3; i += 2)
    for (unsigned int d = 0; d < (i == 0 ? nd : nd - n); d++) {
      const int64_t size = gg_var_type(in[i])->dims[d];
      const int64_t indices = gg_var_type(in[1])->dims[d];

      if (size != indices && size != GG_ANY && indices != GG_ANY) {
        gg__refuse(op, 3, in, GA_VALUE_ERROR,
                   "dim %u: %lld indices, operand %u has %lld elements", d,
                   (long long)indices, i, (long long)size);
        return 0;
      }
    }
  return 1;
}

gg_var *gg_unpool(gg_var *y, gg_var *indices, unsigned int n, gg_var *like) {
  static const gg_op op = {.name = "unpool"};
  gg_var *const in[3] = {y, indices, like};

  if (!gg__given(&op, 3, in) || !check_unpool(&op, in, n))
    return NULL;
  gg_graph *const g = gg_var_graph(y);
  const gg_parts *outer = gg_parts_begin(
      g, &op, 3, in,
      "an index for each element, and equal sizes of the axes in front");
  return gg_parts_end(g, outer,
                      gg__reshape_like(put_joined(y, indices, n, like), like));
}

/* --- in texts and files --- */

#define LIST(member)                                                           \
  {                                                                            \
    GG_FIELD(#member, INT64, gg__pooling_props, member),                       \
        .most = GA_POOLING_ND, .count_at = offsetof(gg__pooling_props, nd)     \
  }

static const gg_field fields[] = {
    LIST(size),
    LIST(stride),
    LIST(dilation),
    LIST(before),
    LIST(after),
    {GG_FIELD("flags", INT64, gg__pooling_props, flags), .optional = 1}};

const gg_op_form gg__forms_pooled[] = {
    GG_FORM_PROPS(pool_max, "n", fields, check_pooling),
    GG_FORM_PROPS(pool_indices, "n", fields, check_pooling),
    GG_FORM_PROPS(pool_mean, "f", fields, check_pooling),
    GG_FORM_PROPS(pool_mean_back, "FF", fields, check_pooling),
    GG_FORM_PROPS(pool_pick, "FiF", fields, check_pooling),
    GG_FORMS_END};
