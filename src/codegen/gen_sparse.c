/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels of sparse matrices. */
#include "codegen/gen_sparse.h"

#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/template.h"

void ga__gen_sparse_write(ga__strb *b, const ga__gen_sparse *g) {
  const int is_complex = ga__dtype_is_complex(g->dtype);
  const char *const name = g->dtype == GA_CFLOAT    ? "ga_cfloat"
                           : g->dtype == GA_CDOUBLE ? "ga_cdouble"
                                                    : ga__dtype_cl(g->dtype);

  if (is_complex) {
    ga__strb_append(b, ga__arg_complex_head(g->dtype));
    ga__strb_append(b, ga__template("complex"));
  }
  ga__strb_appendf(b,
                   "#define S_T %s\n"
                   "#define S_COMPLEX %d\n"
                   "#define S_WORD %s\n"
                   "#define S_INDEX %s\n"
                   "#define S_WIDE %d\n"
                   "#define R_IDX %s\n"
                   "#define S_UNIT %d\n"
                   "#define S_LANES %u\n"
                   "#define S_GROUP %u\n"
                   "#define S_TILE %u\n",
                   name, is_complex, g->dtype == GA_DOUBLE ? "long" : "int",
                   ga__dtype_cl(g->index), g->wide_index,
                   g->wide_index ? "ulong" : "uint", g->is_unit, g->lanes,
                   g->group, g->tile);
}
