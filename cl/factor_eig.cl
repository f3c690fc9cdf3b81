/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvalues and eigenvectors of general matrices, in complex arithmetic. One
 * group for each matrix of a batch reduces it to Hessenberg's form, and then by
 * QR steps to a triangle: A = Q T Q^H. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 256            work-items of a group, a power of 2; 1 on CPUs
 *
 * Matrices lie in workspaces, n x n in C order for each matrix of the batch; a
 * complex number is a vector of two reals. Q is stored as its transpose. */
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_eig_numbers.cl"

#define GROUP __attribute__((reqd_work_group_size(G, 1, 1)))

/* --- Hessenberg's form --- */

/* The largest absolute value of n reals, NaN if there is one. */
GA_INLINE W largest_of(global const T *x, const long n, SHARED W *all) {
  W most = 0;

  for (long i = (long)get_local_id(0); i < n; i += G) {
    const W v = fabs(x[i]);
    most = v > most || v != v ? v : most;
  }
  return group_most(most, all);
}

/* Divide h by a power of 2, so that no element exceeds 1, and make qt the
 * identity, unless it is h. Returns that power, or NaN if an element is not
 * finite: then h becomes 0. */
GA_INLINE W scale_matrix(global C *h, global C *qt, const long n,
                         SHARED W *all) {
  const W most = largest_of((global const T *)h, 2 * n * n, all);
  const int bad = !(most <= MOST), e = bad || most == 0 ? 0 : ilogb(most) + 1;

  for (long i = (long)get_local_id(0); i < n * n; i += G) {
    h[i] = bad ? (C)(0, 0) : (C)(ldexp(h[i].x, -e), ldexp(h[i].y, -e));
    if (qt != h)
      qt[i] = (C)(i % (n + 1) == 0, 0);
  }
  SYNC;
  return bad ? (W)NAN : (W)e;
}

/* Make v the reflector that clears column k below row k + 1, from that row on,
 * and set the column to what is left. Returns its factor tau. */
GA_INLINE C eig_reflector(global C *h, global C *v, const long k, const long n,
                          SHARED W *all) {
  const int me = (int)get_local_id(0);
  const C top = h[(k + 1) * n + k];
  W most = 0, sum = 0;

  for (long i = k + 2 + me; i < n; i += G)
    most = fmax(most, largest_part(h[i * n + k]));
  most = group_most(most, all);
  if (most == 0)
    return (C)(0, 0);
  const W over = 1 / fmax(most, largest_part(top));
  for (long i = k + 2 + me; i < n; i += G)
    sum += square_of(h[i * n + k] * over);
  sum = group_sum(sum, all);
  const C a = top * over;
  const W beta = -copysign(sqrt(square_of(a) + sum), a.x);
  const C d = a - (C)(beta, 0);
  for (long i = k + 2 + me; i < n; i += G) {
    v[i] = quotient(h[i * n + k] * over, d);
    h[i * n + k] = (C)(0, 0);
  }
  SYNC;
  if (me == 0) {
    v[k + 1] = (C)(1, 0);
    h[(k + 1) * n + k] = (C)(beta / over, 0);
  }
  SYNC;
  return (C)((beta - a.x) / beta, -a.y / beta);
}

/* h = (I - conj(tau) v v^H) h, for the rows and columns from `first` on. A CPU
 * walks along rows, and has the products of all columns in w. */
GA_INLINE void reflect_left(global C *h, global const C *v, global C *w,
                            const C tau, const long first, const long n) {
#if G == 1
  for (long j = first; j < n; ++j)
    w[j] = (C)(0, 0);
  for (long i = first; i < n; ++i)
    for (long j = first; j < n; ++j)
      w[j] += conj_times(v[i], h[i * n + j]);
  for (long i = first; i < n; ++i) {
    const C f = conj_times(tau, v[i]);
    for (long j = first; j < n; ++j)
      h[i * n + j] -= times(f, w[j]);
  }
#else
  for (long j = first + (long)get_local_id(0); j < n; j += G) {
    C sum = (C)(0, 0);

    for (long i = first; i < n; ++i)
      sum += conj_times(v[i], h[i * n + j]);
    sum = conj_times(tau, sum);
    for (long i = first; i < n; ++i)
      h[i * n + j] -= times(v[i], sum);
  }
#endif
}

/* h = h (I - tau v v^H), for all rows and the columns from `first` on. */
GA_INLINE void reflect_right(global C *h, global const C *v, const C tau,
                             const long first, const long n) {
  for (long i = (long)get_local_id(0); i < n; i += G) {
    C sum = (C)(0, 0);

    for (long j = first; j < n; ++j)
      sum += times(h[i * n + j], v[j]);
    sum = times(tau, sum);
    for (long j = first; j < n; ++j)
      h[i * n + j] -= conj_times(v[j], sum);
  }
}

/* The same for Q, whose transpose is x. */
GA_INLINE void reflect_turned(global C *x, global const C *v, global C *w,
                              const C tau, const long first, const long n) {
#if G == 1
  for (long i = 0; i < n; ++i)
    w[i] = (C)(0, 0);
  for (long j = first; j < n; ++j)
    for (long i = 0; i < n; ++i)
      w[i] += times(v[j], x[j * n + i]);
  for (long j = first; j < n; ++j) {
    const C f = conj_times(v[j], tau);
    for (long i = 0; i < n; ++i)
      x[j * n + i] -= times(f, w[i]);
  }
#else
  for (long i = (long)get_local_id(0); i < n; i += G) {
    C sum = (C)(0, 0);

    for (long j = first; j < n; ++j)
      sum += times(v[j], x[j * n + i]);
    sum = times(tau, sum);
    for (long j = first; j < n; ++j)
      x[j * n + i] -= conj_times(v[j], sum);
  }
#endif
}

/* Reduce h to Hessenberg's form; qt follows, unless it is h. `scale` gets, for
 * each matrix, the power of 2 that it was divided by, and `work` has 2 n complex
 * numbers for each. Global size: G, batch. */
kernel GROUP void eig_reduce(MATRIX(h), MATRIX(qt), MATRIX(work),
                             MATRIX(scale), const ulong n_) {
  const long z = (long)get_group_id(1), n = (long)n_;
  global C *h = COMPLEX_AT(h, z), *qt = COMPLEX_AT(qt, z);
  global C *v = COMPLEX_AT(work, z), *w = v + n;
  SHARED W all[G];
  const W e = scale_matrix(h, qt, n, all);

  if (get_local_id(0) == 0)
    MATRIX_AT(scale, z)[0] = e;
  for (long k = 0; k + 2 < n; ++k) {
    const C tau = eig_reflector(h, v, k, n, all);

    if (tau.x == 0 && tau.y == 0)
      continue;
    reflect_left(h, v, w, tau, k + 1, n);
    SYNC;
    reflect_right(h, v, tau, k + 1, n);
    if (qt != h)
      reflect_turned(qt, v, w, tau, k + 1, n);
    SYNC;
  }
}

/* --- QR steps --- */

/* Nonzero if element (l, l - 1) counts as 0: by Ahues and Tisseur's rule, as in
 * LAPACK. */
GA_INLINE int is_split(global const C *h, const long l, const long n,
                       const long last) {
  const C off = h[l * n + l - 1], up = h[(l - 1) * n + l];
  const C one = h[(l - 1) * (n + 1)], two = h[l * (n + 1)];
  const W size = sum_of_parts(off);
  W near = sum_of_parts(one) + sum_of_parts(two);

  if (size <= LEAST)
    return 1;
  if (near == 0) {
    near += l >= 2 ? sum_of_parts(h[(l - 1) * n + l - 2]) : 0;
    near += l < last ? sum_of_parts(h[(l + 1) * n + l]) : 0;
  }
  if (size > EPS * near)
    return 0;
  const W ab = fmax(size, sum_of_parts(up)), ba = fmin(size, sum_of_parts(up));
  const W gap = sum_of_parts(one - two), aa = fmax(sum_of_parts(two), gap);
  const W bb = fmin(sum_of_parts(two), gap), s = aa + ab;
  return ba * (ab / s) <= fmax(LEAST, EPS * (bb * (aa / s)));
}

/* The row at which the block begins that ends with row `last`. */
GA_INLINE long find_first(global const C *h, const long n, const long last,
                          SHARED W *all) {
  W first = 0;

  for (long l = last - (long)get_local_id(0); l > 0; l -= G) {
    if (is_split(h, l, n, last)) {
      first = (W)l; /* exact below 2^24 */
      break;
    }
  }
  return (long)group_most(first, all);
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last element;
 * at times another number, to leave cycles. */
GA_INLINE C choose_shift(global const C *h, const long n, const long last,
                         const int tries) {
  const C d = h[last * (n + 1)], low = h[last * n + last - 1];

  if (tries % 10 == 9)
    return d + (C)((W)0.75 * sum_of_parts(low), 0);
  const C u = times(root(h[(last - 1) * n + last]), root(low));
  const W size = sum_of_parts(u);
  if (size == 0)
    return d;
  const C x = (h[(last - 1) * (n + 1)] - d) * (W)0.5;
  const W s = fmax(size, sum_of_parts(x));
  C y = s * root(times(x / s, x / s) + times(u / s, u / s));
  if (x.x * y.x + x.y * y.y < 0)
    y = -y;
  return d - times(u, quotient(u, x + y));
}

/* Replace rows k and k + 1 of x, from column `from` to `to`, by
 * c x_k + s x_k+1 and c x_k+1 - conj(s) x_k. */
GA_INLINE void rotate_rows(global C *x, const long n, const long k,
                           const long from, const long to, const W c,
                           const C s) {
  global C *one = x + k * n, *two = one + n;

  for (long j = from + (long)get_local_id(0); j < to; j += G) {
    const C a = one[j], b = two[j];

    one[j] = c * a + times(s, b);
    two[j] = c * b - conj_times(s, a);
  }
}

/* The same of columns, with conj(s), for rows from `from` to `to`. */
GA_INLINE void rotate_columns(global C *x, const long n, const long k,
                              const long from, const long to, const W c,
                              const C s) {
  for (long i = from + (long)get_local_id(0); i < to; i += G) {
    global C *at = x + i * n + k;
    const C a = at[0], b = at[1];

    at[0] = c * a + conj_times(s, b);
    at[1] = c * b - times(s, a);
  }
}

/* One QR step with a shift on rows [first, last]. If qt is h, there are no
 * vectors, and only that block changes. */
GA_INLINE void qr_step(global C *h, global C *qt, const long n,
                       const long first, const long last, const C shift) {
  const int vectors = qt != h;
  C x = h[first * (n + 1)] - shift, y = h[(first + 1) * n + first];

  SYNC;
  for (long k = first; k < last; ++k) {
    const W ax = size_of(x), ay = size_of(y), r = hypot(ax, ay);
    const W c = ay == 0 ? 1 : ax / r;
    const C unit = ax == 0 ? (C)(1, 0) : x / ax;
    const C s = ay == 0 ? (C)(0, 0) : conj_times(y / r, unit);

    rotate_rows(h, n, k, k, vectors ? n : last + 1, c, s);
    SYNC;
    if (k > first && get_local_id(0) == 0) {
      h[k * n + k - 1] = ay == 0 ? x : r * unit;
      h[(k + 1) * n + k - 1] = (C)(0, 0);
    }
    rotate_columns(h, n, k, vectors ? 0 : first, min(k + 3, last + 1), c, s);
    if (vectors)
      rotate_rows(qt, n, k, 0, n, c, (C)(s.x, -s.y));
    SYNC;
    if (k + 1 < last) {
      x = h[(k + 1) * n + k];
      y = h[(k + 2) * n + k];
    }
  }
}

/* Reduce h further, to a triangle, by at most `most` steps; if they do not
 * suffice, `scale` becomes NaN. Global size: G, batch. */
kernel GROUP void eig_iterate(MATRIX(h), MATRIX(qt), MATRIX(scale),
                              const ulong n_, const ulong most) {
  const long z = (long)get_group_id(1), n = (long)n_;
  global C *h = COMPLEX_AT(h, z), *qt = COMPLEX_AT(qt, z);
  SHARED W all[G];
  long last = n - 1;
  ulong steps = 0;

  for (int tries = 0; last > 0 && steps < most;) {
    const long first = find_first(h, n, last, all);

    if (first > 0 && get_local_id(0) == 0)
      h[first * n + first - 1] = (C)(0, 0);
    if (first == last) {
      --last;
      tries = 0;
      continue;
    }
    qr_step(h, qt, n, first, last, choose_shift(h, n, last, tries));
    ++tries;
    ++steps;
  }
  if (last > 0 && get_local_id(0) == 0)
    MATRIX_AT(scale, z)[0] = (T)NAN;
}

/* --- results --- */

/* Copy the diagonal of h, times the power of 2. Global size: G, batch. */
kernel GROUP void eig_values(MATRIX(h), MATRIX(scale), MATRIX(w),
                             const ulong n_) {
  const long z = (long)get_group_id(1), n = (long)n_;
  global const C *h = COMPLEX_AT(h, z);
  global C *w = COMPLEX_AT(w, z);
  const W e = MATRIX_AT(scale, z)[0];

  for (long i = (long)get_local_id(0); i < n; i += G) {
    const C v = h[i * (n + 1)];

    w[i] = e == e ? (C)(ldexp(v.x, (int)e), ldexp(v.y, (int)e))
                  : (C)(NAN, NAN);
  }
}

/* Set row k of x to the eigenvector of the triangle h for its k-th eigenvalue,
 * with zeros behind. Equal eigenvalues are moved apart by rounding errors, so
 * that elements may be huge: all of them are divided then. Each work-item has
 * one vector; element (j, k) is x[j * x_rs + k * x_cs]. Global size: n at least,
 * batch. */
kernel GROUP void eig_vectors(MATRIX(h), MATRIX(scale), MATRIX(x),
                              const ulong n_) {
  const long z = (long)get_group_id(1), n = (long)n_;
  const long k = (long)get_global_id(0);
  global const C *h = COMPLEX_AT(h, z);
  global C *x = COMPLEX_AT(x, z) + k * x_cs;
  const W e = MATRIX_AT(scale, z)[0];

  if (k >= n)
    return;
  const C own = h[k * (n + 1)];
  const W least = fmax(EPS * sum_of_parts(own), LEAST * n);
  for (long j = n - 1; j > k; --j)
    x[j * x_rs] = (C)(e == e ? 0 : NAN, e == e ? 0 : NAN);
  x[k * x_rs] = (C)(e == e ? 1 : NAN, e == e ? 0 : NAN);
  for (long j = k - 1; j >= 0; --j) {
    global const C *row = h + j * n;
    C sum = (C)(0, 0), d = own - row[j];

    for (long i = j + 1; i <= k; ++i)
      sum += times(row[i], x[i * x_rs]);
    d = sum_of_parts(d) < least ? (C)(least, 0) : d;
    const W size = sum_of_parts(sum), room = LARGE * sum_of_parts(d);
    if (size > room) {
      const int less = ilogb(room) - ilogb(size) - 1;

      for (long i = j + 1; i <= k; ++i)
        x[i * x_rs] = (C)(ldexp(x[i * x_rs].x, less),
                          ldexp(x[i * x_rs].y, less));
      sum = (C)(ldexp(sum.x, less), ldexp(sum.y, less));
    }
    x[j * x_rs] = quotient(sum, d);
  }
}

/* Divide row i of x by its norm, and turn it so that the first of its nearly
 * largest elements is real and positive. Global size: G for each row, batch. */
kernel GROUP void eig_unit(MATRIX(x), const ulong n_) {
  const long z = (long)get_group_id(1), n = (long)n_;
  global C *x = COMPLEX_AT(x, z) + (long)get_group_id(0) * x_rs;
  const int me = (int)get_local_id(0);
  SHARED W all[G];
  const W most = largest_of((global const T *)x, 2 * n, all);
  W sum = 0, largest = 0;
  long first = n;

  for (long j = me; j < n; j += G) {
    const W square = square_of(x[j] / most);

    sum += square;
    largest = fmax(largest, square);
  }
  sum = group_sum(sum, all);
  largest = group_most(largest, all);
  for (long j = me; j < n && first == n; j += G)
    first = square_of(x[j] / most) >= (W)0.5166015625 * largest ? j : n;
  /* Indices are exact in W below 2^24. */
  const W found = -group_most(-(W)first, all);
  const long at = found < n ? (long)found : 0;
  const C lead = x[at] / most;
  const W norm = sqrt(sum), size = size_of(lead);
  const C unit = (C)(lead.x / size, -lead.y / size);
  SYNC;
  for (long j = me; j < n; j += G) {
    const C v = x[j] / most / norm;

    x[j] = j == at && size > 0 ? (C)(size / norm, 0) : times(v, unit);
  }
}
