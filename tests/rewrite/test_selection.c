/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes by name, rewrites by name, bounds, the trace, updates by default. */
#undef GG_NO_SITES
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *x;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 1);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

/* What fired, to be freed. */
static char *fired(gg_func_spec spec) {
  spec.inputs = GG_VARS(x);
  spec.outputs = GG_VARS(gg_log(gg_exp(gg_mul(x, gg_neg(x)))));
  gg_func *f = func_make(g, &spec);
  char *text = func_rewrites(f);
  gg_func_free(f);
  return text;
}

static void assert_fired(gg_func_spec spec, const char *yes, const char *no) {
  char *text = fired(spec);

  if ((yes != NULL && strstr(text, yes) == NULL) ||
      (no != NULL && strstr(text, no) != NULL))
    fail_msg("fired:\n%sexpected %s, not %s", text, yes == NULL ? "-" : yes,
             no == NULL ? "-" : no);
  free(text);
}

static void test_mode_names(void **state) {
  gg_mode mode;

  (void)state;
  assert_ok(gg_mode_from_name("FAST_COMPILE", &mode));
  assert_int_equal(mode, GG_FAST_COMPILE);
  assert_ok(gg_mode_from_name("none", &mode));
  assert_int_equal(mode, GG_NO_REWRITE);
  assert_ok(gg_mode_from_name("Debug", &mode));
  assert_int_equal(mode, GG_DEBUG);
  assert_ok(gg_mode_from_name("Mode", &mode));
  assert_int_equal(mode, GG_FAST_RUN);
  assert_ok(gg_mode_from_name("DebugMode", &mode));
  assert_int_equal(mode, GG_DEBUG);
  assert_ok(gg_mode_from_name("DEBUG_MODE", &mode));
  assert_int_equal(mode, GG_DEBUG);
  assert_code(GA_VALUE_ERROR, gg_mode_from_name("FASTER", &mode));
  assert_message(GA_VALUE_ERROR, "there is no mode \"FASTER\"");
  assert_code(GA_VALUE_ERROR, gg_mode_from_name(NULL, &mode));
}

static void test_exclude(void **state) {
  (void)state;
  assert_fired((gg_func_spec){0}, "log(exp(x))", NULL);
  assert_fired((gg_func_spec){.exclude = GG_NAMES("log(exp(x))")},
               "sign out of product", "log(exp(x))");
  assert_fired((gg_func_spec){.exclude = GG_NAMES("stable", "blas")},
               "sign out of product", "log(exp(x))");
}

static void test_include(void **state) {
  (void)state;
  assert_fired((gg_func_spec){.mode = GG_FAST_COMPILE}, NULL, "log(exp(x))");
  assert_fired(
      (gg_func_spec){.mode = GG_FAST_COMPILE, .include = GG_NAMES("stable")},
      "log(exp(x))", "sign out of product");
  assert_fired((gg_func_spec){.mode = GG_FAST_COMPILE,
                              .include = GG_NAMES("stable"),
                              .exclude = GG_NAMES("log(exp(x))")},
               NULL, "log(exp(x))");
}

static gg_func_spec optimizer(const char *name) {
  gg_func_spec spec = {.max_passes = 60, .exclude = GG_NAMES("fusion")};

  assert_ok(gg_func_spec_mode(&spec, name));
  assert_int_equal(spec.max_passes, 60);
  return spec;
}

/* The steps of two maps in a row and of an assertion. */
static void assert_steps(const char *name, int has_fusion, int has_assert) {
  gg_func_spec spec = optimizer(name);

  spec.inputs = GG_VARS(x);
  spec.outputs = GG_VARS(gg_sqrt(gg_exp(x)),
                         gg_assert(x, gg_lt(x, gg_f32(g, 9)), "below 9"));
  gg_func *f = func_make(g, &spec);
  char *text = func_text(f);
  assert_int_equal(strstr(text, "map{exp, sqrt") != NULL, has_fusion);
  assert_int_equal(strstr(text, "assert") != NULL, has_assert);
  free(text);
  gg_func_free(f);
}

static void test_optimizers(void **state) {
  gg_func_spec spec = {.mode = GG_DEBUG, .include = GG_NAMES("stable")};

  (void)state;
  assert_fired(optimizer("o4"), "log(exp(x))", NULL);
  assert_fired(optimizer("O3"), "log(exp(x))", NULL);
  assert_fired(optimizer("unsafe"), "log(exp(x))", NULL);
  assert_fired(optimizer("stabilize"), "log(exp(x))", NULL);
  assert_fired(optimizer("fast_run_stable"), "log(exp(x))", NULL);
  assert_fired(optimizer("o2"), NULL, "log(exp(x))");
  assert_fired(optimizer("o1"), NULL, "log(exp(x))");
  assert_fired(optimizer("merge"), NULL, "log(exp(x))");
  assert_fired(optimizer("fast_run"), "log(exp(x))", NULL);
  assert_steps("o1", 0, 1);
  assert_steps("o2", 1, 1);
  assert_steps("o3", 1, 1);
  assert_steps("unsafe", 1, 0);
  assert_steps("stabilize", 0, 1);
  assert_steps("fast_run_stable", 1, 1);
  assert_code(GA_VALUE_ERROR, gg_func_spec_mode(&spec, "o5"));
  assert_message(GA_VALUE_ERROR, "there is no mode \"o5\"");
  assert_int_equal(spec.mode, GG_DEBUG);
  assert_non_null(spec.include);
  assert_code(GA_VALUE_ERROR, gg_func_spec_mode(&spec, NULL));
}

/* In place like FAST_RUN, but without rules for speed alone. */
static void test_fast_run_stable(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){1}, (float[]){1}),
         *m = gg_input(g, "m", GA_FLOAT, 2);
  gg_func_spec spec = {.inputs = GG_VARS(m),
                       .outputs = GG_VARS(gg_neg(gg_dot(m, m))),
                       .updates = GG_UPDATES({w, gg_log1p(gg_exp(w))})};

  (void)state;
  assert_ok(gg_func_spec_mode(&spec, "fast_run_stable"));
  gg_func *f = func_make(g, &spec);
  char *text = func_text(f);
  assert_non_null(strstr(text, "softplus"));
  assert_non_null(strstr(text, "in place"));
  free(text);
  text = func_rewrites(f);
  assert_null(strstr(text, "number around dot"));
  free(text);
  gg_func_free(f);
}

static void test_nan_guard_mode(void **state) {
  gg_func_spec spec = {.flags = GG_PROFILE};

  (void)state;
  assert_ok(gg_func_spec_mode(&spec, "NanGuardMode"));
  assert_int_equal(spec.mode, GG_FAST_RUN);
  assert_int_equal(spec.flags,
                   GG_PROFILE | GG_NAN_GUARD | GG_INF_GUARD | GG_BIG_GUARD);
}

static void test_unknown(void **state) {
  gg_func *f;

  (void)state;
  assert_code(
      GA_VALUE_ERROR,
      gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x),
                                  .outputs = GG_VARS(gg_exp(x)),
                                  .exclude = GG_NAMES("fusion", "fusoin")}));
  assert_null(f);
  assert_non_null(
      strstr(gg_graph_error(g), "there is no rewrite \"fusoin\" ("));
}

static void test_passes(void **state) {
  gg_var *y = x;
  char *text;

  (void)state;
  for (unsigned int i = 0; i < 4; i++)
    y = gg_log(gg_exp(gg_neg(y)));
  text = fired((gg_func_spec){.max_passes = 1});
  assert_non_null(strstr(text, "unsettled"));
  free(text);
  assert_fired((gg_func_spec){.max_passes = 60}, NULL, "unsettled");
}

static void test_trace(void **state) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);

  (void)state;
  free(fired((gg_func_spec){.trace = out}));
  fclose(out);
  assert_non_null(strstr(text, "1.1 log(exp(x)): log -> "));
  assert_non_null(strstr(text, " (" __FILE__ ":"));
  free(text);
}

/* Two maps that would be one kernel; an update in a buffer of its own. */
static void test_stages(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){1}, (float[]){1});
  gg_func_spec spec = {.inputs = GG_VARS(x),
                       .outputs = GG_VARS(gg_sqrt(gg_exp(x))),
                       .updates = GG_UPDATES({w, gg_add(w, w)})};

  (void)state;
  spec.exclude = GG_NAMES("fusion");
  gg_func *f = func_make(g, &spec);
  char *text = func_text(f);
  assert_non_null(strstr(text, "map{exp}"));
  assert_non_null(strstr(text, "in place"));
  free(text);
  gg_func_free(f);
  spec.exclude = GG_NAMES("inplace");
  f = func_make(g, &spec);
  text = func_text(f);
  assert_non_null(strstr(text, "map{exp, sqrt}"));
  assert_null(strstr(text, "in place"));
  free(text);
  gg_func_free(f);
}

/* --- updates that shared variables bring along --- */

static gg_var *counter(const char *name, float step) {
  gg_var *c = gg_shared_host(g, name, GA_FLOAT, 0, NULL, (float[]){0});

  assert_ok(gg_shared_set_update(c, gg_add(c, gg_f32(g, step))));
  return c;
}

static void run_once(gg_func_spec spec) {
  GpuArray out = {0};
  gg_func *f = func_make(g, &spec);

  func_run(f, NULL, (GpuArray *[]){&out});
  gg_func_free(f);
  GpuArray_clear(&out);
}

static void test_default_updates(void **state) {
  gg_var *c = counter("c", 1), *d = counter("d", 10);
  gg_func_spec spec = {.outputs = GG_VARS(gg_exp(c))};

  (void)state;
  run_once(spec);
  assert_shared(c, (float[]){1}, 1);
  assert_shared(d, (float[]){0}, 1);
  spec.flags = GG_NO_DEFAULT_UPDATES;
  run_once(spec);
  assert_shared(c, (float[]){1}, 1);
  spec.flags = 0;
  spec.no_default_updates = GG_VARS(c);
  run_once(spec);
  assert_shared(c, (float[]){1}, 1);
  spec.no_default_updates = NULL;
  spec.updates = GG_UPDATES({c, gg_add(c, d)});
  run_once(spec); /* its own update, and that of d which it uses */
  assert_shared(c, (float[]){1}, 1);
  assert_shared(d, (float[]){10}, 1);
  assert_ok(gg_shared_set_update(d, NULL));
  run_once(spec);
  assert_shared(c, (float[]){11}, 1);
  assert_shared(d, (float[]){10}, 1);
}

static void test_bad_default_update(void **state) {
  gg_var *c = counter("c", 1);

  (void)state;
  assert_code(GA_VALUE_ERROR, gg_shared_set_update(x, c));
  gg_graph_reset_error(g);
  assert_code(GA_VALUE_ERROR, gg_shared_set_update(c, x));
  assert_non_null(
      strstr(gg_graph_error(g), "default update of c: float32 cannot take"));
  assert_code(GA_VALUE_ERROR, gg_shared_set_update(NULL, x));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_mode_names),      TEST(test_exclude),
      TEST(test_include),         TEST(test_optimizers),
      TEST(test_unknown),         TEST(test_passes),
      TEST(test_trace),           TEST(test_stages),
      TEST(test_default_updates), TEST(test_bad_default_update),
      TEST(test_fast_run_stable), TEST(test_nan_guard_mode),
  };

  return cmocka_run_group_tests_name("selection", tests, NULL,
                                     test_context_drop);
}
