/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions as products of the kernels for GPUs, against plain loops in
 * double, in forms that random geometries rarely give. */
#include "conv/check_conv.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
