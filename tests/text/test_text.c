/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs as text: what is printed, and what people may write. No device. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strb.h"
#include "support/roundtrip.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Long names. */
#define A10 "aaaaaaaaaa"
#define A100 A10 A10 A10 A10 A10 A10 A10 A10 A10 A10
#define A400 A100 A100 A100 A100

/* --- the same text again --- */

/* Texts as they are printed. */
static const char *const canonical[] = {
    "",
    "x = input float32\n",
    "x = input float32[?, 784]\n",
    "x = input bool[0, 1]\n",
    "w = shared float64[2, ?1, 1]\n",
    "k = int8 -128\n",
    "k = uint64[2] {0, 18446744073709551615}\n",
    "k = bool[2] {true, false}\n",
    "k = float32[0] {}\n",
    "k = float16[4] {0.1, -0, inf, 6e-08}\n",
    "k = float64[3] {nan, nan:fff8000000000000, 5e-324}\n",
    "\"a b\" = input float32\n\"\\\"\\\\\\x0a\" = exp(\"a b\")\n",
    "\"float32\" = input float32\n\"input\" = neg(\"float32\")\n",
    "\"%1\" = input float32\n%1 \"%1\" = input float32\n",
    "x = input float64[?]\ny = sqrt(x)\n",
    "b = input bool[?]\ny = where(b, b, true)\nz = where(b, false, b)\n",
    "x = input float32[?, 1, 8]\n"
    "y = pool_max{size=[3], stride=[2], dilation=[1], before=[0], after=[1]}"
    "(x)\n",
    "x = input float32\ny = print{message=\"a \\\"b\\\"\"}(x)\n"
    "z = print{message=\"" A100 A10 A10 "1234567\"}(y)\n",
    "\"\\x10\" = input float32\n",
    "k = complex64 nan:7fc00001+nan:7fc00002j\n",
    "k = complex64[3] {1+2j, -0.5+-2j, inf+nanj}\n",
    "x = input float32\ny = cast{dtype=bool}(x)\n",
    "\"bool\" = input float32\n\"nan\" = neg(\"bool\")\n",
    "random = shared int32[3, 6]\n"
    "u, _ = mrg31k3p{what=normal, dtype=float64, dims=[5]}(random)\n",
    "x = input float32[?]\ny = add(x, mul(2, exp(x)))\n",
    "x = input float32[?]\ny = add(1, mul(x, -0.5))\n",
    "x = input int32[?]\ny = where(lt(x, 3), x, neg(x))\n",
    "x = input float32[?]\n%1 = exp(x)\ny = mul(%1, %1)\n",
    "x = input float32[?, ?]\ny = reduce{op=sum, axes=[0, 1]}(x)\n"
    "z = reduce{op=max, axes=[1], keepdims=true}(x)\n",
    "x = input float32[?, 3]\ny = slice{axis=0, start=1, step=2}(x)\n"
    "z = index{axis=1, at=-1}(x)\n",
    "x = input float32[?, 3]\ny = dimshuffle{pattern=[1, -1, 0]}(x)\n"
    "z = reshape{dims=[-1, 3]}(y)\n",
    "x = input float32[2]\nz = reshape{dims=[]}(index{axis=0, at=0}(x))\n",
    "x = input float16[?]\ny = cast{dtype=float64}(x)\n",
    "x = input float32[2, 2]\ny = dot{alpha=0.1}(x, x)\n"
    "z = gemm{alpha=nan, beta=-2}(x, x, y)\n",
    "x = input float32[?, 2]\ny = join{axis=1}(x, x, x)\n"
    "z = part{axis=1, part=2}(y, x, x, x)\n",
    "x = input float32[?]\ny = fill(x, float32[1] {2})\n",
    "s = shared uint64[2]\nx = input float32[?]\nb = input uint32[24]\n"
    "u = philox{what=uniform, dtype=float32, dims=[3, 4]}(s)\n"
    "v = philox{what=normal, dtype=float16}(s, x)\n"
    "z = permutation{dtype=int64, count=5}(b, int64 7)\n",
    "s = shared uint64[2]\nx = input float32[?]\n"
    "u = philox{what=uniform, dtype=float32, dims=[2, 3]}(s)\n"
    "v = philox{what=bits, dtype=uint64}(s, x)\n"
    "s1 = add(s, uint64[2] {0, 1})\nupdate s = s1\n",
    "random = shared int32[3, 6]\n"
    "u, next = mrg31k3p{what=normal, dtype=float64, dims=[5]}(random)\n",
    "x = input float32[?]\nw = shared float32[3]\n%1 = exp(x)\n"
    "function f(x) -> (%1, x)\n"
    "function \"g h\"(x) -> () update (w = x) mode no_rewrite flags 1\n"
    "function m() -> () no_update (w) mode debug include (fold, \"a b\") "
    "exclude (blas) max_passes 3 flags 63\n"
    "function k() -> (%1) given (x = w)\n"
    "function l(x) -> (%1) mutable (x) borrow (%1) flags 8128\n"
    "function s(x) -> (%1) strict (x)\nfunction d(x) -> (%1) downcast (x)\n",
};

static void test_canonical(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(canonical); i++)
    assert_same_text(canonical[i]);
}

/* A deep graph is cut into lines, and comes back. */
static void test_deep(void **state) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  for (int i = 0; i < 1000; i++)
    x = gg_tanh(gg_neg(x));
  gg_named(x, "y");
  char *text = graph_text(g, 0);
  assert_same_text(text);
  free(text);
  gg_graph_free(g);
}

/* --- what people write --- */

static const written_text written[] = {
    {"x=input float32 # a comment\n\n\n  y = exp(x)",
     "x = input float32\ny = exp(x)\n"},
    {"x = input float32[?,\n  3]\r\ny = add(\n  x, # more\n  x)\n",
     "x = input float32[?, 3]\ny = add(x, x)\n"},
    /* dtypes meet, missing axes come first */
    {"x = input float32[?, 3]\ni = input int32[3]\ny = add(x, i)\n",
     "x = input float32[?, 3]\ni = input int32[3]\n"
     "y = add(x, dimshuffle{pattern=[-1, 0]}(cast{dtype=float32}(i)))\n"},
    {"i = input int32\ny = sqrt(i)\n",
     "i = input int32\ny = sqrt(cast{dtype=float32}(i))\n"},
    {"b = input bool\ny = sqrt(b)\n",
     "b = input bool\ny = sqrt(cast{dtype=float32}(b))\n"},
    {"b = input bool\ny = atan2(b, 1)\n",
     "b = input bool\ny = atan2(cast{dtype=float32}(b), 1)\n"},
    {"b = input bool\ny = neg(b)\n",
     "b = input bool\ny = neg(cast{dtype=int8}(b))\n"},
    /* numbers get their dtype from the others */
    {"x = input float64[?]\ny = mul(0x10, x)\n",
     "x = input float64[?]\ny = mul(16, x)\n"},
    {"i = input int64[?]\ny = mul(i, 0.5)\n",
     "i = input int64[?]\ny = mul(cast{dtype=float32}(i), 0.5)\n"},
    {"x = input float32\ny = where(true, x, 0)\n",
     "x = input float32\ny = where(bool true, x, 0)\n"},
    {"y = add(1, 2)\n", "y = add(int64 1, int64 2)\n"},
    {"y = exp(1)\n", "y = exp(float32 1)\n"},
    {"k = float32[3] 1.5\n", "k = float32[3] {1.5, 1.5, 1.5}\n"},
    {"k = float32 0x1.8p1\n", "k = float32 3\n"},
    {"k = float32 0X1P-3\n", "k = float32 0.125\n"},
    {"k = float32 0x1f\n", "k = float32 31\n"},
    {"k = float32 1e+2\n", "k = float32 1e+02\n"},
    {"k = float32[3] {-0x1p+2, +5, 5E-1}\n", "k = float32[3] {-4, 5, 0.5}\n"},
    {"k = float32 0.5e+2\n", "k = float32 5e+01\n"},
    {"k = complex128 2\n", "k = complex128 2+0j\n"},
    {"k = complex64 0x1p1+0x1p-1j\n", "k = complex64 2+0.5j\n"},
    {"random = shared int32[3, 6]\n"
     "u = mrg31k3p{what=normal, dtype=float64, dims=[5]}(random)\n",
     "random = shared int32[3, 6]\n"
     "u, _ = mrg31k3p{what=normal, dtype=float64, dims=[5]}(random)\n"},
    {"k = float32 0.1000000014901161193847656250\n", "k = float32 0.1\n"},
    /* short forms */
    {"x = input float32[?, 3]\ny = sum(x)\n",
     "x = input float32[?, 3]\ny = reduce{op=sum, axes=[0, 1]}(x)\n"},
    {"x = input float32[?, 3]\ny = max{axes=[1], keepdims=true}(x)\n",
     "x = input float32[?, 3]\n"
     "y = reduce{op=max, axes=[1], keepdims=true}(x)\n"},
    {"x = input float32[?, 3]\ny = transpose(x)\n",
     "x = input float32[?, 3]\ny = dimshuffle{pattern=[1, 0]}(x)\n"},
    {"x = input float32[?]\ny = clip(x, 0, 1)\n",
     "x = input float32[?]\n"
     "y = minimum(maximum(x, 0), 1)\n"},
    {"x = input float32[2]\ny = outer(x, x)\n",
     "x = input float32[2]\n"
     "y = mul(dimshuffle{pattern=[0, -1]}(x), "
     "dimshuffle{pattern=[-1, 0]}(x))\n"},
    /* the first name stays */
    {"x = input float32\na = exp(x)\nb = exp(x)\nc = neg(b)\n",
     "x = input float32\na = exp(x)\nc = neg(a)\n"},
    {"x = input float32\n_ = exp(x)\n%7 = neg(x)\n", "x = input float32\n"},
    {"%1 w = input float32\n%2 w = input float32\n",
     "w = input float32\n%1 w = input float32\n"},
};

static void test_written(void **state) {
  (void)state;
  assert_texts_mean(COUNT(written), written);
}

/* --- where texts end --- */

/* What lies behind the text in memory does not belong to it. */
static void test_ends_as_it_is_told(void **state) {
  static const struct {
    const char *text;
    size_t n;
    const char *means;
  } list[] = {
      {"x = input float32 # abc", 20, "x = input float32\n"},
      {"x = input float32  \n\n", 18, "x = input float32\n"},
      {"x = input float3264", 17, "x = input float32\n"},
      {"k = int32 123", 12, "k = int32 12\n"},
      {"%12 x = input float32", 3, NULL},
      {"\"ab\" = input float32", 3, NULL},
      {"k = complex64 1+2j", 17, NULL},
      {"k = float32 nan:7fc00001", 23, NULL},
  };

  (void)state;
  for (size_t i = 0; i < COUNT(list); i++) {
    gg_graph *g = gg_graph_new(NULL);
    const int err = gg_graph_parse(g, "t", list[i].text, list[i].n);
    if ((err == GA_NO_ERROR) != (list[i].means != NULL))
      fail_msg("%s: %s", list[i].text, gg_graph_error(g));
    if (err == GA_NO_ERROR) {
      char *text = graph_text(g, 0);
      assert_string_equal(text, list[i].means);
      free(text);
    }
    gg_graph_free(g);
  }
}

/* 64 ops inside of each other are read, more are not. */
static void test_nesting(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  for (int depth = 64; depth <= 65; depth++) {
    ga__strb_reset(&b);
    ga__strb_append(&b, "x = input float32\ny = ");
    for (int i = 0; i < depth; i++)
      ga__strb_append(&b, "exp(");
    ga__strb_append(&b, "x");
    for (int i = 0; i < depth; i++)
      ga__strb_append(&b, ")");
    gg_graph *g = gg_graph_new(NULL);
    assert_int_equal(gg_graph_parse(g, "t", b.s, b.n),
                     depth == 64 ? GA_NO_ERROR : GA_VALUE_ERROR);
    if (depth == 65)
      assert_string_equal(gg_graph_error(g),
                          "t:2:261: ops are nested more than 64 deep");
    gg_graph_free(g);
  }
  ga__strb_clear(&b);
}

/* Sizes that grow without bound are refused before they overflow. */
static void test_growing_sizes(void **state) {
  ga__strb b = GA_STRB_INIT;
  gg_graph *g = gg_graph_new(NULL);

  (void)state;
  ga__strb_append(&b, "x0 = input float32[1048576, 1]\n");
  for (int i = 0; i < 60; i++)
    ga__strb_appendf(&b, "x%d = join{axis=0}(x%d, x%d)\n", i + 1, i, i);
  assert_int_equal(gg_graph_parse(g, "t", b.s, b.n), GA_XLARGE_ERROR);
  assert_non_null(strstr(gg_graph_error(g), "the result is too large"));
  ga__strb_clear(&b);
  gg_graph_free(g);
}

/* Every prefix is read or refused; none leaks. */
static void test_cut_off(void **state) {
  (void)state;
  assert_prefixes_end(canonical[COUNT(canonical) - 1]);
}

/* Every allocation fails once: no leak, and the graph stays usable. */
static void test_no_memory(void **state) {
  (void)state;
  assert_read_without_memory("x = input float32[?, 3]\n"
                             "w = shared float32[3] {1, 2, 3}\n"
                             "y, z = add(x, mul(w, 0.5))\n"
                             "k = float32[2] {1, 2}\n",
                             GA_VALUE_ERROR);
  for (size_t i = 0; i < COUNT(canonical); i++)
    assert_read_without_memory(canonical[i], GA_NO_ERROR);
  for (size_t i = 0; i < COUNT(written); i++)
    assert_read_without_memory(written[i].written, GA_NO_ERROR);
}

/* The same with names so long, and variables so many, that they need memory of
 * their own. */
static void test_no_memory_for_names(void **state) {
  static const char *const parts[][2] = {
      {"", " = input float32\n"},
      {"function ", "() -> ()\n"},
      {"function f() -> () include (", ")\n"}};
  ga__strb b = GA_STRB_INIT;

  (void)state;
  for (size_t i = 0; i < COUNT(parts); i++) {
    ga__strb_reset(&b);
    ga__strb_append(&b, parts[i][0]);
    for (int k = 0; k < 20; k++)
      ga__strb_append(&b, A400);
    ga__strb_append(&b, parts[i][1]);
    assert_read_without_memory(b.s, GA_NO_ERROR);
  }
  ga__strb_reset(&b);
  for (int i = 0; i < 60; i++)
    ga__strb_appendf(&b, "%%%d = shared float32[3]\n", i);
  assert_read_without_memory(b.s, GA_NO_ERROR);
  ga__strb_clear(&b);
}

/* --- into a graph that has something --- */

static void test_two_texts(void **state) {
  gg_graph *g = graph_of_text(NULL, "x = input float32\nfunction f(x)\n");
  const char *more = "y = input int8\nfunction g(y) -> (y)\n";

  (void)state;
  assert_ok(gg_graph_parse(g, "more", more, strlen(more)));
  char *text = graph_text(g, 0);
  assert_string_equal(text, "x = input float32\ny = input int8\n"
                            "function f(x) -> ()\nfunction g(y) -> (y)\n");
  free(text);
  assert_ptr_equal(gg_graph_func(g, "g")->inputs[0], gg_graph_find(g, "y"));
  assert_null(gg_graph_func(g, "h"));
  assert_null(gg_graph_find(g, "z"));
  assert_null(gg_graph_func_at(g, 2));
  assert_int_equal(gg_graph_parse(g, "more", more, strlen(more)),
                   GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), "there is a function g already");
  /* An error that is there stays. */
  assert_int_equal(gg_graph_parse(g, "none", "", 0), GA_VALUE_ERROR);
  gg_graph_free(g);
}

/* Messages about what comes from a text tell its line. */
static void test_sites(void **state) {
  gg_graph *g = graph_of_text(NULL, "x = input float32[?]\n\ny = exp(\n x)\n");
  int line;

  (void)state;
  assert_string_equal(gg_var_site(gg_graph_find(g, "y"), &line), "text");
  assert_int_equal(line, 3);
  assert_string_equal(gg_var_site(gg_graph_find(g, "x"), &line), "text");
  assert_int_equal(line, 1);
  gg_graph_free(g);
}

static void test_add_func(void **state) {
  gg_graph *g = gg_graph_new(NULL), *other = gg_graph_new(NULL);
  gg_var *x = gg_input(other, "x", GA_FLOAT, 0);
  const gg_func_spec foreign = {.name = "f", .outputs = GG_VARS(x)};
  const gg_func_spec nameless = {.outputs = NULL};

  (void)state;
  assert_int_equal(gg_graph_add_func(g, &foreign), GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), "function f: a variable is missing or "
                                         "belongs to another graph");
  gg_graph_reset_error(g);
  assert_int_equal(gg_graph_add_func(g, &nameless), GA_VALUE_ERROR);
  assert_ok(gg_graph_add_func(other, &foreign));
  assert_ptr_not_equal(gg_graph_func(other, "f"), &foreign);
  gg_graph_free(g);
  gg_graph_free(other);
}

static int read_text(gg_graph *g, const char *text) {
  return gg_graph_parse(g, "text", text, strlen(text));
}

/* Every allocation fails once. The graph is then as it was, and reads the same
 * text again. */
static void test_failure_changes_nothing(void **state) {
  static const char before[] = "a = input float32[?]\n"
                               "b = mul(exp(a), 2)\n";
  static const char more[] = "x = input float32[?]\n"
                             "w = shared float32[3]\n"
                             "k = float32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 0}\n"
                             "two = float32 2\n"
                             "y = add(mul(exp(x), two), mul(w, 3))\n"
                             "z = neg(sqr(sin(y)))\n"
                             "update w = y\n"
                             "function f(x) -> (y, z)\n";
  gg_graph *g = gg_graph_new(NULL);
  int err = GA_MEMORY_ERROR;

  (void)state;
  assert_int_equal(read_text(g, before), GA_NO_ERROR);
  const size_t size = gg_graph_size(g);
  char *was = graph_text(g, 0);
  for (long n = 1; err != GA_NO_ERROR; n++) {
    ga__alloc_fail(n, 0);
    err = read_text(g, more);
    const long left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    if (err == GA_NO_ERROR)
      break;
    gg_graph_reset_error(g);
    assert_int_equal(gg_graph_size(g), size);
    assert_null(gg_graph_func(g, "f"));
    char *now = graph_text(g, 0);
    assert_string_equal(now, was);
    free(now);
  }
  /* As if nothing had failed. */
  gg_graph *h = gg_graph_new(NULL);
  assert_int_equal(read_text(h, before), GA_NO_ERROR);
  assert_int_equal(read_text(h, more), GA_NO_ERROR);
  char *now = graph_text(g, 0), *want = graph_text(h, 0);
  assert_string_equal(now, want);
  assert_int_equal(gg_graph_size(g), gg_graph_size(h));
  free(was);
  free(now);
  free(want);
  gg_graph_free(h);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_canonical),
      cmocka_unit_test(test_deep),
      cmocka_unit_test(test_written),
      cmocka_unit_test(test_ends_as_it_is_told),
      cmocka_unit_test(test_nesting),
      cmocka_unit_test(test_growing_sizes),
      cmocka_unit_test(test_cut_off),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_no_memory_for_names),
      cmocka_unit_test(test_two_texts),
      cmocka_unit_test(test_add_func),

      cmocka_unit_test(test_sites),
      cmocka_unit_test(test_failure_changes_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
