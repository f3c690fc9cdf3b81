/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions as products of the kernels for GPUs, against plain loops in
 * double, in forms that random geometries rarely give. */
#include "conv/check_epilogue.h"

/* Every second element of every second row: sums in sheets of lines that end
 * within a block, and in many parts. */
static void test_lines(void **state) {
  problem p = {.c = {.nd = 2, .stride = {2, 2}, .dilation = {1, 1}},
               .images = 3,
               .x = {5, 29},
               .w = {1, 1},
               .y = {3, 15}};

  (void)state;
  for (int how = CHANNELS_FIRST; how <= CHANNELS_LAST; how++) {
    const layout all[3] = {(layout)how, CHANNELS_FIRST, (layout)how};

    p.c.groups = how == CHANNELS_FIRST ? 2 : 1;
    p.channels = 10 * p.c.groups;
    p.filters = 13 * p.c.groups;
    check(&p, GA_CONV_FILTERS, GA_FLOAT, all, &ga__gemm_gpu);
  }
}

/* A gradient by input with strides, in one launch. First, all remainders have
 * sums, of different lengths. Then only one of four has sums, and its columns
 * are blocks, the last ones of which end outside of x. */
static void test_strides(void **state) {
  static const layout first[3] = {CHANNELS_FIRST, CHANNELS_FIRST,
                                  CHANNELS_FIRST};
  problem p = {.c = {.nd = 2,
                     .stride = {2, 2},
                     .dilation = {1, 1},
                     .before = {1, 1},
                     .after = {1, 1},
                     .groups = 2},
               .images = 2,
               .channels = 42,
               .filters = 16,
               .x = {7, 14},
               .w = {3, 3},
               .y = {4, 7}};

  (void)state;
  check(&p, GA_CONV_INPUT, GA_FLOAT, first, &ga__gemm_gpu);
  p.w[0] = p.w[1] = 1;
  p.y[0] = 5;
  p.y[1] = 8;
  check_epilogue(&p, GA_CONV_INPUT, GA_FLOAT, CHANNELS_FIRST, &ga__gemm_gpu);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_strides),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
