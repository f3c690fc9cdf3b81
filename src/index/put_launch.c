/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the launches of take, gather, put and scatter. */
#include "index/put_launch.h"

#include <stdint.h>

#include "array/geometry.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_put.h"
#include "codegen/template.h"
#include "ocl/launch/launch_guard.h"
#include "ocl/ocl.h"
#include "order/sort_passes.h"

/* Small groups, so that few rows have work-items on all compute units. */
#define JOIN_GROUP 32

/* --- arguments --- */

static void add_sizes(GpuLaunch *l, const ga__iter *it, unsigned int first) {
  for (unsigned int k = first; k < GA_PUT_ARRAYS; k++) {
    for (unsigned int d = 0; d < it->nd; d++)
      ga__launch_ssize(l, it->strides[k][d]);
  }
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_size(l, it->dims[d]);
}

/* Add the definitions of complex dtypes, which conversions need. Returns the
 * number of parts. */
static unsigned int add_complex(const char **parts, const ga__gen_put *gen) {
  const int types[] = {gen->typecode, gen->value_type};
  unsigned int n = 0;

  for (int k = 0; gen->move == GA_MOVE_CAST && k < 2; k++) {
    const char *head = ga__arg_complex_head(types[k]);

    if (head == NULL)
      continue;
    parts[n++] = head;
    parts[n++] = ga__template("complex");
  }
  return n;
}

static void add_kernel(GpuLaunch *l, const ga__gen_put *gen, unsigned int nd,
                       const size_t *gs, const size_t *ls) {
  const char *entry = ga__put_entry(gen->kernel);
  ga__strb macros = GA_STRB_INIT;
  const char *parts[8];
  ga__source src = {.parts = parts, .entry = entry};

  ga__gen_put_write(&macros, gen);
  src.n = add_complex(parts, gen);
  parts[src.n++] = ga__strb_text(&macros);
  parts[src.n++] = ga__template("index_guard");
  parts[src.n++] = ga__template("put_index");
  parts[src.n++] = ga__template(entry);
  if (macros.err != GA_NO_ERROR)
    ga__launch_error(l, macros.err);
  ga__launch_kernel(l, &src, nd, gs, ls);
  ga__strb_clear(&macros);
}

/* The slot of rows, values or indices. The written array has slot 0. */
static unsigned int slot_of(const ga__put_job *j, unsigned int k) {
  return ga__put_is_take(j->move) && k != GA_PUT_INDICES ? 1 - k : k;
}

static void add_array(GpuLaunch *l, const ga__put_layout *p,
                      const ga__put_job *j, unsigned int k) {
  ga__launch_slot(l, slot_of(j, k));
  ga__launch_offset(l, slot_of(j, k), p->offsets[k]);
  ga__launch_require_align(l, slot_of(j, k), p->aligns[k]);
}

static void add_guard(GpuLaunch *l, const ga__put_layout *p,
                      const ga__put_job *j) {
  const ga__indexing x = {.axis = j->axis,
                          .is_unsigned = ga__dtype_kind(j->index->typecode) ==
                                         GA_KIND_UINT,
                          .has_gaps = p->has_gaps};

  ga__launch_index_guard(l, &x);
}

/* Add the rows of all parts. Returns their workspace. */
static unsigned int add_parts(GpuLaunch *l, const ga__put_job *j) {
  const unsigned int sums = ga__launch_work(
      l, ga__times(j->parts, ga__times(j->rows, ga__put_word(j->a))));

  ga__launch_size(l, 0);
  return sums;
}

/* Add the arguments that the macro P_PARAMS declares. Returns the workspace of
 * rows of parts, if there are parts. */
static unsigned int add_arrays(GpuLaunch *l, const ga__put_layout *p,
                               const ga__put_job *j) {
  unsigned int sums = 0;

  if (j->parts > 0)
    sums = add_parts(l, j);
  else
    add_array(l, p, j, GA_PUT_ROWS);
  add_array(l, p, j, GA_PUT_VALUES);
  add_array(l, p, j, GA_PUT_INDICES);
  ga__launch_size(l, j->rows);
  ga__launch_ssize(l, j->stride);
  add_guard(l, p, j);
  add_sizes(l, &p->lines, GA_PUT_ROWS);
  if (p->gen.steps != NULL)
    add_sizes(l, &p->steps, GA_PUT_VALUES);
  return sums;
}

static void add_join(GpuLaunch *l, const ga__put_layout *p,
                     const ga__put_job *j, unsigned int sums) {
  const size_t ls = JOIN_GROUP, gs = ga__round_up(j->rows, ls);
  ga__gen_put gen = p->gen;

  gen.kernel = GA_PUT_JOIN;
  add_kernel(l, &gen, 1, &gs, &ls);
  ga__launch_slot(l, GA_PUT_ROWS);
  ga__launch_offset(l, GA_PUT_ROWS, 0);
  ga__launch_size(l, j->rows);
  ga__launch_ssize(l, j->stride);
  ga__launch_work_arg(l, sums);
  ga__launch_uint(l, (uint32_t)j->parts);
}

/* Add the kernel ROW, and JOIN for parts. */
static void add_rows(GpuLaunch *l, const ga__put_layout *p,
                     const ga__put_job *j) {
  add_kernel(l, &p->gen, 1, p->gs, p->ls);
  const unsigned int sums = add_arrays(l, p, j);
  ga__launch_size(l, p->n_lines);
  ga__launch_size(l, p->len);
  ga__launch_size(l, j->last);
  ga__launch_local(l, p->local_bytes);
  if (j->parts > 0)
    add_join(l, p, j, sums);
}

/* Add one kernel: EACH, ORDER or COLUMN. */
static void add_moves(GpuLaunch *l, const ga__put_layout *p,
                      const ga__put_job *j) {
  add_kernel(l, &p->gen, j->in_order ? 2 : 1, p->gs, p->ls);
  add_arrays(l, p, j);
  ga__launch_size(l, p->n_lines);
  ga__launch_size(l, p->len);
  if (p->gen.kernel != GA_PUT_COLUMN) {
    ga__launch_size(l, p->pieces);
    ga__launch_size(l, p->piece);
  }
  ga__launch_size(l, p->per);
  if (p->gen.kernel != GA_PUT_ORDER)
    ga__launch_size(l, p->ahead);
  if (j->in_order) {
    ga__launch_size(l, p->n_steps);
    ga__launch_size(l, p->span);
  }
  if (p->gen.kernel == GA_PUT_ORDER)
    ga__launch_size(l, p->ahead);
}

/* Sorted indices: `ends` is a workspace, `order` one or a slot. */
typedef struct sorted {
  unsigned int ends, order;
} sorted;

/* Add a kernel that sorts indices, and its first arguments, the indices. */
static void add_indices(GpuLaunch *l, const ga__put_layout *p,
                        const ga__put_job *j, ga__put_kernel kernel, size_t gs,
                        size_t ls) {
  ga__gen_put gen = p->gen;

  gen.kernel = kernel;
  gen.is_wide = 0;
  gen.group = (unsigned int)ls;
  add_kernel(l, &gen, 1, &gs, &ls);
  add_array(l, p, j, GA_PUT_INDICES);
  ga__launch_size(l, j->rows);
  if (kernel != GA_PUT_RANK)
    add_guard(l, p, j);
  add_sizes(l, &p->steps, GA_PUT_INDICES);
}

/* Add the kernel PLACE. */
static sorted add_places(GpuLaunch *l, const ga__put_layout *p,
                         const ga__put_job *j) {
  unsigned int shift = 0;
  sorted s;

  while (p->n_steps >> shift > 0)
    shift++;
  add_indices(l, p, j, GA_PUT_PLACE, p->place_gs, GA_PUT_PLACING);
  ga__launch_size(l, p->n_steps);
  ga__launch_uint(l, shift);
  s.ends = ga__launch_work(l, j->rows * sizeof(uint32_t));
  s.order = ga__launch_work(l, p->n_steps * sizeof(uint32_t));
  return s;
}

/* Add the kernels LIST and RANK. */
static sorted add_lists(GpuLaunch *l, const ga__put_layout *p,
                        const ga__put_job *j) {
  sorted s;

  add_indices(l, p, j, GA_PUT_LIST, p->list_gs, p->list_gs);
  ga__launch_size(l, p->n_steps);
  s.ends = ga__launch_work(l, j->rows * sizeof(uint32_t));
  const unsigned int list = ga__launch_work(l, p->n_steps * sizeof(uint32_t));
  add_indices(l, p, j, GA_PUT_RANK, p->rank_gs, p->rank_ls);
  ga__launch_work_arg(l, s.ends);
  ga__launch_work_arg(l, list);
  s.order = ga__launch_work(l, p->n_steps * sizeof(uint32_t));
  return s;
}

/* Sort the keys in slot `keys` into the next one, their positions into that
 * behind it. */
static void add_sort(GpuLaunch *l, const ga__put_layout *p, gpucontext *ctx,
                     unsigned int keys) {
  size_t n = p->n_steps;
  ssize_t step = (ssize_t)p->gen.key, long_step = sizeof(int64_t);
  const GpuArray a = {.dimensions = &n,
                      .strides = &step,
                      .nd = 1,
                      .typecode = p->gen.key == 1   ? GA_UBYTE
                                  : p->gen.key == 2 ? GA_USHORT
                                                    : GA_UINT};
  const GpuArray positions = {
      .dimensions = &n, .strides = &long_step, .nd = 1, .typecode = GA_LONG};
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  ga__sort_job s = {.name = "put",
                    .array = {&a, &a, &positions},
                    .ctx = ctx,
                    .slot = keys,
                    .k = n,
                    .macros = GA_STRB_INIT};
  int err;

  GA_CHECK(ga__sort_set_rows(&s));
  GA_CHECK(ga__sort_add(l, &s, (ga__sort_input){.source = &source}));

done:
  ga__launch_error(l, err);
  ga__sort_clear(&s);
}

/* Add the kernels KEYS, those of a sort, and ENDS. */
static sorted add_keys(GpuLaunch *l, const ga__put_layout *p,
                       const ga__put_job *j) {
  const size_t bytes = p->n_steps * p->gen.key;
  const unsigned int keys = ga__launch_own_slot(l, bytes);
  const unsigned int in_order = ga__launch_own_slot(l, bytes);
  ga__gen_put gen = p->gen;
  sorted s = {.order = ga__launch_own_slot(l, p->n_steps * sizeof(int64_t))};

  add_indices(l, p, j, GA_PUT_KEYS, p->rank_gs, p->rank_ls);
  ga__launch_size(l, p->n_steps);
  ga__launch_slot(l, keys);
  add_sort(l, p, j->ctx, keys);
  gen.kernel = GA_PUT_ENDS;
  gen.is_wide = 0;
  add_kernel(l, &gen, 1, &p->list_gs, p->ls);
  ga__launch_size(l, j->rows);
  ga__launch_size(l, p->n_steps);
  ga__launch_slot(l, in_order);
  s.ends = ga__launch_work(l, j->rows * sizeof(uint32_t));
  return s;
}

/* Sort the indices, and add SORTED, LINE or CROWD. */
static void add_sorted(GpuLaunch *l, const ga__put_layout *p,
                       const ga__put_job *j) {
  const sorted s = p->gen.key > 0    ? add_keys(l, p, j)
                   : p->place_gs > 0 ? add_places(l, p, j)
                                     : add_lists(l, p, j);

  add_kernel(l, &p->gen, 1, p->gs, p->ls);
  add_arrays(l, p, j);
  ga__launch_size(l, p->n_lines);
  ga__launch_size(l, p->len);
  if (p->gen.kernel == GA_PUT_SORTED)
    ga__launch_size(l, p->pieces);
  if (p->gen.kernel != GA_PUT_CROWD)
    ga__launch_size(l, p->n_steps);
  ga__launch_work_arg(l, s.ends);
  if (p->gen.key > 0)
    ga__launch_slot(l, s.order);
  else
    ga__launch_work_arg(l, s.order);
  if (p->gen.kernel == GA_PUT_LINE)
    ga__launch_local(l, p->local_bytes);
}

/* Set the cost: the bytes of the indices and of the moved words. A combination
 * also reads the element. */
static void add_cost(GpuLaunch *l, const ga__put_layout *p,
                     const ga__put_job *j) {
  const double n = (double)p->len * (double)p->n_lines * (double)p->n_steps;
  const int is_add = j->move >= GA_MOVE_ADD;

  ga__launch_cost(
      l,
      n * ((double)p->gen.word * (1 + is_add) + (double)p->gen.value_word) +
          (double)ga__array_total(j->index) *
              (double)GpuArray_ITEMSIZE(j->index),
      is_add ? n : 0);
}

int ga__put_launch(GpuLaunch **out, const ga__put_job *j) {
  const GpuArray *const arrays[] = {j->a, j->v, j->index};
  ga__put_layout p = {.gen = {.part = 0}};
  GpuLaunch *l = NULL;
  int err;

  *out = NULL;
  GA_CHECK(ga__put_layout_make(&p, j));
  l = ga__launch_open(j->ctx, ga__put_is_take(j->move) ? "take" : "put",
                      GA_PUT_ARRAYS);
  if (l != NULL && p.len * p.n_lines * p.n_steps > 0) {
    if (p.gen.kernel == GA_PUT_SORTED || p.gen.kernel == GA_PUT_LINE ||
        p.gen.kernel == GA_PUT_CROWD)
      add_sorted(l, &p, j);
    else if (p.gen.kernel == GA_PUT_ROW)
      add_rows(l, &p, j);
    else
      add_moves(l, &p, j);
    add_cost(l, &p, j);
  }
  for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++)
    ga__launch_bind_array(l, slot_of(j, k), arrays[k]);
  err = ga__launch_seal(out, l);

done:
  ga__put_layout_clear(&p);
  return err;
}
