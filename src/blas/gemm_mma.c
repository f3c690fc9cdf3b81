/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of halves on NVIDIA's tensor cores: tile sizes, layouts, and the
 * check that the device computes what it should. The kernels are
 * cl/hgemm_mma.cl and cl/gemm_align.cl. */
#include "blas/product.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "codegen/gen_gemm.h"

enum {
  UNIT = 8,             /* elements that are copied as one */
  ALIGN = 16,           /* the same in bytes */
  PAIR = 4,             /* bytes of two elements */
  MIN_SIZE = 16,        /* of m, n and k: below, tiles are mostly empty */
  MIN_COPIED_SIZE = 64, /* the same when an operand must be copied first */
  BAND = 8,             /* groups that run together and share blocks */
  COPY_ITEMS = 128,
  MAX_DEVICES = 32
};

/* What a group computes; `speed` is what a compute unit reaches with it, in
 * any unit: the ratios were measured on an H200. */
typedef struct tile {
  unsigned int bm, bn, bk, stages, wm, wn, speed;
} tile;

static const tile tiles[] = {
    {128, 256, 16, 4, 64, 64, 355},
    {128, 128, 32, 3, 64, 64, 280},
    {128, 64, 32, 4, 64, 32, 196},
    {64, 64, 32, 6, 32, 32, 146},
};
enum { N_TILES = sizeof tiles / sizeof tiles[0] };

static unsigned int items(const tile *t) {
  return t->bm / t->wm * (t->bn / t->wn) * 32;
}

static size_t groups(const tile *t, const ga__gemm *g) {
  return ga__div_up(g->m, t->bm) * ga__div_up(g->n, t->bn) * g->batch;
}

/* The tile whose rounds take the least time. */
static const tile *choose(const ga__gemm *g) {
  const gpudevice_caps *caps = gpucontext_caps(g->ctx);
  const tile *best = &tiles[N_TILES - 1];
  double least = HUGE_VAL;

  for (int i = 0; i < N_TILES; i++) {
    const tile *t = &tiles[i];
    const double rounds = (double)ga__div_up(groups(t, g), caps->compute_units);
    const double time = rounds * t->bm * t->bn / t->speed;

    if (time < least && items(t) <= caps->max_group) {
      least = time;
      best = t;
    }
  }
  return best;
}

/* --- layouts --- */

/* Which stride of an operand is 1, as by ga__product_unit, if its lines can be
 * copied to local memory as they are; else 0. */
static int native_unit(const ga__gemm *g, const ga__operand *o, size_t rows,
                       size_t cols) {
  const int unit = ga__product_unit(o, rows, cols);
  const ptrdiff_t other = unit == 1 ? o->rs : o->cs;
  const size_t lines = unit == 1 ? rows : cols;

  if (unit == 0 || o->off % ALIGN != 0)
    return 0;
  if (lines > 1 && (other < 0 || other % UNIT != 0))
    return 0;
  return g->batch <= 1 || o->bs % UNIT == 0 ? unit : 0;
}

/* An operand as the product's kernel sees it: itself, or a copy. */
typedef struct input {
  const ga__operand *of;
  size_t rows, cols;
  int unit; /* 1 or 2 */
  int copied;
  unsigned int work; /* the workspace with the copy */
  size_t ld, copies;
} input;

static input look_at(const ga__gemm *g, const ga__operand *o, size_t rows,
                     size_t cols) {
  input in = {.of = o, .rows = rows, .cols = cols};

  in.unit = native_unit(g, o, rows, cols);
  if (in.unit != 0)
    return in;
  in.copied = 1;
  in.unit = ga__product_unit(o, rows, cols) == 2 ? 2 : 1;
  in.ld = ga__div_up(in.unit == 1 ? cols : rows, UNIT) * UNIT;
  in.copies = o->bs == 0 ? 1 : g->batch;
  return in;
}

static void copy(GpuLaunch *l, input *in) {
  const ga__operand *o = in->of;
  const size_t lines = in->unit == 1 ? in->rows : in->cols;
  const size_t length = in->unit == 1 ? in->cols : in->rows;
  const size_t ls[2] = {COPY_ITEMS, 1};
  const size_t gs[2] = {ga__div_up(length, COPY_ITEMS) * COPY_ITEMS * lines,
                        in->copies};
  ga__strb defines = GA_STRB_INIT;

  ga__product_kernel(l, "gemm_align", "gemm_align", &defines, 2, gs, ls);
  ga__launch_slot(l, o->slot);
  ga__launch_offset(l, o->slot, 0);
  ga__launch_ssize(l, in->unit == 1 ? o->rs : o->cs);
  ga__launch_ssize(l, in->unit == 1 ? o->cs : o->rs);
  ga__launch_ssize(l, o->bs);
  ga__launch_size(l, lines);
  ga__launch_size(l, length);
  ga__launch_size(l, in->ld);
  in->work = ga__launch_work(l, in->copies * lines * in->ld * sizeof(uint16_t));
  ga__strb_clear(&defines);
}

/* The arguments that stand for an operand. */
static void input_args(GpuLaunch *l, const input *in) {
  const size_t lines = in->unit == 1 ? in->rows : in->cols;
  const ptrdiff_t ld = (ptrdiff_t)in->ld;

  if (!in->copied) {
    ga__product_matrix(l, in->of, 1);
    ga__launch_require_align(l, in->of->slot, ALIGN);
    return;
  }
  ga__launch_work_arg(l, in->work);
  ga__launch_size(l, 0);
  ga__launch_ssize(l, in->unit == 1 ? ld : 1);
  ga__launch_ssize(l, in->unit == 1 ? 1 : ld);
  ga__launch_ssize(l, in->copies > 1 ? ld * (ptrdiff_t)lines : 0);
}

/* --- launching --- */

int ga__gemm_mma_takes(const ga__gemm *g) {
  const int c_unit = ga__product_unit(&g->c, g->m, g->n);
  ga__gemm p = *g;
  size_t least = MIN_SIZE;
  int a, b;

  if (g->typecode != GA_HALF || !gpucontext_caps(g->ctx)->ptx || c_unit == 0)
    return 0;
  if (c_unit == 2)
    ga__gemm_turn(&p);
  a = native_unit(&p, &p.a, p.m, p.k);
  b = native_unit(&p, &p.b, p.k, p.n);
  if (a == 0 || b == 0)
    least = MIN_COPIED_SIZE;
  return p.m >= least && p.n >= least && p.k >= least;
}

void ga__gemm_mma(GpuLaunch *l, const ga__gemm *given) {
  ga__gemm g = *given;
  ga__gen_hgemm_mma gen = {.band = BAND};
  const tile *t;
  ga__strb defines = GA_STRB_INIT;
  size_t gs[3], ls[3] = {1, 1, 1};
  input a, b;

  ga__gemm_turn(&g);
  t = choose(&g);
  a = look_at(&g, &g.a, g.m, g.k);
  b = look_at(&g, &g.b, g.k, g.n);
  if (a.copied)
    copy(l, &a);
  if (b.copied)
    copy(l, &b);
  gen.bm = t->bm;
  gen.bn = t->bn;
  gen.bk = t->bk;
  gen.wm = t->wm;
  gen.wn = t->wn;
  gen.stages = t->stages;
  gen.a_unit = a.unit;
  gen.b_unit = 3 - b.unit;
  gen.edges = g.m % t->bm != 0 || g.n % t->bn != 0 || g.k % t->bk != 0;
  gen.c_pairs = g.c.off % PAIR == 0 && g.c.rs % 2 == 0 && g.c.bs % 2 == 0;
  if (gen.c_pairs)
    ga__launch_require_align(l, g.c.slot, PAIR);
  ls[0] = items(t);
  gs[0] = ga__div_up(g.n, t->bn) * ls[0];
  gs[1] = ga__div_up(g.m, t->bm);
  gs[2] = g.batch;
  ga__gen_hgemm_mma_text(&defines, &gen);
  ga__product_kernel(l, "hgemm_mma", "gemm", &defines, 3, gs, ls);
  ga__strb_clear(&defines);
  input_args(l, &a);
  input_args(l, &b);
  ga__product_matrix(l, &g.c, 1);
  ga__launch_size(l, g.m);
  ga__launch_size(l, g.n);
  ga__launch_size(l, g.k);
  ga__product_scalar(l, g.typecode, g.alpha);
  ga__product_scalar(l, g.typecode, g.beta);
}

/* --- does the device compute what it should? --- */

enum { TRY_M = 72, TRY_N = 136, TRY_K = 104 };

/* Run one product into `c` and read it back. */
static int run_one(const ga__gemm *g, ga__provider who, uint16_t *got) {
  const size_t bytes = (size_t)TRY_M * TRY_N * sizeof *got;
  GpuLaunch *l = NULL;
  int err;

  GA_TRY(gpudata_memset(g->c.buf, 0, 0x55));
  GA_TRY(ga__gemm_prepare_by(&l, g, who));
  err = GpuLaunch_run(l);
  if (err == GA_NO_ERROR)
    err = gpudata_read(got, g->c.buf, 0, bytes);
  GpuLaunch_free(l);
  return err;
}

/* Small whole numbers: their sums are exact, so both must agree. */
static int compare(const ga__gemm *g, uint16_t *host, size_t n) {
  const size_t n_c = (size_t)TRY_M * TRY_N;
  uint16_t *mine = host + n, *theirs = mine + n_c;

  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(GA_HALF, &host[i], (double)(i * i % 7) - 3);
  GA_TRY(gpudata_write(g->a.buf, 0, host, n * sizeof *host));
  GA_TRY(run_one(g, GA_PROVIDER_MMA, mine));
  GA_TRY(run_one(g, GA_PROVIDER_GPU, theirs));
  return memcmp(mine, theirs, n_c * sizeof *mine) == 0
             ? GA_NO_ERROR
             : ga__fail(GA_IMPL_ERROR, "tensor cores: wrong product");
}

static int try_device(gpucontext *ctx) {
  const size_t n_a = (size_t)TRY_M * TRY_K, n = n_a + (size_t)TRY_K * TRY_N;
  const size_t n_c = (size_t)TRY_M * TRY_N, size = sizeof(uint16_t);
  uint16_t *host = ga__malloc((n + 2 * n_c) * size);
  ga__gemm g = {.ctx = ctx,
                .typecode = GA_HALF,
                .m = TRY_M,
                .n = TRY_N,
                .k = TRY_K,
                .batch = 1,
                .alpha = 1,
                .a = {.rs = TRY_K, .cs = 1},
                .b = {.rs = TRY_N, .cs = 1, .off = n_a * size, .slot = 1},
                .c = {.rs = TRY_N, .cs = 1, .slot = 2}};
  int err;

  g.a.buf = gpudata_alloc(ctx, n * size, NULL, 0, &err);
  g.b.buf = g.a.buf;
  g.c.buf = gpudata_alloc(ctx, n_c * size, NULL, 0, &err);
  if (host == NULL || g.a.buf == NULL || g.c.buf == NULL)
    err = ga__fail_nomem();
  else
    err = compare(&g, host, n);
  gpudata_release(g.a.buf);
  gpudata_release(g.c.buf);
  ga__free(host);
  return err;
}

int ga__gemm_mma_trusted(gpucontext *ctx) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct {
    cl_device_id device;
    int good;
  } known[MAX_DEVICES];
  static int n;
  const cl_device_id device = ga__ctx_device(ctx);
  int good = 0, i = 0;

  ga__ctx_lock(ctx); /* first, as everywhere: the trial takes it too */
  pthread_mutex_lock(&lock);
  while (i < n && known[i].device != device)
    i++;
  if (i < n) {
    good = known[i].good;
  } else if (n < MAX_DEVICES) {
    good = try_device(ctx) == GA_NO_ERROR;
    known[n].device = device;
    known[n++].good = good;
  }
  pthread_mutex_unlock(&lock);
  ga__ctx_unlock(ctx);
  return good;
}
