/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvalues and right eigenvectors of general matrices: by LAPACK where it is
 * there and the device computes on the host's memory; else by shifted QR steps
 * in complex arithmetic, A = Q T Q^H. The eigenvectors of the triangle T are
 * the rows of X, so those of A are the rows of X Q^T. */
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/factor.h"
#include "factor/lapack.h"

enum { A, VALUES, VECTORS, SLOTS };
enum {
  SMALL = 64, /* rows for which a group is small */
  SMALL_GROUP = 32,
  LARGE_GROUP = 256,
  STEPS = 30, /* for each eigenvalue, as in LAPACK */
  LEAST_VALUES = 10
};

static size_t size_of(const ga__factor_array *o) {
  return o[A].array->dimensions[o[A].array->nd - 1];
}

static int check(const ga__factor_array *o, int flags) {
  const int code = ga__dtype_complex(o[A].array->typecode);
  const size_t n = size_of(o);

  (void)flags;
  GA_TRY(ga__factor_check_square(&o[A]));
  if (n > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "a: %zu rows, at most %d", n, INT32_MAX);
  GA_TRY(ga__factor_check_vector_as(&o[VALUES], &o[A], code, n));
  GA_TRY(ga__factor_check_apart(&o[VALUES], &o[A], 0));
  if (o[VECTORS].array == NULL)
    return GA_NO_ERROR;
  GA_TRY(ga__factor_check_as(&o[VECTORS], &o[A], code, 1));
  GA_TRY(ga__factor_check_sizes(&o[VECTORS], n, n));
  GA_TRY(
      ga__factor_check_apart(&o[VECTORS], &o[A], o[A].array->typecode == code));
  return ga__factor_check_apart(&o[VALUES], &o[VECTORS], 0);
}

/* --- launches --- */

/* What is computed. Blocks are workspaces. */
typedef struct work {
  size_t n, group;
  ga__factor number; /* of complex matrices */
  ga__factor real;   /* of real ones */
  ga__block h;       /* the matrix, complex */
  ga__block w;       /* eigenvalues, a row */
  ga__block v;       /* eigenvectors as rows */
  int vectors;
} work;

static work open_work(ga__factor *f, const ga__factor_array *o) {
  const size_t n = size_of(o);
  const size_t group = n <= SMALL ? SMALL_GROUP : LARGE_GROUP;
  work w = {.n = n,
            .group = f->is_cpu ? 1 : ga__at_most(f->most, group),
            .number = *f,
            .real = *f,
            .vectors = o[VECTORS].array != NULL};

  w.number.typecode = ga__dtype_complex(f->typecode);
  w.number.is_complex = 1;
  w.real.typecode = ga__dtype_real(f->typecode);
  w.real.is_complex = 0;
  w.h = ga__factor_work(&w.number, n, n);
  w.w = ga__factor_work(&w.number, 1, n);
  w.v = w.vectors ? ga__factor_work(&w.number, n, n) : w.w;
  return w;
}

/* The real parts of complex matrices, and those and all others. */
static ga__block real_parts(const ga__block *b) {
  ga__block part = *b;

  part.size /= 2;
  part.rs *= 2;
  part.cs *= 2;
  part.bs *= 2;
  return part;
}

static ga__block all_parts(const ga__block *b) {
  ga__block all = real_parts(b);

  all.n *= 2;
  all.cs = 1;
  return all;
}

/* Copy the matrix to h, or to its transpose. */
static void fetch(work *w, const ga__factor_array *a, int is_turned) {
  const ga__block turned = ga__block_turned(&w->h);
  const ga__block *const to = is_turned ? &turned : &w->h;

  if (ga__dtype_is_complex(a->array->typecode)) {
    ga__factor_fetch(&w->number, to, a, a, GA_TRIANGLE_ALL);
  } else {
    const ga__block all = all_parts(&w->h), part = real_parts(to);

    ga__factor_zero(&w->real, &all);
    ga__factor_fetch(&w->real, &part, a, a, GA_TRIANGLE_ALL);
  }
}

/* Add a kernel of cl/factor_eig.cl with groups of `group` work-items. */
static void add_kernel(work *w, const char *entry, size_t items, size_t group) {
  const ga__macro macros[] = {{"G", group}};

  ga__factor_group_kernel(&w->real, "factor_eig", entry, items, group, 1,
                          macros);
}

/* Iterations of a work-item that walks n^2 elements `times` times. */
static void add_rounds(work *w, size_t times) {
  ga__launch_rounds(w->real.l,
                    ga__times(times, ga__ceil_div(w->n * w->n, w->group)));
}

/* Make h a triangle, and qt the transpose of Q, unless it is h. */
static void find_triangle(work *w, const ga__block *qt,
                          const ga__block *scale) {
  const size_t n = w->n, most = STEPS * ga__at_least(n, LEAST_VALUES);
  const ga__block both = ga__factor_work(&w->number, 2, n);
  GpuLaunch *const l = w->real.l;

  add_rounds(w, 6 * n);
  add_kernel(w, "eig_reduce", 1, w->group);
  ga__factor_arg(&w->real, &w->h);
  ga__factor_arg(&w->real, qt);
  ga__factor_arg(&w->real, &both);
  ga__factor_arg(&w->real, scale);
  ga__launch_size(l, n);
  add_rounds(w, 3 * most);
  add_kernel(w, "eig_iterate", 1, w->group);
  ga__factor_arg(&w->real, &w->h);
  ga__factor_arg(&w->real, qt);
  ga__factor_arg(&w->real, scale);
  ga__launch_size(l, n);
  ga__launch_size(l, most);
}

/* Eigenvectors are rows of X for a CPU, and columns for a GPU, whose work-items
 * have neighbouring ones. */
static void find_vectors(work *w, const ga__block *qt, const ga__block *scale) {
  const size_t n = w->n;
  const ga__block both = ga__factor_work(&w->number, n, n);
  const ga__block turned = ga__block_turned(&both);
  const ga__block *const x = w->group == 1 ? &turned : &both;
  const ga__block rows = ga__block_turned(x);

  add_rounds(w, w->group);
  add_kernel(w, "eig_vectors", ga__ceil_div(n, w->group), w->group);
  ga__factor_arg(&w->real, &w->h);
  ga__factor_arg(&w->real, scale);
  ga__factor_arg(&w->real, x);
  ga__launch_size(w->real.l, n);
  ga__factor_multiply(&w->number, &rows, qt, &w->v);
}

static void add_own(work *w) {
  const size_t n = w->n;
  const ga__block qt = w->vectors ? ga__factor_work(&w->number, n, n) : w->h;
  const ga__block scale = ga__factor_work(&w->real, 1, 1);

  find_triangle(w, &qt, &scale);
  add_kernel(w, "eig_values", 1, w->group);
  ga__factor_arg(&w->real, &w->h);
  ga__factor_arg(&w->real, &scale);
  ga__factor_arg(&w->real, &w->w);
  ga__launch_size(w->real.l, n);
  if (w->vectors)
    find_vectors(w, &qt, &scale);
}

static void store_vectors(work *w, const ga__factor_array *to) {
  const ga__block turned = ga__block_turned(&w->v);
  const ga__block place = ga__factor_place(&w->number, to);

  add_kernel(w, "eig_unit", w->n, w->group == 1 ? 1 : SMALL_GROUP);
  ga__factor_arg(&w->real, &w->v);
  ga__launch_size(w->real.l, w->n);
  ga__factor_copy(&w->number, &turned, &place, GA_TRIANGLE_ALL);
  ga__factor_store(&w->number, to, &place);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  work w = open_work(f, o);
  const double n = (double)w.n, batch = (double)f->batch;
  const int by_lapack = ga__lapack_serves(f, w.n, w.n);

  (void)flags;
  fetch(&w, &o[A], by_lapack);
  if (by_lapack)
    ga__lapack_eig(f, &w.h, &w.w, w.vectors ? &w.v : NULL);
  else
    add_own(&w);
  ga__factor_store_vector(&w.number, &o[VALUES], &w.w);
  if (w.vectors)
    store_vectors(&w, &o[VECTORS]);
  ga__launch_cost(f->l, batch * 4 * n * n * (double)w.w.size,
                  batch * (w.vectors ? 100 : 40) * n * n * n);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;
  const int code = ga__dtype_complex(a->typecode);

  (void)flags;
  GA_TRY(ga__factor_check_square(&o[A]));
  GA_TRY(ga__factor_make(to[VALUES], a, code, a->nd - 1, a->dimensions));
  return ga__factor_make(to[VECTORS], a, code, a->nd, a->dimensions);
}

static const ga__factor_family family = {.name = "eig",
                                         .arrays = {"a", "w", "v"},
                                         .n_in = VALUES,
                                         .n_slots = SLOTS,
                                         .needed = VALUES,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_eig_prepare(GpuLaunch **out, GpuArray *w, GpuArray *v,
                         const GpuArray *a) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, w, v}, 0);
}

int GpuArray_eig(GpuArray *w, GpuArray *v, const GpuArray *a) {
  return ga__factor_call(&family, &a, (GpuArray *[]){w, v}, 0);
}
