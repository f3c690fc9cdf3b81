/* SPDX-License-Identifier: BSD-2-Clause */
/* Timelines: valid JSON in the trace event format, with kernels, iterations of
 * loops, calls, waits, the thread of batches and a program's own spans. */
#include "support/graph_case.h"
#include "support/json.h"

#include <gpuarray/timeline.h>
#include <gpugraph/nn.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6, CALLS = 3, N = 64 };

/* --- reading them --- */

static char *written(void) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);

  assert_ok(gpuarray_timeline_write(f));
  fclose(f);
  json_is_valid(text);
  return text;
}

static const char *events(const char *text) {
  const char *list = json_member(text, "traceEvents");

  assert_non_null(list);
  return list;
}

/* Each span has what the format asks for, and its track has a name. */
static void check_fields(const char *text) {
  const char *list = events(text), *e;
  int is_named[16] = {0};

  for (size_t i = 0; (e = json_element(list, i)) != NULL; i++) {
    assert_true(json_number(json_member(e, "pid")) == 1);
    if (json_is(json_member(e, "ph"), "M")) {
      if (json_is(json_member(e, "name"), "thread_name"))
        is_named[(int)json_number(json_member(e, "tid"))] = 1;
      assert_non_null(json_member(json_member(e, "args"), "name"));
      continue;
    }
    assert_true(json_is(json_member(e, "ph"), "X"));
    assert_true(*json_member(e, "name") == '"');
    assert_true(*json_member(e, "cat") == '"');
    assert_true(json_number(json_member(e, "ts")) >= 0);
    assert_true(json_number(json_member(e, "dur")) >= 0);
    assert_true(is_named[(int)json_number(json_member(e, "tid"))]);
  }
}

/* How many spans there are of a kind, with a name unless that is NULL; *first
 * and *last are the first and the last one. */
static size_t count(const char *text, const char *kind, const char *name,
                    const char **first, const char **last) {
  const char *list = events(text), *e;
  size_t n = 0;

  *first = *last = NULL;
  for (size_t i = 0; (e = json_element(list, i)) != NULL; i++) {
    if (!json_is(json_member(e, "cat"), kind) ||
        (name != NULL && !json_is(json_member(e, "name"), name)))
      continue;
    *first = *first == NULL ? e : *first;
    *last = e;
    n++;
  }
  return n;
}

static double begin_of(const char *e) {
  return json_number(json_member(e, "ts"));
}

static double end_of(const char *e) {
  return begin_of(e) + json_number(json_member(e, "dur"));
}

/* --- what is recorded --- */

static gg_func *make_loop(void) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){STEPS, N});
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, x, 0);
  gg_var *h = gg_scan_state(s, gg_sum_axis(x, 0));

  gg_scan_next(s, h, gg_tanh(gg_add(h, row)));
  gg_scan_close(s);
  gg_func *f =
      func_make(g, &(gg_func_spec){.name = "recurse",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_scan_free(s);
  return f;
}

/* Each iteration has its kernel, within the loop's span. */
static void iterations_lie_within_their_loop(void **state) {
  static float data[STEPS * N];
  float result[N];
  const char *const name = "scan 1 sequence, 1 state";
  const char *first, *last, *loop, *other;

  (void)state;
  test_need_marker_times();
  gg_func *f = make_loop();
  test_array(&a, GA_FLOAT, 2, (size_t[]){STEPS, N}, data);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}); /* compiles */
  assert_ok(gg_func_profile(f, 1));
  assert_ok(gpuarray_timeline_start(0));
  for (int i = 0; i < CALLS; i++) {
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_ok(GpuArray_read(result, sizeof result, &out));
  }
  char *text = written();
  check_fields(text);
  assert_int_equal(count(text, "call", "recurse", &first, &last), CALLS);
  assert_int_equal(count(text, "wait", "read", &first, &last), CALLS);
  assert_int_equal(count(text, "host", name, &first, &last), CALLS);
  assert_int_equal(count(text, "device", "map{add, tanh}", &first, &last),
                   CALLS * STEPS);
  assert_true(count(text, "device", name, &other, &loop) >= CALLS);
  assert_true(begin_of(last) >= begin_of(loop));
  assert_true(end_of(last) <= end_of(loop));
  assert_true(end_of(first) <= begin_of(loop));
  free(text);
  gg_func_free(f);
}

/* Device time is put on the host's clock. */
static void kernels_run_within_calls_and_reads(void **state) {
  static float data[N];
  const char *call, *read, *kernel, *same;
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.name = "double",
                                            .inputs = GG_VARS(x),
                                            .outputs = GG_VARS(gg_add(x, x))});

  (void)state;
  float_vector(&a, N, data);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(gg_func_profile(f, 1));
  assert_ok(gpuarray_timeline_start(0));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(data, sizeof data, &out));
  char *text = written();
  assert_int_equal(count(text, "call", "double", &call, &same), 1);
  assert_int_equal(count(text, "device", NULL, &kernel, &same), 1);
  assert_int_equal(count(text, "wait", "read", &read, &same), 1);
  assert_true(begin_of(kernel) >= begin_of(call));
  assert_true(end_of(kernel) <= end_of(read) + 1);
  free(text);
  gg_func_free(f);
}

static void batches_have_their_thread(void **state) {
  static float data[8][2];
  const gg_host_array rows = {
      .dtype = GA_FLOAT, .nd = 2, .dims = {8, 2}, .data = data};
  const char *first, *last;
  GpuArray *const *batch;
  gg_batches *m;

  (void)state;
  assert_ok(gg_batches_new(&m, test_context(), 1, &rows,
                           &(gg_batches_spec){.size = 4, .seed = 1}));
  assert_ok(gpuarray_timeline_start(0));
  for (int i = 0; i < 4; i++)
    assert_ok(gg_batches_next(m, &batch));
  gg_batches_free(m);
  char *text = written();
  check_fields(text);
  assert_int_equal(count(text, "wait", "next batch", &first, &last), 4);
  assert_true(count(text, "host", "gather rows", &first, &last) >= 4);
  assert_true(count(text, "host", "copy to device", &first, &last) >= 4);
  assert_non_null(strstr(text, "{\"name\": \"batches\"}"));
  free(text);
}

/* --- spans of a program, and limits --- */

static void programs_add_spans(void **state) {
  const char *first, *last;
  char name[80];

  (void)state;
  gpuarray_timeline_add("too early", "host", 1);
  assert_int_equal(gpuarray_timeline_now(), 0);
  assert_ok(gpuarray_timeline_start(3));
  assert_true(gpuarray_timeline_is_on());
  gpuarray_timeline_thread("the \"main\" one");
  const uint64_t begin = gpuarray_timeline_now();
  gpuarray_timeline_add("a \"b\"\\\n", "host", begin);
  /* A character that does not fit as a whole is left out. */
  memset(name, 'x', sizeof name);
  memcpy(name + 62, "\xc3\xa4", 3);
  gpuarray_timeline_add(name, "a kind that is too long", begin);
  gpuarray_timeline_add("before", "host", 1);
  gpuarray_timeline_add("third", "host", begin);
  gpuarray_timeline_add("fourth", "host", begin);
  char *text = written();
  check_fields(text);
  assert_non_null(strstr(text, "\"lost\": 1"));
  assert_non_null(strstr(text, "the \\\"main\\\" one"));
  assert_non_null(strstr(text, "a \\\"b\\\"\\\\\\u000a"));
  assert_int_equal(count(text, "a kind that is ", NULL, &first, &last), 1);
  assert_null(strstr(text, "\xc3"));
  assert_int_equal(count(text, "host", "third", &first, &last), 1);
  assert_int_equal(count(text, "host", "before", &first, &last), 0);
  free(text);
}

static void one_is_recorded_at_a_time(void **state) {
  FILE *full = fopen("/dev/full", "w");

  (void)state;
  assert_code(GA_VALUE_ERROR, gpuarray_timeline_write(NULL));
  assert_message(GA_VALUE_ERROR, "no timeline is being recorded");
  assert_ok(gpuarray_timeline_start(0));
  assert_code(GA_VALUE_ERROR, gpuarray_timeline_start(0));
  assert_message(GA_VALUE_ERROR, "already being recorded");
  assert_ok(gpuarray_timeline_write(NULL));
  assert_false(gpuarray_timeline_is_on());
  if (full == NULL)
    return;
  assert_ok(gpuarray_timeline_start(0));
  assert_code(GA_SYS_ERROR, gpuarray_timeline_write(full));
  assert_false(gpuarray_timeline_is_on());
  fclose(full);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(iterations_lie_within_their_loop),
      TEST(kernels_run_within_calls_and_reads), TEST(batches_have_their_thread),
      TEST(programs_add_spans), TEST(one_is_recorded_at_a_time)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
