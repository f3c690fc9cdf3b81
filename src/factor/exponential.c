/* SPDX-License-Identifier: BSD-2-Clause */
/* Exponentials of square matrices: Pade's approximant of degree 13 of A / 2^s,
 * squared s times. The host finds s for each matrix from its norm. */
#include <gpuarray/create.h>
#include <gpuarray/elemwise.h>
#include <math.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/pade.h"
#include "factor/matrix.h"

/* Norms up to this are not scaled; 2^MOST times this is too much. */
static const double radius = 5.371920351148152;

enum { MOST = 64 };

/* Matrices in C order. The views have a row of real numbers for each matrix, so
 * expressions are the same for complex ones. */
typedef struct batch {
  GpuArray a, parts;
} batch;

typedef struct exponential {
  GpuArray counts; /* int32, [matrices, 1]: how often each is squared; -1 of
                        one that has no exponential */
  int most, least; /* of these */
  batch x, one;    /* the scaled matrices, and one identity */
  batch two, four, six; /* their powers */
} exponential;

static void batch_clear(batch *b) {
  GpuArray_clear(&b->parts);
  GpuArray_clear(&b->a);
}

static void clear(exponential *e) {
  batch *const all[] = {&e->x, &e->one, &e->two, &e->four, &e->six};

  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    batch_clear(all[k]);
  GpuArray_clear(&e->counts);
}

/* View the elements of b->a. */
static int view_parts(batch *b) {
  const GpuArray *const a = &b->a;
  const int real = ga__dtype_real(a->typecode);
  const size_t size = ga__dtype_size(real), n = a->dimensions[a->nd - 1];
  const size_t each = n * n * (GpuArray_ITEMSIZE(a) / size);
  const size_t dims[2] = {ga__array_total(a) / (n * n), each};
  const ssize_t strides[2] = {(ssize_t)(each * size), (ssize_t)size};

  return GpuArray_fromdata(&b->parts, a->data, a->offset, real, 2, dims,
                           strides, 1);
}

static int multiply(batch *c, const batch *a, const batch *b) {
  GA_TRY(ga__matrix_multiply(&c->a, &a->a, &b->a, 0));
  return view_parts(c);
}

static ga__term read(const char *name, const batch *b) {
  return (ga__term){name, &b->parts, GE_READ, 0};
}

static ga__term change(const char *name, const batch *b) {
  return (ga__term){name, &b->parts, GE_READ | GE_WRITE, 0};
}

/* --- how often matrices are squared --- */

static int count_of(double norm) {
  const double n = ceil(log2(norm / radius));

  return !(n <= MOST) ? -1 : n > 0 ? (int)n : 0;
}

/* Read n norms, and set the counts, which are on the host. */
static int read_counts(exponential *e, int32_t *counts, const GpuArray *norms,
                       size_t n) {
  const size_t size = GpuArray_ITEMSIZE(norms);
  char *const v = ga__calloc(n, size);
  int err;

  if (v == NULL)
    return ga__fail_nomem();
  GA_CHECK(GpuArray_read(v, n * size, norms));
  e->most = 0;
  e->least = MOST;
  for (size_t z = 0; z < n; z++) {
    counts[z] = count_of(ga__dtype_to_double(norms->typecode, v + z * size));
    e->most = counts[z] > e->most ? counts[z] : e->most;
    e->least = counts[z] < e->least ? counts[z] : e->least;
  }

done:
  ga__free(v);
  return err;
}

static int find_counts(exponential *e, const GpuArray *a) {
  GpuArray norms = {0};
  int32_t *counts = NULL;
  int err;

  GA_CHECK(GpuArray_matrix_norm(&norms, a, GA_NORM_COLUMNS));
  const size_t n = ga__array_total(&norms);
  counts = ga__calloc(n, sizeof *counts);
  if (counts == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(read_counts(e, counts, &norms, n));
  GA_CHECK(GpuArray_empty(&e->counts, GpuArray_context(a), GA_INT, 2,
                          (size_t[]){n, 1}, GA_C_ORDER));
  GA_CHECK(GpuArray_write(&e->counts, counts, n * sizeof *counts));

done:
  ga__free(counts);
  GpuArray_clear(&norms);
  return err;
}

/* --- powers --- */

static int open(exponential *e, const GpuArray *a) {
  const size_t n = a->dimensions[a->nd - 1];

  GA_TRY(find_counts(e, a));
  GA_TRY(GpuArray_copy(&e->x.a, a, GA_C_ORDER));
  GA_TRY(view_parts(&e->x));
  GA_TRY(ga__matrix_map(
      "x = ldexp(x, -n)", 2,
      (ga__term[]){change("x", &e->x), {"n", &e->counts, GE_READ, 0}}));
  GA_TRY(GpuArray_eye(&e->one.a, GpuArray_context(a), a->typecode, n, n, 0));
  GA_TRY(view_parts(&e->one));
  GA_TRY(multiply(&e->two, &e->x, &e->x));
  GA_TRY(multiply(&e->four, &e->two, &e->two));
  return multiply(&e->six, &e->four, &e->two);
}

/* --- the approximant --- */

/* Compute odd and even terms with `count` coefficients from `first` on, over
 * the first one of all, so that float32 has them. */
static int combine(const char *text, const exponential *e, const batch *odd,
                   const batch *even, int flags, size_t first, size_t count) {
  static const char *const names[14] = {"c0",  "c1",  "c2",  "c3", "c4",
                                        "c5",  "c6",  "c7",  "c8", "c9",
                                        "c10", "c11", "c12", "c13"};
  ga__term terms[GA_TERMS_MOST] = {
      {"odd", &odd->parts, flags, 0}, {"even", &even->parts, flags, 0},
      read("one", &e->one),           read("two", &e->two),
      read("four", &e->four),         read("six", &e->six)};

  for (size_t k = 0; k < count; k++)
    terms[6 + k] = (ga__term){.name = names[first + k],
                              .value = ga__pade[first + k] / ga__pade[0]};
  return ga__matrix_map(text, 6 + (unsigned int)count, terms);
}

static int make(batch *b, const exponential *e) {
  const GpuArray *const x = &e->x.a;

  GA_TRY(GpuArray_empty(&b->a, GpuArray_context(x), x->typecode, x->nd,
                        x->dimensions, GA_C_ORDER));
  return view_parts(b);
}

/* The sum and the difference of the even and the odd terms. */
static int find_terms(const exponential *e, batch *plus, batch *minus) {
  batch a = {.a = {0}}, b = {.a = {0}}, sum = {.a = {0}}, odd = {.a = {0}};
  int err;

  GA_CHECK(make(&a, e));
  GA_CHECK(make(&b, e));
  GA_CHECK(combine("odd = c13 * six + c11 * four + c9 * two;"
                   "even = c12 * six + c10 * four + c8 * two",
                   e, &a, &b, GE_WRITE, 8, 6));
  GA_CHECK(multiply(&sum, &e->six, &a));
  GA_CHECK(multiply(minus, &e->six, &b));
  GA_CHECK(combine("odd = odd + (c7 * six + c5 * four + c3 * two + c1 * one);"
                   "even = even + (c6 * six + c4 * four + c2 * two + c0 * one)",
                   e, &sum, minus, GE_READ | GE_WRITE, 0, 8));
  GA_CHECK(multiply(&odd, &e->x, &sum));
  GA_CHECK(make(plus, e));
  GA_CHECK(ga__matrix_map("plus = even + odd; even = even - odd", 3,
                          (ga__term[]){{"plus", &plus->parts, GE_WRITE, 0},
                                       change("even", minus),
                                       read("odd", &odd)}));

done:
  batch_clear(&odd);
  batch_clear(&sum);
  batch_clear(&b);
  batch_clear(&a);
  return err;
}

static int approximate(batch *y, const exponential *e) {
  batch plus = {.a = {0}}, minus = {.a = {0}};
  int err;

  GA_CHECK(find_terms(e, &plus, &minus));
  GA_CHECK(GpuArray_solve(&y->a, NULL, &minus.a, &plus.a, 0));
  GA_CHECK(view_parts(y));

done:
  batch_clear(&minus);
  batch_clear(&plus);
  return err;
}

/* --- squares --- */

/* Replace y by its square, but for matrices that have been squared enough. */
static int square_once(batch *y, const exponential *e, int k) {
  batch z = {.a = {0}};
  int err;

  GA_CHECK(multiply(&z, y, y));
  if (k >= e->least)
    GA_CHECK(ga__matrix_map("z = n > k ? z : y", 4,
                            (ga__term[]){change("z", &z),
                                         read("y", y),
                                         {"n", &e->counts, GE_READ, 0},
                                         {.name = "k", .value = k}}));
  batch_clear(y);
  *y = z;
  return GA_NO_ERROR;

done:
  batch_clear(&z);
  return err;
}

static int square(batch *y, const exponential *e) {
  for (int k = 0; k < e->most; k++)
    GA_TRY(square_once(y, e, k));
  return e->least >= 0
             ? GA_NO_ERROR
             : ga__matrix_map(
                   "y = n < 0 ? NAN : y", 2,
                   (ga__term[]){change("y", y), {"n", &e->counts, GE_READ, 0}});
}

int GpuArray_matrix_exp(GpuArray *x, const GpuArray *a) {
  exponential e = {.most = 0};
  batch y = {.a = {0}};
  int err;

  GA_TRY(ga__matrix_open(x, "x", a));
  GA_TRY(ga__matrix_square(a));
  if (ga__array_total(a) == 0)
    return GpuArray_copy(x, a, GA_C_ORDER);
  GA_CHECK(open(&e, a));
  GA_CHECK(approximate(&y, &e));
  GA_CHECK(square(&y, &e));
  GA_CHECK(GpuArray_view(x, &y.a));

done:
  batch_clear(&y);
  clear(&e);
  return err;
}
