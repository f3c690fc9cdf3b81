/* SPDX-License-Identifier: BSD-2-Clause */
/* Saved graphs with loops and choices: the same numbers come out, here and in
 * another process. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/funcs.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"
#include "text/saved.h"

extern char **environ;
static char *program; /* this one */

enum { STEPS = 6, BATCH = 2, IN = 3, UNITS = 4, CALLS = 5 };

/* --- a recurrent net --- */

static gg_var *weights(gg_graph *g, const char *name, size_t rows,
                       size_t columns) {
  float v[UNITS * UNITS];

  for (size_t i = 0; i < rows * columns; i++)
    v[i] = 0.3f * (float)((int)(i * 7 % 5) - 2);
  return gg_shared_host(g, name, GA_FLOAT, 2, (size_t[]){rows, columns}, v);
}

/* h[t] = tanh(x[t] u + h[t - 1] w) from zeros; the sum of the last h is to be
 * y. Steps are larger while the cost is above 1. */
static gg_graph *make_net(void) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *xs =
      gg_input_sized(g, "xs", GA_FLOAT, 3, (int64_t[]){GG_ANY, GG_ANY, IN});
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *u = weights(g, "u", IN, UNITS), *w = weights(g, "w", UNITS, UNITS);
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_sequence(s, xs, 0), *h, *cost, *rate, *d[2];

  h = gg_scan_state(s, gg_zeros_like(gg_dot(gg_index(xs, 0, 0), u)));
  gg_scan_next(s, h, gg_tanh(gg_add(gg_dot(x, u), gg_dot(h, w))));
  gg_scan_close(s);
  cost = gg_mean(gg_sqr(
      gg_sub(gg_reduce(GG_SUM, gg_scan_last(s, h), 1, (int[]){1}, 0), y)));
  gg_named(cost, "cost");
  assert_ok(gg_grad(d, cost, 2, (gg_var *[]){u, w}));
  rate =
      gg_ifelse(gg_gt(cost, gg_f32(g, 1)), gg_f32(g, 0.1f), gg_f32(g, 0.05f));
  assert_ok(gg_graph_add_func(
      g, &(gg_func_spec){.name = "train",
                         .inputs = GG_VARS(xs, y),
                         .outputs = GG_VARS(cost),
                         .updates =
                             GG_UPDATES({u, gg_sub(u, gg_mul(rate, d[0]))},
                                        {w, gg_sub(w, gg_mul(rate, d[1]))})}));
  gg_scan_free(s);
  return g;
}

/* What training leaves: the last cost and all parameters. */
typedef struct figures {
  float cost, u[IN * UNITS], w[UNITS * UNITS];
} figures;

static void train(gg_graph *g, figures *out) {
  gg_func *f = func_make(g, gg_graph_func(g, "train"));
  float vx[STEPS * BATCH * IN], vy[BATCH] = {1, -0.5f};
  GpuArray xs = {0}, y = {0}, cost = {0};

  for (int i = 0; i < STEPS * BATCH * IN; i++)
    vx[i] = 0.25f * (float)(i * 5 % 7 - 3);
  float_array(&xs, 3, (size_t[]){STEPS, BATCH, IN}, vx);
  float_vector(&y, BATCH, vy);
  for (int i = 0; i < CALLS; i++)
    func_run(f, (GpuArray *[]){&xs, &y}, (GpuArray *[]){&cost});
  assert_ok(GpuArray_read(&out->cost, sizeof out->cost, &cost));
  assert_ok(gg_shared_read(gg_graph_find(g, "u"), out->u, sizeof out->u));
  assert_ok(gg_shared_read(gg_graph_find(g, "w"), out->w, sizeof out->w));
  GpuArray_clear(&xs);
  GpuArray_clear(&y);
  GpuArray_clear(&cost);
  gg_func_free(f);
}

/* --- here and in another process --- */

/* What the other process does. */
static int go_on(const char *path, const char *results) {
  gg_graph *g = gg_graph_new(test_context());
  figures got;

  if (gg_graph_load(g, path) != GA_NO_ERROR) {
    fprintf(stderr, "%s\n", gg_graph_error(g));
    return 1;
  }
  train(g, &got);
  test_file_write(results, &got, sizeof got);
  gg_graph_free(g);
  test_context_drop(NULL);
  return 0;
}

static void run_other(const char *path, const char *results) {
  char *args[] = {program, "continue", (char *)path, (char *)results, NULL};
  int status = -1;
  pid_t pid;

  assert_int_equal(posix_spawn(&pid, program, NULL, NULL, args, environ), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void test_another_process(void **state) {
  const char *path = test_file_path("net.gg");
  const char *results = test_file_path("net.results");
  gg_graph *g = make_net();
  figures first, want;
  size_t n;

  (void)state;
  train(g, &first);
  assert_ok(gg_graph_save(g, path));
  train(g, &want);
  assert_true(want.cost < first.cost && want.cost > 0);
  run_other(path, results);
  figures *got = (figures *)test_file_read(results, &n);
  assert_int_equal(n, sizeof *got);
  assert_memory_equal(got, &want, sizeof want);
  free(got);
  gg_graph_free(g);
}

static void test_text(void **state) {
  gg_graph *g = make_net();
  char *text = graph_text(g, GG_TEXT_VALUES);
  figures want, got;

  (void)state;
  gg_graph *h = graph_of_text(test_context(), text);
  train(g, &want);
  train(h, &got);
  assert_memory_equal(&got, &want, sizeof want);
  free(text);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* --- the file --- */

/* Files that version 1 can hold are of version 1. */
static void test_version(void **state) {
  const char *path = test_file_path("version.gg");
  static const struct {
    const char *text;
    unsigned int version;
  } cases[] = {
      {"x = input float32[3]\ny = exp(x)\n", 1},
      {"x = input float32[3]\nx0, y = scan() {\nx = row(x)\noutput (x)\n}\n",
       2}};
  size_t n;

  (void)state;
  for (int i = 0; i < 2; i++) {
    gg_graph *g = graph_of_text(NULL, cases[i].text);
    assert_ok(gg_graph_save(g, path));
    unsigned char *bytes = test_file_read(path, &n);
    assert_int_equal(bytes[GG_AT_VERSION], cases[i].version);
    free(bytes);
    gg_graph_free(g);
  }
}

/* Constants of a body are in blocks, like others. */
static void test_constants(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_scan *s = gg_scan_open(g);
  float many[100], got[100];
  GpuArray out = {0};

  (void)state;
  for (int i = 0; i < 100; i++)
    many[i] = (float)i;
  gg_var *k = gg_constant(g, GA_FLOAT, 1, (size_t[]){100}, many);
  gg_var *x = gg_scan_state(s, gg_zeros_like(k));
  gg_scan_next(s, x, gg_add(x, k));
  gg_scan_steps(s, gg_i64(g, 3));
  gg_scan_close(s);
  x = gg_named(gg_scan_last(s, x), "x");
  gg_scan_free(s);
  assert_ok(gg_graph_add_func(
      g, &(gg_func_spec){.name = "f", .outputs = GG_VARS(x)}));
  gg_graph *h = graph_of_file(test_context(), g);
  char *text = graph_text(h, 0);
  assert_non_null(strstr(text, "= float32[100] {0, 1, 2,"));
  free(text);
  gg_func *f = func_make(h, gg_graph_func(h, "f"));
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  for (int i = 0; i < 100; i++)
    assert_true(got[i] == 3 * many[i]);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* --- texts that nobody printed, at work --- */

#define X "x = input float32[?]\n"

static const struct {
  const char *text, *message;
} sizes[] = {
    {X "y, _ = scan(9) {\na = row(x)\noutput (a)\n}\n",
     "sequence 0 (x) has 6 rows for 9 steps"},
    {X "y, _ = scan{exact=true}(5) {\na = row(x)\noutput (a)\n}\n",
     "sequence 0 (x) has 6 rows for 5 steps"},
    {X "y, _ = scan(4503599627370496) {\nh = state(x)\nz = exp(h)\n"
       "next (z)\n}\n",
     "state 0 starts from 6 rows, expected 1"},
    {X "y, _ = scan(4503599627370496) {\n"
       "h = state(dimshuffle{pattern=[-1, 0]}(join{axis=0}(x, x, x)))\n"
       "z = exp(h)\nnext (z)\n}\n",
     "scan: the result is too large"},
    {X "n = cast{dtype=int64}(reduce{op=sum, axes=[0]}(x))\n"
       "y, _ = scan(n) {\na = row(x)\noutput (a)\n}\n",
     "sequence 0 (x) has 6 rows for 21 steps"},
};

static void check_size(const char *text, const char *message) {
  gg_graph *g = graph_of_text(test_context(), text);
  gg_var *x = gg_graph_find(g, "x"), *y = gg_graph_find(g, "y");
  GpuArray in = {0}, out = {0};
  gg_func *f = NULL;
  const char *why;

  float_vector(&in, 6, (float[6]){1, 2, 3, 4, 5, 6});
  if (gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x),
                                  .outputs = GG_VARS(y)}) != GA_NO_ERROR)
    why = gg_graph_error(g);
  else if (gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out}) !=
           GA_NO_ERROR)
    why = gg_func_error(f);
  else
    why = "nothing";
  if (strstr(why, message) == NULL)
    fail_msg("%s\nexpected: %s\ngot: %s", text, message, why);
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
}

static void test_sizes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_size(sizes[i].text, sizes[i].message);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_another_process), cmocka_unit_test(test_text),
      cmocka_unit_test(test_version),         cmocka_unit_test(test_constants),
      cmocka_unit_test(test_sizes),
  };

  program = argv[0];
  if (argc == 4 && strcmp(argv[1], "continue") == 0)
    return go_on(argv[2], argv[3]);
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
