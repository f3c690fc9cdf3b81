/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernel that gathers rows. */
#include "codegen/gen_take.h"

#include "base/dtype.h"

#define STREAM_MIN ((size_t)32 << 20) /* bytes; more than caches hold */

const char *ga__word_cl(size_t bytes) {
  return bytes == 1   ? "uchar"
         : bytes == 2 ? "ushort"
         : bytes == 4 ? "uint"
         : bytes == 8 ? "ulong"
                      : "uint4";
}

/* STRIDES, the sizes and strides of the dimensions of a row, and SOURCE(k), the
 * offset of its word k. */
static void write_strides(ga__strb *b, unsigned int nd) {
  ga__strb_append(b, "#define STRIDES ");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, ", const long ga_n%u, const long ga_s%u", d, d);
  ga__strb_append(b, "\n#define SOURCE(k) (");
  for (unsigned int d = 0; d < nd; d++) {
    ga__strb_append(b, d > 0 ? " + (k)" : "(k)");
    for (unsigned int e = 0; e < d; e++)
      ga__strb_appendf(b, " / ga_n%u", e);
    if (d + 1 < nd)
      ga__strb_appendf(b, " %% ga_n%u", d);
    ga__strb_appendf(b, " * ga_s%u", d);
  }
  ga__strb_append(b, nd == 0 ? "k)\n" : ")\n");
}

static void write_index(ga__strb *b, int index_type) {
  ga__strb_appendf(b, "#define INDEX_T %s\n", ga__dtype_cl(index_type));
  ga__strb_appendf(b, "#define IS_SIGNED %d\n",
                   ga__dtype_kind(index_type) == GA_KIND_INT);
}

void ga__gen_take(ga__strb *b, const ga__take_layout *p) {
  ga__strb_appendf(b, "#define WORD %s\n", ga__word_cl(p->word));
  write_index(b, p->index_type);
  ga__strb_appendf(b, "#define ga_index %s\n", p->is_wide ? "long" : "int");
  if (!p->is_cpu)
    ga__strb_appendf(b, "#define ROWS %zu\n#define PART %zu\n", p->rows,
                     p->part);
  else if (p->nd == 0)
    ga__strb_appendf(b, "#define VECTOR %d\n#define STREAM %d\n",
                     p->word == 8 ? 8 : 16,
                     p->n * p->len * p->word >= STREAM_MIN && p->word >= 4);
  write_strides(b, p->nd);
}
