/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernels of a reduction and the sizes of their launches. */
#include "layout/reduce_layout.h"

#include "base/arith.h"
#include "layout/cut.h"

/* Elements that are worth a work-item of a CPU: several microseconds of work,
 * where starting one takes some hundred nanoseconds. */
#define CPU_ITEM_ELEMENTS 32768
/* The most elements and rows of a work-item, for balance and for drivers that
 * end loops after some ten thousand iterations (llvmpipe). */
#define CPU_ITEM_MOST 262144
#define CPU_ITEM_ROWS 2048
/* Rows of at most this many vectors are computed several at a time (TURN). */
#define CPU_TURN_VECTORS 4
/* Registers for the states of a row, of at least 16 that a CPU has. */
#define CPU_STATE_REGISTERS 8
/* Columns whose running sums fit the first-level cache. */
#define CPU_STRIP_COLUMNS 1024
/* Work-items of a group on a GPU; the same for few columns, where a group takes
 * more rows. */
#define GPU_GROUP 128
#define GPU_GROUP_NARROW 256
#define GPU_WIDE 32 /* least work-items side by side over columns */
/* The bytes of a row that a group reads at least, if there are enough columns.
 * A row may begin anywhere in a memory transaction, so shorter pieces load many
 * bytes of their neighbours. There must be this many strips of columns, or the
 * last one may be mostly empty. The groups per compute unit keep its memory
 * busy. */
#define GPU_ROW_BYTES 512
#define GPU_STRIPS 8
#define GPU_GROUPS_PER_UNIT 8
/* Least vectors that a work-item loads before its team combines them. */
#define GPU_VECTORS 4
/* Several parts are worth a second launch if each has this many steps of a
 * team. */
#define GPU_PART_STEPS 4
/* Most parts, the second dimension of a grid. */
#define GPU_PARTS_MAX 4096
/* Elements of a work-item on devices that end loops after 65,535 iterations of
 * all of them together. The shortest runs need up to four for an element. */
#define CUT_LOOP_ELEMENTS 16384

/* The smallest of 1, 8, 32 and 256 that is at least n, but at most `most`. Few
 * sizes need few kernels. */
static size_t few_sizes(size_t most, size_t n) {
  const size_t size = n <= 1 ? 1 : n <= 8 ? 8 : n <= 32 ? 32 : 256;

  return ga__at_most(size, most);
}

/* --- the launches --- */

/* Stride in bytes of the leading input along the innermost axis of `it`, 0 for
 * an axis of one element. */
static size_t inner_stride(const ga__space *s, const ga__iter *it) {
  return it->dims[0] > 1 ? (size_t)it->strides[s->lead][0] : 0;
}

static ga__reduce_kernel choose_kernel(const ga__space *s) {
  const size_t along = inner_stride(s, &s->red);
  const size_t across = inner_stride(s, &s->kept);

  if (along == 0 || across == 0)
    return along != 0 || across == 0 ? GA_REDUCE_ROW : GA_REDUCE_COL;
  return along < across ? GA_REDUCE_ROW : GA_REDUCE_COL;
}

static unsigned int cpu_lanes(size_t acc_bytes) {
  return acc_bytes > 8 ? 4 : acc_bytes > 4 ? 8 : 16;
}

/* A single short row uses the kernel of long rows: computing masked lanes costs
 * less than compiling another kernel. */
static int is_one_row(const ga__space *s) {
  return s->n_out == 1 && s->red.nd == 1;
}

/* The lanes of the widest loads, at most the size of the inner dimension of
 * `it`, and one when no input is contiguous along it. A GPU splits unaligned
 * vectors into single loads, which neighbouring work-items do better. */
static unsigned int choose_lanes(const ga__space *s, const ga__iter *it,
                                 const gpudevice_caps *caps, size_t acc_bytes) {
  size_t widest = 0;

  for (unsigned int i = 0; i < s->n_in; i++) {
    if (s->elsize[i] != 0 && ga__space_lane_step(s, it, i) == GA_LANES_NEXT)
      widest = ga__at_least(widest, s->elsize[i]);
  }
  if (widest == 0 || it->dims[0] < 2)
    return 1;
  if (caps->is_cpu) {
    /* Converting sixteen halfs to floats needs more shuffles than twice
     * eight. */
    size_t most = widest == 2 && acc_bytes == 4 ? 8 : cpu_lanes(acc_bytes);
    while (most > it->dims[0] && !is_one_row(s))
      most = most > 4 ? most / 2 : 1;
    return (unsigned int)most;
  }
  size_t most =
      ga__at_most(ga__at_least(16 / widest, 1), acc_bytes > 4 ? 4 : 8);
  while (most > 1 &&
         (most > it->dims[0] || !ga__space_keeps_aligned(s, it, most)))
    most /= 2;
  return (unsigned int)most;
}

/* Whether on a CPU lanes in neighbouring rows, loaded one by one, are faster
 * than vectors of `lanes` elements along the rows: for the shortest rows, and
 * where a costly map would compute many masked lanes. */
static int is_better_across(const ga__space *s, const ga__reduce_work *work,
                            size_t lanes) {
  const size_t n = s->red.dims[0];

  if (s->kept.dims[0] < cpu_lanes(work->acc_bytes) || s->red.nd > 1 ||
      work->is_pairs)
    return 0;
  if (n < 4)
    return n > 1;
  return work->is_heavy &&
         (lanes <= 4 || 10 * lanes * ga__ceil_div(n, lanes) > 13 * n);
}

static void lay_cpu(ga__reduce_layout *p, const ga__space *s, size_t units,
                    size_t per_unit, size_t cut_unit, size_t threads) {
  const size_t total = units * per_unit;
  const size_t item = ga__at_most(
      CPU_ITEM_MOST, ga__at_least(CPU_ITEM_ELEMENTS, total / (threads * 32)));

  if (units < threads * 16 && per_unit >= 2 * item)
    p->cut = ga__cut_parts(s->n_red, per_unit / item, cut_unit, 2 * cut_unit);
  else
    p->cut = ga__cut_parts(s->n_red, 1, 1, 0);
  p->rows = p->cut.parts > 1 ? 1 : ga__cut_units(per_unit, item, CPU_ITEM_ROWS);
  p->gs[0] = ga__ceil_div(units, p->rows);
  p->gs[1] = p->cut.parts;
  p->ls[0] = p->ls[1] = 1;
}

/* The number of independent states that stay in registers. */
static unsigned int choose_unroll(const gpudevice_caps *caps,
                                  const ga__reduce_work *work, size_t lanes) {
  const size_t registers =
      ga__ceil_div(lanes * work->acc_bytes, caps->vector_float * sizeof(float));

  return (unsigned int)ga__at_least(
      1, ga__at_most(4, CPU_STATE_REGISTERS /
                            (registers * (work->is_arg       ? 2
                                          : work->is_moments ? 3
                                                             : work->n_acc))));
}

static void lay_row_cpu(ga__reduce_layout *p, const ga__space *s,
                        const gpudevice_caps *caps,
                        const ga__reduce_work *work) {
  ga__reduce_shape *m = &p->main;
  const size_t inner = s->red.dims[0];

  m->team = m->group = 1;
  m->block = 32;
  m->unroll = m->lanes == 1 ? 8
              : inner / 4 >= m->lanes || is_one_row(s)
                  ? choose_unroll(caps, work, m->lanes)
                  : 1;
  lay_cpu(p, s, s->n_out, s->n_red, (size_t)m->lanes * m->unroll * m->block,
          caps->compute_units);
  if (m->lanes > 1 && s->red.nd == 1 && p->cut.parts == 1 && !work->is_pairs &&
      !work->is_moments && work->n_acc == 1 &&
      inner <= CPU_TURN_VECTORS * (size_t)m->lanes && s->n_out >= m->lanes) {
    m->kernel = GA_REDUCE_TURN;
    m->length = (unsigned int)inner;
    m->unroll = 1;
    p->rows = ga__ceil_div(p->rows, m->lanes) * m->lanes;
    p->gs[0] = ga__ceil_div(s->n_out, p->rows);
  }
}

static void lay_col_cpu(ga__reduce_layout *p, const ga__space *s,
                        const gpudevice_caps *caps,
                        const ga__reduce_work *work) {
  ga__reduce_shape *m = &p->main;
  const size_t cols = s->kept.dims[0], most = CPU_STRIP_COLUMNS / work->n_acc;
  const size_t fit = ga__ceil_div(ga__at_most(cols, most), m->lanes);

  m->team = m->group = m->wide = 1;
  m->block = 8;
  m->vecs = 1;
  while (m->vecs < fit)
    m->vecs *= 8;
  m->vecs = (unsigned int)ga__at_most(m->vecs, most / m->lanes);
  size_t strip = (size_t)m->vecs * m->lanes;
  lay_cpu(p, s, s->n_out / cols * ga__ceil_div(cols, strip),
          ga__at_most(cols, strip) * s->n_red, m->block, caps->compute_units);
}

/* The least number of parts with which the device completes all loops. */
static size_t least_parts(const ga__reduce_layout *p, const ga__space *s,
                          const gpudevice_caps *caps) {
  const ga__reduce_shape *m = &p->main;
  const size_t at_once =
      (size_t)m->team * (m->kernel == GA_REDUCE_ROW ? m->lanes : 1);

  return caps->long_loops ? 1
                          : ga__ceil_div(s->n_red, at_once * CUT_LOOP_ELEMENTS);
}

/* Choose the parts of a launch on a GPU, which has `groups` groups for each
 * part. `step` is the elements that a team takes at once. */
static void cut_parts_gpu(ga__reduce_layout *p, const ga__space *s,
                          const gpudevice_caps *caps, size_t groups,
                          size_t step) {
  const size_t full = (size_t)caps->compute_units * GPU_GROUPS_PER_UNIT;
  size_t wanted = ga__at_most(ga__ceil_div(full, groups), GPU_PARTS_MAX);

  if (groups >= 2 * (size_t)caps->compute_units)
    wanted = 1;
  wanted = ga__at_most(wanted, s->n_red / (GPU_PART_STEPS * step));
  p->cut = ga__cut_parts(
      s->n_red, ga__at_least(wanted, least_parts(p, s, caps)), step, 2 * step);
  p->rows = 1;
  p->gs[0] = groups * p->main.group;
  p->gs[1] = p->cut.parts;
  p->ls[0] = p->main.group;
  p->ls[1] = 1;
}

/* Work-items of a team load few vectors, unless there are too few outputs to
 * keep the device busy. */
static void lay_row_gpu(ga__reduce_layout *p, const ga__space *s,
                        const gpudevice_caps *caps, size_t group,
                        unsigned int max_unroll) {
  ga__reduce_shape *m = &p->main;
  const size_t vectors =
      ga__ceil_div(ga__at_least(s->red.dims[0], 1), m->lanes);
  size_t team = ga__at_most(
      group, ga__floor_pow2(ga__at_least(vectors / GPU_VECTORS, 1)));

  while (team < group && team < vectors &&
         s->n_out < caps->compute_units * group / team)
    team *= 2;
  m->block = 32;
  m->group = (unsigned int)group;
  m->team = (unsigned int)team;
  m->unroll = vectors >= 16 * team ? 4 : vectors >= 8 * team ? 2 : 1;
  if (m->unroll > max_unroll)
    m->unroll = max_unroll;
  cut_parts_gpu(p, s, caps, ga__ceil_div(s->n_out, group / team),
                team * m->lanes * m->unroll);
}

/* The number of work-items of a group side by side over the columns. */
static size_t columns_wide(const ga__space *s, size_t lanes, size_t group) {
  const size_t cols = s->kept.dims[0], bytes = lanes * s->elsize[s->lead];
  size_t wide = ga__at_most(GPU_WIDE, group);

  while (wide * 2 <= group && wide * bytes < GPU_ROW_BYTES &&
         cols >= wide * 2 * lanes * GPU_STRIPS)
    wide *= 2;
  return ga__at_most(wide, ga__ceil_div(cols, lanes));
}

static void lay_col_gpu(ga__reduce_layout *p, const ga__space *s,
                        const gpudevice_caps *caps, size_t group) {
  ga__reduce_shape *m = &p->main;
  const size_t cols = s->kept.dims[0];

  m->block = 8;
  m->vecs = 1;
  m->wide = (unsigned int)columns_wide(s, m->lanes, group);
  m->team = (unsigned int)few_sizes(
      ga__floor_pow2(group / m->wide),
      ga__ceil_div(ga__at_least(s->n_red, 1), m->block));
  m->group = m->team * m->wide;
  cut_parts_gpu(p, s, caps,
                s->n_out / cols *
                    ga__ceil_div(cols, (size_t)m->wide * m->lanes),
                (size_t)m->team * m->block);
}

/* On a CPU neighbouring outputs share vectors. */
static void lay_final(ga__reduce_layout *p, const ga__space *s,
                      const gpudevice_caps *caps, const ga__reduce_work *work,
                      size_t group) {
  const unsigned int lanes = cpu_lanes(work->acc_bytes);
  ga__reduce_shape *f = &p->final;

  f->kernel = GA_REDUCE_FINAL;
  f->lanes = f->unroll = f->block = f->vecs = f->wide = 1;
  f->team = f->group = 1;
  if (caps->is_cpu) {
    if (work->lanes_ok && s->n_out >= lanes)
      f->lanes = lanes;
    p->final_rows =
        ga__at_least(ga__ceil_div(s->n_out, (size_t)caps->compute_units * 4),
                     ga__ceil_div(CPU_ITEM_ELEMENTS / 4, p->cut.parts));
    p->final_rows = ga__ceil_div(p->final_rows, f->lanes) * f->lanes;
    p->final_gs = ga__ceil_div(s->n_out, p->final_rows);
    p->final_ls = 1;
    return;
  }
  if (s->n_out < 4096)
    f->team = (unsigned int)ga__at_most(group, ga__floor_pow2(p->cut.parts));
  f->group = (unsigned int)group;
  p->final_rows = 1;
  p->final_gs = ga__ceil_div(s->n_out, group / f->team) * group;
  p->final_ls = group;
}

static void lay_main(ga__reduce_layout *p, const ga__space *s,
                     const gpudevice_caps *caps, const ga__reduce_work *work) {
  const ga__reduce_shape *m = &p->main;
  const int is_narrow = s->kept.dims[0] < (size_t)GPU_WIDE * m->lanes;

  if (m->kernel == GA_REDUCE_ROW && caps->is_cpu)
    lay_row_cpu(p, s, caps, work);
  else if (m->kernel == GA_REDUCE_ROW)
    lay_row_gpu(p, s, caps, ga__group_size(caps, GPU_GROUP),
                work->is_arg ? 2 : 4);
  else if (caps->is_cpu)
    lay_col_cpu(p, s, caps, work);
  else
    lay_col_gpu(p, s, caps,
                ga__group_size(caps, is_narrow ? GPU_GROUP_NARROW : GPU_GROUP));
}

static void choose_shape(ga__reduce_shape *m, const ga__space *s,
                         const gpudevice_caps *caps,
                         const ga__reduce_work *work) {
  if (!work->lanes_ok)
    return;
  m->lanes = choose_lanes(s, m->kernel == GA_REDUCE_ROW ? &s->red : &s->kept,
                          caps, work->acc_bytes);
  if (caps->is_cpu && m->kernel == GA_REDUCE_ROW &&
      is_better_across(s, work, m->lanes)) {
    m->kernel = GA_REDUCE_COL;
    m->lanes = cpu_lanes(work->acc_bytes);
  }
}

void ga__reduce_layout_make(ga__reduce_layout *p, const ga__space *s,
                            const gpudevice_caps *caps,
                            const ga__reduce_work *work) {
  ga__reduce_shape *m = &p->main;

  *m = (ga__reduce_shape){.kernel = choose_kernel(s),
                          .vecs = 1,
                          .wide = 1,
                          .lanes = 1,
                          .unroll = 1};
  choose_shape(m, s, caps, work);
  lay_main(p, s, caps, work);
  lay_final(p, s, caps, work, ga__group_size(caps, GPU_GROUP));
  m->compensate = p->cut.chunk / m->team /
                      (m->kernel == GA_REDUCE_ROW ? m->lanes * m->unroll : 1) >
                  GA_PLAIN_ADDITIONS;
  p->final.compensate = 1;
  GA_ASSERT(m->group % m->team == 0 && p->gs[0] % p->ls[0] == 0);
  GA_ASSERT(p->final_gs % p->final_ls == 0);
  GA_ASSERT((p->cut.parts - 1) * p->cut.chunk < s->n_red || s->n_red == 0);
}
