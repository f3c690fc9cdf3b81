/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that select elements. */
#include "codegen/gen_select.h"

#include "base/dtype.h"

static const char *word_of(size_t bytes) {
  return bytes == 1   ? "uchar"
         : bytes == 2 ? "ushort"
         : bytes == 4 ? "uint"
                      : "ulong";
}

/* The bits that are not 0 in a word that counts: -0.0 does not. */
static const char *bits_of(size_t bytes, int is_float) {
  return bytes == 8
             ? (is_float ? "0x7fffffffffffffffUL" : "0xffffffffffffffffUL")
         : bytes == 4 ? (is_float ? "0x7fffffffu" : "0xffffffffu")
         : bytes == 2 ? (is_float ? "0x7fff" : "0xffff")
                      : "0xff";
}

static const char *infinity_of(int dtype) {
  return ga__dtype_canon(dtype) == GA_BFLOAT ? "0x7f80"
         : ga__dtype_size(dtype) == 2        ? "0x7c00"
         : ga__dtype_size(dtype) == 4        ? "0x7f800000u"
                                             : "0x7ff0000000000000UL";
}

/* What is written: elements, whose bits are copied, or positions. Complex
 * numbers are aligned for their parts only. */
static void write_element(ga__strb *b, const ga__gen_select *g) {
  const size_t bytes = g->is_pair ? g->element_bytes / 2 : g->element_bytes;
  const char *const part = bytes > 0 ? word_of(bytes) : "long";

  ga__strb_appendf(b,
                   "#define S_ELEMENT %s%s\n"
                   "#define S_PART %s\n"
                   "#define S_PARTS %d\n"
                   "#define S_COPY %d\n",
                   part, g->is_pair ? "2" : "", part, g->is_pair ? 2 : 1,
                   bytes > 0);
}

static void write_sizes(ga__strb *b, unsigned int nd) {
  ga__strb_append(b, "#define S_SIZES ");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, ", const ulong s_n%u", d);
  ga__strb_append(b, "\n#define S_SIZES_PASS ");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, ", s_n%u", d);
  ga__strb_append(b, "\n#define S_SIZES_LIST");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, "%s s_n%u", d > 0 ? "," : "", d);
  ga__strb_append(b, "\n");
}

void ga__gen_select_write(ga__strb *b, const ga__gen_select *g) {
  const int real = ga__dtype_real(g->dtype);
  const size_t bytes = ga__dtype_size(real);
  const char *const word = word_of(bytes);

  ga__strb_appendf(b,
                   "#define R_IDX %s\n"
                   "#define S_WORD %s\n"
                   "#define S_LANES %s16\n"
                   "#define S_BITS %s\n"
                   "#define S_BYTES %zu\n"
                   "#define S_PAIR %d\n"
                   "#define S_RUNS %d\n"
                   "#define S_ND %u\n"
                   "#define S_PAD %d\n"
                   "#define S_TOTAL %d\n"
                   "#define S_GROUP %u\n"
                   "#define S_RUN %u\n",
                   g->wide_index ? "ulong" : "uint", word, word,
                   bits_of(bytes, ga__dtype_kind(real) == GA_KIND_FLOAT), bytes,
                   ga__dtype_is_complex(g->dtype), g->is_runs, g->nd, g->pads,
                   g->has_total, g->group, g->run);
  if (ga__dtype_kind(real) == GA_KIND_FLOAT)
    ga__strb_appendf(b, "#define S_INFINITE %s\n", infinity_of(real));
  write_element(b, g);
  write_sizes(b, g->nd);
}
