/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints, pictures and profiles of compiled functions. */
#include <gpuarray/profile.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *w;
static GpuArray a, out, out2;

static const float six[6] = {1, 2, 3, 4, 5, 6};
static const size_t two_three[2] = {2, 3};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 2);
  w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){3}, six);
  float_array(&a, 2, two_three, six);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_graph_free(g);
  return 0;
}

/* A product, a map with two outputs, a reduction with map and post that writes
 * in place, a copy. */
static gg_func *example(int flags) {
  gg_var *z = gg_named(gg_dot(x, w), "z");
  gg_var *w1 = gg_sub(w, gg_sum_axis(gg_sqr(gg_tanh(x)), 0));

  return func_make(g, &(gg_func_spec){.name = "step",
                                      .inputs = GG_VARS(x),
                                      .outputs = GG_VARS(gg_exp(z), x),
                                      .updates = GG_UPDATES({w, w1}),
                                      .flags = flags});
}

static void run(gg_func *f) {
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
}

static void assert_has(const char *text, const char *part) {
  if (strstr(text, part) == NULL)
    fail_msg("no \"%s\" in:\n%s", part, text);
}

static int write_dot(gg_func *f, FILE *file) {
  return gg_func_dot(f, file);
}

static void test_print(void **state) {
  gg_func *f = example(0);
  char *text = func_text(f);

  (void)state;
  assert_has(text, "step: 1 inputs, 2 outputs, 1 updates");
  assert_has(text, "dot then {exp}");
  assert_has(text, "x, w -> ");
  assert_has(text, "sum axis=0{tanh, sqr} then {sub}");
  assert_has(text, "= output 0");
  assert_has(text, "= new w (in place)");
  assert_has(text, "copy x");
  free(text);
  gg_func_free(f);
}

static void test_rewrites(void **state) {
  gg_var *y = gg_log(gg_exp(gg_add(x, gg_f32(g, 0))));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  char *text = func_rewrites(f);

  (void)state;
  assert_string_not_equal(text, "");
  free(text);
  gg_func_free(f);
}

/* Balanced quotes and braces, one box per step and leaf. */
static void test_dot(void **state) {
  gg_func *f = example(0);
  char *text = func_written(f, write_dot);
  int depth = 0, quoted = 0;

  (void)state;
  for (const char *s = text; *s != '\0'; s++) {
    if (*s == '\\' && s[1] != '\0') {
      s++;
      continue;
    }
    quoted ^= *s == '"';
    if (!quoted)
      depth += (*s == '{') - (*s == '}');
  }
  assert_int_equal(quoted, 0);
  assert_int_equal(depth, 0);
  assert_has(text, "digraph \"step\"");
  assert_has(text, "new w (in place)");
  assert_has(text, "tanh");
  assert_has(text, "output 0");
  free(text);
  gg_func_free(f);
}

/* --- profiles --- */

static void test_rows(void **state) {
  gg_func *f = example(GG_PROFILE);
  gg_profile_row rows[8];
  double share = 0;

  (void)state;
  for (int i = 0; i < 5; i++)
    run(f);
  size_t n = gg_func_profile_rows(f, rows, 8);
  assert_int_equal(n, 3);
  for (size_t k = 0; k < n; k++) {
    assert_int_equal(rows[k].calls, 5);
    assert_true(rows[k].seconds > 0);
    assert_true(rows[k].bytes > 0);
    assert_string_not_equal(rows[k].provider, "");
    if (k > 0)
      assert_true(rows[k].seconds <= rows[k - 1].seconds);
    if (strcmp(rows[k].label, "dot then {exp}") == 0)
      assert_true(rows[k].flops >= 5 * 2);
    share += rows[k].share;
  }
  assert_true(share > 0.999 && share < 1.001);
  assert_int_equal(gg_func_profile_rows(f, rows, 0), 3);
  gg_func_free(f);
}

/* Figures stay when profiling stops, and when plans go. */
static void test_keep(void **state) {
  gg_func *f = example(0);
  gg_profile_row rows[8];
  size_t dims[2] = {2, 3}, n;
  float v[90];

  (void)state;
  run(f);
  assert_int_equal(gg_func_profile_rows(f, rows, 8), 0);
  assert_ok(gg_func_profile(f, 1));
  assert_ok(gg_func_profile(f, 1));
  run(f);
  run(f);
  assert_ok(gg_func_profile(f, 0));
  run(f);
  assert_int_equal(gg_func_profile_rows(f, rows, 8), 3);
  assert_int_equal(rows[0].calls, 2);
  memset(v, 0, sizeof v);
  for (n = 3; n < 30; n++) {
    GpuArray_clear(&a);
    dims[0] = n;
    float_array(&a, 2, dims, v);
    run(f);
  }
  assert_int_equal(gg_func_profile_rows(f, rows, 8), 3);
  assert_int_equal(rows[0].calls, 2);
  gg_func_free(f);
}

/* Behind a loop's row stand those of its body, by iteration; they are a part of
 * its time, and stay when its plan goes. */
static void test_inside(void **state) {
  gg_graph *const graph = gg_graph_new(test_context());
  gg_var *const xs = gg_input(graph, "xs", GA_FLOAT, 2);
  gg_var *const u = gg_input(graph, "u", GA_FLOAT, 2);
  gg_scan *const s = gg_scan_open(graph);
  float v[21] = {0};
  gg_profile_row rows[8];
  GpuArray in[2], last = {0};
  gg_func *f;

  (void)state;
  gg_var *row = gg_scan_sequence(s, xs, 0);
  gg_var *h = gg_scan_state(s, gg_zeros_like(gg_sum_axis(xs, 0)));
  gg_scan_next(s, h, gg_tanh(gg_add(row, gg_dot(h, u))));
  gg_scan_close(s);
  assert_ok(gg_func_new(&f, graph,
                        &(gg_func_spec){.inputs = GG_VARS(xs, u),
                                        .outputs = GG_VARS(gg_scan_last(s, h)),
                                        .flags = GG_PROFILE}));
  gg_scan_free(s);
  float_array(&in[1], 2, (size_t[]){3, 3}, v);
  for (size_t n = 4; n <= 7; n += 3) {
    float_array(&in[0], 2, (size_t[]){n, 3}, v);
    assert_ok(
        gg_func_call(f, (GpuArray *[]){&in[0], &in[1]}, (GpuArray *[]){&last}));
    GpuArray_clear(&in[0]);
  }
  size_t n = gg_func_profile_rows(f, rows, 8), at = 0;
  while (at < n && strcmp(rows[at].op, "scan") != 0)
    at++;
  assert_true(at + 1 < n && n <= 8);
  assert_int_equal(rows[at].depth, 0);
  assert_int_equal(rows[at].calls, 2);
  assert_int_equal(rows[at + 1].depth, 1);
  assert_int_equal(rows[at + 1].calls, 4 + 7);
  assert_true(rows[at + 1].seconds > 0);
  GpuArray_clear(&in[1]);
  GpuArray_clear(&last);
  gg_func_free(f);
  gg_graph_free(graph);
}

/* Two functions of one context: one stops, the other goes on. */
static void test_two(void **state) {
  gg_func *f = example(GG_PROFILE), *h = example(GG_PROFILE);
  gg_profile_row rows[8];

  (void)state;
  run(f);
  run(h);
  gg_func_free(f);
  run(h);
  assert_int_equal(gg_func_profile_rows(h, rows, 8), 3);
  assert_int_equal(rows[0].calls, 2);
  gg_func_free(h);
}

/* --- who is busy --- */

static int infer_first(const gg_apply *node, gg_type *type) {
  *type = *gg_var_type(node->in[0]);
  return GA_NO_ERROR;
}

static int shape_first(const gg_apply *node, const gg_dims *dims,
                       const double *const *host, gg_dims *result) {
  (void)node;
  (void)host;
  *result = dims[0];
  return GA_NO_ERROR;
}

static int perform_copy(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], test_size(p->in[0]) * sizeof(float));
  return GA_NO_ERROR;
}

static const gg_op by_host = {.name = "by_host",
                              .kind = GG_OP_PERFORM,
                              .n_out = 1,
                              .infer = infer_first,
                              .shape = shape_first,
                              .perform = perform_copy,
                              .on_host = 1};

typedef struct place {
  const char *name; /* as the report calls it */
  uint64_t calls;
  double seconds, share;
} place;

/* Add up the rows by their provider; the first place is every other's. */
static void add_rows(place *places, size_t n, const gg_profile_row *rows,
                     size_t n_rows) {
  size_t k;

  for (size_t i = 0; i < n_rows; i++) {
    for (k = n - 1; k > 0 && strcmp(rows[i].provider, places[k].name) != 0; k--)
      ;
    places[k].calls += rows[i].calls;
    places[k].seconds += rows[i].seconds;
    places[k].share += rows[i].share;
  }
}

/* The JSON list of places has this one, with the same figures. */
static void assert_place(const char *list, const place *want) {
  char name[64];
  unsigned long calls;
  double seconds, share;

  snprintf(name, sizeof name, "{\"name\": \"%s\"", want->name);
  const char *at = strstr(list, name);
  if (at == NULL || at > strchr(list, ']'))
    fail_msg("no place %s in %s", want->name, list);
  assert_int_equal(sscanf(at + strlen(name),
                          ", \"calls\": %lu, \"seconds\": %lf, "
                          "\"share\": %lf",
                          &calls, &seconds, &share),
                   3);
  assert_int_equal(calls, want->calls);
  assert_true(want->seconds > 0 && want->share > 0);
  assert_true(fabs(seconds - want->seconds) <= 1e-6 * want->seconds);
  assert_true(fabs(share - want->share) <= 1e-3);
}

/* A map on a device, its result sent to another, a function of the host. */
static void test_places(void **state) {
  place places[3] = {
      {.name = "device"}, {.name = "host"}, {.name = "transfer"}};
  gg_var *far = gg_transfer(gg_tanh(x), test_second_context());
  gg_func *f;
  gg_profile_row rows[8];

  (void)state;
  f = func_make(g, &(gg_func_spec){.name = "far",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_op_apply(
                                       NULL, &by_host, NULL, 1, &far)),
                                   .flags = GG_PROFILE});
  for (int k = 0; k < 3; k++)
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  size_t n = gg_func_profile_rows(f, rows, 8);
  assert_int_equal(n, 3);
  add_rows(places, 3, rows, n);
  char *text = func_written(f, gg_func_profile_json);
  const char *list = strstr(text, "\"places\": [");
  assert_non_null(list);
  for (int k = 0; k < 3; k++) {
    assert_int_equal(places[k].calls, 3);
    assert_place(list, &places[k]);
  }
  free(text);
  text = func_written(f, gg_func_profile_print);
  assert_has(text, " 3 calls  device\n");
  assert_has(text, " 3 calls  host\n");
  assert_has(text, " 3 calls  transfer\n");
  free(text);
  gg_func_free(f);
}

/* With GG_PROFILE each rule that fired has its line, as often as it did. */
static void test_rules(void **state) {
  gg_var *y = gg_log(gg_exp(gg_add(x, gg_f32(g, 0))));
  char *fired, *text, *line, *next, entry[128];
  gg_func *f;

  (void)state;
  for (int flags = 0; flags <= GG_PROFILE; flags += GG_PROFILE) {
    f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                     .outputs = GG_VARS(y),
                                     .flags = flags});
    fired = func_rewrites(f);
    text = func_written(f, gg_func_profile_json);
    assert_string_not_equal(fired, "");
    if (flags == 0)
      assert_has(text, "\"rules\": []\n}\n");
    for (line = fired; flags != 0 && *line != '\0'; line = next + 1) {
      next = strchr(line, '\n');
      *next = '\0';
      snprintf(entry, sizeof entry, "{\"name\": \"%s\", ", line + 8);
      assert_has(text, entry);
      snprintf(entry, sizeof entry, "\"fired\": %d}", atoi(line));
      assert_has(strstr(text, line + 8), entry);
    }
    free(text);
    free(fired);
    text = func_written(f, gg_func_profile_print);
    assert_int_equal(strstr(text, "rewrite rules:\n") != NULL, flags != 0);
    free(text);
    gg_func_free(f);
  }
}

static void test_text(void **state) {
  gg_func *f = example(GG_PROFILE);

  (void)state;
  run(f);
  char *text = func_written(f, gg_func_profile_print);
  assert_has(text, "step: 1 measured calls");
  assert_has(text, "dot then {exp}");
  assert_has(text, "transfers 0");
  assert_has(text, "by class:\n");
  assert_has(text, " 1 calls  dot\n");
  assert_has(text, "by op:\n");
  assert_has(text, " 1 calls  dot then {exp}\n");
  assert_has(text, "by place:\n 100.0% ");
  assert_has(text, " 3 calls  device\n");
  assert_has(text, "by provider:\n 100.0% ");
  assert_has(text, " 3 calls  own\n");
  assert_has(text, "compile ");
  assert_has(text, "memory: intermediates ");
  free(text);
  text = func_written(f, gg_func_profile_json);
  assert_has(text, "\"function\": \"step\"");
  assert_has(text, "\"step\": \"dot then {exp}\", \"provider\": \"own\", "
                   "\"calls\": 1, ");
  assert_has(text, "\"class\": \"dot\"");
  assert_has(text, "\"classes\": [");
  assert_has(text, "\"ops\": [");
  assert_has(text, "\"places\": [\n    {\"name\": \"device\", \"calls\": 3, ");
  assert_has(text, "\"memory\": {\"intermediates\": ");
  assert_has(text, "{\"name\": \"own\", \"calls\": 3, ");
  assert_has(text, "\"compile\": {\"seconds\": ");
  free(text);
  gg_func_free(f);
}

/* What is float64 on purpose or by mistake; not what follows from it. */
static void test_doubles(void **state) {
  gg_var *d = gg_input(g, "d", GA_DOUBLE, 1),
         *s = gg_input(g, "s", GA_FLOAT, 1);
  gg_var *wide = gg_cast(s, GA_DOUBLE),
         *half = gg_mul(gg_sqr(d), gg_f64(g, 0.5));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(d, s),
                                   .outputs = GG_VARS(gg_add(half, wide)),
                                   .flags = GG_PROFILE});
  char *text = func_written(f, gg_func_profile_print);

  (void)state;
  assert_has(text, "\nfloat64 from: d");
  assert_has(text, "\nfloat64 from: cast");
  assert_null(strstr(text, "float64 from: s"));
  assert_null(strstr(text, "float64 from: mul"));
  assert_null(strstr(text, "float64 from: add"));
  free(text);
  text = func_written(f, gg_func_profile_json);
  assert_has(text, "\"float64_from\": [\"");
  assert_has(text, "\"d\"");
  assert_has(text, "\"cast{float64}\"");
  free(text);
  gg_func_free(f);
  f = example(GG_PROFILE);
  text = func_written(f, gg_func_profile_json);
  assert_has(text, "\"float64_from\": []");
  free(text);
  gg_func_free(f);
}

/* Each tag that opens closes. */
static void assert_balanced(const char *text, const char *tag) {
  char open[32], close[32];
  int n = 0;

  snprintf(open, sizeof open, "<%s>", tag);
  snprintf(close, sizeof close, "</%s>", tag);
  for (; *text != '\0'; text++) {
    n += strncmp(text, open, strlen(open)) == 0;
    n -= strncmp(text, close, strlen(close)) == 0;
    assert_true(n >= 0);
  }
  assert_int_equal(n, 0);
}

static void test_page(void **state) {
  gg_func *f = example(GG_PROFILE);

  (void)state;
  run(f);
  char *text = func_written(f, gg_func_html);
  assert_has(text, " steps and 0 views; ");
  assert_has(text, " kernels in the last call. ");
  assert_has(text, "x <code>float32[2, 3]</code>");
  assert_null(strchr(text, '?')); /* the call has decided all sizes */
  assert_has(text, "<details><summary>1: ");
  assert_has(text, "dot then {exp}");
  assert_has(text, "us a call, ");
  assert_has(text, "<summary>by place</summary>");
  assert_has(text, "<td>device</td></tr>");
  assert_has(text, "</body></html>");
  assert_balanced(text, "details");
  assert_balanced(text, "table");
  assert_balanced(text, "code");
  free(text);
  gg_func_free(f);
}

/* Views are no steps. Sizes are open until there was a call. */
static void test_page_of_views(void **state) {
  gg_var *y = gg_exp(gg_dot(gg_transpose(x), gg_index(x, 0, 0)));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
  char *text = func_written(f, gg_func_html);

  (void)state;
  assert_has(text, "; 1 steps and ");
  assert_null(strstr(text, " steps and 0 views"));
  assert_null(strstr(text, "in the last call"));
  assert_has(text, "x <code>float32[?, ?]</code>");
  free(text);
  gg_func_free(f);
}

static void test_graph_page(void **state) {
  gg_var *z = gg_named(gg_dot(x, w), "z <1>"), *y = gg_exp(z);
  char *text = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&text, &bytes);

  (void)state;
  assert_non_null(file);
  assert_ok(gg_graph_html(file, 2, (gg_var *[]){y, NULL}));
  fclose(file);
  assert_has(text, "<summary>z &lt;1&gt; = dot");
  assert_has(text, "<summary>exp");
  assert_has(text, "\">z &lt;1&gt;</a> <code>float32[?]</code></li>");
  assert_has(text, "<li>w <code>float32[3]</code></li>");
  assert_has(text, "</body></html>");
  assert_balanced(text, "summary");
  assert_balanced(text, "ul");
  assert_balanced(text, "code");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_print, setup, teardown),
      cmocka_unit_test_setup_teardown(test_rewrites, setup, teardown),
      cmocka_unit_test_setup_teardown(test_dot, setup, teardown),
      cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
      cmocka_unit_test_setup_teardown(test_keep, setup, teardown),
      cmocka_unit_test(test_inside),
      cmocka_unit_test_setup_teardown(test_two, setup, teardown),
      cmocka_unit_test_setup_teardown(test_places, setup, teardown),
      cmocka_unit_test_setup_teardown(test_text, setup, teardown),
      cmocka_unit_test_setup_teardown(test_doubles, setup, teardown),
      cmocka_unit_test_setup_teardown(test_rules, setup, teardown),
      cmocka_unit_test_setup_teardown(test_page, setup, teardown),
      cmocka_unit_test_setup_teardown(test_page_of_views, setup, teardown),
      cmocka_unit_test_setup_teardown(test_graph_page, setup, teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
