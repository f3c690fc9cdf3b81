/* SPDX-License-Identifier: BSD-2-Clause */
/* The two expressions of a reduction as functions of a kernel: map loads its
 * inputs, post loads and stores its arguments. */
#include "codegen/gen_reduce_expr.h"

#include <stdio.h>

#include "base/dtype.h"

/* What follows w_ in the name of a dtype. */
static const char *w_name(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_BOOL ? "bool"
                                                  : ga__dtype_cl(typecode);
}

int ga__reduce_is_value(const gpuelemwise_arg *a) {
  return (a->flags & GE_SCALAR) != 0;
}

/* The plain type of a value argument; half travels as its bits. */
const char *ga__reduce_value_type(int typecode) {
  return ga__dtype_canon(typecode) == GA_HALF ? "ushort"
                                              : ga__dtype_cl(typecode);
}

void ga__reduce_assign(ga__strb *b, const char *to, int to_type,
                       const char *from, int from_type) {
  if (ga__dtype_kind(from_type) == GA_KIND_BOOL)
    ga__strb_appendf(b, "%s = w_from_bool_%s(%s);", to, w_name(to_type), from);
  else
    ga__strb_appendf(b, "%s = w_to_%s(%s);", to, w_name(to_type), from);
}

/* --- map --- */

/* One element behind the text `at`, as a scalar. */
static void write_element(ga__strb *b, int typecode, const char *at) {
  if (ga__dtype_canon(typecode) == GA_HALF)
    ga__strb_appendf(b, "vload_half(0, (global const half *)(%s))", at);
  else if (ga__dtype_kind(typecode) == GA_KIND_BOOL)
    ga__strb_appendf(b, "-(W_BOOL)(*(global const uchar *)(%s) != 0)", at);
  else
    ga__strb_appendf(b, "*(global const %s *)(%s)", ga__dtype_cl(typecode), at);
}

/* Lanes that lie next to each other, or one; `at` is a pointer's text. */
static void write_load(ga__strb *b, int typecode, const char *at,
                       int is_aligned) {
  const char *type = ga__dtype_cl(typecode);
  const char *kind = "";

  if (ga__dtype_canon(typecode) == GA_HALF)
    kind = "_half";
  else if (ga__dtype_kind(typecode) == GA_KIND_BOOL)
    kind = "_bool";
  ga__strb_appendf(b, "w_load%s%s(", is_aligned ? "_aligned" : "", kind);
  if (is_aligned && kind[0] == '\0')
    ga__strb_appendf(b, "%s, ", type);
  ga__strb_appendf(b, "(global const %s *)%s, 0)", type, at);
}

/* A value argument as the lanes see it: `from` is its parameter. */
static void write_value(ga__strb *b, const gpuelemwise_arg *a, const char *from,
                        int is_vector) {
  const char *w = w_name(a->typecode);

  if (ga__dtype_canon(a->typecode) == GA_HALF)
    ga__strb_appendf(b,
                     "  const w_half %s = (w_half)(vload_half(0, "
                     "(const half *)&%s));\n",
                     a->name, from);
  else if (ga__dtype_kind(a->typecode) == GA_KIND_BOOL)
    ga__strb_appendf(b, "  const w_bool %s = (w_bool)(%s(%s != 0));\n", a->name,
                     is_vector ? "-(W_BOOL)" : "", from);
  else
    ga__strb_appendf(b, "  const w_%s %s = (w_%s)(%s);\n", w, a->name, w, from);
}

static void write_input(ga__strb *b, const ga__gen_reduce *g, unsigned int i,
                        int is_vector) {
  const gpuelemwise_arg *a = &g->spec->in[i];
  const char *w = w_name(a->typecode);
  char at[40];

  snprintf(at, sizeof at, "r_p%u", i);
  if (ga__reduce_is_value(a)) {
    write_value(b, a, at, is_vector);
  } else if (!is_vector || g->steps[i] >= GA_LANES_NEXT) {
    ga__strb_appendf(b, "  const w_%s %s = ", w, a->name);
    write_load(b, a->typecode, at,
               is_vector && g->steps[i] == GA_LANES_ALIGNED);
    ga__strb_append(b, ";\n");
  } else if (g->steps[i] == GA_LANES_SAME) {
    ga__strb_appendf(b, "  const w_%s %s = (w_%s)(", w, a->name, w);
    write_element(b, a->typecode, at);
    ga__strb_append(b, ");\n");
  } else {
    snprintf(at, sizeof at, "r_p%u + l * r_d%u", i, i);
    ga__strb_append(b, "#define R_LANE(l, s) ");
    write_element(b, a->typecode, at);
    ga__strb_appendf(b,
                     "\n  const w_%s %s = (w_%s)(W_LIST(R_LANE));\n"
                     "#undef R_LANE\n",
                     w, a->name, w);
  }
}

static void write_map_param(ga__strb *b, const ga__gen_reduce *g,
                            unsigned int i) {
  const gpuelemwise_arg *a = &g->spec->in[i];

  if (i > 0)
    ga__strb_append(b, ", ");
  if (ga__reduce_is_value(a))
    ga__strb_appendf(b, "%s r_p%u", ga__reduce_value_type(a->typecode), i);
  else
    ga__strb_appendf(b, "global const char *r_p%u, long r_d%u", i, i);
}

void ga__reduce_write_map(ga__strb *b, const ga__gen_reduce *g, int is_vector) {
  const GpuReductionSpec *s = g->spec;
  unsigned int i;

  ga__strb_append(b, "static R_ACC_T R_FN(r_map)(");
  for (i = 0; i < s->n_in; i++)
    write_map_param(b, g, i);
  ga__strb_append(b, ") {\n");
  for (i = 0; i < s->n_in; i++)
    write_input(b, g, i, is_vector);
  ga__strb_appendf(b, "  w_%s v;\n  { %s; }\n", w_name(s->acc), s->map);
  ga__strb_append(b, ga__dtype_kind(s->acc) == GA_KIND_BOOL
                         ? "  return w_from_bool_int(w_to_bool(v));\n}\n"
                         : "  return v;\n}\n");
}

/* --- indices --- */

/* Declare the index of each dimension from `first` on, given the number
 * `count` of the element: `name`0, ... . */
void ga__reduce_write_indices(ga__strb *b, const char *name, const char *sizes,
                              const char *count, unsigned int first,
                              unsigned int nd) {
  for (unsigned int d = first; d < nd; d++) {
    if (d == first)
      ga__strb_appendf(b, "const R_IDX %s_in%u = (R_IDX)(%s); ", name, d,
                       count);
    else
      ga__strb_appendf(b, "const R_IDX %s_in%u = %s_in%u / (R_IDX)%s%u; ", name,
                       d, name, d - 1, sizes, d - 1);
    if (d + 1 == nd)
      ga__strb_appendf(b, "const R_IDX %s%u = %s_in%u; ", name, d, name, d);
    else
      ga__strb_appendf(b, "const R_IDX %s%u = %s_in%u %% (R_IDX)%s%u; ", name,
                       d, name, d, sizes, d);
  }
}

/* " + index * stride" for dimensions from `first` on. */
void ga__reduce_write_distance(ga__strb *b, const char *index,
                               const char *stride, unsigned int i,
                               unsigned int first, unsigned int nd) {
  for (unsigned int d = first; d < nd; d++)
    ga__strb_appendf(b, " + (long)%s%u * %s%u_%u", index, d, stride, i, d);
}

/* --- post --- */

static void write_post_store(ga__strb *b, const gpuelemwise_arg *a,
                             unsigned int i) {
  const char *kind = "";

  if (ga__dtype_canon(a->typecode) == GA_HALF)
    kind = "_half";
  else if (ga__dtype_kind(a->typecode) == GA_KIND_BOOL)
    kind = "_bool";
  ga__strb_appendf(b, "  w_store%s(%s, (global %s *)r_q%u, 0);\n", kind,
                   a->name, ga__dtype_cl(a->typecode), i);
}

static void write_post_arg(ga__strb *b, const ga__gen_reduce *g,
                           unsigned int i) {
  const gpuelemwise_arg *a = &g->spec->post_args[i];
  char at[40];

  if (ga__reduce_is_value(a)) {
    snprintf(at, sizeof at, "r_y%u", i);
    write_value(b, a, at, 0);
    return;
  }
  ga__strb_appendf(b, "  global char *r_q%u = r_y%u + r_yo%u", i, i, i);
  ga__reduce_write_distance(b, "r_io", "r_s", i, 0, g->nk);
  ga__strb_appendf(b, ";\n  w_%s %s", w_name(a->typecode), a->name);
  if (a->flags & GE_READ) {
    ga__strb_append(b, " = ");
    snprintf(at, sizeof at, "r_q%u", i);
    write_load(b, a->typecode, at, 0);
  }
  ga__strb_append(b, ";\n");
}

/* The function that turns acc into the outputs, of output number r_o. */
void ga__reduce_write_post(ga__strb *b, const ga__gen_reduce *g) {
  const GpuReductionSpec *s = g->spec;
  unsigned int i;

  ga__strb_append(b, "static void r_post(R_OUT_PARAMS, R_IDX r_o, R_ACC r_v, "
                     "R_POS r_at) {\n  ");
  ga__reduce_write_indices(b, "r_io", "r_no", "r_o", 0, g->nk);
  ga__strb_appendf(b, "\n  const w_%s acc = r_v;\n", w_name(s->acc));
  if (ga__reduce_is_arg(s->op))
    ga__strb_append(b, "  const long idx = r_at;\n");
  for (i = 0; i < s->n_post; i++)
    write_post_arg(b, g, i);
  ga__strb_appendf(b, "  { %s; }\n", s->post);
  for (i = 0; i < s->n_post; i++) {
    if ((s->post_args[i].flags & GE_WRITE) &&
        !ga__reduce_is_value(&s->post_args[i]))
      write_post_store(b, &s->post_args[i], i);
  }
  ga__strb_append(b, "}\n");
}
