/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs at random (random_graph.h). Rewritten, they have the values they had;
 * and a few of them are run on the device, rewritten and fused, node by node,
 * and in debug mode, and by the host.
 *
 * Each graph follows from its number (trials.h). FUZZ_OPS_SHOW shows them. */
#include <gpugraph/debug.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/expr.h"
#include "support/funcs.h"
#include "support/random_graph.h"
#include "support/rewritten.h"
#include "support/trials.h"
#include "support/unchanged.h"

enum {
  N_GRAPHS = 3000,
  N_ON_DEVICE = 6,
  TEXT = 65536 /* bytes, of a failing expression */
};

/* --- rewritten, by the interpreter --- */

/* A copy without test values: rules may not learn sizes from those. */
static gg_var *copy_of(gg__subst *s, gg_var *v) {
  gg_var *copy = gg__subst_apply(s, v);

  if (copy == NULL)
    fail_msg("copy: %s", gg_graph_error(s->g));
  return copy;
}

static gg_graph *copy_graph(random_graph *p) {
  gg_graph *old = p->g;
  gg__subst s;

  p->g = gg_graph_new(NULL);
  gg__subst_init(&s, p->g);
  for (unsigned int i = 0; i < p->n_in; i++) {
    gg_var *leaf = gg__clone_leaf(p->g, p->in[i].v);
    assert_ok(gg__subst_put(&s, p->in[i].v, leaf));
    p->in[i].v = leaf;
  }
  for (unsigned int i = 0; i < p->n_results; i++)
    p->result[i] = copy_of(&s, p->result[i]);
  gg__subst_clear(&s);
  return old;
}

static void complain(size_t number, const gg__build *b, gg_var *before,
                     gg_var *after, ptrdiff_t at, double want, double got) {
  static char text[2][TEXT];

  for (size_t k = 0; k < b->fired.n; k++)
    print_message("  %u %s\n", b->fired.v[k].count, b->fired.v[k].rule);
  fail_msg("graph %zu, element %td: %.17g became %.17g\n%s\n%s", number, at,
           want, got, expr_text(before, text[0], TEXT),
           expr_text(after, text[1], TEXT));
}

/* Of a graph that was asked for: what it is, and which rules fire. */
static void show(const random_graph *p, gg__build *b) {
  static char text[TEXT];

  if (getenv("FUZZ_OPS_SHOW") == NULL)
    return;
  for (unsigned int k = 0; k < p->n_in; k++) {
    print_message("%s:", gg_type_text(&p->in[k].v->type, text, TEXT));
    for (unsigned int i = 0; i < gg_var_type(p->in[k].v)->nd; i++)
      print_message(" %zu", p->in[k].dims[i]);
    print_message("\n");
  }
  for (unsigned int k = 0; k < p->n_results; k++)
    print_message("%s\n", expr_text(p->result[k], text, TEXT));
  b->trace = stdout;
}

static void rewrite_graph(size_t number) {
  double want = 0, got = 0;
  ptrdiff_t at;
  gg__build b;
  random_graph p;
  const unchanged u = {random_graph_bind, &p};

  random_graph_make(&p, number);
  gg_graph *old = copy_graph(&p);
  rewrite_begin(&b, p.g, GG_FAST_RUN);
  for (unsigned int k = 0; k < p.n_results; k++)
    rewrite_output(&b, p.result[k]);
  show(&p, &b);
  rewrite_run(&b);
  for (unsigned int k = 0; k < p.n_results; k++)
    if (!unchanged_check(&u, p.result[k], b.results.v[k], &at, &want, &got))
      complain(number, &b, p.result[k], b.results.v[k], at, want, got);
  rewrite_end(&b);
  random_graph_clear(&p);
  gg_graph_free(old);
}

/* --- run --- */

static void make_array(GpuArray *a, const random_input *x) {
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
static void check_elements(size_t number, const char *who, gg_var *v,
                           const void *got, const tensor *want,
                           const double *spread) {
  static char text[TEXT];
  const int dtype = gg_var_type(v)->dtype;
  const double eps =
      ga__dtype_kind(dtype) == GA_KIND_FLOAT ? ga__dtype_epsilon(dtype) : 0;

  for (size_t k = 0; k < want->n; k++) {
    double x = test_get(got, dtype, k);
    double tol = 16 * (spread[k] + eps * fabs(want->v[k]));
    if (!(fabs(x - want->v[k]) <= tol) && isfinite(spread[k]))
      fail_msg("graph %zu, %s: element %zu is %.17g, expected %.17g within %g\n"
               "%s",
               number, who, k, x, want->v[k], tol, expr_text(v, text, TEXT));
  }
}

static void check_array(size_t number, const char *who, gg_var *v,
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

static const char *const modes[] = {[GG_FAST_RUN] = "rewritten",
                                    [GG_NO_REWRITE] = "as built",
                                    [GG_DEBUG] = "debug mode"};

/* Debug mode refuses indices that others stop at the ends, and has its own
 * tolerance, which a graph may exceed where it is not exact. */
static int may_refuse(const random_graph *p, interp *it, double *const *spread,
                      const gg_func *f) {
  double most = 0;

  if (strstr(gg_func_error(f), "is out of range") != NULL)
    return 1;
  for (unsigned int i = 0; i < p->n_results; i++)
    for (size_t k = 0; k < interp_eval(it, p->result[i])->n; k++)
      most = fmax(most, spread[i][k]);
  return most > 0;
}

static void run_mode(size_t number, random_graph *p, interp *it,
                     double *const *spread, gg_mode mode) {
  GpuArray in[RANDOM_MOST_IN] = {0}, out[RANDOM_MOST_RESULTS] = {0};
  GpuArray *in_list[RANDOM_MOST_IN], *out_list[RANDOM_MOST_RESULTS];
  gg_var *vars[RANDOM_MOST_IN + 1] = {NULL};
  const gg_func_spec spec = {.inputs = vars,
                             .outputs = p->result,
                             .mode = mode,
                             .flags =
                                 GG_ALLOW_UNUSED_INPUT | GG_NO_INDEX_GUARD};

  for (unsigned int i = 0; i < p->n_in; i++) {
    vars[i] = p->in[i].v;
    make_array(&in[i], &p->in[i]);
    in_list[i] = &in[i];
  }
  for (unsigned int i = 0; i < p->n_results; i++)
    out_list[i] = &out[i];
  gg_func *f = func_make(p->g, &spec);
  const int err = gg_func_call(f, in_list, out_list);
  if (err != GA_NO_ERROR && !(mode == GG_DEBUG && may_refuse(p, it, spread, f)))
    fail_msg("graph %zu, %s: %s", number, modes[mode], gg_func_error(f));
  for (unsigned int i = 0; i < p->n_results && err == GA_NO_ERROR; i++)
    check_array(number, modes[mode], p->result[i], &out[i],
                interp_eval(it, p->result[i]), spread[i]);
  gg_func_free(f);
  for (unsigned int i = 0; i < p->n_in; i++)
    GpuArray_clear(&in[i]);
  for (unsigned int i = 0; i < p->n_results; i++)
    GpuArray_clear(&out[i]);
}

/* What the device makes of it in all modes, and the library on the host. */
static void run_graph(size_t number) {
  double *spread[RANDOM_MOST_RESULTS] = {NULL};
  interp *it = interp_new();
  random_graph p;
  const unchanged u = {random_graph_bind, &p};

  random_graph_make(&p, number);
  random_graph_bind(&p, it);
  for (unsigned int k = 0; k < p.n_results; k++) {
    const void *by_host = gg_var_test_value(p.result[k], NULL);
    spread[k] = unchanged_spread(&u, p.result[k]);
    if (by_host != NULL)
      check_elements(number, "by the host", p.result[k], by_host,
                     interp_eval(it, p.result[k]), spread[k]);
  }
  run_mode(number, &p, it, spread, GG_FAST_RUN);
  run_mode(number, &p, it, spread, GG_NO_REWRITE);
  run_mode(number, &p, it, spread, GG_DEBUG);
  for (unsigned int k = 0; k < p.n_results; k++)
    free(spread[k]);
  interp_free(it);
  random_graph_clear(&p);
}

/* --- all of it --- */

static void test_rewritten(void **unused) {
  (void)unused;
  trials_run(N_GRAPHS, rewrite_graph);
}

static void test_on_device(void **unused) {
  (void)unused;
  test_need_double();
  trials_run(N_ON_DEVICE, run_graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rewritten),
                                     cmocka_unit_test(test_on_device)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
