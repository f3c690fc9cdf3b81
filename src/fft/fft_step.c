/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel of a step of Fourier transforms, and its tables. */
#include <gpuarray/device.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "codegen/gen_product.h"
#include "codegen/template.h"
#include "fft/fft.h"

enum {
  CPU_ITEMS = 4,   /* work-items for each compute unit */
  GPU_GROUP = 128, /* work-items of a group */
  GPU_LANES = 16,  /* of a group, at most */
  GPU_BLOCK = 32   /* of numbers that change places, place_of of fft_gpu.cl */
};

void ga__fft_open(ga__fft *f) {
  const gpudevice_caps *caps = gpucontext_caps(f->ctx);
  const size_t able = ga__at_most(caps->max_group, caps->max_items[0]);
  const size_t vector = caps->vector_float / (f->is_double ? 2 : 1);

  f->is_cpu = caps->is_cpu;
  f->group = (unsigned int)ga__floor_pow2(ga__between(1, able, GPU_GROUP));
  f->local = ga__between(256, caps->local_bytes / ga__fft_size(f), 4096);
  f->lanes = !f->is_cpu ? 1 : vector >= 16 ? 16 : vector >= 8 ? 8 : 4;
  f->most = f->is_cpu ? 4096 : f->local / 4;
}

size_t ga__fft_size(const ga__fft *f) {
  return 2 * (f->is_double ? sizeof(double) : sizeof(float));
}

/* --- lanes --- */

/* What the lanes of a step are. */
typedef enum lane_kind { BY_BATCH, BY_P, BY_Q } lane_kind;

typedef struct layout {
  lane_kind by;
  unsigned int dim; /* of the batch, BY_BATCH; nd: there is none */
  size_t lanes;     /* in all */
  size_t width;     /* at once */
  size_t units;
  ptrdiff_t x_lane, y_lane;
  int x_how, y_how;
} layout;

/* The dimension of the batch whose neighbours are neighbours in memory, else
 * the largest one. */
static unsigned int lane_dim(const ga__fft_step *t, size_t size, int *is_flat) {
  const ga__fft_axis *a = t->a;
  unsigned int best = 0;

  for (unsigned int d = 0; d < a->nd; d++) {
    *is_flat = a->dims[d] >= 4 && (t->x->by[d] == (ptrdiff_t)size ||
                                   t->y->by[d] == (ptrdiff_t)size);
    if (*is_flat)
      return d;
    best = a->dims[d] > a->dims[best] ? d : best;
  }
  *is_flat = 0;
  return best;
}

static void choose_lanes(const ga__fft *f, const ga__fft_step *t, layout *l) {
  const ga__fft_axis *a = t->a;
  const size_t few = f->is_cpu ? f->lanes : 4;
  int is_flat;

  l->dim = lane_dim(t, ga__fft_size(f), &is_flat);
  const size_t batch = l->dim < a->nd ? a->dims[l->dim] : 1;
  l->by = is_flat && batch >= few ? BY_BATCH
          : t->s >= few           ? BY_Q
          : t->m >= few           ? BY_P
                                  : BY_BATCH;
  l->lanes = l->by == BY_BATCH ? batch : l->by == BY_P ? t->m : t->s;
  if (l->by == BY_BATCH && a->nd > 0) {
    l->x_lane = t->x->by[l->dim];
    l->y_lane = t->y->by[l->dim];
  } else if (l->by == BY_P) {
    l->x_lane = (ptrdiff_t)t->s * t->x->axis;
    l->y_lane = (ptrdiff_t)(t->s * t->rows) * t->y->axis;
  } else if (l->by == BY_Q) {
    l->x_lane = t->x->axis;
    l->y_lane = t->y->axis;
  }
}

/* How a side lies in memory. On a CPU elements that are multiplied by a table
 * are not read and written as vectors. */
static int access_of(const ga__fft *f, const ga__fft_side *s, ptrdiff_t lane,
                     ptrdiff_t row) {
  const ptrdiff_t whole = (ptrdiff_t)ga__fft_size(f);
  const ptrdiff_t size = s->how & GA_FFT_REAL ? whole / 2 : whole;

  if (!f->is_cpu)
    return row == whole && lane != whole ? GA_FFT_ACROSS : 0;
  return (s->how & GA_FFT_TABLE) != 0 ? 0
         : lane == size               ? GA_FFT_ALONG
         : row == size                ? GA_FFT_ACROSS
                                      : 0;
}

static layout lay_out(const ga__fft *f, const ga__fft_step *t) {
  const ga__fft_axis *a = t->a;
  layout l = {.dim = 0};

  choose_lanes(f, t, &l);
  l.width = f->lanes;
  if (!f->is_cpu)
    l.width = ga__at_most(
        ga__ceil_pow2(l.lanes),
        ga__between(1, ga__floor_pow2(f->local / t->rows), GPU_LANES));
  l.x_how = t->x->how |
            access_of(f, t->x, l.x_lane, (ptrdiff_t)(t->s * t->m) * t->x->axis);
  l.y_how =
      t->y->how | access_of(f, t->y, l.y_lane, (ptrdiff_t)t->s * t->y->axis);
  l.units = ga__ceil_div(l.lanes, l.width) * (l.by == BY_P ? 1 : t->m) *
            (l.by == BY_Q ? 1 : t->s);
  for (unsigned int d = 0; d < a->nd; d++)
    l.units *= l.by == BY_BATCH && d == l.dim ? 1 : a->dims[d];
  return l;
}

/* --- tables --- */

static int add_batch(ga__fft *f, const ga__fft_step *t, const layout *l) {
  const ga__fft_axis *a = t->a;
  int64_t v[3 * GA_ITER_ND + 1] = {0};
  uint32_t n = 0;

  for (unsigned int d = 0; d < a->nd; d++) {
    if (l->by == BY_BATCH && d == l->dim)
      continue;
    v[3 * n] = (int64_t)a->dims[d];
    v[3 * n + 1] = t->x->by[d];
    v[3 * n + 2] = t->y->by[d];
    n++;
  }
  ga__launch_table(f->l, v, ga__at_least(3 * n, 1) * sizeof *v);
  ga__launch_uint(f->l, n);
  return GA_NO_ERROR;
}

static int add_passes(ga__fft *f, const ga__fft_passes *p) {
  const size_t n = ga__fft_plan_size(p);
  uint32_t *plan = ga__calloc(n, sizeof *plan);
  ga__fft_table roots = {0};
  int err;

  if (plan == NULL)
    return ga__fail_nomem();
  GA_CHECK(ga__fft_table_new(&roots, p->n_roots, f->is_double));
  ga__fft_write_plan(plan, p);
  ga__fft_write_roots(&roots, p);
  ga__launch_table(f->l, plan, n * sizeof *plan);
  ga__launch_table(f->l, roots.v, roots.bytes);

done:
  ga__free(plan);
  ga__free(roots.v);
  return err;
}

/* Roots of rows * m: as products of two, and for the lanes of a vector. */
static int add_twists(ga__fft *f, const ga__fft_step *t, const layout *l) {
  const size_t n = t->rows * t->m;
  const size_t lanes = l->by == BY_P && f->is_cpu ? f->lanes : 0;
  uint32_t shift = 0;
  ga__fft_table v;

  while ((size_t)1 << 2 * shift < n)
    shift++;
  const size_t low = (size_t)1 << shift, high = ga__ceil_div(n, low);
  GA_TRY(ga__fft_table_new(&v, low + high + t->rows * lanes, f->is_double));
  for (size_t k = 0; k < low; k++)
    ga__fft_table_put(&v, k, ga__fft_root_of(k % n, n));
  for (size_t k = 0; k < high; k++)
    ga__fft_table_put(&v, low + k, ga__fft_root_of(k << shift, n));
  for (size_t k = 0; k < t->rows; k++)
    for (size_t j = 0; j < lanes; j++) {
      const ga__fft_root w = ga__fft_root_of(j * k % n, n);
      const size_t at = 2 * (low + high) + 2 * k * lanes + j;

      if (f->is_double) {
        ((double *)v.v)[at] = w.r;
        ((double *)v.v)[at + lanes] = w.i;
      } else {
        ((float *)v.v)[at] = (float)w.r;
        ((float *)v.v)[at + lanes] = (float)w.i;
      }
    }
  ga__launch_table(f->l, v.v, v.bytes);
  ga__free(v.v);
  ga__launch_uint(f->l, shift);
  ga__launch_size(f->l, high);
  return GA_NO_ERROR;
}

/* --- the kernel --- */

static void add_source(ga__fft *f, int is_odd, size_t gs, size_t ls) {
  const char *const name = f->is_cpu ? "fft_cpu" : "fft_gpu";
  const ga__macro macros[2] = {{"F_ODD", is_odd != 0}, {"G", f->group}};
  ga__strb b = GA_STRB_INIT;
  ga__launch_key key;

  ga__launch_key_start(&key, f->ctx, name);
  ga__launch_key_number(&key, (size_t)f->is_double);
  ga__launch_key_number(&key, (size_t)(is_odd != 0));
  if (ga__launch_again(f->l, &key, 1, &gs, &ls))
    return;
  ga__gen_numbers(&b, f->is_double ? GA_DOUBLE : GA_FLOAT, f->lanes, 2, macros);
  if (b.err != GA_NO_ERROR) {
    ga__launch_error(f->l, b.err);
  } else {
    const char *const parts[2] = {ga__strb_text(&b), ga__template(name)};
    const ga__source src = {.n = 2, .parts = parts, .entry = name};

    ga__launch_kernel(f->l, &src, 1, &gs, &ls);
    ga__launch_remember(f->l, &key);
  }
  ga__strb_clear(&b);
}

static void add_side(ga__fft *f, const ga__fft_side *s, ptrdiff_t lane) {
  ga__launch_slot(f->l, s->slot);
  ga__launch_offset(f->l, s->slot, (size_t)s->first);
  ga__launch_ssize(f->l, lane);
  ga__launch_ssize(f->l, s->axis);
}

static void add_table(ga__fft *f, const ga__fft_table *t) {
  if (t != NULL)
    ga__launch_table(f->l, t->v, t->bytes);
  else
    ga__launch_none(f->l);
}

static void add_scale(ga__fft *f, double scale) {
  const float narrow = (float)scale;

  if (f->is_double)
    ga__launch_value(f->l, -1, sizeof scale, &scale);
  else
    ga__launch_value(f->l, -1, sizeof narrow, &narrow);
}

static int add_arguments(ga__fft *f, const ga__fft_step *t, const layout *l,
                         const ga__fft_passes *p) {
  add_side(f, t->x, l->x_lane);
  add_side(f, t->y, l->y_lane);
  GA_TRY(add_batch(f, t, l));
  ga__launch_size(f->l, t->rows);
  ga__launch_size(f->l, t->m);
  ga__launch_size(f->l, t->s);
  ga__launch_uint(f->l, (uint32_t)l->by);
  ga__launch_size(f->l, l->lanes);
  GA_TRY(add_passes(f, p));
  GA_TRY(add_twists(f, t, l));
  ga__launch_size(f->l, t->x->end);
  ga__launch_size(f->l, t->y->end);
  ga__launch_size(f->l, t->a->mirror);
  add_table(f, t->x->table);
  add_table(f, t->y->table);
  ga__launch_uint(f->l, (uint32_t)l->x_how);
  ga__launch_uint(f->l, (uint32_t)l->y_how);
  add_scale(f, t->scale);
  return GA_NO_ERROR;
}

static int add_cpu(ga__fft *f, const ga__fft_step *t, const layout *l,
                   const ga__fft_passes *p) {
  const size_t able = CPU_ITEMS * gpucontext_caps(f->ctx)->compute_units;
  const size_t each = ga__ceil_div(l->units, ga__at_least(able, 1));
  const size_t items = ga__ceil_div(l->units, each);

  add_source(f, ga__fft_is_odd(p), items, 1);
  GA_TRY(add_arguments(f, t, l, p));
  ga__launch_size(f->l, l->units);
  ga__launch_size(f->l, each);
  ga__launch_begin_sharing(f->l);
  ga__launch_work(
      f->l, ga__times(ga__times(items, t->rows), f->lanes * ga__fft_size(f)));
  ga__launch_end_sharing(f->l);
  return GA_NO_ERROR;
}

static int add_gpu(ga__fft *f, const ga__fft_step *t, const layout *l,
                   const ga__fft_passes *p) {
  const size_t n = t->rows * l->width;

  ga__launch_rounds(f->l,
                    (2 + p->n) * (ga__ceil_div(n, f->group) + 1) + t->a->nd);
  add_source(f, ga__fft_is_odd(p), ga__times(l->units, f->group), f->group);
  GA_TRY(add_arguments(f, t, l, p));
  ga__launch_uint(f->l, (uint32_t)l->width);
  ga__launch_local(f->l, ga__round_up(n, GPU_BLOCK) * ga__fft_size(f));
  return GA_NO_ERROR;
}

int ga__fft_add_step(ga__fft *f, const ga__fft_step *t) {
  const layout l = lay_out(f, t);
  ga__fft_passes passes;

  if (l.units == 0)
    return GA_NO_ERROR;
  ga__fft_find_passes(&passes, t->rows);
  return f->is_cpu ? add_cpu(f, t, &l, &passes) : add_gpu(f, t, &l, &passes);
}
