/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions and macros of a cumulation: values, expressions, addresses. */
#include "codegen/gen_cumulate.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_combine.h"
#include "codegen/template.h"

static int is_bool(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_BOOL;
}

/* The type of a value in scalar code. */
static const char *plain_type(int typecode) {
  return is_bool(typecode) ? "int" : ga__dtype_cl(typecode);
}

static char mode_of(int is_vector) {
  return is_vector ? 'w' : '1';
}

/* --- states --- */

/* Declare a variable `<name><suffix>` for each value. Unless `from` is NULL,
 * initialise it from that state. */
static void declare_values(ga__strb *b, const ga__gen_cumulate *g,
                           const char *suffix, const char *from) {
  for (unsigned int i = 0; i < g->spec->n_values; i++) {
    const gpuelemwise_arg *v = &g->spec->values[i];

    ga__strb_appendf(b, "  %sw_%s %s%s", from != NULL ? "const " : "",
                     ga__arg_w_name(v->typecode), v->name, suffix);
    if (from != NULL)
      ga__strb_appendf(b, " = %s->v%u", from, i);
    ga__strb_append(b, ";\n");
  }
}

/* Set the state c_s to the variables, and end the function. */
static void keep_values(ga__strb *b, const ga__gen_cumulate *g) {
  for (unsigned int i = 0; i < g->spec->n_values; i++)
    ga__strb_appendf(b, "  c_s->v%u = %s;\n", i, g->spec->values[i].name);
  ga__strb_append(b, "}\n");
}

static void write_states(ga__strb *b, const ga__gen_cumulate *g,
                         int is_vector) {
  const char m = mode_of(is_vector);

  for (unsigned int i = 0; i < g->spec->n_values; i++)
    ga__strb_appendf(b, "typedef w_%s c_type%u_%c;\n",
                     ga__arg_w_name(g->spec->values[i].typecode), i, m);
  ga__strb_append(b, "typedef struct {");
  for (unsigned int i = 0; i < g->spec->n_values; i++)
    ga__strb_appendf(b, " c_type%u_%c v%u;", i, m, i);
  ga__strb_appendf(b, " } c_state_%c;\n", m);
  ga__strb_appendf(b, "static void c_neutral_%c(c_state_%c *c_s) {\n", m, m);
  declare_values(b, g, "", NULL);
  ga__strb_appendf(b, "  { %s; }\n", g->spec->neutral);
  keep_values(b, g);
  ga__strb_appendf(b,
                   "static void c_combine_%c(const c_state_%c *c_a, "
                   "const c_state_%c *c_b, c_state_%c *c_s) {\n",
                   m, m, m, m);
  declare_values(b, g, "_a", "c_a");
  declare_values(b, g, "_b", "c_b");
  declare_values(b, g, "", NULL);
  ga__strb_appendf(b, "  { %s; }\n", g->spec->combine);
  keep_values(b, g);
}

/* Moves between states and workspaces, which are [parts][rows]. */
static void write_part_moves(ga__strb *b, const ga__gen_cumulate *g, char m,
                             int is_get) {
  ga__strb_appendf(b, "static void c_%s_part_%c(", is_get ? "get" : "set", m);
  for (unsigned int i = 0; i < g->spec->n_values; i++)
    ga__strb_appendf(b, "global %s *c_w%u, ",
                     ga__dtype_cl(g->spec->values[i].typecode), i);
  ga__strb_appendf(b, "size_t c_i, %sc_state_%c *c_s) {\n",
                   is_get ? "" : "const ", m);
  for (unsigned int i = 0; i < g->spec->n_values; i++) {
    const int type = g->spec->values[i].typecode;
    const char *how = is_bool(type) ? "_bool" : "";

    if (ga__dtype_is_complex(type) && is_get)
      ga__strb_appendf(b, "  c_s->v%u = c_w%u[c_i];\n", i, i);
    else if (ga__dtype_is_complex(type))
      ga__strb_appendf(b, "  c_w%u[c_i] = c_s->v%u;\n", i, i);
    else if (is_get)
      ga__strb_appendf(b, "  c_s->v%u = w_load%s(c_w%u, c_i);\n", i, how, i);
    else
      ga__strb_appendf(b, "  w_store%s(c_s->v%u, c_w%u, c_i);\n", how, i, i);
  }
  ga__strb_append(b, "}\n");
}

/* --- slots of chains --- */

/* The vector of the granules of a value of 8 or 16 bytes. */
static const char *granule_type(int typecode) {
  return typecode == GA_CDOUBLE ? "uint4" : "uint2";
}

/* Units of 32 bits. */
static unsigned int granules_of(int typecode) {
  return (unsigned int)(ga__dtype_size(typecode) + 3) / 4;
}

unsigned int ga__cumulate_granules(const GpuCumulationSpec *s) {
  unsigned int n = 0;

  for (unsigned int i = 0; i < s->n_values; i++)
    n += granules_of(s->values[i].typecode);
  return n;
}

static void write_tell(ga__strb *b, const ga__gen_cumulate *g) {
  unsigned int at = 0;

  ga__strb_append(b, "GA_INLINE void c_tell(volatile global ulong *c_p, "
                     "const c_state_1 *c_s) {\n");
  for (unsigned int i = 0; i < g->spec->n_values; i++) {
    const int type = g->spec->values[i].typecode;
    const unsigned int units = granules_of(type);

    if (units > 1)
      ga__strb_appendf(b, "  const %s c_u%u = as_%s(c_s->v%u);\n",
                       granule_type(type), i, granule_type(type), i);
    for (unsigned int u = 0; u < units; u++, at++) {
      ga__strb_appendf(b, "  c_p[%u] = 1ul << 32 | ", at);
      if (units > 1)
        ga__strb_appendf(b, "c_u%u.s%u;\n", i, u);
      else
        ga__strb_appendf(
            b, "%s(c_s->v%u);\n",
            ga__dtype_kind(type) == GA_KIND_FLOAT ? "as_uint" : "(uint)", i);
    }
  }
  ga__strb_append(b, "}\n");
}

static void write_hear(ga__strb *b, const ga__gen_cumulate *g) {
  const unsigned int n = ga__cumulate_granules(g->spec);
  unsigned int at = 0;

  ga__strb_append(b, "GA_INLINE int c_hear(volatile global const ulong *c_p, "
                     "c_state_1 *c_s) {\n");
  for (unsigned int k = 0; k < n; k++)
    ga__strb_appendf(b, "  const ulong c_g%u = c_p[%u];\n", k, k);
  for (unsigned int i = 0; i < g->spec->n_values; i++) {
    const int type = g->spec->values[i].typecode;
    const unsigned int units = granules_of(type);

    if (units > 1) {
      ga__strb_appendf(b, "  c_s->v%u = as_%s((%s)(", i, ga__dtype_cl(type),
                       granule_type(type));
      for (unsigned int u = 0; u < units; u++, at++)
        ga__strb_appendf(b, "%s(uint)c_g%u", u > 0 ? ", " : "", at);
      ga__strb_append(b, "));\n");
    } else if (ga__dtype_kind(type) == GA_KIND_FLOAT) {
      ga__strb_appendf(b, "  c_s->v%u = as_float((uint)c_g%u);\n", i, at++);
    } else {
      ga__strb_appendf(b, "  c_s->v%u = (%s)(uint)c_g%u;\n", i,
                       plain_type(type), at++);
    }
  }
  ga__strb_append(b, "  return (int)((c_g0");
  for (unsigned int k = 1; k < n; k++)
    ga__strb_appendf(b, " & c_g%u", k);
  ga__strb_append(b, ") >> 32);\n}\n");
}

static void write_moves(ga__strb *b, const ga__gen_cumulate *g, char m) {
  if (g->pass == GA_CUMULATE_CHAIN) {
    write_tell(b, g);
    write_hear(b, g);
  } else {
    write_part_moves(b, g, m, g->pass == GA_CUMULATE_PARTS);
  }
}

/* --- lanes --- */

/* Set value i of the state `to` to that of c_s, moved `d` lanes later in the
 * order of combination, with lanes of the neutral state c_n in front. */
static void write_shifted(ga__strb *b, const ga__gen_cumulate *g,
                          unsigned int i, const char *to, unsigned int d) {
  const unsigned int lanes = g->shape.lanes;
  const int is_reversed = (g->flags & GA_CUMULATE_REVERSED) != 0;

  ga__strb_appendf(b, "  %sv%u = (c_type%u_w)(", to, i, i);
  for (unsigned int l = 0; l < lanes; l++) {
    const int is_new = is_reversed ? l + d >= lanes : l < d;
    const unsigned int from = is_reversed ? l + d : l - d;

    ga__strb_append(b, l > 0 ? ", " : "");
    if (is_new)
      ga__strb_appendf(b, "c_n->v%u.s0", i);
    else
      ga__strb_appendf(b, "c_s->v%u.s%x", i, from);
  }
  ga__strb_append(b, ");\n");
}

static void write_lanes(ga__strb *b, const ga__gen_cumulate *g) {
  const unsigned int n = g->spec->n_values;

  ga__strb_append(
      b, "static void c_shift_w(const c_state_w *c_n, c_state_w *c_s) {\n");
  for (unsigned int i = 0; i < n; i++)
    write_shifted(b, g, i, "c_s->", 1);
  ga__strb_append(
      b, "}\nstatic void c_scan_w(const c_state_w *c_n, c_state_w *c_s) {\n"
         "  c_state_w c_t;\n");
  for (unsigned int d = 1; d < g->shape.lanes; d *= 2) {
    for (unsigned int i = 0; i < n; i++)
      write_shifted(b, g, i, "c_t.", d);
    ga__strb_append(b, "  c_combine_w(&c_t, c_s, c_s);\n");
  }
  ga__strb_append(b, "}\n");
}

/* Functions that turn the last lane of a vector state into a scalar state, and
 * a scalar state into all lanes. */
static void write_bridges(ga__strb *b, const ga__gen_cumulate *g) {
  const int is_reversed = (g->flags & GA_CUMULATE_REVERSED) != 0;
  const unsigned int n = g->spec->n_values;

  ga__strb_append(
      b, "static void c_last_w(const c_state_w *c_s, c_state_1 *c_t) {\n");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "  c_t->v%u = c_s->v%u.s%x%s;\n", i, i,
                     is_reversed ? 0 : g->shape.lanes - 1,
                     is_bool(g->spec->values[i].typecode) ? " != 0" : "");
  ga__strb_append(
      b, "}\nstatic void c_spread_w(const c_state_1 *c_s, c_state_w *c_t) {\n");
  for (unsigned int i = 0; i < n; i++) {
    if (is_bool(g->spec->values[i].typecode))
      ga__strb_appendf(b, "  c_t->v%u = (c_type%u_w)(-(%s)(c_s->v%u != 0));\n",
                       i, i, g->boolean, i);
    else
      ga__strb_appendf(b, "  c_t->v%u = (c_type%u_w)(c_s->v%u);\n", i, i, i);
  }
  ga__strb_append(b, "}\n");
}

/* --- arguments --- */

/* The parameters of map and post: for each array a pointer to lane 0 and the
 * bytes from lane to lane, for each scalar its value. */
static void write_arg_params(ga__strb *b, const ga__gen_cumulate *g) {
  for (unsigned int i = 0; i < g->spec->n_args; i++) {
    const gpuelemwise_arg *a = &g->spec->args[i];

    if (ga__arg_is_value(a))
      ga__strb_appendf(b, "%s c_p%u, ", ga__arg_value_type(a->typecode), i);
    else
      ga__strb_appendf(b, "global char *c_p%u, long c_d%u, ", i, i);
  }
}

static ga__lane_step step_of(const ga__gen_cumulate *g, unsigned int i,
                             int is_vector) {
  return is_vector ? g->steps[i] : GA_LANES_ONE;
}

static void write_arg(ga__strb *b, const ga__gen_cumulate *g, unsigned int i,
                      int flags, int is_vector) {
  gpuelemwise_arg a = g->spec->args[i];
  char at[24], apart[24];

  snprintf(at, sizeof at, "c_p%u", i);
  snprintf(apart, sizeof apart, "c_d%u", i);
  a.flags &= flags | GE_SCALAR;
  if (ga__arg_is_value(&a))
    ga__arg_write_value(b, &a, at, is_vector);
  else if (a.flags != 0)
    ga__arg_write_read(b, &a, at, apart, step_of(g, i, is_vector));
}

/* Store lanes that are not neighbours in memory one by one. */
static void write_scatter(ga__strb *b, const gpuelemwise_arg *a,
                          unsigned int i) {
  ga__strb_appendf(b,
                   "#define C_PUT(l, s) *(global %s *)(c_p%u + l * c_d%u) = ",
                   ga__arg_value_type(a->typecode), i, i);
  if (ga__dtype_is_narrow(a->typecode))
    ga__strb_appendf(b, "ga_to_%s(%s s)\n", ga__dtype_cl(a->typecode), a->name);
  else
    ga__strb_appendf(b, "%s s%s\n", a->name,
                     is_bool(a->typecode) ? " != 0" : "");
  ga__strb_append(b, "  W_EACH(C_PUT)\n#undef C_PUT\n");
}

static void write_store(ga__strb *b, const ga__gen_cumulate *g, unsigned int i,
                        int is_vector) {
  const gpuelemwise_arg *a = &g->spec->args[i];
  const ga__lane_step step = step_of(g, i, is_vector);
  char at[24];

  if (ga__arg_is_value(a) || (a->flags & GE_WRITE) == 0)
    return;
  snprintf(at, sizeof at, "c_p%u", i);
  if (step == GA_LANES_APART)
    write_scatter(b, a, i);
  else if (is_vector && g->streams[i])
    ga__arg_write_stream(b, a, at);
  else
    ga__arg_write_store(b, a, at, step);
}

static void write_map(ga__strb *b, const ga__gen_cumulate *g, int is_vector) {
  const char m = mode_of(is_vector);

  ga__strb_appendf(b, "static void c_map_%c(", m);
  write_arg_params(b, g);
  ga__strb_appendf(b, "c_state_%c *c_s) {\n", m);
  for (unsigned int i = 0; i < g->spec->n_args; i++)
    write_arg(b, g, i, GE_READ, is_vector);
  declare_values(b, g, "", NULL);
  ga__strb_appendf(b, "  { %s; }\n", g->spec->map);
  keep_values(b, g);
}

static void write_post(ga__strb *b, const ga__gen_cumulate *g, int is_vector) {
  const char m = mode_of(is_vector);

  ga__strb_appendf(b, "static void c_post_%c(", m);
  write_arg_params(b, g);
  ga__strb_appendf(b, "const c_state_%c *c_s) {\n", m);
  declare_values(b, g, "", "c_s");
  for (unsigned int i = 0; i < g->spec->n_args; i++)
    write_arg(b, g, i, GE_READ | GE_WRITE, is_vector);
  ga__strb_appendf(b, "  { %s; }\n", g->spec->post);
  for (unsigned int i = 0; i < g->spec->n_args; i++)
    write_store(b, g, i, is_vector);
  ga__strb_append(b, "}\n");
}

/* --- macros --- */

static void list_params(ga__params *l, const ga__gen_cumulate *g) {
  static const ga__param_names names = {"global char *", "c_x", "c_o", "c_k",
                                        "c_a"};

  for (unsigned int i = 0; i < g->spec->n_args; i++)
    ga__params_arg(l, &g->spec->args[i], &names, i, g->nk, 1);
  ga__params_list(l, "ulong", "c_n", g->nk);
}

static void write_params(ga__strb *b, const ga__gen_cumulate *g) {
  ga__params l = {.b = b};

  ga__strb_append(b, "#define C_PARAMS ");
  list_params(&l, g);
  ga__strb_append(b, "\n#define C_WORKS ");
  if (g->pass == GA_CUMULATE_CHAIN)
    ga__strb_append(b, ", volatile global ulong *c_slots");
  else if (g->pass != GA_CUMULATE_WHOLE)
    for (unsigned int i = 0; i < g->spec->n_values; i++)
      ga__strb_appendf(b, ", global %s *c_w%u",
                       ga__dtype_cl(g->spec->values[i].typecode), i);
  ga__strb_append(b, "\n#define C_WORKS_PASS ");
  for (unsigned int i = 0; i < g->spec->n_values; i++)
    ga__strb_appendf(b, "c_w%u, ", i);
  ga__strb_append(b, "\n#define C_SIZE ((R_IDX)c_n0)\n");
}

static void write_bases(ga__strb *b, const ga__gen_cumulate *g) {
  ga__strb_append(b, "#define C_BASES(o) ");
  ga__reduce_write_indices(b, "c_i", "c_n", "o", 0, g->nk);
  for (unsigned int i = 0; i < g->spec->n_args; i++) {
    if (ga__arg_is_value(&g->spec->args[i]))
      continue;
    ga__strb_appendf(b, "global char *const c_b%u = c_x%u + c_o%u", i, i, i);
    ga__reduce_write_distance(b, "c_i", "c_k", i, 0, g->nk);
    ga__strb_append(b, "; ");
  }
  ga__strb_append(b, "\n#define C_ARGS(j, k) ");
  for (unsigned int i = 0; i < g->spec->n_args; i++) {
    ga__strb_append(b, i > 0 ? ", " : "");
    if (ga__arg_is_value(&g->spec->args[i]))
      ga__strb_appendf(b, "c_x%u", i);
    else if (g->shape.kernel == GA_CUMULATE_COL)
      ga__strb_appendf(b,
                       "c_b%u + (long)(j) * c_a%u_0 + (long)(k) * c_k%u_0, "
                       "c_k%u_0",
                       i, i, i, i);
    else if (g->pass == GA_CUMULATE_CHAIN && g->steps[i] == GA_LANES_NEXT)
      ga__strb_appendf(b, "c_b%u + (long)(j) * %zu, %zu", i,
                       ga__dtype_size(g->spec->args[i].typecode),
                       ga__dtype_size(g->spec->args[i].typecode));
    else
      ga__strb_appendf(b, "c_b%u + (long)(j) * c_a%u_0, c_a%u_0", i, i, i);
  }
  ga__strb_append(b, "\n");
}

static void write_locals(ga__strb *b, const ga__gen_cumulate *g) {
  const unsigned int n = g->spec->n_values;

  ga__strb_append(b, "#define C_LOCALS(n)");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, " local %s c_l%u[n];",
                     plain_type(g->spec->values[i].typecode), i);
  ga__strb_append(b, "\n#define C_LOCAL_PARAMS");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, " local %s *c_l%u,",
                     plain_type(g->spec->values[i].typecode), i);
  ga__strb_append(b, "\n#define C_LOCAL_PASS");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, " c_l%u,", i);
  ga__strb_append(b, "\nGA_INLINE void c_put(C_LOCAL_PARAMS const uint c_i, "
                     "const c_state_1 *c_s) {\n");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "  c_l%u[c_i] = c_s->v%u;\n", i, i);
  ga__strb_append(b, "}\nGA_INLINE void c_get(C_LOCAL_PARAMS const uint c_i, "
                     "c_state_1 *c_s) {\n");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "  c_s->v%u = c_l%u[c_i];\n", i, i);
  ga__strb_append(b, "}\n");
}

static void write_shape(ga__strb *b, const ga__gen_cumulate *g) {
  const ga__cumulate_shape *m = &g->shape;

  ga__strb_appendf(b,
                   "#define R_IDX %s\n"
                   "#define C_LANES %u\n"
                   "#define C_PASS %d\n"
                   "#define C_EXCLUSIVE %d\n"
                   "#define C_REVERSED %d\n"
                   "#define C_COMMUTES %d\n",
                   g->wide_index ? "ulong" : "uint", m->lanes, (int)g->pass,
                   (g->flags & GA_CUMULATE_EXCLUSIVE) != 0,
                   (g->flags & GA_CUMULATE_REVERSED) != 0,
                   g->spec->op != GA_CUMULATE_EXPR);
  if (m->kernel == GA_CUMULATE_COL)
    ga__strb_appendf(b, "#define C_VECS %u\n", m->vecs);
  if (m->kernel == GA_CUMULATE_TEAM)
    ga__strb_appendf(b,
                     "#define C_GROUP %u\n#define C_TEAM %u\n"
                     "#define C_COLS 1\n#define C_RUN %u\n"
                     "#define C_FREE %u\n",
                     m->group, m->team, m->run,
                     m->group * m->run * 33 / 32 + 1);
  if (m->kernel == GA_CUMULATE_TILE)
    ga__strb_appendf(b,
                     "#define C_GROUP %u\n#define C_COLS %u\n"
                     "#define C_RUN %u\n#define C_FREE 0\n",
                     m->group, m->cols, m->run);
  if (g->pass == GA_CUMULATE_CHAIN)
    ga__strb_appendf(b,
                     "#define C_GRANULES %u\n"
                     "#define C_ADDS %d\n",
                     ga__cumulate_granules(g->spec), m->has_adders);
}

/* --- programs --- */

static void write_mode(ga__strb *b, const ga__gen_cumulate *g, int is_vector) {
  const char m = mode_of(is_vector);
  const int moves = g->pass != GA_CUMULATE_WHOLE;

  if (is_vector)
    ga__strb_appendf(b, "#define W_LANES %u\n#define W_BOOL %s\n",
                     g->shape.lanes, g->boolean);
  else
    ga__strb_append(b, g->shape.lanes > 1
                           ? "#undef W_LANES\n#define W_LANES\n"
                             "#undef W_BOOL\n#define W_BOOL int\n"
                           : "#define W_LANES\n#define W_BOOL int\n");
  write_states(b, g, is_vector);
  if (moves)
    write_moves(b, g, m);
  write_map(b, g, is_vector);
  if (g->pass != GA_CUMULATE_TOTALS || ga__cumulate_is_headed(&g->shape))
    write_post(b, g, is_vector);
}

static void write_all(ga__strb *b, const ga__gen_cumulate *g) {
  if (g->spec->preamble != NULL)
    ga__strb_appendf(b, "%s\n", g->spec->preamble);
  write_shape(b, g);
  if (g->shape.lanes > 1) {
    write_mode(b, g, 1);
    if (g->shape.kernel == GA_CUMULATE_ROW)
      write_lanes(b, g);
  }
  write_mode(b, g, 0);
  if (g->shape.lanes > 1 && g->shape.kernel == GA_CUMULATE_ROW)
    write_bridges(b, g);
  write_params(b, g);
  write_bases(b, g);
  if (g->shape.kernel == GA_CUMULATE_TEAM ||
      g->shape.kernel == GA_CUMULATE_TILE)
    write_locals(b, g);
}

static void add_part(ga__cumulate_text *t, const char *text) {
  GA_ASSERT(t->n < sizeof t->parts / sizeof *t->parts);
  t->parts[t->n++] = text;
}

/* Add the functions of the complex types that are used. */
static void add_complex(ga__cumulate_text *t, const GpuCumulationSpec *s) {
  static const int types[] = {GA_CFLOAT, GA_CDOUBLE};

  for (unsigned int i = 0; i < 2; i++) {
    int found = 0;

    for (unsigned int k = 0; k < s->n_args; k++)
      found |= s->args[k].typecode == types[i];
    for (unsigned int k = 0; k < s->n_values; k++)
      found |= s->values[k].typecode == types[i];
    if (!found)
      continue;
    add_part(t, ga__arg_complex_head(types[i]));
    add_part(t, ga__template("complex"));
  }
}

int ga__gen_cumulate_write(ga__cumulate_text *t, const ga__gen_cumulate *g) {
  static const char *const kernels[] = {[GA_CUMULATE_ROW] = "cumulate_row",
                                        [GA_CUMULATE_TEAM] = "cumulate_team",
                                        [GA_CUMULATE_TILE] = "cumulate_tile",
                                        [GA_CUMULATE_COL] = "cumulate_col"};

  *t = (ga__cumulate_text){.own = GA_STRB_INIT};
  t->entry = kernels[g->shape.kernel];
  write_all(&t->own, g);
  GA_TRY(t->own.err);
  add_complex(t, g->spec);
  add_part(t, ga__strb_text(&t->own));
  if (g->pass == GA_CUMULATE_CHAIN)
    add_part(t, ga__template("chain"));
  add_part(t, ga__template(t->entry));
  return GA_NO_ERROR;
}

void ga__cumulate_text_clear(ga__cumulate_text *t) {
  ga__strb_clear(&t->own);
  *t = (ga__cumulate_text){.own = GA_STRB_INIT};
}
