/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects by order along an axis: few elements of long rows by lists, others by
 * narrowing rows on a GPU, or by digits; short rows by sorting them. */
#include "order/topk.h"

#include <gpuarray/device.h>
#include <gpuarray/topk.h>
#include <stdint.h>

#include "array/geometry.h"
#include "base/arith.h"
#include "base/err.h"
#include "order/sort_call.h"
#include "order/sort_passes.h"
#include "order/topk_list.h"
#include "order/topk_narrow.h"

#define CPU_DIGIT_BITS 8
/* Rows of so many elements are narrowed even if lists of their parts fit. The
 * first 10 of 2^26 floats take an H200 111 us by narrowing, 122 us by lists. */
#define NARROW_ALWAYS ((size_t)1 << 26)
#define STATE_BYTES (4 * sizeof(uint64_t)) /* topk_state of cl/topk.cl */

/* What is selected: the first `wanted` elements of a row in order, or the last
 * one of these alone. */
typedef struct selection {
  ga__sort_job job;
  size_t wanted;
  int is_one, is_sorted;
} selection;

/* Workspaces. */
typedef struct works {
  unsigned int counts, states, places;
} works;

static void add_work(GpuLaunch *l, unsigned int *work, int is_first,
                     size_t bytes) {
  if (is_first)
    *work = ga__launch_work(l, bytes);
  else
    ga__launch_work_arg(l, *work);
}

/* Find the digit at `shift`. */
static void add_digit(GpuLaunch *l, const selection *s, works *w,
                      unsigned int shift, int is_first) {
  const ga__sort_job *j = &s->job;
  const size_t digits = (size_t)1 << j->gen.digit_bits;
  ga__sort_place source = {.index = GA_SORT_SOURCE};

  ga__launch_rounds(l, j->cut.chunk + 2 * digits);
  ga__sort_kernel(l, j, "topk", "topk_count", j->gs);
  ga__sort_operand(l, j, &source);
  ga__sort_sizes(l, j);
  add_work(l, &w->counts, is_first, ga__sort_count_bytes(j, digits));
  ga__sort_parts(l, j, shift);
  add_work(l, &w->states, is_first, ga__times(j->n_rows, STATE_BYTES));
  ga__launch_uint(l, (uint32_t)is_first);
  ga__launch_rounds(l, 2 * j->cut.parts + 3 * digits + j->gen.group);
  ga__sort_kernel(l, j, "topk", "topk_choose", j->n_rows * j->gen.group);
  ga__launch_work_arg(l, w->counts);
  ga__launch_size(l, j->cut.parts);
  ga__launch_size(l, s->wanted);
  ga__launch_uint(l, shift);
  ga__launch_work_arg(l, w->states);
  ga__launch_uint(l, (uint32_t)is_first);
  ga__launch_uint(l, (uint32_t)s->is_one);
  add_work(l, &w->places, is_first, ga__sort_count_bytes(j, 2));
}

/* Store the elements that are found. */
static void add_store(GpuLaunch *l, const selection *s, const works *w,
                      ga__sort_place *values, ga__sort_place *indices,
                      unsigned int stores) {
  const ga__sort_job *j = &s->job;
  ga__sort_place source = {.index = GA_SORT_SOURCE};

  ga__sort_scan(l, j, w->places, 2);
  ga__launch_rounds(l, j->cut.chunk);
  ga__sort_kernel(l, j, "topk", "topk_move", j->gs);
  ga__sort_operand(l, j, &source);
  ga__sort_operand(l, j, values);
  ga__sort_operand(l, j, indices);
  ga__sort_sizes(l, j);
  ga__launch_work_arg(l, w->places);
  ga__sort_parts(l, j, 0);
  ga__launch_work_arg(l, w->states);
  ga__launch_size(l, s->wanted);
  ga__launch_uint(l, (uint32_t)s->is_one);
  ga__launch_uint(l, stores);
}

static void add_digits(GpuLaunch *l, const selection *s, ga__sort_place *values,
                       ga__sort_place *indices, unsigned int stores) {
  const ga__sort_job *j = &s->job;
  const size_t n = ga__ceil_div(8 * j->word, j->gen.digit_bits);
  works w = {0};

  for (size_t p = n; p-- > 0;)
    add_digit(l, s, &w, (unsigned int)p * j->gen.digit_bits, p + 1 == n);
  add_store(l, s, &w, values, indices, stores);
}

/* Select into workspaces, and sort these into the results. */
static int add_sorted(GpuLaunch *l, selection *s) {
  ga__sort_job sorted = s->job;
  const unsigned int stores = ga__sort_stores(&s->job);
  const int has_indices = (stores & GA_SORT_STORE_POSITIONS) != 0;
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  ga__sort_place values = {
      .is_work = 1, .bytes = s->job.word, .most = s->job.k};
  ga__sort_place indices = {
      .is_work = 1, .bytes = sizeof(int64_t), .most = s->job.k};
  int err;

  sorted.n = s->job.k;
  sorted.macros = (ga__strb)GA_STRB_INIT;
  sorted.gen.is_flat = 0;
  GA_CHECK(ga__sort_cut_rows(&s->job, CPU_DIGIT_BITS));
  add_digits(l, s, &values, has_indices ? &indices : &source,
             stores | GA_SORT_STORE_VALUES);
  GA_CHECK(ga__sort_add(l, &sorted,
                        (ga__sort_input){.source = &values,
                                         .at = has_indices ? &indices : NULL}));

done:
  ga__strb_clear(&sorted.macros);
  return err;
}

/* Select into the results. */
static int add_direct(GpuLaunch *l, selection *s) {
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  ga__sort_place values = {.index = GA_SORT_VALUES};
  ga__sort_place indices = {.index = GA_SORT_INDICES};
  const unsigned int stores = ga__sort_stores(&s->job);

  GA_TRY(ga__sort_cut_rows(&s->job, CPU_DIGIT_BITS));
  add_digits(l, s, stores & GA_SORT_STORE_VALUES ? &values : &source,
             stores & GA_SORT_STORE_POSITIONS ? &indices : &source, stores);
  return GA_NO_ERROR;
}

static int add(GpuLaunch *l, selection *s) {
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  const int is_flat = s->job.stride[GA_SORT_SOURCE] == (ptrdiff_t)s->job.word;

  if (s->job.n <= GA_SORT_SHORT ||
      (!s->is_one && s->is_sorted && s->job.k == s->job.n))
    return ga__sort_add(
        l, &s->job,
        (ga__sort_input){.source = &source, .skip = s->wanted - s->job.k});
  const int narrows = ga__topk_narrow_fits(&s->job, s->wanted, s->is_one);
  if (ga__topk_list_fits(&s->job, s->wanted) &&
      !(narrows && s->job.n >= NARROW_ALWAYS))
    return ga__topk_list_add(l, &s->job, s->wanted);
  if (narrows)
    return ga__topk_narrow_add(l, &s->job, s->wanted, s->is_one);
  s->job.gen.is_flat = is_flat && gpucontext_caps(s->job.ctx)->is_cpu;
  return s->is_sorted && s->job.k > 1 ? add_sorted(l, s) : add_direct(l, s);
}

int ga__topk_add_rank(GpuLaunch *l, const ga__sort_job *j, size_t rank,
                      ga__sort_place *to) {
  selection s = {.job = *j, .wanted = rank + 1, .is_one = 1};

  s.job.array[GA_SORT_VALUES] = s.job.array[GA_SORT_INDICES] = NULL;
  s.job.to = to;
  s.job.k = 1;
  s.job.gen = (ga__gen_sort){0};
  s.job.macros = (ga__strb)GA_STRB_INIT;
  const int err = add(l, &s);
  ga__strb_clear(&s.job.macros);
  return err;
}

/* Axes are checked elsewhere. */
static int check_wanted(const GpuArray *src, unsigned int axis, size_t k) {
  if (axis < src->nd && k > src->dimensions[axis])
    return ga__fail(GA_VALUE_ERROR, "topk: %zu of an axis of %zu elements", k,
                    src->dimensions[axis]);
  return GA_NO_ERROR;
}

static int check_rank(const GpuArray *src, unsigned int axis, size_t rank) {
  if (axis < src->nd && rank >= src->dimensions[axis])
    return ga__fail(GA_VALUE_ERROR, "kth: rank %zu of an axis of %zu elements",
                    rank, src->dimensions[axis]);
  return GA_NO_ERROR;
}

static int prepare(GpuLaunch **out, selection *s) {
  ga__sort_job *j = &s->job;
  int err;

  GA_TRY(ga__sort_check(j));
  GA_TRY(check_wanted(j->array[GA_SORT_SOURCE], j->axis, s->wanted));
  GA_CHECK(ga__sort_set_rows(j));
  GpuLaunch *l = ga__launch_open(j->ctx, j->name, GA_SORT_SLOTS);
  if (j->n_rows > 0 && j->k > 0)
    ga__launch_error(l, add(l, s));
  err = ga__sort_seal(out, l, j);

done:
  ga__sort_clear(j);
  return err;
}

/* The size of the results along the axis: that of the values, unless there are
 * only indices. */
static size_t size_of(const GpuArray *values, const GpuArray *indices,
                      unsigned int axis) {
  const GpuArray *a = values != NULL ? values : indices;

  return a != NULL && axis < a->nd ? a->dimensions[axis] : 0;
}

int GpuArray_topk_prepare(GpuLaunch **out, GpuArray *values, GpuArray *indices,
                          const GpuArray *src, unsigned int axis, int flags) {
  const size_t k = size_of(values, indices, axis);
  const unsigned int largest = GA_SORT_HOW_DESCENDING | GA_SORT_HOW_NAN_FIRST;
  selection s = {.job = {.name = "topk",
                         .array = {src, values, indices},
                         .axis = axis,
                         .k = k,
                         .how = flags & GA_TOPK_SMALLEST ? 0 : largest,
                         .macros = GA_STRB_INIT},
                 .wanted = k,
                 .is_sorted = (flags & GA_TOPK_UNSORTED) == 0};

  *out = NULL;
  GA_TRY(ga__array_check(src));
  if (flags & ~(GA_TOPK_SMALLEST | GA_TOPK_UNSORTED))
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)flags);
  s.job.ctx = GpuArray_context(src);
  return prepare(out, &s);
}

int GpuArray_kth_prepare(GpuLaunch **out, GpuArray *values, GpuArray *indices,
                         const GpuArray *src, size_t rank, unsigned int axis) {
  selection s = {.job = {.name = "kth",
                         .array = {src, values, indices},
                         .axis = axis,
                         .k = 1,
                         .macros = GA_STRB_INIT},
                 .is_one = 1};

  *out = NULL;
  GA_TRY(ga__array_check(src));
  GA_TRY(check_rank(src, axis, rank));
  s.job.ctx = GpuArray_context(src);
  s.wanted = rank + 1; /* fits: a bad axis has an error of its own */
  return prepare(out, &s);
}

/* --- calls --- */

static int check_topk(const ga__sort_call *c) {
  return check_wanted(c->src, c->axis, c->k);
}

static int prepare_topk(GpuLaunch **out, const ga__sort_call *c) {
  return GpuArray_topk_prepare(out, c->values, c->indices, c->src, c->axis,
                               c->flags);
}

int GpuArray_topk(GpuArray *values, GpuArray *indices, const GpuArray *src,
                  size_t k, unsigned int axis, int flags) {
  return ga__sort_call_run(&(ga__sort_call){.name = "topk",
                                            .src = src,
                                            .values = values,
                                            .indices = indices,
                                            .k = k,
                                            .axis = axis,
                                            .flags = flags,
                                            .check = check_topk,
                                            .prepare = prepare_topk});
}

static int check_kth(const ga__sort_call *c) {
  return check_rank(c->src, c->axis, c->ranks[0]);
}

static int prepare_kth(GpuLaunch **out, const ga__sort_call *c) {
  return GpuArray_kth_prepare(out, c->values, c->indices, c->src, c->ranks[0],
                              c->axis);
}

int GpuArray_kth(GpuArray *values, GpuArray *indices, const GpuArray *src,
                 size_t rank, unsigned int axis) {
  return ga__sort_call_run(&(ga__sort_call){.name = "kth",
                                            .src = src,
                                            .values = values,
                                            .indices = indices,
                                            .k = 1,
                                            .n_ranks = 1,
                                            .ranks = &rank,
                                            .axis = axis,
                                            .check = check_kth,
                                            .prepare = prepare_kth});
}
