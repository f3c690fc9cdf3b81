/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of the templates of products: cl/gemm_*.cl, gemv_*.cl,
 * ger.cl and dot.cl. Each template's head says what they mean. */
#ifndef CODEGEN_GEN_PRODUCT_H
#define CODEGEN_GEN_PRODUCT_H

#include <stddef.h>

#include "base/strb.h"

typedef struct ga__macro {
  const char *name;
  unsigned int value;
} ga__macro;

/* T, W and the loads and stores of a dtype in vectors of `lanes`, which is 1,
 * 2, 4, 8 or 16, then the n macros. A complex dtype has its numbers in pairs of
 * lanes, at least 4 of them, and what cl/complex_pairs.cl asks for. */
void ga__gen_numbers(ga__strb *b, int typecode, unsigned int lanes, size_t n,
                     const ga__macro *macros);

/* Who adds up the parts of a sum: another kernel, or the group that comes last,
 * where groups are known to see each other's stores (cl/ticket.cl). */
typedef enum ga__gen_tickets {
  GA_TICKETS_NONE,
  GA_TICKETS_CPU,
  GA_TICKETS_PTX
} ga__gen_tickets;

typedef struct ga__gen_gemm_gpu {
  int typecode;
  unsigned int bm, bn, bk, tm, tn;
  int a_unit, b_unit, c_unit;
  int a_aligned, b_aligned, c_aligned; /* 4 elements may be moved as one */
  int a_whole, b_whole; /* sizes along the strides of 1 are multiples of 4 */
  unsigned int band;
  int parts;
  ga__gen_tickets tickets;
} ga__gen_gemm_gpu;

void ga__gen_gemm_gpu_text(ga__strb *b, const ga__gen_gemm_gpu *g);

/* On tensor cores; the names are those of cl/hgemm_mma.cl and
 * cl/dgemm_mma.cl. */
typedef struct ga__gen_gemm_mma {
  int typecode;
  unsigned int bm, bn, bk, wm, wn, stages, band;
  int a_unit, b_unit;
  unsigned int c_pairs;
  int edges;
  int wide; /* doubles only */
} ga__gen_gemm_mma;

void ga__gen_gemm_mma_text(ga__strb *b, const ga__gen_gemm_mma *g);
/* The same for cl/gemm_wgmma.cl, which has no wm and wn. */
void ga__gen_gemm_wgmma_text(ga__strb *b, const ga__gen_gemm_mma *g);
/* Copies for them: elements as their bits. */
void ga__gen_gemm_align_text(ga__strb *b, int typecode);

typedef struct ga__gen_gemv {
  int typecode;
  unsigned int lanes; /* of vectors, CPU */
  int along;          /* 0, 1: along n, 2: along m */
  int x_unit, y_unit, parts;
  int sum;           /* of x, too */
  unsigned int rows; /* CPU: whose sums are kept; 0: the GPU text */
  unsigned int line; /* CPU: vectors in a line of the cache */
  unsigned int width, teams, unroll; /* GPU */
  int wide;
  ga__gen_tickets tickets; /* GPU */
} ga__gen_gemv;

void ga__gen_gemv_text(ga__strb *b, const ga__gen_gemv *g);

#endif
