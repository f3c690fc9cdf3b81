/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that index by data. */
#include "codegen/gen_put.h"

#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_cast.h"
#include "codegen/gen_take.h"

static const char names[] = {
    [GA_PUT_ROWS] = 'a', [GA_PUT_VALUES] = 'v', [GA_PUT_INDICES] = 'i'};

int ga__put_has_steps(ga__put_kernel kernel) {
  return kernel != GA_PUT_EACH && kernel != GA_PUT_ROW &&
         kernel != GA_PUT_JOIN && kernel != GA_PUT_CHECK;
}

const char *ga__put_entry(ga__put_kernel kernel) {
  static const char *const entries[] = {
      [GA_PUT_EACH] = "put_each",     [GA_PUT_ROW] = "put_row",
      [GA_PUT_JOIN] = "put_join",     [GA_PUT_ORDER] = "put_order",
      [GA_PUT_COLUMN] = "put_column", [GA_PUT_LIST] = "put_list",
      [GA_PUT_RANK] = "put_rank",     [GA_PUT_KEYS] = "put_keys",
      [GA_PUT_ENDS] = "put_ends",     [GA_PUT_SORTED] = "put_sorted",
      [GA_PUT_LINE] = "put_line",     [GA_PUT_CHECK] = "put_check",
      [GA_PUT_PLACE] = "put_place",   [GA_PUT_CROWD] = "put_crowd"};

  return entries[kernel];
}

/* --- moves --- */

/* An atomic addition by compare-and-exchange, in the memory that P_SPACE
 * names. The first read need not be atomic, because the exchange checks it. */
static void write_exchange(ga__strb *b, const char *real, const char *bits,
                           const char *function) {
  ga__strb_appendf(
      b,
      "static void p_add(volatile P_SPACE %s *p, %s v) {\n"
      "  volatile P_SPACE %s *q = (volatile P_SPACE %s *)p;\n"
      "  %s old = *q, seen;\n"
      "  while ((seen = %s(q, old, as_%s(as_%s(old) + v))) != old)\n"
      "    old = seen;\n}\n",
      real, real, bits, bits, bits, function, bits, real);
}

static void write_atomic(ga__strb *b, int typecode) {
  const char *type = ga__dtype_cl(typecode);

  if (ga__dtype_size(typecode) == 8)
    ga__strb_append(
        b, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n");
  if (typecode == GA_FLOAT)
    write_exchange(b, type, "uint", "atomic_cmpxchg");
  else if (typecode == GA_DOUBLE)
    write_exchange(b, type, "ulong", "atom_cmpxchg");
  else
    ga__strb_appendf(b, "#define p_add(p, v) %s(p, v)\n",
                     ga__dtype_size(typecode) == 8 ? "atom_add" : "atomic_add");
  ga__strb_append(b, "#define P_MOVE(a, v) { p_add(&(a), v); }\n");
}

/* Arithmetic of narrow floats, which are stored as their bits. */
static void write_narrow(ga__strb *b, int typecode, char op) {
  const char *type = ga__dtype_cl(typecode);

  ga__strb_appendf(b,
                   "#define P_MOVE(a, v) "
                   "{ a = ga_to_%s(ga_from_%s(a) %c ga_from_%s(v)); }\n",
                   type, type, op, type);
}

static void write_add(ga__strb *b, int typecode) {
  if (ga__dtype_kind(typecode) == GA_KIND_BOOL)
    ga__strb_append(b, "#define P_MOVE(a, v) { a = (a | v) != 0; }\n");
  else if (ga__dtype_is_narrow(typecode))
    write_narrow(b, typecode, '+');
  else
    ga__strb_append(b, "#define P_MOVE(a, v) { a += v; }\n");
}

static void write_mul(ga__strb *b, int typecode) {
  if (ga__dtype_kind(typecode) == GA_KIND_BOOL)
    ga__strb_append(b, "#define P_MOVE(a, v) { a = a != 0 && v != 0; }\n");
  else if (ga__dtype_is_narrow(typecode))
    write_narrow(b, typecode, '*');
  else
    ga__strb_append(b, "#define P_MOVE(a, v) { a *= v; }\n");
}

/* A NaN in `a` stays, and a NaN in `v` replaces `a`: comparisons with it are
 * false. */
static void write_extremum(ga__strb *b, int typecode, const char *keeps) {
  const char *read = typecode == GA_HALF     ? "ga_from_half"
                     : typecode == GA_BFLOAT ? "ga_from_bfloat"
                                             : "";

  ga__strb_appendf(b, "#define P_MOVE(a, v) { if (!(%s(a) %s %s(v)", read,
                   keeps, read);
  if (ga__dtype_kind(typecode) == GA_KIND_FLOAT)
    ga__strb_appendf(b, " || isnan(%s(a))", read);
  ga__strb_append(b, ")) a = v; }\n");
}

/* The same by atomics, in any order: 0 is larger than -0, and all NaNs that
 * come are the same. The read before need not be atomic: an element only grows,
 * or only falls, and a NaN stays.
 *
 * The bits of floats are ordered like integers if both have the same sign:
 * positive ones upwards as ints, negative ones downwards as uints; and as ints
 * negative ones come before positive ones, as uints after them. So one atomic
 * maximum or minimum of bits, chosen by the sign of v, does. NaNs that come
 * have the sign that makes them the largest, or the smallest. */
static void write_extremum_atomic(ga__strb *b, int typecode, int is_most) {
  const char *type = ga__dtype_cl(typecode), op = is_most ? '>' : '<';

  ga__strb_appendf(b, "static void p_most(P_SPACE %s *p, const %s v) {\n", type,
                   type);
  if (typecode == GA_FLOAT)
    ga__strb_appendf(
        b,
        "  const float a = *p;\n"
        "  const uint to = isnan(v) ? %s : as_uint(v);\n"
        "  if (isnan(a) || a %c v)\n    return;\n"
        "  if ((int)to >= 0)\n"
        "    (void)atomic_%s((volatile P_SPACE int *)p, (int)to);\n"
        "  else\n"
        "    (void)atomic_%s((volatile P_SPACE uint *)p, to);\n}\n",
        is_most ? "0x7fc00000U" : "0xffc00000U", op, is_most ? "max" : "min",
        is_most ? "min" : "max");
  else
    ga__strb_appendf(b,
                     "  if (!(*p %c= v))\n"
                     "    (void)atomic_%s((volatile P_SPACE %s *)p, v);\n}\n",
                     op, is_most ? "max" : "min", type);
  ga__strb_append(b, "#define P_MOVE(a, v) { p_most(&(a), v); }\n");
}

/* Conversions use the types that expressions compute with. Complex numbers are
 * loaded and stored part by part, as in gen_arg.c. */
static void write_cast(ga__strb *b, const ga__gen_put *g) {
  const int from = g->typecode, to = g->value_type;
  const int has_parts = ga__dtype_is_complex(from),
            gets_parts = ga__dtype_is_complex(to);

  ga__strb_append(b, "#define W_LANES\n#define W_BOOL int\n"
                     "#define P_MOVE(a, v) { ");
  if (ga__dtype_is_narrow(from))
    ga__strb_appendf(b, "const float x_ = ga_from_%s(a); ", ga__dtype_cl(from));
  else if (!has_parts)
    ga__strb_appendf(b, "const w_%s x_ = %s; ", ga__arg_w_name(from),
                     from == GA_BOOL ? "(a) != 0" : "a");
  if (!gets_parts)
    ga__strb_appendf(b, "w_%s y_; ", ga__arg_w_name(to));
  ga__gen_cast(b, gets_parts ? "v" : "y_", to, has_parts ? "a" : "x_", from);
  if (ga__dtype_is_narrow(to))
    ga__strb_appendf(b, "; v = ga_to_%s(y_)", ga__dtype_cl(to));
  else if (!gets_parts)
    ga__strb_appendf(b, "; v = %s", to == GA_BOOL ? "y_ != 0" : "y_");
  ga__strb_append(b, "; }\n");
}

/* Moves without arithmetic copy words of any dtype. */
static void write_words(ga__strb *b, const ga__gen_put *g) {
  const int is_plain = g->move == GA_MOVE_TAKE || g->move == GA_MOVE_SET;

  ga__strb_appendf(b, "#define P_WORD %s\n#define P_VALUE %s\n",
                   is_plain ? ga__word_cl(g->word)
                            : ga__arg_value_type(ga__dtype_canon(g->typecode)),
                   g->move == GA_MOVE_CAST ? ga__arg_value_type(g->value_type)
                                           : "P_WORD");
}

static void write_move(ga__strb *b, const ga__gen_put *g) {
  const int type = ga__dtype_canon(g->typecode);

  write_words(b, g);
  if (g->move >= GA_MOVE_ADD_ATOMIC)
    ga__strb_appendf(b, "#define P_SPACE %s\n",
                     g->kernel == GA_PUT_ROW ? "local" : "global");
  switch (g->move) {
  case GA_MOVE_CAST:
    write_cast(b, g);
    break;
  case GA_MOVE_TAKE:
    ga__strb_append(b, "#define P_MOVE(a, v) { v = a; }\n");
    break;
  case GA_MOVE_SET:
    ga__strb_append(b, "#define P_MOVE(a, v) { a = v; }\n");
    break;
  case GA_MOVE_ADD:
    write_add(b, type);
    break;
  case GA_MOVE_MUL:
    write_mul(b, type);
    break;
  case GA_MOVE_MAX:
    write_extremum(b, type, ">=");
    break;
  case GA_MOVE_MIN:
    write_extremum(b, type, "<=");
    break;
  case GA_MOVE_ADD_ATOMIC:
    write_atomic(b, type);
    break;
  case GA_MOVE_MAX_ATOMIC:
    write_extremum_atomic(b, type, 1);
    break;
  case GA_MOVE_MIN_ATOMIC:
    write_extremum_atomic(b, type, 0);
    break;
  }
}

/* --- addresses --- */

/* Append ", const long <prefix><array>0, ..." for each array from `first` on,
 * and the sizes. */
static void write_sizes(ga__strb *b, const ga__iter *it, const char *prefix,
                        unsigned int first) {
  for (unsigned int k = first; k < GA_PUT_ARRAYS; k++) {
    for (unsigned int d = 0; d < it->nd; d++)
      ga__strb_appendf(b, ", const long %s%c%u", prefix, names[k], d);
  }
  for (unsigned int d = 0; d < it->nd; d++)
    ga__strb_appendf(b, ", const ulong %sn%u", prefix, d);
}

/* Declare the quotients for dimensions from `from` on, whose remainders are the
 * indices of position `count`. */
static void write_indices(ga__strb *b, const ga__iter *it, const char *prefix,
                          unsigned int from, const char *count) {
  for (unsigned int d = from; d < it->nd; d++) {
    ga__strb_appendf(b, "const P_IDX %sq%u = ", prefix, d);
    if (d == from)
      ga__strb_appendf(b, "(P_IDX)(%s); ", count);
    else
      ga__strb_appendf(b, "%sq%u / (P_IDX)%sn%u; ", prefix, d - 1, prefix,
                       d - 1);
  }
}

/* Append " + index * stride" of array k. The outermost index is the quotient
 * itself. */
static void write_distance(ga__strb *b, const ga__iter *it, const char *prefix,
                           unsigned int from, unsigned int k) {
  for (unsigned int d = from; d < it->nd; d++) {
    if (d + 1 < it->nd)
      ga__strb_appendf(b, " + (long)(%sq%u %% (P_IDX)%sn%u) * %s%c%u", prefix,
                       d, prefix, d, prefix, names[k], d);
    else
      ga__strb_appendf(b, " + (long)%sq%u * %s%c%u", prefix, d, prefix,
                       names[k], d);
  }
}

static void write_bases(ga__strb *b, const ga__gen_put *g, unsigned int first) {
  ga__strb_append(b, "#define P_BASES(line) ");
  write_indices(b, g->lines, "l", 1, "line");
  for (unsigned int k = first; k < GA_PUT_ARRAYS; k++) {
    ga__strb_appendf(b, "global %schar *p%c = g%c + o%c",
                     k == GA_PUT_INDICES ? "const " : "", names[k], names[k],
                     names[k]);
    write_distance(b, g->lines, "l", 1, k);
    ga__strb_append(b, "; ");
  }
  ga__strb_append(b, "\n");
}

/* A constant distance lets compilers use vectors for contiguous elements. */
static void write_step_distance(ga__strb *b, const ga__gen_put *g,
                                unsigned int k, size_t bytes) {
  if (g->steps->nd == 1 && g->steps->strides[k][0] == (ptrdiff_t)bytes)
    ga__strb_appendf(b, " + (size_t)(k) * %zu", bytes);
  else
    write_distance(b, g->steps, "s", 0, k);
}

static void write_step(ga__strb *b, const ga__gen_put *g, unsigned int first) {
  ga__strb_append(b, "#define P_STEP(k) ");
  write_indices(b, g->steps, "s", 0, "k");
  if (first <= GA_PUT_VALUES) {
    ga__strb_append(b, "global char *qv = pv");
    write_step_distance(b, g, GA_PUT_VALUES, g->value_word);
    ga__strb_append(b, "; ");
  }
  ga__strb_append(b, "global const char *qi = pi");
  write_step_distance(b, g, GA_PUT_INDICES, ga__dtype_size(g->index_type));
  ga__strb_append(b, ";\n");
}

/* The macros of kernels for CPUs alone: the elements of a block, and the bytes
 * to the next line or column. */
static void write_blocks(ga__strb *b, const ga__gen_put *g) {
  const int has_next =
      g->kernel == GA_PUT_COLUMN || (g->kernel == GA_PUT_EACH && g->part == 0);
  const char *next = g->kernel == GA_PUT_COLUMN ? "P_A(1)"
                     : g->lines->nd > 1         ? "la1"
                                                : "0";

  if (has_next || g->is_ahead)
    ga__strb_appendf(b, "#define P_BLOCK %d\n", GA_PUT_BLOCK);
  if (has_next)
    ga__strb_appendf(b, "#define P_NEXT %s\n", next);
}

/* Offsets along a line: contiguous, repeated, or with a stride. */
static void write_places(ga__strb *b, const ga__gen_put *g) {
  static const char *const types[] = {[GA_PUT_ROWS] = "P_WORD",
                                      [GA_PUT_VALUES] = "P_VALUE",
                                      [GA_PUT_INDICES] = "P_INDEX"};
  const size_t bytes[] = {g->word, g->value_word,
                          ga__dtype_size(g->index_type)};

  for (unsigned int k = 0; k < GA_PUT_ARRAYS; k++) {
    if (g->lines->strides[k][0] == (ptrdiff_t)bytes[k])
      ga__strb_appendf(b, "#define P_%c(j) (size_t)(j) * sizeof(%s)\n",
                       "AVI"[k], types[k]);
    else if (g->lines->strides[k][0] == 0)
      ga__strb_appendf(b, "#define P_%c(j) 0\n", "AVI"[k]);
    else
      ga__strb_appendf(b, "#define P_%c(j) (long)(j) * l%c0\n", "AVI"[k],
                       names[k]);
  }
}

/* Nonzero for the kernels that only read indices. */
static int is_list(const ga__gen_put *g) {
  return g->kernel == GA_PUT_LIST || g->kernel == GA_PUT_RANK ||
         g->kernel == GA_PUT_PLACE || g->kernel == GA_PUT_KEYS ||
         g->kernel == GA_PUT_ENDS;
}

static void write_types(ga__strb *b, const ga__gen_put *g, int has_moves) {
  ga__strb_appendf(b,
                   "#define P_IDX %s\n"
                   "#define P_INDEX %s\n"
                   "#define P_SIGNED %d\n"
                   "#define P_NUMBER %s\n"
                   "#define P_CLAMP %d\n",
                   g->is_wide ? "ulong" : "uint", ga__dtype_cl(g->index_type),
                   ga__dtype_kind(g->index_type) == GA_KIND_INT,
                   g->many_rows || ga__dtype_size(g->index_type) > 4 ? "long"
                                                                     : "int",
                   has_moves && ga__put_is_take(g->move));
}

static void write_shape(ga__strb *b, const ga__gen_put *g) {
  const int is_moved_sorted = g->kernel == GA_PUT_SORTED ||
                              g->kernel == GA_PUT_LINE ||
                              g->kernel == GA_PUT_CROWD;

  if (g->kernel == GA_PUT_EACH || g->kernel == GA_PUT_ROW || is_moved_sorted)
    ga__strb_appendf(b, "#define P_PART %u\n", g->part);
  if (g->kernel == GA_PUT_ORDER)
    ga__strb_appendf(b, "#define P_AHEAD %d\n", g->is_ahead);
  if (g->kernel == GA_PUT_SORTED)
    ga__strb_appendf(b,
                     "#define P_LAST %d\n#define P_ALONG %d\n"
                     "#define P_ALL %d\n#define P_TURNS %u\n",
                     g->move == GA_MOVE_SET, g->along, g->all_rows, g->turns);
  if (g->kernel == GA_PUT_ROW)
    ga__strb_appendf(b,
                     "#define P_LAST %d\n#define P_TAKES %d\n"
                     "#define P_PARTS %d\n",
                     g->move == GA_MOVE_SET, ga__put_is_take(g->move),
                     g->has_parts);
  if (g->kernel == GA_PUT_LIST || g->kernel == GA_PUT_PLACE ||
      g->kernel == GA_PUT_ROW || g->kernel == GA_PUT_LINE ||
      g->kernel == GA_PUT_CROWD)
    ga__strb_appendf(b, "#define P_GROUP %u\n", g->group);
  if (g->kernel == GA_PUT_KEYS || g->kernel == GA_PUT_ENDS)
    ga__strb_appendf(b, "#define P_KEY %s\n", ga__word_cl(g->key));
  if (is_moved_sorted)
    ga__strb_appendf(b, "#define P_ORDER %s\n", g->key > 0 ? "ulong" : "uint");
}

void ga__gen_put_write(ga__strb *b, const ga__gen_put *g) {
  const int has_moves = g->kernel != GA_PUT_CHECK && !is_list(g);
  const int has_lines = !is_list(g);
  const unsigned int first = has_moves ? GA_PUT_ROWS : GA_PUT_INDICES;

  if (has_moves)
    write_move(b, g);
  write_types(b, g, has_moves);
  if (has_lines)
    ga__strb_appendf(b, "#define P_FIXED %d\n",
                     g->lines->strides[GA_PUT_INDICES][0] == 0);
  write_shape(b, g);
  ga__strb_append(b, "#define P_SIZES ");
  if (has_lines)
    write_sizes(b, g->lines, "l", first);
  if (ga__put_has_steps(g->kernel))
    write_sizes(b, g->steps, "s", has_moves ? GA_PUT_VALUES : first);
  ga__strb_append(b, "\n");
  if (has_lines)
    write_bases(b, g, first);
  if (ga__put_has_steps(g->kernel))
    write_step(b, g, first);
  if (has_lines)
    write_places(b, g);
  write_blocks(b, g);
}
