/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernel of a cumulation and the sizes of its launches. */
#include "layout/cumulate_layout.h"

#include "base/arith.h"
#include "base/assert.h"

/* CPUs: the fewest elements of a work-item, the work-items per thread that
 * balance the load, and the most rows of a work-item. A row in parts is read
 * twice but for its first and last part, so rows are cut only if there are too
 * few of them. */
#define CPU_ITEM_ELEMENTS 32768
#define CPU_ITEMS_PER_THREAD 8
#define CPU_ITEM_ROWS 2048
#define CPU_PART_UNIT 64
/* Bytes of the values of a strip, which stay in the first-level cache. Narrower
 * strips would read fewer bytes of each row in turn, which costs more than half
 * of the rate where rows are a power of two apart. */
#define CPU_STRIP_BYTES 16384
/* Rows shorter than this many vectors are walked side by side, lanes across
 * them. */
#define CPU_SHORT_VECTORS 2
/* GPUs: the work-items of a group; the bytes of the values of a run, and the
 * most elements of one; the groups that keep a compute unit busy; the fewest
 * steps of a part, and the most parts of a row that is read twice. */
#define TEAM_GROUP 128
#define TEAM_RUN_BYTES 64
#define TEAM_RUN_MOST 8
#define TILE_GROUP 256
#define TILE_RUN_BYTES 64
#define TILE_RUN_MOST 16
#define GPU_GROUPS_PER_UNIT 8
#define GPU_PART_STEPS 4
#define GPU_PARTS_MAX 1024
/* The same where groups hand sums on: more work for each part. Few chains have
 * adders (cl/chain.cl). */
#define CHAIN_GROUP 128
#define CHAIN_RUN_BYTES 128
#define CHAIN_RUN_MOST 32
#define CHAIN_LOCAL_BYTES 40960
#define CHAIN_PARTS_MAX ((size_t)1 << 31)
#define CHAIN_ADDERS 64
/* The most iterations for a part on devices without long loops. They may end
 * the loops of a work-item after 65,535 iterations in all. */
#define CUT_LOOP_ROUNDS 40960

/* --- CPUs --- */

static size_t widest_lanes(const gpudevice_caps *caps, size_t bytes) {
  const size_t vector = ga__at_least(caps->vector_float * sizeof(float), 16);

  return ga__floor_pow2(ga__between(4, vector / bytes, 16));
}

/* Cut an axis into a head and as many chunks as keep all threads busy, at most
 * `most`. Results of the head take as long as the total of a chunk. */
static void cut_axis(ga__cumulate_layout *p, const ga__space *s,
                     const gpudevice_caps *caps, unsigned int total_time,
                     size_t most) {
  const size_t threads = caps->compute_units;
  size_t n = 1;

  while (p->units * n % threads != 0)
    n++;
  n = ga__at_most(n, most);
  const size_t chunk =
      s->n_red * 100 / (100 * n + total_time) / CPU_PART_UNIT * CPU_PART_UNIT;
  if (n < 2 || chunk == 0)
    return;
  p->cut = (ga__cut){.parts = n + 1, .chunk = chunk};
  p->head = s->n_red - n * chunk;
}

static void cut_cpu(ga__cumulate_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, const ga__cumulate_work *w,
                    size_t width) {
  const size_t items = (size_t)caps->compute_units * CPU_ITEMS_PER_THREAD;
  const size_t unit = s->n_red * width;
  const size_t item =
      ga__at_least(CPU_ITEM_ELEMENTS, ga__ceil_div(p->units * unit, items));

  p->cut = (ga__cut){.parts = 1, .chunk = s->n_red};
  p->head = s->n_red;
  if (p->units < 2 * (size_t)caps->compute_units)
    cut_axis(p, s, caps, w->total_time, unit / CPU_ITEM_ELEMENTS);
  p->per = p->cut.parts > 1 ? 1 : ga__cut_units(unit, item, CPU_ITEM_ROWS);
  p->gs[0] = ga__ceil_div(p->units, p->per);
  p->gs[1] = ga__at_least(p->cut.parts - 1, 1);
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
    cut_cpu(p, s, caps, w, 1);
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
  cut_cpu(p, s, caps, w, ga__at_most(across, strip));
}

/* --- GPUs --- */

/* The smallest of 1, 8, 32 and 128 that is at least n, but at most `most`: few
 * different sizes need few different kernels. */
static size_t few_sizes(size_t most, size_t n) {
  const size_t size = n <= 1 ? 1 : n <= 8 ? 8 : n <= 32 ? 32 : 128;

  return ga__at_most(size, most);
}

/* Elements of a run of a work-item. */
static unsigned int run_of(const ga__cumulate_work *w, size_t bytes,
                           size_t most) {
  return (unsigned int)ga__between(
      1, ga__floor_pow2(bytes / ga__at_most(w->value_bytes, bytes)), most);
}

/* Elements of the axis in a tile. */
static size_t tile_of(const ga__cumulate_shape *m) {
  return (size_t)m->run *
         (m->kernel == GA_CUMULATE_TEAM ? m->team : m->group / m->cols);
}

/* Rows of a group. */
static size_t rows_of(const ga__cumulate_shape *m) {
  return m->kernel == GA_CUMULATE_TEAM ? m->group / m->team : m->cols;
}

/* The iterations for each tile: itself, loops over runs, and those that combine
 * the runs of a team or of a column. */
static size_t tile_rounds(const ga__cumulate_shape *m) {
  return m->kernel == GA_CUMULATE_TEAM
             ? 8 + 4 * (size_t)m->run
             : 1 + 3 * (size_t)m->run + m->group / m->cols;
}

static void cut_gpu(ga__cumulate_layout *p, const ga__space *s,
                    const gpudevice_caps *caps) {
  const ga__cumulate_shape *m = &p->shape;
  const size_t full = (size_t)caps->compute_units * GPU_GROUPS_PER_UNIT;
  const size_t groups = ga__ceil_div(s->n_out, rows_of(m));
  const size_t step = tile_of(m);
  size_t wanted = 1;

  if (m->is_chain)
    wanted = ga__ceil_div(s->n_red, step);
  else if (groups < 2 * (size_t)caps->compute_units)
    wanted = ga__at_most(ga__at_most(ga__ceil_div(full, groups), GPU_PARTS_MAX),
                         s->n_red / (GPU_PART_STEPS * step));
  if (!caps->long_loops)
    wanted = ga__at_most(
        ga__at_least(wanted, ga__ceil_div(s->n_red, CUT_LOOP_ROUNDS /
                                                        tile_rounds(m) * step)),
        GPU_PARTS_MAX);
  p->units = s->n_out;
  p->cut = ga__cut_parts(s->n_red, wanted, step, 2);
  p->per = 1;
  p->gs[0] = groups * m->group;
  p->gs[1] = p->cut.parts + (size_t)m->has_adders;
  p->ls[0] = m->group;
  p->ls[1] = 1;
}

/* Whether there are too few groups, unless rows are cut into many parts and
 * groups hand sums on. */
static int suits_chains(const ga__cumulate_shape *m, const ga__space *s,
                        const gpudevice_caps *caps) {
  const size_t groups = ga__ceil_div(s->n_out, rows_of(m));
  const size_t tiles = ga__times(groups, ga__ceil_div(s->n_red, tile_of(m)));

  return caps->chains && caps->long_loops &&
         caps->local_bytes >= CHAIN_LOCAL_BYTES && tiles < CHAIN_PARTS_MAX &&
         groups < 2 * (size_t)caps->compute_units &&
         s->n_red > GPU_PART_STEPS * tile_of(m);
}

static void set_chains(ga__cumulate_shape *m, const ga__space *s,
                       const gpudevice_caps *caps) {
  if (!suits_chains(m, s, caps))
    return;
  m->is_chain = 1;
  m->has_adders = ga__ceil_div(s->n_out, rows_of(m)) < CHAIN_ADDERS;
}

static void shape_team(ga__cumulate_shape *m, const ga__space *s,
                       const gpudevice_caps *caps, const ga__cumulate_work *w) {
  ga__cumulate_shape chain = *m;

  m->kernel = chain.kernel = GA_CUMULATE_TEAM;
  m->group = (unsigned int)ga__group_size(caps, TEAM_GROUP);
  m->run = run_of(w, TEAM_RUN_BYTES, TEAM_RUN_MOST);
  m->team = (unsigned int)few_sizes(m->group, ga__ceil_div(s->n_red, m->run));
  chain.group = chain.team = (unsigned int)ga__group_size(caps, CHAIN_GROUP);
  chain.run = run_of(w, CHAIN_RUN_BYTES, CHAIN_RUN_MOST);
  set_chains(&chain, s, caps);
  if (chain.is_chain)
    *m = chain;
}

static void shape_tile(ga__cumulate_shape *m, const ga__space *s,
                       const gpudevice_caps *caps, const ga__cumulate_work *w) {
  size_t cols = s->n_out < 32 ? 8 : 32;

  m->kernel = GA_CUMULATE_TILE;
  m->group = (unsigned int)ga__group_size(caps, TILE_GROUP);
  m->run = run_of(w, TILE_RUN_BYTES, TILE_RUN_MOST);
  if (m->run >= 8 && s->n_red <= m->run / 4)
    m->run /= 4;
  if (s->n_red <= 2 * (size_t)m->run)
    cols = s->n_red <= m->run ? TILE_GROUP : TILE_GROUP / 2;
  m->cols = (unsigned int)ga__at_most(cols, m->group);
  set_chains(m, s, caps);
}

static void lay_gpu(ga__cumulate_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, const ga__cumulate_work *w) {
  ga__cumulate_shape *m = &p->shape;

  m->lanes = m->vecs = m->team = m->cols = 1;
  if (m->kernel == GA_CUMULATE_COL)
    shape_tile(m, s, caps, w);
  else
    shape_team(m, s, caps, w);
  cut_gpu(p, s, caps);
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
  const size_t elements =
      p->per * ga__at_least(p->cut.chunk, p->head) * m->vecs;

  if (m->kernel == GA_CUMULATE_TEAM || m->kernel == GA_CUMULATE_TILE)
    return ga__ceil_div(p->cut.chunk, tile_of(m)) * tile_rounds(m) +
           p->cut.parts / m->team + 8;
  return elements / (m->kernel == GA_CUMULATE_ROW ? m->lanes : 1) +
         p->cut.parts;
}
