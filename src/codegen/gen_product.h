/* SPDX-License-Identifier: BSD-2-Clause */
/* Generators of the macros in front of the templates of products: cl/gemm_*.cl,
 * gemv_*.cl, ger.cl, dot.cl and conv_*.cl. The first comment of each template
 * explains its macros. */
#ifndef CODEGEN_GEN_PRODUCT_H
#define CODEGEN_GEN_PRODUCT_H

#include <stddef.h>

#include "base/assert.h"
#include "base/strb.h"

/* Source that is written only if a launch cannot take a kernel over from an old
 * launch (ocl/launch/launch_renew.h): `write` appends what `gen` describes. The
 * `bytes` bytes of `gen` are a part of the kernel's key, so equal bytes must
 * give equal source: `gen` has no padding, and its pointers are to literals. */
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

/* Append the macros of cl/conv_window.cl. `is_small`: indices of sums and
 * columns fit in 31 bits. */
void ga__gen_window_text(ga__strb *b, int is_small);

enum { GA_MACROS_MAX = 11 };

/* The arguments of ga__gen_numbers. Unused elements of `v` are 0. */
typedef struct ga__gen_macros {
  int typecode;
  unsigned int lanes;
  int names_lanes; /* add WI and LANES of cl/conv_cpu.cl */
  int is_aligned; /* vectors of 4 elements: add LDB4 and STC of cl/gemm_gpu.cl */
  size_t n;
  ga__macro v[GA_MACROS_MAX];
} ga__gen_macros;

GA_NO_PADDING(ga__gen_macros, 4 * sizeof(int) + sizeof(size_t) +
                                  GA_MACROS_MAX * sizeof(ga__macro));

void ga__gen_macros_text(ga__strb *b, const void *macros);

/* How the parts of a sum are added up: by another kernel (GA_TICKETS_NONE), or,
 * on devices where groups are known to see each other's stores, by the group
 * that ends last (cl/ticket.cl). */
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
  int a_whole, b_whole; /* aligned, and the size along the unit stride is a
                           multiple of 4 */
  int flat;             /* a window has one position along dimension 0 */
  int lines;            /* the sum walks over lines */
  int phases;           /* several products with windows */
  unsigned int band;
  int triangle; /* 1: the lower one of C is stored, 2: the upper one, 0: all */
  int parts;
  ga__gen_tickets tickets;
} ga__gen_gemm_gpu;

void ga__gen_gemm_gpu_text(ga__strb *b, const void *gemm_gpu);

/* Steps of Winograd's algorithm. cl/conv_winograd_gpu.cl explains the names. */
typedef struct ga__gen_winograd {
  int typecode;
  unsigned int lanes; /* stored at once */
  int turned, c_unit, c_aligned;
} ga__gen_winograd;

void ga__gen_winograd_text(ga__strb *b, const void *winograd);

/* Neighbours of C that cl/mma_put.cl puts at once. */
enum { GA_GEN_MMA_LANES = 8 };

/* Products on tensor cores. cl/hgemm_mma.cl and cl/dgemm_mma.cl explain the
 * names. */
typedef struct ga__gen_gemm_mma {
  int typecode;
  unsigned int bm, bn, bk, wm, wn, stages, band;
  int a_unit, b_unit;
  unsigned int c_pairs; /* doubles only */
  int c_aligned; /* others: GA_GEN_MMA_LANES neighbours may be stored at once */
  int c_digits;  /* others: rows of C lie by the digits of a window's columns */
  int edges;
  int wide;     /* doubles only */
  int triangle; /* doubles only; as in ga__gen_gemm_gpu */
  int parts;    /* others: C holds parts of the sums, as floats */
} ga__gen_gemm_mma;

void ga__gen_gemm_mma_text(ga__strb *b, const void *gemm_mma);
/* The macros of cl/gemm_wgmma.cl, which also gets a ga__gen_gemm_mma and does
 * not use its wm and wn. */
void ga__gen_gemm_wgmma_text(ga__strb *b, const void *gemm_mma);
/* The macro of cl/gemm_align.cl and cl/conv_copy.cl, which copy elements as
 * their bits. `typecode` points to an int. */
void ga__gen_gemm_align_text(ga__strb *b, const void *typecode);

typedef struct ga__gen_gemv {
  int typecode;
  unsigned int lanes; /* of vectors, on CPUs */
  int along;          /* 0, 1: along n, 2: along m */
  int x_unit, y_unit, parts;
  int sum;           /* the kernel also adds up the elements of x */
  unsigned int rows; /* CPUs: rows with sums in an array; 0: the layout is for
                        GPUs */
  unsigned int line; /* CPUs: vectors in a cache line */
  unsigned int width, teams, unroll; /* GPUs */
  int wide;
  ga__gen_tickets tickets; /* GPUs */
} ga__gen_gemv;

void ga__gen_gemv_text(ga__strb *b, const void *gemv);

#endif
