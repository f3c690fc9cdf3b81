/* SPDX-License-Identifier: BSD-2-Clause */
/* What einsum refuses, finds in calls, and in which order it multiplies. NumPy
 * judges its values (numpy/products.c). */
#include "graph/graph.h"
#include "support/graph_case.h"

static void refused(const char *equation, unsigned int n, gg_var *const *x,
                    const char *message) {
  assert_null(gg_einsum(equation, n, x));
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static gg_var *sized(const char *name, int64_t n, int64_t m) {
  return gg_input_sized(g, name, GA_FLOAT, 2, (int64_t[]){n, m});
}

static void what_is_no_equation_is_refused(void **state) {
  gg_var *const x[2] = {sized("x", 2, 3), sized("y", 4, 3)};

  (void)state;
  refused("ij,jk->ik", 2, x,
          "einsum(float32[2, 3], float32[4, 3]): index j: sizes 3 and 4 "
          "differ");
  refused("ii", 1, x, "einsum(float32[2, 3]): index i: sizes 2 and 3 differ");
  refused("ij->ik", 1, x,
          "einsum(float32[2, 3]): letter k of the result is in no operand");
  refused("ij->ii", 1, x,
          "einsum(float32[2, 3]): letter i is twice in the result");
  refused("ijk", 1, x,
          "einsum(float32[2, 3]): operand 0 has 2 dimensions, its term 3 "
          "letters");
  refused("i,ij", 2, x,
          "einsum(float32[2, 3], float32[4, 3]): operand 0 has 2 dimensions, "
          "its term 1 letters");
  refused("ijk...", 1, x,
          "einsum(float32[2, 3]): operand 0 has 2 dimensions, its term 3 "
          "letters");
  refused("ij,kj,k", 2, x,
          "einsum(float32[2, 3], float32[4, 3]): the equation has more than 2 "
          "terms");
  refused("ij", 2, x,
          "einsum(float32[2, 3], float32[4, 3]): the equation has 1 terms, "
          "there are 2 operands");
  refused("i...->i", 1, x, "einsum(float32[2, 3]): the result has no ellipsis");
  refused("...i...", 1, x, "einsum(float32[2, 3]): a term has two ellipses");
  refused("i..", 1, x,
          "einsum(float32[2, 3]): a dot at 1 of the equation is no ellipsis");
  refused("ij>j", 1, x,
          "einsum(float32[2, 3]): '>' at 2 of the equation is not expected");
  refused("i1,jk->ik", 2, x,
          "einsum(float32[2, 3], float32[4, 3]): '1' at 1 of the equation is "
          "not expected");
  refused("i\xce\xb1", 1, x,
          "einsum(float32[2, 3]): byte 0xce at 1 of the equation is not "
          "expected");
  refused("ij->i,", 1, x,
          "einsum(float32[2, 3]): ',' at 5 of the equation is not expected");
  refused("abcdefghi", 1, x,
          "einsum(float32[2, 3]): a term has more than 8 letters");
  refused("ij,kj", 2, (gg_var *[]){x[0], NULL},
          "einsum(float32[2, 3], NULL): operand 1 is NULL");
  refused(NULL, 1, x, "einsum(float32[2, 3]): the equation is NULL");
  refused("ij", 65, x, "einsum(float32[2, 3]): 65 operands are more than 64");
  assert_null(gg_einsum("", 0, x));
  assert_null(gg_einsum("ij", 1, NULL));
}

static void too_many_axes_are_refused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_INT, 5);

  (void)state;
  refused("abcde,fghij", 2, (gg_var *[]){x, x},
          "einsum(int32[?, ?, ?, ?, ?], int32[?, ?, ?, ?, ?]): the result has "
          "more than 8 axes");
  refused("abcde,efghi,abcdfghi->a", 3,
          (gg_var *[]){x, x, gg_input(g, "y", GA_INT, 8)},
          "einsum(int32[?, ?, ?, ?, ?], int32[?, ?, ?, ?, ?], int32[?, ?, ?, "
          "?, ?, ?, ?, ?]): a product on the way has 9 axes, more than 8");
}

/* Open sizes that differ in the call. */
static void check_call(const char *equation, unsigned int n, gg_var **x,
                       GpuArray *const *in, int code) {
  gg_var *const y = gg_einsum(equation, n, x);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = n == 1 ? GG_VARS(x[0]) : GG_VARS(x[0], x[1]),
                         .outputs = GG_VARS(y)});

  assert_code(code, gg_func_call(f, in, (GpuArray *[]){&out}));
  gg_func_free(f);
  GpuArray_clear(&out);
}

static void sizes_that_differ_are_found_in_the_call(void **state) {
  static const float values[12] = {1};
  gg_var *x[2] = {gg_input(g, "x", GA_FLOAT, 3), gg_input(g, "y", GA_FLOAT, 3)};
  GpuArray *const in[2] = {&a, &b};

  (void)state;
  float_array(&a, 3, (size_t[]){2, 3, 2}, values);
  float_array(&b, 3, (size_t[]){3, 2, 2}, values);
  check_call("abc,bac->c", 2, x, in, GA_NO_ERROR);
  check_call("abc,abc->c", 2, x, in, GA_VALUE_ERROR);
  check_call("abc,abd->cd", 2, x, in, GA_VALUE_ERROR);
  check_call("abc,bad->cd", 2, x, in, GA_NO_ERROR);
  check_call("abc,abd->abcd", 2, x, in, GA_VALUE_ERROR);
}

static void diagonals_are_square_in_the_call(void **state) {
  static const float values[6] = {1, 2, 3, 4, 5, 6};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  GpuArray *const in[1] = {&a};

  (void)state;
  float_array(&a, 2, (size_t[]){2, 3}, values);
  check_call("ii", 1, &x, in, GA_VALUE_ERROR);
  GpuArray_clear(&a);
  float_array(&a, 2, (size_t[]){2, 2}, values);
  check_call("ii", 1, &x, in, GA_NO_ERROR);
}

/* --- the order --- */

/* Was a matrix of these sizes computed? */
static int has_matrix(int64_t n, int64_t m) {
  for (size_t i = 0; i < g->vars.n; i++) {
    const gg_var *v = g->vars.v[i];
    if (v->owner != NULL && v->type.nd == 2 && v->type.dims[0] == n &&
        v->type.dims[1] == m)
      return 1;
  }
  return 0;
}

static void the_cheapest_order_is_taken(void **state) {
  gg_var *const left = sized("a", 2, 30), *const middle = sized("b", 30, 50),
                *const right = sized("c", 50, 60);

  (void)state;
  assert_non_null(
      gg_einsum("ij,jk,kl->il", 3, (gg_var *[]){left, middle, right}));
  assert_true(has_matrix(2, 50));
  assert_false(has_matrix(30, 60));
}

/* A product with a vector first, though it comes last: no product of two
 * matrices. More factors than are ordered by trying all. */
static void a_long_chain_is_taken_from_its_vector(void **state) {
  gg_var *x[12];

  (void)state;
  for (unsigned int i = 0; i < 11; i++)
    x[i] = sized("m", 20 + i, 21 + i);
  x[11] = gg_input_sized(g, "v", GA_FLOAT, 1, (int64_t[]){31});
  gg_var *const y = gg_einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,l->a", 12, x);
  assert_non_null(y);
  assert_int_equal(gg_var_type(y)->nd, 1);
  for (unsigned int i = 0; i < 10; i++)
    assert_false(has_matrix(20 + i, 22 + i));
}

/* --- gradients --- */

static void has_gradient(const char *equation, unsigned int n, gg_var **x) {
  gg_var *const y = gg_einsum(equation, n, x);

  assert_ok(gg_check_gradient(gg_sqr(y), n, x, (GpuArray *[]){&a, &b}, 0, 0));
}

static void gradients_are_those_of_differences(void **state) {
  static const float values[12] = {1, -2, 3, 0.5f, 2,     -1,
                                   4, 1,  0, -3,   0.25f, 2};
  gg_var *x[2] = {gg_input(g, "x", GA_FLOAT, 3), gg_input(g, "y", GA_FLOAT, 2)};

  (void)state;
  float_array(&a, 3, (size_t[]){2, 3, 2}, values);
  float_array(&b, 2, (size_t[]){3, 2}, values + 4);
  has_gradient("abc,bc->a", 2, x);
  has_gradient("abc,bd->dac", 2, x);
  has_gradient("abc,ba->ba", 2, x);
  has_gradient("aba", 1, x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_no_equation_is_refused,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(too_many_axes_are_refused, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(sizes_that_differ_are_found_in_the_call,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(diagonals_are_square_in_the_call,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(the_cheapest_order_is_taken, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(a_long_chain_is_taken_from_its_vector,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(gradients_are_those_of_differences,
                                      graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
