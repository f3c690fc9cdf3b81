/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernel of a cumulation and the sizes of its launches. */
#include "layout/cumulate_layout.h"

#include "base/arith.h"
#include "base/assert.h"

/* CPUs: the fewest elements of a work-item, the work-items per thread that
 * balance the load, and the most rows of a work-item. A row in parts is read
 * twice, so rows are cut only if there are too few of them. */
#define CPU_ITEM_ELEMENTS 32768
#define CPU_ITEMS_PER_THREAD 8
#define CPU_ITEM_ROWS 2048
/* Bytes of the values of a strip, which stay in the first-level cache. Narrower
 * strips would read fewer bytes of each row in turn, which costs more than half
 * of the rate where rows are a power of two apart. */
#define CPU_STRIP_BYTES 16384
/* Rows shorter than this many vectors are walked side by side, lanes across
 * them. */
#define CPU_SHORT_VECTORS 2
/* GPUs: the work-items of a group; the bytes of the values of a run, and the
 * most elements of one; the groups that keep a compute unit busy; the fewest
 * steps of a part, and the most parts of a row. */
#define GPU_GROUP 128
#define GPU_RUN_BYTES 64
#define GPU_RUN_MOST 8
#define GPU_GROUPS_PER_UNIT 8
#define GPU_PART_STEPS 4
#define GPU_PARTS_MAX 1024
/* The most iterations for a part on devices without long loops. They may end
 * the loops of a work-item after 65,535 iterations in all. */
#define CUT_LOOP_ROUNDS 40960

/* --- CPUs --- */

static size_t widest_lanes(const gpudevice_caps *caps, size_t bytes) {
  const size_t vector = ga__at_least(caps->vector_float * sizeof(float), 16);

  return ga__floor_pow2(ga__between(4, vector / bytes, 16));
}

static void cut_cpu(ga__cumulate_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, size_t width) {
  const size_t items = (size_t)caps->compute_units * CPU_ITEMS_PER_THREAD;
  const size_t unit = s->n_red * width;
  const size_t item =
      ga__at_least(CPU_ITEM_ELEMENTS, ga__ceil_div(p->units * unit, items));

  p->cut = ga__cut_parts(s->n_red, 1, 1, 0);
  if (p->units < 2 * (size_t)caps->compute_units && unit >= 2 * item)
    p->cut = ga__cut_parts(s->n_red, unit / item, 64, 128);
  p->per = p->cut.parts > 1 ? 1 : ga__cut_units(unit, item, CPU_ITEM_ROWS);
  p->gs[0] = ga__ceil_div(p->units, p->per);
  p->gs[1] = p->cut.parts;
  p->ls[0] = p->ls[1] = 1;
}

static void lay_cpu(ga__cumulate_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, const ga__cumulate_work *w) {
  ga__cumulate_shape *m = &p->shape;
  const size_t across = s->kept.dims[0];
  const size_t lanes = w->lanes_ok ? widest_lanes(caps, w->widest) : 1;

  m->group = m->team = m->run = m->vecs = 1;
  if (m->kernel != GA_CUMULATE_COL && lanes > 1 && across >= lanes &&
      s->n_red < CPU_SHORT_VECTORS * lanes)
    m->kernel = GA_CUMULATE_COL;
  if (m->kernel != GA_CUMULATE_COL) {
    m->kernel = GA_CUMULATE_ROW;
    m->lanes = s->n_red >= lanes ? (unsigned int)lanes : 1;
    p->units = s->n_out;
    cut_cpu(p, s, caps, 1);
    return;
  }
  m->lanes = across >= lanes ? (unsigned int)lanes : 1;
  const size_t most =
      ga__at_least(CPU_STRIP_BYTES / ((size_t)m->lanes * w->value_bytes), 1);
  while ((size_t)m->vecs * 8 <= most && (size_t)m->vecs * m->lanes < across)
    m->vecs *= 8;
  while (m->vecs >= 64 && (size_t)m->vecs * 2 <= most &&
         (size_t)m->vecs * m->lanes < across)
    m->vecs *= 2;
  const size_t strip = (size_t)m->vecs * m->lanes;
  p->units = s->n_out / across * ga__ceil_div(across, strip);
  cut_cpu(p, s, caps, ga__at_most(across, strip));
}

/* --- GPUs --- */

/* The smallest of 1, 8, 32 and 128 that is at least n, but at most `most`: few
 * different sizes need few different kernels. */
static size_t few_sizes(size_t most, size_t n) {
  const size_t size = n <= 1 ? 1 : n <= 8 ? 8 : n <= 32 ? 32 : 128;

  return ga__at_most(size, most);
}

/* The iterations for each tile of the team kernel: itself, four loops over a
 * run, and at most 7 rounds that combine the runs of a team. */
static size_t tile_rounds(const ga__cumulate_shape *m) {
  return 8 + 4 * (size_t)m->run;
}

/* `rounds` are the iterations for `step` elements. */
static void cut_gpu(ga__cumulate_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, size_t groups, size_t step,
                    size_t rounds) {
  const size_t full = (size_t)caps->compute_units * GPU_GROUPS_PER_UNIT;
  size_t wanted = 1;

  if (groups < 2 * (size_t)caps->compute_units)
    wanted = ga__at_most(ga__ceil_div(full, groups),
                         s->n_red / (GPU_PART_STEPS * step));
  if (!caps->long_loops)
    wanted = ga__at_least(
        wanted, ga__ceil_div(s->n_red, CUT_LOOP_ROUNDS / rounds * step));
  p->cut = ga__cut_parts(s->n_red, ga__at_most(wanted, GPU_PARTS_MAX), step,
                         2 * step);
  p->per = 1;
  p->gs[0] = groups * p->shape.group;
  p->gs[1] = p->cut.parts;
  p->ls[0] = p->shape.group;
  p->ls[1] = 1;
}

static void lay_gpu(ga__cumulate_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, const ga__cumulate_work *w) {
  ga__cumulate_shape *m = &p->shape;
  const size_t group = ga__group_size(caps, GPU_GROUP);

  m->lanes = m->vecs = m->team = m->run = 1;
  m->group = (unsigned int)group;
  if (m->kernel == GA_CUMULATE_COL) {
    p->units = s->n_out;
    cut_gpu(p, s, caps, ga__ceil_div(s->n_out, group), 32, 32);
    return;
  }
  m->kernel = GA_CUMULATE_TEAM;
  m->run = (unsigned int)ga__between(
      1, ga__floor_pow2(GPU_RUN_BYTES / ga__at_most(w->value_bytes, 64)),
      GPU_RUN_MOST);
  m->team = (unsigned int)few_sizes(group, ga__ceil_div(s->n_red, m->run));
  p->units = s->n_out;
  cut_gpu(p, s, caps, ga__ceil_div(s->n_out, group / m->team),
          (size_t)m->team * m->run, tile_rounds(m));
}

/* Stride in bytes of the leading operand along the innermost axis of `it`. */
static size_t inner_stride(const ga__space *s, const ga__iter *it) {
  const ptrdiff_t step = it->dims[0] > 1 ? it->strides[s->lead][0] : 0;

  return (size_t)(step < 0 ? -step : step);
}

void ga__cumulate_layout_make(ga__cumulate_layout *p, const ga__space *s,
                              const gpudevice_caps *caps,
                              const ga__cumulate_work *work) {
  const size_t along = inner_stride(s, &s->red);
  const size_t across = inner_stride(s, &s->kept);

  GA_ASSERT(s->red.nd == 1 && s->n_out > 0 && s->n_red > 0);
  p->shape = (ga__cumulate_shape){.kernel = across > 0 && across < along
                                                ? GA_CUMULATE_COL
                                                : GA_CUMULATE_ROW};
  if (caps->is_cpu)
    lay_cpu(p, s, caps, work);
  else
    lay_gpu(p, s, caps, work);
  GA_ASSERT(p->gs[0] % p->ls[0] == 0);
  GA_ASSERT((p->cut.parts - 1) * p->cut.chunk < s->n_red);
}

size_t ga__cumulate_layout_rounds(const ga__cumulate_layout *p) {
  const ga__cumulate_shape *m = &p->shape;
  const size_t elements = p->per * p->cut.chunk * m->vecs;

  if (m->kernel == GA_CUMULATE_TEAM)
    return ga__ceil_div(p->cut.chunk, (size_t)m->team * m->run) *
               tile_rounds(m) +
           p->cut.parts / m->team + 8;
  return elements / (m->kernel == GA_CUMULATE_ROW ? m->lanes : 1) +
         p->cut.parts;
}
