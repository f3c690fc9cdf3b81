/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether tensor cores compute right results. */
#include "blas/mma_trust.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"

enum {
  MAX_KNOWN = 32, /* devices and families with a result */
  TRIES = 8,      /* tests of a family that may run out of memory */
  TRY_M = 72,
  TRY_N = 136,
  TRY_K = 104
};

typedef struct tested {
  int typecode;
  const void *family;
  ga__mma_add_fn add;
} tested;

/* Run one product and read it back. */
static int run_one(GpuLaunch *l, const ga__product *p, void *got) {
  const size_t size = ga__dtype_size(p->typecode);

  GA_TRY(gpudata_memset(p->c.buf, 0, 0x55));
  GA_TRY(GpuLaunch_run(l));
  return gpudata_read(got, p->c.buf, 0, (size_t)TRY_M * TRY_N * size);
}

static int run_mma(const ga__product *p, const tested *f, void *got) {
  GpuLaunch *l = ga__product_open(p);

  f->add(l, p, f->family);
  GA_TRY(ga__launch_seal(&l, l));
  int err = run_one(l, p, got);
  GpuLaunch_free(l);
  return err;
}

static int run_portable(const ga__product *p, void *got) {
  GpuLaunch *l = ga__product_open(p);

  ga__gemm_gpu.add(l, p);
  GA_TRY(ga__launch_seal(&l, l));
  int err = run_one(l, p, got);
  GpuLaunch_free(l);
  return err;
}

/* Compare the products of both kernels. The operands are small integers, so
 * that all sums are exact. */
static int compare(const ga__product *p, const tested *f, char *host,
                   size_t n) {
  const size_t size = ga__dtype_size(p->typecode);
  const size_t c_bytes = (size_t)TRY_M * TRY_N * size;
  char *mine = host + n * size, *theirs = mine + c_bytes;

  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(p->typecode, host + i * size,
                          (double)(i * i % 7) - 3);
  GA_TRY(gpudata_write(p->a.buf, 0, host, n * size));
  GA_TRY(run_mma(p, f, mine));
  GA_TRY(run_portable(p, theirs));
  return memcmp(mine, theirs, c_bytes) == 0
             ? GA_NO_ERROR
             : ga__fail(GA_IMPL_ERROR, "tensor cores: wrong product");
}

static int try_device(gpucontext *ctx, const tested *f) {
  const int typecode = f->typecode;
  const size_t n_a = (size_t)TRY_M * TRY_K, n = n_a + (size_t)TRY_K * TRY_N;
  const size_t n_c = (size_t)TRY_M * TRY_N, size = ga__dtype_size(typecode);
  char *host = ga__calloc(n + 2 * n_c, size);
  ga__product p = {.ctx = ctx,
                   .routine = GA_ROUTINE_GEMM,
                   .typecode = typecode,
                   .m = TRY_M,
                   .n = TRY_N,
                   .k = TRY_K,
                   .batch = 1,
                   .alpha = {1, 0},
                   .a = {.rs = TRY_K, .cs = 1},
                   .b = {.rs = TRY_N, .cs = 1, .off = n_a * size, .slot = 1},
                   .c = {.rs = TRY_N, .cs = 1, .slot = 2}};
  int err = GA_NO_ERROR;

  if (host == NULL)
    GA_CHECK(ga__fail_nomem());
  p.a.buf = gpudata_alloc(ctx, n * size, NULL, 0, &err);
  p.b.buf = p.a.buf;
  if (err == GA_NO_ERROR)
    p.c.buf = gpudata_alloc(ctx, n_c * size, NULL, 0, &err);
  if (err == GA_NO_ERROR)
    err = compare(&p, f, host, n);

done:
  gpudata_release(p.a.buf);
  gpudata_release(p.c.buf);
  ga__free(host);
  return err;
}

int ga__mma_is_trusted(gpucontext *ctx, int typecode, const void *family,
                       ga__mma_add_fn add) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct {
    cl_device_id device;
    const void *family;
    int good, tries; /* tries that are left, 0 after a result */
  } known[MAX_KNOWN];
  static int n;
  const tested f = {typecode, family, add};
  cl_device_id device = ga__ctx_device(ctx);
  int i = 0;

  ga__ctx_lock(ctx); /* before `lock`, as everywhere: the test takes both */
  pthread_mutex_lock(&lock);
  while (i < n && (known[i].device != device || known[i].family != family))
    i++;
  if (i == n && n < MAX_KNOWN) {
    known[n].device = device;
    known[n].family = family;
    known[n++].tries = TRIES;
  }
  if (i < n && known[i].tries > 0) {
    const int err = try_device(ctx, &f);
    known[i].good = err == GA_NO_ERROR;
    known[i].tries = err == GA_MEMORY_ERROR ? known[i].tries - 1 : 0;
  }
  const int good = i < n && known[i].good;
  pthread_mutex_unlock(&lock);
  ga__ctx_unlock(ctx);
  return good;
}
