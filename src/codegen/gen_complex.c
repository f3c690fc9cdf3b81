/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the templates of complex products. */
#include "codegen/gen_complex.h"

#include <gpuarray/types.h>

#include "codegen/gen_gemm.h"

/* Lanes as OpenCL C names them. */
static const char digits[] = "0123456789abcdef";

static void swap(ga__strb *b, unsigned int lanes) {
  ga__strb_append(b, "#define SWAP(v) (v).s");
  for (unsigned int i = 0; i < lanes; i++)
    ga__strb_appendf(b, "%c", digits[i ^ 1]);
  ga__strb_append(b, "\n");
}

static void pairs(ga__strb *b, unsigned int lanes) {
  ga__strb_append(b, "#define PAIRS(x, y) ((WV)(");
  for (unsigned int i = 0; i < lanes; i++)
    ga__strb_append(b, i % 2 != 0 ? ", y" : i > 0 ? ", x" : "x");
  ga__strb_append(b, "))\n");
}

void ga__gen_complex(ga__strb *b, int typecode, unsigned int lanes, size_t n,
                     const ga__macro *macros) {
  const int real = typecode == GA_CDOUBLE ? GA_DOUBLE : GA_FLOAT;

  ga__gen_real(b, real, lanes);
  ga__strb_appendf(b, "#define W2 %s2\n",
                   real == GA_DOUBLE ? "double" : "float");
  swap(b, lanes);
  pairs(b, lanes);
  for (size_t i = 0; i < n; i++)
    ga__strb_appendf(b, "#define %s %u\n", macros[i].name, macros[i].value);
}
