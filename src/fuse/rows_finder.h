/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding row groups.
 *
 *   fuse_rows.c  which groups join
 *   row_paths.c  contents of a group; does a path leave it and return? */
#ifndef FUSE_ROWS_FINDER_H
#define FUSE_ROWS_FINDER_H

#include "fuse/fusion.h"

typedef struct gg__rows_finder {
  gg__fuser *u;
  const gg__program *p;
  gg__fusion *f;
  /* The present row group. */
  unsigned int space, mask;
  gg__list members;        /* groups */
  gg__list spaces;         /* of its row values, with and without the reduced
                              axes */
  unsigned char *is_in;    /* by group */
  size_t n_nodes, n_walks; /* walks over rows: one per reduction and per map
                              group of elements */
  /* The search for a path that comes back. */
  unsigned int *met_group, *met_node; /* the last search that met it; by group,
                                         by node */
  unsigned int search;
  unsigned int top; /* the greatest level from which a path can come back */
  gg__list queue;   /* groups; n_groups and more: nodes */
  size_t visited;
  unsigned int *reach; /* by level: the greatest last level of the row groups
                          made so far that span this level and end above it; 0:
                          none */
} gg__rows_finder;

/* The rank of the elements. */
unsigned int gg__rows_rank(const gg__rows_finder *r);

/* Does a view only add or drop reduced axes? */
int gg__keeps_rows(const gg__rows_finder *r, const gg_apply *a);
/* Is `space` the space of a row value of the group? */
int gg__is_row_space(const gg__rows_finder *r, unsigned int space);
/* Does the present group compute this node? */
int gg__is_in_rows(const gg__rows_finder *r, unsigned int node);
/* Is the node a view of one of the group's row values that is a row value,
 * too? */
int gg__is_row_view(const gg__rows_finder *r, unsigned int node);
/* Does a path leave the members and come back? *back is also 1 if the search
 * takes too long. */
int gg__rows_lead_back(gg__rows_finder *r, int *back);

#endif
