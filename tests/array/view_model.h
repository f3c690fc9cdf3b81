/* SPDX-License-Identifier: BSD-2-Clause */
/* Random views of random arrays and what they must be: for every view the list
 * of the places of its elements in the buffer, in C order, and for every buffer
 * its bytes. */
#ifndef ARRAY_VIEW_MODEL_H
#define ARRAY_VIEW_MODEL_H

#include "support/device.h"

/* Axes; elements of a random view and of any view, at most. */
enum { VIEW_ND = 8, VIEW_MOST = 1500, VIEW_ROOM = 2400 };

typedef struct view {
  GpuArray a;
  unsigned char *host;     /* the model of the buffer, shared by its views */
  size_t bytes;            /* of it */
  size_t n, at[VIEW_ROOM]; /* places of the elements, in bytes */
} view;

/* --- random numbers --- */

void draw_from(uint64_t seed);
/* A number below n; 0 for n = 0. */
size_t draw(size_t n);

/* --- places --- */

size_t dims_total(unsigned int nd, const size_t *dims);
/* The coordinates of element i in C order, and back. */
void dims_coordinates(size_t i, unsigned int nd, const size_t *dims, size_t *c);
size_t dims_position(unsigned int nd, const size_t *dims, const size_t *c);

/* Where an axis of the old view gets its coordinate: start + step * that of
 * axis `from` of the new one; -1: start alone. */
typedef struct view_axis {
  int from;
  ssize_t start, step;
} view_axis;

/* The places of a new view with the sizes of `to`, out of those of `v`. */
void view_remap(view *to, const view *v, const view_axis *axes);
/* What strides and offset say is what the model says; flags fit. */
void view_check_places(const view *v);

/* --- contents --- */

/* Element i, in the model. */
double view_get(const view *v, size_t i);
void view_set(view *v, size_t i, double value);
/* The whole buffer is what the model is. */
void view_check_buffer(const view *v);
/* `a`, which is no view of a model, has these n values in C order. */
void view_check_values(const GpuArray *a, const double *want, size_t n);

/* --- making views --- */

/* A whole array: small whole numbers, exact in every type and sum. */
void view_make(view *v, int typecode, unsigned int nd, const size_t *dims);
/* Of a new array, by some steps; with `repeats` it may be for reading only. */
void view_random(view *v, int typecode, int repeats);
/* Of a new array, with the sizes `dims`: no two axes that follow each other can
 * become one. Every second one has gaps, half of each kind run backwards, and
 * the last one is slowest. */
void view_strided(view *v, int typecode, unsigned int nd, const size_t *dims);
/* A new axis in front of axis `where`, along which elements repeat; such a view
 * is for reading. */
void view_repeat(view *v, unsigned int where, size_t times);
/* A view of another array with the sizes of `v`: whole or strided. */
void view_like(view *like, const view *v, int typecode);
/* Clears the array and frees the model of its buffer. */
void view_drop(view *v);

#endif
