/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts elements by bin. Each element is a row of the kernels. */
#include <gpuarray/bincount.h>
#include <gpuarray/device.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_bincount.h"
#include "ocl/launch/launch_cache.h"
#include "order/check_edges.h"
#include "order/fresh.h"
#include "order/sort_rows.h"

/* Parts: on a CPU one work-item has one. On a GPU a group has one, a team, if
 * its sums fit local memory; else one work-item, and counts are shared by all.
 * COUNTS are the places of a team that counts; a team with few bins by edges,
 * for which it needs local memory, too, has FEW_COUNTS for up to FEW_BINS. A
 * team that weighs does not wait for another: there are as many as a compute
 * unit has TEAMS_BYTES of local memory for, of the 228 KB of an H200, and at
 * most TEAMS_MOST. Measured there with 256 bins and 2^24 weights, in us: 53
 * with 12 teams and 16 copies of the sums, 59 with 6 teams and 32, 64 with 24
 * and 8, 86 with 7 and 32. */
#define CPU_CHUNK 8192
#define CPU_ITEMS_PER_THREAD 4
#define GPU_CHUNK 64
#define GPU_PARTS_MAX 4096
#define GROUP 128
#define TEAM_CHUNK 4096
#define TEAMS_PER_UNIT 16
#define TEAMS_BYTES 196608
#define TEAMS_MOST 32
#define TEAM_COUNTS 4096
#define FEW_COUNTS 2048
#define FEW_BINS 128
#define COUNTING_TEAM 256
#define WEIGHING_TEAM 32
#define WEIGHING_COPIES 16

enum { X, WEIGHTS, EDGES, RESULT, SLOTS };

_Static_assert((int)SLOTS <= (int)GA_SORT_MOST_ARRAYS,
               "a job has room for all arrays");

typedef struct counting {
  ga__sort_job job;
  ga__gen_bincount gen;
  const char *name;
  size_t n_bins, n_edges;
} counting;

/* --- checks --- */

static int check_weights(const counting *c) {
  const GpuArray *w = c->job.array[WEIGHTS], *x = c->job.array[X];

  if (w == NULL)
    return GA_NO_ERROR;
  GA_TRY(ga__operand_check_array("weights", w, c->job.ctx, GA_OPERAND_ANY));
  const int type = ga__dtype_canon(w->typecode);
  if (type != GA_FLOAT && type != GA_DOUBLE && type != GA_LONG)
    return ga__fail(GA_VALUE_ERROR,
                    "weights: expected float32, float64 or int64, got %s",
                    ga__dtype_name(type));
  if (type == GA_DOUBLE && !gpucontext_caps(c->job.ctx)->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "weights: the device has no float64");
  return ga__operand_place(NULL, "weights", w, x->nd, x->dimensions, 0);
}

static int check_edges(const counting *c) {
  const GpuArray *edges = c->job.array[EDGES], *x = c->job.array[X];

  if (ga__dtype_is_complex(x->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: %s has no order", c->name,
                    ga__dtype_name(x->typecode));
  GA_TRY(ga__operand_check_array("edges", edges, c->job.ctx, x->typecode));
  if (edges->nd != 1)
    return ga__fail(GA_VALUE_ERROR, "edges: expected 1 dimension, got %u",
                    edges->nd);
  if (edges->dimensions[0] == 0)
    return ga__fail(GA_VALUE_ERROR, "edges: expected at least one, got none");
  return GA_NO_ERROR;
}

static int check_operands(const counting *c) {
  const GpuArray *x = c->job.array[X];

  GA_TRY(ga__operand_check_array("x", x, c->job.ctx, GA_OPERAND_ANY));
  if (c->gen.has_edges) {
    GA_TRY(check_edges(c));
  } else {
    const ga__kind kind = ga__dtype_kind(x->typecode);
    if (kind == GA_KIND_FLOAT || kind == GA_KIND_COMPLEX)
      return ga__fail(GA_VALUE_ERROR, "x: expected integers, got %s",
                      ga__dtype_name(x->typecode));
  }
  return check_weights(c);
}

static int result_dtype(const GpuArray *weights) {
  return weights != NULL ? weights->typecode : GA_LONG;
}

static int check_result(const counting *c) {
  static const char *const names[] = {"x", "weights", "edges"};
  const GpuArray *res = c->job.array[RESULT];

  GA_TRY(ga__operand_check_result("result", res, c->job.ctx,
                                  result_dtype(c->job.array[WEIGHTS])));
  if (res->nd != 1)
    return ga__fail(GA_VALUE_ERROR, "result: expected 1 dimension, got %u",
                    res->nd);
  if (c->gen.has_edges && res->dimensions[0] != c->n_edges - 1)
    return ga__fail(GA_VALUE_ERROR, "result: dim 0: expected %zu, got %zu",
                    c->n_edges - 1, res->dimensions[0]);
  for (unsigned int k = X; k < RESULT; k++) {
    if (c->job.array[k] != NULL)
      GA_TRY(ga__operand_check_apart("result", res, names[k], c->job.array[k]));
  }
  return GA_NO_ERROR;
}

/* --- the layout --- */

static int set_rows(ga__sort_job *j) {
  const GpuArray *x = j->array[X];

  GA_TRY(ga__iter_init(&j->rows, x->nd, x->dimensions, SLOTS));
  for (unsigned int k = X; k <= WEIGHTS; k++) {
    if (j->array[k] != NULL)
      ga__iter_set(&j->rows, k, j->array[k]->strides);
  }
  ga__iter_order(&j->rows, X);
  ga__iter_merge(&j->rows);
  ga__sort_some_rows(j);
  if (j->array[EDGES] != NULL)
    j->stride[EDGES] = j->array[EDGES]->strides[0];
  j->n_rows = ga__iter_total(&j->rows);
  return GA_NO_ERROR;
}

static int is_wide(const counting *c) {
  return !ga__fits_int(c->job.n_rows) || !ga__fits_int(c->n_edges);
}

/* The bytes of a sum of a part. */
static size_t part_bytes(const counting *c) {
  return c->gen.weights >= 0 ? ga__dtype_size(c->gen.weights)
         : is_wide(c)        ? sizeof(uint64_t)
                             : sizeof(uint32_t);
}

/* Places in local memory; a power of two, so that there are few kernels. With
 * weights, members of a team that share a copy of the sums add in turns. */
static size_t count_places(const counting *c, size_t team, size_t room) {
  const size_t copies = ga__at_most(team, WEIGHING_COPIES);

  if (c->gen.weights < 0)
    return c->gen.has_edges && c->n_bins <= FEW_BINS ? FEW_COUNTS : TEAM_COUNTS;
  return ga__at_most(ga__times(ga__ceil_pow2(c->n_bins), copies),
                     ga__floor_pow2(ga__at_least(
                         1, (ga__at_least(1, room) - 1) / part_bytes(c))));
}

static void choose_way(counting *c) {
  const gpudevice_caps *caps = gpucontext_caps(c->job.ctx);
  const int is_count = c->gen.weights < 0;
  const size_t team =
      ga__group_size(caps, is_count ? COUNTING_TEAM : WEIGHING_TEAM);
  /* Edges take up to half of local memory. */
  const size_t room =
      c->gen.has_edges ? caps->local_bytes / 2 : caps->local_bytes;
  const size_t places = count_places(c, team, room);

  c->job.gen.group = (unsigned int)ga__group_size(caps, GROUP);
  if (caps->is_cpu) {
    c->job.gen.group = 1;
    return;
  }
  c->gen.is_shared = is_count && !is_wide(c);
  c->gen.is_team = (c->gen.is_shared || !is_count) && c->n_bins <= places &&
                   ga__times(places, part_bytes(c)) < room;
  if (!c->gen.is_team)
    return;
  c->gen.places = (unsigned int)places;
  c->job.gen.group = (unsigned int)team;
}

static size_t teams_per_unit(const counting *c) {
  if (c->gen.weights < 0)
    return TEAMS_PER_UNIT;
  return ga__at_least(
      1,
      ga__at_most(TEAMS_MOST, TEAMS_BYTES / (c->gen.places * part_bytes(c))));
}

static size_t count_parts(const counting *c) {
  const gpudevice_caps *caps = gpucontext_caps(c->job.ctx);
  const size_t n = c->job.n_rows;

  if (caps->is_cpu)
    return ga__at_most((size_t)caps->compute_units * CPU_ITEMS_PER_THREAD,
                       n / CPU_CHUNK);
  if (c->gen.is_team)
    return ga__at_most((size_t)caps->compute_units * teams_per_unit(c),
                       n / TEAM_CHUNK);
  return c->gen.is_shared ? n : ga__at_most(n / GPU_CHUNK, GPU_PARTS_MAX);
}

/* Unless they are shared, all sums together have no more elements than x, so
 * large results have few parts. */
static void cut(counting *c) {
  const size_t n = c->job.n_rows, wanted = count_parts(c);
  const size_t most = c->gen.is_shared ? n : n / ga__at_least(c->n_bins, 1);

  c->job.cut = ga__cut_parts(n, ga__at_most(wanted, most), 1, 2);
}

static int write_macros(counting *c) {
  ga__gen_sort *g = &c->job.gen;

  g->dtype = c->job.array[X]->typecode;
  g->nk = c->job.rows.nd;
  g->wide_index = is_wide(c);
  g->is_flat =
      ga__sort_is_line(&c->job, X) && ga__sort_is_line(&c->job, WEIGHTS);
  c->gen.wide_bins =
      g->wide_index || !ga__fits_int(c->n_bins) ||
      (!c->gen.has_edges && ga__dtype_size(g->dtype) > sizeof(uint32_t));
  if (c->gen.has_edges)
    ga__sort_keep_edges(&c->job, c->n_edges);
  ga__gen_bincount_write(&c->job.macros, &c->gen, g);
  return c->job.macros.err;
}

/* --- launches --- */

/* How many times there is a sum for each bin. */
static size_t count_sums(const counting *c) {
  return c->gen.is_shared ? 1 : c->job.cut.parts;
}

static size_t sums_bytes(const counting *c) {
  return ga__times(count_sums(c), ga__times(c->n_bins, part_bytes(c)));
}

/* Clear shared sums. Returns their workspace. */
static unsigned int add_clear(GpuLaunch *l, const counting *c) {
  const ga__sort_job *j = &c->job;

  ga__sort_kernel(l, j, "bincount", "bincount_clear",
                  ga__round_up(c->n_bins, j->gen.group));
  const unsigned int sums = ga__launch_work(l, sums_bytes(c));
  ga__launch_size(l, c->n_bins);
  return sums;
}

static unsigned int add_parts(GpuLaunch *l, const counting *c) {
  const ga__sort_job *j = &c->job;
  unsigned int sums = c->gen.is_shared ? add_clear(l, c) : 0;
  const size_t rounds =
      c->gen.is_team
          ? 2 * (j->cut.chunk + (size_t)c->gen.places) / j->gen.group + 8
          : j->cut.chunk;

  ga__launch_rounds(l, rounds);
  ga__sort_kernel(l, j, "bincount", "bincount_part",
                  c->gen.is_team ? j->cut.parts * j->gen.group
                                 : ga__round_up(j->cut.parts, j->gen.group));
  for (unsigned int k = X; k < RESULT; k++)
    ga__sort_operand(l, j,
                     &(ga__sort_place){.index = j->array[k] != NULL ? k : X});
  ga__sort_sizes(l, j);
  if (c->gen.is_shared)
    ga__launch_work_arg(l, sums);
  else
    sums = ga__launch_work(l, sums_bytes(c));
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, c->n_bins);
  ga__launch_size(l, c->n_edges);
  ga__launch_size(l, j->cut.parts);
  ga__launch_size(l, j->cut.chunk);
  return sums;
}

static void add(GpuLaunch *l, const counting *c) {
  const ga__sort_job *j = &c->job;
  const unsigned int sums = add_parts(l, c);

  ga__launch_rounds(l, count_sums(c));
  ga__sort_kernel(l, j, "bincount", "bincount_sum",
                  c->gen.is_shared ? ga__round_up(c->n_bins, j->gen.group)
                                   : c->n_bins * j->gen.group);
  ga__launch_slot(l, RESULT);
  ga__launch_offset(l, RESULT, 0);
  ga__launch_ssize(l, j->array[RESULT]->strides[0]);
  ga__launch_work_arg(l, sums);
  ga__launch_size(l, c->n_bins);
  ga__launch_size(l, count_sums(c));
  if (c->gen.has_edges)
    ga__check_edges(l, j->array[EDGES], EDGES);
}

static int build(GpuLaunch **out, counting *c) {
  const ga__sort_job *j = &c->job;
  int err;

  GA_CHECK(set_rows(&c->job));
  choose_way(c);
  cut(c);
  GA_CHECK(write_macros(c));
  GpuLaunch *l = ga__launch_open(j->ctx, c->name, SLOTS);
  if (c->n_bins > 0)
    add(l, c);
  for (unsigned int k = 0; k < SLOTS; k++) {
    if (j->array[k] != NULL)
      ga__launch_bind_array(l, k, j->array[k]);
  }
  ga__launch_cost(l, (double)j->n_rows * (double)GpuArray_ITEMSIZE(j->array[X]),
                  0);
  err = ga__launch_seal(out, l);

done:
  ga__sort_clear(&c->job);
  return err;
}

/* Set *c, and check all but the result. */
static int start(counting *c, const char *name, const GpuArray *x,
                 const GpuArray *edges, const GpuArray *weights,
                 int has_edges) {
  *c = (counting){.job = {.array = {x, weights, edges}, .macros = GA_STRB_INIT},
                  .name = name,
                  .gen = {.weights = -1, .has_edges = has_edges}};
  GA_TRY(ga__array_check(x));
  c->job.ctx = GpuArray_context(x);
  GA_TRY(check_operands(c));
  if (weights != NULL)
    c->gen.weights = weights->typecode;
  c->n_edges = has_edges ? edges->dimensions[0] : 0;
  return GA_NO_ERROR;
}

static int prepare(GpuLaunch **out, counting *c, GpuArray *res) {
  c->job.array[RESULT] = res;
  GA_TRY(check_result(c));
  c->n_bins = res->dimensions[0];
  return build(out, c);
}

int GpuArray_bincount_prepare(GpuLaunch **out, GpuArray *res, const GpuArray *x,
                              const GpuArray *weights) {
  counting c;

  *out = NULL;
  GA_TRY(start(&c, "bincount", x, NULL, weights, 0));
  return prepare(out, &c, res);
}

int GpuArray_histogram_prepare(GpuLaunch **out, GpuArray *res,
                               const GpuArray *x, const GpuArray *edges,
                               const GpuArray *weights) {
  counting c;

  *out = NULL;
  GA_TRY(start(&c, "histogram", x, edges, weights, 1));
  return prepare(out, &c, res);
}

/* --- calls --- */

static int prepare_call(GpuLaunch **out, const void *arg) {
  const counting *c = arg;
  GpuArray *res = (GpuArray *)(uintptr_t)c->job.array[RESULT];
  const GpuArray *x = c->job.array[X], *weights = c->job.array[WEIGHTS];

  return c->gen.has_edges ? GpuArray_histogram_prepare(
                                out, res, x, c->job.array[EDGES], weights)
                          : GpuArray_bincount_prepare(out, res, x, weights);
}

static int run(const counting *c) {
  const ga__sort_job *j = &c->job;
  const void *arrays[SLOTS];
  ga__launch_key key;

  ga__launch_key_start(&key, j->ctx, c->name);
  for (unsigned int k = 0; k < SLOTS; k++) {
    arrays[k] = j->array[k];
    ga__launch_key_number(&key, arrays[k] != NULL);
    if (arrays[k] != NULL)
      ga__launch_key_array(&key, arrays[k]);
  }
  return ga__cached_run(&(ga__cached_call){.ctx = j->ctx,
                                           .key = &key,
                                           .n = SLOTS,
                                           .values = arrays,
                                           .prepare = prepare_call,
                                           .arg = c});
}

/* Make the result of n bins and run. */
static int call(GpuArray *res, counting *c, size_t n) {
  int err;

  GA_TRY(GpuArray_empty(res, c->job.ctx, result_dtype(c->job.array[WEIGHTS]), 1,
                        &n, GA_C_ORDER));
  c->job.array[RESULT] = res;
  err = run(c);
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  return err;
}

int GpuArray_bincount(GpuArray *res, const GpuArray *x, const GpuArray *weights,
                      size_t n) {
  counting c;

  GA_TRY(ga__fresh_one(res, 2, (const GpuArray *[]){x, weights}));
  GA_TRY(start(&c, "bincount", x, NULL, weights, 0));
  return call(res, &c, n);
}

int GpuArray_histogram(GpuArray *res, const GpuArray *x, const GpuArray *edges,
                       const GpuArray *weights) {
  counting c;

  GA_TRY(ga__fresh_one(res, 3, (const GpuArray *[]){x, edges, weights}));
  GA_TRY(start(&c, "histogram", x, edges, weights, 1));
  return call(res, &c, c.n_edges - 1);
}
