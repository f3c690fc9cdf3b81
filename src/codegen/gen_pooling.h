/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros in front of cl/pooling.cl and cl/pooling_row.cl. */
#ifndef CODEGEN_GEN_POOLING_H
#define CODEGEN_GEN_POOLING_H

#include <gpuarray/pooling.h>

#include "base/strb.h"

/* Bytes of a line of a row's kernel, and the most elements of a strip. */
enum { GA_POOLING_LINE_BYTES = 16384, GA_POOLING_STRIP = 1024 };

/* What a work-item goes through in its inner loop. */
typedef enum ga__pool_inner {
  GA_POOLING_ONE = 0,  /* nothing: it computes one vector */
  GA_POOLING_CHANNELS, /* dimension 0 of the batch */
  GA_POOLING_ROW,      /* the last axis with windows */
  GA_POOLING_RUN /* GA_POOLING_RUN_LENGTH elements of the axis before it */
} ga__pool_inner;

enum { GA_POOLING_RUN_LENGTH = 4 };

/* Longer windows have loops of their own length. */
enum { GA_POOLING_MOST_ROUNDS = 4 };

/* Compared as bytes. */
typedef struct ga__gen_pooling {
  int dtype;
  int op;        /* a ga_pool_op */
  int has_index; /* besides GA_POOLING_PICK */
  int has_value; /* not if only indices are wanted */
  int is_weighted;
  int wide_index, wide_place; /* counts of elements, positions in windows */
  int wide_reach;             /* bytes within an element of the batch */
  int is_rising; /* windows along its last axis are not empty, begin and end in
                    order, and values are floats */
  int is_row;    /* for cl/pooling_row.cl */
  int channels_first; /* neighbours in memory are dimension 0 of the batch */
  int is_aligned;     /* vectors are aligned to their size */
  int lanes;
  int inner;  /* a ga__pool_inner */
  int nk, nw; /* dimensions of the batch, axes with windows */
  /* Elements of the longest window along each axis, if the loop over it is to
   * have that many rounds; 0: as many as the window has. */
  int rounds[GA_POOLING_ND];
  /* Nonzero if each window has as many elements as the loop has rounds. */
  int is_full[GA_POOLING_ND];
} ga__gen_pooling;

void ga__gen_pooling_write(ga__strb *b, const ga__gen_pooling *g);

#endif
