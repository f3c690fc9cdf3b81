/* SPDX-License-Identifier: BSD-2-Clause */
/* Source of row programs: the row with its arguments, and the macros of the
 * phases. */
#include "codegen/gen_rows.h"

#include <stdio.h>

#include "base/dtype.h"
#include "codegen/gen_combine.h"
#include "codegen/gen_rows_map.h"
#include "codegen/template.h"

static const char *acc_type(const GpuRowsReduce *r) {
  return ga__dtype_cl(ga__reduce_acc_dtype(r->acc));
}

static int is_compensated(const ga__gen_rows *g, unsigned int k) {
  const GpuRowsReduce *r = &g->spec->reduce[k];

  return g->shape.compensate && r->op == GA_REDUCE_SUM &&
         ga__dtype_kind(r->acc) == GA_KIND_FLOAT;
}

static unsigned int reduce_phase(const ga__gen_rows *g, unsigned int k) {
  return ga__rows_map_phase(g->spec, g->spec->reduce[k].name);
}

/* --- modes --- */

static void write_mode(ga__strb *b, const ga__gen_rows *g, int is_vector) {
  ga__strb_append(b, "#undef W_LANES\n#undef W_BOOL\n");
  if (is_vector)
    ga__strb_appendf(b, "#define W_LANES %u\n#define W_BOOL %s\n",
                     g->shape.lanes, g->boolean);
  else
    ga__strb_append(b, "#define W_LANES\n#define W_BOOL int\n");
}

/* --- parameters --- */

/* Add the parameters of operand k. In a loop, an array that reads a state has a
 * place among the words instead of a buffer, and all others have a step. */
static void list_arg(ga__params *l, const ga__gen_rows *g,
                     const gpuelemwise_arg *a, const ga__param_names *names,
                     unsigned int i, unsigned int k) {
  const int is_whole = names->red != NULL;
  ga__param_names own = *names;

  if (ga__rows_state(g, k) >= 0)
    own.type = NULL;
  ga__params_arg(l, a, &own, i, g->nk, is_whole ? g->nr : 0);
  if (g->moves != NULL && own.type != NULL && !ga__arg_is_value(a))
    ga__params_add(l, "long", is_whole ? "r_v" : "r_yv", i);
}

static void list_args(ga__params *l, const ga__gen_rows *g) {
  static const ga__param_names whole = {"global char *", "r_x", "r_o", "r_k",
                                        "r_d"};
  static const ga__param_names row = {"global char *", "r_y", "r_yo", "r_s",
                                      NULL};
  const GpuRowsSpec *s = g->spec;

  for (unsigned int i = 0; i < s->n_args; i++)
    list_arg(l, g, &s->args[i], &whole, i, i);
  for (unsigned int i = 0; i < s->n_row_args; i++)
    list_arg(l, g, &s->row_args[i], &row, i, s->n_args + i);
  ga__params_list(l, "ulong", "r_nk", g->nk);
  ga__params_list(l, "ulong", "r_nr", g->nr);
}

static void list_works(ga__params *l, const ga__gen_rows *g) {
  char type[32];

  for (unsigned int k = 0; k < g->spec->n_reduce && g->split; k++) {
    if (reduce_phase(g, k) > g->now)
      continue;
    snprintf(type, sizeof type, "global %s *", acc_type(&g->spec->reduce[k]));
    ga__params_add(l, type, "r_w", k);
  }
}

static void write_params(ga__strb *b, const ga__gen_rows *g) {
  for (int passing = 0; passing < 2; passing++) {
    ga__params l = {b, passing, 1, 0};

    ga__strb_append(b, passing ? "#define R_PASS " : "#define R_PARAMS ");
    list_args(&l, g);
    list_works(&l, g);
    if (g->moves != NULL)
      ga__strb_append(b, passing ? "r_words, "
                                 : "volatile global ulong *r_words, ");
    if (g->moves != NULL && g->shape.team == 1)
      ga__strb_append(b, passing ? "r_copies, " : "global uint *r_copies, ");
    ga__strb_append(b, "\n");
  }
}

/* --- the row --- */

/* A field for a row value: of one row, or of a row per lane. */
static void write_number_field(ga__strb *b, const ga__gen_rows *g,
                               const char *name, int typecode) {
  if (g->shape.unit > 1)
    ga__strb_appendf(b, "  w_%s n_%s;\n", ga__arg_w_name(typecode), name);
  else if (ga__dtype_kind(typecode) == GA_KIND_BOOL)
    ga__strb_appendf(b, "  int n_%s;\n", name);
  else
    ga__strb_appendf(b, "  %s n_%s;\n", ga__dtype_cl(ga__dtype_work(typecode)),
                     name);
}

static void write_arg_fields(ga__strb *b, const ga__gen_rows *g,
                             unsigned int i) {
  const gpuelemwise_arg *a = &g->spec->args[i];

  if (ga__rows_is_value(g, i)) {
    ga__strb_appendf(b, "  %s x%u;\n", ga__arg_value_type(a->typecode), i);
    return;
  }
  ga__strb_appendf(b, "  %sq%u;\n  long k%u",
                   ga__rows_hears(g, i) ? "long " : "global char *", i, i);
  for (unsigned int d = 0; d < g->nr; d++)
    ga__strb_appendf(b, ", d%u_%u", i, d);
  ga__strb_append(b, ";\n");
  if (g->shape.hold && ga__rows_is_held(g->spec, i))
    ga__strb_appendf(b, "  w_%s *h%u;\n", ga__arg_w_name(a->typecode), i);
}

static void write_row_fields(ga__strb *b, const ga__gen_rows *g) {
  const GpuRowsSpec *s = g->spec;

  for (unsigned int i = 0; i < s->n_args; i++)
    write_arg_fields(b, g, i);
  for (unsigned int i = 0; i < s->n_row_args; i++) {
    if (ga__arg_is_value(&s->row_args[i]))
      ga__strb_appendf(b, "  %s z%u;\n",
                       ga__arg_value_type(s->row_args[i].typecode), i);
    else if (ga__rows_hears(g, s->n_args + i))
      ga__strb_appendf(b, "  uint z%u;\n", i);
    else
      ga__strb_appendf(b, "  global char *y%u;\n  long s%u;\n", i, i);
  }
  for (unsigned int i = 0; i + 1 < g->nr; i++)
    ga__strb_appendf(b, "  R_IDX m%u;\n", i);
  for (unsigned int i = 0; i < s->n_reduce; i++) {
    write_number_field(b, g, s->reduce[i].name, s->reduce[i].acc);
    if (g->shape.team > 1)
      ga__strb_appendf(b, "  local %s *l%u;\n", acc_type(&s->reduce[i]), i);
    if (g->split && reduce_phase(g, i) <= g->now)
      ga__strb_appendf(b, "  global %s *w%u;\n", acc_type(&s->reduce[i]), i);
  }
  for (unsigned int i = 0; i < s->n_numbers; i++)
    write_number_field(b, g, s->numbers[i].name, s->numbers[i].typecode);
  for (unsigned int i = 0; i < s->n_kept && g->shape.items > 0; i++)
    ga__strb_appendf(b, "  w_%s *k_%s;\n", ga__arg_w_name(s->kept[i].typecode),
                     s->kept[i].name);
}

static void write_row(ga__strb *b, const ga__gen_rows *g) {
  ga__strb_append(b, "typedef struct r_row {\n"
                     "  R_IDX n, from, to, o, part, parts, rows;\n"
                     "  uint lane, me, row, last;\n"
                     "  int real, here;\n");
  if (g->moves != NULL)
    ga__strb_appendf(b,
                     "  volatile global ulong *words;\n"
                     "  %s;\n"
                     "  uint t, bad;\n"
                     "  int ends;\n",
                     g->shape.team > 1 ? "volatile local uint *status"
                                       : "global uint *copies");
  write_row_fields(b, g);
  ga__strb_append(b, "} r_row;\n");
}

/* R_ROOM declares the private and local arrays of the kernel, R_USE_ROOM points
 * the row to them. */
static void write_room(ga__strb *b, const ga__gen_rows *g) {
  const GpuRowsSpec *s = g->spec;
  ga__strb use = GA_STRB_INIT;

  ga__strb_append(b, "#define R_ROOM ");
  for (unsigned int i = 0; i < s->n_kept && g->shape.items > 0; i++) {
    ga__strb_appendf(b, "w_%s r_k_%s[R_ITEMS]; ",
                     ga__arg_w_name(s->kept[i].typecode), s->kept[i].name);
    ga__strb_appendf(&use, "r_row_.k_%s = r_k_%s; ", s->kept[i].name,
                     s->kept[i].name);
  }
  for (unsigned int i = 0; i < s->n_args && g->shape.hold; i++) {
    if (ga__rows_is_value(g, i) || !ga__rows_is_held(s, i))
      continue;
    ga__strb_appendf(b, "w_%s r_h%u[R_ITEMS]; ",
                     ga__arg_w_name(s->args[i].typecode), i);
    ga__strb_appendf(&use, "r_row_.h%u = r_h%u; ", i, i);
  }
  for (unsigned int i = 0; i < s->n_reduce && g->shape.team > 1; i++) {
    ga__strb_appendf(b, "local %s r_l%u[R_GROUP]; ", acc_type(&s->reduce[i]),
                     i);
    ga__strb_appendf(&use, "r_row_.l%u = r_l%u; ", i, i);
  }
  ga__strb_appendf(b, "\n#define R_USE_ROOM %s\n", ga__strb_text(&use));
  if (use.err != GA_NO_ERROR)
    b->err = use.err;
  ga__strb_clear(&use);
}

/* Where a group's copy of a state begins. */
#define COPY_OF "(global char *)(r_r->copies + (size_t)%d * r_r->rows) + "

static void open_arg(ga__strb *b, const ga__gen_rows *g, unsigned int i) {
  const gpuelemwise_arg *a = &g->spec->args[i];
  const char *type = ga__arg_value_type(a->typecode);

  if (ga__arg_is_value(a)) {
    ga__strb_appendf(b, "  r_r->x%u = r_x%u;\n", i, i);
    return;
  }
  if (ga__rows_hears(g, i))
    ga__strb_appendf(b, "  r_r->q%u = (long)r_o%u", i, i);
  else if (ga__rows_state(g, i) >= 0)
    ga__strb_appendf(b, "  r_r->q%u = " COPY_OF "(long)r_o%u", i,
                     ga__rows_state(g, i), i);
  else if (ga__rows_is_value(g, i))
    ga__strb_appendf(b, "  r_r->x%u = *(global const %s *)(r_x%u + r_o%u", i,
                     type, i, i);
  else
    ga__strb_appendf(b, "  r_r->q%u = r_x%u + r_o%u", i, i, i);
  if (g->moves != NULL && ga__rows_state(g, i) < 0)
    ga__strb_appendf(b, " + r_r->t * r_v%u", i);
  ga__reduce_write_distance(b, "r_ik", "r_k", i, 0, g->nk);
  if (ga__rows_is_value(g, i)) {
    ga__strb_append(b, ");\n");
    return;
  }
  ga__strb_appendf(b, ";\n  r_r->k%u = r_k%u_0;\n", i, i);
  for (unsigned int d = 0; d < g->nr; d++)
    ga__strb_appendf(b, "  r_r->d%u_%u = r_d%u_%u;\n", i, d, i, d);
}

static void open_row_arg(ga__strb *b, const ga__gen_rows *g, unsigned int i) {
  const unsigned int k = g->spec->n_args + i;
  const int state = ga__rows_state(g, k);

  if (ga__rows_hears(g, k)) {
    ga__strb_appendf(b, "  r_hear(r_r, %d, ((long)r_yo%u", state, i);
    ga__reduce_write_distance(b, "r_ik", "r_s", i, 0, g->nk);
    ga__strb_appendf(b, ") / 4, 0, 1, &r_r->z%u);\n", i);
    return;
  }
  if (state >= 0)
    ga__strb_appendf(b, "  r_r->y%u = " COPY_OF "(long)r_yo%u", i, state, i);
  else
    ga__strb_appendf(b, "  r_r->y%u = r_y%u + r_yo%u", i, i, i);
  if (g->moves != NULL && state < 0)
    ga__strb_appendf(b, " + %s * r_yv%u", g->moves[k].once ? "1" : "r_r->t", i);
  ga__reduce_write_distance(b, "r_ik", "r_s", i, 0, g->nk);
  ga__strb_appendf(b, ";\n  r_r->s%u = r_s%u_0;\n", i, i);
}

/* The function that sets the pointers of a row, given its index. */
static void write_open(ga__strb *b, const ga__gen_rows *g) {
  const GpuRowsSpec *s = g->spec;

  ga__strb_append(b, "static void r_open(r_row *r_r, R_PARAMS R_IDX r_o) {\n"
                     "  ");
  ga__reduce_write_indices(b, "r_ik", "r_nk", "r_o", 0, g->nk);
  ga__strb_append(b, "\n  r_r->o = r_o;\n");
  for (unsigned int i = 0; i < s->n_args; i++)
    open_arg(b, g, i);
  for (unsigned int i = 0; i < s->n_row_args; i++) {
    if (ga__arg_is_value(&s->row_args[i])) {
      ga__strb_appendf(b, "  r_r->z%u = r_y%u;\n", i, i);
      continue;
    }
    open_row_arg(b, g, i);
  }
  for (unsigned int i = 0; i + 1 < g->nr; i++)
    ga__strb_appendf(b, "  r_r->m%u = (R_IDX)r_nr%u;\n", i, i);
  for (unsigned int i = 0; i < s->n_reduce && g->split; i++) {
    if (reduce_phase(g, i) <= g->now)
      ga__strb_appendf(b, "  r_r->w%u = r_w%u;\n", i, i);
  }
  ga__strb_append(b, "}\n");
}

/* --- phases --- */

/* Writes the entry of reduction `k` in a macro of its phase. */
typedef void (*entry_fn)(ga__strb *b, const ga__gen_rows *g, unsigned int k);

static void each_reduction(ga__strb *b, const ga__gen_rows *g,
                           unsigned int phase, const char *name, entry_fn fn) {
  ga__strb_appendf(b, "#undef %s\n#define %s ", name, name);
  for (unsigned int k = 0; k < g->spec->n_reduce; k++) {
    if (reduce_phase(g, k) == phase)
      fn(b, g, k);
  }
  ga__strb_append(b, "\n");
}

static void start_entry(ga__strb *b, const ga__gen_rows *g, const char *prefix,
                        unsigned int k) {
  const GpuRowsReduce *r = &g->spec->reduce[k];

  ga__strb_appendf(b, "w_%s %s%u = (w_%s)(%s); ", acc_type(r), prefix, k,
                   acc_type(r), ga__reduce_neutral(r->op, r->acc));
}

static void total_entry(ga__strb *b, const ga__gen_rows *g, unsigned int k) {
  start_entry(b, g, "r_s", k);
  if (is_compensated(g, k))
    ga__strb_appendf(b, "w_%s r_e%u = 0; ", acc_type(&g->spec->reduce[k]), k);
}

static void sum_entry(ga__strb *b, const ga__gen_rows *g, unsigned int k) {
  start_entry(b, g, "r_t", k);
}

static void merge_entry(ga__strb *b, const ga__gen_rows *g, unsigned int k) {
  if (is_compensated(g, k))
    ga__strb_appendf(b, "R_COMPENSATE(w_%s, r_s%u, r_e%u, r_t%u) ",
                     acc_type(&g->spec->reduce[k]), k, k, k);
  else
    ga__strb_appendf(b, "r_s%u = R_COMBINE_%u(r_s%u, r_t%u); ", k, k, k, k);
}

/* Reduce to one value per row: if lanes are elements, fold the lanes and join
 * the values of a team. */
static void fold_entry(ga__strb *b, const ga__gen_rows *g, unsigned int k) {
  const char *acc = acc_type(&g->spec->reduce[k]);

  if (g->shape.along)
    ga__strb_appendf(b,
                     "%s r_f%u; R_FOLD(%s, R_COMBINE_%u, r_s%u, r_f%u) "
                     "R_JOIN(R_COMBINE_%u, r_r->l%u, r_f%u) ",
                     acc, k, acc, k, k, k, k, k, k);
  else
    ga__strb_appendf(b, "const w_%s r_f%u = r_s%u; ", acc, k, k);
}

static void number_entry(ga__strb *b, const ga__gen_rows *g, unsigned int k) {
  const GpuRowsReduce *r = &g->spec->reduce[k];
  const int is_bool = ga__dtype_kind(r->acc) == GA_KIND_BOOL;

  if (is_bool && g->shape.unit > 1)
    ga__strb_appendf(b, "r_r->n_%s = GA_BOOLS(r_f%u); ", r->name, k);
  else if (ga__rows_unites(g))
    ga__strb_appendf(b, "R_NUMBER(%s, r_r->n_%s, r_f%u) ", acc_type(r), r->name,
                     k);
  else
    ga__strb_appendf(b, "r_r->n_%s = r_f%u; ", r->name, k);
}

static void part_entry(ga__strb *b, const ga__gen_rows *g, unsigned int k) {
  (void)g;
  ga__strb_appendf(b,
                   "r_r->w%u[(size_t)r_r->part * r_r->rows + r_r->o] = "
                   "r_f%u; ",
                   k, k);
}

static void rejoin_entry(ga__strb *b, const ga__gen_rows *g, unsigned int k) {
  const GpuRowsReduce *r = &g->spec->reduce[k];

  ga__strb_appendf(b,
                   "%s r_f%u = %s; R_REJOIN(R_COMBINE_%u, r_r->w%u, r_f%u) "
                   "R_JOIN(R_COMBINE_%u, r_r->l%u, r_f%u) ",
                   acc_type(r), k, ga__reduce_neutral(r->op, r->acc), k, k, k,
                   k, k, k);
}

/* R_MAP(u, j) and its like: combine the values of one vector with the sums. */
static void write_take(ga__strb *b, const ga__gen_rows *g, unsigned int phase,
                       const char *macro, const char *function,
                       const char *more) {
  const GpuRowsSpec *s = g->spec;

  ga__strb_appendf(b, "#undef %s\n#define %s(u, j%s) { ", macro, macro, more);
  for (unsigned int k = 0; k < s->n_reduce; k++) {
    if (reduce_phase(g, k) == phase)
      ga__strb_appendf(b, "w_%s r_v%u; ", acc_type(&s->reduce[k]), k);
  }
  ga__strb_appendf(b, "%s%u(r_r, u, j%s", function, phase, more);
  for (unsigned int k = 0; k < s->n_reduce; k++) {
    if (reduce_phase(g, k) == phase)
      ga__strb_appendf(b, ", &r_v%u", k);
  }
  ga__strb_append(b, "); ");
  for (unsigned int k = 0; k < s->n_reduce; k++) {
    if (reduce_phase(g, k) == phase)
      ga__strb_appendf(b, "r_t%u = R_COMBINE_%u(r_t%u, r_v%u); ", k, k, k, k);
  }
  ga__strb_append(b, "}\n");
}

static void write_walk(ga__strb *b, const ga__gen_rows *g, unsigned int phase) {
  const ga__rows_shape *m = &g->shape;

  if (m->hold) {
    ga__rows_write_map(b, g, phase, GA_ROWS_WHOLE);
    write_take(b, g, phase, "R_WHOLE", "r_whole", ", in");
  } else {
    ga__rows_write_map(b, g, phase, GA_ROWS_FULL);
    write_take(b, g, phase, "R_MAP", "r_map", "");
  }
  if (m->lanes > 1 && m->team == 1 && !m->hold) {
    ga__rows_write_map(b, g, phase, GA_ROWS_SOME);
    write_take(b, g, phase, "R_SOME", "r_some", ", last");
  }
}

/* The macros that rows_phase.cl needs. */
static void write_phase(ga__strb *b, const ga__gen_rows *g,
                        unsigned int phase) {
  const int walks = !g->split || phase == g->now;

  ga__strb_appendf(b,
                   "#undef R_PH\n#define R_PH(name) name##%u\n"
                   "#undef R_WALKS\n#define R_WALKS %d\n",
                   phase, walks);
  each_reduction(b, g, phase, "R_TOTALS", total_entry);
  each_reduction(b, g, phase, "R_SUMS", sum_entry);
  each_reduction(b, g, phase, "R_MERGE", merge_entry);
  each_reduction(b, g, phase, "R_FOLDED", fold_entry);
  each_reduction(b, g, phase, "R_NUMBERS", number_entry);
  if (g->split) {
    each_reduction(b, g, phase, "R_STORE_PARTS", part_entry);
    each_reduction(b, g, phase, "R_REJOIN_ALL", rejoin_entry);
  }
  if (walks)
    write_walk(b, g, phase);
}

/* --- the whole --- */

static void write_numbers(ga__strb *b, const ga__gen_rows *g) {
  const ga__rows_shape *m = &g->shape;

  ga__strb_appendf(b,
                   "#define R_IDX %s\n"
                   "#define R_ALONG %d\n"
                   "#define R_LANES %u\n"
                   "#define R_TEAM %u\n"
                   "#define R_GROUP %u\n"
                   "#define R_UNIT %u\n"
                   "#define R_ITEMS %u\n"
                   "#define R_HOLD %d\n"
                   "#define R_EXACT %d\n"
                   "#define R_BLOCK %u\n"
                   "#define R_SPLIT %d\n",
                   g->wide_index ? "ulong" : "uint", m->along, m->lanes,
                   m->team, m->group, m->unit, m->items, m->hold, m->exact,
                   m->block, g->split);
  if (g->moves != NULL)
    ga__strb_appendf(b, "#define R_LOOP\n#define R_STATES %u\n", g->n_states);
  if (m->along && m->lanes > 1) {
    ga__strb_append(b, "#define R_IOTA ");
    for (unsigned int l = 0; l < m->lanes; l++)
      ga__strb_appendf(b, "%s%u", l > 0 ? ", " : "", l);
    ga__strb_append(b, "\n");
  }
  for (unsigned int k = 0; k < g->spec->n_reduce; k++)
    ga__strb_appendf(
        b, "#define R_COMBINE_%u(a, b) %s\n", k,
        ga__reduce_combine(g->spec->reduce[k].op, g->spec->reduce[k].acc));
}

static void write_head(ga__strb *b, const ga__gen_rows *g) {
  const int is_vector = g->shape.lanes > 1;
  unsigned int last = g->spec->n_phases;

  if (g->split)
    last = g->now;
  write_numbers(b, g);
  write_params(b, g);
  write_room(b, g);
  write_mode(b, g, is_vector);
  write_row(b, g);
  if (g->moves != NULL)
    ga__strb_append(b, ga__template("rows_words"));
  write_open(b, g);
  write_mode(b, g, g->shape.unit > 1);
  for (unsigned int p = 0; p < last; p++)
    ga__rows_write_post(b, g, p);
  write_mode(b, g, is_vector);
}

/* R_PHASES, which calls the phases of a row. */
static void write_tail(ga__strb *b, const ga__gen_rows *g) {
  const unsigned int n = g->spec->n_phases;

  ga__strb_append(b, "#define R_PHASES ");
  for (unsigned int p = 0; g->split && p < n && p < g->now; p++)
    ga__strb_appendf(b, "r_rejoin%u(r_r); ", p);
  for (unsigned int p = 0; p < n; p++) {
    if (!g->split || p == g->now)
      ga__strb_appendf(b, "r_phase%u(r_r); ", p);
  }
  ga__strb_append(b, "\n");
}

static void add_part(ga__rows_text *t, const char *text) {
  t->parts[t->n++] = text;
}

int ga__gen_rows_write(ga__rows_text *t, const ga__gen_rows *g) {
  const unsigned int n = g->spec->n_phases;

  *t = (ga__rows_text){.head = GA_STRB_INIT, .tail = GA_STRB_INIT};
  write_head(&t->head, g);
  write_tail(&t->tail, g);
  for (unsigned int p = 0; p < n; p++) {
    t->phases[p] = (ga__strb)GA_STRB_INIT;
    if (!g->split || p <= g->now)
      write_phase(&t->phases[p], g, p);
    GA_TRY(t->phases[p].err);
  }
  GA_TRY(t->head.err);
  GA_TRY(t->tail.err);
  add_part(t, ga__strb_text(&t->head));
  add_part(t, ga__template("rows_join"));
  for (unsigned int p = 0; p < n && (!g->split || p <= g->now); p++) {
    add_part(t, ga__strb_text(&t->phases[p]));
    add_part(t, ga__template("rows_phase"));
  }
  add_part(t, ga__strb_text(&t->tail));
  add_part(t, ga__template("rows"));
  return GA_NO_ERROR;
}

void ga__gen_rows_begin(ga__strb *b, unsigned int n_states) {
  ga__strb_append(b, "#define B_PARAMS ");
  for (unsigned int i = 0; i < n_states; i++)
    ga__strb_appendf(b, "global const char *b_x%u, const ulong b_o%u, ", i, i);
  ga__strb_append(b, "\n#define B_STATES ");
  for (unsigned int i = 0; i < n_states; i++)
    ga__strb_appendf(b, "B_STATE(%u) ", i);
  ga__strb_append(b, "\n");
}

void ga__rows_text_clear(ga__rows_text *t) {
  ga__strb_clear(&t->head);
  ga__strb_clear(&t->tail);
  for (unsigned int p = 0; p < GPUROWS_MAX_PHASES; p++)
    ga__strb_clear(&t->phases[p]);
}
