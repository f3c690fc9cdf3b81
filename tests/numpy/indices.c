/* SPDX-License-Identifier: BSD-2-Clause */
/* Indices of several items that NumPy judges. */
#include <stdio.h>
#include <string.h>

#include "numpy/draw.h"

/* x0, an index of it, and what NumPy calls the index. */
typedef struct index_draw {
  draw *d;
  gg_var *x;
  size_t dims[4];
  unsigned int nd, axis; /* the next axis */
  gg_item items[12];
  size_t n, n_arrays;
  unsigned int array_nd;
  size_t array_dims[2]; /* what arrays broadcast to */
  char text[256];
} index_draw;

static void add(index_draw *r, gg_item item, const char *text) {
  const size_t n = strlen(r->text);

  r->items[r->n++] = item;
  snprintf(r->text + n, sizeof r->text - n, "%s,", text);
}

static void add_slice(index_draw *r) {
  const int64_t n = (int64_t)r->dims[r->axis++];
  const int64_t start = draw_int(r->d, -n - 1, n + 1),
                stop = draw_int(r->d, -n - 1, n + 1);
  int64_t step = draw_int(r->d, -2, 1);
  char text[64];

  step = step == 0 ? 2 : step;
  snprintf(text, sizeof text, "%d:%d:%d", (int)start, (int)stop, (int)step);
  if (draw_int(r->d, 0, 2) != 0)
    add(r, gg_item_slice(start, stop, step), text);
  else
    add(r,
        gg_item_slice_at(gg_i64(r->d->g, start), gg_i64(r->d->g, stop),
                         gg_i64(r->d->g, step)),
        text);
}

static void add_position(index_draw *r) {
  const int64_t n = (int64_t)r->dims[r->axis++], at = draw_int(r->d, -n, n - 1);
  char text[32];

  snprintf(text, sizeof text, "%d", (int)at);
  add(r, gg_item_at(at), text);
}

static void add_operand(index_draw *r, gg_var *array, const char *more) {
  char text[32];

  r->n_arrays++;
  snprintf(text, sizeof text, "x%u%s", r->d->n_in - 1, more);
  add(r, gg_item_of(array), text);
}

/* With some of the axes that arrays broadcast to, some of these of size 1. */
static void add_array(index_draw *r) {
  static const int dtypes[] = {GA_LONG, GA_INT, GA_BYTE, GA_UBYTE};
  const int dtype = dtypes[draw_int(r->d, 0, 3)];
  const double n = (double)r->dims[r->axis++];
  const unsigned int nd = (unsigned int)draw_int(r->d, 0, r->array_nd);
  size_t dims[2] = {1, 1};

  for (unsigned int i = 0; i < nd; i++)
    if (draw_int(r->d, 0, 3) != 0)
      dims[i] = r->array_dims[r->array_nd - nd + i];
  add_operand(r,
              draw_sized(r->d, dtype, nd, dims, dtype == GA_UBYTE ? 0 : -n, n),
              ".astype(int)");
}

/* Of one or two axes, with as many elements that are true as arrays have. */
static void add_mask(index_draw *r, unsigned int nd) {
  const size_t *dims = r->dims + r->axis;
  const size_t n = dims[0] * (nd == 2 ? dims[1] : 1), count = r->array_dims[0];
  double values[32] = {0};

  for (size_t i = 0; i < count; i++)
    values[i] = 1;
  for (size_t i = n; i-- > 1;) {
    const size_t k = (size_t)draw_int(r->d, 0, (int64_t)i);
    const double swap = values[i];
    values[i] = values[k];
    values[k] = swap;
  }
  r->axis += nd;
  add_operand(r, draw_given(r->d, GA_BOOL, nd, dims, values), "");
}

static int mask_fits(const index_draw *r, unsigned int nd) {
  size_t n = 1;

  for (unsigned int i = 0; i < nd; i++)
    n *= r->axis + i < r->nd ? r->dims[r->axis + i] : 0;
  return r->array_nd == 1 && r->array_dims[0] <= n;
}

static void add_item(index_draw *r, size_t most_arrays) {
  const unsigned int nd = (unsigned int)draw_int(r->d, 1, 2);

  switch (draw_int(r->d, 0, 5)) {
  case 0:
    add_slice(r);
    break;
  case 1:
    add_position(r);
    break;
  case 2:
    r->axis++;
    add(r, gg_item_all(), ":");
    break;
  case 3:
    if (r->n_arrays < most_arrays && mask_fits(r, nd))
      add_mask(r, nd);
    break;
  default:
    if (r->n_arrays < most_arrays)
      add_array(r);
  }
}

static void draw_index(index_draw *r, draw *d, size_t most_arrays) {
  int has_rest = 0, news = 0;

  *r = (index_draw){.d = d, .nd = (unsigned int)draw_int(d, 1, 4)};
  for (unsigned int i = 0; i < r->nd; i++)
    r->dims[i] = (size_t)draw_int(d, 1, 4);
  r->array_nd = (unsigned int)draw_int(d, 0, 2);
  for (unsigned int i = 0; i < r->array_nd; i++)
    r->array_dims[i] = (size_t)draw_int(d, 1, 3);
  r->x = draw_sized(d, draw_int(d, 0, 1) ? GA_FLOAT : GA_INT, r->nd, r->dims,
                    -9, 9);
  while (r->axis < r->nd && draw_int(d, 0, 9) != 0) {
    if (news < 2 && draw_int(d, 0, 5) == 0) {
      add(r, gg_item_new(), "None");
      news++;
    }
    if (!has_rest && draw_int(d, 0, 5) == 0) {
      const unsigned int left = r->nd - r->axis;
      const unsigned int skip = (unsigned int)draw_int(d, 0, left);
      /* What follows has to index the last axes. */
      add(r, gg_item_rest(), "...");
      r->axis += skip;
      has_rest = 1;
      while (r->axis < r->nd)
        add_item(r, most_arrays);
    } else {
      add_item(r, most_arrays);
    }
  }
}

static gg_var *index_take(draw *d) {
  index_draw r;

  draw_index(&r, d, MOST_OPERANDS - 1);
  draw_say(d, "x0[%s]", r.n != 0 ? r.text : "...");
  return gg_index_take(r.x, r.n, r.items);
}

/* Values are what the index takes of another array, or their sums along one
 * axis, or a scalar. */
static gg_var *index_put(draw *d) {
  static const char *const functions[] = {"", "add", "multiply", "maximum",
                                          "minimum"};
  const gg_put_op how = (gg_put_op)draw_int(d, GG_PUT_SET, GG_PUT_MIN);
  index_draw r;

  draw_index(&r, d, MOST_OPERANDS - 2);
  const char *text = r.n != 0 ? r.text : "...";
  const int dtype = gg_var_type(r.x)->dtype;
  gg_var *v = draw_sized(d, dtype, r.nd, r.dims, -2, 3);
  char values[512];
  v = gg_index_take(v, r.n, r.items);
  const int nd = v != NULL ? (int)gg_var_type(v)->nd : 0;
  const int axis = (int)draw_int(d, -1, nd - 1);
  snprintf(values, sizeof values, "x%u[%s]", d->n_in - 1, text);
  if (axis >= 0 && draw_int(d, 0, 1) == 0) {
    v = gg_cast(gg_reduce(GG_SUM, v, 1, &axis, 1), dtype);
    snprintf(values, sizeof values, "np.sum(x%u[%s],axis=%d,keepdims=True)",
             d->n_in - 1, text, axis);
  } else if (draw_int(d, 0, 4) == 0) {
    v = gg_i64(d->g, 3);
    snprintf(values, sizeof values, "3");
  }
  if (how == GG_PUT_SET)
    draw_say(d, "(lambda y: (y.__setitem__(np.s_[%s], %s), y)[1])(x0.copy())",
             text, values);
  else
    draw_say(d, "(lambda y: (np.%s.at(y, np.s_[%s], %s), y)[1])(x0.copy())",
             functions[how], text, values);
  return gg_index_put(r.x, r.n, r.items, v, how);
}

static const numpy_case cases[] = {
    {"index_take", .build = index_take},
    {"index_take again", .build = index_take},
    {"index_put", .build = index_put},
    {"index_put again", .build = index_put},
};

const numpy_table numpy_indices = {cases, sizeof cases / sizeof *cases};
