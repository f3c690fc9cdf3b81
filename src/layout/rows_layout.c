/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the layout of row programs. */
#include "layout/rows_layout.h"

#include "base/arith.h"
#include "layout/cut.h"

/* Elements that are worth a work-item of a CPU, and the most rows of one. */
#define CPU_ITEM_ELEMENTS 16384
#define CPU_ITEM_ROWS 2048
/* Elements of an iteration that are worth a work-item: others wait for it. */
#define CPU_LOOP_ELEMENTS 4096
/* Rows of at most this many elements are computed side by side in the lanes. */
#define CPU_SHORT_ROW 32
/* Kept values of a row must fit the first-level cache. */
#define CPU_KEPT_BYTES 32768
/* Rows of at least this many elements are cut into parts if there are few. */
#define LONG_ROW 65536
/* Work-items of a group; of a team, as a rule and at most. */
#define GPU_GROUP 128
#define GPU_TEAM 256
#define GPU_TEAM_MOST 1024
/* Vectors of a row that a work-item holds in registers, as a rule and at most,
 * and the most bytes of them. */
#define GPU_ITEMS 4
#define GPU_ITEMS_MOST 8
#define GPU_HELD_BYTES 256
#define GPU_PARTS_MOST 256
/* Groups for each compute unit that work on the parts of few long rows. On an
 * H200 sums over 64 rows of 800,000 elements, in 9 parts with teams of 1024,
 * take 1.15 to 1.25 times as long. */
#define GPU_PART_GROUPS 16

/* --- lanes --- */

/* Whether the leading argument has a shorter stride along the kept dimensions
 * than along the rows. */
static int runs_across(const ga__space *s) {
  const size_t along = (size_t)s->red.strides[s->lead][0];
  const size_t across = (size_t)s->kept.strides[s->lead][0];

  return s->red.dims[0] > 1 && across != 0 && across < along;
}

static int are_short(const ga__space *s, size_t lanes) {
  return s->n_red <= CPU_SHORT_ROW && s->kept.dims[0] >= lanes;
}

static void lanes_cpu(ga__rows_shape *m, const ga__space *s,
                      const ga__rows_needs *needs) {
  const size_t most = needs->widest > 4 ? 8 : 16;
  const size_t inner = s->red.dims[0];

  m->lanes = 1;
  m->along = 1;
  if (!needs->lanes_ok)
    return;
  if ((runs_across(s) && s->kept.dims[0] >= most) || are_short(s, most)) {
    m->along = 0;
    m->lanes = (unsigned int)most;
    return;
  }
  m->lanes = (unsigned int)most;
  while (m->lanes > 1 &&
         (m->lanes > inner || (s->red.nd > 1 && inner % m->lanes != 0)))
    m->lanes /= 2;
  if (m->lanes < 4)
    m->lanes = 1;
}

static void lanes_gpu(ga__rows_shape *m, const ga__space *s,
                      const ga__rows_needs *needs) {
  size_t lanes = ga__at_least(16 / ga__at_least(s->elsize[s->lead], 1), 1);

  lanes = ga__at_most(lanes, needs->widest > 4 ? 4 : 8);
  while (lanes > 1 &&
         (!needs->lanes_ok || s->n_red == 0 ||
          ga__space_lane_step(s, &s->red, s->lead) != GA_LANES_NEXT ||
          s->red.dims[0] % lanes != 0 ||
          !ga__space_keeps_aligned(s, &s->red, lanes)))
    lanes /= 2;
  m->lanes = (unsigned int)lanes;
  m->along = 1;
  m->unit = 1;
}

/* --- the launches --- */

/* The work-items of a loop are as many as can run at the same time. */
static void cut_loop_cpu(ga__rows_layout *p, const ga__space *s, size_t units,
                         const gpudevice_caps *caps) {
  const size_t useful =
      ga__at_least(s->n_out * s->n_red / CPU_LOOP_ELEMENTS, 1);

  p->per_item = ga__ceil_div(units, ga__at_most(useful, caps->compute_units));
}

/* Choose the rows that end side by side. */
static void unite_cpu(ga__rows_layout *p, const ga__space *s,
                      const ga__rows_needs *needs) {
  ga__rows_shape *m = &p->shape;
  const int may = needs->may_unite && p->cut.parts == 1 && m->items == 0;

  m->unit = !m->along || (may && s->kept.dims[0] >= m->lanes) ? m->lanes : 1;
}

static size_t units_of(const ga__space *s, unsigned int unit) {
  const size_t side = s->kept.dims[0];

  return s->n_out / side * ga__ceil_div(side, unit);
}

static void lay_cpu(ga__rows_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, const ga__rows_needs *needs) {
  ga__rows_shape *m = &p->shape;
  const size_t threads = caps->compute_units;

  lanes_cpu(m, s, needs);
  m->team = m->group = 1;
  m->block = 32;
  p->cut = ga__cut_parts(
      s->n_red,
      m->along && s->n_out < threads * 4 ? s->n_red / CPU_ITEM_ELEMENTS : 1,
      (size_t)m->lanes * m->block, LONG_ROW);
  size_t items = m->along ? ga__ceil_div(s->n_red, m->lanes) : s->n_red;
  if (p->cut.parts == 1 && needs->kept_bytes > 0 &&
      items * m->lanes * needs->kept_bytes <= CPU_KEPT_BYTES)
    m->items = (unsigned int)ga__ceil_pow2(ga__at_least(items, 16));
  unite_cpu(p, s, needs);
  const size_t units = units_of(s, m->unit);
  p->per_item =
      ga__cut_units(s->n_red * m->unit, CPU_ITEM_ELEMENTS, CPU_ITEM_ROWS);
  if (needs->is_loop)
    cut_loop_cpu(p, s, units, caps);
  p->gs[0] = ga__ceil_div(units, p->per_item);
  p->gs[1] = p->cut.parts;
  p->ls[0] = p->ls[1] = 1;
}

/* Let a team hold a row in registers, if it fits. */
static void hold_row(ga__rows_shape *m, const ga__rows_needs *needs,
                     size_t vectors, size_t most) {
  const size_t usual = needs->is_loop ? 1 : GPU_ITEMS;
  const size_t bytes = m->lanes * ga__at_least(needs->held_bytes, 4);
  const size_t items =
      ga__at_least(1, ga__at_most(GPU_ITEMS_MOST, GPU_HELD_BYTES / bytes));
  size_t team = ga__ceil_pow2(ga__ceil_div(vectors, ga__at_most(items, usual)));

  if (team > GPU_TEAM)
    team = ga__at_least(GPU_TEAM, ga__ceil_pow2(ga__ceil_div(vectors, items)));
  m->team = (unsigned int)ga__at_most(team, most);
  if (vectors == 0 || team > most)
    return;
  m->hold = 1;
  m->items = (unsigned int)ga__ceil_div(vectors, m->team);
}

static int is_exact(const ga__rows_shape *m, const ga__space *s) {
  return m->hold && s->n_red == (size_t)m->items * m->team * m->lanes &&
         s->n_out % (m->group / m->team) == 0;
}

/* Groups of the rows, or of a part of each. */
static size_t count_groups(const ga__rows_shape *m, const ga__space *s) {
  return ga__ceil_div(s->n_out, m->group / m->team);
}

/* Cut rows that are long into parts if there are few. Then teams have the usual
 * size, so that more of them run at the same time. */
static void cut_gpu(ga__rows_layout *p, const ga__space *s,
                    const gpudevice_caps *caps) {
  ga__rows_shape *m = &p->shape;
  size_t parts = 1;

  if (!m->hold && s->n_red >= LONG_ROW &&
      count_groups(m, s) < caps->compute_units) {
    if (m->team > GPU_TEAM)
      m->team = m->group = GPU_TEAM;
    parts =
        ga__at_most(GPU_PARTS_MOST,
                    ga__ceil_div((size_t)GPU_PART_GROUPS * caps->compute_units,
                                 ga__at_least(count_groups(m, s), 1)));
  }
  p->cut = ga__cut_parts(s->n_red, parts, (size_t)m->lanes * m->team, LONG_ROW);
}

static void lay_gpu(ga__rows_layout *p, const ga__space *s,
                    const gpudevice_caps *caps, const ga__rows_needs *needs) {
  ga__rows_shape *m = &p->shape;
  size_t most = ga__at_most(caps->max_group, caps->max_items[0]);

  most = ga__at_most(ga__floor_pow2(most), GPU_TEAM_MOST);
  lanes_gpu(m, s, needs);
  hold_row(m, needs, ga__ceil_div(s->n_red, m->lanes), most);
  m->block = 32;
  m->group = (unsigned int)ga__at_least(m->team, ga__at_most(GPU_GROUP, most));
  m->exact = is_exact(m, s);
  cut_gpu(p, s, caps);
  p->per_item = 1;
  size_t groups = count_groups(m, s);
  if (needs->is_loop)
    groups = ga__at_most(groups, caps->compute_units);
  p->gs[0] = groups * m->group;
  p->gs[1] = p->cut.parts;
  p->ls[0] = m->group;
  p->ls[1] = 1;
}

void ga__rows_layout_make(ga__rows_layout *p, const ga__space *s,
                          const gpudevice_caps *caps,
                          const ga__rows_needs *needs) {
  ga__rows_shape *m = &p->shape;

  *p = (ga__rows_layout){.cut.parts = 1};
  if (caps->is_cpu)
    lay_cpu(p, s, caps, needs);
  else
    lay_gpu(p, s, caps, needs);
  m->compensate =
      p->cut.chunk / m->team / (m->along ? m->lanes : 1) > GA_PLAIN_ADDITIONS;
  GA_ASSERT(m->group % m->team == 0 && p->gs[0] % p->ls[0] == 0);
  GA_ASSERT(!m->hold || (size_t)m->items * m->team * m->lanes >= s->n_red);
}

/* A row in registers needs no loop. Otherwise the loop over the blocks of a row
 * counts, too. */
size_t ga__rows_layout_rounds(const ga__rows_layout *p, unsigned int n_phases) {
  const ga__rows_shape *m = &p->shape;
  const size_t step = (size_t)m->team * (m->along ? m->lanes : 1);
  const size_t walk = m->hold ? 0 : ga__ceil_div(p->cut.chunk, step);

  return p->per_item * n_phases * (walk + ga__ceil_div(walk, m->block));
}
