/* SPDX-License-Identifier: BSD-2-Clause */
/* Source of operations that combine elements, of indices and of parameters. */
#include "codegen/gen_combine.h"

#include <gpuarray/types.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"

/* --- dtypes --- */

int ga__reduce_is_arg(ga_reduce_op op) {
  return op == GA_REDUCE_ARGMAX || op == GA_REDUCE_ARGMIN;
}

int ga__reduce_is_moments(ga_reduce_op op) {
  return op == GA_REDUCE_VAR;
}

int ga__reduce_is_heavy(const char *map) {
  static const char *const parts[] = {"exp", "log", "pow", "sin",
                                      "cos", "tan", "erf", "gamma"};

  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strstr(map, parts[i]) != NULL)
      return 1;
  }
  return 0;
}

int ga__reduce_acc_dtype(int acc) {
  if (ga__dtype_kind(acc) == GA_KIND_BOOL)
    return GA_INT;
  return ga__dtype_canon(ga__dtype_work(acc));
}

const char *ga__reduce_mask(int typecode) {
  switch (ga__dtype_size(typecode)) {
  case 1:
    return "char";
  case 2:
    return "short";
  case 4:
    return "int";
  default:
    return "long";
  }
}

int ga__reduce_is_float(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_FLOAT;
}

/* --- the operation --- */

/* The smallest or largest value of an accumulator's dtype. */
static const char *limit_of(int typecode, int is_largest) {
  static const struct {
    int typecode;
    const char *least, *most;
  } limits[] = {
      {GA_BYTE, "CHAR_MIN", "CHAR_MAX"},  {GA_UBYTE, "0", "UCHAR_MAX"},
      {GA_SHORT, "SHRT_MIN", "SHRT_MAX"}, {GA_USHORT, "0", "USHRT_MAX"},
      {GA_INT, "INT_MIN", "INT_MAX"},     {GA_UINT, "0", "UINT_MAX"},
      {GA_LONG, "LONG_MIN", "LONG_MAX"},  {GA_ULONG, "0", "ULONG_MAX"},
  };

  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    if (limits[i].typecode == typecode)
      return is_largest ? limits[i].most : limits[i].least;
  }
  return is_largest ? "INFINITY" : "-INFINITY";
}

const char *ga__reduce_neutral(ga_reduce_op op, int acc) {
  const int is_bool = ga__dtype_kind(acc) == GA_KIND_BOOL;

  if (op == GA_REDUCE_PROD && ga__dtype_is_complex(acc))
    return "(R_ACC)(1, 0)";
  switch (op) {
  case GA_REDUCE_PROD:
  case GA_REDUCE_ALL:
    return "1";
  case GA_REDUCE_AND:
    return is_bool ? "1" : "-1";
  case GA_REDUCE_MAX:
  case GA_REDUCE_ARGMAX:
    return is_bool ? "0" : limit_of(ga__reduce_acc_dtype(acc), 0);
  case GA_REDUCE_MIN:
  case GA_REDUCE_ARGMIN:
    return is_bool ? "1" : limit_of(ga__reduce_acc_dtype(acc), 1);
  default:
    return "0";
  }
}

const char *ga__reduce_combine(ga_reduce_op op, int acc) {
  switch (op) {
  case GA_REDUCE_PROD:
    return ga__dtype_is_complex(acc)
               ? "((R_ACC)((a).x * (b).x - (a).y * (b).y, "
                 "(a).x * (b).y + (a).y * (b).x))"
               : "((a) * (b))";
  case GA_REDUCE_MAX:
    return ga__reduce_is_float(acc)
               ? "((((b) > (a)) | ((b) != (b))) ? (b) : (a))"
               : "max(a, b)";
  case GA_REDUCE_MIN:
    return ga__reduce_is_float(acc)
               ? "((((b) < (a)) | ((b) != (b))) ? (b) : (a))"
               : "min(a, b)";
  case GA_REDUCE_ALL:
  case GA_REDUCE_AND:
    return "((a) & (b))";
  case GA_REDUCE_ANY:
  case GA_REDUCE_OR:
    return "((a) | (b))";
  case GA_REDUCE_XOR:
    return "((a) ^ (b))";
  default:
    return "((a) + (b))";
  }
}

/* --- indices --- */

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

void ga__reduce_write_distance(ga__strb *b, const char *index,
                               const char *stride, unsigned int i,
                               unsigned int first, unsigned int nd) {
  for (unsigned int d = first; d < nd; d++)
    ga__strb_appendf(b, " + (long)%s%u * %s%u_%u", index, d, stride, i, d);
}

/* --- parameters --- */

void ga__params_add(ga__params *l, const char *type, const char *name,
                    unsigned int i) {
  if (l->n++ > 0 && !l->is_open)
    ga__strb_append(l->b, ", ");
  if (!l->passing)
    ga__strb_appendf(l->b, "%s ", type);
  ga__strb_appendf(l->b, "%s%u%s", name, i, l->is_open ? ", " : "");
}

void ga__params_list(ga__params *l, const char *type, const char *name,
                     unsigned int n) {
  for (unsigned int d = 0; d < n; d++)
    ga__params_add(l, type, name, d);
}

static void add_strides(ga__params *l, const char *name, unsigned int i,
                        unsigned int nd) {
  char prefix[24];

  snprintf(prefix, sizeof prefix, "%s%u_", name, i);
  ga__params_list(l, "long", prefix, nd);
}

void ga__params_arg(ga__params *l, const gpuelemwise_arg *a,
                    const ga__param_names *names, unsigned int i,
                    unsigned int nk, unsigned int nr) {
  if (ga__arg_is_value(a)) {
    ga__params_add(l, ga__arg_value_type(a->typecode), names->at, i);
    return;
  }
  if (names->type != NULL)
    ga__params_add(l, names->type, names->at, i);
  ga__params_add(l, "ulong", names->offset, i);
  add_strides(l, names->kept, i, nk);
  if (names->red != NULL)
    add_strides(l, names->red, i, nr);
}
