/* SPDX-License-Identifier: BSD-2-Clause */
/* Init, trim and clear of units. */
#include "plan/figures.h"

/* Call `fn` for the bodies of the unit's loops and choices. */
static void each_inside(const gg__unit *u, void (*fn)(gg__unit *, int),
                        int arg) {
  for (size_t k = 0; k < u->program.nodes.n; k++)
    for (int i = 0; i < 2; i++)
      if (u->program.nodes.v[k].inner[i] != NULL)
        fn(u->program.nodes.v[k].inner[i], arg);
}

int gg__unit_init(gg__unit *u) {
  gg__program *p = &u->program;
  ga__arena *m = &p->arena;

  GA_TRY(gg__kernels_init(&u->kernels, p));
  u->memory.consts = ga__arena_alloc(m, 2 * p->consts.n * sizeof(gpudata *));
  u->memory.spares = ga__arena_alloc(m, p->shared.n * sizeof(gg__temp));
  u->frame.fresh = ga__arena_alloc(m, p->n_outputs * sizeof(GpuArray));
  u->frame.out = ga__arena_alloc(m, p->n_outputs * sizeof(GpuArray *));
  u->spent = ga__arena_alloc(m, p->steps.n * sizeof *u->spent);
  return u->memory.consts != NULL && u->memory.spares != NULL &&
                 u->frame.fresh != NULL && u->frame.out != NULL &&
                 u->spent != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

static void free_body(gg__unit *u, int unused) {
  (void)unused;
  gg__unit_clear(u);
  ga__free(u);
}

static void planning_clear(gg__planning *p) {
  gg__sizes_clear(&p->sizes);
  ga__arena_clear(&p->lists);
  ga__arena_clear(&p->step);
  ga__vec_clear(&p->old);
  ga__vec_clear(&p->sorted);
  ga__vec_clear(&p->question);
}

static void release_consts(gg__unit *u) {
  const size_t n = u->memory.consts != NULL ? 2 * u->program.consts.n : 0;

  for (size_t k = 0; k < n; k++) {
    gpudata_release(u->memory.consts[k]);
    u->memory.consts[k] = NULL;
  }
}

void gg__unit_clear(gg__unit *u) {
  gg__memory *m = &u->memory;

  each_inside(u, free_body, 0);
  for (size_t k = 0; k < m->temps.n; k++)
    gpudata_release(m->temps.v[k].data);
  release_consts(u);
  for (size_t k = 0; k < u->program.shared.n && m->spares != NULL; k++)
    gpudata_release(m->spares[k].data);
  ga__vec_clear(&m->temps);
  planning_clear(&u->planning);
  gg__kernels_clear(&u->kernels);
  gg__program_clear(&u->program);
}

static void trim_body(gg__unit *u, int unused) {
  (void)unused;
  gg__unit_trim(u);
}

void gg__unit_trim(gg__unit *u) {
  gg__memory *m = &u->memory;

  gg__temps_free(u, NULL);
  planning_clear(&u->planning);
  m->temps.n = 0;
  release_consts(u);
  for (size_t k = 0; k < u->program.shared.n; k++) {
    gpudata_release(m->spares[k].data);
    m->spares[k] = (gg__temp){.context = m->spares[k].context};
  }
  each_inside(u, trim_body, 0);
}

void gg__unit_watch(gg__unit *u, int what) {
  u->watch |= what;
  each_inside(u, gg__unit_watch, what);
}

void gg__unit_time_waits(gg__unit *u, int on) {
  u->times_waits = on;
  each_inside(u, gg__unit_time_waits, on);
}
