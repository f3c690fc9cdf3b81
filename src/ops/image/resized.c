/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizing by interpolation. The sizes of the result are those of a second
 * operand that is not read. The gradient is a sum with the transposed bands. */
#include <gpugraph/pooling.h>
#include <math.h>
#include <stdio.h>

#include "ops/image/banded.h"
#include "ops/ops.h"

/* --- properties --- */

static GpuResize resize_of(const gg_apply *a, unsigned int d) {
  const gg__resize_props *p = a->props;

  return (GpuResize){.mode = (ga_resize_mode)p->mode,
                     .rule = (ga_resize_rule)p->rule,
                     .round = (ga_resize_round)p->round,
                     .antialias = p->antialias,
                     .exclude_outside = p->exclude_outside,
                     .cubic = p->cubic,
                     .scale = p->scale[d],
                     .start = p->start[d],
                     .end = p->end[d]};
}

static const char *const modes[] = {"nearest", "linear", "cubic", NULL};
static const char *const rules[] = {"half_pixel",
                                    "half_pixel_symmetric",
                                    "half_pixel_one",
                                    "align_corners",
                                    "asymmetric",
                                    "crop",
                                    NULL};
static const char *const rounds[] = {"round_down", "round_up", "floor", "ceil",
                                     NULL};

static void print_resize(const gg_apply *a, char *buf, size_t bytes) {
  const gg__resize_props *p = a->props;

  snprintf(buf, bytes, "%s %s%s", modes[p->mode], rules[p->rule],
           p->antialias ? " antialias" : "");
}

/* --- shapes --- */

/* Set the sizes of the result: those of `like`. All but the last n are also
 * those of the first operand. */
static int check_sizes(const gg_apply *a, unsigned int nd, const int64_t *x,
                       const int64_t *like, int64_t *out) {
  const gg__resize_props *p = a->props;

  for (unsigned int d = 0; d < nd; d++) {
    out[d] = like[d];
    if (d >= nd - (unsigned int)p->nd) {
      if (a->op == &gg__op_resize && like[d] == 0 && x[d] > 0)
        return gg_op_fail(a, GA_VALUE_ERROR,
                          "dim %u: %lld elements are resized to 0, expected 1 "
                          "or more",
                          d, (long long)x[d]);
      continue;
    }
    if (x[d] >= 0 && like[d] >= 0 && x[d] != like[d])
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: expected %lld, got %lld", d,
                        (long long)x[d], (long long)like[d]);
    out[d] = like[d] >= 0 ? like[d] : x[d];
  }
  return GA_NO_ERROR;
}

static int infer_resize(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);

  out->dtype = x->dtype;
  out->nd = x->nd;
  return check_sizes(a, x->nd, x->dims, gg_var_type(a->in[1])->dims, out->dims);
}

static int shape_resize(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  int64_t sizes[2][GG_MAX_ND], y[GG_MAX_ND];

  (void)host;
  for (unsigned int i = 0; i < 2; i++)
    for (unsigned int d = 0; d < in[0].nd; d++)
      sizes[i][d] = (int64_t)in[i].dim[d];
  GA_TRY(check_sizes(a, in[0].nd, sizes[0], sizes[1], y));
  *out = in[1];
  return GA_NO_ERROR;
}

static int grad_resize(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg_op *op =
      a->op == &gg__op_resize ? &gg__op_resize_back : &gg__op_resize;
  gg_var *const in[2] = {gout[0], a->in[0]};

  gin[0] = gg_op_apply(NULL, op, a->props, 2, in);
  return GA_NO_ERROR;
}

/* --- launches --- */

static int make_bands(gg__bands *b, const gg_prepare *p) {
  const gg__resize_props *props = p->apply->props;
  const int is_back = p->apply->op == &gg__op_resize_back;
  const GpuArray *x = p->in[is_back], *y = p->in[!is_back];
  const unsigned int n = (unsigned int)props->nd, lead = x->nd - n;

  *b = (gg__bands){.n = n};
  for (unsigned int d = 0; d < n; d++) {
    const GpuResize r = resize_of(p->apply, d);
    GA_TRY(GpuBand_resize(&b->band[d], &r, x->dimensions[lead + d],
                          y->dimensions[lead + d]));
    if (is_back)
      GA_TRY(gg__bands_turn(b, d));
  }
  return GA_NO_ERROR;
}

static int prepare_resize(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out) {
  gg__bands b;
  int err;

  slot_in[0] = 0;
  slot_out[0] = 2;
  GA_CHECK(make_bands(&b, p));
  GA_CHECK(GpuPooling_prepare(out, GA_POOLING_SUM, b.n, b.band, p->in[0], NULL,
                              p->out[0]));

done:
  gg__bands_clear(&b);
  return err;
}

static int post_resize(const gg_prepare *p, const GpuEpilogue *post,
                       void **args, GpuLaunch **out, int *slot_in,
                       unsigned int *slot_post) {
  gg__bands b;
  int err;

  slot_in[0] = 0;
  *slot_post = 3;
  GA_CHECK(make_bands(&b, p));
  GA_CHECK(GpuPooling_epilogue_prepare(out, GA_POOLING_SUM, b.n, b.band,
                                       p->in[0], NULL, post, args));

done:
  gg__bands_clear(&b);
  return err;
}

static int reference_resize(const gg_prepare *p) {
  const gg__bands_host h = {.op = GA_POOLING_SUM,
                            .dtype = p->in[0]->typecode,
                            .nd = p->in[0]->nd,
                            .x = p->in[0]->dimensions,
                            .from = p->from[0],
                            .value = p->to[0]};
  gg__bands b;
  int err;

  GA_CHECK(make_bands(&b, p));
  GA_CHECK(gg__bands_compute(&b, &h));

done:
  gg__bands_clear(&b);
  return err;
}

#define RESIZE_OP(text)                                                        \
  {                                                                            \
    .name = text, .kind = GG_OP_KERNEL, .half_ok = 1,                          \
    .props_bytes = sizeof(gg__resize_props), .n_out = 1, .shape_only = 2,      \
    .infer = infer_resize, .shape = shape_resize, .grad = grad_resize,         \
    .prepare = prepare_resize, .prepare_post = post_resize,                    \
    .reference = reference_resize, .print = print_resize                       \
  }

const gg_op gg__op_resize = RESIZE_OP("resize");
const gg_op gg__op_resize_back = RESIZE_OP("resize_back");

/* --- checks --- */

static int check_reals(const gg_apply *a) {
  const gg__resize_props *p = a->props;

  for (int d = 0; d < GA_POOLING_ND; d++) {
    const int is_used = d < p->nd;

    if (!isfinite(p->scale[d]) || p->scale[d] < 0 || !isfinite(p->start[d]) ||
        !isfinite(p->end[d]) ||
        (!is_used && (p->scale[d] != 0 || p->start[d] != 0 || p->end[d] != 0)))
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %d: scale %g, start %g, end %g",
                        d, p->scale[d], p->start[d], p->end[d]);
  }
  if (!isfinite(p->cubic))
    return gg_op_fail(a, GA_VALUE_ERROR, "the coefficient is %g", p->cubic);
  return GA_NO_ERROR;
}

static int check_resize(const gg_apply *a) {
  const gg__resize_props *p = a->props;
  const ga__kind kind = ga__dtype_kind(gg_var_type(a->in[0])->dtype);

  if (p->nd < 1 || p->nd > GA_POOLING_ND ||
      (unsigned int)p->nd > gg__rank(a, 0))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "%d resized dimensions of %u, expected 1 to %d", p->nd,
                      gg__rank(a, 0), GA_POOLING_ND);
  if ((unsigned int)p->mode > GA_RESIZE_CUBIC ||
      (unsigned int)p->rule > GA_RESIZE_CROP ||
      (unsigned int)p->round > GA_RESIZE_CEIL)
    return gg_op_fail(a, GA_VALUE_ERROR, "mode %d, rule %d, rounding %d",
                      p->mode, p->rule, p->round);
  GA_TRY(gg__check_ranks(a, 0, 1));
  GA_TRY(check_reals(a));
  if (kind == GA_KIND_FLOAT ||
      (p->mode == GA_RESIZE_NEAREST && a->op == &gg__op_resize &&
       (kind == GA_KIND_INT || kind == GA_KIND_UINT)))
    return GA_NO_ERROR;
  return gg_op_fail(a, GA_UNSUPPORTED_ERROR, "expected floats");
}

/* --- builders --- */

/* Set the properties. Returns 0 if axes differ in what they have in common. */
static int set_props(gg__resize_props *p, unsigned int n,
                     const GpuResize *how) {
  const GpuResize *r = &how[0];

  *p = (gg__resize_props){.nd = (int)n,
                          .mode = (int)r->mode,
                          .rule = (int)r->rule,
                          .round = (int)r->round,
                          .antialias = r->antialias != 0,
                          .exclude_outside = r->exclude_outside != 0,
                          .cubic = r->cubic};
  for (unsigned int d = 0; d < n; d++) {
    p->scale[d] = how[d].scale;
    p->start[d] = how[d].start;
    p->end[d] = how[d].end;
    if (how[d].mode != r->mode || how[d].rule != r->rule ||
        how[d].round != r->round || !how[d].antialias != !r->antialias ||
        !how[d].exclude_outside != !r->exclude_outside ||
        how[d].cubic != r->cubic)
      return 0;
  }
  return 1;
}

/* The size of an axis times a scale, rounded down. */
static gg_var *scaled_size(gg_var *x, int axis, double scale) {
  gg_graph *g = gg_var_graph(x);
  gg_var *size = gg_cast(gg_shape(x, axis), GA_DOUBLE);

  return gg_cast(gg_floor(gg_mul(size, gg_f64(g, scale))), GA_LONG);
}

/* Fill `to` with the sizes of the result. Nonzero if all are known to be. */
static int take_sizes(gg_var *x, unsigned int n, const GpuResize *how,
                      gg_var *const *sizes, gg_var **to) {
  const unsigned int nd = gg_var_type(x)->nd;

  for (unsigned int d = 0; d < nd; d++) {
    const unsigned int k = d - (nd - n);

    if (d >= nd - n && sizes == NULL && !(how[k].scale > 0)) {
      gg__refuse(&gg__op_resize, 1, &x, GA_VALUE_ERROR,
                 "dim %u: no size and scale %g", k, how[k].scale);
      return 0;
    }
    to[d] = d < nd - n      ? gg_shape(x, (int)d)
            : sizes != NULL ? sizes[k]
                            : scaled_size(x, (int)d, how[k].scale);
  }
  return 1;
}

gg_var *gg_resize(gg_var *x, unsigned int n, const GpuResize *how,
                  gg_var *const *sizes) {
  gg_var *to[GG_MAX_ND];
  gg__resize_props p;

  if (!gg__given_beside(&gg__op_resize, x, n, sizes))
    return NULL;
  const unsigned int nd = gg_var_type(x)->nd;
  if (n < 1 || n > GA_POOLING_ND || n > nd || how == NULL ||
      !set_props(&p, n, how))
    return gg__refuse(&gg__op_resize, 1, &x, GA_VALUE_ERROR,
                      "%u axes of %u, expected 1 to %d that are resized in the "
                      "same way",
                      n, nd, GA_POOLING_ND);
  if (!take_sizes(x, n, how, sizes, to))
    return NULL;
  if (p.mode != GA_RESIZE_NEAREST)
    x = gg_cast(x, gg__float_dtype(gg_var_type(x)->dtype));
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer =
      gg_parts_begin(g, &gg__op_resize, 1, &x, "sizes are those of an array");
  gg_var *const in[2] = {x, gg_alloc(gg__num(x, 0), nd, to)};
  return gg_parts_end(
      g, outer,
      in[1] != NULL ? gg__apply_checked(&gg__op_resize, &p, 2, in, check_resize)
                    : NULL);
}

/* --- in texts and files --- */

#define REAL(text, member)                                                     \
  { GG_FIELD(text, REAL, gg__resize_props, member) }
#define WORD(member, list)                                                     \
  { GG_FIELD(#member, WORD, gg__resize_props, member), .words = list }

static const gg_field fields[] = {
    {GG_FIELD("axes", INT, gg__resize_props, nd)},
    WORD(mode, modes),
    WORD(rule, rules),
    WORD(round, rounds),
    {GG_FIELD("antialias", FLAG, gg__resize_props, antialias), .optional = 1},
    {GG_FIELD("exclude_outside", FLAG, gg__resize_props, exclude_outside),
     .optional = 1},
    REAL("cubic", cubic),
    REAL("scale0", scale[0]),
    REAL("scale1", scale[1]),
    REAL("scale2", scale[2]),
    REAL("start0", start[0]),
    REAL("start1", start[1]),
    REAL("start2", start[2]),
    REAL("end0", end[0]),
    REAL("end1", end[1]),
    REAL("end2", end[2])};

const gg_op_form gg__forms_resized[] = {
    GG_FORM_PROPS(resize, "Nx", fields, check_resize),
    GG_FORM_PROPS(resize_back, "Fx", fields, check_resize), GG_FORMS_END};
