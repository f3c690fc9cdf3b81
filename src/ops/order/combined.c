/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations by formulas, over one or several values. */
#include <gpugraph/cumulate.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/code_text.h"
#include "ops/order/formula.h"
#include "ops/order/order_word.h"
#include "ops/order/run_value.h"
#include "ops/order/running.h"

enum { EXCLUSIVE = GA_CUMULATE_EXCLUSIVE, REVERSED = GA_CUMULATE_REVERSED };

_Static_assert(GG_RUN_VALUES == GG_MAX_RUN_VALUES &&
                   GG_RUN_VALUES <= GPUCUMULATION_MAX_VALUES,
               "cumulations have as many values as formulas");

static unsigned int values_of(const gg_apply *a) {
  return (unsigned int)((const gg__cumulate_props *)a->props)->kind;
}

static unsigned int count_out(const void *props) {
  const int n = ((const gg__cumulate_props *)props)->kind;

  return n > 0 ? (unsigned int)n : 1;
}

/* --- types --- */

static int infer_combined(const gg_apply *a, gg_type *out) {
  gg_type t;

  GA_TRY(gg__merge_sizes(a, a->n_out, &t));
  for (unsigned int k = 0; k < a->n_out; k++) {
    out[k] = t;
    out[k].dtype = gg_var_type(a->in[k])->dtype;
  }
  return GA_NO_ERROR;
}

static int shape_combined(const gg_apply *a, const gg_dims *in,
                          const double *const *host, gg_dims *out) {
  (void)host;
  for (unsigned int k = 0; k < a->n_out; k++) {
    GA_TRY(gg__check_first(a, &in[0], &in[k]));
    out[k] = in[0];
  }
  return GA_NO_ERROR;
}

static void print_combined(const gg_apply *a, char *buf, size_t bytes) {
  const gg__cumulate_props *p = a->props;

  snprintf(buf, bytes, "axis=%u%s%s", p->axis, p->exclusive ? " exclusive" : "",
           p->reversed ? " reversed" : "");
}

/* --- launches --- */

/* The texts and arguments of a node's cumulation. */
typedef struct description {
  gg__formulas f;
  gpuelemwise_arg values[GG_RUN_VALUES];
  ga__strb map, combine, neutral;
  GpuCumulationSpec spec;
} description;

static const char *const in_names[] = {"p_x0", "p_x1", "p_x2", "p_x3"};
static const char *const out_names[] = {"p_z0", "p_z1", "p_z2", "p_z3"};

static void description_clear(description *d) {
  gg__formulas_clear(&d->f);
  ga__strb_clear(&d->map);
  ga__strb_clear(&d->combine);
  ga__strb_clear(&d->neutral);
}

static void write_neutral(description *d, const gg_apply *a, unsigned int k) {
  const gg_var *v = a->in[2 * d->f.n + k];

  ga__strb_appendf(&d->neutral, "%s = ", gg__run_name(k));
  gg__literal_append(&d->neutral, gg_var_type(v)->dtype, gg_var_data(v));
  ga__strb_append(&d->neutral, "; ");
}

/* Fill all but arguments that are written, and post. `args` has room. */
static int describe(description *d, const gg_apply *a, gpuelemwise_arg *args) {
  GA_TRY(gg__formulas_read(&d->f, a, 0));
  for (unsigned int k = 0; k < d->f.n; k++) {
    const int dtype = gg_var_type(a->in[k])->dtype;

    d->values[k] = (gpuelemwise_arg){gg__run_name(k), dtype, GE_READ};
    args[k] = (gpuelemwise_arg){in_names[k], dtype, GE_READ};
    ga__strb_appendf(&d->map, "%s = %s; ", gg__run_name(k), in_names[k]);
    write_neutral(d, a, k);
  }
  gg__formulas_write(&d->f, &d->combine);
  GA_TRY(d->map.err);
  GA_TRY(d->neutral.err);
  GA_TRY(d->combine.err);
  d->spec = (GpuCumulationSpec){.op = GA_CUMULATE_EXPR,
                                .n_values = d->f.n,
                                .values = d->values,
                                .map = ga__strb_text(&d->map),
                                .combine = ga__strb_text(&d->combine),
                                .neutral = ga__strb_text(&d->neutral),
                                .n_args = d->f.n,
                                .args = args,
                                .flags = d->f.is_vector ? GE_VECTOR : 0};
  return GA_NO_ERROR;
}

static int prepare_combined(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                            int *slot_out) {
  const unsigned int n = values_of(p->apply);
  gpuelemwise_arg args[2 * GG_RUN_VALUES];
  ga__strb post = GA_STRB_INIT;
  void *rest[GG_RUN_VALUES];
  description d = {0};
  int err;

  GA_CHECK(describe(&d, p->apply, args));
  for (unsigned int k = 0; k < n; k++) {
    args[n + k] =
        (gpuelemwise_arg){out_names[k], p->out[k]->typecode, GE_WRITE};
    ga__strb_appendf(&post, "%s = %s; ", out_names[k], gg__run_name(k));
    rest[k] = p->out[k];
    slot_out[k] = (int)(n + k);
  }
  GA_CHECK(post.err);
  d.spec.n_args = 2 * n;
  d.spec.post = ga__strb_text(&post);
  GA_CHECK(gg__cumulate_prepare(p, &d.spec, n, rest, out, slot_in));

done:
  ga__strb_clear(&post);
  description_clear(&d);
  return err;
}

static int takes_post(const gg_apply *a) {
  return values_of(a) == 1;
}

static int post_combined(const gg_prepare *p, const GpuEpilogue *post,
                         void **rest, GpuLaunch **out, int *slot_in,
                         unsigned int *slot_post) {
  const unsigned int n = 1 + post->n_args;
  gpuelemwise_arg *args = ga__calloc(n, sizeof *args);
  description d = {0};
  int err;

  if (args == NULL)
    return ga__fail_nomem();
  GA_CHECK(describe(&d, p->apply, args));
  memcpy(args + 1, post->args, post->n_args * sizeof *args);
  d.spec.n_args = n;
  d.spec.post = post->text;
  d.spec.preamble = post->preamble;
  if ((post->flags & GE_VECTOR) == 0)
    d.spec.flags = 0;
  *slot_post = 1;
  GA_CHECK(gg__cumulate_prepare(p, &d.spec, 1, rest, out, slot_in));

done:
  description_clear(&d);
  ga__free(args);
  return err;
}

static int destroys(const gg_apply *a, unsigned int out) {
  (void)a;
  return (int)out;
}

/* --- on the host --- */

static void move_element(const gg_prepare *p, unsigned int k, size_t i,
                         double *in, const double *result) {
  const int dtype = p->out[k]->typecode;
  const size_t at = i * ga__dtype_size(dtype);

  *in = ga__dtype_to_double(dtype, (const char *)p->from[k] + at);
  if (result != NULL)
    ga__dtype_from_double(dtype, (char *)p->to[k] + at, *result);
}

/* The row that begins at element `first`. 0 if the host has no code. */
static int reference_row(const gg_prepare *p, const gg__formulas *f,
                         const gg__host_rows *r, size_t first, double *room) {
  const gg__cumulate_props *props = p->apply->props;
  double run[GG_RUN_VALUES][2], now[GG_RUN_VALUES];

  for (unsigned int k = 0; k < f->n; k++) {
    const gg_var *v = p->apply->in[2 * f->n + k];
    now[k] = ga__dtype_to_double(gg_var_type(v)->dtype, gg_var_data(v));
  }
  for (size_t j = 0; j < r->n; j++) {
    const size_t i = first + (props->reversed ? r->n - 1 - j : j) * r->step;

    for (unsigned int k = 0; k < f->n; k++) {
      run[k][GG_RUN_BEFORE] = now[k];
      move_element(p, k, i, &run[k][GG_RUN_AFTER],
                   props->exclusive ? &now[k] : NULL);
    }
    if (!gg__formulas_eval(f, run, room, now))
      return 0;
    for (unsigned int k = 0; k < f->n && !props->exclusive; k++)
      move_element(p, k, i, &run[k][GG_RUN_AFTER], &now[k]);
  }
  return 1;
}

static int reference_combined(const gg_prepare *p) {
  const gg__cumulate_props *props = p->apply->props;
  const gg__host_rows r = gg__host_rows_of(p->in[0], props->axis);
  double *room = NULL;
  gg__formulas f;
  int err;

  GA_CHECK(gg__formulas_read(&f, p->apply, 0));
  room = ga__calloc(f.nodes.n + 1, sizeof *room);
  if (room == NULL)
    GA_CHECK(ga__fail_nomem());
  for (size_t i = 0; i < r.count; i++)
    if (!reference_row(p, &f, &r, gg__host_row(&r, i, r.n), room))
      GA_CHECK(gg_op_fail(p->apply, GA_UNSUPPORTED_ERROR,
                          "the host has no code for the formula"));

done:
  ga__free(room);
  gg__formulas_clear(&f);
  return err;
}

/* --- the nodes --- */

static int connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)out;
  return in < values_of(a);
}

const gg_op gg__op_cumulate_by = {.name = "cumulate_by",
                                  .kind = GG_OP_KERNEL,
                                  .half_ok = 1,
                                  .props_bytes = sizeof(gg__cumulate_props),
                                  .count_out = count_out,
                                  .infer = infer_combined,
                                  .shape = shape_combined,
                                  .grad = gg__combined_grad,
                                  .no_grad = gg__combined_no_grad,
                                  .connected = connected,
                                  .prepare = prepare_combined,
                                  .prepare_post = post_combined,
                                  .takes_post = takes_post,
                                  .destroys = destroys,
                                  .reference = reference_combined,
                                  .print = print_combined};

/* --- checks, also of texts and files --- */

static int check_value(const gg_apply *a, const gg__formulas *f,
                       unsigned int k) {
  const gg_type *x = gg_var_type(a->in[k]);
  const gg_var *neutral = a->in[2 * f->n + k];
  double number;

  GA_TRY(gg__check_ranks(a, 0, k));
  if (ga__dtype_is_complex(x->dtype) || ga__dtype_work(x->dtype) != x->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR, "value %u is %s", k,
                      ga__dtype_name(x->dtype));
  if (gg_var_type(f->roots[k])->dtype != x->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR, "value %u is %s, but its formula %s",
                      k, ga__dtype_name(x->dtype),
                      ga__dtype_name(gg_var_type(f->roots[k])->dtype));
  if (gg_var_data(neutral) == NULL || !gg_var_uniform(neutral, &number) ||
      gg_var_type(neutral)->dtype != x->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the neutral element of value %u is not a constant of "
                      "its dtype",
                      k);
  return GA_NO_ERROR;
}

static int check_combined(const gg_apply *a) {
  const gg__cumulate_props *p = a->props;
  gg__formulas f = {0};
  int err;

  if (p->kind < 1 || p->kind > GG_RUN_VALUES ||
      a->n_in != 3 * (unsigned int)p->kind)
    return gg_op_fail(
        a, GA_VALUE_ERROR,
        "%u operands for %d values, expected 1 to %d values and 3 "
        "operands for each",
        a->n_in, p->kind, GG_RUN_VALUES);
  GA_TRY(gg__check_axis_of(a, 0, p->axis));
  GA_CHECK(gg__formulas_read(&f, a, 1));
  for (unsigned int k = 0; k < f.n; k++)
    GA_CHECK(check_value(a, &f, k));

done:
  gg__formulas_clear(&f);
  return err;
}

static int check_run(const gg_apply *a) {
  const gg__run_props *p = a->props;

  for (unsigned int k = 1; k < a->n_in; k++)
    GA_TRY(gg__check_ranks(a, 0, k));
  if (p->value >= a->n_in)
    return gg_op_fail(a, GA_VALUE_ERROR, "value %u of %u", p->value, a->n_in);
  return gg__check_dtype(a, p->dtype);
}

static const gg_field combined_fields[] = {
    {GG_FIELD("values", UINT, gg__cumulate_props, kind)}, GG_CUMULATE_PLACE};
static const gg_field run_fields[] = {
    {GG_FIELD("value", UINT, gg__run_props, value)},
    {GG_FIELD("after", FLAG, gg__run_props, after), .optional = 1},
    {GG_FIELD("dtype", DTYPE, gg__run_props, dtype)}};

const gg_op_form gg__forms_combined[] = {
    GG_FORM_PROPS(cumulate_by, "x+", combined_fields, check_combined),
    GG_FORM_PROPS(run_value, "x+", run_fields, check_run), GG_FORMS_END};

/* --- the builder --- */

/* What the node is made of: arrays, formulas, neutral elements. */
typedef struct builder {
  unsigned int n;
  gg_var *in[3 * GG_RUN_VALUES];
} builder;

/* Give the arrays their common shape, and dtypes that are computed in. */
static int take_arrays(builder *b, gg_var *const *x) {
  gg_var *like = NULL; /* used for its shape alone */

  for (unsigned int k = 0; k < b->n; k++)
    like = k == 0 ? gg_cast(x[0], GA_FLOAT)
                  : gg_add(like, gg_cast(x[k], GA_FLOAT));
  for (unsigned int k = 0; k < b->n; k++)
    b->in[k] =
        gg_fill(like, gg_cast(x[k], ga__dtype_work(gg_var_type(x[k])->dtype)));
  return b->in[b->n - 1] != NULL;
}

static gg_var *run_value(const builder *b, unsigned int k, int after) {
  const gg__run_props p = {k, after, gg_var_type(b->in[k])->dtype};

  return gg_op_apply(NULL, &gg__op_run_value, &p, b->n, b->in);
}

static int take_rule(builder *b, gg_combine combine, void *arg,
                     const double *neutral) {
  gg_var *before[GG_RUN_VALUES] = {NULL}, *after[GG_RUN_VALUES];
  gg_var *out[GG_RUN_VALUES] = {NULL};
  const gg_op *const op = &gg__op_cumulate_by;

  for (unsigned int k = 0; k < b->n; k++) {
    before[k] = run_value(b, k, 0);
    after[k] = run_value(b, k, 1);
  }
  if (before[0] == NULL)
    return 0;
  combine(arg, before, after, out);
  for (unsigned int k = 0; k < b->n; k++) {
    if (out[k] == NULL) {
      gg__refuse(op, b->n, b->in, GA_VALUE_ERROR, "the rule gives no value %u",
                 k);
      return 0;
    }
    b->in[b->n + k] = gg_cast(out[k], gg_var_type(b->in[k])->dtype);
    b->in[2 * b->n + k] = gg__num(b->in[k], neutral[k]);
  }
  return 1;
}

static int check_call(unsigned int n, gg_var *const *x, const double *neutral,
                      gg_combine combine, int flags) {
  const gg_op *const op = &gg__op_cumulate_by;

  if (n == 0 || n > GG_RUN_VALUES || x == NULL || neutral == NULL ||
      combine == NULL) {
    if (n != 0 && x != NULL && x[0] != NULL)
      gg__refuse(op, 1, x, GA_VALUE_ERROR,
                 "%u values, expected 1 to %d, a rule and neutral elements", n,
                 GG_RUN_VALUES);
    return 0;
  }
  if (!gg__given(op, n, x))
    return 0;
  for (unsigned int i = 0; i < n; i++)
    if (ga__dtype_is_complex(gg_var_type(x[i])->dtype)) {
      gg__refuse(op, n, x, GA_VALUE_ERROR, "expected real values, got %s",
                 ga__dtype_name(gg_var_type(x[i])->dtype));
      return 0;
    }
  return gg__cumulate_check_flags(op, n, x, flags) == GA_NO_ERROR;
}

static int build(gg_var **out, unsigned int n, gg_var *const *x,
                 const double *neutral, gg_combine combine, void *arg, int axis,
                 int flags) {
  const gg_op *const op = &gg__op_cumulate_by;
  builder b = {.n = n};
  gg__cumulate_props p = {.exclusive = (flags & EXCLUSIVE) != 0,
                          .reversed = (flags & REVERSED) != 0,
                          .kind = (int)n};

  if (!take_arrays(&b, x) || gg__axis(b.in[0], op, axis, &p.axis) ||
      !take_rule(&b, combine, arg, neutral))
    return 0;
  gg_var *v = gg__apply_checked(op, &p, 3 * n, b.in, check_combined);
  if (v == NULL)
    return 0;
  for (unsigned int k = 0; k < n; k++)
    out[k] = gg_cast(gg_var_owner(v)->out[k], gg_var_type(x[k])->dtype);
  return out[n - 1] != NULL;
}

int gg_cumulate_by(gg_var **out, unsigned int n, gg_var *const *x,
                   const double *neutral, gg_combine combine, void *arg,
                   int axis, int flags) {
  gg_var *made[GG_RUN_VALUES];

  memset(out, 0, n * sizeof *out);
  if (!check_call(n, x, neutral, combine, flags) ||
      !build(made, n, x, neutral, combine, arg, axis, flags))
    return n != 0 && x != NULL && x[0] != NULL
               ? gg_graph_status(gg_var_graph(x[0]))
               : GA_VALUE_ERROR;
  memcpy(out, made, n * sizeof *out);
  return GA_NO_ERROR;
}
