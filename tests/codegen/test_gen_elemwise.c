/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans and texts of elementwise kernels, for made-up devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gpuarray/types.h>

#include "base/dtype.h"
#include "codegen/gen_elemwise.h"
#include "codegen/gen_lanes.h"
#include "codegen/gen_take.h"
#include "layout/elemwise_layout.h"
#include "support/golden.h"

static const ga__target cpu = {.is_cpu = 1,
                               .lanes = 16,
                               .units = 2,
                               .group = 4096,
                               .local_bytes = 2 << 20,
                               .param_bytes = 1024};
static const ga__target gpu = {.is_cpu = 0,
                               .lanes = 1,
                               .units = 100,
                               .group = 1024,
                               .local_bytes = 48 << 10,
                               .param_bytes = 4352};

#define ARGS 4

/* A case: sizes and, per argument, strides in elements, outermost first. */
typedef struct geometry {
  unsigned int nd, n;
  size_t dims[4];
  ptrdiff_t strides[ARGS][4];
  size_t offsets[ARGS];
} geometry;

static const gpuelemwise_arg floats[] = {{"c", GA_FLOAT, GE_WRITE},
                                         {"a", GA_FLOAT, GE_READ},
                                         {"b", GA_FLOAT, GE_READ},
                                         {"s", GA_FLOAT, GE_READ | GE_SCALAR}};
static const gpuelemwise_arg bfloats[] = {
    {"c", GA_BFLOAT, GE_WRITE},
    {"a", GA_BFLOAT, GE_READ},
    {"b", GA_HALF, GE_READ},
    {"s", GA_BFLOAT, GE_READ | GE_SCALAR}};
static const gpuelemwise_arg halfs[] = {{"c", GA_HALF, GE_WRITE},
                                        {"a", GA_HALF, GE_READ},
                                        {"b", GA_HALF, GE_READ},
                                        {"s", GA_HALF, GE_READ | GE_SCALAR}};
static const gpuelemwise_arg bools[] = {{"c", GA_BOOL, GE_WRITE},
                                        {"a", GA_FLOAT, GE_READ},
                                        {"b", GA_BOOL, GE_READ},
                                        {"s", GA_BOOL, GE_READ | GE_SCALAR}};

static const gpuelemwise_arg random_b[] = {
    {"c", GA_FLOAT, GE_WRITE},
    {"a", GA_FLOAT, GE_READ},
    {"b", GA_FLOAT, GE_RANDOM_UNIFORM},
    {"s", GA_FLOAT, GE_READ | GE_SCALAR}};

static const geometry line = {
    1, 4, {100000}, {{1}, {1}, {1}, {0}}, {0, 0, 0, 0}};
static const geometry apart = {
    1, 4, {100000}, {{1}, {3}, {0}, {0}}, {0, 0, 0, 0}};
static const geometry second = {
    1, 4, {100000}, {{1}, {2}, {0}, {0}}, {0, 0, 0, 0}};
static const geometry rows = {
    2, 4, {300, 400}, {{400, 1}, {0, 1}, {1, 0}, {0}}, {0, 0, 0, 0}};
static const geometry narrow = {
    2, 4, {3000, 10}, {{10, 1}, {0, 1}, {10, 1}, {0}}, {0, 0, 0, 0}};
static const geometry turned = {
    2, 4, {300, 400}, {{400, 1}, {400, 1}, {1, 300}, {0}}, {0, 0, 0, 0}};
static const geometry large = {
    1, 4, {9000000}, {{1}, {1}, {1}, {0}}, {0, 0, 0, 0}};
static const geometry deep = {3,
                              4,
                              {9, 300, 400},
                              {{120000, 400, 1}, {1, 0, 9}, {400, 0, 1}, {0}},
                              {0, 0, 0, 0}};

typedef struct program {
  ga__expr e;
  ga__iter it;
  ga__elemwise_layout p;
  ga__ew_text t;
} program;

static void make(program *g, const ga__target *t, const geometry *geo,
                 const gpuelemwise_arg *args, const char *text, int vector) {
  memset(g, 0, sizeof *g);
  assert_int_equal(0, ga__expr_init(&g->e, text, geo->n, args, vector));
  assert_int_equal(0, ga__iter_init(&g->it, geo->nd, geo->dims, geo->n));
  for (unsigned int k = 0; k < geo->n; k++) {
    ptrdiff_t bytes[4];

    for (unsigned int d = 0; d < geo->nd; d++)
      bytes[d] =
          geo->strides[k][d] * (ptrdiff_t)ga__dtype_size(args[k].typecode);
    ga__iter_set(&g->it, k, bytes);
  }
  assert_int_equal(0, ga__elemwise_layout_make(&g->p, &g->it, args,
                                               geo->offsets, &g->e, t, 1));
  assert_int_equal(0, ga__gen_elemwise(&g->t, &g->p, args, &g->e, NULL));
}

static void clear(program *g) {
  ga__ew_text_clear(&g->t);
  ga__elemwise_layout_clear(&g->p);
  ga__iter_clear(&g->it);
  ga__expr_clear(&g->e);
}

static void check_text(const char *name, const ga__target *t,
                       const geometry *geo, const gpuelemwise_arg *args,
                       const char *text, int vector) {
  program g;

  make(&g, t, geo, args, text, vector);
  test_golden(name, g.t.parts[0]);
  clear(&g);
}

/* --- text --- */

static void test_cpu_text(void **state) {
  const char *sum = "c = a + b * s";

  (void)state;
  check_text("elemwise_cpu_flat", &cpu, &line, floats, sum, 1);
  check_text("elemwise_cpu_flat_scalar", &cpu, &line, floats, sum, 0);
  check_text("elemwise_cpu_apart", &cpu, &apart, floats, sum, 1);
  check_text("elemwise_cpu_second", &cpu, &second, floats, sum, 1);
  check_text("elemwise_cpu_rows", &cpu, &rows, floats, sum, 1);
  check_text("elemwise_cpu_digits", &cpu, &narrow, floats, sum, 1);
  check_text("elemwise_cpu_block", &cpu, &turned, floats, sum, 1);
  check_text("elemwise_cpu_block_half", &cpu, &deep, halfs, sum, 1);
  check_text("elemwise_cpu_large", &cpu, &large, floats, sum, 1);
  check_text("elemwise_cpu_bools", &cpu, &rows, bools,
             "c = (a > (w_float)(0.5f)) & b & s", 1);
  check_text("elemwise_cpu_lanes_half", &cpu, &line, halfs, "c = a > s ? a : b",
             0);
}

static void test_gpu_text(void **state) {
  const char *sum = "c = a + b * s";

  (void)state;
  check_text("elemwise_gpu_flat", &gpu, &line, floats, sum, 1);
  check_text("elemwise_gpu_flat_scalar", &gpu, &line, floats, sum, 0);
  check_text("elemwise_gpu_half", &gpu, &line, halfs, sum, 1);
  check_text("elemwise_gpu_bfloat", &gpu, &line, bfloats, sum, 1);
  check_text("elemwise_gpu_apart", &gpu, &apart, floats, sum, 0);
  check_text("elemwise_gpu_rows", &gpu, &rows, floats, sum, 1);
  check_text("elemwise_gpu_digits", &gpu, &narrow, floats, sum, 0);
  check_text("elemwise_gpu_tile", &gpu, &turned, floats, sum, 1);
  check_text("elemwise_gpu_tile_half", &gpu, &deep, halfs, sum, 0);
  check_text("elemwise_gpu_bools", &gpu, &line, bools, "c = a > 0.5f && b && s",
             0);
}

/* Whole blocks of random words in vectors, and rows that break them. */
static void test_random_text(void **state) {
  static const geometry odd = {
      2, 4, {300, 401}, {{402, 1}, {0, 1}, {401, 1}, {0}}, {0, 0, 0, 0}};
  const char *text = "c = a * (b < s ? s : a)";

  (void)state;
  check_text("elemwise_cpu_random", &cpu, &line, random_b, text, 1);
  check_text("elemwise_gpu_random", &gpu, &line, random_b, text, 1);
  check_text("elemwise_cpu_random_rows", &cpu, &odd, random_b, text, 1);
  check_text("elemwise_gpu_random_scalar", &gpu, &line, random_b, text, 0);
}

static void test_small_argument_room(void **state) {
  ga__target small = gpu;

  (void)state;
  small.param_bytes = 64;
  check_text("elemwise_gpu_baked", &small, &deep, floats, "c = a + b * s", 1);
}

static void test_parts(void **state) {
  program g;

  (void)state;
  make(&g, &cpu, &turned, floats, "c = a + b * s", 1);
  assert_int_equal(4, g.t.n); /* macros, packing, the template */
  assert_non_null(strstr(g.t.parts[2], "PACK_FN"));
  assert_non_null(strstr(g.t.parts[3], "kernel"));
  assert_string_equal("elemwise", g.t.entry);
  clear(&g);
}

/* --- plans --- */

static ga__ew_kernel kernel_for(const ga__target *t, const geometry *geo,
                                int vector, unsigned int *lanes) {
  program g;

  make(&g, t, geo, floats, "c = a + b * s", vector);
  ga__ew_kernel kernel = g.p.kernel;
  *lanes = g.p.lanes;
  clear(&g);
  return kernel;
}

static void test_kernels(void **state) {
  unsigned int lanes;

  (void)state;
  assert_int_equal(GA_EW_FLAT, kernel_for(&cpu, &line, 1, &lanes));
  assert_int_equal(16, lanes);
  assert_int_equal(GA_EW_FLAT, kernel_for(&gpu, &line, 1, &lanes));
  assert_int_equal(4, lanes);
  assert_int_equal(GA_EW_ROWS, kernel_for(&cpu, &rows, 1, &lanes));
  assert_int_equal(GA_EW_ROWS, kernel_for(&gpu, &rows, 1, &lanes));
  assert_int_equal(4, lanes);
  assert_int_equal(GA_EW_FLAT, kernel_for(&cpu, &narrow, 1, &lanes));
  assert_int_equal(GA_EW_ROWS, kernel_for(&cpu, &narrow, 0, &lanes));
  assert_int_equal(1, lanes);
  assert_int_equal(GA_EW_BLOCK, kernel_for(&cpu, &turned, 1, &lanes));
  assert_int_equal(GA_EW_TILE, kernel_for(&gpu, &turned, 1, &lanes));
}

/* Written arrays that do not begin at 16 bytes cost the vectors, read ones
 * only their own. */
static void test_alignment(void **state) {
  geometry g = line;
  unsigned int lanes;

  (void)state;
  g.offsets[1] = 4;
  kernel_for(&gpu, &g, 1, &lanes);
  assert_int_equal(4, lanes);
  g.offsets[0] = 4;
  kernel_for(&gpu, &g, 1, &lanes);
  assert_int_equal(1, lanes);
}

static void test_index_width(void **state) {
  geometry g = line;
  program p;

  (void)state;
  make(&p, &gpu, &g, floats, "c = a", 1);
  assert_false(p.p.is_wide);
  clear(&p);
  g.dims[0] = (size_t)1 << 31;
  make(&p, &gpu, &g, floats, "c = a", 1);
  assert_true(p.p.is_wide);
  clear(&p);
}

static void test_bad_stride(void **state) {
  static const gpuelemwise_arg args[] = {{"c", GA_CFLOAT, GE_WRITE}};
  ga__expr e;
  ga__iter it;
  ga__elemwise_layout p;
  size_t dim = 10, offset = 0;
  ptrdiff_t stride = 12;

  (void)state;
  assert_int_equal(0, ga__expr_init(&e, "c.r = 1", 1, args, 0));
  assert_int_equal(0, ga__iter_init(&it, 1, &dim, 1));
  ga__iter_set(&it, 0, &stride);
  assert_int_equal(
      GA_UNALIGNED_ERROR,
      ga__elemwise_layout_make(&p, &it, args, &offset, &e, &cpu, 1));
  ga__elemwise_layout_clear(&p);
  ga__iter_clear(&it);
  ga__expr_clear(&e);
}

/* --- iteration spaces --- */

static void test_order_follows_the_lead(void **state) {
  static const size_t dims[] = {2, 3, 1, 5};
  static const ptrdiff_t out[] = {4, 8, 99,
                                  -24}; /* axes 0, 1, 3 from fast on */
  static const ptrdiff_t in[] = {60, 20, 99, 4};
  ga__iter it;

  (void)state;
  assert_int_equal(0, ga__iter_init(&it, 4, dims, 2));
  ga__iter_set(&it, 0, out);
  ga__iter_set(&it, 1, in);
  ga__iter_order(&it, 0);
  assert_int_equal(3, it.nd);
  assert_int_equal(2, it.dims[0]);
  assert_int_equal(3, it.dims[1]);
  assert_int_equal(5, it.dims[2]);
  assert_int_equal(24, it.strides[0][2]);
  assert_int_equal(-4, it.strides[1][2]);
  assert_int_equal(-96, it.first[0]);
  assert_int_equal(16, it.first[1]);
  ga__iter_merge(&it); /* the first array could, the second cannot */
  assert_int_equal(3, it.nd);
  assert_int_equal(4 + 2 * 8 + 4 * 24, ga__iter_reach(&it, 0));
  ga__iter_clear(&it);
}

static void test_merge(void **state) {
  static const size_t dims[] = {4, 5, 6};
  static const ptrdiff_t plain[] = {120, 24, 4}, column[] = {4, 0, 0};
  ga__iter it;

  (void)state;
  assert_int_equal(0, ga__iter_init(&it, 3, dims, 2));
  ga__iter_set(&it, 0, plain);
  ga__iter_set(&it, 1, column);
  ga__iter_order(&it, 0);
  ga__iter_merge(&it);
  assert_int_equal(2, it.nd);
  assert_int_equal(30, it.dims[0]);
  assert_int_equal(4, it.dims[1]);
  assert_true(ga__iter_is_flat(&it, 0, 4));
  assert_false(ga__iter_is_flat(&it, 1, 4));
  assert_int_equal(4, ga__iter_visits(&it, 1));
  ga__iter_clear(&it);
}

/* --- expressions --- */

static int is_vector(const char *text, const gpuelemwise_arg *args) {
  ga__expr e;

  assert_int_equal(0, ga__expr_init(&e, text, 4, args, 1));
  int r = e.is_vector;
  ga__expr_clear(&e);
  return r;
}

static void test_what_is_vector_text(void **state) {
  (void)state;
  assert_true(is_vector("c = a + b", floats));
  assert_true(is_vector("c = a < b ? a : b", floats));
  assert_true(is_vector("w_int i = w_to_int(a); c = w_to_float(i)", floats));
  assert_true(is_vector("c = w_to_float(w_to_double(a))", floats));
  assert_false(
      is_vector("c = w_to_float(w_to_double(a) < w_to_double(b))", floats));
  assert_false(is_vector("c = isnan(w_to_double(a))", floats));
  assert_true(is_vector("c = (a > s) & b", halfs));
  assert_false(is_vector("w_double d = w_to_double(a); c = b", bools));
}

static void test_expression_on_one_line(void **state) {
  ga__expr e;

  (void)state;
  assert_int_equal(
      0, ga__expr_init(&e, "c = a; // one\n/* t\nwo */ c = '#' \\\n+ b", 4,
                       floats, 0));
  assert_string_equal("c = a;     c = '#' + b", e.text);
  assert_int_equal(1, e.n_ops);
  ga__expr_clear(&e);
  assert_int_equal(GA_VALUE_ERROR,
                   ga__expr_init(&e, "c = a;\n  #if X\n", 4, floats, 0));
  ga__expr_clear(&e);
}

/* The text that is left when lanes can be shown, or NULL. */
static const char *shown(const char *text, const gpuelemwise_arg *args) {
  static char left[200];
  ga__expr e;

  assert_int_equal(0, ga__expr_init(&e, text, 4, args, 0));
  const int is_shown = ga__lanes_show(&e, 4, args);
  assert_int_equal(is_shown, e.is_vector);
  snprintf(left, sizeof left, "%s", e.text);
  ga__expr_clear(&e);
  return is_shown ? left : NULL;
}

static void test_lanes_of_plain_text(void **state) {
  static const gpuelemwise_arg ints[] = {{"c", GA_INT, GE_WRITE},
                                         {"a", GA_INT, GE_READ},
                                         {"b", GA_INT, GE_READ},
                                         {"s", GA_INT, GE_READ | GE_SCALAR}};
  static const gpuelemwise_arg doubles[] = {
      {"c", GA_DOUBLE, GE_WRITE},
      {"a", GA_DOUBLE, GE_READ},
      {"b", GA_DOUBLE, GE_READ},
      {"s", GA_DOUBLE, GE_READ | GE_SCALAR}};
  static const gpuelemwise_arg mixed[] = {{"c", GA_FLOAT, GE_WRITE},
                                          {"a", GA_INT, GE_READ},
                                          {"b", GA_FLOAT, GE_READ},
                                          {"s", GA_FLOAT, GE_SCALAR}};
  static const char *const yes[] = {
      "c = a + b * s",
      " c = exp(a); ",
      "c = -(a - 2) / 1.5f",
      "c = a > b ? a : 0",
      "c = a > 0 && !(b == s || b < -1) ? fmax(a, 0.0f) : pow(b, s)",
      "c = a; c += b; ; c *= 2",
      "c = fma(a, b, s)",
      "c = 1"};
  static const char *const no[] = {"c = a > b", /* 1, not -1 */
                                   "c = (a > b) * a",
                                   "c = a > b ? 1 : 0",
                                   "c = a ? b : s",
                                   "c = a * 2.0", /* a double */
                                   "c = a % b",
                                   "c = a & b",
                                   "c = ~a",
                                   "c = exp(2)",
                                   "c = exp(a, b)",
                                   "c = frexp(a, b)",
                                   "c = pow(a, 2)",
                                   "c = (int)a",
                                   "c = d + a",
                                   "float t = a; c = t",
                                   "c = a++",
                                   "c == a",
                                   "c = a b",
                                   "c = (a",
                                   "if (a > b) c = a",
                                   "c = isnan(a) ? 0 : a",
                                   "c = a == b == s",
                                   "c = a, c = b",
                                   "c = a.x",
                                   "c = 1u + a",
                                   "c = !a",
                                   "c = a > b ? a > s : b",
                                   "= a",
                                   "c = a; }",
                                   "c[0] = a",
                                   "c = 'x'"};

  (void)state;
  for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
    assert_non_null(shown(yes[i], floats));
  for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
    assert_null(shown(no[i], floats));
  assert_string_equal("c =        a + (float)1;",
                      shown("c = (float)a + (float)1;", halfs));
  assert_non_null(shown("c = (a << 3 | b) % 7 / 2", ints));
  assert_non_null(shown("c = ~a ^ b & s", ints));
  assert_null(shown("c = a / b", ints)); /* may be 0 */
  assert_null(shown("c = a % s", ints));
  assert_null(shown("c = a + 1.0f", ints));
  assert_null(shown("c = a + 3000000000", ints));
  assert_null(shown("c = a + 010", ints));
  assert_null(shown("c = exp(a)", ints));
  assert_non_null(shown("c = a * 2.5 + 1.5e-3f", doubles));
  assert_null(shown("c = a + b", mixed));
  assert_null(shown("c = a", bools));
}

static void test_depth_of_plain_text(void **state) {
  enum { DEEP = 100000 };
  char *text = malloc(DEEP + 10);
  ga__expr e;

  (void)state;
  memcpy(text, "c=", 2);
  memset(text + 2, '(', DEEP);
  memcpy(text + 2 + DEEP, "a", 2);
  assert_int_equal(0, ga__expr_init(&e, text, 4, floats, 0));
  assert_false(ga__lanes_show(&e, 4, floats));
  ga__expr_clear(&e);
  for (int i = 0; i + 4 <= DEEP; i += 4)
    memcpy(text + 2 + i, "a<b?", 4);
  assert_int_equal(0, ga__expr_init(&e, text, 4, floats, 0));
  assert_false(ga__lanes_show(&e, 4, floats));
  ga__expr_clear(&e);
  free(text);
}

static void test_preprocessor_lines(void **state) {
  ga__strb lines = GA_STRB_INIT, text = GA_STRB_INIT;

  (void)state;
  assert_true(ga__expr_has_lines(" \n  # if X\n"));
  assert_false(ga__expr_has_lines("c = '#'; /* \n # */ // \n c = a #"));
  assert_int_equal(0, ga__expr_split(&lines, &text,
                                     "c = a; /* one\n#two */\n#if \\\nX\n"
                                     "c += b;\n#endif"));
  assert_string_equal("GA_EXPR_0 GA_EXPR_1 ", ga__strb_text(&text));
  assert_string_equal("#define GA_EXPR_0\n#define GA_EXPR_1\n"
                      "#undef GA_EXPR_0\n#define GA_EXPR_0 c = a;   \n"
                      "#if \\\nX\n"
                      "#undef GA_EXPR_1\n#define GA_EXPR_1  c += b; \n"
                      "#endif\n",
                      ga__strb_text(&lines));
  ga__strb_clear(&lines);
  ga__strb_clear(&text);
}

/* --- rows by number --- */

static void test_take_text(void **state) {
  static const size_t dims[] = {6, 5};
  static const ptrdiff_t plain[] = {20, 4}, turned_row[] = {4, 24};
  ga__take_layout p = {.index_type = GA_LONG};
  ga__strb b = GA_STRB_INIT;
  ga__iter row;

  (void)state;
  assert_int_equal(0, ga__iter_init(&row, 2, dims, 2));
  ga__iter_set(&row, 0, plain);
  ga__iter_set(&row, 1, turned_row);
  ga__iter_order(&row, 0);
  ga__iter_merge(&row);
  ga__take_layout_make(&p, &row, 1000, 4, 4, &cpu);
  assert_int_equal(30, p.len);
  assert_int_equal(4, p.word);
  ga__gen_take(&b, &p);
  test_golden("take_cpu_strided", ga__strb_text(&b));
  ga__strb_reset(&b);

  ga__iter_set(&row, 1, plain);
  ga__iter_merge(&row);
  ga__take_layout_make(&p, &row, 1000, 4, 120, &gpu);
  assert_int_equal(8, p.word); /* rows of 120 bytes */
  ga__gen_take(&b, &p);
  test_golden("take_gpu", ga__strb_text(&b));
  ga__strb_clear(&b);
  ga__iter_clear(&row);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu_text),
      cmocka_unit_test(test_gpu_text),
      cmocka_unit_test(test_random_text),
      cmocka_unit_test(test_small_argument_room),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_alignment),
      cmocka_unit_test(test_index_width),
      cmocka_unit_test(test_bad_stride),
      cmocka_unit_test(test_order_follows_the_lead),
      cmocka_unit_test(test_merge),
      cmocka_unit_test(test_what_is_vector_text),
      cmocka_unit_test(test_expression_on_one_line),
      cmocka_unit_test(test_lanes_of_plain_text),
      cmocka_unit_test(test_depth_of_plain_text),
      cmocka_unit_test(test_preprocessor_lines),
      cmocka_unit_test(test_take_text),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
