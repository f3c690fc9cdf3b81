/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/topk_narrow.h"

#include <gpuarray/device.h>
#include <math.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/dtype.h"

/* Work-items of a group that narrows; elements of a tile for each; groups of a
 * compute unit. That is more than a unit holds at once: what the last ones
 * leave idle is short. 2^26 floats take an H200 85 us, and 106 us with 8
 * groups. */
#define GROUP 256
#define ITEMS 32
#define GROUPS_PER_UNIT 32
#define TILES_OF_PART 2 /* at least */
/* A sample of these many elements is compared with itself: fewer where only an
 * upper bound is needed. */
#define SAMPLE_ONE 4096
#define SAMPLE_FIRST 2048
#define SAMPLE_EACH 16 /* T_EACH of cl/topk_narrow.cl */
/* Bytes of neighbours of which the first one is in a sample, if a row has many
 * more samples than elements are wanted: then the list is shorter. */
#define RUN_BYTES 32
#define RUN_SAMPLES 64
/* Elements that a group picks from before narrowing them is faster: of one row,
 * and for each of many, whose samples take time, too. */
#define PICK_LIST 131072
#define PICK_EACH 16384
#define PICK_GROUP 1024
#define PICK_ROW_GROUP 256
#define PICK_LEAST_GROUP 64
#define PICK_ITEMS 32
#define PICK_MOST 2048 /* T_MOST of cl/topk_narrow.cl */
#define LEVELS_MOST 8
#define LEVEL_BYTES 32  /* topk_level of cl/topk_narrow.cl */
#define SINGLE_BYTES 64 /* local memory for counters, or more */

/* A list that a kernel reads or makes: list 0 is the row. */
typedef struct list {
  unsigned int orders, places; /* workspaces */
  size_t most;                 /* elements that have room */
} list;

typedef struct narrowing {
  ga__sort_job job; /* its macros are owned */
  size_t wanted, sample, run, n_levels;
  int is_one;
  unsigned int levels; /* workspace, which the first kernel makes */
  int is_made;
  list lists[LEVELS_MOST + 1];
} narrowing;

/* --- sizes --- */

static size_t sample_of(const ga__sort_job *j, int is_one) {
  const size_t bytes = gpucontext_caps(j->ctx)->local_bytes;
  const size_t each = j->word + sizeof(uint32_t);
  const size_t rest = (SAMPLE_EACH + 1) * sizeof(uint32_t) + SINGLE_BYTES;

  return ga__at_most(is_one ? SAMPLE_ONE : SAMPLE_FIRST,
                     ga__floor_pow2((bytes - rest) / each));
}

/* The neighbours of which the first one is in the sample of a row. */
static size_t run_of(const narrowing *w) {
  const ga__sort_job *j = &w->job;
  const size_t run = RUN_BYTES / j->word;
  const int is_flat = j->stride[GA_SORT_SOURCE] == (ptrdiff_t)j->word;

  return !w->is_one && is_flat && j->n / w->wanted >= run * RUN_SAMPLES ? run
                                                                        : 1;
}

/* The local memory of the kernel that picks, which needs most. */
static size_t pick_bytes(const ga__sort_job *j) {
  return PICK_MOST * (j->word + sizeof(uint32_t)) + 256 * sizeof(uint32_t) +
         SINGLE_BYTES;
}

int ga__topk_narrow_fits(const ga__sort_job *j, size_t wanted, int is_one) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);

  return !caps->is_cpu && caps->long_loops &&
         (is_one || wanted <= PICK_MOST / 2) && ga__fits_int(j->n) &&
         ga__fits_int(j->n_rows) && caps->local_bytes >= pick_bytes(j) &&
         ga__group_size(caps, GROUP) == GROUP;
}

/* The elements of the sample between the bounds for a list of n elements, as
 * topk_bounds takes them: at most these, if the rank is not known. */
static double spread(const narrowing *w, size_t n, int is_row) {
  const double sample = (double)w->sample;
  const double part =
      is_row || !w->is_one ? fmin((double)w->wanted / (double)n, 1) : 0.5;
  const double about = sample * part * (is_row ? (double)w->run : 1);
  const double margin = 6 * sqrt(about * (1 - part)) + 2;
  const double low = w->is_one ? fmax(about - margin - 1, 0) : 0;

  return fmin(about + margin + 2, sample) - low;
}

/* Room for nearly any list between bounds that are so far apart. */
static size_t room_of(const narrowing *w, size_t n, double apart) {
  const double room = apart + 6 * sqrt(apart) + 6;

  return ga__at_most(n, (size_t)(room * (double)n / (double)w->sample) + 1);
}

/* Narrow until a list is short for the group that picks from it. */
static void set_levels(narrowing *w) {
  const gpudevice_caps *caps = gpucontext_caps(w->job.ctx);
  const size_t rows = ga__at_most(w->job.n_rows, caps->compute_units);
  const size_t most = ga__at_least(PICK_LIST, rows * PICK_EACH);
  size_t n = w->job.n;
  double about = (double)n;

  while (about > (double)most && w->n_levels < LEVELS_MOST) {
    const int is_row = w->n_levels == 0;
    const double apart = spread(w, n, is_row);
    const size_t room = room_of(w, n, apart);

    if (room > n / 2)
      return;
    about = apart * (double)n / (double)w->sample;
    if (is_row)
      about /= (double)w->run;
    n = room;
    w->lists[++w->n_levels].most = room;
  }
}

static int write_macros(narrowing *w, size_t group, unsigned int digit_bits) {
  ga__sort_job *j = &w->job;

  ga__strb_clear(&j->macros);
  j->gen.group = (unsigned int)group;
  j->gen.items = ITEMS;
  j->gen.digit_bits = digit_bits;
  j->gen.is_flat = j->stride[GA_SORT_SOURCE] == (ptrdiff_t)j->word;
  ga__strb_appendf(&j->macros,
                   "#define T_SAMPLE %zu\n#define T_RUN %zu\n"
                   "#define T_ONE %d\n",
                   w->sample, w->run, w->is_one);
  return ga__sort_write_macros(j);
}

/* --- launches --- */

static void add_levels(GpuLaunch *l, narrowing *w) {
  if (w->n_levels == 0)
    ga__launch_none(l);
  else if (w->is_made)
    ga__launch_work_arg(l, w->levels);
  else
    w->levels =
        ga__launch_work(l, ga__times(w->job.n_rows, w->n_levels * LEVEL_BYTES));
  w->is_made = 1;
}

static void add_source(GpuLaunch *l, narrowing *w, size_t level) {
  const ga__sort_job *j = &w->job;
  const list *from = &w->lists[level];
  ga__sort_place source = {.index = GA_SORT_SOURCE};

  ga__sort_operand(l, j, &source);
  ga__sort_sizes(l, j);
  if (level > 0) {
    ga__launch_work_arg(l, from->orders);
    ga__launch_work_arg(l, from->places);
  } else {
    ga__launch_none(l);
    ga__launch_none(l);
  }
  ga__launch_size(l, from->most);
  ga__launch_uint(l, (uint32_t)level);
  add_levels(l, w);
  ga__launch_uint(l, (uint32_t)w->n_levels);
  ga__launch_size(l, j->n);
  ga__launch_uint(l, j->how);
  ga__launch_uint(l, (uint32_t)w->wanted);
}

/* Make list `level` + 1 of list `level`. */
static void add_level(GpuLaunch *l, narrowing *w, size_t level) {
  const ga__sort_job *j = &w->job;
  const size_t full =
      (size_t)gpucontext_caps(j->ctx)->compute_units * GROUPS_PER_UNIT;
  const size_t n = w->lists[level].most;
  const size_t parts =
      ga__at_least(ga__at_most(ga__ceil_div(full, j->n_rows),
                               n / ((size_t)TILES_OF_PART * GROUP * ITEMS)),
                   1);
  list *to = &w->lists[level + 1];

  ga__sort_kernel(l, j, "topk_narrow", "topk_bounds",
                  ga__times(j->n_rows, w->sample / SAMPLE_EACH * GROUP));
  add_source(l, w, level);
  ga__sort_kernel(l, j, "topk_narrow", "topk_narrow",
                  ga__times(j->n_rows, parts * GROUP));
  add_source(l, w, level);
  to->orders =
      ga__launch_work(l, ga__times(j->n_rows, ga__times(to->most, j->word)));
  to->places = ga__launch_work(
      l, ga__times(j->n_rows, ga__times(to->most, sizeof(uint32_t))));
  ga__launch_size(l, to->most);
  ga__launch_uint(l, (uint32_t)parts);
}

static size_t pick_group(const narrowing *w) {
  const ga__sort_job *j = &w->job;
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t n = w->n_levels > 0 ? PICK_LIST : j->n;
  const size_t most =
      j->n_rows < caps->compute_units ? PICK_GROUP : PICK_ROW_GROUP;

  return ga__group_size(
      caps, ga__between(PICK_LEAST_GROUP, ga__ceil_pow2(n / PICK_ITEMS), most));
}

static void add_pick(GpuLaunch *l, narrowing *w) {
  const ga__sort_job *j = &w->job;
  const unsigned int stores = ga__sort_stores(j);
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  ga__sort_place values = {.index = GA_SORT_VALUES};
  ga__sort_place indices = {.index = GA_SORT_INDICES};

  ga__sort_kernel(l, j, "topk_narrow", "topk_pick",
                  ga__times(j->n_rows, j->gen.group));
  add_source(l, w, w->n_levels);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_VALUES ? &values : &source);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_POSITIONS ? &indices : &source);
  ga__launch_uint(l, stores);
}

int ga__topk_narrow_add(GpuLaunch *l, const ga__sort_job *j, size_t wanted,
                        int is_one) {
  narrowing w = {.job = *j, .wanted = wanted, .is_one = is_one};
  int err;

  w.job.macros = (ga__strb)GA_STRB_INIT;
  w.job.cut = (ga__cut){.parts = 1};
  w.sample = sample_of(j, is_one);
  w.run = run_of(&w);
  w.lists[0].most = j->n;
  set_levels(&w);
  GA_CHECK(write_macros(&w, GROUP, 8));
  for (size_t level = 0; level < w.n_levels; level++)
    add_level(l, &w, level);
  const size_t group = pick_group(&w);
  GA_CHECK(write_macros(&w, group, group >= 256 ? 8 : 6));
  add_pick(l, &w);

done:
  ga__strb_clear(&w.job.macros);
  return err;
}
