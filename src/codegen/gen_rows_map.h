/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps and posts of a row program's phases, as functions of its kernel. */
#ifndef CODEGEN_GEN_ROWS_MAP_H
#define CODEGEN_GEN_ROWS_MAP_H

#include "base/strb.h"
#include "codegen/gen_rows_uses.h"

/* The elements that a map function computes. */
typedef enum ga__rows_part {
  GA_ROWS_FULL,  /* all lanes */
  GA_ROWS_SOME,  /* lanes up to r_last */
  GA_ROWS_WHOLE, /* all lanes if r_in, else none */
} ga__rows_part;

/* Write the function r_map<phase>, r_some<phase> or r_whole<phase>. */
void ga__rows_write_map(ga__strb *b, const ga__gen_rows *g, unsigned int phase,
                        ga__rows_part part);

/* Write the function r_post<phase>. Without a post it does nothing. */
void ga__rows_write_post(ga__strb *b, const ga__gen_rows *g,
                         unsigned int phase);

#endif
