/* SPDX-License-Identifier: BSD-2-Clause */
/* Augmentations: which versions of an image come out, and how often. */
#include "support/device.h"
#include "support/graph_case.h"

#include <gpugraph/nn.h>
#include <string.h>

enum { N = 64, ROWS = 3, COLUMNS = 4 };

static float images[N][ROWS][COLUMNS];
static gg_params *p;
static gg_var *x;

static int setup(void **state) {
  for (int i = 0; i < N; i++)
    for (int r = 0; r < ROWS; r++)
      for (int c = 0; c < COLUMNS; c++)
        images[i][r][c] = (float)(100 * i + 10 * r + c + 1);
  graph_setup(state);
  p = gg_params_new(g, GA_FLOAT, 3);
  x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){GG_ANY, ROWS, COLUMNS});
  return 0;
}

static int teardown(void **state) {
  gg_params_free(p);
  return graph_teardown(state);
}

/* Call a function of the images; `n` elements of the result. */
static void call(gg_var *y, float *got, size_t n) {
  gg_host_array in = {.dtype = GA_FLOAT,
                      .nd = 3,
                      .dims = {N, ROWS, COLUMNS},
                      .data = images},
                result = {.data = got, .bytes = n * sizeof *got};
  gg_func *f;

  if (gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x),
                                  .outputs = GG_VARS(y),
                                  .updates = gg_random_updates(
                                      gg_params_random(p), NULL)}) !=
      GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  assert_ok(gg_func_call_host(f, (const gg_host_array *[]){&in},
                              (gg_host_array *[]){&result}));
  assert_int_equal(result.dims[0] * result.dims[1] * result.dims[2], n);
  gg_func_free(f);
}

/* --- flips --- */

static void images_are_flipped_by_themselves(void **state) {
  float got[N][ROWS][COLUMNS];
  int flipped = 0;

  (void)state;
  call(gg_nn_random_flip(p, x, -1, 0.5), &got[0][0][0], N * ROWS * COLUMNS);
  for (int i = 0; i < N; i++) {
    const int is_flipped = got[i][0][0] != images[i][0][0];
    flipped += is_flipped;
    for (int r = 0; r < ROWS; r++)
      for (int c = 0; c < COLUMNS; c++)
        assert_true(got[i][r][c] ==
                    images[i][r][is_flipped ? COLUMNS - 1 - c : c]);
  }
  assert_in_range(flipped, N / 5, N - N / 5);
}

static void flips_of_probability_1_are_certain(void **state) {
  float got[N][ROWS][COLUMNS];

  (void)state;
  test_need_full();
  call(gg_nn_random_flip(p, x, 1, 1), &got[0][0][0], N * ROWS * COLUMNS);
  for (int i = 0; i < N; i++)
    assert_memory_equal(got[i][0], images[i][ROWS - 1], sizeof got[i][0]);
}

/* --- crops --- */

/* Each image is one window of the padded one; all windows occur. */
static void crops(size_t size, size_t padding) {
  float got[N * ROWS * 8];
  const int windows = (int)(COLUMNS + 2 * padding - size) + 1;
  int seen[16] = {0};

  call(gg_nn_random_crop(p, x, 2, size, padding), got, N * ROWS * size);
  for (int i = 0; i < N; i++) {
    int w = 0, fits = 0;
    for (; w < windows && !fits; w++) {
      fits = 1;
      for (size_t k = 0; k < ROWS * size; k++) {
        const int c = w + (int)(k % size) - (int)padding;
        const float want = c >= 0 && c < COLUMNS ? images[i][k / size][c] : 0;
        fits = fits && got[(size_t)i * ROWS * size + k] == want;
      }
    }
    assert_true(fits);
    seen[w - 1]++;
  }
  for (int w = 0; w < windows; w++)
    assert_true(seen[w] > 0);
}

static void crops_are_windows_of_padded_images(void **state) {
  (void)state;
  crops(COLUMNS, 1);
  crops(2, 0);
}

static void crops_may_be_larger_than_images(void **state) {
  (void)state;
  test_need_full();
  crops(6, 2);
}

static void inference_crops_the_middle(void **state) {
  float got[N * ROWS * 6];

  (void)state;
  gg_params_training(p, 0);
  assert_ptr_equal(gg_nn_random_flip(p, x, 1, 1), x);
  assert_ptr_equal(gg_nn_random_crop(p, x, 2, 0, 3), x);
  call(gg_nn_random_crop(p, x, 2, 2, 0), got, N * ROWS * 2);
  assert_memory_equal(got, &images[0][0][1], 2 * sizeof *got);
  call(gg_nn_random_crop(p, x, 2, 6, 2), got, N * ROWS * 6);
  assert_true(got[0] == 0 && got[5] == 0);
  assert_memory_equal(got + 1, images[0][0], 4 * sizeof *got);
}

/* Bytes are cropped as they are, and gradients lie where elements came from. */
static void crops_have_gradients_and_any_dtype(void **state) {
  float got[N][ROWS][COLUMNS];

  (void)state;
  gg_var *bytes = gg_nn_random_crop(p, gg_cast(x, GA_UBYTE), 1, 0, 1);
  assert_int_equal(gg_var_type(bytes)->dtype, GA_UBYTE);
  gg_params_training(p, 0);
  gg_var *y = gg_sum(gg_nn_random_crop(p, x, 2, 2, 0)), *grad;
  assert_ok(gg_grad(&grad, y, 1, &x));
  call(grad, &got[0][0][0], N * ROWS * COLUMNS);
  for (int c = 0; c < COLUMNS; c++)
    assert_true(got[5][1][c] == (c == 1 || c == 2));
}

/* --- what is refused --- */

static void bad_augmentations_are_refused(void **state) {
  gg_var *open = gg_input(g, "open", GA_FLOAT, 2);

  (void)state;
  assert_null(gg_nn_random_flip(p, NULL, 1, 0.5));
  graph_says(GA_VALUE_ERROR, "the operand is NULL");
  assert_null(gg_nn_random_crop(p, NULL, 1, 1, 1));
  graph_says(GA_VALUE_ERROR, "the operand is NULL");
  assert_null(gg_nn_random_flip(NULL, x, 1, 0.5));
  graph_says(GA_VALUE_ERROR, "the group of parameters is NULL");
  assert_null(gg_nn_random_flip(p, x, 0, 0.5));
  graph_says(GA_VALUE_ERROR, "axis 0, expected one behind the first");
  assert_null(gg_nn_random_flip(p, x, 3, 0.5));
  graph_says(GA_VALUE_ERROR, "axis 3, expected one behind the first");
  assert_null(gg_nn_random_flip(p, open, 1, 0.5));
  graph_says(GA_VALUE_ERROR, "the size of axis 1 is not known");
  assert_null(gg_nn_random_flip(p, x, 1, 1.5));
  graph_says(GA_VALUE_ERROR, "the probability is 1.5");
  assert_null(gg_nn_random_crop(p, x, 2, 7, 1));
  graph_says(GA_VALUE_ERROR, "7 elements of 4 with a padding of 1");
  assert_null(gg_nn_random_crop(p, x, 2, 1, SIZE_MAX));
  graph_says(GA_VALUE_ERROR, "1 elements of 4 with a padding of");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(images_are_flipped_by_themselves),
                                     TEST(flips_of_probability_1_are_certain),
                                     TEST(crops_are_windows_of_padded_images),
                                     TEST(crops_may_be_larger_than_images),
                                     TEST(inference_crops_the_middle),
                                     TEST(crops_have_gradients_and_any_dtype),
                                     TEST(bad_augmentations_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
