/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of elementwise kernels: they load, compute and store one vector or
 * one element.
 *
 * If the expression suits vectors, a step declares the arguments as vectors.
 * Otherwise it stores lanes in ga_v<k>, a vector or on CPUs an array, and runs
 * the expression for each lane, as macro LANE. Lanes that are not contiguous in
 * memory are loaded one by one with the macros AT_<k>, and stored with
 * PUT_<k>.
 *
 * What is read by index has no variable. Its name is a macro of the index, and
 * a step only declares ga_e<k>. */
#include "codegen/gen_step.h"

#include <stdio.h>

#include "base/dtype.h"
#include "codegen/gen_arg.h"

#define NAME_BYTES 64 /* for pointer and index expressions */

/* --- properties of arguments --- */

static int is_narrow(const ga__ew_writer *w, unsigned int k) {
  return ga__dtype_is_narrow(w->args[k].typecode);
}

static const char *cl_of(const ga__ew_writer *w, unsigned int k) {
  return ga__dtype_cl(w->args[k].typecode);
}

static int is_bool(const ga__ew_writer *w, unsigned int k) {
  return w->args[k].typecode == GA_BOOL;
}

static int is_written(const ga__ew_writer *w, unsigned int k) {
  return (w->args[k].flags & GE_WRITE) != 0;
}

/* Nonzero if the expression reads the argument's old value. */
static int is_read(const ga__ew_writer *w, unsigned int k) {
  return !is_written(w, k) || (w->args[k].flags & GE_READ) != 0;
}

static int is_random(const ga__ew_writer *w, unsigned int k) {
  return ga__is_random(&w->args[k]);
}

static int is_taken(const ga__ew_writer *w, unsigned int k) {
  return ga__is_taken(&w->args[k]);
}

int ga__ew_has_taken(const ga__ew_writer *w) {
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (is_taken(w, k))
      return 1;
  }
  return 0;
}

/* Nonzero if a vector of random numbers would need parts of two blocks. */
static int is_astride(const ga__ew_writer *w, unsigned int k) {
  return is_random(w, k) && w->p->args[k].access == GA_AT_NEXT &&
         !w->p->args[k].is_aligned;
}

/* Nonzero if lanes are loaded and stored one by one. */
static int is_scattered(const ga__ew_writer *w, unsigned int k) {
  ga__access at = w->p->args[k].access;

  if (is_taken(w, k))
    return 0;
  return at == GA_AT_APART || at == GA_AT_ANY || is_astride(w, k) ||
         (at == GA_AT_PACK && w->p->kernel == GA_EW_TILE);
}

static int is_vector(const ga__ew_writer *w, unsigned int k) {
  ga__access at = w->p->args[k].access;

  return !is_scattered(w, k) &&
         (at == GA_AT_NEXT || at == GA_AT_SECOND || at == GA_AT_PACK);
}

/* Narrow floats are loaded and stored as their bits. */
const char *ga__ew_stored(const ga__ew_writer *w, unsigned int k) {
  return ga__arg_value_type(w->args[k].typecode);
}

const char *ga__ew_worked(const ga__ew_writer *w, unsigned int k) {
  return is_bool(w, k) && w->e->is_vector ? "w_bool"
                                          : ga__expr_type(w->args[k].typecode);
}

const char *ga__ew_suffix(unsigned int lanes) {
  return lanes == 16  ? "16"
         : lanes == 8 ? "8"
         : lanes == 4 ? "4"
         : lanes == 2 ? "2"
                      : "";
}

/* The index of lane 0 of a vector argument, from its pointer. */
static const char *vector_index(const ga__ew_writer *w, unsigned int k) {
  return w->p->args[k].access == GA_AT_PACK     ? "(ga_j - ga_from)"
         : w->p->args[k].access == GA_AT_SECOND ? "2 * ga_j"
                                                : "ga_j";
}

/* The index of lane ga_l, component ga_c, of a scattered argument. */
static void scattered_index(const ga__ew_writer *w, unsigned int k,
                            char out[NAME_BYTES]) {
  if (w->p->args[k].access == GA_AT_PACK)
    snprintf(out, NAME_BYTES, "ga_at + ga_l * (TILE_I + 1)");
  else if (w->p->args[k].access == GA_AT_ANY)
    snprintf(out, NAME_BYTES, "ga_i%u ga_c", k);
  else if (is_astride(w, k))
    snprintf(out, NAME_BYTES, "ga_j + ga_l");
  else
    snprintf(out, NAME_BYTES, "(ga_j + ga_l) * ga_s%u_0", k);
}

/* --- elements --- */

void ga__ew_random(const ga__ew_writer *w, unsigned int k, const char *n) {
  const int flags = w->args[k].flags & GE_RANDOM;

  ga__strb_appendf(w->b, "ga_%s_%s%s",
                   flags == GE_RANDOM_NORMAL    ? "normal"
                   : flags == GE_RANDOM_UNIFORM ? "uniform"
                                                : "bits",
                   cl_of(w, k), n);
}

void ga__ew_element(const ga__ew_writer *w, unsigned int k, const char *pointer,
                    const char *index) {
  if (is_random(w, k)) {
    ga__ew_random(w, k, "");
    ga__strb_appendf(w->b, "(ga_y%u, (ulong)(%s + (%s)))", k, pointer, index);
  } else if (is_narrow(w, k))
    ga__strb_appendf(w->b, "ga_from_%s(%s[%s])", cl_of(w, k), pointer, index);
  else if (is_bool(w, k))
    ga__strb_appendf(w->b, "(%s[%s] != 0)", pointer, index);
  else
    ga__strb_appendf(w->b, "%s[%s]", pointer, index);
}

static void store_element(const ga__ew_writer *w, unsigned int k,
                          const char *index, const char *value) {
  if (is_narrow(w, k))
    ga__strb_appendf(w->b, "ga_p%u[%s] = ga_to_%s(%s)", k, index, cl_of(w, k),
                     value);
  else if (is_bool(w, k))
    ga__strb_appendf(w->b, "ga_p%u[%s] = (%s) != 0", k, index, value);
  else
    ga__strb_appendf(w->b, "ga_p%u[%s] = %s", k, index, value);
}

/* --- what is read by index --- */

static int moves(const ga__ew_writer *w, unsigned int k) {
  return w->p->args[k].access == GA_AT_APART ||
         w->p->args[k].access == GA_AT_ANY;
}

const char *ga__ew_place(const ga__ew_writer *w) {
  return w->p->is_far ? "long" : "int";
}

/* Where the elements of the lanes are with index 0. */
static void declare_places(const ga__ew_writer *w, unsigned int k,
                           const char *n) {
  const char *type = ga__ew_place(w);

  ga__strb_appendf(w->b, " \\\n    const %s%s ga_e%u = ", type, n, k);
  if (!moves(w, k))
    ga__strb_append(w->b, "0;");
  else if (w->p->args[k].access == GA_AT_ANY)
    ga__strb_appendf(w->b, "convert_%s%s(ga_i%u);", type, n, k);
  else if (n[0] == '\0')
    ga__strb_appendf(w->b, "(%s)(ga_j * ga_s%u_0);", type, k);
  else
    ga__strb_appendf(w->b,
                     "((%s)ga_j + (%s%s)(GA_LIST%s(GA_LANE_INDEX))) * "
                     "(%s)ga_s%u_0;",
                     type, type, n, n, type, k);
}

/* The same for lane ga_l, component ga_c. */
static void declare_lane_place(const ga__ew_writer *w, unsigned int k) {
  const char *type = ga__ew_place(w);
  char index[NAME_BYTES] = "0";

  if (moves(w, k))
    scattered_index(w, k, index);
  ga__strb_appendf(w->b, " \\\n    const %s ga_e%u = (%s)(%s);", type, k, type,
                   index);
}

/* The function that loads from these places. */
static void taken_function(const ga__ew_writer *w, unsigned int k,
                           const char *n) {
  const char *type = is_bool(w, k) && w->e->is_vector ? ga__ew_stored(w, k)
                                                      : ga__ew_worked(w, k);

  ga__strb_appendf(w->b,
                   "static inline %s%s ga_take%u_%s(global const %s *p, const "
                   "%s%s r) {\n  return (%s%s)(GA_LIST%s(GA_TAKE_%u));\n}\n",
                   type, n, k, n, ga__ew_stored(w, k), ga__ew_place(w), n, type,
                   n, n, k);
}

static void taken_macros(const ga__ew_writer *w, unsigned int k) {
  const int is_boolean = is_bool(w, k) && w->e->is_vector;
  const char *type = ga__ew_place(w);

  ga__strb_appendf(w->b, "#define GA_TAKE_%u(l, c) ", k);
  if (is_boolean)
    ga__strb_append(w->b, "p[r c]");
  else
    ga__ew_element(w, k, "p", "r c");
  ga__strb_append(w->b, "\n");
  taken_function(w, k, "");
  if (w->p->lanes > 1 && w->e->is_vector)
    taken_function(w, k, ga__ew_suffix(w->p->lanes));
  ga__strb_appendf(
      w->b,
      "#define %s(ga_at) %s(GA_JOIN(ga_take%u_, W_LANES)(ga_%c%u, ga_e%u + "
      "GA_JOIN(ga_taken_row, W_LANES)(GA_JOIN(GA_JOIN(convert_%s, W_LANES), "
      "_sat)(ga_at), (%s)ga_m%u, ga_guard, ga_who, %u) * (%s)ga_x%u))\n",
      w->args[k].name, is_boolean ? "GA_BOOLS" : "", k,
      w->p->args[k].access == GA_AT_FIXED ? 'b' : 'p', k, k, type, type, k,
      ga__taken_axis(&w->args[k]), type, k);
}

/* --- vectors: `n` is the suffix, "" for one lane --- */

/* The even lanes of one vector and the odd ones of a second vector. The second
 * one begins at the last lane of the first, so that nothing after the last
 * element is read. */
static void load_second(const ga__ew_writer *w, unsigned int k, const char *n,
                        const char *index) {
  const char *type = ga__ew_stored(w, k);

  ga__strb_appendf(w->b,
                   "(%s%s)(GA_LOAD%s(ga_p%u + %s).even, "
                   "GA_LOAD%s(ga_p%u + %s + (%s - 1)).odd)",
                   type, n, n, k, index, n, k, index, n);
}

/* A vector in the stored type, or of floats for narrow ones. */
static void load_vector(const ga__ew_writer *w, unsigned int k, const char *n) {
  const char *index = vector_index(w, k);

  if (is_random(w, k)) {
    ga__ew_random(w, k, n);
    ga__strb_appendf(w->b, "(ga_y%u, (ulong)(ga_p%u + %s))", k, k, index);
    return;
  }
  if (is_narrow(w, k))
    ga__strb_appendf(w->b, "ga_from_%s%s(", cl_of(w, k), n);
  if (n[0] == '\0')
    ga__strb_appendf(w->b, "ga_p%u[%s]", k, index);
  else if (w->p->args[k].is_aligned)
    ga__strb_appendf(w->b, "*(%s %s%s *)(ga_p%u + %s)",
                     is_written(w, k) ? "global" : "global const",
                     ga__ew_stored(w, k), n, k, index);
  else if (w->p->args[k].access == GA_AT_SECOND)
    load_second(w, k, n, index);
  else if (w->p->args[k].access == GA_AT_PACK)
    ga__strb_appendf(w->b, "GA_LOAD_IN(local, %s, ga_p%u + %s)", n, k, index);
  else
    ga__strb_appendf(w->b, "GA_LOAD%s(ga_p%u + %s)", n, k, index);
  if (is_narrow(w, k))
    ga__strb_append(w->b, ")");
}

/* Store the vector `name`, of the type that load_vector returns or w_bool. */
static void store_vector(const ga__ew_writer *w, unsigned int k, const char *n,
                         const char *name) {
  char value[NAME_BYTES * 4];

  if (is_narrow(w, k))
    snprintf(value, sizeof value, "ga_to_%s%s(%s)", cl_of(w, k), n, name);
  else if (is_bool(w, k) && w->e->is_vector)
    snprintf(value, sizeof value, "w_from_bool_uchar(w_to_bool(%s))", name);
  else
    snprintf(value, sizeof value, "%s", name);
  if (n[0] == '\0')
    ga__strb_appendf(w->b, "ga_p%u[ga_j] = %s;", k, value);
  else if (w->p->args[k].is_stream)
    ga__strb_appendf(w->b, "GA_STREAM(%s, %s, %s, ga_p%u + ga_j)",
                     ga__ew_stored(w, k), n, value, k);
  else if (w->p->args[k].is_aligned)
    ga__strb_appendf(w->b, "*(global %s%s *)(ga_p%u + ga_j) = %s;",
                     ga__ew_stored(w, k), n, k, value);
  else
    ga__strb_appendf(w->b, "GA_STORE%s(%s, ga_p%u + ga_j);", n, value, k);
}

/* --- steps of expressions that suit vectors --- */

/* All lanes of the argument, in the stored type, or as floats for narrow
 * ones. */
static void load_lanes(const ga__ew_writer *w, unsigned int k, const char *n) {
  if (is_vector(w, k))
    load_vector(w, k, n);
  else
    ga__strb_appendf(w->b, "(%s%s)(GA_LIST%s(AT_%u))",
                     is_narrow(w, k) ? "float" : ga__ew_stored(w, k), n, n, k);
}

static void declare_vector(const ga__ew_writer *w, unsigned int k,
                           const char *n) {
  const char *name = w->args[k].name;

  if (is_taken(w, k)) {
    declare_places(w, k, n);
    return;
  }
  if (is_bool(w, k))
    ga__strb_appendf(w->b, " \\\n    w_bool %s", name);
  else
    ga__strb_appendf(w->b, " \\\n    %s%s %s", ga__ew_worked(w, k), n, name);
  if (!is_read(w, k)) {
    ga__strb_append(w->b, ";");
    return;
  }
  ga__strb_append(w->b, " = ");
  if (!is_vector(w, k) && !is_scattered(w, k)) {
    /* True is 1 in ga_r, and -1 in the lanes of a vector. */
    if (is_bool(w, k))
      ga__strb_appendf(w->b, "(w_bool)(%sga_r%u);", n[0] != '\0' ? "-" : "", k);
    else
      ga__strb_appendf(w->b, "(%s%s)(ga_r%u);", ga__ew_worked(w, k), n, k);
    return;
  }
  if (is_bool(w, k))
    ga__strb_append(w->b, "GA_BOOLS(");
  load_lanes(w, k, n);
  ga__strb_append(w->b, is_bool(w, k) ? ");" : ";");
}

static void finish_vector(const ga__ew_writer *w, unsigned int k,
                          const char *n) {
  ga__strb_append(w->b, " \\\n    ");
  if (is_scattered(w, k))
    ga__strb_appendf(w->b, "GA_EACH%s(PUT_%u)", n, k);
  else
    store_vector(w, k, n, w->args[k].name);
}

static void vector_step(const ga__ew_writer *w, const char *n) {
  for (unsigned int k = 0; k < w->p->n; k++)
    declare_vector(w, k, n);
  ga__strb_append(w->b, " \\\n    EXPR");
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (is_written(w, k))
      finish_vector(w, k, n);
  }
}

/* --- steps of other expressions --- */

/* Declare the argument for lane ga_l, component ga_c. */
static void declare_lane(const ga__ew_writer *w, unsigned int k) {
  if (is_taken(w, k)) {
    declare_lane_place(w, k);
    return;
  }
  ga__strb_appendf(w->b, " \\\n    %s %s", ga__ew_worked(w, k),
                   w->args[k].name);
  if (!is_read(w, k))
    ga__strb_append(w->b, ";");
  else if (is_scattered(w, k))
    ga__strb_appendf(w->b, " = AT_%u(ga_l, ga_c);", k);
  else if (is_vector(w, k))
    ga__strb_appendf(
        w->b, is_bool(w, k) ? " = ga_v%u ga_c != 0;" : " = ga_v%u ga_c;", k);
  else
    ga__strb_appendf(w->b, " = ga_r%u;", k);
}

static void finish_lane(const ga__ew_writer *w, unsigned int k) {
  const char *name = w->args[k].name;

  ga__strb_append(w->b, " \\\n    ");
  if (is_scattered(w, k)) {
    char index[NAME_BYTES];

    scattered_index(w, k, index);
    store_element(w, k, index, name);
    ga__strb_append(w->b, ";");
  } else if (is_bool(w, k)) {
    ga__strb_appendf(w->b, "ga_v%u ga_c = (%s) != 0;", k, name);
  } else {
    ga__strb_appendf(w->b, "ga_v%u ga_c = %s;", k, name);
  }
}

static void lane_macro(const ga__ew_writer *w) {
  ga__strb_append(w->b, "#define LANE(ga_l, ga_c) \\\n  {");
  for (unsigned int k = 0; k < w->p->n; k++)
    declare_lane(w, k);
  ga__strb_append(w->b, " \\\n    EXPR");
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (is_written(w, k))
      finish_lane(w, k);
  }
  ga__strb_append(w->b, " \\\n  }\n");
}

/* On a CPU, a loop computes the lanes of arrays; the compiler turns it into
 * vectors. */
static int is_looped(const ga__ew_writer *w, const char *n) {
  return w->p->is_cpu && n[0] != '\0';
}

static void declare_lanes(const ga__ew_writer *w, unsigned int k,
                          const char *n) {
  const char *type = is_narrow(w, k) ? "float" : ga__ew_stored(w, k);
  const int is_array = is_looped(w, n);

  if (is_array)
    ga__strb_appendf(w->b, " \\\n    %s ga_v%u[%s];", type, k, n);
  else
    ga__strb_appendf(w->b, " \\\n    %s%s ga_v%u", type, n, k);
  if (is_read(w, k)) {
    ga__strb_appendf(w->b, is_array ? " vstore%s(" : " = ", n);
    load_vector(w, k, n);
    if (is_array)
      ga__strb_appendf(w->b, ", 0, ga_v%u)", k);
  }
  ga__strb_append(w->b, is_array && !is_read(w, k) ? "" : ";");
}

static void run_lanes(const ga__ew_writer *w, const char *n) {
  if (is_looped(w, n))
    ga__strb_appendf(w->b,
                     " \\\n    _Pragma(\"clang loop unroll(disable)\")"
                     " \\\n    for (int ga_l = 0; ga_l < %s; ++ga_l)"
                     " \\\n      LANE(ga_l, [ga_l])",
                     n);
  else
    ga__strb_appendf(w->b, " \\\n    GA_EACH%s(LANE)", n);
}

static void scalar_step(const ga__ew_writer *w, const char *n) {
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (is_vector(w, k))
      declare_lanes(w, k, n);
  }
  run_lanes(w, n);
  for (unsigned int k = 0; k < w->p->n; k++) {
    char value[NAME_BYTES];

    if (!is_vector(w, k) || !is_written(w, k))
      continue;
    if (is_looped(w, n))
      snprintf(value, sizeof value, "vload%s(0, ga_v%u)", n, k);
    else
      snprintf(value, sizeof value, "ga_v%u", k);
    ga__strb_append(w->b, " \\\n    ");
    store_vector(w, k, n, value);
  }
}

/* --- all macros --- */

static void scattered_macros(const ga__ew_writer *w, unsigned int k) {
  char pointer[NAME_BYTES], index[NAME_BYTES], value[NAME_BYTES * 4];

  snprintf(pointer, sizeof pointer, "ga_p%u", k);
  scattered_index(w, k, index);
  if (is_read(w, k)) {
    ga__strb_appendf(w->b, "#define AT_%u(ga_l, ga_c) ", k);
    if (is_bool(w, k) && w->e->is_vector)
      ga__strb_appendf(w->b, "%s[%s]", pointer, index);
    else
      ga__ew_element(w, k, pointer, index);
    ga__strb_append(w->b, "\n");
  }
  if (is_written(w, k) && w->e->is_vector) {
    snprintf(value, sizeof value, "%s ga_c", w->args[k].name);
    ga__strb_appendf(w->b, "#define PUT_%u(ga_l, ga_c) ", k);
    store_element(w, k, index, value);
    ga__strb_append(w->b, "\n");
  }
}

static void step_macro(const ga__ew_writer *w, const char *name,
                       unsigned int lanes) {
  const char *n = ga__ew_suffix(lanes);

  ga__strb_appendf(w->b, "#define %s \\\n  {", name);
  if (w->e->is_vector)
    vector_step(w, n);
  else
    scalar_step(w, n);
  ga__strb_append(w->b, " \\\n  }\n");
}

void ga__ew_steps(const ga__ew_writer *w) {
  ga__strb_appendf(w->b, "#define EXPR %s;\n", w->e->text);
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (is_scattered(w, k))
      scattered_macros(w, k);
    else if (is_taken(w, k))
      taken_macros(w, k);
  }
  if (!w->e->is_vector)
    lane_macro(w);
  if (w->p->lanes > 1)
    step_macro(w, "STEP_W", w->p->lanes);
  step_macro(w, "STEP_1", 1);
}
