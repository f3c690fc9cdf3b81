/* SPDX-License-Identifier: BSD-2-Clause */
/* Monitors see each step of a call with its values. */
#undef GG_NO_SITES
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *w;
static gg_func *f;
static GpuArray a, out, out2;
static char seen[2048]; /* a line for each step */

static const float six[6] = {1, 2, 3, 4, 5, 6};
static const size_t two_three[2] = {2, 3};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 2);
  w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){3}, six);
  float_array(&a, 2, two_three, six);
  f = NULL;
  seen[0] = '\0';
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

static void run(void) {
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
}

/* --- monitors --- */

static void write_line(const char *fmt, ...) {
  const size_t n = strlen(seen);
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(seen + n, sizeof seen - n, fmt, ap);
  va_end(ap);
}

static float sum_of(const GpuArray *v) {
  float data[16], sum = 0;

  assert_true(test_size(v) <= 16);
  test_gather(v, data);
  for (size_t i = 0; i < test_size(v); i++)
    sum += data[i];
  return sum;
}

/* " x 21" for values that are there, " x -" for others. */
static void write_values(const gg_step_value *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    write_line(" %s ", gg_var_name(v[i].var));
    if (v[i].array.data != NULL)
      write_line("%g", sum_of(&v[i].array));
    else
      write_line("-");
  }
}

static int write_step(const char *when, const gg_step *s) {
  write_line("%s %u:", when, s->number);
  write_values(s->in, s->n_in);
  write_line(" ->");
  write_values(s->out, s->n_out);
  write_line("\n");
  return GA_NO_ERROR;
}

static int before(void *arg, const gg_step *s) {
  (void)arg;
  return write_step("before", s);
}

static int after(void *arg, const gg_step *s) {
  (void)arg;
  return write_step("after", s);
}

/* --- what is seen --- */

/* A product with what follows it, a reduction that updates in place, a copy. */
static gg_func *example(gg_mode mode) {
  gg_var *z = gg_named(gg_neg(gg_dot(x, w)), "z");
  gg_var *w1 = gg_named(gg_sub(w, gg_sum_axis(gg_mul(x, x), 0)), "w1");

  return func_make(g, &(gg_func_spec){.name = "step",
                                      .inputs = GG_VARS(x),
                                      .outputs = GG_VARS(z, x),
                                      .updates = GG_UPDATES({w, w1}),
                                      .mode = mode});
}

/* From the second call on; w is {-16, -27, -42} then. */
static void check_values(gg_mode mode) {
  f = example(mode);
  run();
  assert_ok(gg_func_set_monitor(f, before, after, NULL));
  run();
  assert_string_equal(seen, "before 1: x 21 w -85 -> z -\n"
                            "after 1: x 21 w -85 -> z 647\n"
                            "before 2: x 21 w -85 -> w1 -\n"
                            "after 2: x 21 w - -> w1 -176\n"
                            "before 3: x 21 -> x -\n"
                            "after 3: x 21 -> x 21\n");
  assert_floats(&out, (float[]){196, 451}, 2);
  assert_shared(w, (float[]){-33, -56, -87}, 3);
}

static void test_values(void **state) {
  (void)state;
  check_values(GG_FAST_RUN);
}

/* What debug mode runs besides is not seen. */
static void test_debug_mode(void **state) {
  (void)state;
  check_values(GG_DEBUG);
}

/* Plans that were made with a monitor and without, calls that want a part. */
static void test_on_and_off(void **state) {
  (void)state;
  f = example(GG_FAST_RUN);
  assert_ok(gg_func_set_monitor(f, NULL, after, NULL));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, NULL});
  assert_string_equal(seen, "after 1: x 21 w 6 -> z -46\n"
                            "after 2: x 21 w - -> w1 -85\n");
  seen[0] = '\0';
  assert_ok(gg_func_set_monitor(f, NULL, NULL, NULL));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, NULL});
  run();
  assert_string_equal(seen, "");
  assert_code(GA_VALUE_ERROR, gg_func_set_monitor(NULL, before, after, NULL));
}

static int names(void *arg, const gg_step *s) {
  (void)arg;
  write_line("%s:", s->label);
  for (size_t i = 0; i < s->n_nodes; i++)
    write_line(" %s", s->nodes[i]->op->name);
  write_line("\n");
  return GA_NO_ERROR;
}

/* A map, a reduction with map and post, a row program, a product with a post,
 * a loop. */
static void test_nodes(void **state) {
  gg_var *row = gg_sum_axis(gg_mul(x, x), 0);
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, gg_zeros_like(w));
  GpuArray rest[3];

  (void)state;
  memset(rest, 0, sizeof rest);
  gg_scan_next(s, h, gg_add(gg_scan_sequence(s, x, 0), h));
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){
                       .inputs = GG_VARS(x),
                       .outputs = GG_VARS(gg_neg(gg_add(x, w)), gg_sub(w, row),
                                          gg_softmax(x), gg_neg(gg_dot(x, w)),
                                          gg_scan_last(s, h))});
  gg_scan_free(s);
  assert_ok(gg_func_set_monitor(f, names, NULL, NULL));
  assert_ok(
      gg_func_call(f, (GpuArray *[]){&a},
                   (GpuArray *[]){&out, &out2, &rest[0], &rest[1], &rest[2]}));
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&rest[i]);
  assert_string_equal(seen, "map{add, neg}: add neg\n"
                            "sum axis=0{sqr} then {sub}: sqr reduce sub\n"
                            "rows{max, sub, exp, sum, div}: "
                            "reduce sub exp reduce div\n"
                            "dot alpha=-1: dot\n"
                            "map{fill}: fill\n"
                            "scan 1 sequence, 1 state: scan\n");
}

/* --- calls that a monitor ends --- */

typedef struct finder {
  double limit;
  char label[64];
  char name[32];
  int line;
} finder;

static double greatest(const GpuArray *v) {
  float data[16];
  double max = 0;

  test_gather(v, data);
  for (size_t i = 0; i < test_size(v); i++)
    max = fmax(max, fabs((double)data[i]));
  return max;
}

/* Ends the call at the first step with a value beyond the limit. */
static int find(void *arg, const gg_step *s) {
  finder *found = arg;

  for (size_t i = 0; i < s->n_out; i++)
    if (greatest(&s->out[i].array) > found->limit) {
      snprintf(found->label, sizeof found->label, "%s", s->label);
      snprintf(found->name, sizeof found->name, "%s",
               gg_var_name(s->out[i].var));
      found->line = s->line;
      return GA_VALUE_ERROR;
    }
  return GA_NO_ERROR;
}

/* Of x * x, (x * x)^2 and the negative of it, the second is beyond 100. */
static void test_find(void **state) {
  finder found = {.limit = 100};
  char message[160];
  gg_var *y = gg_named(gg_mul(x, x), "square");
  const int line = __LINE__ + 2;

  gg_var *z = gg_neg(gg_named(gg_mul(y, y), "fourth"));
  (void)state;
  f = func_make(g, &(gg_func_spec){.name = "powers",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(z),
                                   .mode = GG_NO_REWRITE});
  assert_ok(gg_func_set_monitor(f, NULL, find, &found));
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_string_equal(found.name, "fourth");
  assert_string_equal(found.label, "map{mul}");
  assert_int_equal(found.line, line);
  snprintf(message, sizeof message,
           "powers: map{mul}: the monitor ended the call after it (%s:%d)",
           __FILE__, line);
  assert_string_equal(gg_func_error(f), message);
  assert_null(out.data);
  found.limit = 1e6;
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
}

static int read_too_much(void *quietly, const gg_step *s) {
  float v[100];

  return quietly != NULL ? GA_VALUE_ERROR
                         : GpuArray_read(v, sizeof v, &s->out[0].array);
}

/* What failed inside is told, what failed before is not. */
static void test_reason(void **state) {
  char why[160], message[400];
  float v[100];

  (void)state;
  f = func_make(g, &(gg_func_spec){.name = "e",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_exp(x))});
  assert_code(GA_VALUE_ERROR, GpuArray_read(v, sizeof v, &a));
  snprintf(why, sizeof why, "%s",
           gpucontext_error(test_context(), GA_VALUE_ERROR));
  for (int quiet = 0; quiet < 2; quiet++) {
    assert_ok(
        gg_func_set_monitor(f, NULL, read_too_much, quiet ? &quiet : NULL));
    assert_code(GA_VALUE_ERROR,
                gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
    snprintf(message, sizeof message,
             "e: map{exp}: the monitor ended the call after it%s%s (",
             quiet ? "" : ": ", quiet ? "" : why);
    assert_memory_equal(gg_func_error(f), message, strlen(message));
  }
}

static int refuse_third(void *arg, const gg_step *s) {
  (void)arg;
  return s->number == 3 ? GA_UNSUPPORTED_ERROR : GA_NO_ERROR;
}

/* Outputs and shared variables, those that were updated in place too, have the
 * values that they had. */
static void test_unchanged(void **state) {
  const float old[6] = {9, 9, 9, 9, 9, 9};

  (void)state;
  f = example(GG_FAST_RUN);
  float_array(&out, 1, (size_t[]){2}, old);
  float_array(&out2, 2, two_three, old);
  assert_ok(gg_func_set_monitor(f, refuse_third, NULL, NULL));
  assert_code(GA_UNSUPPORTED_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2}));
  assert_floats(&out, old, 2);
  assert_floats(&out2, old, 6);
  assert_shared(w, six, 3);
  assert_ok(gg_func_set_monitor(f, NULL, NULL, NULL));
  run();
  assert_floats(&out2, six, 6);
}

static int look_away(void *arg, const gg_step *s) {
  (void)s;
  ++*(int *)arg;
  return GA_NO_ERROR;
}

/* Fail each allocation of a call that is seen, with its plan to be made. */
static void test_without_memory(void **state) {
  int count = 0, err = GA_MEMORY_ERROR;
  long n;

  (void)state;
  f = example(GG_FAST_RUN);
  for (n = 1; err != GA_NO_ERROR; n++) {
    assert_ok(gg_func_set_monitor(f, look_away, look_away, &count));
    ga__alloc_fail(n, 0);
    err = gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_string_not_equal(gg_func_error(f), "");
      assert_null(out.data);
      assert_shared(w, six, 3);
    }
    assert_true(n < 5000);
  }
  assert_true(n > 50);
  assert_true(count >= 6);
  assert_floats(&out, (float[]){-14, -32}, 2);
  assert_shared(w, (float[]){-16, -27, -42}, 3);
}

/* --- several contexts --- */

static void test_transfer(void **state) {
  gg_var *far = gg_named(gg_transfer(x, test_second_context()), "far");

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_named(
                                       gg_neg(gg_add(far, far)), "z"))});
  assert_ok(gg_func_set_monitor(f, before, after, NULL));
  assert_ok(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_string_equal(seen, "before 1: x 21 ->\n"
                            "after 1: x 21 ->\n"
                            "before 2: -> far -\n"
                            "after 2: -> far 21\n"
                            "before 3: far 21 -> z -\n"
                            "after 3: far 21 -> z -42\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_values),    TEST(test_debug_mode),     TEST(test_on_and_off),
      TEST(test_nodes),     TEST(test_find),           TEST(test_reason),
      TEST(test_unchanged), TEST(test_without_memory), TEST(test_transfer),
  };

  return cmocka_run_group_tests_name("monitor", tests, NULL, test_context_drop);
}
