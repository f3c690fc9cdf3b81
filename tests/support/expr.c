/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions as text: recursive descent, and its way back. */
#include "expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/ops.h"

#define LABEL_TEXT 256 /* bytes */
#define NAME_TEXT 32
#define MAX_ARGS 9

/* --- variables --- */

typedef struct variable {
  const char *name;
  int dtype;
  unsigned int nd;
  int64_t dims[3];
} variable;

static const variable variables[EXPR_N_VARS] = {
    {"x", GA_DOUBLE, 1, {GG_ANY}},
    {"y", GA_DOUBLE, 1, {GG_ANY}},
    {"z", GA_DOUBLE, 1, {GG_ANY}},
    {"p", GA_DOUBLE, 1, {GG_ANY}},
    {"q", GA_DOUBLE, 1, {GG_ANY}},
    {"s", GA_DOUBLE, 0, {0}},
    {"t", GA_DOUBLE, 0, {0}},
    {"A", GA_DOUBLE, 2, {GG_ANY, GG_ANY}},
    {"B", GA_DOUBLE, 2, {GG_ANY, GG_ANY}},
    {"C", GA_DOUBLE, 2, {GG_ANY, GG_ANY}},
    {"r", GA_DOUBLE, 2, {1, GG_ANY}},
    {"c", GA_DOUBLE, 2, {GG_ANY, 1}},
    {"h", GA_HALF, 1, {GG_ANY}},
    {"i", GA_INT, 1, {GG_ANY}},
    {"j", GA_INT, 1, {GG_ANY}},
    {"f", GA_FLOAT, 1, {GG_ANY}},
    {"u", GA_UINT, 1, {GG_ANY}},
    {"l", GA_LONG, 1, {GG_ANY}},
    {"b", GA_BOOL, 1, {GG_ANY}},
    {"k", GA_DOUBLE, 1, {EXPR_SIZE}},
    {"D", GA_DOUBLE, 3, {GG_ANY, GG_ANY, GG_ANY}},
    {"E", GA_DOUBLE, 3, {GG_ANY, GG_ANY, GG_ANY}}};

void expr_begin(expr_vars *e) {
  e->g = gg_graph_new(NULL);
  assert_non_null(e->g);
  for (unsigned int i = 0; i < EXPR_N_VARS; i++)
    e->v[i] = gg_input_sized(e->g, variables[i].name, variables[i].dtype,
                             variables[i].nd, variables[i].dims);
}

/* A number in [0, 1). */
static double next_uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static double value_of(int dtype, double x, double lo, double hi) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_FLOAT:
    return lo + x * (hi - lo);
  case GA_KIND_BOOL:
    return x < 0.5;
  case GA_KIND_INT:
    /* Labels are positions. */
    return dtype == GA_LONG ? (double)(int)(x * EXPR_SIZE)
                            : (double)((int)(x * 11) - 5);
  default:
    return (double)(int)(x * 11);
  }
}

void expr_bind(const expr_vars *e, interp *it, double lo, double hi,
               unsigned int seed) {
  expr_bind_sized(e, it, EXPR_SIZE, lo, hi, seed);
}

void expr_bind_sized(const expr_vars *e, interp *it, size_t size, double lo,
                     double hi, unsigned int seed) {
  uint64_t state = seed;
  double data[EXPR_SIZE * EXPR_SIZE * EXPR_SIZE];
  size_t dims[3], n;
  unsigned int k;

  for (unsigned int i = 0; i < EXPR_N_VARS; i++) {
    const variable *v = &variables[i];

    for (k = 0, n = 1; k < v->nd; k++) {
      dims[k] = v->dims[k] == GG_ANY ? size : (size_t)v->dims[k];
      n *= dims[k];
    }
    for (k = 0; k < n; k++)
      data[k] = value_of(v->dtype, next_uniform(&state), lo, hi);
    interp_bind(it, e->v[i], v->nd, dims, data);
  }
}

/* --- functions --- */

typedef gg_var *(*unary)(gg_var *);
typedef gg_var *(*binary)(gg_var *, gg_var *);

static gg_var *over(gg_reduction op, gg_var *x, int axis, int keepdims) {
  return gg_reduce(op, x, 1, &axis, keepdims);
}

static gg_var *sum0(gg_var *x) {
  return over(GG_SUM, x, 0, 0);
}
static gg_var *sum1(gg_var *x) {
  return over(GG_SUM, x, 1, 0);
}
static gg_var *sum0k(gg_var *x) {
  return over(GG_SUM, x, 0, 1);
}
static gg_var *sum1k(gg_var *x) {
  return over(GG_SUM, x, -1, 1);
}
static gg_var *sumk(gg_var *x) {
  return gg_reduce(GG_SUM, x, 0, NULL, 1);
}
static gg_var *var0(gg_var *x) {
  return over(GG_VARIANCE, x, 0, 0);
}
static gg_var *var1(gg_var *x) {
  return over(GG_VARIANCE, x, -1, 0);
}
static gg_var *clip_gradient(gg_var *x) {
  return gg_clip_gradient(x, -1, 1);
}
static gg_var *scale_gradient(gg_var *x) {
  return gg_scale_gradient(x, 2);
}
static gg_var *no_gradient(gg_var *x) {
  return gg_undefined_gradient(x, "a label");
}
/* Zeros in the shape of x, but y from element 1 on. */
static gg_var *placed(gg_var *x, gg_var *y) {
  const gg__slice_props p = {0, 1, GG_END, 1};
  gg_var *in[2] = {x, y};

  return gg_op_apply(NULL, &gg__op_slice_grad, &p, 2, in);
}
static gg_var *set_tail(gg_var *x, gg_var *y) {
  return gg_slice_set(x, 0, 1, GG_END, 1, y);
}
static gg_var *set_all(gg_var *x, gg_var *y) {
  return gg_slice_set(x, 0, GG_END, GG_END, 1, y);
}
static gg_var *set_far(gg_var *x, gg_var *y) {
  return gg_slice_set(x, 0, 0, 1000, 1, y);
}
static gg_var *max0(gg_var *x) {
  return over(GG_MAX, x, 0, 0);
}
static gg_var *max1k(gg_var *x) {
  return over(GG_MAX, x, -1, 1);
}
static gg_var *argmax1(gg_var *x) {
  return over(GG_ARGMAX, x, -1, 0);
}
static gg_var *col(gg_var *x) {
  return gg__expand(x, 1);
}
static gg_var *row(gg_var *x) {
  return gg__expand(x, 0);
}
static gg_var *shape0(gg_var *x) {
  return gg_shape(x, 0);
}
static gg_var *to_double(gg_var *x) {
  return gg_cast(x, GA_DOUBLE);
}
static gg_var *to_float(gg_var *x) {
  return gg_cast(x, GA_FLOAT);
}
static gg_var *to_half(gg_var *x) {
  return gg_cast(x, GA_HALF);
}
static gg_var *to_int(gg_var *x) {
  return gg_cast(x, GA_INT);
}
static gg_var *as_column(gg_var *x) {
  return gg_reshape(x, 2, (int64_t[]){GG_ANY, 1});
}
static gg_var *as_square(gg_var *x) {
  return gg_reshape(x, 2, (int64_t[]){EXPR_SIZE, EXPR_SIZE});
}
/* Sizes that the rules find to be constants. */
/* The builders would compute the sizes. */
static gg_var *to_sizes(gg_var *x) {
  gg_graph *g = gg_var_graph(x);
  gg_var *const in[3] = {x, gg_neg(gg_i64(g, -EXPR_SIZE)), gg_i64(g, GG_ANY)};

  return gg_op_apply(NULL, &gg__op_reshape_sizes, NULL, 3, in);
}
static gg_var *of_sizes(gg_var *x) {
  gg_var *any = gg_i64(gg_var_graph(x), GG_ANY);

  gg_var *const in[3] = {x, any, gg_neg(gg_neg(any))};

  return gg_op_apply(NULL, &gg__op_specify_sizes, NULL, 3, in);
}
static gg_var *twice_sizes(gg_var *x) {
  gg_var *const two = gg_i64(gg_var_graph(x), 2);

  return gg_mul(
      two,
      gg_join(0, 2, (gg_var *[]){gg_shape_vector(x), gg_expand_dims(two, 0)}));
}
static gg_var *all(gg_var *x) {
  return gg_slice(x, 0, 0, GG_END, 1);
}

static gg_var *tail(gg_var *x) {
  return gg_slice(x, 0, 1, GG_END, 1);
}
static gg_var *first2(gg_var *x) {
  return gg_slice(x, 0, 0, 2, 1);
}
static gg_var *first3(gg_var *x) {
  return gg_slice(x, 0, 0, 3, 1);
}
static gg_var *every2(gg_var *x) {
  return gg_slice(x, 0, GG_END, GG_END, 2);
}
static gg_var *tail1(gg_var *x) {
  return gg_slice(x, 1, 1, GG_END, 1);
}
static gg_var *first(gg_var *x) {
  return gg_index(x, 0, 0);
}
static gg_var *second(gg_var *x) {
  return gg_index(x, 0, 1);
}
static gg_var *second1(gg_var *x) {
  return gg_index(x, 1, 1);
}
/* A number of each matrix: [b, m, 1]. */
static gg_var *layers(gg_var *x) {
  return gg__expand(x, 2);
}
static gg_var *tail2(gg_var *x) {
  return gg_slice(x, 2, 1, GG_END, 1);
}
static gg_var *second2(gg_var *x) {
  return gg_index(x, 2, 1);
}
static gg_var *join1(gg_var *x, gg_var *y) {
  return gg_join(1, 2, (gg_var *[]){x, y});
}

typedef struct function {
  const char *name;
  unary one;
  binary two;
  gg_var *(*three)(gg_var *x, gg_var *y, gg_var *z);
} function;

#define ONE(name)                                                              \
  { #name, .one = gg_##name }
#define TWO(name)                                                              \
  { #name, .two = gg_##name }
#define THREE(name)                                                            \
  { #name, .three = gg_##name }

/* clang-format off */
static const function functions[] = {
#define UNARY(name, ...) ONE(name),
#define BINARY(name, ...) TWO(name),
#define TERNARY(name, ...) THREE(name),
#include "ops/elementwise/elementwise.def"
    THREE(where), ONE(transpose), ONE(size), ONE(sum), ONE(prod), ONE(max), ONE(min),
    ONE(mean), ONE(softmax), ONE(log_softmax), ONE(flatten), ONE(zeros_like),
    ONE(ones_like), ONE(stop_gradient), TWO(fill), TWO(dot), TWO(outer),
    TWO(batched_dot), {"turn_each", .one = gg__transpose_each}, TWO(take),
    TWO(crossentropy), {"softmax_grad", .two = gg__softmax_grad},
    {"softmax_xent", .two = gg__softmax_xent},
    {"reshape_like", .two = gg__reshape_like}, {"sum0", .one = sum0},
    {"sum1", .one = sum1}, {"sum0k", .one = sum0k}, {"sum1k", .one = sum1k},
    {"sumk", .one = sumk}, {"var0", .one = var0}, {"var1", .one = var1},
    {"max0", .one = max0}, {"max1k", .one = max1k}, {"argmax1", .one = argmax1},
    {"col", .one = col}, {"row", .one = row}, {"shape0", .one = shape0},
    {"float64", .one = to_double}, {"float32", .one = to_float},
    {"float16", .one = to_half}, {"int32", .one = to_int},
    {"as_column", .one = as_column}, {"as_square", .one = as_square},
    {"to_sizes", .one = to_sizes}, {"of_sizes", .one = of_sizes},
    {"twice_sizes", .one = twice_sizes},
    {"all", .one = all}, {"tail", .one = tail}, {"first2", .one = first2},
    {"first3", .one = first3}, {"first", .one = first},
    {"every2", .one = every2}, {"tail1", .one = tail1}, {"second", .one = second},
    {"second1", .one = second1}, {"layers", .one = layers},
    {"tail2", .one = tail2}, {"second2", .one = second2},
    {"clip_gradient", .one = clip_gradient},
    {"scale_gradient", .one = scale_gradient},
    {"undefined_gradient", .one = no_gradient}, {"placed", .two = placed},
    {"set_tail", .two = set_tail}, {"set_all", .two = set_all}, {"set_far", .two = set_far},
    {"join1", .two = join1},
};
/* clang-format on */

gg_var *expr_call(const char *name, unsigned int n, gg_var *const *arg) {
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    const function *f = &functions[i];

    if (strcmp(f->name, name) != 0)
      continue;
    if (f->one != NULL && n == 1)
      return f->one(arg[0]);
    if (f->two != NULL && n == 2)
      return f->two(arg[0], arg[1]);
    if (f->three != NULL && n == 3)
      return f->three(arg[0], arg[1], arg[2]);
  }
  if (strcmp(name, "join") == 0)
    return gg_join(0, n, arg);
  if (strcmp(name, "crossentropy_grad") == 0 && n == 3)
    return gg__crossentropy_grad(arg[0], arg[1], arg[2]);
  if (strcmp(name, "softmax_xent_grad") == 0 && n == 3)
    return gg__softmax_xent_grad(arg[0], arg[1], arg[2]);
  fail_msg("%s of %u operands is no function", name, n);
  return NULL;
}

/* --- parsing --- */

typedef struct parser {
  const expr_vars *e;
  const char *text, *at;
} parser;

static void skip_blanks(parser *p) {
  while (*p->at == ' ')
    p->at++;
}

static int accept(parser *p, char c) {
  skip_blanks(p);
  if (*p->at != c)
    return 0;
  p->at++;
  return 1;
}

/* A number is float64, or of the dtype of the variable whose letter follows:
 * 2h, 0f, 3i, 1u, 7l. */
static gg_var *parse_number(parser *p) {
  char *end;
  const double value = strtod(p->at, &end);
  int dtype = GA_DOUBLE;

  p->at = end;
  for (unsigned int i = 0; i < EXPR_N_VARS; i++)
    if (*p->at == variables[i].name[0] && strchr("hfiul", *p->at) != NULL &&
        *p->at != '\0')
      dtype = variables[i].dtype;
  if (dtype != GA_DOUBLE)
    p->at++;
  return gg_scalar(p->e->g, dtype, value);
}

static int is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

static gg_var *find_variable(const parser *p, const char *name) {
  for (unsigned int i = 0; i < EXPR_N_VARS; i++)
    if (strcmp(variables[i].name, name) == 0)
      return p->e->v[i];
  fail_msg("%s: %s is no variable", p->text, name);
  return NULL;
}

static gg_var *parse(parser *p) {
  gg_var *arg[MAX_ARGS];
  char name[NAME_TEXT];
  unsigned int n = 0;

  skip_blanks(p);
  if ((*p->at >= '0' && *p->at <= '9') || *p->at == '-')
    return parse_number(p);
  while (is_name(*p->at) && n + 1 < NAME_TEXT)
    name[n++] = *p->at++;
  name[n] = '\0';
  if (!accept(p, '('))
    return find_variable(p, name);
  n = 0;
  do
    arg[n++] = parse(p);
  while (accept(p, ',') && n < MAX_ARGS);
  if (!accept(p, ')'))
    fail_msg("%s: expected ) at %s", p->text, p->at);
  return expr_call(name, n, arg);
}

gg_var *expr_parse(const expr_vars *e, const char *text) {
  parser p = {e, text, text};
  gg_var *v = parse(&p);

  skip_blanks(&p);
  if (v == NULL || *p.at != '\0')
    fail_msg("%s: %s", text,
             v == NULL ? gg_graph_error(e->g) : "the end was expected");
  return v;
}

/* --- printing --- */

typedef struct writer {
  char *buf;
  size_t n, bytes;
} writer;

static void put(writer *w, const char *text) {
  const int k = snprintf(w->buf + w->n, w->bytes - w->n, "%s", text);

  w->n += (size_t)k;
  if (w->n >= w->bytes)
    w->n = w->bytes - 1;
}

static void put_var(writer *w, const gg_var *v) {
  char label[LABEL_TEXT];

  put(w, gg__var_label(v, label, sizeof label));
  if (v->owner == NULL)
    return;
  for (unsigned int i = 0; i < v->owner->n_in; i++) {
    put(w, i == 0 ? "(" : ", ");
    put_var(w, v->owner->in[i]);
  }
  put(w, ")");
}

char *expr_text(const gg_var *v, char *buf, size_t bytes) {
  writer w = {buf, 0, bytes};

  put_var(&w, v);
  return buf;
}
