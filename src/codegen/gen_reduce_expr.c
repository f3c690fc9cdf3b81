/* SPDX-License-Identifier: BSD-2-Clause */
/* The two expressions of a reduction as functions of a kernel: map loads its
 * inputs, post loads and stores its arguments. */
#include "codegen/gen_reduce_expr.h"

#include <stdio.h>

#include "base/dtype.h"

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

/* The name of value number `i` in the texts: `v` is v0, v1, ... where there are
 * several. */
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

void ga__reduce_write_map(ga__strb *b, const ga__gen_reduce *g, int is_vector) {
  const GpuReductionSpec *s = g->spec;
  char name[24];

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

/* The function that turns acc into the outputs, of output number r_o. */
void ga__reduce_write_post(ga__strb *b, const ga__gen_reduce *g) {
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
