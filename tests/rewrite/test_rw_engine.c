/* SPDX-License-Identifier: BSD-2-Clause */
/* The rewriting engine: modes, names, users' ops, long graphs, no memory. */
#include <stdio.h>
#include <string.h>

#include <gpugraph/grad.h>

#include "base/alloc.h"
#include "ops/ops.h"
#include "rewrite/families.h"
#include "support/rewritten.h"

/* --- modes --- */

static void check_mode(gg_mode mode, const char *after) {
  char text[1024];
  expr_vars e;
  gg__build b;

  expr_begin(&e);
  rewrite_begin(&b, e.g, mode);
  rewrite_output(&b, expr_parse(&e, "add(log(softmax(A)), 0)"));
  rewrite_run(&b);
  expr_text(b.results.v[0], text, sizeof text);
  if (strstr(text, after) != text)
    fail_msg("%s does not start with %s", text, after);
  rewrite_end(&b);
  gg_graph_free(e.g);
}

static void test_modes(void **unused) {
  (void)unused;
  check_mode(GG_FAST_RUN, "sub(sub(A, ");
  check_mode(GG_FAST_COMPILE, "add(log(div(exp(");
  check_mode(GG_NO_REWRITE, "add(log(div(exp(");
}

/* --- results --- */

static void test_results_in_any_form(void **unused) {
  expr_vars e;
  gg__build b;

  (void)unused;
  expr_begin(&e);
  gg_var *sum = expr_parse(&e, "sub(add(x, y), y)");
  gg_var *named = gg_named(expr_parse(&e, "log(exp(log(add(1, z))))"), "rate");
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, e.v[0]);
  rewrite_output(&b, sum);
  rewrite_output(&b, sum);
  rewrite_output(&b, gg_f32(e.g, 2));
  rewrite_output(&b, named);
  rewrite_run(&b);
  assert_ptr_equal(b.results.v[0], e.v[0]);
  assert_ptr_equal(b.results.v[1], e.v[0]);
  assert_ptr_equal(b.results.v[2], e.v[0]);
  assert_non_null(gg_var_data(b.results.v[3]));
  assert_string_equal(gg_var_name(b.results.v[4]), "rate");
  assert_ptr_equal(gg_var_owner(b.results.v[4])->op, &gg__op_log1p);
  /* A leaf keeps its own name. */
  assert_string_equal(gg_var_name(e.v[0]), "x");
  rewrite_end(&b);
  gg_graph_free(e.g);
}

static void test_fired(void **unused) {
  expr_vars e;
  gg__build b;

  (void)unused;
  expr_begin(&e);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, expr_parse(&e, "add(neg(neg(x)), neg(neg(sin(y))))"));
  rewrite_run(&b);
  assert_int_equal(b.fired.n, 1);
  assert_string_equal(b.fired.v[0].rule, "-(expression)");
  assert_int_equal(b.fired.v[0].count, 2);
  rewrite_end(&b);
  gg_graph_free(e.g);
}

/* However a program writes it down, it becomes the same node. */
static void test_any_order(void **unused) {
  static const char *const same[][2] = {
      {"add(x, add(y, z))", "add(add(z, y), x)"},
      {"mul(s, mul(x, t))", "mul(mul(t, x), s)"},
      {"add(mul(x, z), mul(y, z))", "add(mul(z, y), mul(z, x))"},
      {"sub(1, sigmoid(x))", "neg(sub(sigmoid(x), 1))"},
      {"div(mul(x, y), mul(x, z))", "mul(div(y, z), div(x, x))"},
      {"sum(mul(2, neg(x)))", "neg(mul(sum(x), 2))"},
      {"log(add(1, exp(x)))", "log(add(exp(x), 1))"}};
  char one[1024], two[1024];
  expr_vars e;
  gg__build b;

  (void)unused;
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    expr_begin(&e);
    rewrite_begin(&b, e.g, GG_FAST_RUN);
    rewrite_output(&b, expr_parse(&e, same[i][0]));
    rewrite_output(&b, expr_parse(&e, same[i][1]));
    rewrite_run(&b);
    if (b.results.v[0] != b.results.v[1])
      fail_msg("%s became %s\n%s became %s", same[i][0],
               expr_text(b.results.v[0], one, sizeof one), same[i][1],
               expr_text(b.results.v[1], two, sizeof two));
    rewrite_end(&b);
    gg_graph_free(e.g);
  }
}

/* --- users' ops --- */

static int infer_two(const gg_apply *a, gg_type *out) {
  out[0] = out[1] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int lower_two(const gg_apply *a, gg_var **out) {
  out[0] = gg_softmax(a->in[0]);
  out[1] = gg_add(a->in[0], gg_f64(gg_var_graph(a->in[0]), 1));
  return GA_NO_ERROR;
}

static const gg_op two = {
    .name = "two", .kind = GG_OP_KERNEL, .n_out = 2, .infer = infer_two};
static const gg_op macro = {.name = "macro",
                            .kind = GG_OP_MACRO,
                            .n_out = 2,
                            .infer = infer_two,
                            .lower = lower_two};

static double eval_half(const double *x) {
  return x[0] / 2;
}

static const gg_op half = {
    .name = "half",
    .kind = GG_OP_ELEMWISE,
    .n_out = 1,
    .code = &(const gg_code){"(%0 / (%T)(2))", eval_half, 1, 1}};
static const gg_op unknown = {.name = "unknown",
                              .kind = GG_OP_ELEMWISE,
                              .n_out = 1,
                              .code =
                                  &(const gg_code){"unknown(%0)", NULL, 1, 1}};

static void test_ops_with_two_outputs(void **unused) {
  char text[1024];
  expr_vars e;
  gg__build b;

  (void)unused;
  expr_begin(&e);
  gg_var *x = e.v[0];
  gg_var *in = expr_parse(&e, "neg(neg(x))");
  gg_var *v = gg_op_apply(e.g, &two, NULL, 1, &in);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, gg_neg(gg_neg(gg_var_owner(v)->out[1])));
  v = gg_op_apply(e.g, &macro, NULL, 1, &in);
  rewrite_output(&b, gg_sub(gg_var_owner(v)->out[1], gg_f64(e.g, 1)));
  rewrite_output(&b, v);
  rewrite_run(&b);
  v = b.results.v[0];
  assert_ptr_equal(gg_var_owner(v)->op, &two);
  assert_int_equal(gg_var_index(v), 1);
  assert_ptr_equal(gg_var_owner(v)->in[0], x);
  assert_ptr_equal(b.results.v[1], x);
  expr_text(b.results.v[2], text, sizeof text);
  assert_true(strstr(text, "div(exp(sub(x, ") == text);
  rewrite_end(&b);
  gg_graph_free(e.g);
}

static int perform_thrice(const gg_prepare *p) {
  *(double *)p->to[0] = 3 * *(const double *)p->from[0];
  return GA_NO_ERROR;
}
static const gg_op thrice = {.name = "thrice",
                             .kind = GG_OP_PERFORM,
                             .n_out = 1,
                             .perform = perform_thrice,
                             .on_host = 1};

static void test_folding_of_users_ops(void **unused) {
  char text[256];
  expr_vars e;
  gg__build b;

  (void)unused;
  expr_begin(&e);
  gg_var *three = gg_f64(e.g, 3);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, gg_op_apply(e.g, &half, NULL, 1, &three));
  rewrite_output(&b, gg_op_apply(e.g, &unknown, NULL, 1, &three));
  rewrite_output(&b, gg_op_apply(e.g, &thrice, NULL, 1, &three));
  rewrite_run(&b);
  assert_string_equal(expr_text(b.results.v[0], text, sizeof text), "1.5");
  assert_string_equal(expr_text(b.results.v[1], text, sizeof text),
                      "unknown(3)");
  assert_string_equal(expr_text(b.results.v[2], text, sizeof text), "9");
  assert_int_equal(rewrite_fired(&b, "fold host ops"), 1);
  rewrite_end(&b);
  gg_graph_free(e.g);
}

/* --- documentation --- */

static void append_file(ga__strb *b, const char *path) {
  FILE *f = fopen(path, "rb");
  char part[4096];
  size_t n;

  assert_non_null(f);
  while ((n = fread(part, 1, sizeof part, f)) != 0)
    ga__strb_append_n(b, part, n);
  fclose(f);
  assert_ok(b->err);
}

/* docs/rewrites.md lists every rule. Tests run in the root of the sources. */
static void test_all_rules_are_documented(void **unused) {
  ga__strb text = GA_STRB_INIT;

  (void)unused;
  append_file(&text, "docs/rewrites.md");
  for (const gg_rule_family *family = gg__families; family->name != NULL;
       family++)
    for (const gg_rule *rule = family->rules; rule->name != NULL; rule++)
      if (strstr(ga__strb_text(&text), rule->name) == NULL)
        fail_msg("docs/rewrites.md says nothing of \"%s\"", rule->name);
  ga__strb_clear(&text);
}

/* --- long graphs --- */

enum { LENGTH = 4000, N_INPUTS = 16 };

/* One link of a chain, from the value so far and two variables. */
typedef gg_var *(*link)(gg_var *x, gg_var *y, gg_var *z);

static gg_var *link_add(gg_var *x, gg_var *y, gg_var *z) {
  (void)z;
  return gg_add(x, y);
}
static gg_var *link_number(gg_var *x, gg_var *y, gg_var *z) {
  (void)z;
  return gg_add(gg_add(x, gg__num(x, 1)), y);
}
static gg_var *link_mul(gg_var *x, gg_var *y, gg_var *z) {
  (void)z;
  return gg_mul(x, y);
}
static gg_var *link_cancel(gg_var *x, gg_var *y, gg_var *z) {
  return gg_div(gg_mul(x, y), z);
}
static gg_var *link_sign(gg_var *x, gg_var *y, gg_var *z) {
  (void)z;
  return gg_mul(gg_neg(x), gg_exp(y));
}
static gg_var *link_layer(gg_var *x, gg_var *y, gg_var *z) {
  return gg_sigmoid(gg_add(gg_mul(x, y), z));
}
static gg_var *link_sum(gg_var *x, gg_var *y, gg_var *z) {
  return gg_mul(x, gg_add(gg_div(y, z), z));
}
static gg_var *link_fill(gg_var *x, gg_var *y, gg_var *z) {
  (void)z;
  return gg_add(gg_fill(y, gg_sum(x)), y);
}
static gg_var *link_twice(gg_var *x, gg_var *y, gg_var *z) {
  (void)z;
  return gg_add(gg_add(x, x), y);
}

/* Variables that rewriting a chain of n links makes. */
static size_t rewrite_chain(link f, unsigned int n) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *in[N_INPUTS], *x;
  gg__build b;

  assert_non_null(g);
  for (unsigned int i = 0; i < N_INPUTS; i++)
    in[i] = gg_input(g, "x", GA_DOUBLE, 1);
  x = in[0];
  for (unsigned int i = 0; i < n; i++)
    x = f(x, in[(i * 7 + 1) % N_INPUTS], in[(i * 5 + 2) % N_INPUTS]);
  size_t before = gg_graph_size(g);
  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, x);
  rewrite_run(&b);
  assert_int_equal(rewrite_fired(&b, "unsettled"), 0);
  size_t made = gg_graph_size(g) - before;
  rewrite_end(&b);
  gg_graph_free(g);
  return made;
}

/* Work grows with the length of a chain, and not faster. */
static void test_long_chains(void **unused) {
  static const link links[] = {link_add,    link_number, link_mul,
                               link_cancel, link_sign,   link_layer,
                               link_sum,    link_fill,   link_twice};

  (void)unused;
  for (unsigned int i = 0; i < sizeof links / sizeof links[0]; i++) {
    size_t half_made = rewrite_chain(links[i], LENGTH / 2);
    size_t made = rewrite_chain(links[i], LENGTH);
    if (made > 2 * half_made + 1000 || made > 64 * LENGTH)
      fail_msg("chain %u: %zu variables for half of it, %zu for all", i,
               half_made, made);
  }
}

/* What rewriting n additions, products and differences takes: each of the value
 * so far and either an input or the value before it, or of their gradient.
 * Returns how often a rule looked at a node. */
static size_t attempts(size_t n, int is_fibonacci, int is_gradient) {
  gg_graph *g = gg_graph_new(NULL);
  uint32_t random = 1;
  size_t tried = 0;
  gg__build b;

  assert_non_null(g);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *w = gg_input(g, "w", GA_FLOAT, 1), *before = x, *y = w;
  for (size_t i = 0; i < n; i++) {
    gg_var *other = is_fibonacci ? before : i % 2 != 0 ? x : w;

    before = y;
    random = random * 1664525 + 1013904223;
    y = (random >> 16) % 3 == 0   ? gg_add(y, other)
        : (random >> 16) % 3 == 1 ? gg_mul(y, other)
                                  : gg_sub(y, other);
  }
  if (is_gradient)
    assert_int_equal(gg_grad(&y, gg_sum(y), 1, &x), GA_NO_ERROR);
  rewrite_begin(&b, g, GG_FAST_RUN);
  b.times_rules = 1;
  rewrite_output(&b, y);
  rewrite_run(&b);
  assert_int_equal(rewrite_fired(&b, "unsettled"), 0);
  for (size_t i = 0; i < b.fired.n; i++)
    tried += b.fired.v[i].tried;
  rewrite_end(&b);
  gg_graph_free(g);
  return tried;
}

/* Passes do not grow with a graph, since they visit what rules have built. */
static void test_work_against_size(void **unused) {
  (void)unused;
  for (int is_fibonacci = 0; is_fibonacci < 2; is_fibonacci++) {
    const size_t n = 8000, some = attempts(n / 2, is_fibonacci, 0);
    const size_t all = attempts(n, is_fibonacci, 0);

    if (all > 2 * some + some / 4 || all > 60 * n)
      fail_msg("%zu attempts for half of it, %zu for all", some, all);
    const size_t gradient = attempts(n / 2, is_fibonacci, 1);
    if (gradient > 1000 * (n / 2))
      fail_msg("%zu attempts for a gradient", gradient);
  }
}

/* --- no memory --- */

/* Rewrite with the nth allocation failing; returns the code. */
static int rewrite_failing(long nth) {
  const char *text =
      "sub(mul(2, softmax(mul(A, 1))), fill(A, log(sum(exp(x)))))";
  expr_vars e;
  gg__build b;

  expr_begin(&e);
  rewrite_begin(&b, e.g, GG_FAST_RUN);
  rewrite_output(&b, expr_parse(&e, text));
  ga__alloc_fail(nth, 0);
  int err = gg__rewrite(&b);
  ga__alloc_fail(0, 0);
  assert_int_equal(gg_graph_status(e.g), err);
  rewrite_end(&b);
  gg_graph_free(e.g);
  return err;
}

static void test_out_of_memory(void **unused) {
  const long live = ga__alloc_live();
  long nth;

  (void)unused;
  for (nth = 1;; nth++) {
    int err = rewrite_failing(nth);
    assert_int_equal(ga__alloc_live(), live);
    if (err == GA_NO_ERROR)
      break;
    assert_int_equal(err, GA_MEMORY_ERROR);
  }
  assert_true(nth > 100);
}

/* Every rule is named by a test beside this one, which checks what it makes of
 * an example and that values stay. Rules that fire on request have theirs in
 * tests/ops/test_inspect.c and tests/debug/test_debug.c. */
static void test_all_rules_have_examples(void **unused) {
  static const char *const files[] = {
      "test_rw_arith.c",   "test_rw_blas.c",         "test_rw_conv.c",
      "test_rw_engine.c",  "test_rw_erf.c",          "test_rw_function.c",
      "test_rw_fold.c",    "test_rw_linear.c",       "test_rw_loop.c",
      "test_rw_product.c", "test_rw_reduce.c",       "test_rw_shape.c",
      "test_rw_slice.c",   "test_rw_slice_values.c", "test_rw_stable.c",
      "test_rw_sum.c",     "test_rw_transfer.c"};
  ga__strb text = GA_STRB_INIT;
  char path[128];

  (void)unused;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(path, sizeof path, "tests/rewrite/%s", files[i]);
    append_file(&text, path);
  }
  for (const gg_rule_family *family = gg__families; family->name != NULL;
       family++) {
    if (family->on_request)
      continue;
    for (const gg_rule *rule = family->rules; rule->name != NULL; rule++) {
      snprintf(path, sizeof path, "\"%s\"", rule->name);
      if (strstr(ga__strb_text(&text), path) == NULL)
        fail_msg("no test has an example of \"%s\"", rule->name);
    }
  }
  ga__strb_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_modes),
      cmocka_unit_test(test_results_in_any_form),
      cmocka_unit_test(test_fired),
      cmocka_unit_test(test_any_order),
      cmocka_unit_test(test_ops_with_two_outputs),
      cmocka_unit_test(test_folding_of_users_ops),
      cmocka_unit_test(test_all_rules_are_documented),
      cmocka_unit_test(test_all_rules_have_examples),
      cmocka_unit_test(test_long_chains),
      cmocka_unit_test(test_work_against_size),
      cmocka_unit_test(test_out_of_memory)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
