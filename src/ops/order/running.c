/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations, and the linear recurrence, by which their derivatives are
 * computed.
 *
 * The differential of each operation is dy[i] = a[i] dy[i - 1] + s[i] dx[i],
 * with factors a and s that follow from x. The forward derivative is this
 * recurrence, the gradient is one from the other end. */
#include <gpugraph/cumulate.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/alloc.h"
#include "ops/ops.h"
#include "ops/order/order_word.h"
#include "ops/order/running.h"
#include "ops/order/running_host.h"

enum { EXCLUSIVE = GA_CUMULATE_EXCLUSIVE, REVERSED = GA_CUMULATE_REVERSED };

/* Names by gg__cumulate_props.kind. */
static const char *const names[] = {"sum",    "prod",   "max",       "min",
                                    "any_of", "all_of", "logaddexp", NULL};

int gg__cumulate_flags(const gg__cumulate_props *p) {
  return (p->exclusive ? EXCLUSIVE : 0) | (p->reversed ? REVERSED : 0);
}

/* --- nodes --- */

static gg__cumulate_props props_of(ga_cumulate_op op, unsigned int axis,
                                   int flags) {
  return (gg__cumulate_props){.kind = op == GA_CUMULATE_EXPR ? 0 : (int)op - 1,
                              .axis = axis,
                              .exclusive = (flags & EXCLUSIVE) != 0,
                              .reversed = (flags & REVERSED) != 0};
}

static gg_var *cumulate(ga_cumulate_op op, gg_var *x, unsigned int axis,
                        int flags) {
  const gg__cumulate_props p = props_of(op, axis, flags);

  return gg_op_apply(NULL, &gg__op_cumulate, &p, 1, &x);
}

gg_var *gg__recurrence(gg_var *a, gg_var *b, unsigned int axis, int flags) {
  const gg__cumulate_props p = props_of(GA_CUMULATE_EXPR, axis, flags);
  gg_var *const in[2] = {a, b};

  return gg_op_apply(NULL, &gg__op_recurrence, &p, 2, in);
}

static int infer_cumulate(const gg_apply *a, gg_type *out) {
  const gg__cumulate_props *p = a->props;
  const ga_cumulate_op op = gg__cumulate_op(p);

  *out = *gg_var_type(a->in[0]);
  GA_ASSERT(p->axis < out->nd);
  if (op == GA_CUMULATE_ANY || op == GA_CUMULATE_ALL)
    out->dtype = GA_BOOL;
  else if ((op == GA_CUMULATE_SUM || op == GA_CUMULATE_PROD) &&
           (gg__is_integer(out->dtype) || out->dtype == GA_BOOL))
    out->dtype =
        ga__dtype_kind(out->dtype) == GA_KIND_UINT ? GA_ULONG : GA_LONG;
  return GA_NO_ERROR;
}

/* Both operands have the shape of the result, as far as it is known. */
static int infer_recurrence(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]), *y = gg_var_type(a->in[1]);

  *out = *x;
  for (unsigned int i = 0; i < x->nd; i++) {
    if (out->dims[i] == GG_ANY)
      out->dims[i] = y->dims[i];
    else if (y->dims[i] != GG_ANY && y->dims[i] != x->dims[i])
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %lld and %lld differ", i,
                        (long long)x->dims[i], (long long)y->dims[i]);
  }
  return GA_NO_ERROR;
}

static int shape_recurrence(const gg_apply *a, const gg_dims *in,
                            const double *const *host, gg_dims *out) {
  (void)host;
  *out = in[0];
  return gg__check_first(a, &in[0], &in[1]);
}

static void print_cumulate(const gg_apply *a, char *buf, size_t bytes) {
  const gg__cumulate_props *p = a->props;
  const int has_op = a->op == &gg__op_cumulate;

  snprintf(buf, bytes, "%s%saxis=%u%s%s", has_op ? names[p->kind] : "",
           has_op ? " " : "", p->axis, p->exclusive ? " exclusive" : "",
           p->reversed ? " reversed" : "");
}

/* --- launches --- */

int gg__cumulate_prepare(const gg_prepare *p, const GpuCumulationSpec *spec,
                         unsigned int n_read, void *const *rest,
                         GpuLaunch **out, int *slot_in) {
  const gg__cumulate_props *props = p->apply->props;
  void **args = ga__calloc(spec->n_args, sizeof *args);
  GpuCumulation *c = NULL;
  int err;

  *out = NULL;
  if (args == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < spec->n_args; i++) {
    args[i] = i < n_read ? p->in[i] : rest[i - n_read];
    if (i < n_read)
      slot_in[i] = (int)i;
  }
  GA_CHECK(GpuCumulation_new(&c, p->ctx, spec));
  GA_CHECK(GpuCumulation_prepare(out, c, p->in[0]->nd, p->in[0]->dimensions,
                                 props->axis, gg__cumulate_flags(props), args));

done:
  GpuCumulation_free(c);
  ga__free(args);
  return err;
}

/* Say how runs of a recurrence combine. */
static void write_rule(GpuCumulationSpec *spec, int dtype) {
  spec->map = "p_f = p_a; acc = p_b";
  if (ga__dtype_is_complex(dtype)) {
    spec->flags = 0;
    spec->combine = "p_f.r = p_f_a.r * p_f_b.r - p_f_a.i * p_f_b.i; "
                    "p_f.i = p_f_a.r * p_f_b.i + p_f_a.i * p_f_b.r; "
                    "acc.r = acc_a.r * p_f_b.r - acc_a.i * p_f_b.i + acc_b.r; "
                    "acc.i = acc_a.r * p_f_b.i + acc_a.i * p_f_b.r + acc_b.i";
    spec->neutral = "p_f.r = 1; p_f.i = 0; acc.r = 0; acc.i = 0";
    return;
  }
  spec->combine = "p_f = p_f_a * p_f_b; acc = acc_a * p_f_b + acc_b";
  spec->neutral = dtype == GA_DOUBLE
                      ? "p_f = (w_double)(1); acc = (w_double)(0)"
                      : "p_f = (w_float)(1); acc = (w_float)(0)";
}

/* The description of a node's cumulation, without written arguments and post.
 * A recurrence has two values: a run of elements maps the y before it to
 * p_f * y + acc. */
static GpuCumulationSpec describe(const gg_apply *a, gpuelemwise_arg *values,
                                  gpuelemwise_arg *args) {
  const int dtype = gg_var_type(a->out[0])->dtype;
  GpuCumulationSpec spec = {.op = GA_CUMULATE_EXPR,
                            .n_values = a->n_in,
                            .values = values,
                            .n_args = a->n_in,
                            .args = args,
                            .flags = GE_VECTOR};

  values[0] = (gpuelemwise_arg){"acc", dtype, GE_READ};
  values[1] = (gpuelemwise_arg){"p_f", dtype, GE_READ};
  args[0] = (gpuelemwise_arg){"p_a", gg_var_type(a->in[0])->dtype, GE_READ};
  if (a->op == &gg__op_cumulate) {
    spec.op = gg__cumulate_op(a->props);
    return spec;
  }
  args[1] = (gpuelemwise_arg){"p_b", dtype, GE_READ};
  write_rule(&spec, dtype);
  return spec;
}

static int prepare_cumulate(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                            int *slot_out) {
  gpuelemwise_arg values[2], args[3];
  GpuCumulationSpec spec = describe(p->apply, values, args);

  args[spec.n_args++] = (gpuelemwise_arg){"p_z", p->out[0]->typecode, GE_WRITE};
  if (spec.op == GA_CUMULATE_EXPR)
    spec.post = "p_z = acc";
  slot_out[0] = (int)p->n_in;
  return gg__cumulate_prepare(p, &spec, p->n_in, (void *[]){p->out[0]}, out,
                              slot_in);
}

static int post_cumulate(const gg_prepare *p, const GpuEpilogue *post,
                         void **rest, GpuLaunch **out, int *slot_in,
                         unsigned int *slot_post) {
  gpuelemwise_arg values[2], own[2];
  GpuCumulationSpec spec = describe(p->apply, values, own);
  const unsigned int n = p->n_in + post->n_args;
  gpuelemwise_arg *args = ga__calloc(n, sizeof *args);

  if (args == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < n; i++)
    args[i] = i < p->n_in ? own[i] : post->args[i - p->n_in];
  spec.n_args = n;
  spec.args = args;
  spec.post = post->text;
  spec.preamble = post->preamble;
  spec.flags = post->flags & GE_VECTOR;
  *slot_post = p->n_in;
  const int err = gg__cumulate_prepare(p, &spec, p->n_in, rest, out, slot_in);
  ga__free(args);
  return err;
}

/* --- derivatives --- */

/* The factors in dy[i] = a[i] dy[i - 1] + s[i] dx[i]. */
typedef struct linear {
  gg_var *a, *s;
} linear;

static linear linear_extreme(gg_var *x, gg_var *y) {
  gg_var *const zero = gg__num(x, 0), *const one = gg__num(x, 1);
  gg_var *const is_new = gg_or(gg_eq(x, y), gg_ne(x, x));

  return (linear){gg_where(is_new, zero, one), gg_where(is_new, one, zero)};
}

/* exp(a - b), or 0 where b, and so a, is -infinity. */
static gg_var *ratio(gg_var *a, gg_var *b) {
  gg_var *const none = gg_eq(b, gg__num(b, -INFINITY));

  return gg_where(none, gg__num(b, 0), gg_exp(gg_sub(a, b)));
}

static linear linearise(const gg_apply *n) {
  const gg__cumulate_props *p = n->props;
  const ga_cumulate_op op = gg__cumulate_op(p);
  gg_var *const x = n->in[0];
  const int way = p->reversed ? REVERSED : 0;

  if (op == GA_CUMULATE_PROD)
    return (linear){x, cumulate(op, x, p->axis, way | EXCLUSIVE)};
  gg_var *const y = cumulate(op, x, p->axis, way);
  if (op != GA_CUMULATE_LOGADDEXP)
    return linear_extreme(x, y);
  gg_var *const before = cumulate(op, x, p->axis, way | EXCLUSIVE);
  return (linear){ratio(before, y), ratio(x, y)};
}

/* The gradient for the addends of a recurrence with factors a, from the
 * gradient g for its results: a recurrence from the other end. */
static gg_var *backwards(gg_var *a, gg_var *g, const gg__cumulate_props *p) {
  const int way = (p->reversed ? 0 : REVERSED) | EXCLUSIVE;

  if (p->exclusive)
    return gg__recurrence(a, g, p->axis, way);
  return gg_add(g, gg__recurrence(a, gg_mul(a, g), p->axis, way));
}

static int grad_cumulate(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__cumulate_props *p = a->props;

  if (gg__cumulate_op(p) == GA_CUMULATE_SUM) {
    gin[0] = cumulate(GA_CUMULATE_SUM, gout[0], p->axis,
                      gg__cumulate_flags(p) ^ REVERSED);
  } else if (gg__cumulate_op(p) != GA_CUMULATE_ANY &&
             gg__cumulate_op(p) != GA_CUMULATE_ALL) {
    const linear f = linearise(a);
    gin[0] = gg_mul(f.s, backwards(f.a, gout[0], p));
  }
  return GA_NO_ERROR;
}

static int rop_cumulate(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  const gg__cumulate_props *p = a->props;

  if (gg__cumulate_op(p) == GA_CUMULATE_SUM) {
    dout[0] = cumulate(GA_CUMULATE_SUM, din[0], p->axis, gg__cumulate_flags(p));
  } else if (gg__cumulate_op(p) != GA_CUMULATE_ANY &&
             gg__cumulate_op(p) != GA_CUMULATE_ALL) {
    const linear f = linearise(a);
    dout[0] = gg__recurrence(f.a, gg_mul(f.s, din[0]), p->axis,
                             gg__cumulate_flags(p));
  }
  return GA_NO_ERROR;
}

/* y[i - 1] for each element i, where y are the inclusive results. */
static gg_var *results_before(const gg_apply *n) {
  const gg__cumulate_props *p = n->props;

  return p->exclusive ? n->out[0]
                      : gg__recurrence(n->in[0], n->in[1], p->axis,
                                       gg__cumulate_flags(p) | EXCLUSIVE);
}

static int grad_recurrence(const gg_apply *n, gg_var *const *gout,
                           gg_var **gin) {
  gin[1] = backwards(n->in[0], gout[0], n->props);
  gin[0] = gg_mul(gin[1], results_before(n));
  return GA_NO_ERROR;
}

static int rop_recurrence(const gg_apply *n, gg_var *const *din,
                          gg_var **dout) {
  const gg__cumulate_props *p = n->props;
  gg_var *d = din[1];

  if (din[0] != NULL) {
    gg_var *const da = gg_mul(din[0], results_before(n));
    d = d != NULL ? gg_add(d, da) : da;
  }
  if (d != NULL)
    dout[0] = gg__recurrence(n->in[0], d, p->axis, gg__cumulate_flags(p));
  return GA_NO_ERROR;
}

const gg_op gg__op_cumulate = {.name = "cumulate",
                               .kind = GG_OP_KERNEL,
                               .complex_use = GG_ANALYTIC,
                               .half_ok = 1,
                               .props_bytes = sizeof(gg__cumulate_props),
                               .n_out = 1,
                               .infer = infer_cumulate,
                               .shape = gg__shape_first,
                               .grad = grad_cumulate,
                               .rop = rop_cumulate,
                               .prepare = prepare_cumulate,
                               .prepare_post = post_cumulate,
                               .destroys = gg__destroys_first,
                               .reference = gg__cumulate_reference,
                               .print = print_cumulate};

const gg_op gg__op_recurrence = {.name = "recurrence",
                                 .kind = GG_OP_KERNEL,
                                 .complex_use = GG_ANALYTIC,
                                 .half_ok = 1,
                                 .props_bytes =
                                     offsetof(gg__cumulate_props, kind),
                                 .n_out = 1,
                                 .infer = infer_recurrence,
                                 .shape = shape_recurrence,
                                 .grad = grad_recurrence,
                                 .rop = rop_recurrence,
                                 .prepare = prepare_cumulate,
                                 .prepare_post = post_cumulate,
                                 .destroys = gg__destroys_first,
                                 .reference = gg__cumulate_reference,
                                 .print = print_cumulate};

/* --- builders --- */

int gg__cumulate_check_flags(const gg_op *op, unsigned int n, gg_var *const *in,
                             int flags) {
  if ((flags & ~(EXCLUSIVE | REVERSED)) == 0)
    return GA_NO_ERROR;
  gg__refuse(op, n, in, GA_VALUE_ERROR, "flags %#x are not known",
             (unsigned int)flags);
  return GA_VALUE_ERROR;
}

/* Change *op, and return x cast, so that kernels support them. */
static gg_var *normalise(ga_cumulate_op *op, gg_var *x) {
  const int dtype = gg_var_type(x)->dtype;

  if (dtype == GA_BOOL && *op == GA_CUMULATE_MAX)
    *op = GA_CUMULATE_ANY;
  if (dtype == GA_BOOL && *op == GA_CUMULATE_MIN)
    *op = GA_CUMULATE_ALL;
  if (*op == GA_CUMULATE_ANY || *op == GA_CUMULATE_ALL)
    return gg_cast(x, GA_BOOL);
  if (*op == GA_CUMULATE_LOGADDEXP)
    return gg_cast(x, gg__float_dtype(dtype));
  return x;
}

/* Nonzero if elements of x can be combined so. */
static int has_op(ga_cumulate_op op, gg_var *x) {
  const int dtype = gg_var_type(x)->dtype;

  if (!ga__dtype_is_complex(dtype) || op == GA_CUMULATE_SUM ||
      op == GA_CUMULATE_PROD)
    return 1;
  gg__refuse(&gg__op_cumulate, 1, &x, GA_VALUE_ERROR,
             "%s of %s, which has only sum and prod", names[op - 1],
             ga__dtype_name(dtype));
  return 0;
}

gg_var *gg_cumulate(ga_cumulate_op op, gg_var *x, int axis, int flags) {
  unsigned int k;

  if (x == NULL)
    return NULL;
  if ((int)op <= GA_CUMULATE_EXPR || op > GA_CUMULATE_LOGADDEXP)
    return gg__refuse(&gg__op_cumulate, 1, &x, GA_VALUE_ERROR,
                      "%d is not an operation", (int)op);
  if (gg__cumulate_check_flags(&gg__op_cumulate, 1, &x, flags) != GA_NO_ERROR ||
      gg__axis(x, &gg__op_cumulate, axis, &k) != GA_NO_ERROR)
    return NULL;
  x = normalise(&op, x);
  return x != NULL && has_op(op, x) ? cumulate(op, x, k, flags) : NULL;
}

gg_var *gg_cumsum(gg_var *x, int axis) {
  return gg_cumulate(GA_CUMULATE_SUM, x, axis, 0);
}

gg_var *gg_cumprod(gg_var *x, int axis) {
  return gg_cumulate(GA_CUMULATE_PROD, x, axis, 0);
}

gg_var *gg_cummax(gg_var *x, int axis) {
  return gg_cumulate(GA_CUMULATE_MAX, x, axis, 0);
}

gg_var *gg_cummin(gg_var *x, int axis) {
  return gg_cumulate(GA_CUMULATE_MIN, x, axis, 0);
}

gg_var *gg_logcumsumexp(gg_var *x, int axis) {
  return gg_cumulate(GA_CUMULATE_LOGADDEXP, x, axis, 0);
}

gg_var *gg_recurrence(gg_var *a, gg_var *b, int axis, int flags) {
  gg_var *in[2] = {a, b};
  unsigned int k;

  if (!gg__given(&gg__op_recurrence, 2, in) ||
      gg__cumulate_check_flags(&gg__op_recurrence, 2, in, flags) != GA_NO_ERROR)
    return NULL;
  const int dtype = gg__float_dtype(
      gg__common_dtype(gg_var_type(a)->dtype, gg_var_type(b)->dtype));
  /* Used for its shape alone, which both get. */
  gg_var *const sum = gg_add(gg_cast(a, dtype), gg_cast(b, dtype));
  if (sum == NULL || gg__axis(sum, &gg__op_recurrence, axis, &k) != GA_NO_ERROR)
    return NULL;
  return gg__recurrence(gg_fill(sum, gg_cast(a, dtype)),
                        gg_fill(sum, gg_cast(b, dtype)), k, flags);
}

/* --- in texts and files --- */

static int check_place(const gg_apply *a) {
  const gg__cumulate_props *p = a->props;

  return gg__check_axis_of(a, 0, p->axis);
}

static int check_cumulate(const gg_apply *a) {
  const gg__cumulate_props *p = a->props;
  const ga_cumulate_op op = gg__cumulate_op(p);
  const ga__kind kind = ga__dtype_kind(gg_var_type(a->in[0])->dtype);
  const int wants_bool = op == GA_CUMULATE_ANY || op == GA_CUMULATE_ALL;

  GA_TRY(check_place(a));
  if (wants_bool ? kind != GA_KIND_BOOL
                 : kind == GA_KIND_BOOL && op != GA_CUMULATE_SUM &&
                       op != GA_CUMULATE_PROD)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %s operand",
                      wants_bool ? "a bool" : "another");
  if (kind == GA_KIND_COMPLEX && op != GA_CUMULATE_SUM &&
      op != GA_CUMULATE_PROD)
    return gg_op_fail(a, GA_VALUE_ERROR, "complex numbers have no %s",
                      names[p->kind]);
  if (op == GA_CUMULATE_LOGADDEXP && kind != GA_KIND_FLOAT)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected a float operand");
  return GA_NO_ERROR;
}

static int check_recurrence(const gg_apply *a) {
  const gg_type *x = gg_var_type(a->in[0]), *y = gg_var_type(a->in[1]);

  GA_TRY(check_place(a));
  GA_TRY(gg__check_ranks(a, 0, 1));
  if ((ga__dtype_kind(x->dtype) != GA_KIND_FLOAT &&
       !ga__dtype_is_complex(x->dtype)) ||
      x->dtype != y->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected floats or complex numbers of one dtype");
  return GA_NO_ERROR;
}

static const gg_field cumulate_fields[] = {
    {GG_FIELD("op", WORD, gg__cumulate_props, kind), .words = names},
    GG_CUMULATE_PLACE};
static const gg_field recurrence_fields[] = {GG_CUMULATE_PLACE};

const gg_op_form gg__forms_running[] = {
    GG_FORM_PROPS(cumulate, "x", cumulate_fields, check_cumulate),
    GG_FORM_PROPS(recurrence, "xx", recurrence_fields, check_recurrence),
    GG_FORMS_END};
