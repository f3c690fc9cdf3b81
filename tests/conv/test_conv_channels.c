/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions of many channels that are the last dimension, against plain
 * loops in double. Tensor cores read such images through windows, or from
 * copies with more channels. */
#include "conv/check_epilogue.h"

/* Enough filters and positions for tensor cores. Channels fill whole units of
 * 16 bytes, unless they are few. */
static problem draw_channels(unsigned int nd) {
  problem p = draw_problem(nd);

  p.c.groups = draw(0, 3) == 0 ? 2 : 1;
  p.channels = p.c.groups * (draw(0, 2) == 0 ? draw(3, 9) : 8 * draw(1, 9));
  p.filters = p.c.groups * draw(8, 40);
  p.is_aligned = draw(0, 3) > 0;
  for (unsigned int d = 0; d < nd; d++) {
    p.w[d] = draw(2, 4);
    p.x[d] = nd == 1 ? draw(100, 200) : nd == 2 ? draw(10, 16) : draw(5, 8);
    p.x[d] += p.w[d] * p.c.dilation[d];
    assert_ok(GpuConv_size(&p.y[d], &p.c, d, p.x[d], p.w[d]));
  }
  return p;
}

static int rounds(int many) {
  return test_is_quick() ? many / 4 : many;
}

static void check_channels(int typecode, int n) {
  for (int round = 0; round < n; round++) {
    const problem p = draw_channels(1 + (unsigned int)round % 3);
    const layout last[3] = {CHANNELS_LAST, (layout)draw(0, LAYOUTS - 1),
                            CHANNELS_LAST};

    /* Gradients by filters take longest on the host. */
    for (int part = 0; part < (round % 4 == 0 ? 3 : 2); part++) {
      check(&p, (ga_conv_part)part, typecode, last, NULL);
      check_epilogue(&p, (ga_conv_part)part, typecode, CHANNELS_LAST, NULL);
    }
  }
}

/* Along each dimension; images are aligned. */
typedef struct layer {
  unsigned int nd;
  size_t channels, filters, w, stride, before, x;
} layer;

static void check_layer(const layer *of, ga_conv_part part) {
  static const layout last[3] = {CHANNELS_LAST, CHANNELS_LAST, CHANNELS_LAST};
  problem p = {.c = {.nd = of->nd, .groups = 1},
               .images = 2,
               .channels = of->channels,
               .filters = of->filters,
               .is_aligned = 1};

  for (unsigned int d = 0; d < p.c.nd; d++) {
    p.c.stride[d] = of->stride;
    p.c.dilation[d] = 1;
    p.c.before[d] = p.c.after[d] = of->before;
    p.w[d] = of->w;
    p.x[d] = of->x;
    assert_ok(GpuConv_size(&p.y[d], &p.c, d, p.x[d], p.w[d]));
  }
  check(&p, part, GA_HALF, last, NULL);
  check_epilogue(&p, part, GA_HALF, CHANNELS_LAST, NULL);
}

/* Few channels and strides: tensor cores read lines under a filter as one digit
 * of the sum, or of columns, from a copy with zeros between them. */
static void test_first_layers(void **state) {
  static const layer layers[] = {{2, 3, 24, 7, 2, 3, 18},
                                 {2, 3, 16, 16, 16, 0, 96},
                                 {2, 5, 16, 5, 4, 2, 37},
                                 {1, 4, 16, 9, 2, 4, 160}};

  (void)state;
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    check_layer(&layers[i], GA_CONV_FORWARD);
    if (i != 1) /* which is large */
      check_layer(&layers[i], GA_CONV_FILTERS);
  }
}

/* Gradients by input are a product for each remainder of positions, of which
 * some may have no terms, and store every second position. */
static void test_strides(void **state) {
  static const layer layers[] = {{2, 24, 64, 1, 2, 0, 17},
                                 {2, 24, 64, 3, 2, 1, 16},
                                 {1, 16, 32, 5, 3, 2, 200}};

  (void)state;
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
    check_layer(&layers[i], GA_CONV_INPUT);
  check_layer(&layers[0], GA_CONV_FILTERS);
}

static void test_half(void **state) {
  (void)state;
  check_channels(GA_HALF, rounds(16));
}

static void test_bfloat(void **state) {
  (void)state;
  check_channels(GA_BFLOAT, rounds(10));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_layers),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_half),
      cmocka_unit_test(test_bfloat),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
