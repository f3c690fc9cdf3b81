/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of gen_rows.c that deal with the texts of phases. */
#ifndef CODEGEN_GEN_ROWS_MAP_H
#define CODEGEN_GEN_ROWS_MAP_H

#include "codegen/gen_rows.h"

/* Which elements a map function handles. */
typedef enum ga__rows_part {
  GA_ROWS_FULL,  /* all lanes */
  GA_ROWS_SOME,  /* lanes up to r_last */
  GA_ROWS_WHOLE, /* all lanes, or none unless r_in */
} ga__rows_part;

/* The function r_map<phase>, r_some<phase> or r_whole<phase>. */
void ga__rows_write_map(ga__strb *b, const ga__gen_rows *g, unsigned int phase,
                        ga__rows_part part);

/* The function r_post<phase>, if the phase has a post. */
void ga__rows_write_post(ga__strb *b, const ga__gen_rows *g,
                         unsigned int phase);

/* Where element r_j of argument i is, from the row's pointer; declares nothing.
 * Appends text like "r_r->q0 + (size_t)(r_j) * 4". */
void ga__rows_write_address(ga__strb *b, const ga__gen_rows *g, unsigned int i);

/* Is an argument a value in the row, not an array to walk? */
int ga__rows_is_value(const ga__gen_rows *g, unsigned int i);

#endif
