/* SPDX-License-Identifier: BSD-2-Clause */
/* New arrays: filled with a value, counted, diagonal, cast to another dtype. */
#include <gpuarray/create.h>
#include <gpuarray/device.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "array/geometry.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/strb.h"
#include "codegen/gen_arg.h"
#include "codegen/template.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/ocl.h"

#define CPU_ITEM 16384 /* elements per work-item */
#define GPU_GROUP 128
#define GPU_ITEM 8

/* --- one value --- */

static int check_value(const GpuArray *a, int typecode, const void *value) {
  GA_TRY(ga__array_check(a));
  if (value == NULL)
    return ga__fail(GA_VALUE_ERROR, "no value to fill with");
  if (ga__dtype_kind(typecode) == GA_KIND_NONE ||
      ga__dtype_kind(a->typecode) == GA_KIND_NONE)
    return ga__fail(GA_UNSUPPORTED_ERROR, "type %d is not supported",
                    ga__dtype_kind(typecode) == GA_KIND_NONE ? typecode
                                                             : a->typecode);
  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_READONLY_ERROR, "the array is not writeable");
  return GA_NO_ERROR;
}

static int is_one_byte(const unsigned char *value, size_t bytes) {
  for (size_t i = 1; i < bytes; i++) {
    if (value[i] != value[0])
      return 0;
  }
  return 1;
}

/* Whether both are floats or both complex, and they differ. */
static int is_other_float(int a, int b) {
  const ga__kind kind = ga__dtype_kind(a);

  return (kind == GA_KIND_FLOAT || kind == GA_KIND_COMPLEX) &&
         kind == ga__dtype_kind(b) && ga__dtype_canon(a) != ga__dtype_canon(b);
}

/* Convert a float or a complex number on the host, so that a device without
 * float64 takes doubles, too. */
static void convert(int to, void *converted, int from, const void *value) {
  const int parts = ga__dtype_is_complex(to) ? 2 : 1;
  const int part_to = ga__dtype_real(to), part_from = ga__dtype_real(from);
  const size_t size_to = ga__dtype_size(part_to);
  const size_t size_from = ga__dtype_size(part_from);

  for (int k = 0; k < parts; k++)
    ga__dtype_from_double(
        part_to, (char *)converted + (size_t)k * size_to,
        ga__dtype_to_double(part_from,
                            (const char *)value + (size_t)k * size_from));
}

int GpuArray_fill(GpuArray *a, int typecode, const void *value) {
  double converted[2];
  gpudata *data = NULL;
  GpuArray one = {0};
  int err;

  GA_TRY(check_value(a, typecode, value));
  if (is_other_float(typecode, a->typecode)) {
    convert(a->typecode, converted, typecode, value);
    value = converted;
    typecode = a->typecode;
  }
  const size_t bytes = ga__dtype_size(typecode);
  if (ga__array_total(a) == 0)
    return GA_NO_ERROR;
  if (ga__dtype_canon(typecode) == ga__dtype_canon(a->typecode) &&
      GpuArray_ISONESEGMENT(a) && is_one_byte(value, bytes))
    return GpuArray_memset(a, *(const unsigned char *)value);
  data = gpudata_alloc(GpuArray_context(a), bytes, (void *)value,
                       GA_BUFFER_INIT, &err);
  if (data == NULL)
    return err;
  GA_CHECK(GpuArray_fromdata(&one, data, 0, typecode, 0, NULL, NULL, 0));
  GA_CHECK(GpuArray_setarray(a, &one));

done:
  GpuArray_clear(&one);
  gpudata_release(data);
  return err;
}

/* --- counting --- */

static int is_whole_type(int typecode) {
  const ga__kind kind = ga__dtype_kind(typecode);

  return kind == GA_KIND_INT || kind == GA_KIND_UINT;
}

/* Whether the whole number `v` is a value of an integer dtype. */
static int fits(int typecode, double v) {
  const int bits = (int)ga__dtype_size(typecode) * 8;

  if (ga__dtype_kind(typecode) == GA_KIND_UINT)
    return v >= 0 && v < ldexp(1, bits);
  return v >= -ldexp(1, bits - 1) && v < ldexp(1, bits - 1);
}

static int count(size_t *n, int typecode, double start, double stop,
                 double step) {
  const double many = ceil((stop - start) / step);

  if (ga__dtype_kind(typecode) == GA_KIND_NONE ||
      ga__dtype_kind(typecode) == GA_KIND_BOOL)
    return ga__fail(GA_VALUE_ERROR, "counting in %s", ga__dtype_name(typecode));
  if (!isfinite(many) || !isfinite(start))
    return ga__fail(GA_VALUE_ERROR, "from %g to %g by %g", start, stop, step);
  if (many >= ldexp(1, 53))
    return ga__fail(GA_XLARGE_ERROR, "%g elements from %g to %g by %g", many,
                    start, stop, step);
  *n = many > 0 ? (size_t)many : 0;
  if (!is_whole_type(typecode) || *n == 0)
    return GA_NO_ERROR;
  if (start != floor(start) || (*n > 1 && step != floor(step)))
    return ga__fail(GA_VALUE_ERROR, "from %g by %g in %s: not whole", start,
                    step, ga__dtype_name(typecode));
  if (!fits(typecode, start) ||
      !fits(typecode, start + (double)(*n - 1) * step))
    return ga__fail(GA_VALUE_ERROR, "%.17g to %.17g are not values of %s",
                    start, start + (double)(*n - 1) * step,
                    ga__dtype_name(typecode));
  return GA_NO_ERROR;
}

static void write_macros(ga__strb *b, int typecode) {
  const int real = ga__dtype_real(typecode);
  const char *stored = ga__arg_value_type(real);
  const int is_complex = ga__dtype_is_complex(typecode);

  if (is_whole_type(typecode))
    ga__strb_append(b, "#define A_REAL long\n"
                       "#define A_AT(i) (start + (long)(i) * step)\n");
  else
    ga__strb_appendf(b,
                     "#define A_REAL %s\n"
                     "#define A_AT(i) fma((A_REAL)(i), step, start)\n",
                     ga__dtype_cl(ga__dtype_work(real)));
  ga__strb_appendf(b, "#define A_STORED %s\n#define A_PUT(v, i) ", stored);
  if (is_complex)
    ga__strb_append(b, "out[2 * (i)] = (v); out[2 * (i) + 1] = 0\n");
  else if (ga__dtype_is_narrow(real))
    ga__strb_appendf(b, "out[i] = ga_to_%s(v)\n", ga__dtype_cl(real));
  else
    ga__strb_append(b, "out[i] = (A_STORED)(v)\n");
}

/* `v` as an argument of type A_REAL. */
static void add_real(GpuLaunch *l, int typecode, double v) {
  const int real = ga__dtype_work(ga__dtype_real(typecode));
  const float single = (float)v;

  if (is_whole_type(typecode)) /* below 2^64 in magnitude; wraps */
    ga__launch_ssize(l, (ptrdiff_t)(v < 0 ? 0 - (uint64_t)-v : (uint64_t)v));
  else if (real == GA_DOUBLE)
    ga__launch_value(l, -1, sizeof v, &v);
  else
    ga__launch_value(l, -1, sizeof single, &single);
}

typedef struct arange_job {
  GpuArray *a;
  double start, step;
} arange_job;

static int prepare_arange(GpuLaunch **out, const void *arg) {
  const arange_job *j = arg;
  gpucontext *ctx = GpuArray_context(j->a);
  const int typecode = j->a->typecode;
  const size_t n = j->a->dimensions[0];
  const gpudevice_caps *caps = gpucontext_caps(ctx);
  const size_t most = caps->max_group < GPU_GROUP ? caps->max_group : GPU_GROUP;
  const size_t ls = caps->is_cpu ? 1 : most;
  const size_t per = caps->is_cpu ? CPU_ITEM : GPU_ITEM;
  const size_t gs = ga__round_up(ga__ceil_div(n, per), ls);
  ga__strb macros = GA_STRB_INIT;
  const char *parts[2];
  ga__source src = {.n = 2, .parts = parts, .entry = "arange"};
  int err;

  *out = NULL;
  write_macros(&macros, typecode);
  ga__strb_appendf(&macros,
                   "#define A_APART %d\n"
                   "#define A_IDX %s\n",
                   !caps->is_cpu, n + gs * per > UINT32_MAX ? "ulong" : "uint");
  GA_CHECK(macros.err);
  parts[0] = ga__strb_text(&macros);
  parts[1] = ga__template("arange");
  GpuLaunch *l = ga__launch_open(ctx, "arange", 1);
  ga__launch_kernel(l, &src, 1, &gs, &ls);
  ga__launch_slot(l, 0);
  ga__launch_size(l, n);
  add_real(l, typecode, j->start);
  add_real(l, typecode, j->step);
  ga__launch_size(l, per);
  ga__launch_bind_array(l, 0, j->a);
  err = ga__launch_seal(out, l);

done:
  ga__strb_clear(&macros);
  return err;
}

static int run_arange(GpuArray *a, double start, double step) {
  const arange_job j = {a, start, step};
  const void *const arrays[] = {a};
  gpucontext *ctx = GpuArray_context(a);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "arange");
  ga__launch_key_double(&key, start);
  ga__launch_key_double(&key, step);
  ga__launch_key_array(&key, a);
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = 1,
                                           .values = arrays,
                                           .prepare = prepare_arange,
                                           .arg = &j});
}

int GpuArray_arange(GpuArray *a, gpucontext *ctx, int typecode, double start,
                    double stop, double step) {
  size_t n;

  memset(a, 0, sizeof *a);
  GA_TRY(count(&n, typecode, start, stop, step));
  GA_TRY(GpuArray_empty(a, ctx, typecode, 1, &n, GA_C_ORDER));
  /* The step of a single element is not used, and need not be a value. */
  int err = n > 0 ? run_arange(a, start, n > 1 ? step : 0) : GA_NO_ERROR;
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

/* --- diagonals --- */

/* Set the row and column where diagonal k begins. Returns its number of
 * elements. */
static size_t diagonal(size_t rows, size_t cols, ssize_t k, size_t *row,
                       size_t *col) {
  *row = k < 0 ? (size_t)0 - (size_t)k : 0;
  *col = k > 0 ? (size_t)k : 0;
  if (*row >= rows || *col >= cols)
    return 0;
  return rows - *row < cols - *col ? rows - *row : cols - *col;
}

static int fill_diagonal(GpuArray *a, ssize_t k) {
  const size_t item = GpuArray_ITEMSIZE(a), cols = a->dimensions[1];
  const ssize_t stride = (ssize_t)((cols + 1) * item);
  const uint8_t one = 1;
  GpuArray line = {0};
  size_t row, col;
  const size_t n = diagonal(a->dimensions[0], cols, k, &row, &col);
  int err;

  if (n == 0)
    return GA_NO_ERROR;
  GA_CHECK(GpuArray_fromdata(&line, a->data, (row * cols + col) * item,
                             a->typecode, 1, &n, &stride, 1));
  GA_CHECK(GpuArray_fill(&line, GA_UBYTE, &one));

done:
  GpuArray_clear(&line);
  return err;
}

int GpuArray_eye(GpuArray *a, gpucontext *ctx, int typecode, size_t rows,
                 size_t cols, ssize_t k) {
  const size_t dims[2] = {rows, cols};

  memset(a, 0, sizeof *a);
  GA_TRY(GpuArray_zeros(a, ctx, typecode, 2, dims, GA_C_ORDER));
  int err = fill_diagonal(a, k);
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

/* --- casts --- */

int GpuArray_cast(GpuArray *res, const GpuArray *a, int typecode,
                  ga_order order) {
  memset(res, 0, sizeof *res);
  GA_TRY(ga__array_check(a));
  if (ga__dtype_kind(typecode) == GA_KIND_NONE)
    return ga__fail(GA_UNSUPPORTED_ERROR, "type %d is not supported", typecode);
  GA_TRY(GpuArray_empty(res, GpuArray_context(a), typecode, a->nd,
                        a->dimensions, ga__array_order(a, order)));
  int err = GpuArray_setarray(res, a);
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  return err;
}
