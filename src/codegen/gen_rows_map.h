/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of the phases of a row program, as functions of a kernel. */
#ifndef CODEGEN_GEN_ROWS_MAP_H
#define CODEGEN_GEN_ROWS_MAP_H

#include "base/strb.h"
#include "codegen/gen_rows_uses.h"

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

#endif
