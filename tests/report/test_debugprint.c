/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables as text and as pictures. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"

static gg_graph *g;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(NULL);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

/* What `print` writes; the caller frees. */
static char *printed(int (*print)(FILE *, unsigned int, gg_var *const *),
                     unsigned int n, gg_var *const *vars) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);

  assert_non_null(f);
  assert_ok(print(f, n, vars));
  fclose(f);
  return text;
}

static void test_tree(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *w = gg_input_sized(g, "w", GA_FLOAT, 1, (int64_t[]){3});
  gg_var *z = gg_named(gg_dot(x, w), "z"), *e = gg_exp(gg_neg(z));
  gg_var *const out[2] = {gg_sum(gg_div(gg_f32(g, 0.5f), gg_add(e, z))), e};
  char *text = printed(gg_debugprint, 2, out);

  (void)state;
  assert_string_equal(text, "reduce{sum} [id A] float32\n"
                            "  div [id B] float32[?]\n"
                            "    0.5 [id C] float32[1]\n"
                            "    add [id D] float32[?]\n"
                            "      exp [id E] float32[?]\n"
                            "        neg [id F] float32[?]\n"
                            "          dot [id G] float32[?] 'z'\n"
                            "            x [id H] float32[?, ?]\n"
                            "            w [id I] float32[3]\n"
                            "      dot [id G] float32[?] 'z' ...\n"
                            "exp [id E] float32[?] ...\n");
  free(text);
}

/* Brackets only where they are needed, and a line for what is used twice. */
static void test_formulas(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *z = gg_named(gg_add(x, y), "z"), *e = gg_exp(gg_neg(z));
  gg_var *const out[] = {
      gg_div(gg_f32(g, 1), gg_add(gg_f32(g, 1), e)),
      gg_sub(gg_sub(x, y), gg_sub(x, y)),
      gg_mul(gg_add(x, y), gg_div(gg_mul(x, y), gg_neg(gg_mul(x, y)))),
      gg_pow(gg_pow(gg_neg(x), y), gg_pow(y, gg_f32(g, -2))),
      gg_neg(gg_pow(x, gg_f32(g, 2))),
      gg_lt(gg_sum(e), gg_maximum(gg_add(y, y), x)),
      NULL,
      x,
  };
  char *text = printed(gg_pprint, sizeof out / sizeof *out, out);

  (void)state;
  assert_string_equal(text, "z = x + y\n"
                            "%1 = exp(-z)\n"
                            "%2 = x - y\n"
                            "%3 = x * y\n"
                            "1 / (1 + %1)\n"
                            "%2 - %2\n"
                            "z * (%3 / -%3)\n"
                            "((-x)**y)**y**(-2)\n"
                            "-x**2\n"
                            "dimshuffle{x}(reduce{sum}(%1)) < "
                            "maximum(y + y, x)\n"
                            "x\n");
  free(text);
}

static void test_properties(void **state) {
  const size_t two = 2;
  const double data[2] = {1, 2};
  gg_var *x = gg_input_sized(g, "", GA_DOUBLE, 2, (int64_t[]){4, 2});
  gg_var *const out[6] = {
      gg_cast(gg_argmax_axis(x, -1), GA_BYTE),
      gg_slice(gg_transpose(x), 0, GG_END, -1, 2),
      gg_index(x, 1, -1),
      gg_reshape(x, 3, (int64_t[]){2, -1, 2}),
      gg_constant(g, GA_DOUBLE, 1, &two, data),
      gg_reduce(GG_SUM, x, 1, (int[]){0}, 1),
  };
  char *text = printed(gg_debugprint, 6, out);

  (void)state;
  assert_string_equal(text, "cast{int8} [id A] int8[4]\n"
                            "  reduce{argmax axis=1} [id B] int64[4]\n"
                            "    input [id C] float64[4, 2]\n"
                            "slice{axis=0 :-1:2} [id D] float64[1, 4]\n"
                            "  dimshuffle{1 0} [id E] float64[2, 4]\n"
                            "    input [id C] float64[4, 2]\n"
                            "index{axis=1 -1} [id F] float64[4]\n"
                            "  input [id C] float64[4, 2]\n"
                            "reshape{2 -1 2} [id G] float64[2, 2, 2]\n"
                            "  input [id C] float64[4, 2]\n"
                            "constant [id H] float64[2]\n"
                            "reduce{sum axis=0 keepdims} [id I] "
                            "float64[1, 2]\n"
                            "  input [id C] float64[4, 2]\n");
  free(text);
}

/* Identifiers go on after Z, and neither depth nor size is a problem. */
static void test_deep(void **state) {
  gg_var *v = gg_input(g, "x", GA_FLOAT, 0);

  (void)state;
  for (int i = 0; i < 100000; i++)
    v = gg_sin(v);
  char *text = printed(gg_debugprint, 1, &v);
  assert_non_null(strstr(text, "sin [id Z] float32\n"));
  assert_non_null(strstr(text, "sin [id AA] float32\n"));
  assert_non_null(strstr(text, "(99999) sin [id "));
  assert_non_null(strstr(text, "(100000) x [id "));
  free(text);
  text = printed(gg_pprint, 1, &v);
  assert_non_null(strstr(text, "%1 = sin(sin("));
  assert_non_null(strstr(text, "%6249 = sin(sin("));
  free(text);
}

static void test_dot(void **state) {
  gg_var *x = gg_input(g, "a \"quoted\\ name", GA_FLOAT, 1);
  gg_var *e = gg_exp(x), *y = gg_sub(e, gg_f32(g, 2));
  char *text = printed(gg_dot_graph, 1, &y);

  (void)state;
  assert_string_equal(
      text, "digraph gpugraph {\n"
            "  node [style=filled, fontname=\"sans-serif\"];\n"
            "  edge [fontname=\"sans-serif\", fontsize=9];\n"
            "  n0 [label=\"a \\\"quoted\\\\ name\\nfloat32[?]\", shape=box, "
            "fillcolor=palegreen];\n"
            "  n3 [label=\"2\\nfloat32[1]\", shape=box, fillcolor=lightgrey];\n"
            "  n1 [label=\"exp\", shape=ellipse, fillcolor=white];\n"
            "  n0 -> n1 [label=\"\"];\n"
            "  n4 [label=\"sub\", shape=ellipse, fillcolor=white];\n"
            "  n1 -> n4 [label=\"float32[?]\", headlabel=\"0\"];\n"
            "  n3 -> n4 [label=\"\", headlabel=\"1\"];\n"
            "  out0 [label=\"output 0\\nfloat32[?]\", shape=box, "
            "fillcolor=lightblue];\n"
            "  n4 -> out0;\n"
            "}\n");
  free(text);
}

/* A full disk is noticed even if all fits the buffer of the file. */
static void refuses_full_disk(int mode, int (*print)(FILE *, unsigned int,
                                                     gg_var *const *)) {
  gg_var *x = gg_exp(gg_input(g, "x", GA_FLOAT, 1));
  FILE *full = fopen("/dev/full", "w");

  if (full == NULL)
    skip();
  setvbuf(full, NULL, mode, mode == _IOFBF ? 65536 : 0);
  assert_int_equal(print(full, 1, &x), GA_SYS_ERROR);
  fclose(full);
}

static void test_write_error(void **state) {
  static const int modes[] = {_IONBF, _IOFBF};

  (void)state;
  for (size_t i = 0; i < 2; i++) {
    refuses_full_disk(modes[i], gg_debugprint);
    refuses_full_disk(modes[i], gg_dot_graph);
    refuses_full_disk(modes[i], gg_pprint);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_tree, setup, teardown),
      cmocka_unit_test_setup_teardown(test_formulas, setup, teardown),
      cmocka_unit_test_setup_teardown(test_properties, setup, teardown),
      cmocka_unit_test_setup_teardown(test_deep, setup, teardown),
      cmocka_unit_test_setup_teardown(test_dot, setup, teardown),
      cmocka_unit_test_setup_teardown(test_write_error, setup, teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
