/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of LAPACKE and CBLAS for real elements. They are loaded when they
 * are first used: libraries of other functions may have LAPACKE alone. */
#include "factor/lapack_real.h"

#include "base/library.h"

enum {
  LEFT = 141,
  MOST_OWN = 512 /* rows for which the library's own kernels are as fast */
};

/* The 32-bit integers of LAPACKE's functions. */
typedef int32_t word;

static struct {
  word (*sgetrf)(int, word, word, float *, word, word *);
  word (*dgetrf)(int, word, word, double *, word, word *);
  word (*sgetri)(int, word, float *, word, const word *, float *, word);
  word (*dgetri)(int, word, double *, word, const word *, double *, word);
  void (*strsm)(int, int, int, int, int, word, word, float, const float *, word,
                float *, word);
  void (*dtrsm)(int, int, int, int, int, word, word, double, const double *,
                word, double *, word);
  void (*sgemm)(int, int, int, word, word, word, float, const float *, word,
                const float *, word, float, float *, word);
  void (*dgemm)(int, int, int, word, word, word, double, const double *, word,
                const double *, word, double, double *, word);
} lib;

static const ga__symbol symbols[] = {{"LAPACKE_sgetrf_work", &lib.sgetrf},
                                     {"LAPACKE_dgetrf_work", &lib.dgetrf},
                                     {"LAPACKE_sgetri_work", &lib.sgetri},
                                     {"LAPACKE_dgetri_work", &lib.dgetri},
                                     {"cblas_strsm", &lib.strsm},
                                     {"cblas_dtrsm", &lib.dtrsm},
                                     {"cblas_sgemm", &lib.sgemm},
                                     {"cblas_dgemm", &lib.dgemm},
                                     {NULL, NULL}};
static ga__library library = {.files = {"liblapacke.so.3", "liblapacke.so"},
                              .symbols = symbols};

int ga__lapack_pays(const ga__factor *f, size_t least, size_t most) {
  return least > MOST_OWN && !f->is_complex &&
         ga__lapack_serves(f, most, most) && ga__library_load(&library);
}

word ga__lapack_getrf(size_t size, size_t m, size_t n, void *a, size_t step,
                      word *pivots) {
  return size == sizeof(double) ? lib.dgetrf(GA_LAPACK_COLUMNS, (word)m,
                                             (word)n, a, (word)step, pivots)
                                : lib.sgetrf(GA_LAPACK_COLUMNS, (word)m,
                                             (word)n, a, (word)step, pivots);
}

void ga__lapack_getri(size_t size, size_t n, void *a, const word *pivots,
                      void *work, size_t n_work) {
  if (size == sizeof(double))
    lib.dgetri(GA_LAPACK_COLUMNS, (word)n, a, (word)n, pivots, work,
               (word)n_work);
  else
    lib.sgetri(GA_LAPACK_COLUMNS, (word)n, a, (word)n, pivots, work,
               (word)n_work);
}

void ga__lapack_trsm(size_t size, const ga__lapack_triangular *t, size_t n,
                     size_t r, const void *a, void *x) {
  if (size == sizeof(double))
    lib.dtrsm(t->order, LEFT, t->part, t->trans, t->diagonal, (word)n, (word)r,
              1, a, (word)t->a_step, x, (word)t->x_step);
  else
    lib.strsm(t->order, LEFT, t->part, t->trans, t->diagonal, (word)n, (word)r,
              1, a, (word)t->a_step, x, (word)t->x_step);
}

void ga__lapack_subtract(size_t size, size_t m, size_t n, size_t k,
                         const void *a, const void *b, void *c, size_t step) {
  if (size == sizeof(double))
    lib.dgemm(GA_LAPACK_ROWS, GA_LAPACK_AS_IS, GA_LAPACK_AS_IS, (word)m,
              (word)n, (word)k, -1, a, (word)step, b, (word)step, 1, c,
              (word)step);
  else
    lib.sgemm(GA_LAPACK_ROWS, GA_LAPACK_AS_IS, GA_LAPACK_AS_IS, (word)m,
              (word)n, (word)k, -1, a, (word)step, b, (word)step, 1, c,
              (word)step);
}
