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

static gg_var *alloc_open(gg_var *n) {
  return gg_alloc(open, 1, &n);
}

static gg_var *zeros(int dtype, unsigned int nd, gg_var *const *sizes) {
  return gg_alloc(gg_scalar(g, dtype, 0), nd, sizes);
}

static gg_var *image(gg_var *n) {
  return zeros(GA_FLOAT, 4, (gg_var *[]){one(), one(), one(), n});
}

static gg_var *sample(gg_var *n) {
  return gg_grid_sample(image(gg_i64(g, 2)), image(n), GA_RESIZE_LINEAR,
                        GG_OUTSIDE_ZERO, 0);
}

static gg_var *regions(gg_var *n) {
  const gg_regions r = {.rows = 1, .columns = 1, .ratio = 1, .scale = 1};
  gg_var *corners = zeros(GA_FLOAT, 2, (gg_var *[]){one(), n});

  return gg_roi_align(image(one()), corners,
                      zeros(GA_LONG, 1, (gg_var *[]){one()}), &r);
}

static gg_var *windows(gg_var *n) {
  const GpuPooling p = {
      .nd = 2, .size = {1, 2}, .stride = {1, 2}, .dilation = {1, 1}};

  return gg_neighbours_bordered(image(n), &p, GG_BORDERS_VALID);
}

static gg_var *shuffle(gg_var *n) {
  return gg_pixel_unshuffle(
      zeros(GA_FLOAT, 4, (gg_var *[]){one(), one(), n, n}), 2);
}

/* What is refused, with messages. `built` is NULL if only a call refuses it,
 * which knows all sizes; `called` is NULL if both say the same. */
typedef struct refusal {
  gg_var *(*make)(gg_var *n);
  int64_t n;
  int code;
  const char *built, *called;
} refusal;

#define NO_SIZE(sizes, dim, n)                                                 \
  "extent(" sizes "): dim " #dim ": " #n " is not a size"
#define NO_FAR(sizes, dim) NO_SIZE(sizes, dim, 4611686018427387904)
#define NO_RANGE NO_SIZE("int64", 0, 2305843009213693952) /* 2^61 or more */

static const refusal refusals[] = {
    {tile, -1, GA_VALUE_ERROR, "tile(float32[3]): -1 copies",
     NO_SIZE("int64, int64", 0, -1)},
    {tile, FAR, GA_VALUE_ERROR, NO_FAR("int64, int64", 0), NULL},
    {repeat, -2, GA_VALUE_ERROR, "repeat(float32[3]): -2 copies",
     NO_SIZE("int64, int64", 1, -2)},
    {repeat, FAR, GA_VALUE_ERROR, NO_FAR("int64, int64", 1), NULL},
    {alloc, -1, GA_VALUE_ERROR, NO_SIZE("int64, int64", 0, -1), NULL},
    {alloc, WIDE, GA_XLARGE_ERROR,
     "extent(int64, int64): the result is too large", NULL},
    {broadcast, -1, GA_VALUE_ERROR, NO_SIZE("int64, int64", 0, -1), NULL},
    {broadcast, FAR, GA_VALUE_ERROR, NO_FAR("int64, int64", 0), NULL},
    {stretch, 4, GA_VALUE_ERROR, NULL, "dim 0: expected 4, got 3"},
    {alloc_open, 4, GA_VALUE_ERROR, NULL, "dim 0: expected 4, got 3"},
    {alloc_open, 1, GA_VALUE_ERROR, NULL, "dim 0: expected 1, got 3"},
    {alloc_open, -1, GA_VALUE_ERROR, NO_SIZE("int64", 0, -1), NULL},
    {sample, 3, GA_VALUE_ERROR,
     "grid_sample(float32[1, 1, 1, 2], float32[1, 1, 1, 3]): expected 1 to 3 "
     "sizes, and as many coordinates",
     "dim 3: expected 2, got 3"},
    {regions, 5, GA_VALUE_ERROR, "[regions, 4], [regions]",
     "dim 1: expected 4, got 5"},
    {windows, 5, GA_VALUE_ERROR,
     "neighbours_bordered(float32[1, 1, 1, 5]): dim 1: windows of 2 elements, "
     "2 apart, leave 1 of the 5 elements with padding",
     "dim 3: expected 4, got 5"},
    {shuffle, 5, GA_VALUE_ERROR,
     "pixel_unshuffle(float32[1, 1, 5, 5]): dim 2: 5 is no multiple of 2",
     "25 elements do not fill 16"},
    {reshape, 4, GA_VALUE_ERROR,
     "reshape(float32[3]): 3 elements do not fill 4",
     "reshape_sizes(float32[3], int64, int64): 3 elements do not fill 4"},
    {reshape, -2, GA_VALUE_ERROR,
     "reshape_sizes(float32[3], int64, int64): dim 0: -2 is not a size", NULL},
    {part, 2, GA_VALUE_ERROR, "reshape(float32[3]): 3 elements do not fill 2",
     "reshape_sizes(float32[3], int64, int64): 3 elements do not fill 2"},
    {pad, FAR, GA_VALUE_ERROR, NULL, NO_FAR("int64", 0)},
    {pad_edge, FAR, GA_VALUE_ERROR, NULL, NO_RANGE},
    {eye, -1, GA_VALUE_ERROR, NO_SIZE("int64, int64", 0, -1), NULL},
    {eye, WIDE, GA_XLARGE_ERROR,
     "extent(int64, int64): the result is too large", NULL},
    {tri, -1, GA_VALUE_ERROR, NO_SIZE("int64, int64", 0, -1), NULL},
    {one_hot, -1, GA_VALUE_ERROR, NO_SIZE("int64", 0, -1), NULL},
    {linspace, -1, GA_VALUE_ERROR, NO_SIZE("int64", 0, -1), NULL},
    {logspace, -1, GA_VALUE_ERROR, NO_SIZE("int64", 0, -1), NULL},
    {vander, -1, GA_VALUE_ERROR, NO_SIZE("int64", 0, -1), NULL},
    {one_hot, FAR, GA_VALUE_ERROR, NO_FAR("int64", 0), NULL},
    {linspace, FAR, GA_VALUE_ERROR, NO_FAR("int64", 0), NULL},
    {vander, FAR, GA_VALUE_ERROR, NO_FAR("int64", 0), NULL},
    {arange, FAR, GA_VALUE_ERROR, NO_SIZE("int64", 0, 9007199254740992),
     NO_RANGE},
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
    {resize, -1, GA_VALUE_ERROR, NO_SIZE("int64", 0, -1), NULL},
    {resize, FAR, GA_VALUE_ERROR, NO_FAR("int64", 0), NULL},
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
    assert_says(i, err, r->code, gg_func_error(f),
                r->called != NULL ? r->called : r->built);
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
