/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of sparse matrices with vectors and dense matrices. Rows and entries
 * are cut into parts of equal work; a row that is cut is added up at the end
 * (cl/sparse.cl). */
#include <gpuarray/index_guard.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_sparse.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/launch/launch_guard.h"
#include "ocl/ocl.h"
#include "sparse/sparse.h"

enum { STARTS, COLUMNS, VALUES, B, Y, SLOTS };

/* Rows and entries of a part: at least, on CPUs; for one column (on CPUs: the
 * entries of a tile), and for a team of work-items with several columns, on
 * GPUs. */
enum { CPU_CHUNK = 8192, CPU_PARTS_PER_UNIT = 4, TILE = 1024, GPU_CHUNK = 128 };
enum { GROUP = 128, TEAM_MOST = 32 };

GA_NO_PADDING(ga__gen_sparse, 28);

typedef struct job {
  const GpuCsr *m;
  const GpuArray *b, *y;
  gpucontext *ctx;
  size_t entries, n;          /* n: columns of b */
  ssize_t b_column, y_column; /* strides */
  ga__cut cut;
  size_t team;             /* work-items that share a part */
  int is_stream, is_tiles; /* one column on a GPU, on a CPU */
  ga__gen_sparse gen;
} job;

/* --- checks --- */

static int check_b(const GpuCsr *m, const GpuArray *b) {
  GA_TRY(ga__array_check(b));
  GA_TRY(ga__operand_check_array("b", b, GpuArray_context(&m->starts),
                                 m->values.typecode));
  if (b->nd != 1 && b->nd != 2)
    return ga__fail(GA_VALUE_ERROR, "b: expected 1 or 2 dimensions, got %u",
                    b->nd);
  if (b->dimensions[0] != m->n_columns)
    return ga__fail(GA_VALUE_ERROR,
                    "b: %zu rows, but the matrix has %zu columns",
                    b->dimensions[0], m->n_columns);
  if (m->n_columns == 0 && ga__csr_entries(m) > 0)
    return ga__fail(GA_VALUE_ERROR,
                    "the matrix has %zu entries, but no columns",
                    ga__csr_entries(m));
  return GA_NO_ERROR;
}

static int check(const GpuCsr *m, const GpuArray *b, const GpuArray *y) {
  GA_TRY(ga__csr_check_arrays("the matrix", m));
  GA_TRY(check_b(m, b));
  const size_t dims[2] = {m->n_rows, b->nd > 1 ? b->dimensions[1] : 1};
  GA_TRY(ga__array_check(y));
  GA_TRY(ga__operand_check_result("y", y, GpuArray_context(b), b->typecode));
  GA_TRY(ga__operand_place(NULL, "y", y, b->nd, dims, 0));
  GA_TRY(ga__operand_check_apart("y", y, "b", b));
  GA_TRY(ga__operand_check_apart("y", y, "starts", &m->starts));
  GA_TRY(ga__operand_check_apart("y", y, "columns", &m->columns));
  return ga__operand_check_apart("y", y, "values", &m->values);
}

/* --- the layout --- */

/* Vectors on CPUs: of entries, or along the columns of b. */
static unsigned int lanes_of(const job *j, const gpudevice_caps *caps) {
  const ssize_t size = (ssize_t)GpuArray_ITEMSIZE(j->b);
  const unsigned int lanes = ga__dtype_size(j->gen.dtype) == 8
                                 ? caps->vector_float / 2
                                 : caps->vector_float;

  if (!caps->is_cpu || ga__dtype_is_complex(j->gen.dtype))
    return 1;
  const unsigned int v = lanes >= 16 ? 16 : lanes >= 8 ? 8 : 4;
  if (j->n == 1)
    return j->gen.is_unit ? v : 1;
  return j->b_column == size && j->y_column == size && j->n >= v ? v : 1;
}

static void cut(job *j, const gpudevice_caps *caps) {
  const size_t all = j->m->n_rows + j->entries;
  const size_t chunk = j->is_stream ? j->gen.tile : GPU_CHUNK;

  if (caps->is_cpu) {
    const size_t most = (size_t)caps->compute_units * CPU_PARTS_PER_UNIT;
    const size_t useful = ga__times(all, j->n) / CPU_CHUNK;

    j->cut = ga__cut_parts(all, ga__at_most(most, useful), 1, 2);
  } else {
    j->cut = (ga__cut){ga__ceil_div(all, chunk), chunk};
  }
}

static void job_init(job *j, const GpuCsr *m, const GpuArray *b,
                     const GpuArray *y) {
  const gpudevice_caps *caps = gpucontext_caps(GpuArray_context(b));
  const size_t size = GpuArray_ITEMSIZE(b);

  *j = (job){.m = m, .b = b, .y = y, .ctx = GpuArray_context(b)};
  j->entries = ga__csr_entries(m);
  j->n = b->nd > 1 ? b->dimensions[1] : 1;
  j->b_column = b->nd > 1 ? b->strides[1] : 0;
  j->y_column = b->nd > 1 ? y->strides[1] : 0;
  j->is_stream = !caps->is_cpu && j->n == 1;
  j->team = caps->is_cpu || j->is_stream
                ? 1
                : ga__at_most(ga__ceil_pow2(ga__at_most(j->n, TEAM_MOST)),
                              ga__group_size(caps, GROUP));
  j->gen.dtype = ga__dtype_canon(m->values.typecode);
  j->gen.index = ga__dtype_canon(m->starts.typecode);
  j->gen.is_unit = b->strides[0] == (ssize_t)size;
  j->gen.lanes = lanes_of(j, caps);
  j->is_tiles = j->n == 1 && j->gen.lanes > 1;
  j->gen.group = caps->is_cpu ? 1 : (unsigned int)ga__group_size(caps, GROUP);
  j->gen.tile = size > sizeof(double) ? TILE / 2 : TILE;
  cut(j, caps);
  j->gen.wide_index = !ga__fits_int(m->n_rows + j->entries) ||
                      !ga__fits_int(m->n_columns) || !ga__fits_int(j->n) ||
                      !ga__fits_int(ga__times(j->cut.parts, j->team));
}

/* --- kernels --- */

static void add_source(GpuLaunch *l, const job *j, const char *entry,
                       const size_t *gs, const size_t *ls) {
  ga__strb macros = GA_STRB_INIT;

  ga__gen_sparse_write(&macros, &j->gen);
  const char *const parts[4] = {
      ga__strb_text(&macros), ga__template("index_guard"),
      ga__template("sparse"), ga__template("sparse_tiles")};
  const unsigned int n = j->is_tiles ? 4 : 3;
  if (macros.err != GA_NO_ERROR)
    ga__launch_error(l, macros.err);
  else
    ga__launch_kernel(l, &(ga__source){.n = n, .parts = parts, .entry = entry},
                      1, gs, ls);
  ga__strb_clear(&macros);
}

/* Add a kernel for `parts` teams or, of sparse_stream, groups. */
static void add_kernel(GpuLaunch *l, const job *j, const char *entry,
                       size_t team) {
  const size_t ls = j->gen.group;
  const size_t gs = ga__round_up(ga__times(j->cut.parts, team), ls);
  ga__launch_key key;

  ga__launch_key_start(&key, j->ctx, entry);
  ga__launch_key_bytes(&key, &j->gen, sizeof j->gen);
  if (ga__launch_again(l, &key, 1, &gs, &ls))
    return;
  add_source(l, j, entry, &gs, &ls);
  ga__launch_remember(l, &key);
}

static void add_y_strides(GpuLaunch *l, const job *j) {
  ga__launch_ssize(l, j->y->strides[0]);
  ga__launch_ssize(l, j->y_column);
}

static const char *entry_of(const job *j) {
  if (j->is_stream)
    return "sparse_stream";
  return j->is_tiles ? "sparse_tiles" : "sparse_lines";
}

/* Returns the index of the first of the two workspaces. */
static unsigned int add_parts(GpuLaunch *l, const job *j) {
  const size_t parts = j->cut.parts, size = GpuArray_ITEMSIZE(j->b);

  ga__launch_rounds(l, ga__times(j->cut.chunk, ga__ceil_div(j->n, j->team)) /
                           (j->is_stream ? GROUP : 1));
  add_kernel(l, j, entry_of(j), j->is_stream ? j->gen.group : j->team);
  for (unsigned int k = 0; k < SLOTS; k++) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, 0);
  }
  const unsigned int work =
      ga__launch_work(l, ga__times(ga__times(parts, j->n), size));
  ga__launch_work(l, ga__times(parts, sizeof(uint64_t)));
  ga__launch_size(l, j->m->n_rows);
  ga__launch_size(l, j->entries);
  ga__launch_size(l, j->m->n_columns);
  ga__launch_size(l, j->n);
  ga__launch_size(l, parts);
  ga__launch_size(l, j->cut.chunk);
  ga__launch_size(l, j->team);
  ga__launch_ssize(l, j->b->strides[0]);
  ga__launch_ssize(l, j->b_column);
  add_y_strides(l, j);
  ga__launch_index_guard(l, &(ga__indexing){.axis = 0});
  return work;
}

static void add_join(GpuLaunch *l, const job *j, unsigned int work) {
  job plain = *j; /* one source for all kinds of products */

  plain.is_tiles = 0;
  plain.gen.is_unit = 1;
  plain.gen.lanes = 1;
  ga__launch_rounds(l, j->cut.parts);
  add_kernel(l, &plain, "sparse_join", j->team);
  ga__launch_slot(l, Y);
  ga__launch_offset(l, Y, 0);
  ga__launch_work_arg(l, work);
  ga__launch_work_arg(l, work + 1);
  ga__launch_size(l, j->m->n_rows);
  ga__launch_size(l, j->n);
  ga__launch_size(l, j->cut.parts);
  ga__launch_size(l, j->team);
  add_y_strides(l, j);
}

static void add_cost(GpuLaunch *l, const job *j) {
  const double size = (double)GpuArray_ITEMSIZE(j->b), n = (double)j->n;
  const double index = (double)GpuArray_ITEMSIZE(&j->m->starts);
  const double rows = (double)j->m->n_rows, entries = (double)j->entries;

  ga__launch_cost(l,
                  (rows + entries) * index + entries * size +
                      (rows + (double)j->m->n_columns) * n * size,
                  2 * entries * n);
}

static int build(GpuLaunch **out, const job *j) {
  const GpuArray *const arrays[SLOTS] = {&j->m->starts, &j->m->columns,
                                         &j->m->values, j->b, j->y};
  GpuLaunch *l = ga__launch_open(j->ctx, "csr_dot", SLOTS);

  if (j->m->n_rows > 0 && j->n > 0) {
    const unsigned int work = add_parts(l, j);
    if (j->cut.parts > 1)
      add_join(l, j, work);
  }
  for (unsigned int k = 0; k < SLOTS; k++)
    ga__launch_bind_array(l, k, arrays[k]);
  add_cost(l, j);
  return ga__launch_seal(out, l);
}

int GpuCsr_dot_prepare(GpuLaunch **out, GpuArray *y, const GpuCsr *m,
                       const GpuArray *b) {
  job j;

  *out = NULL;
  GA_TRY(check(m, b, y));
  job_init(&j, m, b, y);
  return build(out, &j);
}

/* --- calls --- */

typedef struct call {
  GpuArray *y;
  const GpuCsr *m;
  const GpuArray *b;
} call;

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;

  return GpuCsr_dot_prepare(out, c->y, c->m, c->b);
}

static int run(const call *c) {
  const void *const arrays[SLOTS] = {&c->m->starts, &c->m->columns,
                                     &c->m->values, c->b, c->y};
  gpucontext *ctx = GpuArray_context(c->b);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "csr_dot");
  for (unsigned int k = 0; k < SLOTS; k++)
    ga__launch_key_array(&key, arrays[k]);
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = SLOTS,
                                           .values = arrays,
                                           .prepare = prepare_call,
                                           .arg = c});
}

static int dot(GpuArray *y, const GpuCsr *m, const GpuArray *b) {
  GpuArray made = {0};
  int err;

  GA_TRY(check_b(m, b));
  const size_t dims[2] = {m->n_rows, b->nd > 1 ? b->dimensions[1] : 1};
  GA_TRY(GpuArray_empty(&made, GpuArray_context(b), b->typecode, b->nd, dims,
                        GA_C_ORDER));
  GA_CHECK(run(&(call){&made, m, b}));
  *y = made;
  return GA_NO_ERROR;

done:
  GpuArray_clear(&made);
  return err;
}

int GpuCsr_dot(GpuArray *y, const GpuCsr *m, const GpuArray *b, int flags) {
  GpuCsr turned;

  if (y == NULL || y == b)
    return ga__fail(GA_VALUE_ERROR,
                    y == NULL ? "y is missing" : "y is the same array as b");
  if (flags & ~GA_CSR_TRANSPOSED)
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)flags);
  GA_TRY(ga__csr_check_arrays("the matrix", m));
  if (flags == 0)
    return dot(y, m, b);
  GA_TRY(GpuCsr_transpose(&turned, m));
  const int err = dot(y, &turned, b);
  GpuCsr_clear(&turned);
  return err;
}
