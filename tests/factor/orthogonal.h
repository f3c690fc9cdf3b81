/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors, measured as LAPACK's tests measure them. */
#ifndef FACTOR_ORTHOGONAL_H
#define FACTOR_ORTHOGONAL_H

#include "factor/matrices.h"

static inline void expect(double r, const char *what, const host *a,
                          int typecode) {
  if (!(r < THRESHOLD))
    fail_msg("%s: residual %g, %zu x %zu, %s", what, r, a->m, a->n,
             ga__dtype_name(typecode));
}

/* |A - Q R| / (max(m, n) |A| eps) and |I - Q^T Q| / (m eps). */
static inline void check_factors(const host *a, const host *q, const host *r,
                                 int typecode) {
  const double most = (double)(a->m > a->n ? a->m : a->n);
  host p = host_new(a->nd - 2, a->dims, a->m, a->n);
  host g = host_new(a->nd - 2, a->dims, q->n, q->n);
  host eye = host_new(a->nd - 2, a->dims, q->n, q->n);

  host_multiply(&p, q, 0, r, 0);
  host_multiply(&g, q, 1, q, 0);
  for (size_t z = 0; z < a->batch; z++) {
    for (size_t i = 0; i < q->n; i++)
      *host_at(&eye, z, i, i) = 1;
    for (size_t i = 0; i < r->m; i++)
      for (size_t j = 0; j < i && j < r->n; j++)
        assert_true(*host_at(r, z, i, j) == 0);
    expect(residual(a, &p, z, most * norm1(a, z), typecode), "A - Q R", a,
           typecode);
    if (q->n > 0) {
      host one = host_new(0, NULL, q->n, q->n), two = one;
      one.v = host_at(&g, z, 0, 0);
      free(two.v);
      two.v = host_at(&eye, z, 0, 0);
      expect(residual(&one, &two, 0, (double)a->m, typecode), "I - Q^T Q", a,
             typecode);
    }
  }
  free(p.v);
  free(g.v);
  free(eye.v);
}

#endif
