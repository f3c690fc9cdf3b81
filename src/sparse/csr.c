/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices: made of arrays, and checked. */
#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/strb.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "ocl/ocl.h"
#include "sparse/sparse.h"

/* --- arrays --- */

static int check_vector(const char *name, const GpuArray *a, gpucontext *ctx) {
  GA_TRY(ga__array_check(a));
  GA_TRY(ga__operand_check_array(name, a, ctx, GA_OPERAND_ANY));
  if (a->nd != 1)
    return ga__fail(GA_VALUE_ERROR, "%s: expected 1 dimension, got %u", name,
                    a->nd);
  return GA_NO_ERROR;
}

static int check_order(const char *name, const GpuArray *a) {
  return GpuArray_IS_C_CONTIGUOUS(a)
             ? GA_NO_ERROR
             : ga__fail(GA_COPY_ERROR, "%s: the array is not C contiguous",
                        name);
}

static int check_index_type(const char *name, const GpuArray *a) {
  if (a->typecode == GA_INT || a->typecode == GA_LONG)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: expected int32 or int64, got %s", name,
                  ga__dtype_name(a->typecode));
}

int ga__sparse_check_type(const char *name, const GpuArray *a) {
  switch (a->typecode) {
  case GA_FLOAT:
  case GA_DOUBLE:
  case GA_CFLOAT:
  case GA_CDOUBLE:
    return GA_NO_ERROR;
  default:
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "%s: expected float32, float64, complex64 or complex128, "
                    "got %s",
                    name, ga__dtype_name(a->typecode));
  }
}

int ga__sparse_check_index(const char *name, const GpuArray *a,
                           gpucontext *ctx) {
  GA_TRY(check_vector(name, a, ctx));
  GA_TRY(check_index_type(name, a));
  return check_order(name, a);
}

int ga__sparse_check_values(const char *name, const GpuArray *a,
                            gpucontext *ctx) {
  GA_TRY(check_vector(name, a, ctx));
  GA_TRY(ga__sparse_check_type(name, a));
  return check_order(name, a);
}

static int check_sizes(const GpuCsr *m) {
  const size_t n = m->starts.dimensions[0];

  if (n == 0 || n - 1 != m->n_rows)
    return ga__fail(GA_VALUE_ERROR,
                    "starts: %zu elements for %zu rows, expected one more than "
                    "rows",
                    n, m->n_rows);
  if (m->values.dimensions[0] != m->columns.dimensions[0])
    return ga__fail(GA_VALUE_ERROR, "values: %zu elements, but %zu columns",
                    m->values.dimensions[0], m->columns.dimensions[0]);
  if (m->n_columns > INT64_MAX)
    return ga__fail(GA_XLARGE_ERROR, "%zu columns are too many", m->n_columns);
  return GA_NO_ERROR;
}

int ga__csr_check_arrays(const char *name, const GpuCsr *m) {
  if (m == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s is missing", name);
  GA_TRY(ga__array_check(&m->starts));
  gpucontext *ctx = GpuArray_context(&m->starts);
  GA_TRY(ga__sparse_check_index("starts", &m->starts, ctx));
  GA_TRY(ga__sparse_check_index("columns", &m->columns, ctx));
  if (m->columns.typecode != m->starts.typecode)
    return ga__fail(GA_VALUE_ERROR, "columns are %s, but starts %s",
                    ga__dtype_name(m->columns.typecode),
                    ga__dtype_name(m->starts.typecode));
  GA_TRY(ga__sparse_check_values("values", &m->values, ctx));
  return check_sizes(m);
}

/* --- numbers --- */

/* What cl/sparse_check.cl reports: the kinds, and how many numbers. */
enum { NONE, FIRST, LAST, FALLS, RANGE, ORDER };
enum { REPORT = 5 };

/* Rows or entries of a work-item at least, and how many work-items. */
enum { CHUNK = 4096, PARTS_PER_UNIT = 4, GPU_CHUNK = 16, GPU_PARTS = 4096 };

typedef struct checking {
  const char *entry;
  unsigned int n;           /* arrays */
  const GpuArray *array[2]; /* starts and columns, or indices */
  size_t sizes[3];          /* arguments */
  unsigned int n_sizes;
  ga__cut cut;
} checking;

static void cut(checking *c, size_t n) {
  const gpudevice_caps *caps = gpucontext_caps(GpuArray_context(c->array[0]));
  const size_t most =
      caps->is_cpu ? (size_t)caps->compute_units * PARTS_PER_UNIT : GPU_PARTS;

  c->cut = ga__cut_parts(
      n, ga__at_most(most, n / (caps->is_cpu ? CHUNK : GPU_CHUNK)), 1, 2);
}

static void add_kernel(GpuLaunch *l, const checking *c) {
  const gpudevice_caps *caps = gpucontext_caps(GpuArray_context(c->array[0]));
  const size_t ls = ga__group_size(caps, caps->is_cpu ? 1 : 64);
  const size_t gs = ga__round_up(c->cut.parts, ls);
  ga__strb macros = GA_STRB_INIT;

  ga__strb_appendf(&macros, "#define S_INDEX %s\n",
                   ga__dtype_cl(c->array[0]->typecode));
  const char *const parts[2] = {ga__strb_text(&macros),
                                ga__template("sparse_check")};
  if (macros.err != GA_NO_ERROR)
    ga__launch_error(l, macros.err);
  else
    ga__launch_kernel(l,
                      &(ga__source){.n = 2, .parts = parts, .entry = c->entry},
                      1, &gs, &ls);
  ga__strb_clear(&macros);
}

static int run_check(const checking *c, const GpuArray *report) {
  GpuLaunch *l =
      ga__launch_open(GpuArray_context(report), "sparse check", c->n + 1);
  GpuLaunch *made;

  ga__launch_rounds(l, c->cut.chunk);
  add_kernel(l, c);
  for (unsigned int k = 0; k <= c->n; k++) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, 0);
    ga__launch_bind_array(l, k, k < c->n ? c->array[k] : report);
  }
  for (unsigned int k = 0; k < c->n_sizes; k++)
    ga__launch_size(l, c->sizes[k]);
  ga__launch_size(l, c->cut.chunk);
  ga__launch_size(l, c->cut.parts);
  GA_TRY(ga__launch_seal(&made, l));
  const int err = GpuLaunch_run(made);
  GpuLaunch_free(made);
  return err;
}

/* Make *first the report of the first part that found a mistake. */
static int find_first(int64_t *first, const checking *c) {
  const size_t dims[2] = {c->cut.parts, REPORT};
  const size_t n = ga__times(c->cut.parts, REPORT);
  GpuArray report = {0};
  int64_t *all = ga__calloc(n, sizeof *all);
  int err;

  if (all == NULL)
    return ga__fail_nomem();
  GA_CHECK(GpuArray_empty(&report, GpuArray_context(c->array[0]), GA_LONG, 2,
                          dims, GA_C_ORDER));
  GA_CHECK(run_check(c, &report));
  GA_CHECK(GpuArray_read(all, n * sizeof *all, &report));
  for (size_t i = 0; i < REPORT; i++)
    first[i] = 0;
  for (size_t p = 0; p < c->cut.parts && first[0] == NONE; p++)
    for (size_t i = 0; i < REPORT; i++)
      first[i] = all[p * REPORT + i];

done:
  GpuArray_clear(&report);
  ga__free(all);
  return err;
}

static int describe(const int64_t *r) {
  const long long row = r[1], entry = r[2], a = r[3], b = r[4];

  switch (r[0]) {
  case FIRST:
    return ga__fail(GA_VALUE_ERROR, "starts begin with %lld, expected 0", a);
  case LAST:
    return ga__fail(GA_VALUE_ERROR,
                    "starts end with %lld, but there are %lld entries", a, b);
  case FALLS:
    return ga__fail(GA_VALUE_ERROR,
                    "row %lld begins at entry %lld and ends at %lld", row, a,
                    b);
  case RANGE:
    return ga__fail(GA_VALUE_ERROR,
                    "entry %lld, of row %lld: column %lld is out of range for "
                    "%lld columns",
                    entry, row, a, b);
  case ORDER:
    return ga__fail(GA_VALUE_ERROR,
                    "entry %lld, of row %lld: column %lld follows column %lld",
                    entry, row, a, b);
  default:
    return GA_NO_ERROR;
  }
}

int GpuCsr_check(const GpuCsr *m) {
  int64_t first[REPORT];

  GA_TRY(ga__csr_check_arrays("the matrix", m));
  checking c = {.entry = "sparse_check",
                .n = 2,
                .array = {&m->starts, &m->columns},
                .sizes = {m->n_rows, ga__csr_entries(m), m->n_columns},
                .n_sizes = 3};
  cut(&c, m->n_rows);
  GA_TRY(find_first(first, &c));
  return describe(first);
}

int ga__sparse_check_range(const char *name, const GpuArray *index, size_t n) {
  const size_t entries = index->dimensions[0];
  checking c = {.entry = "sparse_range",
                .n = 1,
                .array = {index},
                .sizes = {entries, n},
                .n_sizes = 2};
  int64_t first[REPORT];

  cut(&c, entries);
  GA_TRY(find_first(first, &c));
  if (first[0] == NONE)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR,
                  "%s: %lld of entry %lld is out of range for %zu", name,
                  (long long)first[3], (long long)first[2], n);
}

/* --- matrices --- */

void GpuCsr_clear(GpuCsr *m) {
  if (m == NULL)
    return;
  GpuArray_clear(&m->starts);
  GpuArray_clear(&m->columns);
  GpuArray_clear(&m->values);
  *m = (GpuCsr){0};
}

int ga__sparse_in_order(GpuArray *own, const char *name, const GpuArray *a,
                        gpucontext *ctx) {
  GA_TRY(check_vector(name, a, ctx));
  return GpuArray_IS_C_CONTIGUOUS(a) ? GpuArray_view(own, a)
                                     : GpuArray_copy(own, a, GA_C_ORDER);
}

int GpuCsr_make(GpuCsr *out, size_t n_columns, const GpuArray *starts,
                const GpuArray *columns, const GpuArray *values) {
  GpuCsr m = {.n_columns = n_columns};
  int err;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "the result is missing");
  GA_TRY(ga__array_check(starts));
  gpucontext *ctx = GpuArray_context(starts);
  GA_CHECK(ga__sparse_in_order(&m.starts, "starts", starts, ctx));
  GA_CHECK(ga__sparse_in_order(&m.columns, "columns", columns, ctx));
  GA_CHECK(ga__sparse_in_order(&m.values, "values", values, ctx));
  m.n_rows = m.starts.dimensions[0] > 0 ? m.starts.dimensions[0] - 1 : 0;
  GA_CHECK(GpuCsr_check(&m));
  *out = m;
  return GA_NO_ERROR;

done:
  GpuCsr_clear(&m);
  return err;
}
