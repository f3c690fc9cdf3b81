/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and numbers that only a call shows to be wrong: what is said of them,
 * with and without rewrites, and that the function works on. */
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"
#include "support/roundtrip.h"

enum { MOST = 16, N_INPUTS = 6 };

#define INPUTS                                                                 \
  "x = input float32[?]\ny = input float32[?]\ni = input int64[?]\n"           \
  "A = input float32[?, ?]\nI = input int64[?, ?]\nn = input int64\n"

/* z of the inputs: their sizes, the value of n, and the message, or NULL and
 * the number of elements of z. */
typedef struct clash {
  const char *z;
  size_t x, y, i, a[2], index[2];
  int64_t n;
  const char *message;
  size_t elements;
} clash;

static const clash clashes[] = {
    {"reshape{dims=[-1, 3]}(x)", .x = 4,
     .message = "4 elements do not divide by 3"},
    {"reshape{dims=[-1, 3]}(x)", .x = 6, .elements = 6},
    {"reshape{dims=[0, -1]}(x)", .x = 4,
     .message = "4 elements do not divide by 0"},
    {"reshape{dims=[0, -1]}(x)", .x = 0,
     .message = "0 elements do not divide by 0"},
    {"reshape{dims=[0, 5]}(x)", .x = 4, .message = "4 elements do not fill 0"},
    {"reshape{dims=[0, 5]}(x)", .x = 0, .elements = 0},
    {"reshape_like(A, x)", .a = {2, 3}, .x = 5,
     .message = "6 elements do not fill 5"},
    {"reshape_like(A, x)", .a = {2, 3}, .x = 6, .elements = 6},
    {"specify_shape{dims=[-1, 3]}(A)", .a = {2, 4},
     .message = "dim 1: expected 3, got 4"},
    {"index{axis=1, at=3}(A)", .a = {2, 3},
     .message = "index 3 is outside of size 3"},
    {"index{axis=1, at=-4}(A)", .a = {2, 3},
     .message = "index -4 is outside of size 3"},
    {"index_at{axis=0}(x, n)", .x = 3, .n = 3,
     .message = "index 3 is outside of size 3"},
    {"index_at{axis=0}(x, n)", .x = 3, .n = -3, .elements = 1},
    {"slice_at{axis=0}(x, n, n, n)", .x = 3, .message = "the step is 0"},
    {"slice_set_at{axis=0}(x, y, n, n, n)", .x = 3, .y = 3,
     .message = "the step is 0"},
    {"slice_set{axis=0, start=0, stop=2}(x, y)", .x = 4, .y = 3,
     .message = "dim 0: the value has 3, the slice 2"},
    {"slice_set{axis=0, start=0, stop=2}(x, y)", .x = 4, .y = 2, .elements = 4},
    {"take(x, i)", .x = 0, .i = 2, .message = "there are no rows to take"},
    {"take(A, i)", .a = {0, 3}, .i = 2, .message = "there are no rows to take"},
    {"take(A, i)", .a = {0, 0}, .i = 2, .elements = 0},
    {"take(x, i)", .x = 0, .i = 0, .elements = 0},
    {"take(x, i)", .x = 4, .i = 2, .elements = 2},
    {"take(A, I)", .a = {3, 2}, .index = {4, 3},
     .message = "dim 1: the indices have 3, expected 2"},
    {"take{axis=1}(A, I)", .a = {3, 2}, .index = {4, 3},
     .message = "dim 0: the indices have 4, expected 3"},
    {"put(x, i, y)", .x = 4, .i = 2, .y = 3,
     .message = "dim 0: the values have 3, expected 2"},
    {"put(x, i, y)", .x = 4, .i = 3, .y = 3, .elements = 4},
    {"put(A, I, A)", .a = {3, 2}, .index = {3, 2}, .elements = 6},
    {"put(A, I, A)", .a = {3, 2}, .index = {3, 4},
     .message = "dim 1: the indices have 4, expected 2"},
};

/* Zeros. */
static void argument(GpuArray *a, int dtype, unsigned int nd,
                     const size_t *dims) {
  static const int64_t zeros[MOST] = {0};

  test_array(a, dtype, nd, dims, zeros);
}

static void arguments(GpuArray *a, const clash *c) {
  argument(&a[0], GA_FLOAT, 1, &c->x);
  argument(&a[1], GA_FLOAT, 1, &c->y);
  argument(&a[2], GA_LONG, 1, &c->i);
  argument(&a[3], GA_FLOAT, 2, c->a);
  argument(&a[4], GA_LONG, 2, c->index);
  test_array(&a[5], GA_LONG, 0, NULL, &c->n);
}

static void check(const clash *c, gg_mode mode) {
  static const char *const names[N_INPUTS + 1] = {"x", "y", "i", "A",
                                                  "I", "n", NULL};
  char text[512];
  GpuArray a[N_INPUTS], out = {0}, *in[N_INPUTS];
  gg_var *inputs[N_INPUTS + 1] = {NULL};

  snprintf(text, sizeof text, INPUTS "z = %s\n", c->z);
  gg_graph *g = graph_of_text(test_context(), text);
  arguments(a, c);
  for (size_t i = 0; i < N_INPUTS; i++) {
    inputs[i] = gg_graph_find(g, names[i]);
    in[i] = &a[i];
  }
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = inputs,
                                   .outputs = GG_VARS(gg_graph_find(g, "z")),
                                   .flags = GG_ALLOW_UNUSED_INPUT,
                                   .mode = mode});
  const int err = gg_func_call(f, in, (GpuArray *[]){&out});
  if ((err == GA_NO_ERROR) != (c->message == NULL))
    fail_msg("%s: %s", c->z, err != 0 ? gg_func_error(f) : "no error");
  if (c->message != NULL && strstr(gg_func_error(f), c->message) == NULL)
    fail_msg("%s: %s", c->z, gg_func_error(f));
  if (c->message == NULL)
    assert_int_equal(test_size(&out), c->elements);
  for (size_t i = 0; i < N_INPUTS; i++)
    GpuArray_clear(&a[i]);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
}

static void test_clashes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof clashes / sizeof *clashes; i++) {
    check(&clashes[i], GG_NO_REWRITE);
    check(&clashes[i], GG_FAST_RUN);
  }
}

/* Builders that are composed of others give their name. */
static void test_names(void **state) {
  gg_graph *g = graph_of_text(test_context(), INPUTS);
  gg_var *x = gg_graph_find(g, "x"), *y = gg_graph_find(g, "y");
  gg_var *a = gg_graph_find(g, "A");
  const struct {
    gg_var *z;
    const char *message;
  } cases[] = {
      {gg_pad(x, (int64_t[]){1}, (int64_t[]){0}, GG_PAD_EDGE, NULL),
       "pad(float32[0]): sizes do not fit; computed as take("},
      {gg_median(x, 0),
       "median(float32[0]): sizes do not fit; computed as kth("},
      {gg_lexsort(2, (gg_var *[]){x, y}, 0),
       "lexsort(float32[0], float32[1]): keys have equal sizes; computed as "},
      {gg_einsum("i,i", 2, (gg_var *[]){x, y}),
       "einsum(float32[0], float32[1]): "},
      {gg_multi_dot(3, (gg_var *[]){y, a, y}),
       "multi_dot(float32[1], float32[2, 3], float32[1]): "},
      {gg_matrix_power(a, 2), "matrix_power(float32[2, 3]): "},
      {gg_matrix_power(a, 0), "matrix_power(float32[2, 3]): "},
  };
  const clash sizes = {.x = 0, .y = 1, .a = {2, 3}};
  GpuArray in[N_INPUTS], out = {0};

  (void)state;
  arguments(in, &sizes);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y, a),
                                              .outputs = GG_VARS(cases[i].z),
                                              .flags = GG_ALLOW_UNUSED_INPUT});
    const int err = gg_func_call(f, (GpuArray *[]){&in[0], &in[1], &in[3]},
                                 (GpuArray *[]){&out});
    assert_int_equal(err, GA_VALUE_ERROR);
    if (strstr(gg_func_error(f), cases[i].message) == NULL)
      fail_msg("%s", gg_func_error(f));
    gg_func_free(f);
  }
  for (size_t i = 0; i < N_INPUTS; i++)
    GpuArray_clear(&in[i]);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_clashes),
                                     cmocka_unit_test(test_names)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
