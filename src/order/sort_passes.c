/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts rows: long rows by digits, short rows by insertion, on GPUs by counting
 * the elements before each. */
#include "order/sort_passes.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "base/arith.h"
#include "order/sort_tiles.h"

#define CPU_DIGIT_BITS 8
/* Longer rows are sorted faster by digits, in tiles; an estimate. */
#define RANKED_MOST 128

static ga__sort_place result(const ga__sort_job *j, unsigned int slot) {
  ga__sort_place p = {.index = slot};

  return j->array[slot] != NULL ? p : ga__sort_any_place();
}

/* Whether a group can have whole rows, one element for each work-item. */
static int is_ranked(const ga__sort_job *j, ga__sort_input in) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);

  return !caps->is_cpu && j->n <= RANKED_MOST &&
         ga__group_size(caps, RANKED_MOST) == RANKED_MOST &&
         ga__sort_is_flat(j, in);
}

/* Add sort_short or sort_rank, whose arguments are the same. */
static void add_short(GpuLaunch *l, const ga__sort_job *j, ga__sort_input in,
                      const char *template, const char *entry, size_t gs) {
  ga__sort_place values = result(j, GA_SORT_VALUES),
                 none = ga__sort_any_place();
  ga__sort_place indices = result(j, GA_SORT_INDICES);

  ga__sort_kernel(l, j, template, entry, gs);
  ga__sort_operand(l, j, in.source);
  ga__sort_operand(l, j, in.at != NULL ? in.at : &none);
  ga__sort_operand(l, j, &values);
  ga__sort_operand(l, j, &indices);
  ga__sort_sizes(l, j);
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, j->n);
  ga__launch_uint(l, j->how);
  ga__launch_uint(l, in.at == NULL);
  ga__launch_uint(l, (uint32_t)in.skip);
  ga__launch_uint(l, (uint32_t)(in.skip + j->k));
  ga__launch_uint(l, ga__sort_stores(j));
}

/* Count the digits at `shift` in *counts, [rows][digits][parts]; the first pass
 * makes this workspace. */
static void add_counts(GpuLaunch *l, const ga__sort_job *j,
                       unsigned int *counts, ga__sort_place *from,
                       unsigned int shift) {
  const unsigned int digits = 1u << j->gen.digit_bits;

  ga__launch_rounds(l, j->cut.chunk + 2 * (size_t)digits);
  ga__sort_kernel(l, j, "sort", "sort_count", j->gs);
  ga__sort_operand(l, j, from);
  ga__sort_sizes(l, j);
  if (shift == 0)
    *counts = ga__launch_work(l, ga__sort_count_bytes(j, digits));
  else
    ga__launch_work_arg(l, *counts);
  ga__sort_parts(l, j, shift);
  ga__sort_scan(l, j, *counts, digits);
}

static void add_passes(GpuLaunch *l, const ga__sort_job *j, ga__sort_input in) {
  const size_t n = ga__ceil_div(8 * j->word, j->gen.digit_bits);
  unsigned int counts = 0;
  ga__sort_turns t;

  ga__sort_begin(&t, j, in);
  for (size_t p = 0; p < n; p++) {
    const unsigned int shift = (unsigned int)p * j->gen.digit_bits;

    ga__sort_turn(&t, j, p, n);
    add_counts(l, j, &counts, t.from, shift);
    ga__launch_rounds(l, j->cut.chunk + ((size_t)1 << j->gen.digit_bits));
    ga__sort_kernel(l, j, "sort", "sort_move", j->gs);
    ga__sort_moved(l, j, &t);
    ga__launch_work_arg(l, counts);
    ga__sort_parts(l, j, shift);
    ga__launch_uint(l, p == 0 && in.at == NULL);
  }
}

int ga__sort_add(GpuLaunch *l, ga__sort_job *j, ga__sort_input in) {
  const int is_short = j->n <= GA_SORT_SHORT, ranks = is_ranked(j, in);

  GA_ASSERT(j->n > 0 && j->n_rows > 0 && (is_short || j->k == j->n));
  if (!is_short && !ranks && ga__sort_tiles_fit(j))
    return ga__sort_tiles_add(l, j, in);
  j->gen.has_indices = !is_short && !ranks && j->array[GA_SORT_INDICES] != NULL;
  j->gen.is_flat = ranks || (!is_short && gpucontext_caps(j->ctx)->is_cpu &&
                             ga__sort_is_flat(j, in));
  GA_TRY(ga__sort_cut_rows(j, CPU_DIGIT_BITS));
  if (ranks)
    add_short(l, j, in, "sort_rank", "sort_rank",
              ga__ceil_div(j->n_rows, j->gen.group / j->n) * j->gen.group);
  else if (is_short)
    add_short(l, j, in, "sort", "sort_short",
              ga__round_up(j->n_rows, j->gen.group));
  else
    add_passes(l, j, in);
  return GA_NO_ERROR;
}
