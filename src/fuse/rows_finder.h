/* SPDX-License-Identifier: BSD-2-Clause */
/* Row groups in the making.
 *
 *   fuse_rows.c  which groups join
 *   row_paths.c  what is inside, and whether a path leaves and comes back */
#ifndef FUSE_ROWS_FINDER_H
#define FUSE_ROWS_FINDER_H

#include "fuse/fusion.h"

typedef struct gg__rows_finder {
  gg__fuser *u;
  const gg__program *p;
  gg__fusion *f;
  /* The row group at hand. */
  unsigned int space, mask;
  gg__list members;     /* groups */
  gg__list spaces;      /* of its row values, with and without reduced axes */
  unsigned char *is_in; /* by group */
  size_t n_nodes, n_walks; /* walks: reductions, maps of elements */
  /* The search for a way back. */
  unsigned int *met_group, *met_node; /* the last search that met it */
  unsigned int search;
  unsigned int top; /* greatest level that can lead back */
  gg__list queue;   /* groups, and nodes from n_groups on */
  size_t visited;
  unsigned int *reach; /* by level: the last of a row group that spans it, made
                          so far, and goes on beyond it; else 0 */
} gg__rows_finder;

/* The rank of the elements; how many axes a mask has. */
unsigned int gg__rows_rank(const gg__rows_finder *r);
unsigned int gg__count_axes(unsigned int mask);

/* Is it the shape of a row value? */
int gg__is_row_space(const gg__rows_finder *r, unsigned int space);
/* Does the group at hand compute this node? */
int gg__is_in_rows(const gg__rows_finder *r, unsigned int node);
/* Is the node a view of one of the group's row values that is one, too? */
int gg__is_row_view(const gg__rows_finder *r, unsigned int node);
/* Does a path leave the members and come back? Yes, too, if the search is too
 * long. */
int gg__rows_lead_back(gg__rows_finder *r, int *back);

#endif
