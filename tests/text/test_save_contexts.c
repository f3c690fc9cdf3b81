/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs over several contexts in texts and files: names, what they stand for
 * when they are read, and what is refused. */
#include <gpuarray/device.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"
#include "text/saved.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- texts, without a device --- */

static int load_in(gg_graph *h, const char *path,
                   const gg_context_name *contexts) {
  return gg_graph_load_with(h, path, &(gg_load_options){.contexts = contexts});
}

static const char *const canonical[] = {
    "context left\ncontext \"the right\"\n"
    "x = input float32[?] in left\n"
    "w = shared float32[3] in \"the right\"\n"
    "k = float32[2] in left {1, 2}\n"
    "y = add(transfer(x) in \"the right\", w)\n"
    "z = mul(transfer(y), transfer(x))\n"
    "function f(x) -> (y, z)\n",
    /* a loop runs where its operands are; a name that means something */
    "context far\nxs = input float32[?, 3] in far\n"
    "ys, _ = scan{exact=true}(shape{axis=0}(xs)) {\n"
    "  x = row(xs)\n"
    "  %1 = mul(2, exp(x))\n"
    "  output (%1)\n"
    "}\nlast = transfer(index{axis=0, at=-1}(ys))\n",
    "\"context\" = input float32\nin = exp(\"context\")\n",
    ("context a\nc = input bool in a\nx = input float32[?] in a\n"
     "y = ifelse(c, exp(x), x)\n"),
};

static void test_canonical(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(canonical); i++)
    assert_same_text(canonical[i]);
}

/* Two texts that mean the same by a name. */
static void test_two_texts(void **state) {
  const char *more = "context far\ncontext near\ny = input float32 in far\n"
                     "z = input float32 in near\n";
  gg_graph *g = graph_of_text(NULL, "context far\nx = input float32 in far\n");

  (void)state;
  assert_ok(gg_graph_parse(g, "more", more, strlen(more)));
  char *text = graph_text(g, 0);
  assert_string_equal(text, "context far\ncontext near\n"
                            "x = input float32 in far\n"
                            "y = input float32 in far\n"
                            "z = input float32 in near\n");
  free(text);
  gg_graph_free(g);
}

static const refused_text refused[] = {
    {"x = input float32 in left",
     "t:1:22: context 'left' is not declared above"},
    {"context a\nx = input float32 in \"\\y\"", "t:2:22: expected \\\""},
    {"x = input float32 in",
     "t:1:21: expected the context's name, got the end"},
    {"context left\ncontext left", "t:2:9: context 'left' is declared already"},
    {"context", "t:1:8: expected '=', got the end of the text"},
    {"context left right", "t:1:14: expected the end of the line, got 'right'"},
    {"context \"\\y\"", "t:1:9: expected \\\", \\\\ or \\xHH in a name"},
    {"context a\ncontext b\nx = input float32 in a\ny = input float32 in b\n"
     "z = add(x, y)",
     "t:5:5: add(float32, float32): operand 0 (x) is in a, operand 1 (y) in b; "
     "gg_transfer moves one to the other"},
    {"x = input float32\ny = transfer(x) in b", "context 'b' is not declared"},
    {"y = transfer(1)", "t:1:14: a number needs its dtype here"},
    {"context a\nxs = input float32[3] in a\ny, _ = scan() {\n"
     "x = row float32 in a(xs)\noutput (x)\n}",
     "t:4:9: inside of a loop all has the loop's context"},
    {"context a\ncontext b\nx = input float32[3] in a\n"
     "y = input float32[3] in b\n"
     "z, _, _, _ = scan() {\nx = row(x)\ny = row(y)\noutput (x, y)\n}",
     "operand 1 (x) is in a, operand 2 (y) in b"},
};

static void test_refused(void **state) {
  (void)state;
  assert_texts_refused(COUNT(refused), refused);
}

/* Every allocation fails once. */
static void test_no_memory(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(canonical); i++)
    assert_read_without_memory(canonical[i], GA_NO_ERROR);
}

/* --- files --- */

static const float data[4] = {1, -2, 3, 0.5f};

/* y = (x w) of the second context, back in the first one, plus b. */
static gg_graph *make_graph(gpucontext *here, gpucontext *there) {
  gg_graph *g = gg_graph_new(here);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  GpuArray value = {0};

  assert_ok(
      GpuArray_empty(&value, there, GA_FLOAT, 1, (size_t[]){4}, GA_C_ORDER));
  assert_ok(GpuArray_write(&value, data, sizeof data));
  gg_var *w = gg_shared(g, "w", &value);
  GpuArray_clear(&value);
  gg_var *b = gg_shared_host(g, "b", GA_FLOAT, 1, (size_t[]){4}, data);
  gg_var *y = gg_mul(gg_transfer(x, there), w);
  y = gg_named(gg_add(gg_transfer(y, here), b), "y");
  assert_ok(gg_graph_add_func(g, &(gg_func_spec){.name = "f",
                                                 .inputs = GG_VARS(x),
                                                 .outputs = GG_VARS(y)}));
  return g;
}

static void check_func(gg_graph *g, size_t transfers) {
  gg_func *f = func_make(g, gg_graph_func(g, "f"));
  GpuArray in, out = {0};
  float want[4];

  for (int i = 0; i < 4; i++)
    want[i] = data[i] * data[i] + data[i];
  assert_ok(GpuArray_empty(&in, gg_graph_context(g), GA_FLOAT, 1, (size_t[]){4},
                           GA_C_ORDER));
  assert_ok(GpuArray_write(&in, data, sizeof data));
  func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
  assert_floats(&out, want, 4);
  assert_int_equal(func_stats(f).transfers, transfers);
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* The contexts of a file by name, in whatever order; or one for all. */
static void test_given(void **state) {
  const char *path = test_file_path("given.gg");
  gpucontext *here = test_context(), *there = test_second_context();
  gg_graph *g = make_graph(here, there);
  size_t n;

  (void)state;
  check_func(g, 2);
  assert_ok(gg_graph_save(g, path));
  unsigned char *bytes = test_file_read(path, &n);
  assert_int_equal(bytes[GG_AT_VERSION], 2);
  free(bytes);
  gg_graph *h = gg_graph_new(here);
  assert_ok(load_in(h, path, GG_CONTEXTS({"context1", there})));
  assert_ptr_equal(gg_var_context(gg_graph_find(h, "w")), there);
  assert_ptr_equal(gg_var_context(gg_graph_find(h, "b")), here);
  check_func(h, 2);
  gg_graph_free(h);
  /* The other way around. */
  h = gg_graph_new(there);
  assert_ok(load_in(h, path, GG_CONTEXTS({"context1", here})));
  assert_ptr_equal(gg_var_context(gg_graph_find(h, "w")), here);
  check_func(h, 2);
  gg_graph_free(h);
  /* All in one: nothing is moved. */
  h = gg_graph_new(there);
  assert_ok(load_in(h, path, GG_CONTEXTS({"context1", there})));
  check_func(h, 0);
  char *text = graph_text(h, 0);
  assert_null(strstr(text, "transfer"));
  free(text);
  gg_graph_free(h);
  gg_graph_free(g);
}

/* A name that the process has needs no list, and is what a file has; one by
 * which a context was read stays. */
static void test_registered(void **state) {
  const char *path = test_file_path("registered.gg");
  gpucontext *here = test_context(), *there = test_second_context();

  (void)state;
  assert_ok(gg_context_register("far away", there));
  gg_graph *g = make_graph(here, there);
  assert_ok(gg_graph_save(g, path));
  gg_graph *h = gg_graph_new(here);
  assert_ok(gg_graph_load(h, path));
  assert_ptr_equal(gg_var_context(gg_graph_find(h, "w")), there);
  gg_graph_free(h);
  assert_ok(gg_context_unregister("far away"));
  h = gg_graph_new(here);
  assert_ok(load_in(h, path, GG_CONTEXTS({"far away", there})));
  char *text = graph_text(h, GG_TEXT_VALUES);
  assert_non_null(strstr(text, "context \"far away\"\n"));
  assert_non_null(
      strstr(text, "shared float32[4] in \"far away\" {1, -2, 3, 0.5}\n"));
  free(text);
  gg_graph_free(h);
  gg_graph_free(g);
}

static void assert_missing(gpucontext *here, const char *path,
                           const gg_context_name *list, const char *message) {
  gg_graph *h = gg_graph_new(here);

  assert_int_equal(load_in(h, path, list), GA_VALUE_ERROR);
  if (strstr(gg_graph_error(h), message) == NULL)
    fail_msg("expected: %s\ngot: %s", message, gg_graph_error(h));
  assert_int_equal(gg_graph_size(h), 0);
  gg_graph_free(h);
}

static void test_missing(void **state) {
  const char *path = test_file_path("missing.gg");
  gpucontext *here = test_context(), *gone = test_second_context();
  gpucontext_props *p = NULL;
  gg_graph *g = make_graph(here, gone);

  (void)state;
  assert_ok(gg_graph_save(g, path));
  gg_graph_free(g);
  assert_missing(here, path, NULL, ":1:9: no context is given for 'context1'");
  assert_missing(here, path, GG_CONTEXTS({"context2", here}),
                 ":1:9: no context is given for 'context1'");
  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_init(&gone, "opencl", p));
  gpucontext_deref(gone);
  assert_missing(here, path, GG_CONTEXTS({"context1", gone}),
                 ":1:9: the context that is given for 'context1' is gone");
}

/* For those who only look, every name is one. */
static void test_no_context(void **state) {
  gg_graph *g = make_graph(test_context(), test_second_context());
  gg_graph *h = graph_of_file(NULL, g);
  char *once = graph_text(g, 0), *twice = graph_text(h, 0);

  (void)state;
  assert_string_equal(once, twice);
  free(once);
  free(twice);
  gg_graph_free(g);
  gg_graph_free(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_canonical), cmocka_unit_test(test_two_texts),
      cmocka_unit_test(test_refused),   cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_given),     cmocka_unit_test(test_registered),
      cmocka_unit_test(test_missing),   cmocka_unit_test(test_no_context),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
