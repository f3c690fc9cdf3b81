/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that sort. */
#include "codegen/gen_sort.h"

#include "base/dtype.h"
#include "codegen/gen_combine.h"

static void write_type(ga__strb *b, const ga__gen_sort *g) {
  static const struct {
    size_t bytes;
    const char *type, *top, *infinite;
  } words[] = {{1, "uchar", "0x80", ""},
               {2, "ushort", "0x8000", "0x7c00"},
               {4, "uint", "0x80000000u", "0x7f800000u"},
               {8, "ulong", "0x8000000000000000ul", "0x7ff0000000000000ul"}};
  const size_t bytes = ga__dtype_size(g->dtype);
  size_t k = 0;

  while (words[k].bytes != bytes)
    k++;
  ga__strb_appendf(b, "#define S_WORD %s\n#define S_TOP %s\n", words[k].type,
                   words[k].top);
  if (ga__dtype_kind(g->dtype) == GA_KIND_FLOAT)
    ga__strb_appendf(
        b, "#define S_INFINITE %s\n",
        ga__dtype_canon(g->dtype) == GA_BFLOAT ? "0x7f80" : words[k].infinite);
}

static void write_operands(ga__strb *b, const ga__gen_sort *g) {
  ga__strb_append(b, "#define S_SIZES ");
  for (unsigned int d = 0; d < g->nk; d++)
    ga__strb_appendf(b, "%sconst ulong s_n%u", d > 0 ? ", " : "", d);
  ga__strb_append(b, "\n#define S_OPERAND(x) global char *x##_p, "
                     "const ulong x##_o");
  for (unsigned int d = 0; d < g->nk; d++)
    ga__strb_appendf(b, ", const long x##_k%u", d);
  ga__strb_append(b, ", const long x##_a\n#define S_BASE(x, o) "
                     "global char *x = x##_p + x##_o; { ");
  ga__reduce_write_indices(b, "s_i", "s_n", "o", 0, g->nk);
  for (unsigned int d = 0; d < g->nk; d++)
    ga__strb_appendf(b, "x += (long)s_i%u * x##_k%u; ", d, d);
  ga__strb_append(b, "}\n");
}

void ga__gen_sort_write_scan(ga__strb *b, const ga__gen_sort *g) {
  ga__strb_appendf(b, "#define R_IDX %s\n#define S_GROUP %u\n",
                   g->wide_index ? "ulong" : "uint", g->group);
}

void ga__gen_sort_write(ga__strb *b, const ga__gen_sort *g) {
  ga__gen_sort_write_scan(b, g);
  ga__strb_appendf(b,
                   "#define W_LANES\n#define W_BOOL int\n"
                   "#define S_SIGNED %d\n"
                   "#define S_DIGIT_BITS %u\n"
                   "#define S_INDICES %d\n"
                   "#define S_FLAT %d\n"
                   "#define S_MOST %d\n"
                   "#define E_MOST %u\n",
                   ga__dtype_kind(g->dtype) == GA_KIND_INT, g->digit_bits,
                   g->has_indices, g->is_flat, GA_SORT_SHORT, g->edges);
  if (g->items > 0)
    ga__strb_appendf(b,
                     "#define S_ITEMS %u\n"
                     "#define S_POS %s\n"
                     "#define S_WARPS %d\n",
                     g->items, g->wide_positions ? "ulong" : "uint",
                     g->has_warps);
  write_type(b, g);
  write_operands(b, g);
}
