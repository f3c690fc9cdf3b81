/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients against plain loops in double. */
#ifndef CONV_CHECK_CONV_H
#define CONV_CHECK_CONV_H

#include "conv/problem.h"

#include <math.h>

#include "conv/conv.h"

/* An array with room around it, and its elements. */
static inline void make(GpuArray *a, double *values, const problem *p,
                        int which, int typecode, layout how, int is_result) {
  size_t dims[5];
  ssize_t strides[5];
  const size_t n = problem_total(p, which);
  char *data = malloc(n * ga__dtype_size(typecode) + 1);

  problem_dims(p, which, dims);
  layout_strides(how, p->c.nd + 2, dims, strides);
  test_fill(data, typecode, n, -1, 1, 7 + (uint32_t)which);
  for (size_t i = 0; i < n; i++) {
    if (is_result)
      test_set(data, typecode, i, NAN);
    values[i] = is_result ? 0 : test_get(data, typecode, i);
  }
  test_array_within(a, typecode, p->c.nd + 2, dims, strides, data,
                    p->is_aligned ? 16 : 3);
  free(data);
}

static inline void check_close(const GpuArray *r, const double *want,
                               double terms, double growth, const char *what) {
  const size_t n = test_size(r);
  char *got = malloc(n * ga__dtype_size(r->typecode) + 1);
  const double eps = growth * (r->typecode == GA_HALF     ? 1e-3
                               : r->typecode == GA_BFLOAT ? 8e-3
                               : r->typecode == GA_FLOAT  ? 1e-6
                                                          : 1e-14);

  test_gather(r, got);
  for (size_t i = 0; i < n; i++) {
    const double v = test_get(got, r->typecode, i);

    if (!(fabs(v - want[i]) <= eps * (fabs(want[i]) + sqrt(terms) + 1)))
      fail_msg("%s: element %zu is %g, expected %g", what, i, v, want[i]);
  }
  free(got);
}

/* At least the count of products that a result adds up. */
static inline double count_terms(const problem *p, ga_conv_part part) {
  return part == GA_CONV_FILTERS
             ? (double)problem_total(p, 2) / (double)p->filters
             : (double)problem_total(p, 1) * (double)p->images;
}

/* Rounding errors may be `growth` times those of a product. */
static inline void check_within(const problem *p, ga_conv_part part,
                                int typecode, const layout how[3],
                                const ga__provider *by, double growth) {
  static const int order[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  const int *which = order[part];
  GpuArray a[3];
  double *values[3];
  GpuLaunch *l;
  char what[320];

  for (int i = 0; i < 3; i++) {
    values[which[i]] =
        malloc((problem_total(p, which[i]) + 1) * sizeof(double));
    make(&a[i], values[which[i]], p, which[i], typecode, how[which[i]], i == 2);
  }
  problem_reference(p, part, values[0], values[1], values[2], values[which[2]]);
  snprintf(
      what, sizeof what,
      "part %d of %u dims, %s, layouts %d %d %d, groups %zu, stride %zu, "
      "dilation %zu, flip %d, sizes %zu %zu %zu, padding %zu, channels %zu "
      "and %zu, images %zu",
      (int)part, p->c.nd, ga__dtype_name(typecode), (int)how[0], (int)how[1],
      (int)how[2], p->c.groups, p->c.stride[0], p->c.dilation[0], p->c.flip,
      p->x[0], p->w[0], p->y[0], p->c.before[0], p->channels, p->filters,
      p->images);
  assert_ok(ga__conv_prepare_by(
      &l, &p->c, part, (GpuArray *[3]){&a[0], &a[1], &a[2]}, NULL, NULL, by));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  check_close(&a[2], values[which[2]], count_terms(p, part), growth, what);
  for (int i = 0; i < 3; i++) {
    GpuArray_clear(&a[i]);
    free(values[i]);
  }
}

static inline void check(const problem *p, ga_conv_part part, int typecode,
                         const layout how[3], const ga__provider *by) {
  check_within(p, part, typecode, how, by, 1);
}

#endif
