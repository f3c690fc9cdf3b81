/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernel that copies batches of matrices. */
#include "codegen/gen_factor.h"

#include "codegen/gen_combine.h"

static void write_base(ga__strb *b, size_t nk) {
  ga__strb_append(b, "#define F_BASE(x, z) x##_p += x##_o; { ");
  ga__reduce_write_indices(b, "f_i", "f_n", "z", 0, (unsigned int)nk);
  for (size_t d = 0; d < nk; d++)
    ga__strb_appendf(b, "x##_p += (long)f_i%zu * x##_k%zu; ", d, d);
  ga__strb_append(b, "}\n");
}

/* Words: the bits of a real number, or of both parts of a complex one. */
static void write_words(ga__strb *b, const ga__gen_factor_copy *g) {
  const char *const part = g->word == 8 ? "ulong" : "uint";
  const char *const one = g->word == 8 ? "0x3ff0000000000000ul" : "0x3f800000u";
  const char *const minus = g->word == 8 ? "1ul << 63" : "1u << 31";

  if (g->complex) {
    ga__strb_appendf(b,
                     "#define F_WORD %s2\n"
                     "#define F_ONE (F_WORD)(%s, 0)\n"
                     "#define F_REAL(v) (F_WORD)((v).x, 0)\n"
                     "#define F_CONJ(v) ((v) ^ (F_WORD)(0, %s))\n"
                     "#define F_STORE(v, p) vstore2(v, 0, (global %s *)(p))\n"
                     "#define F_LOAD(p) (vload2(0, (global const %s *)(p))",
                     part, one, minus, part, part);
    if (g->conj)
      ga__strb_appendf(b, " ^ (F_WORD)(0, %s)", minus);
    ga__strb_append(b, ")\n");
  } else {
    ga__strb_appendf(b,
                     "#define F_WORD %s\n"
                     "#define F_ONE (F_WORD)(%s)\n"
                     "#define F_REAL(v) (v)\n"
                     "#define F_CONJ(v) (v)\n"
                     "#define F_STORE(v, p) (*(global F_WORD *)(p) = (v))\n"
                     "#define F_LOAD(p) (*(global const F_WORD *)(p))\n",
                     part, one);
  }
}

void ga__gen_factor_copy_text(ga__strb *b, const void *gen) {
  const ga__gen_factor_copy *g = gen;

  write_words(b, g);
  ga__strb_appendf(b,
                   "#define R_IDX ulong\n"
                   "#define F_PART %zu\n",
                   g->part);
  if (g->group > 0)
    ga__strb_appendf(b,
                     "#define G %zu\n"
                     "#define SRC_ROWS %zu\n"
                     "#define DST_ROWS %zu\n",
                     g->group, g->src_rows, g->dst_rows);
  else
    ga__strb_appendf(b, "#define F_UNIT %zu\n", g->unit);
  ga__strb_append(b, "#define F_SIZES ");
  for (size_t d = 0; d < g->nk; d++)
    ga__strb_appendf(b, "%sconst ulong f_n%zu", d > 0 ? ", " : "", d);
  ga__strb_append(b, "\n#define F_OPERAND(x) global char *x##_p, "
                     "const ulong x##_o");
  for (size_t d = 0; d < g->nk; d++)
    ga__strb_appendf(b, ", const long x##_k%zu", d);
  ga__strb_append(b, ", const long x##_r, const long x##_c\n");
  write_base(b, g->nk);
}
