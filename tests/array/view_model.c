/* SPDX-License-Identifier: BSD-2-Clause */
#include "view_model.h"

#include <stdlib.h>
#include <string.h>

#include "support/lcg.h"
#include "support/trials.h"

static uint64_t rng;

void draw_from(uint64_t seed) {
  rng = seed;
}

size_t draw(size_t n) {
  return lcg_below(&rng, n);
}

/* --- places --- */

size_t dims_total(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  return n;
}

void dims_coordinates(size_t i, unsigned int nd, const size_t *dims,
                      size_t *c) {
  for (unsigned int d = nd; d-- > 0; i /= dims[d])
    c[d] = i % dims[d];
}

size_t dims_position(unsigned int nd, const size_t *dims, const size_t *c) {
  size_t i = 0;

  for (unsigned int d = 0; d < nd; d++)
    i = i * dims[d] + c[d];
  return i;
}

void view_remap(view *to, const view *v, const view_axis *axes) {
  size_t c[VIEW_ND], old[VIEW_ND];

  to->host = v->host;
  to->bytes = v->bytes;
  to->n = dims_total(to->a.nd, to->a.dimensions);
  assert_true(to->n <= VIEW_ROOM);
  for (size_t i = 0; i < to->n; i++) {
    dims_coordinates(i, to->a.nd, to->a.dimensions, c);
    for (unsigned int d = 0; d < v->a.nd; d++) {
      ssize_t at = axes[d].from < 0 ? 0 : (ssize_t)c[axes[d].from];
      old[d] = (size_t)(axes[d].start + axes[d].step * at);
    }
    to->at[i] = v->at[dims_position(v->a.nd, v->a.dimensions, old)];
  }
}

void view_check_places(const view *v) {
  const size_t size = GpuArray_ITEMSIZE(&v->a);
  int is_plain = 1;
  size_t c[VIEW_ND];

  assert_int_equal(dims_total(v->a.nd, v->a.dimensions), v->n);
  assert_true(v->a.offset <= v->bytes);
  for (size_t i = 0; i < v->n; i++) {
    size_t at = v->a.offset;

    dims_coordinates(i, v->a.nd, v->a.dimensions, c);
    for (unsigned int d = 0; d < v->a.nd; d++)
      at += c[d] * (size_t)v->a.strides[d];
    assert_int_equal(at, v->at[i]);
    is_plain &= v->at[i] == v->at[0] + i * size;
  }
  assert_int_equal(GpuArray_IS_C_CONTIGUOUS(&v->a), is_plain);
}

/* --- contents --- */

double view_get(const view *v, size_t i) {
  return test_get(v->host + v->at[i], v->a.typecode, 0);
}

void view_set(view *v, size_t i, double value) {
  test_set(v->host + v->at[i], v->a.typecode, 0, value);
}

void view_check_buffer(const view *v) {
  unsigned char *got = malloc(v->bytes + 1);

  assert_ok(gpudata_read(got, v->a.data, 0, v->bytes));
  assert_memory_equal(got, v->host, v->bytes);
  free(got);
}

void view_check_values(const GpuArray *a, const double *want, size_t n) {
  char *got = malloc(n * GpuArray_ITEMSIZE(a) + 1);

  assert_int_equal(test_size(a), n);
  test_gather(a, got);
  for (size_t i = 0; i < n; i++) {
    if (test_get(got, a->typecode, i) != want[i])
      fail_msg("trial %zu, element %zu of %zu: %g, expected %g", trials_now(),
               i, n, test_get(got, a->typecode, i), want[i]);
  }
  free(got);
}

/* --- making views --- */

static void random_dims(unsigned int nd, size_t *dims) {
  const size_t most = nd <= 2 ? 33 : nd <= 3 ? 9 : nd <= 5 ? 3 : 2;

  for (unsigned int d = 0; d < nd; d++)
    dims[d] = draw(12) == 0 ? draw(2) : 1 + draw(most);
}

void view_make(view *v, int typecode, unsigned int nd, const size_t *dims) {
  view_axis axes[VIEW_ND];

  assert_ok(GpuArray_empty(&v->a, test_context(), typecode, nd, dims,
                           draw(2) ? GA_F_ORDER : GA_C_ORDER));
  size_t size = GpuArray_ITEMSIZE(&v->a);
  v->n = dims_total(nd, dims);
  assert_true(v->n <= VIEW_ROOM);
  size_t total_bytes = v->n * size;
  v->bytes = total_bytes;
  v->host = calloc(total_bytes + 1, 1);
  for (size_t i = 0; i < v->n; i++)
    test_set(v->host, typecode, i, (double)draw(typecode == GA_BOOL ? 2 : 9));
  assert_ok(GpuArray_write(&v->a, v->host, total_bytes));
  /* In Fortran order the places are those of the reversed sizes. */
  view flat = *v;
  for (size_t i = 0; i < v->n; i++)
    flat.at[i] = v->at[i] = i * size;
  if (!GpuArray_IS_C_CONTIGUOUS(&v->a)) {
    size_t reversed[VIEW_ND];

    for (unsigned int d = 0; d < nd; d++) {
      reversed[d] = dims[nd - 1 - d];
      axes[d] = (view_axis){(int)(nd - 1 - d), 0, 1};
    }
    flat.a.dimensions = reversed;
    view_remap(v, &flat, axes);
  }
}

/* Replace *v by `next`, which has been made of it. */
static void step_to(view *v, view *next) {
  GpuArray_clear(&v->a);
  *v = *next;
  view_check_places(v);
}

/* Steps of 0 take their axes away. */
static void slice_by(view *v, const ssize_t *starts, const ssize_t *stops,
                     const ssize_t *steps) {
  view_axis axes[VIEW_ND];
  view next;
  int n = 0;

  for (unsigned int d = 0; d < v->a.nd; d++)
    axes[d] = (view_axis){steps[d] == 0 ? -1 : n++, starts[d], steps[d]};
  assert_ok(GpuArray_index(&next.a, &v->a, starts, stops, steps));
  assert_int_equal(next.a.nd, n);
  view_remap(&next, v, axes);
  step_to(v, &next);
}

static void slice(view *v) {
  ssize_t starts[VIEW_ND], stops[VIEW_ND], steps[VIEW_ND];

  for (unsigned int d = 0; d < v->a.nd; d++) {
    const ssize_t dim = (ssize_t)v->a.dimensions[d];
    ssize_t low = (ssize_t)draw((size_t)dim + 1);
    ssize_t high = low + (ssize_t)draw((size_t)(dim - low) + 1);

    steps[d] = (ssize_t)draw(4) + 1;
    starts[d] = low, stops[d] = high;
    if (draw(3) == 0) { /* everything */
      starts[d] = 0, stops[d] = dim, steps[d] = 1;
    } else if (draw(3) == 0 && dim > 0) { /* backwards */
      starts[d] = high > 0 ? high - 1 : 0;
      stops[d] = high > 0 ? low - 1 : 0;
      steps[d] = -steps[d];
    } else if (draw(4) == 0 && dim > 0) { /* one of them */
      starts[d] = low < dim ? low : dim - 1;
      steps[d] = 0;
    }
  }
  slice_by(v, starts, stops, steps);
}

static void turn_by(view *v, const unsigned int *order) {
  view_axis axes[VIEW_ND];
  view next;

  for (unsigned int d = 0; d < v->a.nd; d++)
    axes[order[d]] = (view_axis){(int)d, 0, 1};
  assert_ok(GpuArray_transpose(&next.a, &v->a, order));
  view_remap(&next, v, axes);
  step_to(v, &next);
}

static void turn(view *v) {
  unsigned int order[VIEW_ND];

  for (unsigned int d = 0; d < v->a.nd; d++) {
    const size_t other = draw(d + 1);

    order[d] = d;
    order[d] = order[other];
    order[other] = d;
  }
  turn_by(v, order);
}

/* Two axes become one or one becomes two; that may need a copy. */
static void reshape(view *v) {
  size_t dims[VIEW_ND];
  unsigned int nd = v->a.nd;
  view next = *v;

  if (nd == 0)
    return;
  memcpy(dims, v->a.dimensions, nd * sizeof *dims);
  if (nd > 1 && draw(2)) {
    const size_t d = draw(nd - 1);

    dims[d] *= dims[d + 1];
    memmove(dims + d + 1, dims + d + 2, (nd - d - 2) * sizeof *dims);
    nd--;
  } else if (nd < VIEW_ND && dims[nd - 1] % 2 == 0) {
    dims[nd - 1] /= 2;
    dims[nd++] = 2;
  }
  int err = GpuArray_reshape(&next.a, &v->a, nd, dims, GA_C_ORDER, 1);
  if (err == GA_COPY_ERROR)
    return;
  assert_ok(err);
  step_to(v, &next);
}

void view_repeat(view *v, unsigned int where, size_t times) {
  size_t dims[VIEW_ND];
  ssize_t strides[VIEW_ND];
  view_axis axes[VIEW_ND];
  unsigned int n = 0;
  view next;

  for (unsigned int d = 0; d <= v->a.nd; d++) {
    if (d == where) {
      dims[n] = times;
      strides[n++] = 0;
    }
    if (d == v->a.nd)
      break;
    axes[d] = (view_axis){(int)n, 0, 1};
    dims[n] = v->a.dimensions[d];
    strides[n++] = v->a.strides[d];
  }
  assert_ok(GpuArray_fromdata(&next.a, v->a.data, v->a.offset, v->a.typecode, n,
                              dims, strides, 1));
  view_remap(&next, v, axes);
  step_to(v, &next);
}

static void repeat(view *v) {
  const unsigned int where = (unsigned int)draw(v->a.nd + 1);

  if (v->a.nd < VIEW_ND && v->n * 3 <= VIEW_MOST)
    view_repeat(v, where, 1 + draw(3));
}

void view_random(view *v, int typecode, int repeats) {
  const unsigned int nd = (unsigned int)draw(VIEW_ND + 1);
  size_t dims[VIEW_ND];

  do
    random_dims(nd, dims);
  while (dims_total(nd, dims) > VIEW_MOST);
  view_make(v, typecode, nd, dims);
  for (size_t k = draw(4); k > 0; k--) {
    switch (draw(repeats ? 4 : 3)) {
    case 0:
      slice(v);
      break;
    case 1:
      turn(v);
      break;
    case 2:
      reshape(v);
      break;
    default:
      repeat(v);
    }
  }
}

static size_t strided_room(size_t dim, unsigned int axis) {
  return axis % 2 == 0 && dim > 0 ? 2 * dim - 1 : dim;
}

void view_strided(view *v, int typecode, unsigned int nd, const size_t *dims) {
  ssize_t starts[VIEW_ND], stops[VIEW_ND], steps[VIEW_ND];
  unsigned int order[VIEW_ND];
  size_t whole[VIEW_ND];

  for (unsigned int d = 0; d < nd; d++) {
    const size_t room = strided_room(dims[d], d);
    const int is_back = d % 4 == 0 || d % 4 == 3;

    order[d] = nd - 1 - d;
    whole[order[d]] = room;
    starts[d] = is_back && room > 0 ? (ssize_t)room - 1 : 0;
    stops[d] = !is_back ? (ssize_t)room : room > 0 ? -1 : 0;
    steps[d] = (is_back ? -1 : 1) * (d % 2 == 0 ? 2 : 1);
  }
  view_make(v, typecode, nd, whole);
  turn_by(v, order);
  slice_by(v, starts, stops, steps);
}

void view_like(view *like, const view *v, int typecode) {
  size_t dims[VIEW_ND], room = 1;

  for (unsigned int d = 0; d < v->a.nd; d++) {
    dims[d] = v->a.dimensions[d];
    room *= strided_room(dims[d], d);
  }
  if (draw(2) && room <= VIEW_ROOM)
    view_strided(like, typecode, v->a.nd, dims);
  else
    view_make(like, typecode, v->a.nd, dims);
}

void view_drop(view *v) {
  GpuArray_clear(&v->a);
  free(v->host);
}
