/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a step of Fourier transforms, and their tables. */
#include <gpuarray/device.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "codegen/gen_product.h"
#include "codegen/template.h"
#include "fft/fft.h"

enum { CPU_ITEMS = 4 /* work-items for each compute unit */ };

/* --- tables --- */

static int add_batch(ga__fft *f, const ga__fft_step *t,
                     const ga__fft_layout *l) {
  const ga__fft_axis *a = t->a;
  int64_t v[3 * GA_ITER_ND + 1] = {0};
  uint32_t n = 0;

  for (unsigned int d = 0; d < a->nd; d++) {
    if (l->by == GA_FFT_BY_BATCH && d == l->dim)
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

/* Pass a table that was made for an earlier step. Returns 0 if it was not. */
static int add_made(ga__fft *f, unsigned int table) {
  if (table == 0)
    return 0;
  ga__launch_work_arg(f->l, table - 1);
  return 1;
}

/* For CPUs, what the passes are. */
static int add_plan(ga__fft *f, const ga__fft_step *t,
                    const ga__fft_passes *p) {
  if (add_made(f, t->tables->plan))
    return GA_NO_ERROR;
  const size_t n = ga__fft_passes_size(p);
  uint32_t *plan = ga__calloc(n, sizeof *plan);

  if (plan == NULL)
    return ga__fail_nomem();
  ga__fft_write_plan(plan, p);
  t->tables->plan = 1 + ga__launch_table(f->l, plan, n * sizeof *plan);
  ga__free(plan);
  return GA_NO_ERROR;
}

static int add_roots(ga__fft *f, const ga__fft_step *t,
                     const ga__fft_passes *p) {
  ga__fft_table roots;

  if (add_made(f, t->tables->roots))
    return GA_NO_ERROR;
  GA_TRY(ga__fft_table_new(&roots, p->n_roots, f->is_double));
  ga__fft_write_roots(&roots, p);
  t->tables->roots = 1 + ga__launch_table(f->l, roots.v, roots.bytes);
  ga__free(roots.v);
  return GA_NO_ERROR;
}

/* For CPUs, roots of rows * m: `low` and `high` ones, whose products are all of
 * them, and for the lanes of a vector. */
static int make_twists(ga__fft *f, const ga__fft_step *t, size_t low,
                       size_t high, size_t lanes) {
  const size_t n = t->rows * t->m;
  ga__fft_table v;

  GA_TRY(ga__fft_table_new(&v, low + high + t->rows * lanes, f->is_double));
  for (size_t k = 0; k < low; k++)
    ga__fft_table_put(&v, k, ga__fft_root_of(k % n, n));
  for (size_t k = 0; k < high; k++)
    ga__fft_table_put(&v, low + k, ga__fft_root_of(k * low, n));
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
  t->tables->twists = 1 + ga__launch_table(f->l, v.v, v.bytes);
  ga__free(v.v);
  return GA_NO_ERROR;
}

static int add_twists(ga__fft *f, const ga__fft_step *t,
                      const ga__fft_layout *l) {
  const size_t n = t->rows * t->m;
  const size_t lanes = l->by == GA_FFT_BY_P ? f->lanes : 0;
  const int is_same = t->tables->by == l->by;
  uint32_t shift = 0;

  while ((size_t)1 << 2 * shift < n)
    shift++;
  const size_t low = (size_t)1 << shift, high = ga__ceil_div(n, low);
  if (!is_same || !add_made(f, t->tables->twists))
    GA_TRY(make_twists(f, t, low, high, lanes));
  t->tables->by = l->by;
  ga__launch_uint(f->l, shift);
  ga__launch_size(f->l, high);
  return GA_NO_ERROR;
}

/* --- arguments --- */

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

/* A value of the kernel's work type. */
static void add_number(ga__fft *f, double v) {
  const float narrow = (float)v;

  if (f->is_double)
    ga__launch_value(f->l, -1, sizeof v, &v);
  else
    ga__launch_value(f->l, -1, sizeof narrow, &narrow);
}

/* FFT_PARAMS of cl/fft_side.cl. */
static int add_arguments(ga__fft *f, const ga__fft_step *t,
                         const ga__fft_layout *l) {
  add_side(f, t->x, l->x_lane);
  add_side(f, t->y, l->y_lane);
  GA_TRY(add_batch(f, t, l));
  ga__launch_size(f->l, t->rows);
  ga__launch_size(f->l, t->m);
  ga__launch_size(f->l, t->s);
  ga__launch_size(f->l, l->lanes);
  GA_TRY(add_roots(f, t, &l->passes));
  ga__launch_size(f->l, t->x->end);
  ga__launch_size(f->l, t->y->end);
  ga__launch_size(f->l, t->a->mirror);
  add_table(f, t->x->table);
  add_table(f, t->y->table);
  add_number(f, t->scale);
  return GA_NO_ERROR;
}

static void add_source(ga__fft *f, const char *name, const ga__launch_key *key,
                       ga__strb *b, size_t gs, size_t ls) {
  if (b->err != GA_NO_ERROR) {
    ga__launch_error(f->l, b->err);
  } else {
    const char *const parts[2] = {ga__strb_text(b), ga__template(name)};
    const ga__source src = {.n = 2, .parts = parts, .entry = name};

    ga__launch_kernel(f->l, &src, 1, &gs, &ls);
    ga__launch_remember(f->l, key);
  }
  ga__strb_clear(b);
}

/* Macros of both kernels. */
static void append_numbers(ga__strb *b, const ga__fft *f, int is_odd) {
  const ga__macro macros[2] = {{"F_ODD", is_odd != 0},
                               {"F_DOUBLE", f->is_double != 0}};

  ga__gen_numbers(b, f->is_double ? GA_CDOUBLE : GA_CFLOAT, f->lanes, 2,
                  macros);
}

/* --- CPUs --- */

static void add_cpu_kernel(ga__fft *f, int is_odd, size_t items) {
  static const size_t one = 1;
  ga__strb b = GA_STRB_INIT;
  ga__launch_key key;

  ga__launch_key_start(&key, f->ctx, "fft_cpu");
  ga__launch_key_number(&key, (size_t)f->is_double);
  ga__launch_key_number(&key, (size_t)(is_odd != 0));
  if (ga__launch_again(f->l, &key, 1, &items, &one))
    return;
  append_numbers(&b, f, is_odd);
  add_source(f, "fft_cpu", &key, &b, items, one);
}

static int add_cpu(ga__fft *f, const ga__fft_step *t, const ga__fft_layout *l) {
  const size_t able = CPU_ITEMS * gpucontext_caps(f->ctx)->compute_units;
  const size_t each = ga__ceil_div(l->units, ga__at_least(able, 1));
  const size_t items = ga__ceil_div(l->units, each);

  add_cpu_kernel(f, ga__fft_is_odd(&l->passes), items);
  GA_TRY(add_arguments(f, t, l));
  ga__launch_uint(f->l, (uint32_t)l->by);
  GA_TRY(add_plan(f, t, &l->passes));
  GA_TRY(add_twists(f, t, l));
  ga__launch_uint(f->l, (uint32_t)l->x_how);
  ga__launch_uint(f->l, (uint32_t)l->y_how);
  ga__launch_size(f->l, l->units);
  ga__launch_size(f->l, each);
  ga__launch_begin_sharing(f->l);
  ga__launch_work(
      f->l, ga__times(ga__times(items, t->rows), f->lanes * ga__fft_size(f)));
  ga__launch_end_sharing(f->l);
  return GA_NO_ERROR;
}

/* --- GPUs --- */

/* Do positions and numbers of units fit in 31 bits? */
static int is_small(const ga__fft_step *t, const ga__fft_layout *l) {
  const size_t most = INT32_MAX;

  return t->rows * t->m * t->s <= most && t->a->mirror <= most &&
         l->lanes <= most && l->units <= most;
}

static void append_step(ga__strb *b, const ga__fft_step *t,
                        const ga__fft_layout *l) {
  const int small = is_small(t, l);

  ga__strb_appendf(b,
                   "#define COUNT %s\n#define SIGNED %s\n"
                   "#define LANES_BY %d\n#define SINGLE %d\n"
                   "#define TWISTED %d\n"
                   "#define X_HOW %d\n#define Y_HOW %d\n",
                   small ? "uint" : "ulong", small ? "int" : "long", (int)l->by,
                   t->m == 1 && t->s == 1, t->m > 1, l->x_how, l->y_how);
}

static void add_gpu_kernel(ga__fft *f, const ga__fft_step *t,
                           const ga__fft_layout *l) {
  const size_t ls = l->group.items * l->width, gs = ga__times(l->units, ls);
  ga__strb b = GA_STRB_INIT;
  ga__launch_key key;

  ga__launch_key_start(&key, f->ctx, "fft_gpu");
  ga__launch_key_number(&key, (size_t)f->is_double);
  ga__launch_key_number(&key, t->rows);
  ga__launch_key_bytes(&key, &l->group, sizeof l->group);
  ga__launch_key_number(&key, (size_t)l->by);
  ga__launch_key_number(&key, (size_t)l->x_how);
  ga__launch_key_number(&key, (size_t)l->y_how);
  ga__launch_key_number(&key, (size_t)(t->m > 1));
  ga__launch_key_number(&key, (size_t)(t->s > 1));
  ga__launch_key_number(&key, (size_t)is_small(t, l));
  if (ga__launch_again(f->l, &key, 1, &gs, &ls))
    return;
  append_numbers(&b, f, ga__fft_is_odd(&l->passes));
  append_step(&b, t, l);
  ga__fft_group_text(&b, &l->group, &f->limits, &l->passes);
  add_source(f, "fft_gpu", &key, &b, gs, ls);
}

static int add_gpu(ga__fft *f, const ga__fft_step *t, const ga__fft_layout *l) {
  ga__launch_rounds(f->l, t->a->nd);
  add_gpu_kernel(f, t, l);
  GA_TRY(add_arguments(f, t, l));
  add_number(f, 4.0 / (double)(t->rows * t->m));
  ga__launch_local(f->l, l->group.bytes);
  return GA_NO_ERROR;
}

int ga__fft_add_step(ga__fft *f, const ga__fft_step *t) {
  ga__fft_layout l;

  ga__fft_lay_out(&l, f, t);
  if (l.units == 0)
    return GA_NO_ERROR;
  return f->is_cpu ? add_cpu(f, t, &l) : add_gpu(f, t, &l);
}
