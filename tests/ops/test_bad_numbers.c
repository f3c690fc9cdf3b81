/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that builders of sizes, bounds and counts refuse: as constants when
 * the graph is built, and the same numbers in a call. */
#include <string.h>

#include "support/graph_case.h"

#define FAR (INT64_C(1) << 62)
#define WIDE (INT64_C(1) << 32)

static gg_var *x, *k, *open; /* float32[3], int64[3], float32[?] */

static gg_var *one(void) {
  return gg_i64(g, 1);
}

static gg_var *tile(gg_var *n) {
  return gg_tile_sizes(x, 1, &n);
}

static gg_var *repeat(gg_var *n) {
  return gg_repeat_sizes(x, 0, n);
}

static gg_var *alloc(gg_var *n) {
  return gg_alloc(gg_sum(x), 2, (gg_var *[]){n, n});
}

static gg_var *broadcast(gg_var *n) {
  return gg_broadcast_sizes(x, 2, (gg_var *[]){n, gg_i64(g, 3)});
}

static gg_var *stretch(gg_var *n) {
  return gg_broadcast_sizes(open, 1, &n);
}

static gg_var *reshape(gg_var *n) {
  return gg_reshape_sizes(x, 2, (gg_var *[]){n, one()});
}

static gg_var *pad(gg_var *n) {
  return gg_pad_sizes(x, &n, (gg_var *[]){NULL}, GG_PAD_CONSTANT, NULL);
}

static gg_var *pad_edge(gg_var *n) {
  return gg_pad_sizes(x, &n, (gg_var *[]){NULL}, GG_PAD_EDGE, NULL);
}

static gg_var *eye(gg_var *n) {
  return gg_eye(n, n, 0, GA_FLOAT);
}

static gg_var *tri(gg_var *n) {
  return gg_tri(n, one(), 0, GA_FLOAT);
}

static gg_var *one_hot(gg_var *n) {
  return gg_one_hot(k, n, GA_FLOAT);
}

static gg_var *linspace(gg_var *n) {
  return gg_linspace(gg_f32(g, 0), gg_f32(g, 1), n);
}

static gg_var *vander(gg_var *n) {
  return gg_vander(x, n, 0);
}

static gg_var *arange(gg_var *n) {
  return gg_arange(gg_i64(g, 0), n, one());
}

static gg_var *index(gg_var *n) {
  return gg_index_at(x, 0, n);
}

static gg_var *slice_step(gg_var *n) {
  return gg_slice_at(x, 0, NULL, NULL, n);
}

static gg_var *slice_set(gg_var *n) {
  return gg_slice_set_at(x, 0, NULL, NULL, n, gg_f32(g, 0));
}

static gg_var *part(gg_var *n) {
  gg_var *parts[2];

  return gg_split_bounds(gg_reshape_sizes(x, 2, (gg_var *[]){n, one()}), 0, 1,
                         &n, parts) == GA_NO_ERROR
             ? parts[1]
             : NULL;
}

static gg_var *logspace(gg_var *n) {
  return gg_logspace(gg_f32(g, 0), gg_f32(g, 1), n, 10);
}

static gg_var *resize(gg_var *n) {
  const GpuResize how = {.mode = GA_RESIZE_NEAREST};

  return gg_resize(x, 1, &how, &n);
}

/* What is refused, with messages. `built` is NULL if only a call refuses it,
 * which knows all sizes. */
typedef struct refusal {
  gg_var *(*make)(gg_var *n);
  int64_t n;
  int code;
  const char *built, *called;
} refusal;

static const refusal refusals[] = {
    {tile, -1, GA_VALUE_ERROR, "tile(float32[3]): -1 copies",
     "extent(int64, int64): dim 0: -1 is not a size"},
    {tile, FAR, GA_VALUE_ERROR,
     "extent(int64, int64): dim 0: 4611686018427387904 is not a size",
     "extent(int64, int64): dim 0: 4611686018427387904 is not a size"},
    {repeat, -2, GA_VALUE_ERROR, "repeat(float32[3]): -2 copies",
     "extent(int64, int64): dim 1: -2 is not a size"},
    {repeat, FAR, GA_VALUE_ERROR,
     "extent(int64, int64): dim 1: 4611686018427387904 is not a size",
     "extent(int64, int64): dim 1: 4611686018427387904 is not a size"},
    {alloc, -1, GA_VALUE_ERROR, "extent(int64, int64): dim 0: -1 is not a size",
     "extent(int64, int64): dim 0: -1 is not a size"},
    {alloc, WIDE, GA_XLARGE_ERROR,
     "extent(int64, int64): the result is too large",
     "extent(int64, int64): the result is too large"},
    {broadcast, -1, GA_VALUE_ERROR,
     "extent(int64, int64): dim 0: -1 is not a size",
     "extent(int64, int64): dim 0: -1 is not a size"},
    {broadcast, FAR, GA_VALUE_ERROR,
     "extent(int64, int64): dim 0: 4611686018427387904 is not a size",
     "extent(int64, int64): dim 0: 4611686018427387904 is not a size"},
    {stretch, 4, GA_VALUE_ERROR, NULL, "dim 0: expected 4, got 3"},
    {reshape, 4, GA_VALUE_ERROR,
     "reshape(float32[3]): 3 elements do not fill 4",
     "reshape_sizes(float32[3], int64, int64): 3 elements do not fill 4"},
    {reshape, -2, GA_VALUE_ERROR,
     "reshape_sizes(float32[3], int64, int64): dim 0: -2 is not a size",
     "reshape_sizes(float32[3], int64, int64): dim 0: -2 is not a size"},
    {part, 2, GA_VALUE_ERROR, "reshape(float32[3]): 3 elements do not fill 2",
     "reshape_sizes(float32[3], int64, int64): 3 elements do not fill 2"},
    {pad, FAR, GA_VALUE_ERROR, NULL,
     "extent(int64): dim 0: 4611686018427387904 is not a size"},
    {pad_edge, FAR, GA_VALUE_ERROR, NULL,
     "extent(int64): dim 0: 4611686018427387904 is not a size"},
    {eye, -1, GA_VALUE_ERROR, "extent(int64, int64): dim 0: -1 is not a size",
     "extent(int64, int64): dim 0: -1 is not a size"},
    {eye, WIDE, GA_XLARGE_ERROR,
     "extent(int64, int64): the result is too large",
     "extent(int64, int64): the result is too large"},
    {tri, -1, GA_VALUE_ERROR, "extent(int64, int64): dim 0: -1 is not a size",
     "extent(int64, int64): dim 0: -1 is not a size"},
    {one_hot, -1, GA_VALUE_ERROR, "extent(int64): dim 0: -1 is not a size",
     "extent(int64): dim 0: -1 is not a size"},
    {linspace, -1, GA_VALUE_ERROR, "extent(int64): dim 0: -1 is not a size",
     "extent(int64): dim 0: -1 is not a size"},
    {logspace, -1, GA_VALUE_ERROR, "extent(int64): dim 0: -1 is not a size",
     "extent(int64): dim 0: -1 is not a size"},
    {vander, -1, GA_VALUE_ERROR, "extent(int64): dim 0: -1 is not a size",
     "extent(int64): dim 0: -1 is not a size"},
    {one_hot, FAR, GA_VALUE_ERROR,
     "extent(int64): dim 0: 4611686018427387904 is not a size",
     "extent(int64): dim 0: 4611686018427387904 is not a size"},
    {linspace, FAR, GA_VALUE_ERROR,
     "extent(int64): dim 0: 4611686018427387904 is not a size",
     "extent(int64): dim 0: 4611686018427387904 is not a size"},
    {vander, FAR, GA_VALUE_ERROR,
     "extent(int64): dim 0: 4611686018427387904 is not a size",
     "extent(int64): dim 0: 4611686018427387904 is not a size"},
    {arange, FAR, GA_VALUE_ERROR,
     "extent(int64): dim 0: 9007199254740992 is not a size",
     "extent(int64): dim 0: 4611686018427387904 is not a size"},
    {index, 3, GA_VALUE_ERROR,
     "index(float32[3]): index 3 is outside of size 3",
     "index_at(float32[3], int64): index 3 is outside of size 3"},
    {index, -4, GA_VALUE_ERROR,
     "index(float32[3]): index -4 is outside of size 3",
     "index_at(float32[3], int64): index -4 is outside of size 3"},
    {slice_step, 0, GA_VALUE_ERROR, "slice(float32[3]): the step must not be 0",
     "slice_at(float32[3], int64, int64, int64): the step is 0"},
    {slice_set, 0, GA_VALUE_ERROR, "slice(float32[3]): the step must not be 0",
     "slice_at(float32[3], int64, int64, int64): the step is 0"},
    {resize, -1, GA_VALUE_ERROR, "extent(int64): dim 0: -1 is not a size",
     "extent(int64): dim 0: -1 is not a size"},
    {resize, FAR, GA_VALUE_ERROR,
     "extent(int64): dim 0: 4611686018427387904 is not a size",
     "extent(int64): dim 0: 4611686018427387904 is not a size"},
};

static void assert_says(size_t i, int code, int want, const char *message,
                        const char *part) {
  if (code != want || strstr(message, part) == NULL)
    fail_msg("%zu: %d, expected %d: %s", i, code, want, message);
}

static void constants_are_refused_when_the_graph_is_built(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const refusal *r = &refusals[i];
    const int is_refused = r->make(gg_i64(g, r->n)) == NULL;

    assert_int_equal(is_refused, r->built != NULL);
    if (is_refused)
      assert_says(i, gg_graph_status(g), r->code, gg_graph_error(g), r->built);
    gg_graph_reset_error(g);
  }
}

static void the_same_numbers_are_refused_in_a_call(void **state) {
  const int64_t at[3] = {0, 1, 2};
  const size_t three = 3;
  GpuArray positions, number;

  (void)state;
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  float_vector(&a, 3, (float[]){1, 2, 3});
  test_array(&positions, GA_LONG, 1, &three, at);
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const refusal *r = &refusals[i];
    gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, open, k, n),
                                              .outputs = GG_VARS(r->make(n)),
                                              .flags = GG_ALLOW_UNUSED_INPUT});
    test_array(&number, GA_LONG, 0, NULL, &r->n);
    const int err = gg_func_call(f, (GpuArray *[]){&a, &a, &positions, &number},
                                 (GpuArray *[]){&out});
    assert_says(i, err, r->code, gg_func_error(f), r->called);
    assert_null(out.data);
    GpuArray_clear(&number);
    gg_func_free(f);
  }
  GpuArray_clear(&positions);
}

static int setup(void **state) {
  const int64_t three = 3;

  if (graph_setup(state) != 0)
    return 1;
  x = gg_input_sized(g, "x", GA_FLOAT, 1, &three);
  k = gg_input_sized(g, "k", GA_LONG, 1, &three);
  open = gg_input(g, "open", GA_FLOAT, 1);
  return 0;
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(constants_are_refused_when_the_graph_is_built),
      TEST(the_same_numbers_are_refused_in_a_call),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
