/* SPDX-License-Identifier: BSD-2-Clause */
/* take, gather, put and scatter as loops on the host. */
#ifndef INDEX_PUT_MODEL_H
#define INDEX_PUT_MODEL_H

#include <gpuarray/index.h>

#include "support/device.h"

enum { ND = 5 };

/* A host array in C order. The test frees `data`. */
typedef struct host {
  int typecode;
  unsigned int nd;
  size_t dims[ND], n, item;
  char *data;
} host;

/* Whether the device can combine elements of the dtype. */
int put_has_dtype(int typecode);
void host_init(host *h, int typecode, unsigned int nd, const size_t *dims);
/* Small numbers, which look random. */
void host_fill(host *h, uint32_t seed);
/* Indices from -rows to rows - 1 (unsigned ones from 0). */
void host_indices(host *h, size_t rows, uint32_t seed);
/* The device's array, as a view of four kinds: plain, Fortran-like with gaps,
 * reversed, at an odd place. */
void host_send(GpuArray *a, const host *h, unsigned int kind);
/* The element of `a` for element k of what is taken along `axis`. */
size_t put_place(const host *a, const host *index, unsigned int axis,
                 int is_gather, size_t k);
/* Take or gather, and put or scatter, against loops on the host, with views of
 * this kind. */
void check_take(const host *a, const host *index, unsigned int axis,
                int is_gather, unsigned int kind);
void check_put(const host *a, const host *index, unsigned int axis,
               int is_scatter, unsigned int kind, ga_put_op op);
/* Positions that are all different, for what has no order. */
void host_distinct(host *index, unsigned int axis, size_t rows);

#endif
