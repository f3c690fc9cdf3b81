/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of a reduction: operation, expressions, addresses. */
#include "codegen/gen_reduce.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/dtype.h"
#include "codegen/gen_expr.h"
#include "codegen/template.h"

/* The type of an accumulator. Complex numbers are vectors of two parts, so that
 * their sums are written like those of real numbers. */
static const char *carried_name(int acc) {
  switch (acc) {
  case GA_CFLOAT:
    return "float2";
  case GA_CDOUBLE:
    return "double2";
  default:
    return ga__dtype_cl(ga__reduce_acc_dtype(acc));
  }
}

/* --- the operation --- */

/* R_BETTER and R_SAME. A NaN is better than all but a NaN. */
static void write_better(ga__strb *b, ga_reduce_op op, int acc) {
  const int is_max = op == GA_REDUCE_ARGMAX;

  if (ga__reduce_is_float(acc))
    ga__strb_appendf(b,
                     "#define R_BETTER(b, a) (!((b) %s (a)) & ((a) == (a)))\n"
                     "#define R_SAME(b, a) "
                     "(((b) == (a)) | (((b) != (b)) & ((a) != (a))))\n",
                     is_max ? "<=" : ">=");
  else
    ga__strb_appendf(b,
                     "#define R_BETTER(b, a) ((b) %s (a))\n"
                     "#define R_SAME(b, a) ((b) == (a))\n",
                     is_max ? ">" : "<");
}

/* The scalar type of the second part of an accumulator: a mean or a
 * position. */
static const char *second_type(const ga__gen_reduce *g) {
  if (ga__reduce_is_moments(g->spec->op))
    return ga__dtype_cl(ga__reduce_acc_dtype(g->spec->acc));
  return g->wide_index ? "long" : "int";
}

static void write_operation(ga__strb *b, const ga__gen_reduce *g) {
  const GpuReductionSpec *s = g->spec;
  const int is_arg = ga__reduce_is_arg(s->op);

  ga__strb_appendf(
      b,
      "#define R_ARG %d\n"
      "#define R_MOMENTS %d\n"
      "#define R_COMPENSATED %d\n"
      "#define R_ACCS %u\n"
      "#define R_NEUTRAL %s\n"
      "#define R_ACC %s\n"
      "#define R_IDX %s\n"
      "#define R_POS %s\n",
      is_arg, ga__reduce_is_moments(s->op),
      g->shape.compensate && s->op == GA_REDUCE_SUM &&
          (ga__reduce_is_float(s->acc) || ga__dtype_is_complex(s->acc)),
      s->n_acc, ga__reduce_neutral(s->op, s->acc), carried_name(s->acc),
      g->wide_index ? "ulong" : "uint", second_type(g));
  if (is_arg) {
    ga__strb_appendf(b,
                     "#define R_MASK %s\n"
                     "#define R_IN_ORDER %d\n"
                     "#define R_POS_MAX %s\n",
                     ga__reduce_mask(ga__reduce_acc_dtype(s->acc)), g->in_order,
                     g->wide_index ? "LONG_MAX" : "INT_MAX");
    write_better(b, s->op, s->acc);
  } else {
    ga__strb_appendf(b, "#define R_COMBINE(a, b) %s\n",
                     ga__reduce_combine(s->op, s->acc));
  }
}

/* Nonzero if complex numbers are added in vectors of their parts. */
static int has_pairs(const ga__gen_reduce *g) {
  return g->shape.lanes > 1 && ga__dtype_is_complex(g->spec->acc);
}

static const char *part_name(const ga__gen_reduce *g) {
  return g->spec->acc == GA_CFLOAT ? "float" : "double";
}

/* R_MOVES: nonzero if the last vector of a run may be moved back over elements
 * that were already read. */
static int moves_vectors(const ga__gen_reduce *g) {
  for (unsigned int i = 0; i < g->spec->n_in; i++) {
    if (g->steps[i] == GA_LANES_ALIGNED)
      return 0;
  }
  return g->shape.lanes > 1 && g->shape.team == 1 && !has_pairs(g) &&
         !ga__reduce_is_moments(g->spec->op);
}

static void write_shape(ga__strb *b, const ga__gen_reduce *g) {
  const ga__reduce_shape *m = &g->shape;

  if (has_pairs(g))
    ga__strb_appendf(b, "#define R_PART %s\n#define R_WIDTH %u\n", part_name(g),
                     2 * m->lanes);
  ga__strb_appendf(b,
                   "#define R_LANES %u\n"
                   "#define R_TEAM %u\n"
                   "#define R_GROUP %u\n"
                   "#define R_PARTS %d\n",
                   m->lanes, m->team, m->group, g->parts);
  if (m->kernel == GA_REDUCE_FINAL)
    return;
  ga__strb_appendf(b,
                   "#define R_BLOCK %u\n"
                   "#define R_ONE_RUN %d\n",
                   m->block, g->nr == 1);
  if (m->kernel == GA_REDUCE_ROW)
    ga__strb_appendf(b, "#define R_UNROLL %u\n#define R_MOVES %d\n", m->unroll,
                     moves_vectors(g));
  else if (m->kernel == GA_REDUCE_TURN)
    ga__strb_appendf(b, "#define R_LENGTH %u\n", m->length);
  else
    ga__strb_appendf(b, "#define R_VECS %u\n#define R_WIDE %u\n", m->vecs,
                     m->wide);
}

/* --- vectors or scalars --- */

/* The macros that the w_ types and reduce_state.cl need. */
static void write_mode(ga__strb *b, const ga__gen_reduce *g, int is_vector) {
  const char *pos = second_type(g);
  const int acc = ga__reduce_acc_dtype(g->spec->acc);

  if (is_vector)
    ga__strb_appendf(b, "#define W_LANES %u\n#define W_BOOL %s\n",
                     g->shape.lanes, has_pairs(g) ? "int" : g->boolean);
  else if (g->shape.lanes > 1)
    ga__strb_append(b, "#undef W_LANES\n#define W_LANES\n"
                       "#undef W_BOOL\n#define W_BOOL int\n"
                       "#undef R_FN\n");
  else
    ga__strb_append(b, "#define W_LANES\n#define W_BOOL int\n");
  ga__strb_appendf(b, "#define R_FN(name) name##_%s\n", is_vector ? "w" : "1");
  if (!is_vector && has_pairs(g))
    ga__strb_append(b, "#undef R_ACC_T\n#define R_ACC_T R_ACC\n");
  if (!is_vector && g->shape.lanes > 1)
    return;
  if (is_vector && has_pairs(g))
    ga__strb_appendf(b, "#define R_ACC_T %s%u\n", part_name(g),
                     2 * g->shape.lanes);
  else
    ga__strb_appendf(b, "#define R_ACC_T %s%s\n",
                     ga__dtype_is_complex(acc) ? "" : "w_", carried_name(acc));
  ga__strb_appendf(b,
                   "#define R_AT_T w_%s\n"
                   "#define R_MASK_T w_%s\n"
                   "#define R_MASK_TO_AT(m) w_to_%s(m)\n"
                   "#define R_AT_TO_MASK(m) w_to_%s(m)\n",
                   pos, ga__reduce_mask(acc), pos, ga__reduce_mask(acc));
}

/* --- addresses --- */

static void list_inputs(ga__params *l, const ga__gen_reduce *g) {
  static const ga__param_names names = {"global const char *", "r_x", "r_o",
                                        "r_k", "r_r"};
  const GpuReductionSpec *s = g->spec;

  for (unsigned int i = 0; i < s->n_in; i++)
    ga__params_arg(l, &s->in[i], &names, i, g->nk, g->nr);
  ga__params_list(l, "ulong", "r_nk", g->nk);
  ga__params_list(l, "ulong", "r_nr", g->nr);
  if (!ga__reduce_is_arg(s->op) || g->in_order)
    return;
  ga__params_add(l, "long", "r_first", 0);
  ga__params_list(l, "long", "r_step", g->nr);
}

static void list_parts(ga__params *l, const ga__gen_reduce *g) {
  ga__strb_append(l->b, l->n++ > 0 ? ", " : "");
  ga__strb_append(l->b, l->passing ? "part_v" : "global R_ACC *part_v");
  if (ga__reduce_is_arg(g->spec->op) || ga__reduce_is_moments(g->spec->op))
    ga__strb_append(l->b, l->passing ? ", part_at" : ", global R_POS *part_at");
}

static void list_outputs(ga__params *l, const ga__gen_reduce *g) {
  static const ga__param_names names = {"global char *", "r_y", "r_yo", "r_s",
                                        NULL};

  ga__params_list(l, "ulong", "r_no", g->nk);
  for (unsigned int i = 0; i < g->spec->n_post; i++)
    ga__params_arg(l, &g->spec->post_args[i], &names, i, g->nk, 0);
}

static void write_params(ga__strb *b, const ga__gen_reduce *g) {
  for (int passing = 0; passing < 2; passing++) {
    ga__params l = {b, passing, 0, 0};

    if (g->shape.kernel != GA_REDUCE_FINAL) {
      ga__strb_append(b,
                      passing ? "#define R_IN_PASS " : "#define R_IN_PARAMS ");
      list_inputs(&l, g);
      ga__strb_append(b, "\n");
    } else {
      ga__strb_append(b, passing ? "#define R_PART_PASS "
                                 : "#define R_PART_PARAMS ");
      list_parts(&l, g);
      ga__strb_append(b, "\n");
    }
    l.n = 0;
    ga__strb_append(b,
                    passing ? "#define R_OUT_PASS " : "#define R_OUT_PARAMS ");
    if (g->parts)
      list_parts(&l, g);
    else
      list_outputs(&l, g);
    ga__strb_append(b, "\n");
  }
}

static void write_bases(ga__strb *b, const ga__gen_reduce *g) {
  const GpuReductionSpec *s = g->spec;
  const unsigned int inner = g->shape.kernel == GA_REDUCE_COL;

  ga__strb_append(b, "#define R_KEPT_BASE(o) ");
  ga__reduce_write_indices(b, "r_ik", "r_nk", "o", inner, g->nk);
  for (unsigned int i = 0; i < s->n_in; i++) {
    if (ga__arg_is_value(&s->in[i]))
      continue;
    ga__strb_appendf(b, "global const char *r_b%u = r_x%u + r_o%u", i, i, i);
    ga__reduce_write_distance(b, "r_ik", "r_k", i, inner, g->nk);
    ga__strb_append(b, "; ");
  }
  ga__strb_append(b, "\n#define R_RUN_BASE(run) ");
  ga__reduce_write_indices(b, "r_ir", "r_nr", "run", 1, g->nr);
  for (unsigned int i = 0; i < s->n_in; i++) {
    if (ga__arg_is_value(&s->in[i]))
      continue;
    ga__strb_appendf(b, "global const char *r_q%u = r_b%u", i, i);
    ga__reduce_write_distance(b, "r_ir", "r_r", i, 1, g->nr);
    ga__strb_append(b, "; ");
  }
  if (ga__reduce_is_arg(s->op)) {
    ga__strb_append(b, "const long r_at = ");
    if (g->in_order)
      ga__strb_append(b, "(long)(run) * R_INNER");
    else
      ga__strb_append(b, "r_first0");
    for (unsigned int d = 1; d < g->nr && !g->in_order; d++)
      ga__strb_appendf(b, " + (long)r_ir%u * r_step%u", d, d);
    ga__strb_append(b, "; ");
  }
  ga__strb_append(b, "\n#define R_INNER ((R_IDX)r_nr0)\n");
  if (inner)
    ga__strb_append(b, "#define R_COLS ((R_IDX)r_nk0)\n");
}

/* The address of lane 0 of input i for element j of a run (COL: in column c),
 * and the bytes from lane to lane. */
static void write_address(ga__strb *b, const ga__gen_reduce *g,
                          unsigned int i) {
  const int is_col = g->shape.kernel == GA_REDUCE_COL;
  const char *lane = is_col ? "c" : "j";
  const char *stride = is_col ? "r_k" : "r_r";

  ga__strb_appendf(b, "r_q%u", i);
  if (is_col)
    ga__strb_appendf(b, " + (long)(j) * r_r%u_0", i);
  if (g->steps[i] >= GA_LANES_NEXT)
    ga__strb_appendf(b, " + (size_t)(%s) * %zu", lane,
                     ga__dtype_size(g->spec->in[i].typecode));
  else if (g->steps[i] == GA_LANES_APART)
    ga__strb_appendf(b, " + (long)(%s) * %s%u_0", lane, stride, i);
  ga__strb_appendf(b, ", %s%u_0", stride, i);
}

static void write_map_macro(ga__strb *b, const ga__gen_reduce *g,
                            const char *name, const char *function) {
  ga__strb_appendf(b, "#define %s(v, %s) %s(v", name,
                   g->shape.kernel == GA_REDUCE_COL ? "j, c" : "j", function);
  for (unsigned int i = 0; i < g->spec->n_in; i++) {
    ga__strb_append(b, ", ");
    if (ga__arg_is_value(&g->spec->in[i]))
      ga__strb_appendf(b, "r_x%u", i);
    else
      write_address(b, g, i);
  }
  ga__strb_append(b, ")\n");
}

/* Append "(0, 1, 2, ...)" as a vector of `type`. */
static void write_iota(ga__strb *b, const char *type, unsigned int lanes) {
  ga__strb_appendf(b, "(%s)(", type);
  for (unsigned int i = 0; i < lanes; i++)
    ga__strb_appendf(b, "%s%u", i > 0 ? ", " : "", i);
  ga__strb_append(b, ")");
}

static void write_position_macros(ga__strb *b, const ga__gen_reduce *g) {
  const char *step = g->in_order ? "" : " * r_step0";

  if (!ga__reduce_is_arg(g->spec->op)) {
    ga__strb_append(b, "#define R_FIRST(j) 0\n#define R_AT_1(j) 0\n"
                       "#define R_AT_W(j) (r_at_w)(0)\n");
    return;
  }
  ga__strb_appendf(b,
                   "#define R_FIRST(j) (R_POS)(r_at + (long)(j)%s)\n"
                   "#define R_AT_1(j) R_FIRST(j)\n"
                   "#define R_AT_W(j) ((r_at_w)(R_FIRST(j))",
                   step);
  if (g->shape.kernel != GA_REDUCE_COL && g->shape.lanes > 1) {
    ga__strb_append(b, " + ");
    write_iota(b, "r_at_w", g->shape.lanes);
    ga__strb_append(b, g->in_order ? "" : " * (r_at_w)((R_POS)r_step0)");
  }
  ga__strb_append(b, ")\n");
}

/* Without vectors, one set of functions has both names. */
static void write_aliases(ga__strb *b) {
  static const char *const names[] = {"r_acc",  "r_at",   "r_state", "r_start",
                                      "r_take", "r_join", "r_merge", "r_map"};

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    ga__strb_appendf(b, "#define %s_w %s_1\n", names[i], names[i]);
}

/* --- map --- */

static void write_input(ga__strb *b, const ga__gen_reduce *g, unsigned int i,
                        int is_vector) {
  const gpuelemwise_arg *a = &g->spec->in[i];
  char at[24], apart[24];

  snprintf(at, sizeof at, "r_p%u", i);
  snprintf(apart, sizeof apart, "r_d%u", i);
  if (ga__arg_is_value(a))
    ga__arg_write_value(b, a, at, is_vector);
  else
    ga__arg_write_read(b, a, at, apart, is_vector ? g->steps[i] : GA_LANES_ONE);
}

static void write_map_param(ga__strb *b, const ga__gen_reduce *g,
                            unsigned int i) {
  const gpuelemwise_arg *a = &g->spec->in[i];

  ga__strb_append(b, ", ");
  if (ga__arg_is_value(a))
    ga__strb_appendf(b, "%s r_p%u", ga__arg_value_type(a->typecode), i);
  else
    ga__strb_appendf(b, "global const char *r_p%u, long r_d%u", i, i);
}

/* The name of value `i` in the expressions: `stem`, or with several
 * accumulators `stem`<i>. */
static const char *name_of(char name[24], const GpuReductionSpec *s,
                           const char *stem, unsigned int i) {
  if (s->n_acc == 1)
    snprintf(name, 24, "%s", stem);
  else
    snprintf(name, 24, "%s%u", stem, i);
  return name;
}

static void write_mapped(ga__strb *b, const GpuReductionSpec *s,
                         unsigned int i) {
  char v[24];

  name_of(v, s, "v", i);
  ga__strb_appendf(b, "  r_out[%u] = ", i);
  switch (ga__dtype_kind(s->acc)) {
  case GA_KIND_BOOL:
    ga__strb_appendf(b, "w_from_bool_int(w_to_bool(%s));\n", v);
    break;
  case GA_KIND_COMPLEX:
    ga__strb_appendf(b, "(R_ACC)(%s.r, %s.i);\n", v, v);
    break;
  default:
    ga__strb_appendf(b, "%s;\n", v);
  }
}

/* r_map for complex numbers that are added without a map. */
static void write_pairs_map(ga__strb *b, const ga__gen_reduce *g) {
  ga__strb_appendf(b,
                   "static void R_FN(r_map)(R_ACC_T *r_out, "
                   "global const char *r_p0, long r_d0) {\n"
                   "  r_out[0] = vload%u(0, (global const %s *)r_p0);\n}\n",
                   2 * g->shape.lanes, part_name(g));
}

/* The function r_map for vectors or scalars. Its parameters are, for each
 * input, a pointer and the bytes from lane to lane, or a value. */
static void write_map(ga__strb *b, const ga__gen_reduce *g, int is_vector) {
  const GpuReductionSpec *s = g->spec;
  char name[24];

  if (is_vector && has_pairs(g)) {
    write_pairs_map(b, g);
    return;
  }
  ga__strb_append(b, "static void R_FN(r_map)(R_ACC_T *r_out");
  for (unsigned int i = 0; i < s->n_in; i++)
    write_map_param(b, g, i);
  ga__strb_append(b, ") {\n");
  for (unsigned int i = 0; i < s->n_in; i++)
    write_input(b, g, i, is_vector);
  for (unsigned int i = 0; i < s->n_acc; i++)
    ga__strb_appendf(b, "%sw_%s %s;%s", i == 0 ? "  " : " ",
                     ga__arg_w_name(s->acc), name_of(name, s, "v", i),
                     i + 1 == s->n_acc ? "\n" : "");
  ga__strb_appendf(b, "  { %s; }\n", s->map);
  for (unsigned int i = 0; i < s->n_acc; i++)
    write_mapped(b, s, i);
  ga__strb_append(b, "}\n");
}

/* --- post --- */

static void write_post_arg(ga__strb *b, const ga__gen_reduce *g,
                           unsigned int i) {
  const gpuelemwise_arg *a = &g->spec->post_args[i];
  char at[24];

  if (ga__arg_is_value(a)) {
    snprintf(at, sizeof at, "r_y%u", i);
    ga__arg_write_value(b, a, at, 0);
    return;
  }
  ga__strb_appendf(b, "  global char *r_q%u = r_y%u + r_yo%u", i, i, i);
  ga__reduce_write_distance(b, "r_io", "r_s", i, 0, g->nk);
  ga__strb_append(b, ";\n");
  snprintf(at, sizeof at, "r_q%u", i);
  ga__arg_write_read(b, a, at, NULL, GA_LANES_ONE);
}

/* The function that computes the outputs with index r_o from the
 * accumulators. */
static void write_post(ga__strb *b, const ga__gen_reduce *g) {
  const GpuReductionSpec *s = g->spec;
  char name[24];

  ga__strb_appendf(b,
                   "static void r_post(R_OUT_PARAMS, R_IDX r_o, "
                   "const R_ACC *r_v, R_POS r_at%s) {\n  ",
                   ga__reduce_is_moments(s->op) ? ", R_ACC r_n" : "");
  ga__reduce_write_indices(b, "r_io", "r_no", "r_o", 0, g->nk);
  ga__strb_append(b, "\n");
  for (unsigned int i = 0; i < s->n_acc; i++)
    ga__strb_appendf(b,
                     ga__dtype_is_complex(s->acc)
                         ? "  const w_%s %s = {r_v[%u].x, r_v[%u].y};\n"
                         : "  const w_%s %s = r_v[%u];\n",
                     ga__arg_w_name(s->acc), name_of(name, s, "acc", i), i, i);
  if (ga__reduce_is_arg(s->op))
    ga__strb_append(b, "  const long idx = r_at;\n");
  if (ga__reduce_is_moments(s->op))
    ga__strb_appendf(b, "  const w_%s mean = r_at, count = r_n;\n",
                     ga__arg_w_name(s->acc));
  for (unsigned int i = 0; i < s->n_post; i++)
    write_post_arg(b, g, i);
  ga__strb_appendf(b, "  { %s; }\n", s->post);
  for (unsigned int i = 0; i < s->n_post; i++) {
    char at[24];

    snprintf(at, sizeof at, "r_q%u", i);
    ga__arg_write_store(b, &s->post_args[i], at, GA_LANES_ONE);
  }
  ga__strb_append(b, "}\n");
}

/* --- programs --- */

static void write_scalar_text(ga__strb *b, const ga__gen_reduce *g) {
  const int has_map = g->shape.kernel != GA_REDUCE_FINAL;
  const int has_odd = g->shape.kernel == GA_REDUCE_ROW;

  write_mode(b, g, 0);
  if (has_odd || (has_map && g->shape.lanes == 1))
    write_map(b, g, 0);
  if (g->shape.lanes == 1)
    write_aliases(b);
  write_params(b, g);
  if (has_map) {
    write_bases(b, g);
    write_map_macro(b, g, "R_MAP_W", "r_map_w");
    if (has_odd)
      write_map_macro(b, g, "R_MAP_1", "r_map_1");
    if (g->shape.kernel != GA_REDUCE_COL) {
      ga__strb_append(b, "#define R_IOTA ");
      write_iota(b, "r_mask_w", g->shape.lanes);
      ga__strb_append(b, "\n");
    }
    write_position_macros(b, g);
  }
  if (!g->parts)
    write_post(b, g);
}

static void add_part(ga__reduce_text *t, const char *text) {
  GA_ASSERT(t->n < sizeof t->parts / sizeof *t->parts);
  t->parts[t->n++] = text;
}

/* The functions for the complex types that are used. */
static void add_complex(ga__reduce_text *t, const GpuReductionSpec *s) {
  static const int types[] = {GA_CFLOAT, GA_CDOUBLE};

  for (unsigned int i = 0; i < 2; i++) {
    int found = s->acc == types[i] || ga__expr_names(s->map, types[i]) ||
                ga__expr_names(s->post, types[i]);

    for (unsigned int k = 0; k < s->n_in; k++)
      found |= s->in[k].typecode == types[i];
    for (unsigned int k = 0; k < s->n_post; k++)
      found |= s->post_args[k].typecode == types[i];
    if (!found)
      continue;
    add_part(t, ga__arg_complex_head(types[i]));
    add_part(t, ga__template("complex"));
  }
}

int ga__gen_reduce_write(ga__reduce_text *t, const ga__gen_reduce *g) {
  static const char *const kernels[] = {[GA_REDUCE_ROW] = "reduce_row",
                                        [GA_REDUCE_TURN] = "reduce_turn",
                                        [GA_REDUCE_COL] = "reduce_col",
                                        [GA_REDUCE_FINAL] = "reduce_final"};
  const int has_vectors = g->shape.lanes > 1;
  ga__strb *first = has_vectors ? &t->vector : &t->scalar;

  *t = (ga__reduce_text){.vector = GA_STRB_INIT, .scalar = GA_STRB_INIT};
  t->entry = kernels[g->shape.kernel];
  if (g->spec->preamble)
    ga__strb_appendf(first, "%s\n", g->spec->preamble);
  write_operation(first, g);
  write_shape(first, g);
  if (has_vectors) {
    write_mode(&t->vector, g, 1);
    if (g->shape.kernel != GA_REDUCE_FINAL)
      write_map(&t->vector, g, 1);
  }
  write_scalar_text(&t->scalar, g);
  GA_TRY(t->vector.err);
  GA_TRY(t->scalar.err);
  add_complex(t, g->spec);
  if (has_vectors) {
    add_part(t, ga__strb_text(&t->vector));
    add_part(t, ga__template("reduce_state"));
  }
  add_part(t, ga__strb_text(&t->scalar));
  add_part(t, ga__template("reduce_state"));
  add_part(t, ga__template("reduce_join"));
  add_part(t, ga__template(t->entry));
  return GA_NO_ERROR;
}

void ga__reduce_text_clear(ga__reduce_text *t) {
  ga__strb_clear(&t->vector);
  ga__strb_clear(&t->scalar);
  *t = (ga__reduce_text){.vector = GA_STRB_INIT, .scalar = GA_STRB_INIT};
}
