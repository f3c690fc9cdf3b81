/* SPDX-License-Identifier: BSD-2-Clause */
/* Random graphs of every op of the table of cases, in all dtypes that ops take,
 * with sizes of 0 and 1 among the others, known and not, and with axes that
 * stretch. Rewritten, they have the values they had; and a few of them are run
 * on the device, rewritten and fused, and node by node, and by the host.
 *
 * Each graph follows from its number (trials.h). FUZZ_OPS_SHOW shows them. */
#include <gpugraph/debug.h>
#include <gpugraph/grad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/cases.h"
#include "support/expr.h"
#include "support/funcs.h"
#include "support/lcg.h"
#include "support/rewritten.h"
#include "support/trials.h"
#include "support/unchanged.h"

enum {
  N_GRAPHS = 3000,
  N_ON_DEVICE = 6,
  MAX_POOL = 64,
  MAX_IN = 24,
  MAX_OPS = 10,
  MAX_RESULTS = 4,
  SIZES = 3,    /* different ones in a graph */
  MAX_RANK = 4, /* of what a graph goes on with */
  TRIES = 12,
  TEXT = 65536 /* bytes, of a failing expression */
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- random numbers --- */

static uint64_t state;

static unsigned int below(size_t n) {
  return (unsigned int)lcg_below(&state, n);
}

static double between(double lo, double hi) {
  return lo + (hi - lo) * below(1u << 20) / (1u << 20);
}

/* --- inputs --- */

typedef struct input {
  gg_var *v;
  size_t dims[GG_MAX_ND], n;
  double *value; /* of the dtype, exactly */
} input;

typedef struct pool {
  gg_graph *g;
  int dtype; /* that most operands have */
  size_t size[SIZES];
  input in[MAX_IN];
  unsigned int n_in;
  gg_var *v[MAX_POOL];
  unsigned int n;
} pool;

static const int dtypes[] = {GA_HALF,  GA_FLOAT, GA_DOUBLE, GA_BYTE, GA_UBYTE,
                             GA_SHORT, GA_INT,   GA_UINT,   GA_LONG, GA_BOOL};
static const size_t sizes[] = {0, 1, 1, 2, 3, 3, 5, 6};

/* Small, so that little overflows; indices are for the first rows. */
static double draw_value(int dtype) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_FLOAT:
    return below(3) == 0 ? between(-2, 2) : between(0.2, 2);
  case GA_KIND_INT:
    return dtype == GA_LONG ? below(2) : (double)below(9) - 4;
  default:
    return below(ga__dtype_kind(dtype) == GA_KIND_BOOL ? 2 : 5);
  }
}

static void fill_input(input *x, int dtype) {
  const size_t bytes = ga__dtype_size(dtype);
  char *data = malloc((x->n + 1) * bytes);

  x->value = malloc((x->n + 1) * sizeof *x->value);
  assert_non_null(data);
  assert_non_null(x->value);
  for (size_t k = 0; k < x->n; k++) {
    ga__dtype_from_double(dtype, data + k * bytes, draw_value(dtype));
    x->value[k] = ga__dtype_to_double(dtype, data + k * bytes);
  }
  assert_ok(gg_test_value(x->v, x->dims, data));
  free(data);
}

static const char *const names[MAX_IN] = {
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
    "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x"};

/* Of the graph's sizes or 1; a size is known to the graph or not, 1 always
 * where it is to stretch. */
static gg_var *new_input(pool *p, int dtype, unsigned int nd) {
  input *x = &p->in[p->n_in];
  int64_t dims[GG_MAX_ND];
  unsigned int i;

  assert_true(p->n_in < MAX_IN);
  for (i = 0, x->n = 1; i < nd; i++) {
    x->dims[i] = below(4) == 0 ? 1 : p->size[below(SIZES)];
    dims[i] = x->dims[i] == 1 || below(2) ? (int64_t)x->dims[i] : GG_ANY;
    if (x->dims[i] == 1 && below(4) == 0)
      dims[i] = GG_ANY;
    x->n *= x->dims[i];
  }
  x->v = gg_input_sized(p->g, names[p->n_in], dtype, nd, dims);
  assert_non_null(x->v);
  p->n_in++;
  fill_input(x, dtype);
  return x->v;
}

static void bind(const void *arg, interp *it) {
  const pool *p = arg;

  for (unsigned int i = 0; i < p->n_in; i++)
    interp_bind(it, p->in[i].v, gg_var_type(p->in[i].v)->nd, p->in[i].dims,
                p->in[i].value);
}

/* --- growing --- */

/* Recent values more often, so that graphs get deep. */
static gg_var *pick(const pool *p) {
  const unsigned int a = below(p->n), b = below(p->n);

  return p->v[below(2) != 0 || a > b ? a : b];
}

static int is_elementwise(const op_case *c) {
  return c->in[0].nd == 2 && c->in[0].dims[0] == 5 && c->in[0].dims[1] == 7;
}

static const double numbers[] = {0, 1, 2, 3, 4, -1, 0.5, -2};

/* Something of a dtype and rank: what is there, perhaps cast, or an input. */
static gg_var *operand(pool *p, int dtype, unsigned int nd) {
  for (unsigned int k = 0; k < TRIES; k++) {
    gg_var *v = pick(p);
    if (gg_var_type(v)->nd != nd)
      continue;
    if (gg_var_type(v)->dtype == dtype)
      return v;
    if (k > TRIES / 2 && dtype != GA_LONG)
      return gg_cast(v, dtype);
  }
  return p->n_in < MAX_IN ? new_input(p, dtype, nd) : NULL;
}

/* Operands of a case in the turn of a dtype; 0 if it has none. */
static int choose_operands(pool *p, const op_case *c, int dtype, gg_var **x) {
  const unsigned int nd = below(5) == 0 ? below(4) : 2;

  for (unsigned int i = 0; i < c->n_in; i++) {
    int its = case_dtype(&c->in[i], dtype);
    if (its < 0)
      return 0;
    unsigned int its_nd = is_elementwise(c) ? nd : c->in[i].nd;
    if (i > 0 && is_elementwise(c) && below(5) == 0)
      x[i] = gg_scalar(p->g, its, numbers[below(COUNT(numbers))]);
    else if (i > 0 && below(8) == 0 && gg_var_type(x[0])->dtype == its &&
             gg_var_type(x[0])->nd == its_nd)
      x[i] = x[0];
    else
      x[i] = operand(p, its, its_nd);
    if (x[i] == NULL)
      return 0;
  }
  return 1;
}

/* Are these operands of a case what it may be given? Classes are to be there:
 * what becomes of others is not promised. */
static int are_fit(const op_case *c, gg_var *const *x) {
  const int64_t *class = NULL;
  size_t dims[GG_MAX_ND], at[1] = {0}, k, classes = 0;

  if (strncmp(c->name, "crossentropy", 12) != 0 &&
      strncmp(c->name, "softmax_xent", 12) != 0)
    return 1;
  for (unsigned int i = 0; i < c->n_in; i++)
    if (c->in[i].dtypes == CLASSES)
      class = gg_var_test_value(x[i], at);
    else if (c->in[i].nd == 2 && gg_var_test_value(x[i], dims) != NULL)
      classes = dims[1];
  for (k = 0; class != NULL && k < at[0]; k++)
    if (class[k] < 0 || (size_t) class[k] >= classes)
      return 0;
  return 1;
}

/* Make one more value, of a case that takes what there is. */
static void grow(pool *p) {
  gg_var *x[3], *v = NULL;

  for (unsigned int k = 0; k < TRIES && v == NULL; k++) {
    const op_case *c = &op_cases[below(n_op_cases)];
    if (choose_operands(
            p, c, below(4) ? p->dtype : dtypes[below(COUNT(dtypes))], x) &&
        are_fit(c, x))
      v = c->build(x);
    /* Sizes that clash are seen by the test values. */
    if (gg_var_test_value(v, NULL) == NULL || gg_var_type(v)->nd > MAX_RANK)
      v = NULL;
    gg_graph_reset_error(p->g);
  }
  if (v != NULL)
    p->v[p->n++] = v;
}

static void make_pool(pool *p) {
  unsigned int n = 2 + below(MAX_OPS);

  memset(p, 0, sizeof *p);
  p->g = gg_graph_new(test_context());
  assert_non_null(p->g);
  p->dtype = dtypes[below(COUNT(dtypes))];
  for (unsigned int i = 0; i < SIZES; i++)
    p->size[i] = sizes[below(COUNT(sizes))];
  for (unsigned int i = 0; i < 3; i++)
    p->v[p->n++] = new_input(p, p->dtype, i == 0 ? below(4) : 2);
  while (n-- > 0)
    grow(p);
}

static void drop_pool(pool *p) {
  for (unsigned int i = 0; i < p->n_in; i++)
    free(p->in[i].value);
  gg_graph_free(p->g);
}

/* The last value, perhaps another one and a gradient. */
static unsigned int choose_results(pool *p, gg_var **out) {
  gg_var *last = p->v[p->n - 1], *wrt = p->v[0], *grad = NULL;
  unsigned int n = 0;

  out[n++] = last;
  if (below(3) == 0)
    out[n++] = pick(p);
  if (below(2) == 0 &&
      ga__dtype_kind(gg_var_type(last)->dtype) == GA_KIND_FLOAT &&
      ga__dtype_kind(gg_var_type(wrt)->dtype) == GA_KIND_FLOAT &&
      gg_grad_ex(&grad, gg_sum(last), 1, &wrt, 0, NULL, 0) == GA_NO_ERROR)
    out[n++] = grad;
  gg_graph_reset_error(p->g);
  return n;
}

/* --- rewritten, by the interpreter --- */

/* A copy without test values: rules may not learn sizes from those. */
static gg_var *copy_of(gg__subst *s, gg_var *v) {
  gg_var *copy = gg__subst_apply(s, v);

  if (copy == NULL)
    fail_msg("copy: %s", gg_graph_error(s->g));
  return copy;
}

static gg_graph *copy_pool(pool *p, gg_var **results, unsigned int n) {
  gg_graph *old = p->g;
  gg__subst s;

  p->g = gg_graph_new(NULL);
  gg__subst_init(&s, p->g);
  for (unsigned int i = 0; i < p->n_in; i++) {
    gg_var *leaf = gg__clone_leaf(p->g, p->in[i].v);
    assert_ok(gg__subst_put(&s, p->in[i].v, leaf));
    p->in[i].v = leaf;
  }
  for (unsigned int i = 0; i < n; i++)
    results[i] = copy_of(&s, results[i]);
  gg__subst_clear(&s);
  return old;
}

static void complain(unsigned int number, const gg__build *b, gg_var *before,
                     gg_var *after, ptrdiff_t at, double want, double got) {
  static char text[2][TEXT];

  for (size_t k = 0; k < b->fired.n; k++)
    print_message("  %u %s\n", b->fired.v[k].count, b->fired.v[k].rule);
  fail_msg("graph %u, element %td: %.17g became %.17g\n%s\n%s", number, at,
           want, got, expr_text(before, text[0], TEXT),
           expr_text(after, text[1], TEXT));
}

/* Of a graph that was asked for: what it is, and which rules fire. */
static void show(const pool *p, gg__build *b, gg_var *const *results,
                 unsigned int n) {
  static char text[TEXT];

  if (getenv("FUZZ_OPS_SHOW") == NULL)
    return;
  for (unsigned int k = 0; k < p->n_in; k++) {
    print_message("%s:", gg_type_text(&p->in[k].v->type, text, TEXT));
    for (unsigned int i = 0; i < gg_var_type(p->in[k].v)->nd; i++)
      print_message(" %zu", p->in[k].dims[i]);
    print_message("\n");
  }
  for (unsigned int k = 0; k < n; k++)
    print_message("%s\n", expr_text(results[k], text, TEXT));
  b->trace = stdout;
}

static void rewrite_graph(unsigned int number) {
  gg_var *before[MAX_RESULTS];
  double want = 0, got = 0;
  ptrdiff_t at;
  gg__build b;
  pool p;
  const unchanged u = {bind, &p};

  state = number * 2654435761u + 1;
  make_pool(&p);
  unsigned int n = choose_results(&p, before);
  gg_graph *old = copy_pool(&p, before, n);
  rewrite_begin(&b, p.g, GG_FAST_RUN);
  for (unsigned int k = 0; k < n; k++)
    rewrite_output(&b, before[k]);
  show(&p, &b, before, n);
  rewrite_run(&b);
  for (unsigned int k = 0; k < n; k++)
    if (!unchanged_check(&u, before[k], b.results.v[k], &at, &want, &got))
      complain(number, &b, before[k], b.results.v[k], at, want, got);
  rewrite_end(&b);
  drop_pool(&p);
  gg_graph_free(old);
}

/* --- run --- */

static void make_array(GpuArray *a, const input *x) {
  const int dtype = gg_var_type(x->v)->dtype;
  const size_t bytes = ga__dtype_size(dtype);
  char *data = malloc((x->n + 1) * bytes);

  assert_non_null(data);
  for (size_t k = 0; k < x->n; k++)
    ga__dtype_from_double(dtype, data + k * bytes, x->value[k]);
  test_array(a, dtype, gg_var_type(x->v)->nd, x->dims, data);
  free(data);
}

/* Elements in host memory against what they should be. */
static void check_elements(unsigned int number, const char *who, gg_var *v,
                           const void *got, const tensor *want,
                           const double *spread) {
  static char text[TEXT];
  const int dtype = gg_var_type(v)->dtype;
  const double eps = dtype == GA_HALF     ? 0x1p-10
                     : dtype == GA_FLOAT  ? 0x1p-23
                     : dtype == GA_DOUBLE ? 0x1p-52
                                          : 0;

  for (size_t k = 0; k < want->n; k++) {
    double x = test_get(got, dtype, k);
    double tol = 16 * (spread[k] + eps * fabs(want->v[k]));
    if (!(fabs(x - want->v[k]) <= tol) && isfinite(spread[k]))
      fail_msg("graph %u, %s: element %zu is %.17g, expected %.17g within %g\n"
               "%s",
               number, who, k, x, want->v[k], tol, expr_text(v, text, TEXT));
  }
}

static void check_array(unsigned int number, const char *who, gg_var *v,
                        const GpuArray *a, const tensor *want,
                        const double *spread) {
  void *got = malloc((want->n + 1) * ga__dtype_size(gg_var_type(v)->dtype));

  assert_non_null(got);
  assert_int_equal(a->nd, want->nd);
  for (unsigned int i = 0; i < a->nd; i++)
    assert_int_equal(a->dimensions[i], want->dim[i]);
  test_gather(a, got);
  check_elements(number, who, v, got, want, spread);
  free(got);
}

static void run_mode(unsigned int number, pool *p, gg_var **results,
                     unsigned int n, interp *it, double *const *spread,
                     gg_mode mode) {
  GpuArray in[MAX_IN] = {0}, out[MAX_RESULTS] = {0};
  GpuArray *in_list[MAX_IN], *out_list[MAX_RESULTS];
  gg_var *vars[MAX_IN + 1] = {NULL};
  gg_func *f;

  for (unsigned int i = 0; i < p->n_in; i++) {
    vars[i] = p->in[i].v;
    make_array(&in[i], &p->in[i]);
    in_list[i] = &in[i];
  }
  for (unsigned int i = 0; i < n; i++)
    out_list[i] = &out[i];
  f = func_make(p->g, &(gg_func_spec){.inputs = vars,
                                      .outputs = results,
                                      .mode = mode,
                                      .flags = GG_ALLOW_UNUSED_INPUT});
  if (gg_func_call(f, in_list, out_list) != GA_NO_ERROR)
    fail_msg("graph %u: %s", number, gg_func_error(f));
  for (unsigned int i = 0; i < n; i++)
    check_array(number, mode == GG_FAST_RUN ? "rewritten" : "as built",
                results[i], &out[i], interp_eval(it, results[i]), spread[i]);
  gg_func_free(f);
  for (unsigned int i = 0; i < p->n_in; i++)
    GpuArray_clear(&in[i]);
  for (unsigned int i = 0; i < n; i++)
    GpuArray_clear(&out[i]);
}

/* What the device makes of it in both modes, and the library on the host. */
static void run_graph(unsigned int number) {
  gg_var *results[MAX_RESULTS + 1] = {NULL};
  double *spread[MAX_RESULTS] = {NULL};
  interp *it = interp_new();
  pool p;
  const unchanged u = {bind, &p};

  state = number * 2654435761u + 1;
  make_pool(&p);
  unsigned int n = choose_results(&p, results);
  bind(&p, it);
  for (unsigned int k = 0; k < n; k++) {
    spread[k] = unchanged_spread(&u, results[k]);
    if (gg_var_test_value(results[k], NULL) != NULL)
      check_elements(number, "by the host", results[k],
                     gg_var_test_value(results[k], NULL),
                     interp_eval(it, results[k]), spread[k]);
  }
  run_mode(number, &p, results, n, it, spread, GG_FAST_RUN);
  run_mode(number, &p, results, n, it, spread, GG_NO_REWRITE);
  for (unsigned int k = 0; k < n; k++)
    free(spread[k]);
  interp_free(it);
  drop_pool(&p);
}

/* --- all of it --- */

static void rewrite_number(size_t number) {
  rewrite_graph((unsigned int)number);
}

static void run_number(size_t number) {
  run_graph((unsigned int)number);
}

static void test_rewritten(void **unused) {
  (void)unused;
  trials_run(N_GRAPHS, rewrite_number);
}

static void test_on_device(void **unused) {
  (void)unused;
  trials_run(N_ON_DEVICE, run_number);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rewritten),
                                     cmocka_unit_test(test_on_device)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
