/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with an epilogue against plain loops in double. */
#ifndef CONV_CHECK_EPILOGUE_H
#define CONV_CHECK_EPILOGUE_H

#include "conv/check_conv.h"
#include "conv/conv_winograd.h"

/* A bias, an activation and a residual in the kernel. */
static inline void check_epilogue(const problem *p, ga_conv_part part,
                                  int typecode, layout how,
                                  const ga__provider *by) {
  static const int order[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  const int *which = order[part];
  const unsigned int nd = p->c.nd + 2;
  const gpuelemwise_arg args[3] = {{"bias", typecode, GE_READ},
                                   {"other", typecode, GE_READ},
                                   {"o", typecode, GE_WRITE}};
  const GpuEpilogue e = {.text = "o = max(acc + bias, (w_float)(0)) + other",
                         .n_args = 3,
                         .args = args,
                         .flags = GE_VECTOR};
  GpuArray a[3], bias, other;
  double *v[4];
  size_t dims[5], inner = 1;
  GpuLaunch *l;
  double some[128]; /* of any dtype */

  for (int i = 0; i < 3; i++) {
    v[which[i]] = calloc(problem_total(p, which[i]) + 1, sizeof(double));
    make(&a[i], v[which[i]], p, which[i], typecode,
         i == 2 || how == CHANNELS_LAST ? how : CHANNELS_FIRST, i == 2);
  }
  const size_t n = problem_total(p, which[2]);
  double *want = v[which[2]];
  v[3] = calloc(n + 1, sizeof(double));
  make(&other, v[3], p, which[2], typecode, how, 0);
  problem_reference(p, part, v[0], v[1], v[2], want);
  problem_dims(p, which[2], dims);
  for (unsigned int d = 2; d < nd; d++)
    inner *= dims[d];
  test_fill(some, typecode, dims[1], -1, 1, 5);
  for (size_t i = 0; i < n; i++) {
    const double sum = want[i] + test_get(some, typecode, i / inner % dims[1]);

    want[i] = (sum > 0 ? sum : 0) + v[3][i];
  }
  const size_t channels[5] = {1, dims[1], 1, 1, 1};
  test_array(&bias, typecode, nd, channels, some);
  assert_ok(ga__conv_prepare_by(&l, &p->c, part,
                                (GpuArray *[3]){&a[0], &a[1], &a[2]}, &e,
                                (void *[]){&bias, &other, &a[2]}, by));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  check_close(&a[2], want,
              part == GA_CONV_FILTERS ? fmax(100, count_terms(p, part)) : 100,
              by == &ga__conv_winograd ? 8 : 1, "epilogue");
  for (int i = 0; i < 3; i++) {
    GpuArray_clear(&a[i]);
    free(v[i]);
  }
  GpuArray_clear(&bias);
  GpuArray_clear(&other);
  free(v[3]);
}

#endif
