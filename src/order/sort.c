/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts along an axis: long rows by digits, short rows by insertion. */
#include <gpuarray/device.h>
#include <gpuarray/sort.h>
#include <stdint.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_sort.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "layout/space.h"
#include "ocl/launch_cache.h"
#include "ocl/ocl.h"

/* On a CPU the counts of all digits fit the first-level cache, on a GPU they
 * fit registers. CHUNK is the fewest elements of a part, which one work-item
 * counts and moves. */
#define CPU_DIGIT_BITS 8
#define CPU_CHUNK 8192
#define CPU_ITEMS_PER_THREAD 4
#define GPU_DIGIT_BITS 4
#define GPU_CHUNK 64
#define GPU_PARTS_MAX 16384
#define GPU_GROUP 128

enum { SOURCE, VALUES, INDICES, SLOTS };

typedef struct job {
  const GpuArray *array[SLOTS]; /* results may be NULL */
  gpucontext *ctx;
  unsigned int axis;
  int flags;
  ga__iter rows;           /* the other axes; an array per slot */
  ptrdiff_t stride[SLOTS]; /* along the axis, in bytes */
  size_t n_rows, n, word;  /* n elements of `word` bytes in a row */
  ga__cut cut;             /* of a row */
  unsigned int digit_bits, group;
  size_t gs; /* rows x parts, or more */
  ga__strb macros;
} job;

/* Where a pass reads or writes: an array in a slot, or a workspace, [rows][n],
 * which its first use makes. */
typedef struct place {
  int is_work, is_made;
  unsigned int index; /* of the slot or workspace */
  size_t bytes;       /* of an element of a workspace */
} place;

/* --- checks --- */

static int check(const job *j) {
  const GpuArray *src = j->array[SOURCE];
  static const char *const names[] = {"source", "values", "indices"};

  GA_TRY(ga__operand_check_array("source", src, j->ctx, GA_OPERAND_ANY));
  if (ga__dtype_is_complex(src->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "sort: %s has no order",
                    ga__dtype_name(src->typecode));
  if (j->axis >= src->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    j->axis, src->nd);
  if (j->flags & ~GA_SORT_DESCENDING)
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)j->flags);
  if (j->array[VALUES] == NULL && j->array[INDICES] == NULL)
    return ga__fail(GA_VALUE_ERROR, "sort: neither values nor indices");
  for (unsigned int k = VALUES; k < SLOTS; k++) {
    if (j->array[k] == NULL)
      continue;
    GA_TRY(ga__operand_check_result(names[k], j->array[k], j->ctx,
                                    k == VALUES ? src->typecode : GA_LONG));
    GA_TRY(ga__operand_place(NULL, names[k], j->array[k], src->nd,
                             src->dimensions, 0));
    for (unsigned int i = 0; i < k; i++) {
      if (j->array[i] != NULL)
        GA_TRY(ga__operand_check_apart(names[k], j->array[k], names[i],
                                       j->array[i]));
    }
  }
  return GA_NO_ERROR;
}

/* --- the layout --- */

static int make_rows(job *j) {
  const GpuArray *src = j->array[SOURCE];
  size_t dims[GA_ND_MAX];
  unsigned int n = 0;

  for (unsigned int d = 0; d < src->nd; d++) {
    if (d != j->axis)
      dims[n++] = src->dimensions[d];
  }
  GA_TRY(ga__iter_init(&j->rows, n, dims, SLOTS));
  for (unsigned int k = 0; k < SLOTS; k++) {
    ptrdiff_t strides[GA_ND_MAX];

    if (j->array[k] == NULL)
      continue;
    n = 0;
    for (unsigned int d = 0; d < src->nd; d++) {
      if (d != j->axis)
        strides[n++] = j->array[k]->strides[d];
    }
    j->stride[k] = j->array[k]->strides[j->axis];
    ga__iter_set(&j->rows, k, strides);
  }
  ga__iter_order(&j->rows, j->array[VALUES] != NULL ? VALUES : INDICES);
  ga__iter_merge(&j->rows);
  if (j->rows.nd == 0) {
    j->rows.nd = 1;
    j->rows.dims[0] = 1;
    for (unsigned int k = 0; k < SLOTS; k++)
      j->rows.strides[k][0] = 0;
  }
  j->n = src->dimensions[j->axis];
  j->n_rows = ga__iter_total(&j->rows);
  j->word = GpuArray_ITEMSIZE(src);
  return GA_NO_ERROR;
}

static void lay_out(job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t items = (size_t)caps->compute_units * CPU_ITEMS_PER_THREAD;
  size_t wanted = ga__at_most(j->n / GPU_CHUNK, GPU_PARTS_MAX);

  j->digit_bits = caps->is_cpu ? CPU_DIGIT_BITS : GPU_DIGIT_BITS;
  j->group = caps->is_cpu ? 1 : (unsigned int)ga__group_size(caps, GPU_GROUP);
  if (caps->is_cpu)
    wanted = ga__at_most(ga__ceil_div(items, ga__at_least(j->n_rows, 1)),
                         j->n / CPU_CHUNK);
  j->cut = ga__cut_parts(j->n, wanted, 1, 2);
  j->gs = ga__round_up(ga__times(j->n_rows, j->cut.parts), j->group);
}

/* Whether kernels count in 64 bits. */
static int is_wide(const job *j) {
  return !ga__fits_int(ga__times(j->n_rows, j->cut.parts)) ||
         !ga__fits_int(j->n);
}

static int is_short(const job *j) {
  return j->n <= GA_SORT_SHORT;
}

/* --- launches --- */

static void write_macros(job *j) {
  const ga__gen_sort g = {.dtype = j->array[SOURCE]->typecode,
                          .is_descending = (j->flags & GA_SORT_DESCENDING) != 0,
                          .has_values = j->array[VALUES] != NULL,
                          .has_indices = j->array[INDICES] != NULL,
                          .wide_index = is_wide(j),
                          .digit_bits = j->digit_bits,
                          .group = j->group,
                          .nk = j->rows.nd};

  ga__gen_sort_write(&j->macros, &g);
}

static void add_kernel(GpuLaunch *l, const job *j, const char *entry, size_t gs,
                       size_t ls) {
  const char *const parts[2] = {ga__strb_text(&j->macros),
                                ga__template("sort")};
  const ga__source src = {.n = 2, .parts = parts, .entry = entry};

  ga__launch_kernel(l, &src, 1, &gs, &ls);
}

/* Add a workspace as an operand. Its rows are contiguous, one after another. */
static void add_work(GpuLaunch *l, const job *j, place *p) {
  size_t step = j->n * p->bytes;

  if (p->is_made)
    ga__launch_work_arg(l, p->index);
  else
    p->index = ga__launch_work(l, ga__times(step, j->n_rows));
  p->is_made = 1;
  ga__launch_size(l, 0);
  for (unsigned int d = 0; d < j->rows.nd; d++) {
    ga__launch_ssize(l, (ptrdiff_t)step);
    step *= j->rows.dims[d];
  }
  ga__launch_ssize(l, (ptrdiff_t)p->bytes);
}

static void add_operand(GpuLaunch *l, const job *j, place *p) {
  if (p->is_work) {
    add_work(l, j, p);
    return;
  }
  ga__launch_slot(l, p->index);
  ga__launch_offset(l, p->index, (size_t)j->rows.first[p->index]);
  for (unsigned int d = 0; d < j->rows.nd; d++)
    ga__launch_ssize(l, j->rows.strides[p->index][d]);
  ga__launch_ssize(l, j->stride[p->index]);
}

static void add_sizes(GpuLaunch *l, const job *j) {
  for (unsigned int d = 0; d < j->rows.nd; d++)
    ga__launch_size(l, j->rows.dims[d]);
}

static void add_cut(GpuLaunch *l, const job *j, unsigned int shift) {
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, j->n);
  ga__launch_size(l, j->cut.parts);
  ga__launch_size(l, j->cut.chunk);
  ga__launch_uint(l, shift);
}

static void add_short(GpuLaunch *l, const job *j) {
  const size_t ls = j->group;

  add_kernel(l, j, "sort_short", ga__round_up(j->n_rows, ls), ls);
  for (unsigned int k = 0; k < SLOTS; k++) {
    /* The kernel does not use a missing result: any slot serves. */
    const unsigned int slot = j->array[k] != NULL ? k : SOURCE;
    add_operand(l, j, &(place){.index = slot});
  }
  add_sizes(l, j);
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, j->n);
}

/* The workspaces of a launch in passes: two of elements and two of positions,
 * which passes read and write in turn, and that of the counts, [rows][digits]
 * [parts]. */
typedef struct works {
  place words[2], positions[2];
  unsigned int counts;
} works;

/* Where pass p of n writes: the last one to the result, if the caller wants it,
 * the others to the workspaces in turn. */
static place *target(const job *j, place *result, place *in_turn, size_t p,
                     size_t n) {
  return p + 1 == n && j->array[result->index] != NULL ? result
                                                       : &in_turn[p % 2];
}

static void add_counts(GpuLaunch *l, const job *j, works *w, place *from,
                       unsigned int shift) {
  const size_t counts =
      ga__times(ga__times(j->n_rows, j->cut.parts << j->digit_bits),
                is_wide(j) ? sizeof(uint64_t) : sizeof(uint32_t));

  ga__launch_rounds(l, j->cut.chunk + ((size_t)2 << j->digit_bits));
  add_kernel(l, j, "sort_count", j->gs, j->group);
  add_operand(l, j, from);
  add_sizes(l, j);
  if (shift == 0)
    w->counts = ga__launch_work(l, counts);
  else
    ga__launch_work_arg(l, w->counts);
  add_cut(l, j, shift);
  ga__launch_rounds(l, 2 * (j->cut.parts << j->digit_bits) / j->group + 256);
  add_kernel(l, j, "sort_scan", j->n_rows * j->group, j->group);
  ga__launch_work_arg(l, w->counts);
  ga__launch_size(l, j->cut.parts);
}

static void add_passes(GpuLaunch *l, const job *j) {
  const size_t n = ga__ceil_div(8 * j->word, j->digit_bits);
  const place word = {.is_work = 1, .bytes = j->word};
  const place position = {.is_work = 1, .bytes = sizeof(int64_t)};
  works w = {.words = {word, word}, .positions = {position, position}};
  place values = {.index = VALUES}, indices = {.index = INDICES};
  place source = {.index = SOURCE}, *from = &source, *at = &source;

  for (size_t p = 0; p < n; p++) {
    const unsigned int shift = (unsigned int)p * j->digit_bits;
    place *to = target(j, &values, w.words, p, n);
    place *pos = j->array[INDICES] != NULL
                     ? target(j, &indices, w.positions, p, n)
                     : &source;

    add_counts(l, j, &w, from, shift);
    ga__launch_rounds(l, j->cut.chunk + ((size_t)1 << j->digit_bits));
    add_kernel(l, j, "sort_move", j->gs, j->group);
    add_operand(l, j, from);
    add_operand(l, j, at);
    add_operand(l, j, to);
    add_operand(l, j, pos);
    add_sizes(l, j);
    ga__launch_work_arg(l, w.counts);
    add_cut(l, j, shift);
    ga__launch_uint(l, p == 0);
    from = to;
    at = pos;
  }
}

static int build(GpuLaunch **out, job *j) {
  const double elements = (double)j->n_rows * (double)j->n;

  lay_out(j);
  write_macros(j);
  GA_TRY(j->macros.err);
  GpuLaunch *l = ga__launch_open(j->ctx, "sort", SLOTS);
  if (elements > 0 && is_short(j))
    add_short(l, j);
  else if (elements > 0)
    add_passes(l, j);
  for (unsigned int k = 0; k < SLOTS; k++) {
    if (j->array[k] != NULL)
      ga__launch_bind_array(l, k, j->array[k]);
  }
  const size_t bytes = j->word + (j->array[VALUES] != NULL ? j->word : 0) +
                       (j->array[INDICES] != NULL ? sizeof(int64_t) : 0);
  ga__launch_cost(l, elements * (double)bytes, 0);
  return ga__launch_seal(out, l);
}

int GpuArray_sort_prepare(GpuLaunch **out, GpuArray *values, GpuArray *indices,
                          const GpuArray *src, unsigned int axis, int flags) {
  job j = {.array = {src, values, indices},
           .axis = axis,
           .flags = flags,
           .macros = GA_STRB_INIT};
  int err;

  *out = NULL;
  GA_TRY(ga__array_check(src));
  j.ctx = GpuArray_context(src);
  GA_TRY(check(&j));
  GA_CHECK(make_rows(&j));
  GA_CHECK(build(out, &j));

done:
  ga__iter_clear(&j.rows);
  ga__strb_clear(&j.macros);
  return err;
}

/* --- calls --- */

typedef struct call {
  const GpuArray *src;
  GpuArray *values, *indices;
  unsigned int axis;
  int flags;
} call;

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;

  return GpuArray_sort_prepare(out, c->values, c->indices, c->src, c->axis,
                               c->flags);
}

static int run(const call *c) {
  const void *const arrays[SLOTS] = {c->src, c->values, c->indices};
  gpucontext *ctx = GpuArray_context(c->src);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "sort");
  ga__launch_key_number(&key, c->axis);
  ga__launch_key_number(&key, (size_t)c->flags);
  ga__launch_key_number(&key, c->values != NULL);
  ga__launch_key_number(&key, c->indices != NULL);
  for (unsigned int k = 0; k < SLOTS; k++) {
    if (arrays[k] != NULL)
      ga__launch_key_array(&key, arrays[k]);
  }
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = SLOTS,
                                           .values = arrays,
                                           .prepare = prepare_call,
                                           .arg = c});
}

int GpuArray_sort(GpuArray *values, GpuArray *indices, const GpuArray *src,
                  unsigned int axis, int flags) {
  GpuArray *const results[2] = {values, indices};
  int err = GA_NO_ERROR;

  for (int k = 0; k < 2; k++) {
    if (results[k] != NULL)
      *results[k] = (GpuArray){0};
  }
  GA_TRY(ga__array_check(src));
  for (int k = 0; k < 2; k++) {
    if (results[k] != NULL)
      GA_CHECK(GpuArray_empty(results[k], GpuArray_context(src),
                              k == 0 ? src->typecode : GA_LONG, src->nd,
                              src->dimensions, GA_C_ORDER));
  }
  GA_CHECK(run(&(call){src, values, indices, axis, flags}));

done:
  for (int k = 0; k < 2 && err != GA_NO_ERROR; k++) {
    if (results[k] != NULL)
      GpuArray_clear(results[k]);
  }
  return err;
}
