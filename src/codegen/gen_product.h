/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of the templates of products: cl/gemm_*.cl, gemv_*.cl,
 * ger.cl and dot.cl. Each template explains them in its first comment. */
#ifndef CODEGEN_GEN_PRODUCT_H
#define CODEGEN_GEN_PRODUCT_H

#include <stddef.h>

#include "base/strb.h"

/* Source that is written only if it is needed: `write` appends what `gen`
 * describes. Equal bytes of `gen` give equal source, so it has no padding, and
 * what it points to are literals. */
typedef struct ga__gen_text {
  void (*write)(ga__strb *b, const void *gen);
  const void *gen;
  size_t bytes;
} ga__gen_text;

#define GA_GEN_TEXT(fn, g) (&(const ga__gen_text){fn, &(g), sizeof(g)})

typedef struct ga__macro {
  const char *name;
  size_t value;
} ga__macro;

/* Append T, W, and the loads and stores of a dtype in vectors of `lanes` lanes
 * (1, 2, 4, 8 or 16), then the n macros. An element of a complex dtype takes
 * two lanes; there are at least 4, and the macros of cl/complex_pairs.cl. */
void ga__gen_numbers(ga__strb *b, int typecode, unsigned int lanes, size_t n,
                     const ga__macro *macros);

/* The macros of cl/conv_window.cl. `is_small`: indices fit in 31 bits. */
void ga__gen_window_text(ga__strb *b, int is_small);

enum { GA_MACROS_MAX = 10 };

/* The arguments of ga__gen_numbers. Zeroed where it is not used. */
typedef struct ga__gen_macros {
  int typecode;
  unsigned int lanes, n;
  int names_lanes; /* add WI and LANES of cl/conv_cpu.cl */
  ga__macro v[GA_MACROS_MAX];
} ga__gen_macros;

void ga__gen_macros_text(ga__strb *b, const void *macros);

/* How the parts of a sum are added up: by another kernel, or by the group that
 * ends last, where groups are known to see each other's stores
 * (cl/ticket.cl). */
typedef enum ga__gen_tickets {
  GA_TICKETS_NONE,
  GA_TICKETS_CPU,
  GA_TICKETS_PTX
} ga__gen_tickets;

typedef struct ga__gen_gemm_gpu {
  int typecode;
  unsigned int bm, bn, bk, tm, tn;
  int a_unit, b_unit, c_unit;
  int a_aligned, b_aligned, c_aligned; /* 4 elements may be loaded or stored at
                                          once */
  int a_whole, b_whole; /* sizes along unit strides are multiples of 4 */
  unsigned int band;
  int parts;
  ga__gen_tickets tickets;
} ga__gen_gemm_gpu;

void ga__gen_gemm_gpu_text(ga__strb *b, const void *gemm_gpu);

/* For tensor cores. cl/hgemm_mma.cl and cl/dgemm_mma.cl explain the names. */
typedef struct ga__gen_gemm_mma {
  int typecode;
  unsigned int bm, bn, bk, wm, wn, stages, band;
  int a_unit, b_unit;
  unsigned int c_pairs;
  int edges;
  int wide; /* doubles only */
} ga__gen_gemm_mma;

void ga__gen_gemm_mma_text(ga__strb *b, const void *gemm_mma);
/* The same for cl/gemm_wgmma.cl, which has no wm and wn. */
void ga__gen_gemm_wgmma_text(ga__strb *b, const void *gemm_mma);
/* The same for cl/gemm_align.cl, which copies elements as their bits. It gets
 * an int with a dtype. */
void ga__gen_gemm_align_text(ga__strb *b, const void *typecode);

typedef struct ga__gen_gemv {
  int typecode;
  unsigned int lanes; /* of vectors, on CPUs */
  int along;          /* 0, 1: along n, 2: along m */
  int x_unit, y_unit, parts;
  int sum;           /* the kernel also sums x */
  unsigned int rows; /* CPUs: rows with sums in an array; 0: the kernel is for
                        GPUs */
  unsigned int line; /* CPUs: vectors in a cache line */
  unsigned int width, teams, unroll; /* GPU */
  int wide;
  ga__gen_tickets tickets; /* GPU */
} ga__gen_gemv;

void ga__gen_gemv_text(ga__strb *b, const void *gemv);

#endif
