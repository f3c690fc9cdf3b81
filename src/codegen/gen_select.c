/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that select elements. */
#include "codegen/gen_select.h"

#include "base/dtype.h"

static const char *word_of(size_t bytes) {
  return bytes == 1   ? "uchar"
         : bytes == 2 ? "ushort"
         : bytes == 4 ? "uint"
         : bytes == 8 ? "ulong"
                      : "ulong2";
}

/* The bits that are not 0 in an element that counts: -0.0 does not. */
static const char *bits_of(int dtype) {
  const size_t bytes = ga__dtype_size(dtype);

  if (ga__dtype_is_complex(dtype))
    return bytes == 8 ? "0x7fffffff7fffffffUL" : "0x7fffffffffffffffUL";
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT)
    return bytes == 8   ? "0xffffffffffffffffUL"
           : bytes == 4 ? "0xffffffffu"
           : bytes == 2 ? "0xffff"
                        : "0xff";
  return bytes == 8   ? "0x7fffffffffffffffUL"
         : bytes == 4 ? "0x7fffffffu"
                      : "0x7fff";
}

static void write_sizes(ga__strb *b, unsigned int nd) {
  ga__strb_append(b, "#define S_SIZES");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, ", const ulong s_n%u", d);
  ga__strb_append(b, "\n#define S_SIZES_PASS");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, ", s_n%u", d);
  ga__strb_append(b, "\n#define S_SIZES_LIST");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, "%s s_n%u", d > 0 ? "," : "", d);
  ga__strb_append(b, "\n");
}

void ga__gen_select_write(ga__strb *b, const ga__gen_select *g) {
  const size_t bytes = ga__dtype_size(g->dtype);
  const char *const word = word_of(ga__dtype_size(g->dtype) > 8 ? 8 : bytes);

  ga__strb_appendf(b,
                   "#define R_IDX %s\n"
                   "#define S_WORD %s\n"
                   "#define S_LANES %s16\n"
                   "#define S_AS_LANES(v) as_%s16(v)\n"
                   "#define S_BITS %s\n"
                   "#define S_BYTES %zu\n"
                   "#define S_PAIR %d\n"
                   "#define S_ELEMENT %s\n"
                   "#define S_COPY %d\n"
                   "#define S_ND %u\n"
                   "#define S_PAD %d\n"
                   "#define S_TOTAL %d\n"
                   "#define S_GROUP %u\n",
                   g->wide_index ? "ulong" : "uint", word, word, word,
                   bits_of(g->dtype), bytes > 8 ? (size_t)8 : bytes, bytes > 8,
                   g->element_bytes > 0 ? word_of(g->element_bytes) : "long",
                   g->element_bytes > 0, g->nd, g->pads, g->has_total,
                   g->group);
  write_sizes(b, g->nd);
}
