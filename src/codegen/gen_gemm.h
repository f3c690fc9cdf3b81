/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of the templates of matrix products: cl/gemm_*.cl,
 * gemv_*.cl, ger.cl and dot.cl. Each template's head says what they mean. */
#ifndef CODEGEN_GEN_GEMM_H
#define CODEGEN_GEN_GEMM_H

#include "base/strb.h"

/* T, W and the loads and stores of a real dtype; `lanes` is 1, 2, 4, 8, 16. */
void ga__gen_real(ga__strb *b, int typecode, unsigned int lanes);

typedef struct ga__gen_gemm_cpu {
  int typecode;
  unsigned int lanes, mr, nv, kc;
  unsigned int panels;    /* of B that a work-item copies at once */
  int a_packed, b_packed; /* in panels already */
  int b_unit;             /* 0, 1: along k, 2: the other way */
  int c_unit;
  int wide;
} ga__gen_gemm_cpu;

void ga__gen_gemm_cpu_text(ga__strb *b, const ga__gen_gemm_cpu *g);

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
/* For cl/gemv_join.cl. */
void ga__gen_join_text(ga__strb *b, int typecode, int sum);

void ga__gen_ger_text(ga__strb *b, int typecode, unsigned int lanes, int serial,
                      int vector);
void ga__gen_dot_text(ga__strb *b, int typecode, unsigned int lanes, int vector,
                      unsigned int group, int last);

#endif
