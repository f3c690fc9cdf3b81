/* SPDX-License-Identifier: BSD-2-Clause */
/* The largest elements of the parts of regions, and where they are, by a kernel
 * that computes one part in each work-item. */
#include <gpuarray/util.h>
#include <gpugraph/arrange.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/family.h"
#include "ops/ops.h"
#include "ops/value_size.h"

enum { X, REGIONS, IMAGES };   /* operands */
enum { VALUES, PLACES };       /* results */
enum { MOST_PARTS = 1 << 20 }; /* along an axis; products fit int64 */

static const gg__roi_props *props_of(const gg_apply *a) {
  return a->props;
}

/* --- types and sizes --- */

static int infer(const gg_apply *a, gg_type *out) {
  const gg__roi_props *p = props_of(a);

  out[VALUES] = *gg_var_type(a->in[X]);
  out[VALUES].dims[0] = gg_var_type(a->in[REGIONS])->dims[0];
  out[VALUES].dims[2] = p->rows;
  out[VALUES].dims[3] = p->columns;
  out[PLACES] = out[VALUES];
  out[PLACES].dtype = GA_LONG;
  return GA_NO_ERROR;
}

static int shape(const gg_apply *a, const gg_dims *in,
                 const double *const *host, gg_dims *out) {
  const gg__roi_props *p = props_of(a);
  const size_t n = in[REGIONS].dim[0];

  (void)host;
  if (in[REGIONS].dim[1] != 4)
    return gg_op_fail(a, GA_VALUE_ERROR, "regions of %zu numbers, expected 4",
                      in[REGIONS].dim[1]);
  if (in[IMAGES].dim[0] != n)
    return gg_op_fail(a, GA_VALUE_ERROR, "%zu regions, and images of %zu", n,
                      in[IMAGES].dim[0]);
  if (in[X].dim[0] == 0 && n != 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "%zu regions of no images", n);
  out[VALUES] = in[X];
  out[VALUES].dim[0] = n;
  out[VALUES].dim[2] = (size_t)p->rows;
  out[VALUES].dim[3] = (size_t)p->columns;
  out[PLACES] = out[VALUES];
  return GA_NO_ERROR;
}

/* --- on the host --- */

/* What both forms compute. Part k of n of the elements from `low` to `high`
 * begins at edge(k, 0) and ends before edge(k + 1, n - 1), cut to the image. */
static int64_t whole(double v) {
  return isnan(v) ? 0 : (int64_t)fmin(fmax(round(v), -0x1p30), 0x1p30);
}

static int64_t edge(const double *at, int64_t k, int64_t up, int64_t n,
                    int64_t size) {
  const int64_t from = whole(at[0]), span = whole(at[2]) - from + 1;
  const int64_t e = from + (k * (span > 1 ? span : 1) + up) / n;

  return e < 0 ? 0 : e > size ? size : e;
}

/* Set `at` to the corners of region r, times the scale, in the precision of the
 * kernel. */
static void corners(const gg_prepare *p, size_t r, double *at) {
  const int dtype = p->in[REGIONS]->typecode;
  const char *from = p->from[REGIONS];
  const double scale = props_of(p->apply)->scale;

  for (size_t k = 0; k < 4; k++) {
    const double v =
        ga__dtype_to_double(dtype, from + (4 * r + k) * ga__dtype_size(dtype));
    at[k] = dtype == GA_DOUBLE ? v * scale : (double)((float)v * (float)scale);
  }
}

/* The first element of the image of region r. */
static int64_t image_of(const gg_prepare *p, size_t r) {
  const size_t *size = p->in[X]->dimensions;
  const int64_t n = (int64_t)size[0];
  int64_t k = ((const int64_t *)p->from[IMAGES])[r];

  k = k < 0 ? k + n : k;
  k = k < 0 ? 0 : k >= n ? n - 1 : k;
  return k * (int64_t)(size[1] * size[2] * size[3]);
}

/* The place of the largest element in rows [r[0], r[1]) and columns [c[0],
 * c[1]) of the plane that begins at `first`, or -1. */
static int64_t largest(const gg_prepare *p, int64_t first, const int64_t *r,
                       const int64_t *c) {
  const GpuArray *x = p->in[X];
  const char *from = p->from[X];
  int64_t at = -1;
  double best = 0;

  for (int64_t i = r[0]; i < r[1]; i++)
    for (int64_t j = c[0]; j < c[1]; j++) {
      const int64_t k = first + i * (int64_t)x->dimensions[3] + j;
      const double v = ga__dtype_to_double(
          x->typecode, from + (size_t)k * ga__dtype_size(x->typecode));
      if (at < 0 || v > best || (isnan(v) && !isnan(best))) {
        best = v;
        at = k;
      }
    }
  return at;
}

static int reference(const gg_prepare *p) {
  const gg__roi_props *q = props_of(p->apply);
  const size_t *size = p->in[X]->dimensions;
  const int64_t plane = (int64_t)(size[2] * size[3]);
  const size_t item = ga__dtype_size(p->in[X]->typecode);
  const size_t n = gg__array_count(p->out[PLACES]);
  char *value = p->to[VALUES];
  int64_t *place = p->to[PLACES];

  for (size_t i = 0; i < n; i++) {
    const int64_t j = (int64_t)i % q->columns;
    const int64_t k = (int64_t)i / q->columns % q->rows;
    const size_t c = i / (size_t)(q->columns * q->rows) % size[1];
    const size_t r = i / (size_t)(q->columns * q->rows) / size[1];
    double at[4];
    corners(p, r, at);
    const int64_t rows[2] = {
        edge(at + 1, k, 0, q->rows, (int64_t)size[2]),
        edge(at + 1, k + 1, q->rows - 1, q->rows, (int64_t)size[2])};
    const int64_t columns[2] = {
        edge(at, j, 0, q->columns, (int64_t)size[3]),
        edge(at, j + 1, q->columns - 1, q->columns, (int64_t)size[3])};
    place[i] = largest(p, image_of(p, r) + (int64_t)c * plane, rows, columns);
    if (place[i] < 0)
      memset(value + i * item, 0, item);
    else
      memcpy(value + i * item,
             (const char *)p->from[X] + (size_t)place[i] * item, item);
  }
  return GA_NO_ERROR;
}

/* --- the kernel --- */

/* `best == best` is false once a NaN was found. */
static const char text[] =
    "#include \"cluda.h\"\n"
    "#define AT(T, a, o) ((GLOBAL_MEM T *)((GLOBAL_MEM char *)a + o))\n"
    "static ga_long whole(WORK_INPUT_1 v) {\n"
    "  const WORK_INPUT_1 most = 1 << 30;\n"
    "  return isnan(v) ? 0 : (ga_long)clamp(round(v), -most, most);\n"
    "}\n"
    "static ga_long edge(WORK_INPUT_1 low, WORK_INPUT_1 high, ga_long k,\n"
    "                    ga_long up, ga_long n, ga_long size) {\n"
    "  const ga_long from = whole(low);\n"
    "  const ga_long span = max(whole(high) - from + 1, (ga_long)1);\n"
    "  return clamp(from + (k * span + up) / n, (ga_long)0, size);\n"
    "}\n"
    "KERNEL void roi_pool(\n"
    "    GLOBAL_MEM const DTYPE_INPUT_0 *x, ga_size ox,\n"
    "    GLOBAL_MEM const DTYPE_INPUT_1 *regions, ga_size og,\n"
    "    GLOBAL_MEM const ga_long *images, ga_size oi,\n"
    "    GLOBAL_MEM DTYPE_OUTPUT_0 *value, ga_size ov,\n"
    "    GLOBAL_MEM ga_long *place, ga_size op,\n"
    "    ga_ssize n, ga_ssize n_images, ga_ssize channels, ga_ssize height,\n"
    "    ga_ssize width, ga_ssize rows, ga_ssize columns,\n"
    "    WORK_INPUT_1 scale, ga_int is_placed) {\n"
    "  const ga_ssize i = GID_0 * LDIM_0 + LID_0;\n"
    "  if (i >= n)\n"
    "    return;\n"
    "  const ga_ssize j = i % columns, k = i / columns % rows;\n"
    "  const ga_ssize c = i / (columns * rows) % channels;\n"
    "  const ga_ssize r = i / (columns * rows) / channels;\n"
    "  x = AT(const DTYPE_INPUT_0, x, ox);\n"
    "  regions = AT(const DTYPE_INPUT_1, regions, og) + 4 * r;\n"
    "  const WORK_INPUT_1 left = LOAD_INPUT_1(regions[0]) * scale;\n"
    "  const WORK_INPUT_1 top = LOAD_INPUT_1(regions[1]) * scale;\n"
    "  const WORK_INPUT_1 right = LOAD_INPUT_1(regions[2]) * scale;\n"
    "  const WORK_INPUT_1 bottom = LOAD_INPUT_1(regions[3]) * scale;\n"
    "  const ga_long y0 = edge(top, bottom, k, 0, rows, height);\n"
    "  const ga_long y1 = edge(top, bottom, k + 1, rows - 1, rows, height);\n"
    "  const ga_long x0 = edge(left, right, j, 0, columns, width);\n"
    "  const ga_long x1 =\n"
    "      edge(left, right, j + 1, columns - 1, columns, width);\n"
    "  ga_long at = AT(const ga_long, images, oi)[r];\n"
    "  at = clamp(at < 0 ? at + n_images : at, (ga_long)0, n_images - 1);\n"
    "  const ga_long first = (at * channels + c) * height * width;\n"
    "  WORK_INPUT_0 best = 0;\n"
    "  at = -1;\n"
    "  for (ga_long y = y0; y < y1; ++y)\n"
    "    for (ga_long k = x0; k < x1; ++k) {\n"
    "      const ga_long here = first + y * width + k;\n"
    "      const WORK_INPUT_0 v = LOAD_INPUT_0(x[here]);\n"
    "      if (at < 0 || (best == best && !(v <= best))) {\n"
    "        best = v;\n"
    "        at = here;\n"
    "      }\n"
    "    }\n"
    "  AT(DTYPE_OUTPUT_0, value, ov)[i] = WRITE_OUTPUT_0(best);\n"
    "  if (is_placed)\n"
    "    AT(ga_long, place, op)[i] = at;\n"
    "}\n";

/* The last arguments of the kernel but two, all ssize_t. */
enum { N, N_IMAGES, CHANNELS, HEIGHT, WIDTH, ROWS, COLUMNS, N_SIZES };
enum { N_ARRAYS = 5, SIZES = 2 * N_ARRAYS, N_ARGS = SIZES + N_SIZES + 2 };

static void set_sizes(const gg_prepare *p, ssize_t *size) {
  const gg__roi_props *q = props_of(p->apply);

  size[N] = (ssize_t)gg__array_count(p->out[VALUES]);
  for (int d = 0; d < 4; d++)
    size[N_IMAGES + d] = (ssize_t)p->in[X]->dimensions[d];
  size[ROWS] = (ssize_t)q->rows;
  size[COLUMNS] = (ssize_t)q->columns;
}

static int prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                   int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  GpuArray *const arrays[N_ARRAYS] = {p->in[X], p->in[REGIONS], p->in[IMAGES],
                                      p->out[VALUES], p->out[PLACES]};
  const int work = gpuarray_work_dtype(p->in[REGIONS]->typecode);
  double scale = props_of(p->apply)->scale;
  float narrow = (float)scale;
  int32_t is_placed = (p->unread & 1u << PLACES) == 0;
  ssize_t size[N_SIZES];
  int types[N_ARGS];
  void *args[N_ARGS];

  set_sizes(p, size);
  for (size_t i = 0; i < N_ARRAYS; i++) {
    types[2 * i] = GA_BUFFER;
    types[2 * i + 1] = GA_OFFSET;
    args[2 * i] = arrays[i];
    args[2 * i + 1] = NULL;
  }
  for (size_t i = 0; i < N_SIZES; i++) {
    types[SIZES + i] = GA_SSIZE;
    args[SIZES + i] = &size[i];
  }
  types[N_ARGS - 2] = work;
  args[N_ARGS - 2] = work == GA_DOUBLE ? (void *)&scale : &narrow;
  types[N_ARGS - 1] = GA_INT;
  args[N_ARGS - 1] = &is_placed;
  const GpuKernelSpec kernel = {
      .name = "roi_pool",
      .code = text,
      .n_types = N_ARGS,
      .types = types,
      .flags = gpuarray_type_flags(p->in[X]->typecode, work, -1)};
  GpuLaunch_scall(l, &kernel, 1, &(size_t){(size_t)size[N]}, 0, args);
  GpuLaunch_cost(l,
                 (double)gg__array_bytes(p->in[X]) +
                     (double)gg__array_bytes(p->out[VALUES]),
                 0);
  return GpuLaunch_close(out, l);
}

/* --- gradients --- */

/* Each result's gradient goes to its place. Those without one add 0 to the
 * first element. */
static int grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const x = a->in[X], *const places = a->out[PLACES];
  gg_var *const none = gg_i64(gg_var_graph(x), 0);

  if (gout[VALUES] == NULL)
    return GA_NO_ERROR;
  gg_var *const g =
      gg_where(gg_lt(places, none), gg__num(gout[VALUES], 0), gout[VALUES]);
  gin[X] = gg__reshape_like(gg_put_add(gg_flatten(gg_zeros_like(x)), 0,
                                       gg_flatten(gg_maximum(places, none)),
                                       gg_flatten(g)),
                            x);
  return GA_NO_ERROR;
}

static int connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  return in == X && out == VALUES;
}

static void print(const gg_apply *a, char *buf, size_t bytes) {
  const gg__roi_props *p = props_of(a);

  snprintf(buf, bytes, "%lld x %lld, scale=%g", (long long)p->rows,
           (long long)p->columns, p->scale);
}

const gg_op gg__op_roi_pool = {.name = "roi_pool",
                               .kind = GG_OP_KERNEL,
                               .props_bytes = sizeof(gg__roi_props),
                               .n_out = 2,
                               .c_order = 1,
                               .half_ok = 1,
                               .infer = infer,
                               .shape = shape,
                               .grad = grad,
                               .connected = connected,
                               .prepare = prepare,
                               .reference = reference,
                               .print = print};

/* --- in texts and files --- */

static int check(const gg_apply *a) {
  const gg__roi_props *p = props_of(a);

  if (p->rows < 1 || p->rows > MOST_PARTS || p->columns < 1 ||
      p->columns > MOST_PARTS || !isfinite(p->scale))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "%lld rows, %lld columns, scale %g; expected 1 to %d of "
                      "each, and a finite scale",
                      (long long)p->rows, (long long)p->columns, p->scale,
                      MOST_PARTS);
  if (gg_var_type(a->in[IMAGES])->dtype != GA_LONG)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected images of int64");
  return GA_NO_ERROR;
}

static const gg_field fields[] = {
    {GG_FIELD("rows", INT64, gg__roi_props, rows)},
    {GG_FIELD("columns", INT64, gg__roi_props, columns)},
    {GG_FIELD("scale", REAL, gg__roi_props, scale)}};

const gg_op_form gg__forms_region_nodes[] = {
    GG_FORM_PROPS(roi_pool, "f4f2i1", fields, check), GG_FORMS_END};
