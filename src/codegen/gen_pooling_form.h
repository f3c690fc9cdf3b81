/* SPDX-License-Identifier: BSD-2-Clause */
/* What describes a kernel that pools or resizes. */
#ifndef CODEGEN_GEN_POOLING_FORM_H
#define CODEGEN_GEN_POOLING_FORM_H

#include <gpuarray/elemwise.h>
#include <gpuarray/pooling.h>

#include "layout/space.h"

/* Bytes of a line of a row's kernel, and the most elements of a strip. */
enum { GA_POOLING_LINE_BYTES = 16384, GA_POOLING_STRIP = 1024 };

/* What a work-item of a CPU goes through in its inner loop. */
typedef enum ga__pool_inner {
  GA_POOLING_ONE = 0,  /* nothing: it computes one vector, or a block */
  GA_POOLING_CHANNELS, /* dimension 0 of the batch */
  GA_POOLING_ROW       /* the last axis with windows */
} ga__pool_inner;

/* The weights of each axis begin at a multiple of so many. */
enum { GA_POOLING_ALIGN = 4 };

/* Longer windows have loops of their own length. */
enum { GA_POOLING_MOST_ROUNDS = 4 };

/* Elements of the result, side by side along an axis, that a work-item computes
 * together, where all such blocks are alike: element r of block i has the
 * elements i * lead + begin + first[r] + k * step of the source, for each k
 * below count[r], as far as the source has them. `span` is one more than the
 * last of them, from i * lead + begin on. */
enum { GA_POOLING_MOST_BLOCK = 8 };

typedef struct ga__pool_block {
  int size; /* 0: none, and elements are computed one by one */
  int lead, begin, step, span;
  int first[GA_POOLING_MOST_BLOCK], count[GA_POOLING_MOST_BLOCK];
} ga__pool_block;

/* Compared as bytes. */
typedef struct ga__gen_pooling {
  int dtype;
  int op;                     /* a ga_pool_op */
  int has_index;              /* besides GA_POOLING_PICK */
  int has_value;              /* not if only indices are wanted */
  int is_weighted;            /* elements have weights */
  int is_scaled;              /* else, sums are multiplied by one number */
  int is_even;                /* the weights of the last axis are all 1 */
  int wide_index, wide_place; /* counts of elements, positions in windows */
  int wide_reach;             /* bytes within an element of the batch */
  int is_rising; /* windows along its last axis are not empty, begin and end in
                    order, and values are floats */
  int is_row;    /* for cl/pooling_row.cl */
  int channels_first; /* neighbours in memory are dimension 0 of the batch */
  int is_aligned; /* vectors, of results at least, are aligned to their size */
  int lanes;
  int inner;  /* a ga__pool_inner */
  int nk, nw; /* dimensions of the batch, axes with windows */
  /* Nonzero if neighbours along the last axis lie side by side in all
   * arrays. */
  int has_rows;
  int is_near; /* so do those of a window along it */
  /* Along axes 0 and 1. Those of axis 0 fill the axis and are stored as
   * vectors; those of axis 1 fill it if is_whole. */
  ga__pool_block block[2];
  int is_whole;
  /* Elements of the source that are read at once in blocks of axis 0: where
   * a position in the source is a multiple of it, vectors are aligned, and end
   * in the source if they begin there. */
  int wide;
  /* Elements of the longest window along each axis, if the loop over it is to
   * have that many rounds; 0: as many as the window has. */
  int rounds[GA_POOLING_ND];
  /* Nonzero if each window has as many elements as the loop has rounds. */
  int is_full[GA_POOLING_ND];
} ga__gen_pooling;

/* What is computed from the elements that a window reads, and from its result.
 * The first n_in arguments are read in front; then come the indices, whose
 * flags are 0 where there are none; the others are read and written behind. */
typedef struct ga__gen_pooling_maps {
  const char *front, *behind; /* one line each: v = ..., and ... = acc */
  const char *front_head, *behind_head;       /* preambles, or NULL */
  const char *front_boolean, *behind_boolean; /* W_BOOL in vectors */
  int is_vector;                              /* both suit vectors */
  unsigned int n, n_in;
  gpuelemwise_arg *args;
  ga__lane_step *steps;    /* where there are lanes */
  unsigned char *is_fixed; /* the same along the last axis */
} ga__gen_pooling_maps;

/* Nonzero if elements of axis d are computed in blocks. */
static inline int ga__gen_pooling_has_block(const ga__gen_pooling *g, int d) {
  return d < 2 && g->block[d].size > 0;
}

#endif
