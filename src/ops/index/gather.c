/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements and slices by index along an axis: take reads them, put sets them or
 * combines values with them. */
#include <gpuarray/index.h>
#include <gpugraph/gather.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/index/picks.h"

/* --- nodes --- */

static gg_var *take_at(gg_var *x, unsigned int axis, gg_var *index) {
  const gg__axis_props p = {axis};

  return gg_op_apply(NULL, &gg__op_take, &p, 2, (gg_var *[]){x, index});
}

static gg_var *put_at(gg_var *x, unsigned int axis, gg_var *index, gg_var *v,
                      gg_put_op how) {
  const gg__put_props p = {axis, (int)how};

  return gg_op_apply(NULL, &gg__op_put, &p, 3, (gg_var *[]){x, index, v});
}

/* --- take --- */

static unsigned int axis_of(const gg_apply *a) {
  return ((const gg__axis_props *)a->props)->axis;
}

static int infer_take(const gg_apply *a, gg_type *out) {
  return gg__picks_infer(a, axis_of(a), out);
}

static int shape_take(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  const unsigned int axis = axis_of(a);
  size_t total = 1;

  (void)host;
  GA_TRY(gg__picks_shape(a, axis, in, out));
  for (unsigned int d = 0; d < out->nd; d++)
    total = out->dim[d] == 0 ? 0 : total;
  if (in[0].dim[axis] == 0 && total != 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "there are no rows to take");
  return GA_NO_ERROR;
}

static int prepare_elements(const gg_prepare *p, GpuLaunch **out,
                            const GpuArray *index) {
  const unsigned int axis = axis_of(p->apply);
  GpuArray x = {0};
  int err;

  GA_CHECK(gg__picks_source(p, axis, &x));
  GA_CHECK(GpuArray_gather_prepare(out, p->out[0], &x, index, axis));
done:
  GpuArray_clear(&x);
  return err;
}

static int prepare_view(const gg_prepare *p, GpuLaunch **out,
                        const GpuArray *index, int is_slices) {
  const unsigned int axis = axis_of(p->apply);

  if (!is_slices)
    return prepare_elements(p, out, index);
  if (axis == 0 && GpuArray_IS_C_CONTIGUOUS(index))
    return GpuArray_take1_prepare(out, p->out[0], p->in[0], index);
  return GpuArray_take_prepare(out, p->out[0], p->in[0], index, axis);
}

static int prepare_take(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  GpuArray index = {0};
  int is_slices, err;

  slot_out[0] = 0;
  slot_in[0] = 1;
  slot_in[1] = 2;
  GA_CHECK(gg__picks_view(p, axis_of(p->apply), &index, &is_slices));
  GA_CHECK(prepare_view(p, out, &index, is_slices));
done:
  GpuArray_clear(&index);
  return err;
}

static int reference_take(const gg_prepare *p) {
  const unsigned int axis = axis_of(p->apply);
  const size_t bytes = ga__dtype_size(p->in[0]->typecode);
  const size_t n = gg__picks_count(p, axis);
  int is_out;

  for (size_t k = 0; k < n; k++)
    memcpy((char *)p->to[0] + k * bytes,
           (const char *)p->from[0] + gg__pick(p, axis, k, &is_out) * bytes,
           bytes);
  return GA_NO_ERROR;
}

static int grad_take(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const in[3] = {a->in[0], a->in[1], gout[0]};

  gin[0] = gg_op_apply(NULL, &gg__op_take_grad, a->props, 3, in);
  return GA_NO_ERROR;
}

static int takes(const gg_apply *a) {
  return gg__picks_elements(a) ? (int)axis_of(a) : -1;
}

const gg_op gg__op_take = {.name = "take",
                           .kind = GG_OP_KERNEL,
                           .complex_use = GG_PARTS,
                           .half_ok = 1,
                           .props_bytes = sizeof(gg__axis_props),
                           .n_out = 1,
                           .infer = infer_take,
                           .shape = shape_take,
                           .grad = grad_take,
                           .prepare = prepare_take,
                           .takes = takes,
                           .reference = reference_take,
                           .print = gg__axis_print};

/* --- the gradient of take --- */

static int infer_take_grad(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  out->dtype = gg_var_type(a->in[2])->dtype;
  return GA_NO_ERROR;
}

/* The axes along which x repeats, which join that of the indices, as they lie
 * in the gradient: those of `pattern` from `axis` on, n of them. */
typedef struct joining {
  int pattern[GG_MAX_ND], back[GG_MAX_ND], rest[GG_MAX_ND];
  unsigned int n, axis, nd;
} joining;

static void find_joining(joining *j, const gg_apply *a) {
  const gg_type *x = gg_var_type(a->in[0]), *g = gg_var_type(a->in[2]);
  unsigned int n = 0, left = 0;
  int repeats[GG_MAX_ND];

  *j = (joining){.nd = x->nd};
  for (unsigned int d = 0; d < x->nd; d++)
    repeats[d] = d != axis_of(a) && x->dims[d] == 1 && g->dims[d] != 1;
  for (unsigned int d = 0; d < x->nd; d++) {
    for (unsigned int k = 0; d == axis_of(a) && k < x->nd; k++)
      if (repeats[k])
        j->pattern[n++] = (int)k;
    if (d == axis_of(a))
      j->axis = left;
    j->back[d] = repeats[d] ? -1 : (int)left;
    if (repeats[d])
      continue;
    j->rest[left++] = (int)d;
    j->pattern[n++] = (int)d;
  }
  j->n = x->nd - left + 1;
}

/* v, which has the shape of the gradient, with the joined axes as one. */
static gg_var *join_axes(const joining *j, gg_var *v) {
  gg_var *sizes[GG_MAX_ND];
  const unsigned int nd = j->nd - j->n + 1;

  v = gg_dimshuffle(v, j->nd, j->pattern);
  if (v == NULL)
    return NULL;
  for (unsigned int d = 0; d < nd; d++)
    sizes[d] = gg_shape(v, (int)(d < j->axis ? d : d + j->n - 1));
  for (unsigned int k = 0; k + 1 < j->n; k++)
    sizes[j->axis] = gg_mul(sizes[j->axis], gg_shape(v, (int)(j->axis + k)));
  return gg_reshape_sizes(v, nd, sizes);
}

static gg_var *put_back(const gg_apply *a, gg_var *index) {
  gg_var *const x = a->in[0], *const g = a->in[2];
  joining j;

  find_joining(&j, a);
  if (j.n == 1)
    return put_at(gg_fill(x, gg__num(g, 0)), axis_of(a), index, g, GG_PUT_ADD);
  gg_var *const zeros =
      gg_fill(gg_dimshuffle(x, j.nd - j.n + 1, j.rest), gg__num(g, 0));
  gg_var *const y = put_at(zeros, j.axis, join_axes(&j, gg_fill(g, index)),
                           join_axes(&j, g), GG_PUT_ADD);
  return y != NULL ? gg_dimshuffle(y, j.nd, j.back) : NULL;
}

/* The gradient is put with GG_PUT_ADD, in the order of the indices, so two runs
 * give the same bits. Indices out of range are clamped, as in take. */
static int lower_take_grad(const gg_apply *a, gg_var **out) {
  gg_var *const x = a->in[0];
  gg_var *const zero = gg_i64(gg_var_graph(x), 0);
  gg_var *const one = gg_i64(gg_var_graph(x), 1);
  gg_var *const n = gg_shape(x, (int)axis_of(a));
  gg_var *const last = gg_sub(n, one);
  const int is_signed =
      ga__dtype_kind(gg_var_type(a->in[1])->dtype) == GA_KIND_INT;
  gg_var *index = is_signed ? a->in[1] : gg_cast(a->in[1], GA_LONG);

  /* As int64, large unsigned indices are negative. */
  index =
      gg_where(gg_lt(index, zero), is_signed ? gg_add(index, n) : last, index);
  index = gg_clip(index, zero, last);
  out[0] = put_back(a, index);
  return GA_NO_ERROR;
}

static int grad_take_grad(const gg_apply *a, gg_var *const *gout,
                          gg_var **gin) {
  gin[2] = take_at(gout[0], axis_of(a), a->in[1]);
  return GA_NO_ERROR;
}

const gg_op gg__op_take_grad = {.name = "take_grad",
                                .kind = GG_OP_MACRO,
                                .complex_use = GG_PARTS,
                                .props_bytes = sizeof(gg__axis_props),
                                .n_out = 1,
                                .shape_only = 1,
                                .infer = infer_take_grad,
                                .shape = gg__shape_first,
                                .grad = grad_take_grad,
                                .lower = lower_take_grad,
                                .print = gg__axis_print};

/* --- put --- */

static const gg__put_props *props_of(const gg_apply *a) {
  return a->props;
}

static int infer_put(const gg_apply *a, gg_type *out) {
  const int dtype = gg_var_type(a->in[0])->dtype, how = props_of(a)->how;
  gg_type picks;

  if (ga__dtype_is_complex(dtype) && how != GG_PUT_SET && how != GG_PUT_ADD)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR,
                      "%s has no products and extrema by index",
                      ga__dtype_name(dtype));
  GA_TRY(gg__picks_infer(a, props_of(a)->axis, &picks));
  return gg__infer_first(a, out);
}

static int shape_put(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  gg_dims picks;

  (void)host;
  *out = in[0];
  GA_TRY(gg__picks_shape(a, props_of(a)->axis, in, &picks));
  for (unsigned int i = 0; i < picks.nd; i++)
    if (in[2].dim[i] != picks.dim[i])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the values have %zu, expected %zu", i,
                        in[2].dim[i], picks.dim[i]);
  return GA_NO_ERROR;
}

static int prepare_put_view(const gg_prepare *p, GpuLaunch **out,
                            const GpuArray *index, int is_slices) {
  static const ga_put_op ops[] = {[GG_PUT_SET] = GA_PUT_SET,
                                  [GG_PUT_ADD] = GA_PUT_ADD,
                                  [GG_PUT_MUL] = GA_PUT_MUL,
                                  [GG_PUT_MAX] = GA_PUT_MAX,
                                  [GG_PUT_MIN] = GA_PUT_MIN};
  const gg__put_props *props = props_of(p->apply);

  return is_slices ? GpuArray_put_prepare(out, p->out[0], index, p->in[2],
                                          props->axis, ops[props->how])
                   : GpuArray_scatter_prepare(out, p->out[0], index, p->in[2],
                                              props->axis, ops[props->how]);
}

static int prepare_put(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  GpuArray index = {0};
  int done, is_slices, err;

  GA_TRY(gg__prepare_first(p, out, slot_in, slot_out, &done));
  if (done)
    return GA_NO_ERROR;
  slot_out[0] = 0;
  slot_in[2] = 1;
  slot_in[1] = 2;
  GA_CHECK(gg__picks_view(p, props_of(p->apply)->axis, &index, &is_slices));
  GA_CHECK(prepare_put_view(p, out, &index, is_slices));
done:
  GpuArray_clear(&index);
  return err;
}

static double combined(int how, double a, double v) {
  switch (how) {
  case GG_PUT_ADD:
    return a + v;
  case GG_PUT_MUL:
    return a * v;
  case GG_PUT_MAX:
    return a >= v || isnan(a) ? a : v;
  case GG_PUT_MIN:
    return a <= v || isnan(a) ? a : v;
  default:
    return v;
  }
}

static void put_one(int how, int dtype, char *to, const char *from) {
  const int part = ga__dtype_real(dtype);
  const size_t bytes = ga__dtype_size(part);

  if (part != dtype && how != GG_PUT_SET) { /* complex: both parts are added */
    put_one(how, part, to, from);
    put_one(how, part, to + bytes, from + bytes);
  } else if (how == GG_PUT_SET)
    memcpy(to, from, ga__dtype_size(dtype));
  else
    ga__dtype_from_double(dtype, to,
                          combined(how, ga__dtype_to_double(dtype, to),
                                   ga__dtype_to_double(dtype, from)));
}

static int reference_put(const gg_prepare *p) {
  const gg__put_props *props = props_of(p->apply);
  const GpuArray *const x = p->in[0];
  const size_t item = ga__dtype_size(x->typecode);
  const size_t n = gg__picks_count(p, props->axis);
  size_t all = item;
  int is_out;

  for (unsigned int d = 0; d < x->nd; d++)
    all *= x->dimensions[d];
  if (all != 0)
    memcpy(p->to[0], p->from[0], all);
  for (size_t k = 0; k < n && all != 0; k++) {
    const size_t at = gg__pick(p, props->axis, k, &is_out);
    if (!is_out)
      put_one(props->how, x->typecode, (char *)p->to[0] + at * item,
              (const char *)p->from[2] + k * item);
  }
  return GA_NO_ERROR;
}

/* --- gradients of put --- */

/* A put, and the gradient g for its result. */
typedef struct grads {
  unsigned int axis;
  gg_var *x, *index, *v, *out, *g;
} grads;

static gg_var *taken(const grads *s, gg_var *x) {
  return take_at(x, s->axis, s->index);
}

/* x with v, cast to the dtype of x, put into it. */
static gg_var *with(const grads *s, gg_var *x, gg_var *v, gg_put_op how) {
  return put_at(x, s->axis, s->index, gg_cast(v, gg_var_type(x)->dtype), how);
}

/* The gradient for v is g times the product of the other factors: the product
 * divided by v or, where v is 0, the product of the other values and x, which
 * is 0 if there is another zero. */
static void grad_mul(const grads *s, gg_var **gin) {
  gg_var *const zero = gg__num(s->v, 0), *const one = gg__num(s->v, 1);
  gg_var *const is_zero = gg_eq(s->v, zero);
  gg_var *const rest = with(s, s->x, gg_where(is_zero, one, s->v), GG_PUT_MUL);
  gg_var *const zeros =
      with(s, gg_zeros_like(s->x), gg_cast(is_zero, gg_var_type(s->v)->dtype),
           GG_PUT_ADD);
  gg_var *const others = gg_where(
      gg_gt(taken(s, zeros), gg_cast(is_zero, gg_var_type(s->v)->dtype)), zero,
      taken(s, rest));

  gin[0] = with(s, s->g, s->v, GG_PUT_MUL);
  gin[2] = gg_mul(
      taken(s, s->g),
      gg_where(is_zero, others, gg_div(others, gg_where(is_zero, one, s->v))));
}

/* All values and elements that equal the extremum get equal parts of its
 * gradient. */
static void grad_extremum(const grads *s, gg_var **gin) {
  const int dtype = gg_var_type(s->g)->dtype;
  gg_var *const x_is = gg_cast(gg_eq(s->x, s->out), dtype);
  gg_var *const v_is = gg_cast(gg_eq(s->v, taken(s, s->out)), dtype);
  gg_var *const share = gg_div(s->g, with(s, x_is, v_is, GG_PUT_ADD));

  gin[0] = gg_where(gg_eq(s->x, s->out), share, gg__num(s->g, 0));
  gin[2] = gg_where(gg_eq(s->v, taken(s, s->out)), taken(s, share),
                    gg__num(s->g, 0));
}

/* g where values were put, 0 where their indices are out of range. */
static gg_var *where_put(const grads *s, gg_var *g) {
  const unsigned int nd = gg_var_type(s->x)->nd;
  gg_var *const zero = gg_i64(gg_var_graph(g), 0);
  gg_var *const n = gg_shape(s->x, (int)s->axis);
  gg_var *const i = gg_cast(s->index, GA_LONG);
  const int is_signed =
      ga__dtype_kind(gg_var_type(s->index)->dtype) == GA_KIND_INT;
  gg_var *is_put = gg_and(gg_ge(i, is_signed ? gg_neg(n) : zero), gg_lt(i, n));
  int pattern[GG_MAX_ND];

  for (unsigned int d = 0; d < nd; d++)
    pattern[d] = d == s->axis ? 0 : -1;
  if (is_put != NULL && gg_var_type(is_put)->nd != nd)
    is_put = gg_dimshuffle(is_put, nd, pattern);
  return gg_where(is_put, g, gg__num(g, 0));
}

static int grad_put(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const grads s = {props_of(a)->axis, a->in[0],  a->in[1],
                   a->in[2],          a->out[0], gout[0]};

  switch (props_of(a)->how) {
  case GG_PUT_MUL:
    grad_mul(&s, gin);
    break;
  case GG_PUT_MAX:
  case GG_PUT_MIN:
    grad_extremum(&s, gin);
    break;
  case GG_PUT_ADD:
    gin[0] = s.g;
    gin[2] = taken(&s, s.g);
    break;
  default:
    gin[0] = with(&s, s.g, gg_zeros_like(s.v), GG_PUT_SET);
    gin[2] = taken(&s, s.g);
  }
  gin[2] = where_put(&s, gin[2]);
  return GA_NO_ERROR;
}

static const char *const words[] = {
    [GG_PUT_SET] = "set", [GG_PUT_ADD] = "add", [GG_PUT_MUL] = "mul",
    [GG_PUT_MAX] = "max", [GG_PUT_MIN] = "min", NULL};

static void print_put(const gg_apply *a, char *buf, size_t bytes) {
  const gg__put_props *p = props_of(a);

  snprintf(buf, bytes, "axis=%u%s%s", p->axis, p->how != 0 ? ", " : "",
           p->how != 0 ? words[p->how] : "");
}

const gg_op gg__op_put = {.name = "put",
                          .kind = GG_OP_KERNEL,
                          .complex_use = GG_ANALYTIC,
                          .half_ok = 1,
                          .props_bytes = sizeof(gg__put_props),
                          .n_out = 1,
                          .infer = infer_put,
                          .shape = shape_put,
                          .grad = grad_put,
                          .parts = gg__parts_first,
                          .prepare = prepare_put,
                          .destroys = gg__destroys_first,
                          .reference = reference_put,
                          .print = print_put};

/* --- builders --- */

gg_var *gg_take(gg_var *x, gg_var *index) {
  if (!gg__given(&gg__op_take, 2, (gg_var *[]){x, index}))
    return NULL;
  if (gg_var_type(x)->nd == 0 || gg_var_type(index)->nd != 1 ||
      !gg__is_integer(gg_var_type(index)->dtype))
    return gg__refuse(&gg__op_take, 2, (gg_var *[]){x, index}, GA_VALUE_ERROR,
                      "expected rows and a vector of integers");
  return take_at(x, 0, index);
}

gg_var *gg_take_axis(gg_var *x, int axis, gg_var *index) {
  unsigned int k;

  if (!gg__check_picks(&gg__op_take, x, axis, index, 0, &k))
    return NULL;
  /* A map that follows can read columns by index. */
  if (k + 1 == gg_var_type(x)->nd)
    index = gg__pad_rank(index, k);
  return index != NULL ? take_at(x, k, index) : NULL;
}

gg_var *gg_take_along(gg_var *x, int axis, gg_var *index) {
  unsigned int k;

  if (!gg__check_picks(&gg__op_take, x, axis, index, 1, &k))
    return NULL;
  return take_at(x, k, index);
}

/* Give v the dtype of x and the shape of the picks, and put it. */
static gg_var *put(gg_var *x, int axis, gg_var *index, gg_var *v, gg_put_op how,
                   int elements) {
  unsigned int k;

  if (!gg__given(&gg__op_put, 3, (gg_var *[]){x, index, v}) ||
      !gg__check_picks(&gg__op_put, x, axis, index, elements, &k))
    return NULL;
  if ((int)how < GG_PUT_SET || how > GG_PUT_MIN)
    return gg__refuse(&gg__op_put, 2, (gg_var *[]){x, index}, GA_VALUE_ERROR,
                      "unknown operation %d", (int)how);
  /* Used for its shape alone. */
  gg_var *const part = take_at(x, k, index);
  return part != NULL
             ? put_at(x, k, index,
                      gg_fill(part, gg_cast(v, gg_var_type(x)->dtype)), how)
             : NULL;
}

gg_var *gg_put(gg_var *x, int axis, gg_var *index, gg_var *v) {
  return put(x, axis, index, v, GG_PUT_SET, 0);
}

gg_var *gg_put_add(gg_var *x, int axis, gg_var *index, gg_var *v) {
  return put(x, axis, index, v, GG_PUT_ADD, 0);
}

gg_var *gg_put_with(gg_var *x, int axis, gg_var *index, gg_var *v,
                    gg_put_op how) {
  return put(x, axis, index, v, how, 0);
}

gg_var *gg_put_along(gg_var *x, int axis, gg_var *index, gg_var *v,
                     gg_put_op how) {
  return put(x, axis, index, v, how, 1);
}

/* --- in texts and files --- */

static int check_take(const gg_apply *a) {
  return gg__picks_check(a, axis_of(a));
}

/* (x, index, values) */
static int check_take_grad(const gg_apply *a) {
  GA_TRY(check_take(a));
  return gg__check_ranks(a, 0, 2);
}

static const gg_field axis_fields[] = {
    {GG_FIELD("axis", UINT, gg__axis_props, axis), .optional = 1}};

/* (x, index, values) */
static int check_put(const gg_apply *a) {
  GA_TRY(gg__picks_check(a, props_of(a)->axis));
  return gg__check_ranks(a, 0, 2);
}

static const gg_field put_fields[] = {
    {GG_FIELD("axis", UINT, gg__put_props, axis), .optional = 1},
    {GG_FIELD("op", WORD, gg__put_props, how), .words = words, .optional = 1}};

const gg_op_form gg__forms_gather[] = {
    GG_FORM_PROPS(take, "xi", axis_fields, check_take),
    GG_FORM_PROPS(take_grad, "xix", axis_fields, check_take_grad),
    GG_FORM_PROPS(put, "XiX", put_fields, check_put), GG_FORMS_END};
