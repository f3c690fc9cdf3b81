/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing of arrays: checks, the choice of a kernel, launches. */
#include <gpuarray/device.h>
#include <limits.h>
#include <string.h>

#include "array/operands.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_pooling.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "layout/space.h"
#include "ocl/ocl.h"
#include "pooling/band.h"

/* CPUs: the fewest elements of windows that are worth a work-item, and the
 * work-items per thread that balance the load. The most elements of a strip. */
#define CPU_CHUNK 16384
#define CPU_ITEMS_PER_THREAD 8
#define STRIP_MOST 1024
#define STRIP_LEAST 8
/* GPUs: bytes of a vector, and work-items of a group. */
#define GPU_VECTOR_BYTES 16
#define GPU_GROUP 128

enum { X, INDEX, Y, SLOTS };

typedef struct job {
  GpuArray *array[SLOTS]; /* X and Y may be those of INDEX: see `spare` */
  const GpuBand *bands;   /* of the windows' axes, the last axis last */
  gpucontext *ctx;
  ga_pool_op op;
  ga__gen_pooling gen;
  ga__iter batch; /* the other axes */
  size_t n[GA_POOLING_ND],
      m[GA_POOLING_ND];               /* of the result and the source, the
                                           last axis first */
  ptrdiff_t by[SLOTS][GA_POOLING_ND]; /* strides, in bytes, likewise */
  size_t units, per, strip, strips, rounds;
  int32_t *spans; /* owned */
  void *weights;  /* owned; in the work type */
  size_t n_spans, n_weights;
} job;

static const char *const names[SLOTS] = {"source", "indices", "result"};

static int is_result(const job *j, int k) {
  return k == Y || (k == INDEX && j->op == GA_POOLING_MAX);
}

/* Band of axis d, counted from the last one. */
static const GpuBand *band_of(const job *j, unsigned int d) {
  return &j->bands[(unsigned int)j->gen.nw - 1 - d];
}

/* --- checks --- */

static int check_given(const job *j, unsigned int n) {
  if ((unsigned int)j->op > GA_POOLING_PICK)
    return ga__fail(GA_VALUE_ERROR, "operation %d, expected 0 to 2",
                    (int)j->op);
  if (n < 1 || n > GA_POOLING_ND)
    return ga__fail(GA_VALUE_ERROR, "windows along %u axes, expected 1 to %d",
                    n, GA_POOLING_ND);
  if (j->bands == NULL)
    return ga__fail(GA_INVALID_ERROR, "no bands");
  for (int k = 0; k < SLOTS; k++) {
    const int may_miss = k == INDEX ? j->op != GA_POOLING_PICK
                                    : k == Y && j->op == GA_POOLING_MAX &&
                                          j->array[INDEX] != NULL;

    if (j->array[k] == NULL && may_miss)
      continue;
    if (j->array[k] == NULL || j->array[k]->data == NULL)
      return ga__fail(GA_INVALID_ERROR, "%s: no array", names[k]);
  }
  return j->op == GA_POOLING_SUM && j->array[INDEX] != NULL
             ? ga__fail(GA_VALUE_ERROR, "a sum has no indices")
             : GA_NO_ERROR;
}

static int check_dtype(const job *j) {
  const int code = j->array[X]->typecode;
  const ga__kind kind = ga__dtype_kind(code);
  int needs_float = j->op == GA_POOLING_PICK;

  for (int d = 0; d < j->gen.nw && j->op == GA_POOLING_SUM; d++)
    needs_float |= j->bands[d].weights != NULL;
  if (kind == GA_KIND_FLOAT ||
      (!needs_float && (kind == GA_KIND_INT || kind == GA_KIND_UINT)))
    return GA_NO_ERROR;
  return ga__fail(GA_UNSUPPORTED_ERROR, "source: %s, expected %s",
                  ga__dtype_name(code),
                  needs_float ? "floats" : "real numbers");
}

static int check_strides(const job *j, int k) {
  const GpuArray *a = j->array[k];

  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] < 2)
      continue;
    if (a->strides[d] % (ssize_t)ga__dtype_size(a->typecode) != 0)
      return ga__fail(GA_COPY_ERROR, "%s: the strides need a copy", names[k]);
    if (is_result(j, k) && a->strides[d] == 0)
      return ga__fail(GA_VALUE_ERROR, "%s, dim %u: %zu results in one place",
                      names[k], d, a->dimensions[d]);
  }
  return GA_NO_ERROR;
}

/* Bands give the sizes of the source and, if `is_y`, of the results. The source
 * gives those of the batch. */
static int check_sizes(const job *j, int k, int is_y) {
  const GpuArray *a = j->array[k], *x = j->array[X];
  const unsigned int lead = x->nd - (unsigned int)j->gen.nw;
  size_t dims[GA_ITER_ND];

  for (unsigned int d = 0; d < x->nd; d++) {
    const GpuBand *b = d < lead ? NULL : &j->bands[d - lead];
    dims[d] = b == NULL ? x->dimensions[d] : is_y ? b->n : b->from;
  }
  return ga__operand_place(NULL, names[k], a, x->nd, dims, 0);
}

static int check_arrays(const job *j) {
  const GpuArray *x = j->array[X];

  if (x->nd < (unsigned int)j->gen.nw || x->nd > GA_ITER_ND)
    return ga__fail(GA_VALUE_ERROR, "source: %u dimensions, expected %d to %d",
                    x->nd, j->gen.nw, GA_ITER_ND);
  for (int k = 0; k < SLOTS; k++) {
    const GpuArray *a = j->array[k];
    const int type = k == INDEX ? GA_LONG : k == Y ? x->typecode : -1;

    if (a == NULL)
      continue;
    GA_TRY(is_result(j, k)
               ? ga__operand_check_result(names[k], a, j->ctx, type)
               : ga__operand_check_array(names[k], a, j->ctx, type));
    GA_TRY(check_sizes(j, k, is_result(j, k)));
    GA_TRY(check_strides(j, k));
    for (int i = 0; i < k; i++)
      if (j->array[i] != NULL && is_result(j, k))
        GA_TRY(ga__operand_check_apart(names[k], a, names[i], j->array[i]));
  }
  return GA_NO_ERROR;
}

static int check_device(const job *j) {
  if (ga__dtype_canon(j->array[X]->typecode) == GA_DOUBLE &&
      !gpucontext_caps(j->ctx)->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "the device has no float64");
  return GA_NO_ERROR;
}

static int check(job *j, unsigned int n) {
  GA_TRY(check_given(j, n));
  j->ctx = GpuArray_context(j->array[X]);
  j->gen.nw = (int)n;
  for (unsigned int d = 0; d < n; d++)
    GA_TRY(ga__band_check(&j->bands[d]));
  GA_TRY(check_dtype(j));
  GA_TRY(check_arrays(j));
  return check_device(j);
}

/* --- the space --- */

/* The array that decides the order of the batch: a result. */
static unsigned int lead_of(const job *j) {
  return j->array[Y] != NULL ? Y : INDEX;
}

static int make_space(job *j) {
  const GpuArray *x = j->array[X];
  const unsigned int lead = x->nd - (unsigned int)j->gen.nw;

  GA_TRY(ga__iter_init(&j->batch, lead, x->dimensions, SLOTS));
  for (unsigned int k = 0; k < SLOTS; k++)
    if (j->array[k] != NULL) {
      const GpuArray *a = j->array[k];
      ga__iter_set(&j->batch, k, a->strides);
      for (unsigned int d = lead; d < x->nd; d++)
        j->by[k][x->nd - 1 - d] = a->dimensions[d] > 1 ? a->strides[d] : 0;
    }
  ga__iter_order(&j->batch, lead_of(j));
  ga__iter_merge(&j->batch);
  j->gen.nk = (int)j->batch.nd;
  for (int d = 0; d < j->gen.nw; d++) {
    j->n[d] = band_of(j, (unsigned int)d)->n;
    j->m[d] = band_of(j, (unsigned int)d)->from;
  }
  return GA_NO_ERROR;
}

/* --- the layout --- */

static size_t size_of(const job *j, unsigned int k) {
  return k == INDEX ? sizeof(int64_t) : ga__dtype_size(j->array[X]->typecode);
}

static size_t work_size(const job *j) {
  return ga__dtype_size(ga__dtype_work(j->array[X]->typecode));
}

/* Nonzero if neighbours of the batch are neighbours in memory, in all arrays or
 * in the result alone. */
static int has_channels(const job *j, int in_all) {
  if (j->batch.nd == 0 || j->batch.dims[0] < 2)
    return 0;
  for (unsigned int k = 0; k < SLOTS; k++)
    if (j->array[k] != NULL && (in_all || k == lead_of(j)) &&
        j->batch.strides[k][0] != (ptrdiff_t)size_of(j, k))
      return 0;
  return 1;
}

static int has_rows(const job *j) {
  for (unsigned int k = 0; k < SLOTS; k++)
    if (j->array[k] != NULL && j->by[k][0] != (ptrdiff_t)size_of(j, k))
      return 0;
  return 1;
}

/* Positions in lanes have the width of values: 4 or 8 bytes. */
static int lanes_suit(const job *j) {
  return !j->gen.has_index || (work_size(j) >= sizeof(int64_t)) ||
         (work_size(j) == sizeof(int32_t) && !j->gen.wide_place);
}

static size_t widest(const job *j, const gpudevice_caps *caps) {
  if (!lanes_suit(j))
    return 1;
  if (!caps->is_cpu)
    return GPU_VECTOR_BYTES / size_of(j, X);
  const size_t bytes = ga__at_least(caps->vector_float * sizeof(float), 16);
  return ga__floor_pow2(ga__between(4, bytes / work_size(j), 16));
}

static int is_aligned(const job *j, size_t lanes) {
  for (unsigned int k = 0; k < SLOTS; k++) {
    const size_t bytes = lanes * size_of(j, k);

    if (j->array[k] == NULL)
      continue;
    if ((j->array[k]->offset + (size_t)j->batch.first[k]) % bytes != 0)
      return 0;
    for (unsigned int d = 1; d < j->batch.nd; d++)
      if (j->batch.strides[k][d] % (ptrdiff_t)bytes != 0)
        return 0;
    for (int d = 0; d < j->gen.nw; d++)
      if (j->by[k][d] % (ptrdiff_t)bytes != 0)
        return 0;
  }
  return 1;
}

/* Channels in vectors whose size divides their count. */
static void choose_channels(job *j, const gpudevice_caps *caps) {
  size_t lanes = has_channels(j, 1) ? widest(j, caps) : 1;

  while (j->batch.dims[0] % lanes != 0)
    lanes /= 2;
  if (!caps->is_cpu) {
    while (lanes > 1 && !is_aligned(j, lanes))
      lanes /= 2;
    j->gen.is_aligned = lanes > 1;
  }
  j->gen.lanes = (int)lanes;
  j->gen.channels_first = 1;
  j->gen.inner = caps->is_cpu ? GA_POOLING_CHANNELS : GA_POOLING_ONE;
}

/* The positions of the source that the windows from `o` to `end` have: *from
 * up to, not including, *to. */
static void find_strip(const GpuBand *b, size_t o, size_t end, int32_t *from,
                       int32_t *to) {
  *from = *to = 0;
  for (; o < end; o++) {
    if (b->count[o] == 0)
      continue;
    const int32_t last = b->first[o] + (b->count[o] - 1) * (int32_t)b->step + 1;
    if (*to == 0 || b->first[o] < *from)
      *from = b->first[o];
    *to = last > *to ? last : *to;
  }
}

static int strips_fit(const job *j, size_t strip) {
  const GpuBand *b = band_of(j, 0);
  const int32_t line = (int32_t)(GA_POOLING_LINE_BYTES / work_size(j));

  for (size_t o = 0; o < b->n; o += strip) {
    int32_t from, to;
    find_strip(b, o, ga__at_most(b->n, o + strip), &from, &to);
    if (to - from > line)
      return 0;
  }
  return 1;
}

/* Nonzero if no window is empty, and none begins or ends before the one before
 * it. */
static int is_rising(const GpuBand *b) {
  int32_t last = 0;

  for (size_t o = 0; o < b->n; o++) {
    const int32_t end = b->first[o] + (b->count[o] - 1) * (int32_t)b->step;

    if (b->count[o] == 0 || end < last ||
        (o > 0 && b->first[o] < b->first[o - 1]))
      return 0;
    last = end;
  }
  return 1;
}

/* Rows of a CPU, if their windows are short enough for a line. */
static int choose_row(job *j, const gpudevice_caps *caps) {
  size_t strip = ga__at_most(j->n[0], STRIP_MOST);

  if (!caps->is_cpu || j->op == GA_POOLING_PICK || !has_rows(j) ||
      widest(j, caps) == 1)
    return 0;
  while (strip >= STRIP_LEAST && !strips_fit(j, strip))
    strip /= 2;
  if (strip < STRIP_LEAST)
    return 0;
  j->strip = strip;
  j->strips = ga__ceil_div(j->n[0], strip);
  j->gen.is_row = 1;
  j->gen.lanes = (int)widest(j, caps);
  j->gen.is_rising = is_rising(band_of(j, 0)) &&
                     ga__dtype_canon(ga__dtype_work(j->gen.dtype)) == GA_FLOAT;
  return 1;
}

static void choose_kernel(job *j, const gpudevice_caps *caps) {
  j->gen.lanes = 1;
  if (has_channels(j, 0) && (has_channels(j, 1) || !has_rows(j)))
    choose_channels(j, caps);
  else if (!choose_row(j, caps))
    j->gen.inner = caps->is_cpu    ? GA_POOLING_ROW
                   : j->gen.nw > 1 ? GA_POOLING_RUN
                                   : GA_POOLING_ONE;
}

/* Elements of the result that a unit computes. */
static size_t unit_size(const job *j) {
  switch (j->gen.inner) {
  case GA_POOLING_CHANNELS:
    return j->batch.dims[0];
  case GA_POOLING_ROW:
    return j->n[0];
  default:
    return j->gen.is_row ? j->strip : (size_t)j->gen.lanes;
  }
}

/* Units of the batch and of each axis. */
static void count_units(job *j) {
  j->units = ga__iter_total(&j->batch);
  if (j->gen.channels_first)
    j->units /= j->gen.inner == GA_POOLING_CHANNELS ? j->batch.dims[0]
                                                    : (size_t)j->gen.lanes;
  if (j->gen.is_row)
    j->units *= j->strips;
  for (int d = j->gen.is_row || j->gen.inner == GA_POOLING_ROW; d < j->gen.nw;
       d++)
    j->units *= d == 1 && j->gen.inner == GA_POOLING_RUN
                    ? ga__ceil_div(j->n[d], GA_POOLING_RUN_LENGTH)
                    : j->n[d];
}

static void lay_out(job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  size_t places = 1, window = 1;

  for (int d = 0; d < j->gen.nw; d++) {
    places = ga__times(places, j->m[d]);
    window = ga__times(window, band_of(j, (unsigned int)d)->most);
  }
  j->gen.dtype = ga__dtype_canon(j->array[X]->typecode);
  j->gen.op = (int)j->op;
  j->gen.has_value = j->array[Y] != NULL;
  j->gen.has_index = j->op == GA_POOLING_MAX && j->array[INDEX] != NULL;
  j->gen.wide_place = places > INT_MAX;
  choose_kernel(j, caps);
  count_units(j);
  j->gen.wide_index =
      !ga__fits_int(ga__times(j->units, unit_size(j))) || !ga__fits_int(places);
  j->per = 1;
  if (caps->is_cpu) {
    const size_t each =
        ga__at_least(ga__times(unit_size(j), ga__at_most(window, 64)) / 4, 1);
    const size_t items = (size_t)caps->compute_units * CPU_ITEMS_PER_THREAD;
    j->per = ga__at_least(ga__ceil_div(j->units, items), CPU_CHUNK / each);
  }
  j->rounds = ga__times(j->per, ga__times(unit_size(j), window));
}

/* --- bands for the device --- */

static void put_weight(const job *j, size_t at, double w) {
  if (work_size(j) == sizeof(double))
    ((double *)j->weights)[at] = w;
  else
    ((float *)j->weights)[at] = (float)w;
}

/* Write the weights of axes in order, 1 where a band has none. */
static int write_weights(job *j) {
  for (int d = 0; d < j->gen.nw; d++) {
    j->gen.is_weighted |=
        j->op == GA_POOLING_SUM && j->bands[d].weights != NULL;
    j->n_weights += ga__times(j->bands[d].most, j->bands[d].n);
  }
  if (!j->gen.is_weighted)
    return GA_NO_ERROR;
  j->weights = ga__calloc(j->n_weights, work_size(j));
  if (j->weights == NULL)
    return ga__fail_nomem();
  for (size_t d = 0, at = 0; d < (size_t)j->gen.nw; d++)
    for (size_t i = 0; i < j->bands[d].most * j->bands[d].n; i++)
      put_weight(j, at++,
                 j->bands[d].weights != NULL ? j->bands[d].weights[i] : 1);
  return GA_NO_ERROR;
}

static int write_spans(job *j) {
  int32_t *to;

  j->n_spans = 2 * j->strips;
  for (int d = 0; d < j->gen.nw; d++)
    j->n_spans += 2 * j->bands[d].n;
  j->spans = to = ga__calloc(j->n_spans, sizeof *to);
  if (to == NULL)
    return ga__fail_nomem();
  for (int d = 0; d < j->gen.nw; d++) {
    const GpuBand *b = &j->bands[d];
    memcpy(to, b->first, b->n * sizeof *to);
    memcpy(to + b->n, b->count, b->n * sizeof *to);
    to += 2 * b->n;
  }
  for (size_t s = 0; s < j->strips; s++)
    find_strip(band_of(j, 0), s * j->strip,
               ga__at_most(j->n[0], (s + 1) * j->strip), &to[2 * s],
               &to[2 * s + 1]);
  return GA_NO_ERROR;
}

/* --- launches --- */

static void add_array(GpuLaunch *l, const job *j, unsigned int k) {
  const int is_given = j->array[k] != NULL;

  if (is_given) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, (size_t)j->batch.first[k]);
  } else {
    ga__launch_none(l);
    ga__launch_size(l, 0);
  }
  for (unsigned int d = 0; d < j->batch.nd; d++)
    ga__launch_ssize(l, is_given ? j->batch.strides[k][d] : 0);
  for (int d = 0; d < j->gen.nw; d++)
    ga__launch_ssize(l, is_given ? j->by[k][d] : 0);
}

static void add_sizes(GpuLaunch *l, const job *j) {
  const unsigned int nw = (unsigned int)j->gen.nw;

  for (unsigned int d = 0; d < j->batch.nd; d++)
    ga__launch_size(l, j->batch.dims[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, j->n[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, j->m[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, band_of(j, d)->step);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, band_of(j, d)->most);
}

static void add_source(GpuLaunch *l, const job *j, size_t gs, size_t ls) {
  ga__strb macros = GA_STRB_INIT;
  ga__launch_key key;

  ga__launch_key_start(&key, j->ctx, "pooling");
  ga__launch_key_bytes(&key, &j->gen, sizeof j->gen);
  if (ga__launch_again(l, &key, 1, &gs, &ls))
    return;
  ga__gen_pooling_write(&macros, &j->gen);
  if (macros.err != GA_NO_ERROR) {
    ga__launch_error(l, macros.err);
  } else {
    const char *const parts[2] = {
        ga__strb_text(&macros),
        ga__template(j->gen.is_row ? "pooling_row" : "pooling")};
    const ga__source src = {.n = 2,
                            .parts = parts,
                            .entry = j->gen.is_row ? "pooling_row" : "pooling"};
    ga__launch_kernel(l, &src, 1, &gs, &ls);
    ga__launch_remember(l, &key);
  }
  ga__strb_clear(&macros);
}

static void add_kernel(GpuLaunch *l, const job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t able = ga__at_most(caps->max_group, caps->max_items[0]);
  const size_t ls =
      caps->is_cpu ? 1 : ga__floor_pow2(ga__between(1, able, GPU_GROUP));

  ga__launch_rounds(l, j->rounds);
  add_source(l, j, ga__round_up(ga__ceil_div(j->units, j->per), ls), ls);
  for (unsigned int k = 0; k < SLOTS; k++)
    add_array(l, j, k);
  add_sizes(l, j);
  ga__launch_table(l, j->spans, ga__times(j->n_spans, sizeof *j->spans));
  if (j->gen.is_weighted)
    ga__launch_table(l, j->weights, ga__times(j->n_weights, work_size(j)));
  else
    ga__launch_none(l);
  ga__launch_size(l, j->units);
  ga__launch_size(l, j->per);
  if (j->gen.is_row) {
    ga__launch_size(l, j->strip);
    ga__launch_size(l, j->strips);
  }
}

static void add_cost(GpuLaunch *l, const job *j) {
  double bytes = 0, flops = 1;

  for (unsigned int k = 0; k < SLOTS; k++) {
    double n = (double)ga__iter_total(&j->batch) * (double)size_of(j, k);

    for (int d = 0; d < j->gen.nw; d++)
      n *= (double)(is_result(j, (int)k) ? j->n[d] : j->m[d]);
    bytes += j->array[k] != NULL ? n : 0;
    if (k == lead_of(j))
      flops = n / (double)size_of(j, k);
  }
  for (int d = 0; d < j->gen.nw; d++)
    flops *= (double)band_of(j, (unsigned int)d)->most;
  ga__launch_cost(l, bytes, flops);
}

static int build(GpuLaunch **out, job *j) {
  const char *const labels[] = {[GA_POOLING_SUM] = "pool_sum",
                                [GA_POOLING_MAX] = "pool_max",
                                [GA_POOLING_PICK] = "pool_pick"};
  size_t total = ga__iter_total(&j->batch);

  for (int d = 0; d < j->gen.nw; d++)
    total *= j->n[d];
  if (total > 0) {
    lay_out(j);
    GA_TRY(write_weights(j));
    GA_TRY(write_spans(j));
  }
  GpuLaunch *l = ga__launch_open(j->ctx, labels[j->op], SLOTS);
  if (total > 0)
    add_kernel(l, j);
  for (unsigned int k = 0; k < SLOTS; k++)
    if (j->array[k] != NULL)
      ga__launch_bind_array(l, k, j->array[k]);
  if (j->gen.is_aligned)
    for (unsigned int k = 0; k < SLOTS; k++)
      if (j->array[k] != NULL)
        ga__launch_require_align(l, k, (size_t)j->gen.lanes * size_of(j, k));
  add_cost(l, j);
  return ga__launch_seal(out, l);
}

int GpuPooling_prepare(GpuLaunch **out, ga_pool_op op, unsigned int n,
                       const GpuBand *bands, GpuArray *x, GpuArray *index,
                       GpuArray *y) {
  job j = {.array = {x, index, y}, .bands = bands, .op = op};
  int err;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a launch");
  *out = NULL;
  GA_TRY(check(&j, n));
  GA_CHECK(make_space(&j));
  GA_CHECK(build(out, &j));

done:
  ga__iter_clear(&j.batch);
  ga__free(j.spans);
  ga__free(j.weights);
  return err;
}

int GpuPooling_call(ga_pool_op op, unsigned int n, const GpuBand *bands,
                    GpuArray *x, GpuArray *index, GpuArray *y) {
  GpuLaunch *l;
  int err;

  GA_TRY(GpuPooling_prepare(&l, op, n, bands, x, index, y));
  err = GpuLaunch_run(l);
  GpuLaunch_free(l);
  return err;
}
