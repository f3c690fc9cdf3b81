/* SPDX-License-Identifier: BSD-2-Clause */
/* The sources of a row program's phases: for each phase the elements that its
 * reductions and stores need, then the row values that follow.
 *
 *   softmax:  r0 = i0;
 *             w_float t2 = (i0 - r0); w_float t3 = exp(t2); k3 = t3; r4 = t3;
 *             w_float t5 = (k3 / r4); o0 = t5;
 *
 * Arguments of elements are named i, s and o, those of row values p, q and w.
 * Items are named after their index: t, an element; k, a kept element; r, the
 * result of a reduction; n, another row value. */
#include <stdio.h>

#include "emit/emit.h"
#include "ops/ops.h"

typedef struct maker {
  const gg__program *p;
  unsigned int *local;
  const gg__rows_step *r;
  gg__emitter maps[GPUROWS_MAX_PHASES], posts[GPUROWS_MAX_PHASES];
  unsigned char *needed; /* by item: is it needed in the present phase? */
  char (*names)[12];     /* by item */
  GA_VEC(GpuRowsReduce) reduce;
  GA_VEC(GpuRowsValue) kept;
  GA_VEC(GpuRowsValue) row_values;
} maker;

static unsigned int out_value(const maker *m, unsigned int item) {
  return gg__out(m->p, m->r->items[item].apply, 0);
}

static void name(const maker *m, unsigned int item, unsigned int local) {
  m->local[out_value(m, item)] = GG_LOCAL(local, item);
}

/* A view of a row value has the name of that value. */
static void name_view(const maker *m, unsigned int item) {
  const unsigned int v = gg__in(m->p, m->r->items[item].apply, 0);

  m->local[out_value(m, item)] = m->local[v];
}

/* --- what a phase needs --- */

/* Mark the items that an item reads. item_of[v] is the item that computes v if
 * that item's output is v. */
static void need_inputs(const maker *m, const unsigned int *item_of,
                        unsigned int item) {
  const gg_apply *a = m->r->items[item].apply;

  for (unsigned int i = 0; i < a->n_in; i++) {
    unsigned int from = item_of[gg__in(m->p, a, i)];
    if (from < item && out_value(m, from) == gg__in(m->p, a, i))
      m->needed[from] = 1;
  }
}

/* Must this phase compute the element, to store or keep it? */
static int is_goal(const gg__row_item *x, unsigned int phase) {
  return x->phase == phase && (x->stored || x->kept);
}

static void find_needed(const maker *m, unsigned int phase) {
  for (unsigned int i = 0; i < m->r->n_items; i++) {
    m->needed[i] = 0;
    m->local[out_value(m, i)] = i; /* item_of of need_inputs() */
  }
  for (unsigned int i = m->r->n_items; i-- > 0;) {
    const gg__row_item *x = &m->r->items[i];
    if (x->kind == GG_ROW_REDUCE && x->phase == phase)
      need_inputs(m, m->local, i);
    if (x->kind != GG_ROW_ELEMENT || !(m->needed[i] || is_goal(x, phase)))
      continue;
    m->needed[i] = 1;
    if (!x->kept || x->phase == phase)
      need_inputs(m, m->local, i);
  }
}

/* --- sources --- */

/* The index of a value among those that a body stores. */
static unsigned int output_index(const gg__body *b, unsigned int value) {
  unsigned int i = 0;

  while (b->out[i] != value)
    i++;
  return i;
}

static void emit_element(maker *m, gg__emitter *e, unsigned int item,
                         unsigned int phase) {
  const gg__row_item *x = &m->r->items[item];

  if (!m->needed[item])
    return;
  if (x->kept && x->phase < phase) {
    name(m, item, GG_LOCAL_KEPT);
    return;
  }
  ga__strb_appendf(&e->text,
                   "w_%s t%u = ", gg__stem(x->apply->out[0]->type.dtype), item);
  gg__emit_code(e, x->apply);
  ga__strb_append(&e->text, ";\n");
  name(m, item, GG_LOCAL_TEMP);
  if (x->kept)
    ga__strb_appendf(&e->text, "k%u = t%u;\n", item, item);
  if (x->stored && x->phase == phase)
    ga__strb_appendf(&e->text, "o%u = t%u;\n",
                     output_index(&m->r->elements, out_value(m, item)), item);
}

static void emit_map(maker *m, unsigned int phase) {
  gg__emitter *e = &m->maps[phase];

  find_needed(m, phase);
  gg__emit_names(e, &m->r->elements);
  for (unsigned int i = 0; i < m->r->n_items; i++) {
    const gg__row_item *x = &m->r->items[i];
    if (x->kind == GG_ROW_ELEMENT) {
      emit_element(m, e, i, phase);
    } else if (x->kind == GG_ROW_VALUE) {
      name(m, i, GG_LOCAL_ROW);
    } else if (x->kind == GG_ROW_VIEW) {
      name_view(m, i);
    } else {
      if (x->phase == phase)
        gg__emit_reduced(e, x->apply, gg__accumulator(x->apply), m->names[i]);
      name(m, i, GG_LOCAL_REDUCED);
    }
  }
}

static void emit_post(maker *m, unsigned int phase) {
  gg__emitter *e = &m->posts[phase];

  gg__emit_names(e, &m->r->row_values);
  for (unsigned int i = 0; i < m->r->n_items; i++) {
    const gg__row_item *x = &m->r->items[i];
    if (x->kind == GG_ROW_ELEMENT)
      continue;
    if (x->kind == GG_ROW_VIEW) {
      name_view(m, i);
      continue;
    }
    if (x->kind == GG_ROW_VALUE && x->phase == phase) {
      ga__strb_appendf(&e->text, "%s = ", m->names[i]);
      gg__emit_code(e, x->apply);
      ga__strb_append(&e->text, ";\n");
    }
    name(m, i, x->kind == GG_ROW_VALUE ? GG_LOCAL_ROW : GG_LOCAL_REDUCED);
    if (x->stored && x->phase == phase)
      ga__strb_appendf(&e->text, "w%u = %s;\n",
                       output_index(&m->r->row_values, out_value(m, i)),
                       m->names[i]);
  }
}

/* --- named values --- */

static int list_item(maker *m, unsigned int item) {
  static const char letters[] = {[GG_ROW_ELEMENT] = 'k',
                                 [GG_ROW_VALUE] = 'n',
                                 [GG_ROW_REDUCE] = 'r',
                                 [GG_ROW_VIEW] = 'v'};
  const gg__row_item *x = &m->r->items[item];
  char *text = m->names[item];
  const GpuRowsValue v = {text, x->apply->out[0]->type.dtype};

  snprintf(text, sizeof m->names[0], "%c%u", letters[x->kind], item);
  if (x->kind == GG_ROW_ELEMENT && x->kept)
    return ga__vec_push(&m->kept, v);
  if (x->kind == GG_ROW_VALUE)
    return ga__vec_push(&m->row_values, v);
  if (x->kind == GG_ROW_REDUCE) {
    const GpuRowsReduce r = {text, gg__reduce_op(x->apply),
                             gg__accumulator(x->apply)};
    return ga__vec_push(&m->reduce, r);
  }
  return GA_NO_ERROR;
}

static int write_all(maker *m) {
  m->needed = ga__calloc(m->r->n_items, 1);
  m->names = ga__calloc(m->r->n_items, sizeof m->names[0]);
  if (m->needed == NULL || m->names == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < m->r->n_items; i++)
    GA_TRY(list_item(m, i));
  for (unsigned int i = 0; i < m->r->n_phases; i++) {
    m->maps[i] = (gg__emitter)GG_EMITTER(m, "i", "s", "o");
    m->posts[i] = (gg__emitter)GG_EMITTER(m, "p", "q", "w");
    emit_map(m, i);
    emit_post(m, i);
    GA_TRY(m->maps[i].text.err);
    GA_TRY(m->posts[i].text.err);
  }
  return GA_NO_ERROR;
}

/* --- the program --- */

static int make(maker *m, GpuRows **out, const gg__arguments *args,
                const gg__arguments *row_args) {
  GpuRowsPhase phases[GPUROWS_MAX_PHASES];
  const int is_vector = m->r->elements.vector && m->r->row_values.vector;
  const GpuRowsSpec spec = {.n_phases = m->r->n_phases,
                            .phases = phases,
                            .n_reduce = (unsigned int)m->reduce.n,
                            .reduce = m->reduce.v,
                            .n_kept = (unsigned int)m->kept.n,
                            .kept = m->kept.v,
                            .n_numbers = (unsigned int)m->row_values.n,
                            .numbers = m->row_values.v,
                            .n_args = (unsigned int)args->list.n,
                            .args = args->list.v,
                            .n_row_args = (unsigned int)row_args->list.n,
                            .row_args = row_args->list.v,
                            .flags = is_vector ? GE_VECTOR : 0};

  for (unsigned int i = 0; i < m->r->n_phases; i++) {
    phases[i].map = ga__strb_text(&m->maps[i].text);
    phases[i].post =
        m->posts[i].text.n != 0 ? ga__strb_text(&m->posts[i].text) : NULL;
  }
  return GpuRows_new(out, gg__step_context(m->p, &m->r->step), &spec);
}

int gg__emit_rows(gg__kernels *k, const gg__step *s, gg__kernel *out) {
  maker m = {.p = k->p, .local = k->local, .r = gg__rows_of(s)};
  gg__arguments args = {{NULL, 0, 0}, NULL}, row_args = {{NULL, 0, 0}, NULL};
  int err;

  GA_CHECK(write_all(&m));
  GA_CHECK(gg__list_arguments(&args, &m.maps[0], &m.r->elements, 1));
  GA_CHECK(gg__list_arguments(&row_args, &m.posts[0], &m.r->row_values, 1));
  err = make(&m, &out->rows, &args, &row_args);
done:
  gg__arguments_clear(&args);
  gg__arguments_clear(&row_args);
  for (unsigned int i = 0; i < m.r->n_phases; i++) {
    ga__strb_clear(&m.maps[i].text);
    ga__strb_clear(&m.posts[i].text);
  }
  ga__free(m.needed);
  ga__free(m.names);
  ga__vec_clear(&m.reduce);
  ga__vec_clear(&m.kept);
  ga__vec_clear(&m.row_values);
  return err;
}
