/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of arguments in the types that expressions compute with. */
#include "codegen/gen_arg.h"

#include "base/dtype.h"

static int is_bool(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_BOOL;
}

int ga__arg_is_value(const gpuelemwise_arg *a) {
  return (a->flags & GE_SCALAR) != 0;
}

const char *ga__arg_value_type(int typecode) {
  return ga__dtype_is_narrow(typecode) ? "ushort" : ga__dtype_cl(typecode);
}

const char *ga__arg_w_name(int typecode) {
  return is_bool(typecode) ? "bool" : ga__dtype_cl(typecode);
}

const char *ga__arg_complex_head(int typecode) {
  switch (typecode) {
  case GA_CFLOAT:
    return "#define C_REAL float\n#define C_TYPE ga_cfloat\n"
           "#define w_ga_cfloat ga_cfloat\n";
  case GA_CDOUBLE:
    return "#define C_REAL double\n#define C_TYPE ga_cdouble\n"
           "#define w_ga_cdouble ga_cdouble\n";
  default:
    return NULL;
  }
}

/* The suffix of w_load and w_store. */
static const char *access_of(int typecode) {
  return typecode == GA_HALF     ? "_half"
         : typecode == GA_BFLOAT ? "_bfloat"
         : is_bool(typecode)     ? "_bool"
                                 : "";
}

void ga__arg_write_value(ga__strb *b, const gpuelemwise_arg *a,
                         const char *from, int is_vector) {
  const char *w = ga__arg_w_name(a->typecode);

  if (ga__dtype_is_narrow(a->typecode))
    ga__strb_appendf(b, "  const w_%s %s = (w_%s)(ga_from_%s(%s));\n", w,
                     a->name, w, w, from);
  else if (is_bool(a->typecode))
    ga__strb_appendf(b, "  const w_bool %s = (w_bool)(%s(%s != 0));\n", a->name,
                     is_vector ? "-(W_BOOL)" : "", from);
  else if (ga__dtype_is_complex(a->typecode))
    ga__strb_appendf(b, "  const w_%s %s = %s;\n", w, a->name, from);
  else
    ga__strb_appendf(b, "  const w_%s %s = (w_%s)(%s);\n", w, a->name, w, from);
}

/* One lane of a vector, loaded from the pointer expression `at`. */
static void write_element(ga__strb *b, int typecode, const char *at) {
  if (ga__dtype_is_narrow(typecode))
    ga__strb_appendf(b, "ga_load_%s(%s)", ga__dtype_cl(typecode), at);
  else if (is_bool(typecode))
    ga__strb_appendf(b, "-(W_BOOL)(*(global const uchar *)(%s) != 0)", at);
  else
    ga__strb_appendf(b, "*(global const %s *)(%s)", ga__dtype_cl(typecode), at);
}

/* Load part by part: Mesa 22.3 crashes if a whole complex number is loaded
 * through a pointer that was cast from one to bytes. */
static void write_complex_load(ga__strb *b, int typecode, const char *at) {
  const char *type = ga__dtype_cl(typecode);

  ga__strb_appendf(b,
                   "{((global const %s *)(%s))->r, "
                   "((global const %s *)(%s))->i}",
                   type, at, type, at);
}

static void write_complex_store(ga__strb *b, const gpuelemwise_arg *a,
                                const char *at) {
  const char *type = ga__dtype_cl(a->typecode);

  ga__strb_appendf(b,
                   "  ((global %s *)(%s))->r = %s.r;\n"
                   "  ((global %s *)(%s))->i = %s.i;\n",
                   type, at, a->name, type, at, a->name);
}

/* Load contiguous lanes, or one, from the pointer expression `at`. */
static void write_load(ga__strb *b, int typecode, const char *at,
                       int is_aligned) {
  const char *type = ga__dtype_cl(typecode), *how = access_of(typecode);

  ga__strb_appendf(b, "w_load%s%s(", is_aligned ? "_aligned" : "", how);
  if (is_aligned && how[0] == '\0')
    ga__strb_appendf(b, "%s, ", type);
  ga__strb_appendf(b, "(global const %s *)%s, 0)", type, at);
}

static void write_lanes(ga__strb *b, int typecode, const char *at,
                        ga__lane_step step) {
  const char *w = ga__arg_w_name(typecode);

  if (ga__dtype_is_complex(typecode)) {
    write_complex_load(b, typecode, at);
  } else if (step == GA_LANES_APART) {
    ga__strb_appendf(b, "(w_%s)(W_LIST(W_LANE))", w);
  } else if (step == GA_LANES_SAME) {
    ga__strb_appendf(b, "(w_%s)(", w);
    write_element(b, typecode, at);
    ga__strb_append(b, ")");
  } else {
    write_load(b, typecode, at, step == GA_LANES_ALIGNED);
  }
}

/* The macro W_LANE, which loads one lane of an array whose lanes are not
 * contiguous. */
static void write_lane_macro(ga__strb *b, int typecode, const char *at,
                             const char *apart) {
  ga__strb place = GA_STRB_INIT;

  ga__strb_appendf(&place, "%s + l * %s", at, apart);
  ga__strb_append(b, "#define W_LANE(l, s) ");
  write_element(b, typecode, ga__strb_text(&place));
  ga__strb_append(b, "\n");
  if (place.err != GA_NO_ERROR)
    b->err = place.err;
  ga__strb_clear(&place);
}

void ga__arg_write_read(ga__strb *b, const gpuelemwise_arg *a, const char *at,
                        const char *apart, ga__lane_step step) {
  const int is_read = (a->flags & GE_READ) != 0;
  const int is_apart = is_read && step == GA_LANES_APART;

  if (is_apart)
    write_lane_macro(b, a->typecode, at, apart);
  ga__strb_appendf(b, "  %sw_%s %s", (a->flags & GE_WRITE) ? "" : "const ",
                   ga__arg_w_name(a->typecode), a->name);
  if (is_read) {
    ga__strb_append(b, " = ");
    write_lanes(b, a->typecode, at, step);
  }
  ga__strb_append(b, is_apart ? ";\n#undef W_LANE\n" : ";\n");
}

void ga__arg_write_store(ga__strb *b, const gpuelemwise_arg *a, const char *at,
                         ga__lane_step step) {
  const char *type = ga__dtype_cl(a->typecode), *how = access_of(a->typecode);
  const int is_aligned = step == GA_LANES_ALIGNED;

  if ((a->flags & GE_WRITE) == 0)
    return;
  if (ga__dtype_is_complex(a->typecode)) {
    write_complex_store(b, a, at);
    return;
  }
  ga__strb_appendf(b, "  w_store%s%s(", is_aligned ? "_aligned" : "", how);
  if (is_aligned && how[0] == '\0')
    ga__strb_appendf(b, "%s, ", type);
  ga__strb_appendf(b, "%s, (global %s *)%s, 0);\n", a->name, type, at);
}

void ga__arg_write_stream(ga__strb *b, const gpuelemwise_arg *a,
                          const char *at) {
  const char *type = ga__arg_value_type(a->typecode);
  const char *format = "%s";

  if ((a->flags & GE_WRITE) == 0)
    return;
  if (a->typecode == GA_HALF)
    format = "GA_JOIN(ga_to_half, W_LANES)(%s)";
  else if (a->typecode == GA_BFLOAT)
    format = "GA_JOIN(ga_to_bfloat, W_LANES)(%s)";
  else if (ga__dtype_kind(a->typecode) == GA_KIND_BOOL)
    format = "w_from_bool_uchar(w_to_bool(%s))";
  ga__strb_appendf(b, "  GA_STREAM(%s, W_LANES, ", type);
  ga__strb_appendf(b, format, a->name);
  ga__strb_appendf(b, ", (global %s *)%s)\n", type, at);
}
