/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays and geometries that do not fit each other: each message has the rule
 * and all shapes, and results are as before. */
#include <gpuarray/conv.h>

#include "support/device.h"

enum { OLD = 7 };

/* Sizes that are left out are those of `usual`, ranks are 3. */
typedef struct wrong {
  GpuConv c;
  ga_conv_part part;
  unsigned int x_nd;
  size_t x[4], w[4], y[4];
  const char *message;
} wrong;

static const size_t usual[3][3] = {{2, 4, 8}, {3, 4, 2}, {2, 3, 7}};

#define ONE(s, d, b, a, g)                                                     \
  { 1, {s}, {d}, {b}, {a}, g, 0 }

static const wrong cases[] = {
    {ONE(1, 1, 0, 0, 1), .w = {3, 5, 2},
     .message = "4 channels in 1 groups are 4 in each, filters have 5; x [2, "
                "4, 8], w [3, 5, 2], y [2, 3, 7]"},
    {ONE(1, 1, 0, 0, 3), .w = {3, 1, 2},
     .message = "4 channels are no multiple of 3 groups; x [2, 4, 8], w [3, 1, "
                "2], y [2, 3, 7]"},
    {ONE(1, 1, 0, 0, 2), .w = {3, 2, 2},
     .message = "3 filters are no multiple of 2 groups; x [2, 4, 8], w [3, 2, "
                "2], y [2, 3, 7]"},
    {ONE(1, 1, 0, 0, 1), .w = {3, 4, 0},
     .message =
         "dim 0: filters have size 0; x [2, 4, 8], w [3, 4, 0], y [2, 3, 7]"},
    {ONE(1, 4, 1, 0, 1), .w = {3, 4, 4}, .y = {2, 3, 1},
     .message =
         "dim 0: filters of 4 with dilation 4 span 13, the input of 8 with "
         "padding 1 and 0 has 9; x [2, 4, 8], w [3, 4, 4], y [2, 3, 1]"},
    {ONE(2, 1, 0, 0, 1),
     .message = "dim 0: input 8 and filters 2 give 4, the output has 7; x [2, "
                "4, 8], w [3, 4, 2], y [2, 3, 7]"},
    {ONE(1, 1, 0, 0, 1), .part = GA_CONV_INPUT, .y = {1, 3, 7},
     .message = "dim 0: 2 images of the input, 1 of the output; x [2, 4, 8], w "
                "[3, 4, 2], y [1, 3, 7]"},
    {ONE(1, 1, 0, 0, 1), .part = GA_CONV_FILTERS, .y = {2, 2, 7},
     .message = "dim 1: 3 filters, the output has 2 channels; x [2, 4, 8], w "
                "[3, 4, 2], y [2, 2, 7]"},
    {ONE(1, 1, 0, 0, 1), .x = {2, 4, 8, 1}, .x_nd = 4,
     .message = "x has 4 dimensions, expected 3; x [2, 4, 8, 1], w [3, 4, 2], "
                "y [2, 3, 7]"},
    {ONE(0, 1, 0, 0, 1), .message = "dim 0: stride is 0"},
    {ONE(1, 0, 0, 0, 1), .message = "dim 0: dilation is 0"},
    {ONE(1, 1, 0, 0, 0), .message = "0 groups"},
    {ONE(1, 1, SIZE_MAX, 0, 1),
     .message = "dim 0: stride 1, dilation 1, padding 18446744073709551615 and "
                "0: at most 536870911"},
    {.c.groups = 1, .message = "0 spatial dimensions, expected 1 to 3"},
};

/* An array of zeros, or of OLD if it is the result. */
static void make(GpuArray *a, unsigned int nd, const size_t *dims, int is_old) {
  float v[64];

  for (int i = 0; i < 64; i++)
    v[i] = is_old ? OLD : 0;
  test_array(a, GA_FLOAT, nd, dims, v);
}

static void check(const wrong *k) {
  const int order[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  const int *at = order[k->part];
  const size_t *const given[3] = {k->x, k->w, k->y};
  GpuArray v[3];
  GpuLaunch *l;
  float old[64];

  for (int i = 0; i < 3; i++)
    make(&v[i], i == 0 && k->x_nd > 0 ? k->x_nd : 3,
         given[i][0] > 0 ? given[i] : usual[i], i == at[2]);
  assert_code(GA_VALUE_ERROR,
              GpuConv_call(&k->c, k->part, &v[at[0]], &v[at[1]], &v[at[2]]));
  assert_string_equal(gpuarray_error_text(GA_VALUE_ERROR), k->message);
  assert_code(GA_VALUE_ERROR,
              GpuConv_prepare(&l, &k->c, k->part, &v[at[0]], &v[at[1]],
                              &v[at[2]], NULL, NULL));
  assert_null(l);
  for (int i = 0; i < 64; i++)
    old[i] = OLD;
  test_array_equal(&v[at[2]], old);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&v[i]);
}

static void test_shapes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check(&cases[i]);
}

/* Elements that are no floats, or not of one dtype. */
static void test_dtypes(void **state) {
  const GpuConv c = ONE(1, 1, 0, 0, 1);
  const int zero[1] = {0};
  GpuArray v, whole;

  (void)state;
  make(&v, 3, (const size_t[]){1, 1, 1}, 0);
  test_array(&whole, GA_INT, 3, (const size_t[]){1, 1, 1}, zero);
  assert_code(GA_INVALID_ERROR,
              GpuConv_call(&c, GA_CONV_FORWARD, &whole, &whole, &whole));
  assert_message(GA_INVALID_ERROR, "x is int32, expected a float dtype");
  assert_code(GA_VALUE_ERROR,
              GpuConv_call(&c, GA_CONV_FORWARD, &v, &whole, &v));
  assert_message(GA_VALUE_ERROR, "w: expected float32, got int32");
  GpuArray_clear(&v);
  GpuArray_clear(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_dtypes),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
