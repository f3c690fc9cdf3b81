/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps and posts of row programs as functions of a kernel.
 *
 * A map function declares the names that its map uses, runs the map in a block,
 * and stores or returns what it assigned. A kept value that is not in private
 * memory is computed by running the map of its phase again; the compiler drops
 * what else that map assigns. */
#include "codegen/gen_rows_map.h"

#include <stdio.h>

#include "base/dtype.h"
#include "codegen/gen_combine.h"

/* A map or a post being written. */
typedef struct writer {
  ga__strb *b;
  const ga__gen_rows *g;
  const GpuRowsSpec *s;
  unsigned int phase;
  unsigned int again; /* bit p: the map of phase p runs again */
  ga__rows_part part;
} writer;

/* --- uses of names --- */

/* Nonzero if a map that the function runs uses this name. */
static int is_used(const writer *w, const char *name) {
  if (ga__rows_mentions(w->s->phases[w->phase].map, name))
    return 1;
  for (unsigned int p = 0; p < w->phase; p++) {
    if ((w->again >> p & 1u) && ga__rows_mentions(w->s->phases[p].map, name))
      return 1;
  }
  return 0;
}

static int is_again(const writer *w, unsigned int phase) {
  for (unsigned int i = 0; i < w->s->n_kept; i++) {
    if (ga__rows_map_phase(w->s, w->s->kept[i].name) == phase &&
        is_used(w, w->s->kept[i].name))
      return 1;
  }
  return 0;
}

/* Find the phases whose maps run again. A map may need kept values of earlier
 * phases, so go backwards. */
static void find_again(writer *w) {
  if (w->g->shape.items > 0)
    return;
  for (unsigned int p = w->phase; p-- > 0;)
    w->again |= (unsigned int)is_again(w, p) << p;
}

/* --- addresses --- */

/* The address of element r_j of argument i, from the row's pointer. */
static void write_address(ga__strb *b, const ga__gen_rows *g, unsigned int i) {
  const size_t size = ga__dtype_size(g->spec->args[i].typecode);

  ga__strb_appendf(b, "r_r->q%u", i);
  for (unsigned int d = 0; d < g->nr; d++) {
    if (d == 0 && g->shape.along && g->steps[i] >= GA_LANES_NEXT)
      ga__strb_appendf(b, " + (size_t)(r_i0) * %zu", size);
    else
      ga__strb_appendf(b, " + (long)(r_i%u) * r_r->d%u_%u", d, i, d);
  }
}

/* The bytes from lane to lane, as an expression. */
static void lane_distance(const ga__gen_rows *g, unsigned int i, char *out,
                          size_t n) {
  if (g->steps[i] >= GA_LANES_NEXT)
    snprintf(out, n, "%zu", ga__dtype_size(g->spec->args[i].typecode));
  else
    snprintf(out, n, g->shape.along ? "r_r->d%u_0" : "r_r->k%u", i);
}

/* Split position r_j into an index for each reduced dimension. */
static void write_index(ga__strb *b, const ga__gen_rows *g) {
  if (g->nr == 1) {
    ga__strb_append(b, "  const R_IDX r_i0 = r_j;\n");
    return;
  }
  ga__strb_append(b, "  R_IDX r_left = r_j;\n");
  for (unsigned int d = 0; d + 1 < g->nr; d++)
    ga__strb_appendf(b,
                     "  const R_IDX r_i%u = r_left %% r_r->m%u;\n"
                     "  r_left /= r_r->m%u;\n",
                     d, d, d);
  ga__strb_appendf(b, "  const R_IDX r_i%u = r_left;\n", g->nr - 1);
}

/* --- inputs --- */

static int is_vector(const writer *w) {
  return w->g->shape.lanes > 1;
}

/* Lanes after r_last read the same element as r_last. */
static void write_some_load(const writer *w, unsigned int i) {
  char at[96], apart[24];

  lane_distance(w->g, i, apart, sizeof apart);
  snprintf(at, sizeof at, "r_p%u + (min((long)r_last, (long)l) - l) * %s", i,
           apart);
  ga__arg_write_read(w->b, &w->s->args[i], at, apart, GA_LANES_APART);
}

/* The elements of a state, in a loop. */
static void write_heard(const writer *w, unsigned int i) {
  const gpuelemwise_arg *a = &w->s->args[i];
  const char *type = ga__dtype_cl(a->typecode);
  const unsigned int lanes = w->g->shape.lanes;
  char apart[24];

  lane_distance(w->g, i, apart, sizeof apart);
  ga__strb_appendf(w->b, "  uint r_h%u[%u];\n  r_hear(r_r, %d, (", i, lanes,
                   ga__rows_state(w->g, i));
  write_address(w->b, w->g, i);
  ga__strb_appendf(w->b,
                   ") / 4, (long)(%s) / 4, %u, r_h%u);\n"
                   "  const w_%s %s = (w_%s)(",
                   apart, lanes, i, type, a->name, type);
  for (unsigned int lane = 0; lane < lanes; lane++)
    ga__strb_appendf(w->b, "%sas_%s(r_h%u[%u])", lane > 0 ? ", " : "", type, i,
                     lane);
  ga__strb_append(w->b, ");\n");
}

static void write_load(const writer *w, unsigned int i) {
  char at[24], apart[24];

  if (ga__rows_hears(w->g, i)) {
    write_heard(w, i);
    return;
  }

  ga__strb_appendf(w->b, "  global const char *r_p%u = ", i);
  write_address(w->b, w->g, i);
  ga__strb_append(w->b, ";\n");
  if (w->part == GA_ROWS_SOME) {
    write_some_load(w, i);
    return;
  }
  snprintf(at, sizeof at, "r_p%u", i);
  lane_distance(w->g, i, apart, sizeof apart);
  ga__arg_write_read(w->b, &w->s->args[i], at, apart,
                     is_vector(w) ? w->g->steps[i] : GA_LANES_ONE);
}

/* The first phase that uses a held input loads it; later ones read the copy. */
static void write_held(const writer *w, unsigned int i) {
  const gpuelemwise_arg *a = &w->s->args[i];

  if (ga__rows_map_phase(w->s, a->name) == w->phase) {
    write_load(w, i);
    ga__strb_appendf(w->b, "  r_r->h%u[r_u] = %s;\n", i, a->name);
  } else {
    ga__strb_appendf(w->b, "  const w_%s %s = r_r->h%u[r_u];\n",
                     ga__arg_w_name(a->typecode), a->name, i);
  }
}

static void write_input(const writer *w, unsigned int i) {
  const gpuelemwise_arg *a = &w->s->args[i];
  char from[24];

  if ((a->flags & GE_WRITE) || !is_used(w, a->name))
    return;
  if (ga__rows_is_value(w->g, i)) {
    snprintf(from, sizeof from, "r_r->x%u", i);
    ga__arg_write_value(w->b, a, from, is_vector(w));
  } else if (w->g->shape.hold && ga__rows_is_held(w->s, i)) {
    write_held(w, i);
  } else {
    write_load(w, i);
  }
}

/* Declare a row value, in all lanes. */
static void write_number(const writer *w, const char *name, int typecode) {
  const char *t = ga__arg_w_name(typecode);

  if (!is_used(w, name))
    return;
  if (!w->g->shape.along || !is_vector(w))
    ga__strb_appendf(w->b, "  const w_%s %s = r_r->n_%s;\n", t, name, name);
  else if (ga__dtype_kind(typecode) == GA_KIND_BOOL)
    ga__strb_appendf(w->b,
                     "  const w_bool %s = (w_bool)(-(W_BOOL)(r_r->n_%s != "
                     "0));\n",
                     name, name);
  else
    ga__strb_appendf(w->b, "  const w_%s %s = (w_%s)(r_r->n_%s);\n", t, name, t,
                     name);
}

static void write_numbers(const writer *w) {
  const GpuRowsSpec *s = w->s;

  for (unsigned int i = 0; i < s->n_reduce; i++) {
    if (ga__rows_map_phase(s, s->reduce[i].name) < w->phase)
      write_number(w, s->reduce[i].name, s->reduce[i].acc);
  }
  for (unsigned int i = 0; i < s->n_numbers; i++) {
    if (ga__rows_post_phase(s, s->numbers[i].name) < w->phase)
      write_number(w, s->numbers[i].name, s->numbers[i].typecode);
  }
}

/* --- maps and their variables --- */

static void declare(const writer *w, const char *name, int typecode) {
  ga__strb_appendf(w->b, "  w_%s %s;\n", ga__arg_w_name(typecode), name);
}

/* Declare what the map of `phase` assigns, except kept values. */
static void declare_assigned(const writer *w, unsigned int phase) {
  const GpuRowsSpec *s = w->s;

  for (unsigned int i = 0; i < s->n_reduce; i++) {
    if (ga__rows_map_phase(s, s->reduce[i].name) == phase)
      declare(w, s->reduce[i].name, s->reduce[i].acc);
  }
  for (unsigned int i = 0; i < s->n_args; i++) {
    if ((s->args[i].flags & GE_WRITE) &&
        ga__rows_map_phase(s, s->args[i].name) == phase)
      declare(w, s->args[i].name, s->args[i].typecode);
  }
}

static void declare_kept(const writer *w, unsigned int phase) {
  for (unsigned int i = 0; i < w->s->n_kept; i++) {
    if (ga__rows_map_phase(w->s, w->s->kept[i].name) == phase)
      declare(w, w->s->kept[i].name, w->s->kept[i].typecode);
  }
}

/* Declare kept values of earlier phases, from private memory or computed
 * again. */
static void write_kept(const writer *w) {
  const GpuRowsSpec *s = w->s;

  for (unsigned int i = 0; i < s->n_kept && w->g->shape.items > 0; i++) {
    if (ga__rows_map_phase(s, s->kept[i].name) < w->phase &&
        is_used(w, s->kept[i].name))
      ga__strb_appendf(w->b, "  const w_%s %s = r_r->k_%s[r_u];\n",
                       ga__arg_w_name(s->kept[i].typecode), s->kept[i].name,
                       s->kept[i].name);
  }
  for (unsigned int p = 0; p < w->phase; p++) {
    if ((w->again >> p & 1u) == 0)
      continue;
    declare_kept(w, p);
    ga__strb_append(w->b, "  {\n");
    declare_assigned(w, p);
    ga__strb_appendf(w->b, "  { %s;\n  }\n  }\n", s->phases[p].map);
  }
}

/* --- outputs --- */

/* Store lanes 0 to `last` one by one. */
static void write_lane_stores(ga__strb *b, const gpuelemwise_arg *a,
                              const char *at, const char *apart,
                              const char *last) {
  ga__strb_appendf(b,
                   "#define W_PUT(r_l, r_c) if ((r_l) <= %s) "
                   "*(global %s *)(%s + (r_l) * %s) = ",
                   last, ga__arg_value_type(a->typecode), at, apart);
  if (ga__dtype_is_narrow(a->typecode))
    ga__strb_appendf(b, "ga_to_%s(%s r_c)\n", ga__dtype_cl(a->typecode),
                     a->name);
  else if (ga__dtype_kind(a->typecode) == GA_KIND_BOOL)
    ga__strb_appendf(b, "(%s r_c) != 0\n", a->name);
  else
    ga__strb_appendf(b, "%s r_c\n", a->name);
  ga__strb_append(b, "  W_EACH(W_PUT)\n#undef W_PUT\n");
}

static void write_output(const writer *w, unsigned int i) {
  const gpuelemwise_arg *a = &w->s->args[i];
  const ga__lane_step step = is_vector(w) ? w->g->steps[i] : GA_LANES_ONE;
  char at[24], apart[24], lanes[16];

  if (!(a->flags & GE_WRITE) || ga__rows_map_phase(w->s, a->name) != w->phase)
    return;
  ga__strb_appendf(w->b, "  %s{\n  global char *r_p%u = ",
                   w->part == GA_ROWS_WHOLE ? "if (r_in) " : "", i);
  write_address(w->b, w->g, i);
  ga__strb_append(w->b, ";\n");
  snprintf(at, sizeof at, "r_p%u", i);
  snprintf(lanes, sizeof lanes, "%u", w->g->shape.lanes - 1);
  lane_distance(w->g, i, apart, sizeof apart);
  if (w->part == GA_ROWS_SOME)
    write_lane_stores(w->b, a, at, apart, "r_last");
  else if (step < GA_LANES_NEXT)
    write_lane_stores(w->b, a, at, apart, lanes);
  else if (w->g->streams[i])
    ga__arg_write_stream(w->b, a, at);
  else
    ga__arg_write_store(w->b, a, at, step);
  ga__strb_append(w->b, "  }\n");
}

/* The values for reduction i; lanes without an element get the neutral one. */
static void write_contribution(const writer *w, unsigned int i) {
  const GpuRowsReduce *r = &w->s->reduce[i];
  const int is_bool = ga__dtype_kind(r->acc) == GA_KIND_BOOL;
  const char *mask = ga__reduce_mask(ga__reduce_acc_dtype(r->acc));
  const char *acc = ga__dtype_cl(ga__reduce_acc_dtype(r->acc));
  const char *format = is_bool ? "w_from_bool_int(w_to_bool(%s))" : "%s";
  char value[96];

  snprintf(value, sizeof value, format, r->name);
  ga__strb_appendf(w->b, "  *r_v%u = ", i);
  if (w->part == GA_ROWS_WHOLE)
    ga__strb_appendf(w->b, "r_in ? %s : (w_%s)(%s);\n", value, acc,
                     ga__reduce_neutral(r->op, r->acc));
  else if (w->part == GA_ROWS_SOME && w->g->shape.along)
    ga__strb_appendf(w->b,
                     "(w_%s)(R_IOTA) <= (w_%s)((%s)r_last) ? %s : "
                     "(w_%s)(%s);\n",
                     mask, mask, mask, value, acc,
                     ga__reduce_neutral(r->op, r->acc));
  else
    ga__strb_appendf(w->b, "%s;\n", value);
}

static void write_results(const writer *w) {
  const GpuRowsSpec *s = w->s;

  for (unsigned int i = 0; i < s->n_kept && w->g->shape.items > 0; i++) {
    if (ga__rows_map_phase(s, s->kept[i].name) == w->phase)
      ga__strb_appendf(w->b, "  r_r->k_%s[r_u] = %s;\n", s->kept[i].name,
                       s->kept[i].name);
  }
  for (unsigned int i = 0; i < s->n_args; i++)
    write_output(w, i);
  for (unsigned int i = 0; i < s->n_reduce; i++) {
    if (ga__rows_map_phase(s, s->reduce[i].name) == w->phase)
      write_contribution(w, i);
  }
}

/* --- maps --- */

static void write_head(const writer *w) {
  static const char *const names[] = {[GA_ROWS_FULL] = "map",
                                      [GA_ROWS_SOME] = "some",
                                      [GA_ROWS_WHOLE] = "whole"};
  static const char *const more[] = {[GA_ROWS_FULL] = "",
                                     [GA_ROWS_SOME] = ", const uint r_last",
                                     [GA_ROWS_WHOLE] = ", const int r_in"};

  ga__strb_appendf(w->b,
                   "static void r_%s%u(r_row *r_r, const R_IDX r_u, "
                   "const R_IDX r_j%s",
                   names[w->part], w->phase, more[w->part]);
  for (unsigned int i = 0; i < w->s->n_reduce; i++) {
    const GpuRowsReduce *r = &w->s->reduce[i];

    if (ga__rows_map_phase(w->s, r->name) == w->phase)
      ga__strb_appendf(w->b, ", w_%s *r_v%u",
                       ga__dtype_cl(ga__reduce_acc_dtype(r->acc)), i);
  }
  ga__strb_append(w->b, ") {\n");
}

void ga__rows_write_map(ga__strb *b, const ga__gen_rows *g, unsigned int phase,
                        ga__rows_part part) {
  writer w = {b, g, g->spec, phase, 0, part};

  find_again(&w);
  write_head(&w);
  write_index(b, g);
  for (unsigned int i = 0; i < w.s->n_args; i++)
    write_input(&w, i);
  write_numbers(&w);
  write_kept(&w);
  declare_kept(&w, phase);
  declare_assigned(&w, phase);
  ga__strb_appendf(b, "  { %s;\n  }\n", w.s->phases[phase].map);
  write_results(&w);
  ga__strb_append(b, "}\n");
}

/* --- posts --- */

/* If lanes are rows, load one element per lane; lanes after the last row read
 * that of the last. */
static void write_row_load(const writer *w, unsigned int i) {
  const gpuelemwise_arg *a = &w->s->row_args[i];
  char at[96], apart[24];

  if (ga__rows_hears(w->g, w->s->n_args + i)) {
    const char *type = ga__dtype_cl(a->typecode);

    ga__strb_appendf(w->b, "  const w_%s %s = as_%s(r_r->z%u);\n", type,
                     a->name, type, i);
    return;
  }
  if (w->g->shape.unit == 1) {
    snprintf(at, sizeof at, "r_r->y%u", i);
    ga__arg_write_read(w->b, a, at, NULL, GA_LANES_ONE);
    return;
  }
  snprintf(apart, sizeof apart, "r_r->s%u", i);
  snprintf(at, sizeof at, "r_r->y%u + (min((long)r_r->last, (long)l) - l) * %s",
           i, apart);
  ga__arg_write_read(w->b, a, at, apart, GA_LANES_APART);
}

static void write_row_arg(const writer *w, unsigned int i) {
  const gpuelemwise_arg *a = &w->s->row_args[i];
  char from[24];

  if (!ga__rows_mentions(w->s->phases[w->phase].post, a->name))
    return;
  if (a->flags & GE_WRITE) {
    if (ga__rows_post_phase(w->s, a->name) == w->phase)
      declare(w, a->name, a->typecode);
  } else if (ga__arg_is_value(a)) {
    snprintf(from, sizeof from, "r_r->z%u", i);
    ga__arg_write_value(w->b, a, from, w->g->shape.unit > 1);
  } else {
    write_row_load(w, i);
  }
}

static void write_tell(const writer *w, const char *name, int state) {
  if (w->g->shape.unit == 1)
    ga__strb_appendf(w->b, "  r_tell(r_r, %d, r_r->o, as_uint(%s));\n", state,
                     name);
  else
    ga__strb_appendf(w->b,
                     "#define W_PUT(r_l, r_c) if ((r_l) <= r_r->last) "
                     "r_tell(r_r, %d, r_r->o + (r_l), as_uint(%s r_c))\n"
                     "  W_EACH(W_PUT)\n#undef W_PUT\n",
                     state, name);
}

/* In a loop a state is told as well, a row that could not be read stores
 * nothing, and some operands are stored by the last iteration alone. */
static void write_row_store(const writer *w, unsigned int i) {
  const gpuelemwise_arg *a = &w->s->row_args[i];
  const GpuRowsMove *m =
      w->g->moves != NULL ? &w->g->moves[w->s->n_args + i] : NULL;
  char at[24], apart[24];

  if (!(a->flags & GE_WRITE) || ga__rows_post_phase(w->s, a->name) != w->phase)
    return;
  snprintf(at, sizeof at, "r_r->y%u", i);
  snprintf(apart, sizeof apart, "r_r->s%u", i);
  ga__strb_appendf(w->b, "  if (r_r->here%s) {\n",
                   m != NULL ? " && r_r->bad == 0" : "");
  if (m != NULL && m->state >= 0)
    write_tell(w, a->name, m->state);
  if (m != NULL && m->once)
    ga__strb_append(w->b, "  if (r_r->ends) {\n");
  if (w->g->shape.unit == 1)
    ga__arg_write_store(w->b, a, at, GA_LANES_ONE);
  else
    write_lane_stores(w->b, a, at, apart, "r_r->last");
  ga__strb_append(w->b, m != NULL && m->once ? "  }\n  }\n" : "  }\n");
}

/* Declare a row value that the post reads. */
static void read_post_number(const writer *w, const char *name, int typecode) {
  if (ga__rows_mentions(w->s->phases[w->phase].post, name))
    ga__strb_appendf(w->b, "  const w_%s %s = r_r->n_%s;\n",
                     ga__arg_w_name(typecode), name, name);
}

void ga__rows_write_post(ga__strb *b, const ga__gen_rows *g,
                         unsigned int phase) {
  const GpuRowsSpec *s = g->spec;
  const writer w = {b, g, s, phase, 0, GA_ROWS_FULL};

  ga__strb_appendf(b, "static void r_post%u(r_row *r_r) {\n", phase);
  for (unsigned int i = 0; i < s->n_reduce && s->phases[phase].post != NULL;
       i++)
    read_post_number(&w, s->reduce[i].name, s->reduce[i].acc);
  for (unsigned int i = 0; i < s->n_row_args; i++)
    write_row_arg(&w, i);
  for (unsigned int i = 0; i < s->n_numbers; i++) {
    const unsigned int from = ga__rows_post_phase(s, s->numbers[i].name);

    if (from < phase)
      read_post_number(&w, s->numbers[i].name, s->numbers[i].typecode);
    else if (from == phase)
      declare(&w, s->numbers[i].name, s->numbers[i].typecode);
  }
  if (s->phases[phase].post != NULL)
    ga__strb_appendf(b, "  { %s;\n  }\n", s->phases[phase].post);
  for (unsigned int i = 0; i < s->n_numbers; i++) {
    if (ga__rows_post_phase(s, s->numbers[i].name) == phase)
      ga__strb_appendf(b, "  r_r->n_%s = %s;\n", s->numbers[i].name,
                       s->numbers[i].name);
  }
  for (unsigned int i = 0; i < s->n_row_args; i++)
    write_row_store(&w, i);
  ga__strb_append(b, "}\n");
}
