/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of elementwise kernels. Names that start with ga_ belong to the
 * kernel, all others to the expression. For argument k:
 *
 *   ga_g<k> ga_o<k>  buffer and offset as they are passed, or ga_a<k>, a value
 *   ga_b<k>          where the array begins
 *   ga_p<k>          where the row begins
 *   ga_r<k>          the element for the whole row
 *   ga_t<k>          the packed copy
 *   ga_i<k>          an index per lane
 *   ga_v<k>          a vector, when the expression is scalar text
 *   ga_s<k>_<d>      the stride in dimension d, in elements
 *   ga_y<k>          the state of random numbers; ga_b<k> and ga_p<k> are then
 *                    numbers of elements, and ga_f<k> the first
 *   ga_m<k> ga_x<k>  size and stride of the axis that is read by index; then
 *                    ga_e<k> is where the present elements are with index 0
 *
 * ga_n<d> is the size of dimension d, and ga_k<d> the index in it. */
#include "codegen/gen_elemwise.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_step.h"
#include "codegen/template.h"

typedef ga__ew_writer writer;

static ga__access access_of(const writer *w, unsigned int k) {
  return w->p->args[k].access;
}

static const char *space_of(const writer *w, unsigned int k) {
  return w->args[k].flags & GE_WRITE ? "global" : "global const";
}

/* The unsigned integer type as large as an element. */
static const char *word_of(const writer *w, unsigned int k) {
  switch (w->p->args[k].bytes) {
  case 1:
    return "uchar";
  case 2:
    return "ushort";
  case 4:
    return "uint";
  default:
    return "ulong";
  }
}

/* Nonzero if argument k needs a pointer for each row. */
static int moves(const writer *w, unsigned int k) {
  return access_of(w, k) != GA_AT_VALUE && access_of(w, k) != GA_AT_FIXED;
}

/* --- kernel arguments --- */

static void write_name(ga__strb *b, const ga__layout_size *s) {
  ga__strb_append(b, s->stem);
  if (s->first != GA_NO_NUMBER)
    ga__strb_appendf(b, "%d", s->first);
  if (s->second != GA_NO_NUMBER)
    ga__strb_appendf(b, "_%d", s->second);
}

static void write_params(const writer *w) {
  const char *sep = "";

  ga__strb_append(w->b, "#define PARAMS");
  for (unsigned int k = 0; k < w->p->n; k++, sep = ",") {
    ga__strb_appendf(w->b, "%s \\\n  ", sep);
    if (access_of(w, k) == GA_AT_VALUE)
      ga__strb_appendf(w->b, "const %s ga_a%u", ga__ew_stored(w, k), k);
    else if (ga__is_random(&w->args[k]))
      ga__strb_appendf(w->b, "global const ulong *ga_g%u, const ulong ga_o%u",
                       k, k);
    else
      ga__strb_appendf(w->b, "%s %s *ga_g%u, const ulong ga_o%u",
                       space_of(w, k), ga__ew_stored(w, k), k, k);
    if (ga__is_taken(&w->args[k]))
      ga__strb_appendf(w->b, ", const long ga_m%u, const long ga_x%u", k, k);
  }
  for (size_t i = 0; !w->p->is_baked && i < w->p->sizes.n; i++, sep = ",") {
    ga__strb_appendf(w->b, "%s \\\n  const ga_index ", sep);
    write_name(w->b, &w->p->sizes.v[i]);
  }
  ga__strb_append(w->b, ga__ew_has_taken(w) ? ", GA_GUARD_PARAMS\n" : "\n");
}

static void write_baked(const writer *w) {
  for (size_t i = 0; w->p->is_baked && i < w->p->sizes.n; i++) {
    ga__strb_append(w->b, "#define ");
    write_name(w->b, &w->p->sizes.v[i]);
    ga__strb_appendf(w->b, " ((ga_index)%lld)\n", w->p->sizes.v[i].value);
  }
}

static void write_random(const writer *w, unsigned int k, int name) {
  ga__strb_appendf(w->b,
                   " \\\n  const ga_philox ga_y%u = ga_philox_open(ga_g%u, "
                   "ga_o%u); \\\n  const ga_index ga_%c%u = ga_f%u;",
                   k, k, k, name, k, k);
}

/* Pointers to the starts of the arrays. FLAT has only one row, so they are also
 * those of the row. */
static void write_pointers(const writer *w) {
  const int name = w->p->kernel == GA_EW_FLAT ? 'p' : 'b';

  ga__strb_append(w->b, "#define POINTERS");
  for (unsigned int k = 0; k < w->p->n; k++) {
    const char *space = space_of(w, k);
    const int first = access_of(w, k) == GA_AT_FIXED ? 'b' : name;

    if (access_of(w, k) == GA_AT_VALUE)
      continue;
    if (ga__is_random(&w->args[k])) {
      write_random(w, k, first);
      continue;
    }
    ga__strb_appendf(w->b,
                     " \\\n  %s %s *ga_%c%u = (%s %s *)((%s char *)ga_g%u + "
                     "ga_o%u);",
                     space, ga__ew_stored(w, k), first, k, space,
                     ga__ew_stored(w, k), space, k, k);
  }
  ga__strb_append(w->b, "\n");
}

/* --- elements that are read once --- */

static const char *row_type(const writer *w, unsigned int k) {
  return ga__expr_type(w->args[k].typecode);
}

static void write_value(const writer *w, unsigned int k) {
  const int typecode = w->args[k].typecode;

  ga__strb_appendf(w->b, " \\\n  const %s ga_r%u = ", row_type(w, k), k);
  if (ga__dtype_is_narrow(typecode))
    ga__strb_appendf(w->b, "ga_from_%s(ga_a%u);", ga__dtype_cl(typecode), k);
  else
    ga__strb_appendf(w->b, "ga_a%u%s;", k, typecode == GA_BOOL ? " != 0" : "");
}

static void write_once(const writer *w, unsigned int k, const char *pointer) {
  ga__strb_appendf(w->b, " \\\n  const %s ga_r%u = ", row_type(w, k), k);
  ga__ew_element(w, k, pointer, "0");
  ga__strb_append(w->b, ";");
}

static void write_values(const writer *w) {
  ga__strb_append(w->b, "#define VALUES");
  for (unsigned int k = 0; k < w->p->n; k++) {
    char pointer[16];

    snprintf(pointer, sizeof pointer, "ga_b%u", k);
    if (access_of(w, k) == GA_AT_VALUE)
      write_value(w, k);
    else if (access_of(w, k) == GA_AT_FIXED && !ga__is_taken(&w->args[k]))
      write_once(w, k, pointer);
  }
  ga__strb_append(w->b, "\n");
}

/* --- coordinates --- */

/* Split the position `from` into the indices of dimensions from `first` on, of
 * type `type`. */
static void write_split(const writer *w, const char *type, unsigned int first,
                        const char *from) {
  unsigned int last = w->p->nd - 1;

  ga__strb_appendf(w->b, " \\\n  %s ga_q = %s;", type, from);
  for (unsigned int d = first; d < last; d++)
    ga__strb_appendf(w->b,
                     " \\\n  %s ga_k%u = ga_q %% (%s)(ga_n%u);"
                     " \\\n  ga_q /= (%s)(ga_n%u);",
                     type, d, type, d, type, d);
  ga__strb_appendf(w->b, " \\\n  %s ga_k%u = ga_q;", type, last);
}

/* Append " + ga_k1 * ga_s0_1 ..." for dimensions from `d` on. */
static void write_sum(const writer *w, unsigned int k, unsigned int d) {
  for (; d < w->p->nd; d++)
    ga__strb_appendf(w->b, " + ga_k%u * ga_s%u_%u", d, k, d);
}

/* Advance the indices to the next row, with carries. */
static void write_row_next(const writer *w) {
  ga__strb_append(w->b, "#define ROW_NEXT ++ga_k1;");
  for (unsigned int d = 1; d + 1 < w->p->nd; d++)
    ga__strb_appendf(w->b,
                     " \\\n  if (ga_k%u == ga_n%u) { ga_k%u = 0; ++ga_k%u;", d,
                     d, d, d + 1);
  for (unsigned int d = 1; d + 1 < w->p->nd; d++)
    ga__strb_append(w->b, " }");
  ga__strb_append(w->b, "\n");
}

/* --- rows --- */

static void write_row_pointer(const writer *w, unsigned int k) {
  if (ga__is_random(&w->args[k])) {
    ga__strb_appendf(w->b, " \\\n  const ga_index ga_p%u = ga_b%u", k, k);
    write_sum(w, k, 1);
    ga__strb_append(w->b, ";");
    return;
  }
  if (access_of(w, k) != GA_AT_PACK) {
    ga__strb_appendf(w->b, " \\\n  %s %s *ga_p%u = ga_b%u", space_of(w, k),
                     ga__ew_stored(w, k), k, k);
    write_sum(w, k, 1);
    ga__strb_append(w->b, ";");
    return;
  }
  ga__strb_appendf(w->b, " \\\n  local const %s *ga_p%u = (local const %s *)",
                   ga__ew_stored(w, k), k, ga__ew_stored(w, k));
  ga__strb_appendf(w->b,
                   w->p->kernel == GA_EW_TILE
                       ? "ga_t%u;"
                       : "ga_t%u + (ga_k1 - ga_i) * ga_pitch;",
                   k);
}

static void write_row(const writer *w) {
  ga__strb_append(w->b, "#define ROW_POINTERS");
  for (unsigned int k = 0; k < w->p->n; k++) {
    char pointer[16];

    if (!moves(w, k))
      continue;
    write_row_pointer(w, k);
    snprintf(pointer, sizeof pointer, "ga_p%u", k);
    if (access_of(w, k) == GA_AT_ROW && !ga__is_taken(&w->args[k]))
      write_once(w, k, pointer);
    else if (access_of(w, k) == GA_AT_ROW && w->p->is_cpu)
      ga__strb_appendf(w->b, " \\\n  GA_FETCH_AXIS(ga_p%u, ga_m%u, ga_x%u)", k,
                       k, k);
  }
  ga__strb_append(w->b, "\n");
}

static void write_rows(const writer *w) {
  ga__strb_appendf(w->b, "#define STRIP %u\n#define ROW_FIRST", w->p->strip);
  write_split(w, "ga_index", 1, "ga_row");
  ga__strb_append(w->b, "\n");
  write_row_next(w);
  write_row(w);
}

/* --- packs --- */

/* Append " + ..." for the start of the block or tile at row `i`, column `j`. */
static void write_pack_start(const writer *w, unsigned int k, const char *i,
                             const char *j) {
  ga__strb_appendf(w->b, " + %s + %s * ga_s%u_0", i, j, k);
  write_sum(w, k, 2);
}

static void write_locals(const writer *w, const char *elements) {
  ga__strb_append(w->b, "#define LOCALS");
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (access_of(w, k) == GA_AT_PACK)
      ga__strb_appendf(w->b, " \\\n  local %s ga_t%u[%s];", word_of(w, k), k,
                       elements);
  }
  ga__strb_append(w->b, "\n");
}

static void write_outer(const writer *w) {
  ga__strb_append(w->b, "#define OUTER");
  if (w->p->nd > 2)
    write_split(w, "ga_index", 2, "ga_outer");
  ga__strb_append(w->b, "\n");
}

static void write_block(const writer *w) {
  ga__strb_appendf(w->b, "#define BLOCK %u\n", w->p->block);
  write_locals(w, "BLOCK");
  write_outer(w);
  ga__strb_append(w->b, "#define PACKS");
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (access_of(w, k) != GA_AT_PACK)
      continue;
    ga__strb_appendf(w->b,
                     " \\\n  ga_pack_%s(ga_t%u, (global const %s *)(ga_b%u",
                     word_of(w, k), k, word_of(w, k), k);
    write_pack_start(w, k, "ga_i", "ga_from");
    ga__strb_appendf(w->b,
                     "), ga_pitch, ga_s%u_0, (uint)(ga_i_end - ga_i), "
                     "(uint)(ga_to - ga_from));",
                     k);
  }
  ga__strb_append(w->b, "\n");
  write_row(w);
}

/* Copy `lanes` elements from (ga_k1, ga_j) on into the tile. */
static void write_fill(const writer *w, unsigned int k, unsigned int lanes) {
  const char *n = ga__ew_suffix(lanes);
  int aligned = w->p->args[k].is_aligned;

  if (lanes == 1)
    ga__strb_appendf(w->b, " \\\n  ga_t%u[ga_at] = *((global const %s *)ga_b%u",
                     k, word_of(w, k), k);
  else
    ga__strb_appendf(w->b,
                     aligned
                         ? " \\\n  const %s%s ga_f%u = *(global const %s%s *)("
                         : " \\\n  const %s%s ga_f%u = vload%s%s(0, ",
                     word_of(w, k), n, k, aligned ? word_of(w, k) : "", n);
  if (lanes > 1)
    ga__strb_appendf(w->b, "(global const %s *)ga_b%u", word_of(w, k), k);
  write_pack_start(w, k, "ga_k1", "ga_j");
  ga__strb_append(w->b, ");");
  if (lanes > 1)
    ga__strb_appendf(w->b, " GA_EACH%s(KEEP_%u)", n, k);
}

static void write_fills(const writer *w, const char *name, unsigned int lanes) {
  ga__strb_appendf(w->b, "#define %s", name);
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (access_of(w, k) == GA_AT_PACK)
      write_fill(w, k, lanes);
  }
  ga__strb_append(w->b, "\n");
}

static void write_tile(const writer *w) {
  ga__strb_appendf(w->b, "#define TILE_I %u\n#define TILE_J %u\n", w->p->tile_i,
                   w->p->tile_j);
  write_locals(w, "TILE_J * (TILE_I + 1)");
  write_outer(w);
  for (unsigned int k = 0; w->p->lanes > 1 && k < w->p->n; k++) {
    if (access_of(w, k) == GA_AT_PACK)
      ga__strb_appendf(w->b,
                       "#define KEEP_%u(ga_l, ga_c) ga_t%u[ga_at + ga_l] = "
                       "ga_f%u ga_c\n",
                       k, k, k);
  }
  if (w->p->lanes > 1)
    write_fills(w, "FILL_W", w->p->lanes);
  write_fills(w, "FILL_1", 1);
  write_row(w);
}

/* --- lanes with indices of their own --- */

static void write_indices(const writer *w, const char *name, const char *type) {
  ga__strb_appendf(w->b, "#define %s", name);
  for (unsigned int k = 0; k < w->p->n; k++) {
    if (access_of(w, k) != GA_AT_ANY)
      continue;
    ga__strb_appendf(w->b, " \\\n  const %s ga_i%u = ga_k0 * (%s)(ga_s%u_0)",
                     type, k, type, k);
    for (unsigned int d = 1; d < w->p->nd; d++)
      ga__strb_appendf(w->b, " + ga_k%u * (%s)(ga_s%u_%u)", d, type, k, d);
    ga__strb_append(w->b, ";");
  }
  ga__strb_append(w->b, "\n");
}

/* The indices of the lanes from ga_j on, and of the next vector: the digits of
 * LANES are added to the indices. A carry is -1, which is the sign of the size
 * minus 1 minus the index. */
static void write_wide_digits(const writer *w) {
  unsigned int last = w->p->nd - 1;
  char type[16], from[96];

  snprintf(type, sizeof type, "%s%s", w->p->is_wide ? "long" : "int",
           ga__ew_suffix(w->p->lanes));
  snprintf(from, sizeof from, "(%s)(ga_j) + (%s)(GA_LIST%s(LANE_NUMBER))", type,
           type, ga__ew_suffix(w->p->lanes));
  ga__strb_append(w->b, "#define LANE_NUMBER(ga_l, ga_c) ga_l\n"
                        "#define DIGITS_W");
  write_split(w, type, 0, from);
  ga__strb_append(w->b, "\n#define DIGITS_NEXT");
  ga__strb_appendf(w->b,
                   " \\\n  ga_index ga_t = LANES;"
                   " \\\n  %s ga_c = 0;",
                   type);
  for (unsigned int d = 0; d < last; d++)
    ga__strb_appendf(w->b,
                     " \\\n  ga_k%u += ga_t %% ga_n%u - ga_c;"
                     " \\\n  ga_c = (ga_n%u - 1 - ga_k%u) >> %d;"
                     " \\\n  ga_k%u -= ga_c & ga_n%u;"
                     " \\\n  ga_t /= ga_n%u;",
                     d, d, d, d, w->p->is_wide ? 63 : 31, d, d, d);
  ga__strb_appendf(w->b, " \\\n  ga_k%u += ga_t - ga_c;\n", last);
  write_indices(w, "INDICES_W", type);
}

static void write_digits(const writer *w) {
  if (w->p->lanes > 1)
    write_wide_digits(w);
  ga__strb_append(w->b, "#define DIGITS_1");
  write_split(w, "ga_index", 0, "ga_j");
  ga__strb_append(w->b, "\n");
  write_indices(w, "INDICES_1", "ga_index");
}

/* --- programs --- */

static void write_macros(const writer *w) {
  const ga__elemwise_layout *p = w->p;

  ga__strb_appendf(w->b, "#define W_BOOL %s\n#define LANES %u\n", w->e->boolean,
                   p->lanes);
  ga__strb_appendf(w->b, "#define EXPR_LANES%s\n",
                   w->e->is_vector ? " LANES" : "");
  ga__strb_appendf(w->b, "#define CHUNKED %d\n#define ITEMS %u\n", p->is_cpu,
                   p->group);
  ga__strb_appendf(w->b, "#define ga_index %s\n", p->is_wide ? "long" : "int");
  write_params(w);
  write_baked(w);
  write_pointers(w);
  write_values(w);
  if (p->kernel == GA_EW_ROWS)
    write_rows(w);
  else if (p->kernel == GA_EW_BLOCK)
    write_block(w);
  else if (p->kernel == GA_EW_TILE)
    write_tile(w);
  else if (p->has_digits)
    write_digits(w);
  if (p->kernel == GA_EW_FLAT)
    ga__strb_appendf(w->b, "#define DIGITS %d\n", p->has_digits);
  ga__ew_steps(w);
}

static void add_part(ga__ew_text *t, const char *text) {
  GA_ASSERT(t->n < sizeof t->parts / sizeof *t->parts);
  t->parts[t->n++] = text;
}

/* The packing functions, one for each element size that is used. */
static void add_packs(ga__ew_text *t, const writer *w) {
  static const char *const heads[] = {
      [1] = "#define PACK_T uchar\n#define PACK_FN ga_pack_uchar\n",
      [2] = "#define PACK_T ushort\n#define PACK_FN ga_pack_ushort\n",
      [4] = "#define PACK_T uint\n#define PACK_FN ga_pack_uint\n",
      [8] = "#define PACK_T ulong\n#define PACK_FN ga_pack_ulong\n"};

  for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
    int found = 0;

    for (unsigned int k = 0; k < w->p->n; k++)
      found |= access_of(w, k) == GA_AT_PACK && w->p->args[k].bytes == bytes;
    if (!found)
      continue;
    add_part(t, heads[bytes]);
    add_part(t, ga__template("elemwise_pack"));
  }
}

static void add_complex(ga__ew_text *t, const writer *w) {
  static const int types[] = {GA_CFLOAT, GA_CDOUBLE};

  for (unsigned int i = 0; i < 2; i++) {
    int found = ga__expr_names(w->e->text, types[i]);

    for (unsigned int k = 0; k < w->p->n; k++)
      found |= w->args[k].typecode == types[i];
    if (!found)
      continue;
    add_part(t, ga__arg_complex_head(types[i]));
    add_part(t, ga__template("complex"));
  }
}

/* The functions for random numbers, single ones and vectors, if any is used. */
static void add_random(ga__ew_text *t, const writer *w) {
  static const char *const heads[] = {
      [2] = "#define W_LANES 2\n#define PAIRS\n#define ONE_LANE 0\n",
      [4] = "#define W_LANES 4\n#define PAIRS 2\n#define ONE_LANE 0\n",
      [8] = "#define W_LANES 8\n#define PAIRS 4\n#define ONE_LANE 0\n",
      [16] = "#define W_LANES 16\n#define PAIRS 8\n#define ONE_LANE 0\n"};
  static const char one[] = "#define W_LANES\n#define PAIRS\n"
                            "#define ONE_LANE 1\n";
  static const char end[] = "#undef W_LANES\n#undef PAIRS\n#undef ONE_LANE\n";
  int found = 0;

  for (unsigned int k = 0; k < w->p->n; k++)
    found |= ga__is_random(&w->args[k]);
  if (!found)
    return;
  add_part(t, w->p->is_cpu ? "#define LONG_LANES 1\n" : "");
  add_part(t, ga__template("random"));
  add_part(t, one);
  add_part(t, ga__template("random_lanes"));
  add_part(t, end);
  if (w->p->lanes == 1)
    return;
  GA_ASSERT(w->p->lanes < sizeof heads / sizeof *heads &&
            heads[w->p->lanes] != NULL);
  add_part(t, heads[w->p->lanes]);
  add_part(t, ga__template("random_lanes"));
  add_part(t, end);
}

/* What reads by index, for single elements and for vectors. */
static void add_taken(ga__ew_text *t, const writer *w) {
  static const char *const heads[] = {[2] = "#define W_LANES 2\n",
                                      [4] = "#define W_LANES 4\n",
                                      [8] = "#define W_LANES 8\n",
                                      [16] = "#define W_LANES 16\n"};

  if (!ga__ew_has_taken(w))
    return;
  add_part(t,
           w->p->is_far ? "#define GA_PLACE long\n" : "#define GA_PLACE int\n");
  add_part(t, ga__template("index_guard"));
  add_part(t, "#define W_LANES\n");
  add_part(t, ga__template("take_lanes"));
  add_part(t, "#undef W_LANES\n");
  if (w->p->lanes == 1 || !w->e->is_vector)
    return;
  add_part(t, heads[w->p->lanes]);
  add_part(t, ga__template("take_lanes"));
  add_part(t, "#undef W_LANES\n");
}

int ga__gen_elemwise(ga__ew_text *t, const ga__elemwise_layout *p,
                     const gpuelemwise_arg *args, const ga__expr *e,
                     const char *preamble) {
  static const char *const templates[] = {[GA_EW_FLAT] = "elemwise",
                                          [GA_EW_ROWS] = "elemwise_rows",
                                          [GA_EW_BLOCK] = "elemwise_block",
                                          [GA_EW_TILE] = "elemwise_tile"};
  writer w = {&t->macros, p, args, e};

  memset(t, 0, sizeof *t);
  t->entry = "elemwise";
  write_macros(&w);
  GA_TRY(t->macros.err);
  add_part(t, ga__strb_text(&t->macros));
  if (preamble != NULL) {
    add_part(t, preamble);
    add_part(t, "\n");
  }
  add_complex(t, &w);
  add_random(t, &w);
  add_taken(t, &w);
  if (p->kernel == GA_EW_BLOCK)
    add_packs(t, &w);
  add_part(t, ga__template(templates[p->kernel]));
  return GA_NO_ERROR;
}

void ga__ew_text_clear(ga__ew_text *t) {
  ga__strb_clear(&t->macros);
  memset(t, 0, sizeof *t);
}
