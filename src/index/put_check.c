/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks indices on the device before a call uses them. */
#include "index/put_check.h"

#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <stdint.h>
#include <string.h>

#include "array/geometry.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_put.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/ocl.h"

#define CHUNK 8192 /* indices of a work-item on a CPU */
#define GROUP 128  /* work-items of a group on a GPU */

int ga__put_check_type(const GpuArray *index) {
  const ga__kind kind = ga__dtype_kind(index->typecode);

  if (kind != GA_KIND_INT && kind != GA_KIND_UINT)
    return ga__fail(GA_VALUE_ERROR, "indices: expected integers, got %s",
                    ga__dtype_name(index->typecode));
  return GA_NO_ERROR;
}

/* A check. The flag is the context's error buffer, which is zero before and
 * after. */
typedef struct check {
  gpucontext *ctx;
  const GpuArray *index;
  size_t rows;
  GpuArray flag; /* its data is borrowed */
} check;

/* --- the kernel --- */

static int index_space(ga__iter *it, const GpuArray *index) {
  ptrdiff_t strides[GA_ND_MAX];

  for (unsigned int d = 0; d < index->nd; d++)
    strides[d] = index->strides[d];
  GA_TRY(ga__iter_init(it, index->nd, index->dimensions, GA_PUT_ARRAYS));
  ga__iter_set(it, GA_PUT_INDICES, strides);
  ga__iter_order(it, GA_PUT_INDICES);
  ga__iter_merge(it);
  if (it->nd == 0) {
    it->nd = 1;
    it->dims[0] = 1;
  }
  return GA_NO_ERROR;
}

static void add_arguments(GpuLaunch *l, const check *c, const ga__iter *it,
                          size_t pieces, size_t piece) {
  ga__launch_slot(l, 0);
  ga__launch_offset(l, 0, (size_t)it->first[GA_PUT_INDICES]);
  ga__launch_require_align(l, 0, GpuArray_ITEMSIZE(c->index));
  ga__launch_slot(l, 1);
  ga__launch_size(l, c->rows);
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_ssize(l, it->strides[GA_PUT_INDICES][d]);
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_size(l, it->dims[d]);
  ga__launch_size(l, ga__iter_total(it) / it->dims[0]);
  ga__launch_size(l, it->dims[0]);
  ga__launch_size(l, pieces);
  ga__launch_size(l, piece);
}

static int add_kernel(GpuLaunch *l, const check *c, const ga__iter *it) {
  const int is_cpu = gpucontext_caps(c->ctx)->is_cpu;
  const size_t total = ga__iter_total(it), piece = is_cpu ? CHUNK : 1;
  const size_t pieces = ga__ceil_div(it->dims[0], piece);
  const size_t most = gpucontext_caps(c->ctx)->max_group;
  const size_t ls = is_cpu ? 1 : ga__at_most(GROUP, most);
  const size_t gs = ga__round_up(total / it->dims[0] * pieces, ls);
  const ga__gen_put gen = {.kernel = GA_PUT_CHECK,
                           .index_type = c->index->typecode,
                           .is_wide = !ga__fits_int(total),
                           .many_rows = !ga__fits_int(c->rows),
                           .lines = it};
  ga__strb macros = GA_STRB_INIT;
  const char *parts[4];
  const ga__source src = {.n = 4, .parts = parts, .entry = "put_check"};
  int err;

  ga__gen_put_write(&macros, &gen);
  GA_CHECK(macros.err);
  parts[0] = ga__strb_text(&macros);
  parts[1] = ga__template("index_guard");
  parts[2] = ga__template("put_index");
  parts[3] = ga__template("put_check");
  ga__launch_kernel(l, &src, 1, &gs, &ls);
  add_arguments(l, c, it, pieces, piece);

done:
  ga__strb_clear(&macros);
  return err;
}

static int prepare_check(GpuLaunch **out, const void *arg) {
  const check *c = arg;
  ga__iter it = {0};
  GpuLaunch *l = NULL;
  int err;

  *out = NULL;
  GA_CHECK(index_space(&it, c->index));
  l = ga__launch_open(c->ctx, "indices", 2);
  if (l != NULL) {
    err = add_kernel(l, c, &it);
    if (err != GA_NO_ERROR)
      ga__launch_error(l, err);
  }
  ga__launch_bind_array(l, 0, c->index);
  ga__launch_bind_array(l, 1, &c->flag);
  err = ga__launch_seal(out, l);

done:
  ga__iter_clear(&it);
  return err;
}

/* --- the report --- */

/* Whether an index, extended to 64 bits, is out of range. */
static int is_bad(uint64_t bits, int is_signed, size_t rows) {
  const int64_t i = (int64_t)bits;

  if (is_signed && i < 0)
    return (uint64_t)0 - bits > rows;
  return bits >= rows;
}

static int name_first(const uint64_t *host, size_t n, int is_signed,
                      size_t rows, unsigned int axis) {
  for (size_t k = 0; k < n; k++) {
    if (!is_bad(host[k], is_signed, rows))
      continue;
    if (is_signed)
      return ga__fail(GA_VALUE_ERROR,
                      "index %lld at position %zu out of bounds for axis %u "
                      "with size %zu",
                      (long long)host[k], k, axis, rows);
    return ga__fail(GA_VALUE_ERROR,
                    "index %llu at position %zu out of bounds for axis %u "
                    "with size %zu",
                    (unsigned long long)host[k], k, axis, rows);
  }
  return ga__fail(GA_VALUE_ERROR, "an index is out of bounds for axis %u",
                  axis);
}

static int report(const check *c, unsigned int axis) {
  const int is_signed = ga__dtype_kind(c->index->typecode) == GA_KIND_INT;
  const size_t n = ga__array_total(c->index);
  uint64_t *host = ga__calloc(n, sizeof *host);
  GpuArray wide = {0};
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  GA_CHECK(GpuArray_cast(&wide, c->index, is_signed ? GA_LONG : GA_ULONG,
                         GA_C_ORDER));
  GA_CHECK(GpuArray_read(host, n * sizeof *host, &wide));
  err = name_first(host, n, is_signed, c->rows, axis);

done:
  GpuArray_clear(&wide);
  ga__free(host);
  return err;
}

/* --- the call --- */

static int run_check(const check *c, int *found) {
  const void *const arrays[2] = {c->index, &c->flag};
  const int32_t zero = 0;
  int32_t flag = 0;
  ga__launch_key key;

  ga__launch_key_start(&key, c->ctx, "check");
  ga__launch_key_number(&key, c->rows);
  ga__launch_key_array(&key, c->index);
  GA_TRY(ga__cached_run(&(ga__cached_call){.ctx = c->ctx,
                                           .key = &key,
                                           .n = 2,
                                           .values = arrays,
                                           .prepare = prepare_check,
                                           .arg = c}));
  int err = gpudata_read(&flag, c->flag.data, 0, sizeof flag);
  *found = flag != 0;
  if (flag != 0) /* even if the read reported another error */
    GA_TRY(gpudata_write(c->flag.data, 0, &zero, sizeof zero));
  return err;
}

int ga__put_check_indices(const GpuArray *index, size_t rows,
                          unsigned int axis) {
  check c = {.ctx = GpuArray_context(index), .index = index, .rows = rows};
  int found = 0;

  if (ga__array_total(index) == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(c.ctx); /* all checks of a context share its error buffer */
  int err = gpucontext_property(c.ctx, GA_CTX_PROP_ERRBUF, &c.flag.data);
  if (err == GA_NO_ERROR)
    err = run_check(&c, &found);
  ga__ctx_unlock(c.ctx);
  GA_TRY(err);
  return found ? report(&c, axis) : GA_NO_ERROR;
}
