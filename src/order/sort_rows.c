/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows along an axis, and the arguments of kernels that sort them. */
#include "order/sort_rows.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/template.h"

/* On a CPU the counts of all digits fit the first-level cache, on a GPU they
 * fit registers. CHUNK is the fewest elements of a part, which one work-item
 * counts and moves. */
#define CPU_CHUNK 8192
#define CPU_ITEMS_PER_THREAD 4
#define GPU_DIGIT_BITS 4
#define GPU_CHUNK 64
#define GPU_PARTS_MAX 16384
#define GPU_GROUP 128
#define GPU_GROUPS_PER_UNIT 8 /* of tiles, that are there at the same time */
#define GPU_MOST_TILES 256    /* of a part: the iterations of a loop */
#define FEW_EDGES 128
#define MANY_EDGES 1024

/* --- checks --- */

static int check_result(const ga__sort_job *j, unsigned int k) {
  static const char *const names[] = {"source", "values", "indices"};
  const GpuArray *src = j->array[GA_SORT_SOURCE], *a = j->array[k];
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < src->nd; d++)
    dims[d] = d == j->axis ? j->k : src->dimensions[d];
  GA_TRY(ga__operand_check_result(
      names[k], a, j->ctx, k == GA_SORT_VALUES ? src->typecode : GA_LONG));
  GA_TRY(ga__operand_place(NULL, names[k], a, src->nd, dims, 0));
  for (unsigned int i = 0; i < k; i++) {
    if (j->array[i] != NULL)
      GA_TRY(ga__operand_check_apart(names[k], a, names[i], j->array[i]));
  }
  return GA_NO_ERROR;
}

int ga__sort_check(const ga__sort_job *j) {
  const GpuArray *src = j->array[GA_SORT_SOURCE];

  GA_TRY(ga__operand_check_array("source", src, j->ctx, GA_OPERAND_ANY));
  if (ga__dtype_is_complex(src->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: %s has no order", j->name,
                    ga__dtype_name(src->typecode));
  if (j->axis >= src->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    j->axis, src->nd);
  if (j->array[GA_SORT_VALUES] == NULL && j->array[GA_SORT_INDICES] == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s: neither values nor indices", j->name);
  for (unsigned int k = GA_SORT_VALUES; k < GA_SORT_SLOTS; k++) {
    if (j->array[k] != NULL)
      GA_TRY(check_result(j, k));
  }
  return GA_NO_ERROR;
}

/* --- rows --- */

static void set_strides(ga__sort_job *j, unsigned int k) {
  const GpuArray *a = j->array[k];
  ptrdiff_t strides[GA_ND_MAX];
  unsigned int n = 0;

  for (unsigned int d = 0; d < a->nd; d++) {
    if (d != j->axis)
      strides[n++] = a->strides[d];
  }
  j->stride[k] = a->strides[j->axis];
  ga__iter_set(&j->rows, k, strides);
}

void ga__sort_some_rows(ga__sort_job *j) {
  if (j->rows.nd > 0)
    return;
  j->rows.nd = 1;
  j->rows.dims[0] = 1;
  for (unsigned int k = 0; k < j->rows.n; k++)
    j->rows.strides[k][0] = 0;
}

int ga__sort_set_rows(ga__sort_job *j) {
  const GpuArray *src = j->array[GA_SORT_SOURCE];
  size_t dims[GA_ND_MAX];
  unsigned int n = 0;

  for (unsigned int d = 0; d < src->nd; d++) {
    if (d != j->axis)
      dims[n++] = src->dimensions[d];
  }
  GA_TRY(ga__iter_init(&j->rows, n, dims, GA_SORT_MOST_ARRAYS));
  for (unsigned int k = 0; k < GA_SORT_MOST_ARRAYS; k++) {
    if (j->array[k] != NULL)
      set_strides(j, k);
  }
  ga__iter_order(&j->rows, j->array[GA_SORT_VALUES] != NULL ? GA_SORT_VALUES
                                                            : GA_SORT_INDICES);
  ga__iter_merge(&j->rows);
  ga__sort_some_rows(j);
  j->n = src->dimensions[j->axis];
  j->n_rows = ga__iter_total(&j->rows);
  j->word = GpuArray_ITEMSIZE(src);
  return GA_NO_ERROR;
}

void ga__sort_clear(ga__sort_job *j) {
  ga__iter_clear(&j->rows);
  ga__strb_clear(&j->macros);
}

/* --- parts --- */

int ga__sort_cut_rows(ga__sort_job *j, unsigned int cpu_digit_bits) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t items = (size_t)caps->compute_units * CPU_ITEMS_PER_THREAD;
  size_t wanted = ga__at_most(j->n / GPU_CHUNK, GPU_PARTS_MAX);

  if (caps->is_cpu)
    wanted = ga__at_most(ga__ceil_div(items, ga__at_least(j->n_rows, 1)),
                         j->n / CPU_CHUNK);
  j->cut = ga__cut_parts(j->n, wanted, 1, 2);
  j->gen.digit_bits = caps->is_cpu ? cpu_digit_bits : GPU_DIGIT_BITS;
  j->gen.group =
      caps->is_cpu ? 1 : (unsigned int)ga__group_size(caps, GPU_GROUP);
  j->gs = ga__round_up(ga__times(j->n_rows, j->cut.parts), j->gen.group);
  return ga__sort_write_macros(j);
}

void ga__sort_cut_tiles(ga__sort_job *j) {
  const size_t full =
      (size_t)gpucontext_caps(j->ctx)->compute_units * GPU_GROUPS_PER_UNIT;
  const size_t tile = (size_t)j->gen.group * j->gen.items;
  const size_t tiles = ga__ceil_div(j->n, tile);
  const size_t wanted = ga__at_least(ga__ceil_div(full, j->n_rows),
                                     ga__ceil_div(tiles, GPU_MOST_TILES));

  j->cut = ga__cut_parts(j->n, ga__at_most(wanted, tiles), tile, 2 * tile);
  j->gs = ga__times(ga__times(j->n_rows, j->cut.parts), j->gen.group);
}

int ga__sort_write_macros(ga__sort_job *j) {
  j->gen.dtype = j->array[GA_SORT_SOURCE]->typecode;
  j->gen.nk = j->rows.nd;
  j->gen.wide_index =
      !ga__fits_int(ga__times(j->n_rows, j->cut.parts)) || !ga__fits_int(j->n);
  ga__gen_sort_write(&j->macros, &j->gen);
  return j->macros.err;
}

void ga__sort_keep_edges(ga__sort_job *j, size_t n) {
  const unsigned int most = n <= FEW_EDGES ? FEW_EDGES : MANY_EDGES;
  /* Order numbers, twice as many slots, and how many edges a slot has. */
  const size_t bytes =
      most * ga__dtype_size(j->gen.dtype) + (2 * most + 4) * sizeof(uint16_t);

  j->gen.edges =
      n > 0 && n <= most && bytes <= gpucontext_caps(j->ctx)->local_bytes / 2
          ? most
          : 0;
}

int ga__sort_is_line(const ga__sort_job *j, unsigned int k) {
  return j->array[k] == NULL ||
         (j->rows.nd == 1 &&
          j->rows.strides[k][0] == (ptrdiff_t)GpuArray_ITEMSIZE(j->array[k]));
}

size_t ga__sort_count_bytes(const ga__sort_job *j, size_t n) {
  return ga__times(ga__times(j->n_rows, ga__times(j->cut.parts, n)),
                   j->gen.wide_index ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* --- arguments --- */

void ga__sort_kernel(GpuLaunch *l, const ga__sort_job *j, const char *template,
                     const char *entry, size_t gs) {
  const char *const parts[3] = {ga__strb_text(&j->macros),
                                ga__template("sort_word"),
                                ga__template(template)};
  const ga__source src = {.n = 3, .parts = parts, .entry = entry};
  const size_t ls = j->gen.group;

  ga__launch_kernel(l, &src, 1, &gs, &ls);
}

/* Add a workspace as an operand. Its rows are contiguous, one after another. */
static void add_work(GpuLaunch *l, const ga__sort_job *j, ga__sort_place *p) {
  size_t step = ga__times(p->most, p->bytes);

  if (p->is_made)
    ga__launch_work_arg(l, p->index);
  else
    p->index = ga__launch_work(l, ga__times(step, j->n_rows));
  p->is_made = 1;
  ga__launch_size(l, p->first * p->bytes);
  for (unsigned int d = 0; d < j->rows.nd; d++) {
    ga__launch_ssize(l, (ptrdiff_t)step);
    step *= j->rows.dims[d];
  }
  ga__launch_ssize(l, (ptrdiff_t)p->bytes);
}

void ga__sort_operand(GpuLaunch *l, const ga__sort_job *j, ga__sort_place *p) {
  if (!p->is_work && p->index == GA_SORT_VALUES && j->to != NULL)
    p = j->to;
  if (p->is_work) {
    add_work(l, j, p);
    return;
  }
  ga__launch_slot(l, j->slot + p->index);
  ga__launch_offset(l, j->slot + p->index, (size_t)j->rows.first[p->index]);
  for (unsigned int d = 0; d < j->rows.nd; d++)
    ga__launch_ssize(l, j->rows.strides[p->index][d]);
  ga__launch_ssize(l, j->stride[p->index]);
}

void ga__sort_sizes(GpuLaunch *l, const ga__sort_job *j) {
  for (unsigned int d = 0; d < j->rows.nd; d++)
    ga__launch_size(l, j->rows.dims[d]);
}

void ga__sort_parts(GpuLaunch *l, const ga__sort_job *j, unsigned int shift) {
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, j->n);
  ga__launch_size(l, j->cut.parts);
  ga__launch_size(l, j->cut.chunk);
  ga__launch_uint(l, shift);
  ga__launch_uint(l, j->how);
}

unsigned int ga__sort_stores(const ga__sort_job *j) {
  const int has_values = j->array[GA_SORT_VALUES] != NULL || j->to != NULL;

  return (has_values ? GA_SORT_STORE_VALUES : 0u) |
         (j->array[GA_SORT_INDICES] != NULL ? GA_SORT_STORE_POSITIONS : 0u);
}

/* The kernel depends on few macros, so all dtypes share it. */
void ga__sort_scan(GpuLaunch *l, const ga__sort_job *j, unsigned int counts,
                   unsigned int digits) {
  const size_t ls = j->gen.group, gs = j->n_rows * ls;
  ga__strb macros = GA_STRB_INIT;

  ga__gen_sort_write_scan(&macros, &j->gen);
  const char *const parts[2] = {ga__strb_text(&macros),
                                ga__template("sort_scan")};
  const ga__source src = {.n = 2, .parts = parts, .entry = "sort_scan"};
  ga__launch_error(l, macros.err);
  ga__launch_rounds(l, 2 * (j->cut.parts * digits) / ls + 256);
  ga__launch_kernel(l, &src, 1, &gs, &ls);
  ga__launch_work_arg(l, counts);
  ga__launch_size(l, j->cut.parts);
  ga__launch_uint(l, digits);
  ga__strb_clear(&macros);
}

int ga__sort_seal(GpuLaunch **out, GpuLaunch *l, const ga__sort_job *j) {
  const double rows = (double)j->n_rows, n = rows * (double)j->n;
  const double kept = rows * (double)j->k;
  const int has_values = j->array[GA_SORT_VALUES] != NULL;
  const int has_indices = j->array[GA_SORT_INDICES] != NULL;

  for (unsigned int k = 0; k < GA_SORT_MOST_ARRAYS; k++) {
    if (j->array[k] != NULL)
      ga__launch_bind_array(l, k, j->array[k]);
  }
  ga__launch_cost(l,
                  n * (double)j->word +
                      kept * (double)((has_values ? j->word : 0) +
                                      (has_indices ? sizeof(int64_t) : 0)),
                  0);
  return ga__launch_seal(out, l);
}
