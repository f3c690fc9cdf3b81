/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by what sorts and selects: the rows along an axis of a source and of
 * up to two results, how rows are cut into parts, and the arguments of the
 * kernels of cl/sort.cl, cl/topk.cl and their like. */
#ifndef ORDER_SORT_ROWS_H
#define ORDER_SORT_ROWS_H

#include <gpuarray/array.h>

#include "codegen/gen_sort.h"
#include "layout/cut.h"
#include "layout/space.h"
#include "ocl/ocl.h"

enum { GA_SORT_SOURCE, GA_SORT_VALUES, GA_SORT_INDICES, GA_SORT_SLOTS };
/* Other calls have slots of their own. */
enum { GA_SORT_MOST_ARRAYS = GA_SORT_SLOTS + 1 };

/* How elements are ordered, and what is stored: arguments of kernels
 * (cl/sort_word.cl). */
enum { GA_SORT_HOW_DESCENDING = 1, GA_SORT_HOW_NAN_FIRST = 2 };
enum { GA_SORT_STORE_VALUES = 1, GA_SORT_STORE_POSITIONS = 2 };

/* Where a kernel reads or writes: an array in a slot, or elements from `first`
 * on of the rows of a workspace, [rows][most], which its first use makes. */
typedef struct ga__sort_place {
  int is_work, is_made;
  unsigned int index; /* of the slot or workspace */
  size_t bytes, most; /* of an element of a workspace; elements of its rows */
  size_t first;
} ga__sort_place;

/* What is sorted or selected. `name`, `array`, `ctx`, `axis`, `how` and `k`
 * come from the caller. */
typedef struct ga__sort_job {
  const char *name;                           /* for messages */
  const GpuArray *array[GA_SORT_MOST_ARRAYS]; /* results may be NULL */
  ga__sort_place *to; /* a workspace in place of the values, or NULL */
  gpucontext *ctx;
  unsigned int slot; /* of the first array; the others follow */
  unsigned int axis, how;
  size_t k;                              /* elements of a row of the results */
  ga__iter rows;                         /* the other axes; an array per slot */
  ptrdiff_t stride[GA_SORT_MOST_ARRAYS]; /* along the axis, in bytes */
  size_t n_rows, n, word; /* n elements of `word` bytes in a row */
  ga__cut cut;            /* of a row */
  size_t gs;              /* rows x parts, or more */
  ga__gen_sort gen;
  ga__strb macros;
} ga__sort_job;

/* Check the arrays; all but the axis and k must be set. */
int ga__sort_check(const ga__sort_job *j);
/* Set the rows from the arrays. Clear them in any case. */
int ga__sort_set_rows(ga__sort_job *j);
/* Give rows without dimensions one of size 1. */
void ga__sort_some_rows(ga__sort_job *j);
void ga__sort_clear(ga__sort_job *j);
/* Cut rows of j->n elements, and write the macros of j->gen for that. */
int ga__sort_cut_rows(ga__sort_job *j, unsigned int cpu_digit_bits);
/* Cut rows into parts, each some tiles of j->gen.group x j->gen.items elements
 * and the work of a group of a GPU. */
void ga__sort_cut_tiles(ga__sort_job *j);
/* Write the macros of j->gen, of which all that depends on the rows and on
 * j->cut is set here. */
int ga__sort_write_macros(ga__sort_job *j);
/* Have the n edges that all elements share kept in local memory (cl/edges.cl),
 * if they fit: sets j->gen.edges. */
void ga__sort_keep_edges(ga__sort_job *j, size_t n);
/* Whether the rows have one element each, and these lie one after another in
 * array k. */
int ga__sort_is_line(const ga__sort_job *j, unsigned int k);
/* The bytes of counts in a workspace, `n` for each part. */
size_t ga__sort_count_bytes(const ga__sort_job *j, size_t n);

/* Arguments of kernels. */
void ga__sort_kernel(GpuLaunch *l, const ga__sort_job *j, const char *template,
                     const char *entry, size_t gs);
void ga__sort_operand(GpuLaunch *l, const ga__sort_job *j, ga__sort_place *p);
void ga__sort_sizes(GpuLaunch *l, const ga__sort_job *j);
void ga__sort_parts(GpuLaunch *l, const ga__sort_job *j, unsigned int shift);
/* Which results there are: GA_SORT_STORE_VALUES and so on. */
unsigned int ga__sort_stores(const ga__sort_job *j);
/* Add sort_scan for `digits` counts of each part. */
void ga__sort_scan(GpuLaunch *l, const ga__sort_job *j, unsigned int counts,
                   unsigned int digits);
/* Bind the arrays and seal the launch. */
int ga__sort_seal(GpuLaunch **out, GpuLaunch *l, const ga__sort_job *j);

#endif
