/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs over two contexts: which one variables are in, and what moves them. */
#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/two_contexts.h"

static void assert_error(const char *part) {
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  char *at = strstr(gg_graph_error(g), part);
  if (at == NULL)
    print_error("the message is \"%s\", without \"%s\"\n", gg_graph_error(g),
                part);
  assert_non_null(at);
  gg_graph_reset_error(g);
}

/* --- where variables are --- */

static void types_have_contexts(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = input("y", there);
  gg_var *one = gg_f32(g, 1);

  (void)state;
  assert_ptr_equal(gg_var_type(x)->ctx, here);
  assert_ptr_equal(gg_var_type(y)->ctx, there);
  assert_null(gg_var_type(one)->ctx);
  assert_ptr_equal(gg_var_context(one), here);
  assert_ptr_equal(gg_var_context(gg_add(one, y)), there);
  assert_ptr_equal(gg_var_context(gg_add(x, one)), here);
  assert_null(gg_var_type(gg_exp(one))->ctx);
  /* Sizes are numbers of the host; what they fill is where its shape is. */
  assert_null(gg_var_type(gg_shape(y, 0))->ctx);
  assert_ptr_equal(gg_var_context(gg_zeros_like(y)), there);
  assert_ptr_equal(gg_var_context(gg_positions(y, 0)), there);
  assert_ptr_equal(gg_var_context(gg_mul(x, gg_cast(gg_size(y), GA_FLOAT))),
                   here);
  assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
}

static void mixtures_are_errors(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = input("y", there);
  char one[288], other[288], want[1024];

  (void)state;
  assert_null(gg_add(x, y));
  snprintf(want, sizeof want, "operand 0 (x) is in %s, operand 1 (y) in %s",
           gg_context_text(here, one, sizeof one),
           gg_context_text(there, other, sizeof other));
  assert_error(want);
  assert_null(gg_where(gg_gt(y, gg_f32(g, 0)), x, x));
  assert_error("gg_transfer moves one to the other");
  assert_null(gg_join(0, 2, (gg_var *[]){x, y}));
  assert_error("join");
}

static void transfers_take_the_shortest_way(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = gg_transfer(x, there);
  gg_var *c = gg_f32(g, 2);

  (void)state;
  assert_ptr_equal(gg_var_type(y)->ctx, there);
  assert_ptr_equal(gg_transfer(x, here), x);
  assert_ptr_equal(gg_transfer(y, here), x);
  assert_ptr_equal(gg_transfer(y, NULL), x);
  assert_ptr_equal(gg_transfer(x, there), y);
  assert_ptr_equal(gg_var_type(gg_transfer(c, there))->ctx, there);
  assert_null(gg_var_owner(gg_transfer(c, there)));
  assert_null(gg_transfer(NULL, there));
  assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
}

static void authors_bring_operands_together(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = input("y", there);
  gg_var *both[2] = {x, y}, *one = gg_f32(g, 1);
  gpucontext *ctx;

  (void)state;
  assert_ok(gg_infer_context(&ctx, 3, (gg_var *[]){one, y, one}));
  assert_ptr_equal(ctx, there);
  assert_ok(gg_infer_context(&ctx, 1, &one));
  assert_ptr_equal(ctx, here);
  assert_code(GA_VALUE_ERROR,
              gg_infer_context(&ctx, 3, (gg_var *[]){one, x, y}));
  assert_error("variable 2 (y) is in another context");
  assert_ok(gg_as_context(there, 2, both, both));
  assert_ptr_equal(both[0], gg_transfer(x, there));
  assert_ptr_equal(both[1], y);
  assert_null(gg_as_gpu_variable(x, NULL));
  assert_error("no context to have x in");
  assert_code(GA_VALUE_ERROR,
              gg_as_context(there, 2, (gg_var *[]){x, NULL}, both));
}

static void contexts_that_are_gone_are_errors(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gpucontext *gone;

  (void)state;
  assert_ok(gpucontext_open(&gone, NULL));
  assert_true(gpucontext_alive(gone));
  gpucontext_deref(gone);
  assert_false(gpucontext_alive(gone));
  assert_null(gg_transfer(x, gone));
  assert_error("transfer of x: the context that it should go to is gone");
  assert_null(input("y", gone));
  assert_error("input y: the context is gone");
  assert_code(GA_VALUE_ERROR, gg_context_register("gone", gone));
  assert_message(GA_VALUE_ERROR, "gone");
}

/* A context that dies between building and compiling. */
static void functions_need_living_contexts(void **state) {
  gpucontext *gone;
  gg_func *f = NULL;

  (void)state;
  assert_ok(gpucontext_open(&gone, NULL));
  gg_var *y = input("y", gone);
  gpucontext_deref(gone);
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){.inputs = GG_VARS(y),
                                          .outputs = GG_VARS(gg_exp(y))}));
  assert_null(f);
  assert_error("gone");
}

/* New values of shared variables and givens do not travel by themselves. */
static void functions_move_nothing_unasked(void **state) {
  const float zero[1] = {0};
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){1}, zero);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *y = input("y", there);
  gg_func *f = NULL;

  (void)state;
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){.inputs = GG_VARS(y),
                                          .updates = GG_UPDATES({w, y})}));
  assert_error("the new value of it in ");
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){.inputs = GG_VARS(y),
                                          .outputs = GG_VARS(gg_exp(x)),
                                          .givens = GG_GIVENS({x, y})}));
  assert_error("gg_transfer moves it");
  assert_null(f);
}

static void contexts_have_names(void **state) {
  char text[288];

  (void)state;
  assert_ok(gg_context_register("left", here));
  assert_ok(gg_context_register("right", there));
  assert_ptr_equal(gg_context_get("right"), there);
  assert_string_equal(gg_context_text(there, text, sizeof text), "right");
  assert_code(GA_VALUE_ERROR, gg_context_register("left", there));
  assert_message(GA_VALUE_ERROR, "named left already");
  assert_code(GA_VALUE_ERROR, gg_context_register("other", there));
  assert_message(GA_VALUE_ERROR, "context right cannot be named other");
  assert_code(GA_VALUE_ERROR, gg_context_register("", there));
  assert_null(gg_context_get("middle"));
  assert_message(GA_VALUE_ERROR, "no context is named middle; there are: "
                                 "left, right");
  assert_ok(gg_context_unregister("left"));
  assert_ok(gg_context_unregister("right"));
  assert_code(GA_VALUE_ERROR, gg_context_unregister("right"));
  assert_null(gg_context_get("right"));
  assert_message(GA_VALUE_ERROR, "there are: none");
}

/* A registered context outlives its maker's reference. */
static void names_keep_contexts(void **state) {
  gpucontext *ctx;

  (void)state;
  assert_ok(gpucontext_open(&ctx, NULL));
  assert_ok(gg_context_register("kept", ctx));
  gpucontext_deref(ctx);
  assert_true(gpucontext_alive(ctx));
  assert_ok(gg_context_unregister("kept"));
  assert_false(gpucontext_alive(ctx));
}

/* --- shared variables --- */

static void shared_values_live_anywhere(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  GpuArray start, in;
  float want_w[N], want_u[N];
  gg_func *f = NULL;

  (void)state;
  vector_in(&start, there, N);
  gg_var *w = gg_shared(g, "w", &start);
  gg_var *u = gg_shared_host(g, "u", GA_FLOAT, 1, (size_t[]){N}, data);
  assert_ptr_equal(gg_var_type(w)->ctx, there);
  assert_code(GA_VALUE_ERROR,
              gg_func_new(&f, g,
                          &(gg_func_spec){.inputs = GG_VARS(x),
                                          .updates = GG_UPDATES({w, x})}));
  assert_error("w is in ");
  /* Both new values come from both old ones. */
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .updates = GG_UPDATES(
                             {w, gg_add(w, gg_transfer(gg_add(u, x), there))},
                             {u, gg_transfer(w, here)})});
  vector_in(&in, here, N);
  for (size_t i = 0; i < N; i++)
    want_w[i] = want_u[i] = data[i];
  for (int k = 0; k < 3; k++) {
    func_run(f, (GpuArray *[]){&in}, NULL);
    for (size_t i = 0; i < N; i++) {
      const float old = want_w[i];

      want_w[i] += want_u[i] + data[i];
      want_u[i] = old;
    }
  }
  assert_shared(w, want_w, N);
  assert_shared(u, want_u, N);
  GpuArray_clear(&in);
  gg_func_free(f);
  assert_code(GA_VALUE_ERROR, gg_shared_set(u, &start));
  assert_error("shared u: the array is in another context (");
  assert_ok(gg_shared_set(w, &start));
  assert_shared(w, data, N);
  GpuArray_clear(&start);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(types_have_contexts),
      TEST(mixtures_are_errors),
      TEST(transfers_take_the_shortest_way),
      TEST(authors_bring_operands_together),
      TEST(contexts_that_are_gone_are_errors),
      TEST(functions_need_living_contexts),
      TEST(functions_move_nothing_unasked),
      TEST(contexts_have_names),
      TEST(names_keep_contexts),
      TEST(shared_values_live_anywhere),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
