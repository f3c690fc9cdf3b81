/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops of models beside plain loops, where ONNX's own tests have few cases:
 * transforms, n-grams, random numbers. */
#include <math.h>
#include <string.h>

#include "support/device.h"
#include "support/lcg.h"
#include "support/onnx_trial.h"

#define PI 3.14159265358979323846

/* --- transforms --- */

/* Frequencies of n elements of x, which lie `step` numbers apart and have
 * `parts` numbers, in y as pairs; elements from n on are 0. */
static void plain_dft(const float *x, int n, int step, int parts, int length,
                      int m, double sign, float *y, int y_step) {
  for (int k = 0; k < m; k++) {
    double re = 0, im = 0;
    for (int j = 0; j < n && j < length; j++) {
      const double angle = -sign * 2 * PI * j * k / length;
      const double a = (double)x[j * step];
      const double b = parts == 2 ? (double)x[j * step + 1] : 0;
      re += a * cos(angle) - b * sin(angle);
      im += a * sin(angle) + b * cos(angle);
    }
    y[k * y_step] = (float)(sign < 0 ? re / length : re);
    y[k * y_step + 1] = (float)(sign < 0 ? im / length : im);
  }
}

typedef struct wave {
  int parts, length, inverse, onesided;
} wave;

static void check_dft(const wave *w, uint64_t seed) {
  enum { ROWS = 2, SIZE = 5, COLUMNS = 3 };
  const int m = w->onesided ? w->length / 2 + 1 : w->length;
  const int64_t length = w->length, axis = 1;
  float x[ROWS * SIZE * COLUMNS * 2], y[MOST];
  message attrs = {.n = 0}, inverse = number("inverse", w->inverse),
          half = number("onesided", w->onesided);

  for (size_t i = 0; i < sizeof x / sizeof *x; i++)
    x[i] = (float)lcg_below(&seed, 2001) / 1000 - 1;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      plain_dft(x + (i * SIZE * COLUMNS + j) * w->parts, SIZE,
                COLUMNS * w->parts, w->parts, w->length, m, w->inverse ? -1 : 1,
                y + (i * m * COLUMNS + j) * 2, COLUMNS * 2);
  put_message(&attrs, 5, &inverse);
  put_message(&attrs, 5, &half);
  trial t = trial_new("DFT", "a n k", "y", &attrs);
  put_elements(&t.graph, "n", 7, 0, 1, &length);
  put_elements(&t.graph, "k", 7, 0, 1, &axis);
  GIVE(&t, x, ROWS, SIZE, COLUMNS, (size_t)w->parts);
  run(&t, 20);
  assert_output(&t, 0, (size_t)(ROWS * m * COLUMNS * 2), y);
}

static void test_dft(void **state) {
  static const wave waves[] = {
      {1, 5, 0, 0}, {2, 4, 0, 0}, {1, 8, 0, 1}, {2, 7, 1, 0}};

  (void)state;
  for (size_t i = 0; i < sizeof waves / sizeof *waves; i++)
    check_dft(&waves[i], i + 1);
}

/* Frames of 4 in steps of 3, with a window; the rest of the signal is not
 * read. */
static void test_stft(void **state) {
  enum { SIZE = 12, LENGTH = 4, STEP = 3, FRAMES = 3, HALF = 3 };
  const int64_t step = STEP;
  const float window[LENGTH] = {0.5f, 1, 2, 0.25f};
  float x[SIZE], y[FRAMES * HALF * 2], part[LENGTH];
  uint64_t seed = 5;

  (void)state;
  for (int i = 0; i < SIZE; i++)
    x[i] = (float)lcg_below(&seed, 2001) / 1000 - 1;
  for (int f = 0; f < FRAMES; f++) {
    for (int i = 0; i < LENGTH; i++)
      part[i] = x[f * STEP + i] * window[i];
    plain_dft(part, LENGTH, 1, 1, LENGTH, HALF, 1, y + f * HALF * 2, 2);
  }
  trial t = trial_new("STFT", "a s b", "y", NULL);
  put_elements(&t.graph, "s", 7, 0, 1, &step);
  GIVE(&t, x, 1, SIZE, 1);
  GIVE(&t, window, LENGTH);
  run(&t, 17);
  assert_output(&t, 0, FRAMES * HALF * 2, y);
}

static void test_transforms_refused(void **state) {
  const float x[8] = {0};
  message attrs = {.n = 0}, half = number("onesided", 1);

  (void)state;
  put_message(&attrs, 5, &half);
  trial t = trial_new("DFT", "a", "y", &attrs);
  GIVE(&t, x, 1, 4, 2);
  refuse(&t, GA_VALUE_ERROR, "onesided, but the signal is complex");
  t = trial_new("DFT", "a", "y", NULL);
  GIVE(&t, x, 2, 4);
  refuse(&t, GA_VALUE_ERROR, "size 4, expected 1 or 2");
}

/* A slice up to -2 would be a part of the signal. */
static void test_lengths_refused(void **state) {
  static const int64_t lengths[] = {-2, 0, 1};
  const float x[8] = {0};

  (void)state;
  trial t = trial_new("DFT", "a n", "y", NULL);
  put_elements(&t.graph, "n", 7, 0, 1, &lengths[0]);
  GIVE(&t, x, 1, 8, 1);
  refuse(&t, GA_VALUE_ERROR, "the length is -2");
  for (int i = 0; i < 2; i++) {
    t = trial_new("STFT", "a s - n", "y", NULL);
    put_elements(&t.graph, "s", 7, 0, 1, &lengths[1 + i]);
    put_elements(&t.graph, "n", 7, 0, 1, &lengths[2 - i]);
    GIVE(&t, x, 1, 8, 1);
    refuse(&t, GA_VALUE_ERROR, i == 0 ? "the step is 0" : "the length is 0");
  }
}

/* --- grids --- */

/* The only position along an axis of one element is its middle. */
static void test_affine_grid(void **state) {
  static const float theta[] = {2, 0, 0.5f, 0, 3, 0.25f};
  static const int64_t sizes[] = {1, 1, 1, 3};
  message attrs = {.n = 0}, corners = number("align_corners", 1);

  (void)state;
  put_message(&attrs, 5, &corners);
  trial t = trial_new("AffineGrid", "a n", "y", &attrs);
  put_elements(&t.graph, "n", 7, 1, 4, sizes);
  GIVE(&t, theta, 1, 2, 3);
  run(&t, 20);
  EXPECT(&t, 0, -1.5f, 0.25f, 0.5f, 0.25f, 2.5f, 0.25f);
  t = trial_new("AffineGrid", "a n", "y", &attrs);
  put_elements(&t.graph, "n", 7, 1, 4, sizes);
  GIVE(&t, theta, 1, 6);
  refuse(&t, GA_VALUE_ERROR, "and 2 dimensions, expected 3");
}

/* --- n-grams --- */

static trial ngrams(const char *mode, const int64_t *counts) {
  static const float weights[] = {2, 3, 4, 5};
  message attrs = {.n = 0}, longest = number("max_gram_length", 2),
          skip = number("max_skip_count", 1);

  put_word(&attrs, "mode", mode);
  put_message(&attrs, 5, &longest);
  put_message(&attrs, 5, &skip);
  put_numbers(&attrs, "ngram_counts", 2, counts);
  NUMBERS(&attrs, "ngram_indexes", 3, 0, 1, 4);
  NUMBERS(&attrs, "pool_int64s", 7, 8, 1, 2, 2, 1); /* 7, 8, (1 2), (2 1) */
  put_floats(&attrs, "weights", 4, weights);
  return trial_new("TfIdfVectorizer", "a", "y", &attrs);
}

static void test_ngrams(void **state) {
  /* (1 2) at once twice and over one item once, (2 1) over one item once. */
  static const int32_t text[] = {1, 2, 7, 1, 2, 7, 7};
  static const int64_t good[] = {0, 2}, odd[] = {0, 3};

  (void)state;
  trial t = ngrams("TF", good);
  give(&t, GA_INT, 1, (size_t[]){7}, text);
  run(&t, 9);
  EXPECT(&t, 0, 0, 2, 0, 3, 1);
  t = ngrams("IDF", good);
  give(&t, GA_INT, 1, (size_t[]){7}, text);
  run(&t, 9);
  EXPECT(&t, 0, 0, 4, 0, 2, 5);
  t = ngrams("TFIDF", good);
  give(&t, GA_INT, 1, (size_t[]){7}, text);
  run(&t, 9);
  EXPECT(&t, 0, 0, 8, 0, 6, 5);
  t = ngrams("TF", odd);
  give(&t, GA_INT, 1, (size_t[]){7}, text);
  refuse(&t, GA_VALUE_ERROR, "2-grams are items 3 to 6 of 6");
}

/* --- pools and resizing --- */

/* Positions in all of the input, counted along columns. */
static void test_pool_positions(void **state) {
  static const float x[] = {1, 2, 3, 9, 5, 6, 7, 8, 4, 3, 2, 1};
  static const int64_t want[] = {1, 5, 8, 8};
  message attrs = {.n = 0}, by_column = number("storage_order", 1);

  (void)state;
  NUMBERS(&attrs, "kernel_shape", 2, 2);
  put_message(&attrs, 5, &by_column);
  trial t = trial_new("MaxPool", "a", "y z", &attrs);
  t.n_out = 2;
  GIVE(&t, x, 1, 2, 2, 3);
  run(&t, 12);
  EXPECT(&t, 0, 9, 6, 8, 8);
  assert_memory_equal(t.got[1], want, sizeof want);
}

/* A region beyond the input, which is one axis of an open batch. */
static void test_resize(void **state) {
  static const int64_t size = 4, from = 0, to = 2;
  static const float x[] = {1, 3, 5, 2, 4, 6};
  static const float region[] = {0, 0, 0.5f, 1, 1, 1.5f};
  message attrs = {.n = 0}, join = number("axis", 0);
  trial t = {.n_out = 1, .open_batch = 1};

  (void)state;
  put_elements(&t.graph, "n", 7, 1, 1, &size);
  put_elements(&t.graph, "f", 7, 1, 1, &from);
  put_elements(&t.graph, "t", 7, 1, 1, &to);
  put_tensor(&t.graph, "r", 6, region, sizeof region);
  put_node(&t.graph, "Shape", "a", "s", NULL);
  put_node(&t.graph, "Slice", "s f t", "k", NULL);
  put_node(&t.graph, "Concat", "k n", "w", &join);
  put_word(&attrs, "mode", "linear");
  put_word(&attrs, "coordinate_transformation_mode", "tf_crop_and_resize");
  put_float(&attrs, "extrapolation_value", 10);
  put_node_in(&t.graph, 1, "Resize", "a r - w", "y", &attrs);
  GIVE(&t, x, 2, 1, 3);
  run(&t, 18);
  /* Positions 1, 5/3, 7/3 and 3 of 0 ... 2. */
  EXPECT(&t, 0, 3, 13.0f / 3, 10, 10, 4, 16.0f / 3, 10, 10);
}

static void test_upsample(void **state) {
  static const float x[] = {1, 2, 3, 4}, scales[] = {1, 1, 1.5f, 2};
  message attrs = {.n = 0};

  (void)state;
  put_floats(&attrs, "scales", 4, scales);
  trial t = trial_new("Upsample", "a", "y", &attrs);
  GIVE(&t, x, 1, 1, 2, 2);
  run(&t, 7);
  EXPECT(&t, 0, 1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4);
  t = trial_new("Upsample", "a", "y", &attrs);
  GIVE(&t, x, 2, 2);
  refuse(&t, GA_UNSUPPORTED_ERROR, "attribute \"scales\" is not supported");
}

/* The larger halves of a region of 2 x 3 elements, and one outside. */
static void test_max_roi_pool(void **state) {
  static const float x[] = {1, 5, 2, 3, 4, 0, 7, 9},
                     out[] = {0, 20, 20, 30, 30};
  static const float rois[] = {0, 0, 0, 4, 2};
  static const int64_t bins[] = {1, 2}, three[] = {1, 2, 3};

  (void)state;
  for (int k = 0; k < 3; k++) {
    message attrs = {.n = 0};

    put_float(&attrs, "spatial_scale", 0.5);
    put_numbers(&attrs, "pooled_shape", k == 2 ? 3 : 2, k == 2 ? three : bins);
    trial t = trial_new("MaxRoiPool", "a b", "y", &attrs);
    GIVE(&t, x, 1, 1, 2, 4);
    give(&t, GA_FLOAT, 2, (size_t[]){1, 5}, k == 1 ? out : rois);
    if (k == 2) {
      refuse(&t, GA_VALUE_ERROR, "pooled_shape has 3 sizes");
      continue;
    }
    run(&t, 1);
    if (k == 0)
      EXPECT(&t, 0, 5, 7);
    else
      EXPECT(&t, 0, 0, 0);
  }
}

/* Attributes that are none of the words for them. */
static void test_words(void **state) {
  static const float x[] = {1, 2};
  static const int64_t pads[6] = {1};
  static const char *const cases[][4] = {
      {"Resize", "a", "mode", "area"},
      {"Resize", "a", "nearest_mode", "up"},
      {"Pad", "a p", "mode", "mirror"},
      {"GridSample", "a a", "padding_mode", "wrap"},
      {"ScatterND", "a a a", "reduction", "or"},
      {"MaxPool", "a", "auto_pad", "SAME"}};
  char want[64];

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    message attrs = {.n = 0};

    put_word(&attrs, cases[i][2], cases[i][3]);
    snprintf(want, sizeof want, "%s is \"%s\"", cases[i][2], cases[i][3]);
    trial t = trial_new(cases[i][0], cases[i][1], "y", &attrs);
    put_elements(&t.graph, "p", 7, 1, 6, pads);
    GIVE(&t, x, 1, 1, 2);
    refuse(&t, GA_VALUE_ERROR, want);
  }
}

/* --- loops that end early --- */

/* A loop that doubles a while that is below 10. `in` are its inputs, `out` its
 * outputs: the last value and, if named, the rows of all. */
static trial doubling(const char *in, const char *out) {
  static const float ten = 10;
  static const int64_t most = 100;
  message body = {.n = 0}, attr = {.n = 0}, attrs = {.n = 0};

  put_typed(&body, 11, "i", 7, 0, NULL);
  put_typed(&body, 11, "c", 9, 0, NULL);
  put_typed(&body, 11, "v", 1, 0, NULL);
  put_node(&body, "Add", "v v", "w", NULL);
  put_node(&body, "Less", "w ten", "go", NULL);
  put_typed(&body, 12, "go", 9, 0, NULL);
  put_typed(&body, 12, "w", 1, 0, NULL);
  put_node(&body, "Neg", "w", "row", NULL);
  if (strchr(out, ' ') != NULL)
    put_typed(&body, 12, "row", 1, 0, NULL);
  put_text(&attr, 1, "body");
  put_message(&attr, 6, &body);
  put_int(&attr, 20, 5);
  put_message(&attrs, 5, &attr);
  trial t = {.n_out = strchr(out, ' ') != NULL ? 2 : 1};
  put_elements(&t.graph, "ten", 1, 0, 1, &ten);
  put_elements(&t.graph, "most", 7, 0, 1, &most);
  put_node_in(&t.graph, 1, "Loop", in, out, &attrs);
  return t;
}

static void test_loops(void **state) {
  static const float one = 1;

  (void)state;
  trial t = doubling("most - a", "y z");
  give(&t, GA_FLOAT, 0, NULL, &one);
  run(&t, 13);
  EXPECT(&t, 0, 16);
  EXPECT(&t, 1, -2, -4, -8, -16);
  t = doubling("- - a", "y");
  give(&t, GA_FLOAT, 0, NULL, &one);
  run(&t, 13);
  EXPECT(&t, 0, 16);
  t = doubling("- - a", "y z");
  give(&t, GA_FLOAT, 0, NULL, &one);
  refuse(&t, GA_UNSUPPORTED_ERROR, "rows of a loop without a trip count");
}

/* A state that the body declares with one size before, and an open one after an
 * iteration. */
static void test_growing_state(void **state) {
  static const int64_t most = 3;
  static const float x[] = {5};
  message body = {.n = 0}, attr = {.n = 0}, attrs = {.n = 0},
          axis = number("axis", 0);

  (void)state;
  put_typed(&body, 11, "i", 7, 0, NULL);
  put_typed(&body, 11, "c", 9, 0, NULL);
  put_typed(&body, 11, "v", 1, 1, (int64_t[]){1});
  put_node(&body, "Identity", "c", "go", NULL);
  put_node(&body, "Concat", "v v", "w", &axis);
  put_typed(&body, 12, "go", 9, 0, NULL);
  put_typed(&body, 12, "w", 1, 1, (int64_t[]){-1});
  put_text(&attr, 1, "body");
  put_message(&attr, 6, &body);
  put_int(&attr, 20, 5);
  put_message(&attrs, 5, &attr);
  trial t = {.n_out = 1};
  put_elements(&t.graph, "most", 7, 0, 1, &most);
  put_node_in(&t.graph, 1, "Loop", "most - a", "y", &attrs);
  GIVE(&t, x, 1);
  run(&t, 13);
  EXPECT(&t, 0, 5, 5, 5, 5, 5, 5, 5, 5);
}

/* --- scans over batches --- */

/* Running sums of the rows of x [2, 3], as Scan of opset 8. `in` are its
 * inputs: lengths, first sums, x. */
static trial summing(const char *in, int64_t turned) {
  message body = {.n = 0}, attr = {.n = 0}, attrs = {.n = 0},
          one = number("num_scan_inputs", 1);

  put_typed(&body, 11, "s", 1, 0, NULL);
  put_typed(&body, 11, "e", 1, 0, NULL);
  put_node(&body, "Add", "s e", "t", NULL);
  put_node(&body, "Neg", "t", "row", NULL);
  put_typed(&body, 12, "t", 1, 0, NULL);
  put_typed(&body, 12, "row", 1, 0, NULL);
  put_text(&attr, 1, "body");
  put_message(&attr, 6, &body);
  put_int(&attr, 20, 5);
  put_message(&attrs, 5, &attr);
  put_message(&attrs, 5, &one);
  NUMBERS(&attrs, "directions", turned);
  trial t = {.n_out = 2};
  put_node_in(&t.graph, 1, "Scan", in, "y z", &attrs);
  return t;
}

static void test_scan_of_batches(void **state) {
  static const float first[] = {10, 20}, x[] = {1, 2, 3, 4, 5, 6};

  (void)state;
  for (int64_t turned = 0; turned < 2; turned++) {
    trial t = summing("- a b", turned);

    GIVE(&t, first, 2);
    GIVE(&t, x, 2, 3);
    run(&t, 8);
    EXPECT(&t, 0, 16, 35);
    if (turned)
      EXPECT(&t, 1, -13, -15, -16, -26, -31, -35);
    else
      EXPECT(&t, 1, -11, -13, -16, -24, -29, -35);
  }
}

/* --- distinct rows --- */

static void check_unique(int sorted, const float *values,
                         const int64_t (*want)[3]) {
  static const float x[] = {2, 1, 1, 5, 2, 1};
  message attrs = {.n = 0}, axis = number("axis", 0),
          order = number("sorted", sorted);

  put_message(&attrs, 5, &axis);
  put_message(&attrs, 5, &order);
  trial t = trial_new("Unique", "a", "y z u v", &attrs);
  t.n_out = 4;
  GIVE(&t, x, 3, 2);
  run(&t, 11);
  assert_output(&t, 0, 4, values);
  for (int i = 0; i < 3; i++)
    assert_memory_equal(t.got[i + 1], want[i],
                        (i == 1 ? 3 : 2) * sizeof(int64_t));
}

static void test_unique(void **state) {
  static const float up[] = {1, 5, 2, 1}, by_first[] = {2, 1, 1, 5};
  static const int64_t want_up[][3] = {{1, 0}, {1, 0, 1}, {1, 2}};
  static const int64_t want_first[][3] = {{0, 1}, {0, 1, 0}, {2, 1}};

  (void)state;
  check_unique(1, up, want_up);
  check_unique(0, by_first, want_first);
}

/* --- random numbers --- */

/* 200 normal numbers of mean 5 and deviation 2; the same ones in each load. */
static void test_normal(void **state) {
  message attrs = {.n = 0}, seed = number("seed", 3);
  trial t[2];
  double sum = 0;

  (void)state;
  NUMBERS(&attrs, "shape", 10, 20);
  put_float(&attrs, "mean", 5);
  put_float(&attrs, "scale", 2);
  for (int i = 0; i < 2; i++) {
    t[i] = trial_new("RandomNormal", "", "y", &attrs);
    run(&t[i], 21);
  }
  assert_memory_equal(t[0].got[0], t[1].got[0], 200 * sizeof(float));
  for (int i = 0; i < 200; i++)
    sum += (double)t[0].got[0][i];
  assert_true(fabs(sum / 200 - 5) < 1);
  put_message(&attrs, 5, &seed);
  t[1] = trial_new("RandomNormal", "", "y", &attrs);
  refuse(&t[1], GA_VALUE_ERROR, "attribute \"seed\" has the wrong type");
}

/* A column of weight exp(-1000) is never drawn. */
static void test_multinomial(void **state) {
  static const float logs[] = {-1000, 0, 0, 5, -1000, -1000};
  message attrs = {.n = 0}, size = number("sample_size", 50),
          dtype = number("dtype", 1);
  int twos = 0;

  (void)state;
  put_message(&attrs, 5, &size);
  put_message(&attrs, 5, &dtype);
  trial t = trial_new("Multinomial", "a", "y", &attrs);
  GIVE(&t, logs, 2, 3);
  run(&t, 21);
  for (int i = 0; i < 50; i++) {
    assert_true(t.got[0][i] == 1 || t.got[0][i] == 2);
    twos += t.got[0][i] == 2;
    assert_true(t.got[0][50 + i] == 0);
  }
  assert_true(twos > 5 && twos < 45);
}

/* Elements are 0 or twice as large. */
static void test_dropout(void **state) {
  static const uint8_t yes = 1;
  const float half = 0.5f;
  float x[100];
  int n = 0;

  (void)state;
  for (int i = 0; i < 100; i++)
    x[i] = (float)i + 1;
  trial t = trial_new("Dropout", "a r t", "y", NULL);
  put_elements(&t.graph, "r", 1, 0, 1, &half);
  message on = {.n = 0};
  put_int(&on, 2, 9);
  put_text(&on, 8, "t");
  put_bytes(&on, 9, &yes, 1);
  put_message(&t.graph, 5, &on);
  GIVE(&t, x, 100);
  run(&t, 21);
  for (int i = 0; i < 100; i++) {
    assert_true(t.got[0][i] == 0 || t.got[0][i] == 2 * x[i]);
    n += t.got[0][i] != 0;
  }
  assert_true(n > 20 && n < 80);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dft),
      cmocka_unit_test(test_stft),
      cmocka_unit_test(test_transforms_refused),
      cmocka_unit_test(test_lengths_refused),
      cmocka_unit_test(test_affine_grid),
      cmocka_unit_test(test_ngrams),
      cmocka_unit_test(test_pool_positions),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_growing_state),
      cmocka_unit_test(test_scan_of_batches),
      cmocka_unit_test(test_unique),
      cmocka_unit_test(test_resize),
      cmocka_unit_test(test_upsample),
      cmocka_unit_test(test_max_roi_pool),
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_normal),
      cmocka_unit_test(test_multinomial),
      cmocka_unit_test(test_dropout),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
