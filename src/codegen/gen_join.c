/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins: one statement for each part of a row. */
#include "codegen/gen_join.h"

#include "base/assert.h"

void ga__gen_join(ga__strb *b, size_t word, size_t n, const size_t *words) {
  static const char *const types[] = {
      [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
  size_t at = 0;

  GA_ASSERT(word == 1 || word == 2 || word == 4 || word == 8);
  ga__strb_appendf(b, "#define J_WORD %s\n#define J_PARAMS", types[word]);
  for (size_t i = 0; i < n; i++)
    ga__strb_appendf(b, ", global const J_WORD *j_x%zu, ulong j_o%zu", i, i);
  ga__strb_append(b, "\n#define J_ROW");
  for (size_t i = 0; i < n; at += words[i++])
    ga__strb_appendf(b, " J_PART(j_x%zu, j_o%zu, %zu, %zu)", i, i, words[i],
                     at);
  ga__strb_appendf(b, "\n#define J_WIDTH %zu\n", at);
}
