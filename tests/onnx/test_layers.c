/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers of models that ONNX's own tests do not cover: each is a graph of one
 * node, with known results. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "support/device.h"
#include "support/lcg.h"
#include "support/onnx_trial.h"

/* --- convolutions --- */

static const float ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const float count[] = {1, 2, 3, 4, 5, 6, 7, 8};

static void test_auto_pad(void **state) {
  message upper = {.n = 0}, lower = {.n = 0};

  (void)state;
  put_word(&upper, "auto_pad", "SAME_UPPER");
  NUMBERS(&upper, "strides", 2);
  trial t = trial_new("Conv", "a b", "y", &upper);
  GIVE(&t, count, 1, 1, 5);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 3, 7, 5); /* 1+2, 3+4, 5+0 */
  put_word(&lower, "auto_pad", "SAME_LOWER");
  NUMBERS(&lower, "strides", 2);
  t = trial_new("Conv", "a b", "y", &lower);
  GIVE(&t, count, 1, 1, 5);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 1, 5, 9); /* 0+1, 2+3, 4+5 */
}

/* The result is longer than the windows reach, or shorter. */
static void test_transposed_sizes(void **state) {
  message longer = {.n = 0}, shorter = {.n = 0}, far = {.n = 0};

  (void)state;
  NUMBERS(&longer, "output_shape", 5);
  trial t = trial_new("ConvTranspose", "a b c", "y", &longer);
  GIVE(&t, count, 1, 1, 2);
  GIVE(&t, ones, 1, 1, 2);
  GIVE(&t, ones, 1);
  run(&t, 21);
  EXPECT(&t, 0, 2, 4, 3, 1, 1);
  NUMBERS(&shorter, "output_shape", 2);
  t = trial_new("ConvTranspose", "a b", "y", &shorter);
  GIVE(&t, count, 1, 1, 2);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 3, 2); /* of 1 3 2: the odd pad is in front */
  NUMBERS(&far, "output_padding", 1);
  NUMBERS(&far, "pads", 0, 2);
  t = trial_new("ConvTranspose", "a b", "y", &far);
  GIVE(&t, count, 1, 1, 3);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 1, 3, 5);
}

static void test_windows_refused(void **state) {
  static const struct {
    const char *name;
    size_t n;
    int64_t list[4];
    const char *part;
  } cases[] = {
      {"pads", 2, {-1, 0}, "pads[0] is -1, expected 0 to"},
      {"pads", 3, {0, 0, 0}, "pads has 3 values, expected 2"},
      {"strides", 1, {0}, "strides[0] is 0, expected 1 to"},
      {"dilations", 1, {INT64_MAX}, "dilations[0] is 9223372036854775807"},
      {"kernel_shape", 1, {3}, "kernel_shape[0] is 3, but the filters have 2"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    message attrs = {.n = 0};

    put_numbers(&attrs, cases[i].name, cases[i].n, cases[i].list);
    trial t = trial_new("Conv", "a b", "y", &attrs);
    GIVE(&t, count, 1, 1, 5);
    GIVE(&t, ones, 1, 1, 2);
    refuse(&t, GA_VALUE_ERROR, cases[i].part);
  }
  trial t = trial_new("Conv", "a b", "y", NULL);
  GIVE(&t, count, 1, 5);
  GIVE(&t, ones, 1, 1, 2);
  refuse(&t, GA_VALUE_ERROR, "2 dimensions, and 3 of the filters");
}

/* --- recurrent layers, beside plain loops --- */

enum { N = 3, T = 4, I = 2, H = 3, D = 2, MOST_GATES = 4 };

typedef struct recurrent {
  const char *op, *direction, *activations; /* activations NULL: the usual */
  int gates, layout, has_lengths, has_peepholes, has_first;
  int is_coupled, reset_after;
  float clip; /* 0: none */
} recurrent;

typedef struct weights {
  float x[T * N * I], w[D * MOST_GATES * H * I], r[D * MOST_GATES * H * H];
  float bias[D * 2 * MOST_GATES * H], h[D * N * H], c[D * N * H], p[D * 3 * H];
  int32_t lengths[N];
} weights;

static const float alphas[] = {0.3f, 0.8f, 0.2f, 0.7f};
static const float betas[] = {0.4f, 0.9f, 0.6f, 1.1f};

/* Activation i of direction d: if the case has some, they are HardSigmoid, Relu
 * and ScaledTanh, or Softsign and Elu. */
static double act(const recurrent *k, int d, int i, double v) {
  if (k->clip != 0)
    v = fmin(fmax(v, -(double)k->clip), (double)k->clip);
  if (k->activations == NULL)
    return i == 0 && k->gates > 1 ? 1 / (1 + exp(-v)) : tanh(v);
  if (k->gates == 3)
    return i == 0  ? v / (1 + fabs(v))
           : v > 0 ? v
                   : (double)alphas[d] * (exp(v) - 1);
  const double a = (double)alphas[2 * d + (i == 2)];
  const double b = (double)betas[2 * d + (i == 2)];
  return i == 1   ? fmax(v, 0)
         : i == 0 ? fmin(fmax(a * v + b, 0), 1)
                  : a * tanh(b * v);
}

static int backward(const recurrent *k, int d) {
  return d == 1 || strcmp(k->direction, "reverse") == 0;
}

/* Gate g of hidden feature j: what x and h give. The two parts of `past`
 * are kept apart for GRU. */
static double from_input(const recurrent *k, const weights *u, int d, int g,
                         int j, const float *x) {
  const int row = (d * k->gates + g) * H + j;
  double v = (double)u->bias[d * 2 * k->gates * H + g * H + j];

  for (int i = 0; i < I; i++)
    v += (double)u->w[row * I + i] * (double)x[i];
  return v;
}

static double from_past(const recurrent *k, const weights *u, int d, int g,
                        int j, const double *h) {
  const int row = (d * k->gates + g) * H + j;
  double v = (double)u->bias[(d * 2 + 1) * k->gates * H + g * H + j];

  for (int i = 0; i < H; i++)
    v += (double)u->r[row * H + i] * h[i];
  return v;
}

static void lstm_step(const recurrent *k, const weights *u, int d,
                      const float *x, double *h, double *c) {
  double next[H];

  for (int j = 0; j < H; j++) {
    double v[4];
    for (int g = 0; g < 4; g++)
      v[g] = from_input(k, u, d, g, j, x) + from_past(k, u, d, g, j, h);
    const float *p = &u->p[d * 3 * H + j];
    const double peep = k->has_peepholes;
    const double in = act(k, d, 0, v[0] + peep * (double)p[0] * c[j]);
    const double keep =
        k->is_coupled ? 1 - in
                      : act(k, d, 0, v[2] + peep * (double)p[2 * H] * c[j]);
    c[j] = keep * c[j] + in * act(k, d, 1, v[3]);
    next[j] =
        act(k, d, 0, v[1] + peep * (double)p[H] * c[j]) * act(k, d, 2, c[j]);
  }
  memcpy(h, next, sizeof next);
}

static void gru_step(const recurrent *k, const weights *u, int d,
                     const float *x, double *h) {
  double z[H], r[H], reset[H], next[H];

  for (int j = 0; j < H; j++) {
    z[j] = act(k, d, 0,
               from_input(k, u, d, 0, j, x) + from_past(k, u, d, 0, j, h));
    r[j] = act(k, d, 0,
               from_input(k, u, d, 1, j, x) + from_past(k, u, d, 1, j, h));
    reset[j] = r[j] * h[j];
  }
  for (int j = 0; j < H; j++) {
    const double past = k->reset_after ? r[j] * from_past(k, u, d, 2, j, h)
                                       : from_past(k, u, d, 2, j, reset);
    const double new = act(k, d, 1, from_input(k, u, d, 2, j, x) + past);
    next[j] = (1 - z[j]) * new + z[j] * h[j];
  }
  memcpy(h, next, sizeof next);
}

static void rnn_step(const recurrent *k, const weights *u, int d,
                     const float *x, double *h) {
  double next[H];

  for (int j = 0; j < H; j++)
    next[j] = act(k, d, 0,
                  from_input(k, u, d, 0, j, x) + from_past(k, u, d, 0, j, h));
  memcpy(h, next, sizeof next);
}

/* Sequence n in direction d. y is [T, D, N, H], last values [D, N, H]. */
static void run_sequence(const recurrent *k, const weights *u, int n, int d,
                         int n_directions, float *y, float *last_h,
                         float *last_c) {
  const int length = k->has_lengths ? u->lengths[n] : T;
  double h[H] = {0}, c[H] = {0};

  for (int j = 0; k->has_first && j < H; j++) {
    h[j] = (double)u->h[(d * N + n) * H + j];
    c[j] = (double)u->c[(d * N + n) * H + j];
  }
  for (int i = 0; i < length; i++) {
    const int t = backward(k, d) ? length - 1 - i : i;
    const float *x = &u->x[(t * N + n) * I];

    if (k->gates == 4)
      lstm_step(k, u, d, x, h, c);
    else if (k->gates == 3)
      gru_step(k, u, d, x, h);
    else
      rnn_step(k, u, d, x, h);
    for (int j = 0; j < H; j++)
      y[((t * n_directions + d) * N + n) * H + j] = (float)h[j];
  }
  for (int j = 0; j < H; j++) {
    last_h[(d * N + n) * H + j] = (float)h[j];
    last_c[(d * N + n) * H + j] = (float)c[j];
  }
}

/* Exchange axes 0 and 1 of [a, b, rest], for layout 1. */
static void exchange(float *v, int a, int b, int rest) {
  float copy[MOST];

  memcpy(copy, v, (size_t)(a * b * rest) * sizeof *v);
  for (int i = 0; i < a; i++)
    for (int j = 0; j < b; j++)
      memcpy(v + (j * a + i) * rest, copy + (i * b + j) * rest,
             (size_t)rest * sizeof *v);
}

static void fill(float *v, size_t n, uint64_t *seed) {
  for (size_t i = 0; i < n; i++)
    v[i] = (float)(lcg_next(seed) % 2001) / 1000 - 1;
}

static void put_options(message *attrs, const recurrent *k) {
  message hidden = number("hidden_size", H),
          layout = number("layout", k->layout),
          coupled = number("input_forget", k->is_coupled),
          after = number("linear_before_reset", k->reset_after);

  put_message(attrs, 5, &hidden);
  put_message(attrs, 5, &layout);
  put_word(attrs, "direction", k->direction);
  if (k->gates == 4)
    put_message(attrs, 5, &coupled);
  if (k->gates == 3)
    put_message(attrs, 5, &after);
  if (k->clip != 0)
    put_float(attrs, "clip", k->clip);
  if (k->activations != NULL) {
    put_list_of_words(attrs, "activations", k->activations);
    put_floats(attrs, "activation_alpha", 4, alphas);
    put_floats(attrs, "activation_beta", 4, betas);
  }
}

static void give_all(trial *t, const recurrent *k, weights *u, size_t nd) {
  const size_t gates = (size_t)k->gates * H;

  GIVE(t, u->x, k->layout ? N : T, k->layout ? T : N, I);
  GIVE(t, u->w, nd, gates, I);
  GIVE(t, u->r, nd, gates, H);
  GIVE(t, u->bias, nd, 2 * gates);
  give(t, GA_INT, 1, (size_t[]){N}, u->lengths);
  GIVE(t, u->h, k->layout ? N : nd, k->layout ? nd : N, H);
  if (k->gates == 4) {
    GIVE(t, u->c, k->layout ? N : nd, k->layout ? nd : N, H);
    GIVE(t, u->p, nd, 3 * H);
  }
}

static void run_recurrent(const recurrent *k, uint64_t seed) {
  const int nd = strcmp(k->direction, "bidirectional") == 0 ? 2 : 1;
  float y[MOST] = {0}, h[MOST] = {0}, c[MOST] = {0};
  message attrs = {.n = 0};
  char in[40];
  weights u;

  fill(u.x, offsetof(weights, lengths) / sizeof(float), &seed);
  for (int n = 0; n < N; n++)
    u.lengths[n] = 1 + (n + 2) % T;
  for (int n = 0; n < N; n++)
    for (int d = 0; d < nd; d++)
      run_sequence(k, &u, n, d, nd, y, h, c);
  if (k->layout) { /* [T, D N H] and [D, N, H] to [N, ...] */
    exchange(y, T * nd, N, H);
    exchange(h, nd, N, H);
    exchange(c, nd, N, H);
    exchange(u.x, T, N, I);
    exchange(u.h, nd, N, H);
    exchange(u.c, nd, N, H);
  }
  snprintf(in, sizeof in, "a b c d %s %s %s %s", k->has_lengths ? "e" : "-",
           k->has_first ? "f" : "-", k->has_first && k->gates == 4 ? "g" : "-",
           k->has_peepholes ? "h" : "-");
  if (k->gates < 4)
    in[strlen(in) - 4] = 0;
  put_options(&attrs, k);
  trial t = trial_new(k->op, in, k->gates == 4 ? "y z u" : "y z", &attrs);
  t.n_out = k->gates == 4 ? 3 : 2;
  give_all(&t, k, &u, (size_t)nd);
  run(&t, 22);
  assert_output(&t, 0, (size_t)(T * nd * N * H), y);
  assert_output(&t, 1, (size_t)(nd * N * H), h);
  if (k->gates == 4)
    assert_output(&t, 2, (size_t)(nd * N * H), c);
}

static void test_recurrent(void **state) {
  static const char *const lstm = "HardSigmoid relu ScaledTanh HardSigmoid "
                                  "Relu scaledtanh",
                           *const gru = "Softsign Elu Softsign Elu";
  const recurrent cases[] = {
      {"LSTM", "bidirectional", lstm, 4, .has_lengths = 1, .has_peepholes = 1,
       .has_first = 1, .clip = 0.7f},
      {"LSTM", "reverse", NULL, 4, .layout = 1, .has_first = 1,
       .is_coupled = 1},
      {"GRU", "bidirectional", gru, 3, .has_lengths = 1, .reset_after = 1,
       .clip = 0.5f},
      {"GRU", "bidirectional", NULL, 3, .layout = 1, .has_first = 1},
      {"RNN", "bidirectional", NULL, 1, .layout = 1, .has_lengths = 1,
       .has_first = 1},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    run_recurrent(&cases[i], i + 1);
}

static void test_recurrent_refused(void **state) {
  static const struct {
    const char *name, *text, *part;
  } cases[] = {
      {"direction", "up", "direction is \"up\""},
      {"activations", "Tanh", "1 activations, expected 3"},
      {"activations", "Tanh Tanh Swim", "activation \"Swim\""},
      {"", "", "dim 1 of R is 8, expected 12"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    message attrs = {.n = 0};

    if (i == 0)
      put_word(&attrs, cases[i].name, cases[i].text);
    else if (cases[i].name[0] != 0)
      put_list_of_words(&attrs, cases[i].name, cases[i].text);
    trial t = trial_new("LSTM", "a b c", "y", &attrs);
    GIVE(&t, ones, 2, 1, 2);
    GIVE(&t, ones, 1, 12, 2);
    GIVE(&t, ones, 1, i == 3 ? 8 : 12, 3);
    refuse(&t, GA_VALUE_ERROR, cases[i].part);
  }
}

/* Weights of other sizes that slices and broadcasting could take. */
static void test_recurrent_sizes(void **state) {
  static const struct {
    size_t w[3], b[2], p[2]; /* of an LSTM with one hidden feature */
    const char *part;
  } cases[] = {
      {{1, 1, 2}, {1, 8}, {1, 3}, "dim 1 of W is 1, expected 4"},
      {{2, 4, 1}, {1, 8}, {1, 3}, "dim 0 of W is 2, expected 1"},
      {{1, 4, 2}, {1, 9}, {1, 3}, "dim 1 of B is 9, expected 8"},
      {{1, 4, 2}, {1, 8}, {1, 4}, "dim 1 of P is 4, expected 3"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    trial t = trial_new("LSTM", "a b c d - - - e", "y", NULL);

    GIVE(&t, ones, 2, 1, 2);
    give(&t, GA_FLOAT, 3, cases[i].w, ones);
    GIVE(&t, ones, 1, 4, 1);
    give(&t, GA_FLOAT, 2, cases[i].b, ones);
    give(&t, GA_FLOAT, 2, cases[i].p, ones);
    refuse(&t, GA_VALUE_ERROR, cases[i].part);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_auto_pad),
      cmocka_unit_test(test_transposed_sizes),
      cmocka_unit_test(test_windows_refused),
      cmocka_unit_test(test_recurrent),
      cmocka_unit_test(test_recurrent_refused),
      cmocka_unit_test(test_recurrent_sizes),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
