/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches that select elements. One kernel counts them in each part, one
 * writes them in order. */
#include "select/select.h"

#include <gpuarray/device.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_select.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "ocl/ocl.h"

/* CHUNK, and on a GPU TILES, are the fewest elements of a part. Every part adds
 * up the counts of all parts, so there are not too many. RUN is the elements of
 * a work-item of a tile, whose positions are 2 bytes in local memory. */
#define CPU_CHUNK 16384
#define CPU_PARTS_PER_THREAD 4
#define GPU_TILES 2
#define GPU_PARTS_PER_UNIT 16
#define GPU_PARTS_MAX 4096
#define GPU_GROUP 256
#define RUN 32
#define SMALL_RUN 8
#define UNIT 16

GA_NO_PADDING(ga__gen_select, 40);

typedef struct job {
  const ga__selection *s;
  gpucontext *ctx;
  size_t n, rows;
  ga__cut cut;
  ga__gen_select gen;
  unsigned int counts, bits; /* workspaces */
} job;

/* --- the layout --- */

/* The bytes of local memory of a group: positions, some apart for their banks,
 * and sums with those of rows of work-items. */
static size_t local_bytes(size_t group, size_t run) {
  const size_t list = group * run * sizeof(uint16_t);

  return list + list / 16 + 2 * group * sizeof(uint64_t);
}

static void set_group(job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t group = caps->is_cpu ? 1 : ga__group_size(caps, GPU_GROUP);

  j->gen.group = (unsigned int)group;
  j->gen.run =
      local_bytes(group, RUN) <= caps->local_bytes / 2 ? RUN : SMALL_RUN;
}

static void set_cut(job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t tile = (size_t)j->gen.group * j->gen.run;
  const size_t least = caps->is_cpu ? CPU_CHUNK : GPU_TILES * tile;
  const size_t most =
      ga__times(caps->compute_units,
                caps->is_cpu ? CPU_PARTS_PER_THREAD : GPU_PARTS_PER_UNIT);

  j->cut = ga__cut_parts(
      j->n, ga__at_most(ga__at_most(most, GPU_PARTS_MAX), j->n / least),
      caps->is_cpu ? UNIT : tile, 2);
}

static void set_mask(job *j, const GpuArray *mask) {
  j->ctx = GpuArray_context(mask);
  j->n = ga__array_total(mask);
  set_group(j);
  set_cut(j);
}

/* Whole runs of bits; without groups there are none. */
static size_t bits_of(const job *j) {
  return j->gen.group > 1
             ? ga__ceil_div(ga__at_least(j->n, 1), j->gen.run) * j->gen.run / 8
             : 1;
}

void ga__select_sizes(const GpuArray *mask, size_t *parts, size_t *bits) {
  job j = {0};

  set_mask(&j, mask);
  *parts = j.cut.parts;
  *bits = bits_of(&j);
}

static void job_init(job *j, const ga__selection *s) {
  j->s = s;
  set_mask(j, s->mask);
  j->rows = s->res != NULL ? s->res->dimensions[0] : 0;
  if (s->res != NULL && s->res->nd == 2 && s->res->dimensions[1] == 0)
    j->rows = 0; /* coordinates of a scalar */
  j->gen.dtype = s->mask->typecode;
  j->gen.is_runs = s->is_runs;
  j->gen.wide_index = !ga__fits_int(j->n) || !ga__fits_int(j->rows);
}

/* What the kernel that writes has in addition. */
static void specialise(job *j) {
  const ga__selection *s = j->s;

  if (s->x != NULL) {
    j->gen.element_bytes = (unsigned int)GpuArray_ITEMSIZE(s->x);
    j->gen.is_pair = ga__dtype_is_complex(s->x->typecode);
  }
  j->gen.nd = s->x == NULL && s->res->nd == 2 ? s->mask->nd : 0;
  j->gen.pads = s->is_bounded;
  j->gen.has_total = s->count != NULL;
}

/* --- kernels --- */

/* Add a kernel of so many groups. */
static void add_kernel(GpuLaunch *l, const job *j, const char *entry,
                       size_t groups) {
  const size_t ls = j->gen.group, gs = ga__times(groups, ls);
  ga__strb macros = GA_STRB_INIT;
  ga__launch_key key;

  ga__launch_key_start(&key, j->ctx, entry);
  ga__launch_key_bytes(&key, &j->gen, sizeof j->gen);
  if (ga__launch_again(l, &key, 1, &gs, &ls))
    return;
  ga__gen_select_write(&macros, &j->gen);
  const char *const parts[] = {ga__strb_text(&macros), ga__template("select")};
  if (macros.err != GA_NO_ERROR)
    ga__launch_error(l, macros.err);
  else
    ga__launch_kernel(l, &(ga__source){.n = 2, .parts = parts, .entry = entry},
                      1, &gs, &ls);
  ga__launch_remember(l, &key);
  ga__strb_clear(&macros);
}

static void add_slot(GpuLaunch *l, unsigned int slot) {
  ga__launch_slot(l, slot);
  ga__launch_offset(l, slot, 0);
}

static void add_no_slot(GpuLaunch *l) {
  ga__launch_none(l);
  ga__launch_size(l, 0);
}

static unsigned int mask_slot(const job *j) {
  return j->s->x != NULL ? GA_SELECT_MASK : GA_SELECT_FROM;
}

static unsigned int counts_slot(const job *j) {
  return mask_slot(j) + 1;
}

static unsigned int n_slots(const job *j) {
  return counts_slot(j) + (j->s->counts != NULL ? 2 : 0);
}

static void add_counting(GpuLaunch *l, job *j) {
  ga__launch_rounds(l, j->cut.chunk / j->gen.group + UNIT);
  add_kernel(l, j, "select_count", j->cut.parts);
  add_slot(l, mask_slot(j));
  if (j->s->counts != NULL) {
    ga__launch_slot(l, counts_slot(j));
    ga__launch_slot(l, counts_slot(j) + 1);
  } else {
    j->counts = ga__launch_work(l, ga__times(j->cut.parts, sizeof(uint64_t)));
    j->bits = ga__launch_work(l, bits_of(j));
  }
  ga__launch_size(l, j->n);
  ga__launch_size(l, j->cut.chunk);
}

static void add_fill(GpuLaunch *l, const job *j) {
  const uint64_t zeros[2] = {0, 0};
  const size_t bytes =
      j->gen.element_bytes > 0 ? j->gen.element_bytes : sizeof(int64_t);

  ga__launch_value(l, -1, bytes, j->s->fill != NULL ? j->s->fill : zeros);
}

static void add_operands(GpuLaunch *l, const job *j) {
  add_slot(l, mask_slot(j));
  if (j->s->x != NULL)
    add_slot(l, GA_SELECT_FROM);
  else
    add_no_slot(l);
  add_slot(l, GA_SELECTED);
  if (j->s->count != NULL)
    add_slot(l, GA_SELECT_COUNT);
  else
    add_no_slot(l);
  if (j->s->counts != NULL) {
    ga__launch_slot(l, counts_slot(j));
    ga__launch_slot(l, counts_slot(j) + 1);
  } else {
    ga__launch_work_arg(l, j->counts);
    ga__launch_work_arg(l, j->bits);
  }
  for (unsigned int d = 0; d < j->gen.nd; d++)
    ga__launch_size(l, j->s->mask->dimensions[d]);
  ga__launch_size(l, j->n);
  ga__launch_size(l, j->cut.chunk);
  ga__launch_size(l, j->cut.parts);
  ga__launch_size(l, j->gen.pads ? j->rows : j->n);
  add_fill(l, j);
}

static void add_writing(GpuLaunch *l, job *j) {
  specialise(j);
  const size_t width = j->gen.nd > 0 ? j->gen.nd : 1;

  const size_t rows = ga__ceil_div(j->rows, j->cut.parts); /* that are filled */

  ga__launch_rounds(l, (j->cut.chunk + j->cut.parts + ga__times(rows, width)) /
                               j->gen.group +
                           UNIT);
  add_kernel(l, j, "select_write", j->cut.parts);
  add_operands(l, j);
}

static void bind(GpuLaunch *l, const job *j) {
  const ga__selection *s = j->s;

  if (s->res != NULL)
    ga__launch_bind_array(l, GA_SELECTED, s->res);
  if (s->count != NULL)
    ga__launch_bind_array(l, GA_SELECT_COUNT, s->count);
  if (s->x != NULL)
    ga__launch_bind_array(l, GA_SELECT_FROM, s->x);
  ga__launch_bind_array(l, mask_slot(j), s->mask);
  if (s->counts != NULL) {
    ga__launch_bind_array(l, counts_slot(j), s->counts);
    ga__launch_bind_array(l, counts_slot(j) + 1, s->bits);
  }
}

int ga__select_launch(GpuLaunch **out, const ga__selection *s, int counts,
                      int writes) {
  job j = {.s = s};

  job_init(&j, s);
  GpuLaunch *l = ga__launch_open(j.ctx, s->x != NULL ? "compress" : "nonzero",
                                 n_slots(&j));
  if (counts)
    add_counting(l, &j);
  if (writes)
    add_writing(l, &j);
  bind(l, &j);
  const double read = (double)j.n * (double)GpuArray_ITEMSIZE(s->mask);
  ga__launch_cost(l, read * counts + (writes ? (double)j.rows * 8 : 0), 0);
  return ga__launch_seal(out, l);
}

/* --- prepared, with a bound --- */

static int check_order(const char *name, const GpuArray *a) {
  return a->flags & GA_C_CONTIGUOUS
             ? GA_NO_ERROR
             : ga__fail(GA_COPY_ERROR, "%s is not C contiguous", name);
}

/* Check a written array; it must not overlap those that are read. */
static int check_written(const char *name, const GpuArray *a, int dtype,
                         const ga__selection *s) {
  gpucontext *ctx = GpuArray_context(s->mask);

  GA_TRY(ga__operand_check_result(name, a, ctx, dtype));
  GA_TRY(check_order(name, a));
  GA_TRY(ga__operand_check_apart(name, a, "mask", s->mask));
  if (s->x != NULL)
    GA_TRY(ga__operand_check_apart(name, a, "x", s->x));
  return GA_NO_ERROR;
}

static int check_result(const ga__selection *s) {
  const int is_list = s->x != NULL || s->res->nd == 1;

  GA_TRY(check_written("result", s->res,
                       s->x != NULL ? s->x->typecode : GA_LONG, s));
  if (s->res->nd == 1 ||
      (!is_list && s->res->nd == 2 && s->res->dimensions[1] == s->mask->nd))
    return GA_NO_ERROR;
  if (is_list)
    return ga__fail(GA_VALUE_ERROR, "result: %u dimensions, expected 1",
                    s->res->nd);
  return ga__fail(GA_VALUE_ERROR,
                  "result: expected [rows] or [rows, %u], got %u dimensions, "
                  "the last one of %zu",
                  s->mask->nd, s->res->nd,
                  s->res->nd > 0 ? s->res->dimensions[s->res->nd - 1] : 0);
}

static int check(const ga__selection *s) {
  GA_TRY(ga__array_check(s->mask));
  gpucontext *ctx = GpuArray_context(s->mask);
  GA_TRY(ga__operand_check_array("mask", s->mask, ctx, GA_OPERAND_ANY));
  GA_TRY(check_order("mask", s->mask));
  if (s->x != NULL) {
    GA_TRY(ga__operand_check_array("x", s->x, ctx, GA_OPERAND_ANY));
    GA_TRY(ga__operand_place(NULL, "x", s->x, s->mask->nd, s->mask->dimensions,
                             0));
    GA_TRY(check_order("x", s->x));
  }
  GA_TRY(ga__array_check(s->res));
  GA_TRY(check_result(s));
  if (s->count == NULL)
    return GA_NO_ERROR;
  GA_TRY(check_written("count", s->count, GA_LONG, s));
  if (s->count->nd != 0)
    return ga__fail(GA_VALUE_ERROR, "count: %u dimensions, expected 0",
                    s->count->nd);
  return ga__operand_check_apart("result", s->res, "count", s->count);
}

static int prepare(GpuLaunch **out, const ga__selection *s) {
  GA_TRY(check(s));
  return ga__select_launch(out, s, 1, 1);
}

int GpuArray_nonzero_prepare(GpuLaunch **out, GpuArray *positions,
                             GpuArray *count, const GpuArray *x, int64_t fill) {
  *out = NULL;
  return prepare(out, &(ga__selection){.mask = x,
                                       .res = positions,
                                       .count = count,
                                       .is_bounded = 1,
                                       .fill = &fill});
}

int GpuArray_compress_prepare(GpuLaunch **out, GpuArray *res, GpuArray *count,
                              const GpuArray *x, const GpuArray *mask,
                              const void *fill) {
  *out = NULL;
  GA_TRY(ga__array_check(x));
  return prepare(out, &(ga__selection){.mask = mask,
                                       .x = x,
                                       .res = res,
                                       .count = count,
                                       .is_bounded = 1,
                                       .fill = fill});
}
