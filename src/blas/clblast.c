/* SPDX-License-Identifier: BSD-2-Clause */
/* Products by CLBlast, which is loaded at its first use.
 *
 * CLBlast must not get: empty sizes, for which it returns an error; sizes and
 * offsets beyond 32 bits, for which it computes wrong results (if a launch is
 * bound to such an offset later, CLBlast gets a sub-buffer); calls of several
 * threads at a time, because its caches race before 1.6.1; half precision
 * without the extension; and vectors, because its gemv does not drop NaN with a
 * beta of 0. It needs the in-order queue, because its calls have no wait
 * lists. */
#include "blas/product_provider.h"

#ifdef GA_HAVE_CLBLAST
#include <clblast_c.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "base/library.h"

enum {
  MAX_DEVICES = 32,
  BLOCK_ALIGN = 4096 /* bytes; devices ask for 4096 bits at most */
};

/* CLBlast's functions. */
static struct {
  __typeof__(&CLBlastSgemmWithTempBuffer) sgemm;
  __typeof__(&CLBlastDgemmWithTempBuffer) dgemm;
  __typeof__(&CLBlastSgemmStridedBatched) sbatch;
  __typeof__(&CLBlastDgemmStridedBatched) dbatch;
  __typeof__(&CLBlastSGemmTempBufferSize) stemp;
  __typeof__(&CLBlastDGemmTempBufferSize) dtemp;
  __typeof__(&CLBlastOverrideParameters) override;
  __typeof__(&CLBlastClearCache) clear;
} lib;

static const ga__symbol symbols[] = {
    {"CLBlastSgemmWithTempBuffer", &lib.sgemm},
    {"CLBlastDgemmWithTempBuffer", &lib.dgemm},
    {"CLBlastSgemmStridedBatched", &lib.sbatch},
    {"CLBlastDgemmStridedBatched", &lib.dbatch},
    {"CLBlastSGemmTempBufferSize", &lib.stemp},
    {"CLBlastDGemmTempBufferSize", &lib.dtemp},
    {"CLBlastOverrideParameters", &lib.override},
    {"CLBlastClearCache", &lib.clear},
    {NULL, NULL}};
static ga__library library = {.files = {"libclblast.so.1", "libclblast.so"},
                              .symbols = symbols};

static pthread_mutex_t serial = PTHREAD_MUTEX_INITIALIZER;

/* A product in CLBlast's terms: the state of a step. */
typedef struct call {
  int is_double;
  CLBlastLayout layout;
  CLBlastTranspose ta, tb;
  size_t m, n, k, batch;
  double alpha, beta;
  size_t lda, ldb, ldc;
  size_t as, bs, cs; /* batch strides, elements */
  unsigned int slots[3];
  size_t extents[3]; /* elements that an operand spans */
  gpudata *temp;     /* workspace, borrowed from the launch, or NULL */
} call;

/* Find the leading dimension of a [rows, cols] matrix. Returns 0 if its strides
 * do not allow one. *flipped: it is stored by columns. */
static int describe(const ga__product_operand *o, size_t rows, size_t cols,
                    size_t *ld, int *flipped) {
  const int unit = ga__product_unit(o, rows, cols);
  const ptrdiff_t stride = unit == 1 ? o->rs : o->cs;
  const size_t lines = unit == 1 ? rows : cols;
  const size_t length = unit == 1 ? cols : rows;

  *flipped = unit == 2;
  *ld = lines <= 1 ? length : (size_t)stride;
  return unit != 0 && (lines <= 1 || stride >= (ptrdiff_t)length) && o->bs >= 0;
}

static size_t extent(size_t lines, size_t ld, size_t length, size_t batch,
                     size_t bs) {
  double last = (double)(lines - 1) * (double)ld +
                (double)(batch - 1) * (double)bs + (double)length;

  return last < (double)INT_MAX ? (lines - 1) * ld + (batch - 1) * bs + length
                                : SIZE_MAX;
}

static int fill(call *c, const ga__product *p) {
  int fa, fb, fc;

  *c = (call){.is_double = p->typecode == GA_DOUBLE,
              .m = p->m,
              .n = p->n,
              .k = p->k,
              .batch = p->batch,
              .alpha = p->alpha.re,
              .beta = p->beta.re,
              .as = (size_t)p->a.bs,
              .bs = (size_t)p->b.bs,
              .cs = (size_t)p->c.bs,
              .slots = {p->a.slot, p->b.slot, p->c.slot}};
  if (!describe(&p->a, p->m, p->k, &c->lda, &fa) ||
      !describe(&p->b, p->k, p->n, &c->ldb, &fb) ||
      !describe(&p->c, p->m, p->n, &c->ldc, &fc))
    return 0;
  c->extents[0] =
      extent(fa ? p->k : p->m, c->lda, fa ? p->m : p->k, p->batch, c->as);
  c->extents[1] =
      extent(fb ? p->n : p->k, c->ldb, fb ? p->k : p->n, p->batch, c->bs);
  c->extents[2] =
      extent(fc ? p->n : p->m, c->ldc, fc ? p->m : p->n, p->batch, c->cs);
  c->layout = fc ? CLBlastLayoutColMajor : CLBlastLayoutRowMajor;
  c->ta = fa == fc ? CLBlastTransposeNo : CLBlastTransposeYes;
  c->tb = fb == fc ? CLBlastTransposeNo : CLBlastTransposeYes;
  return 1;
}

/* The offset of an operand in elements; SIZE_MAX if it ends beyond what CLBlast
 * can count. */
static size_t start(const call *c, int which, const size_t *offs) {
  const size_t at =
      offs[c->slots[which]] / (c->is_double ? sizeof(double) : sizeof(float));

  return c->extents[which] < INT_MAX && at < INT_MAX - c->extents[which]
             ? at
             : SIZE_MAX;
}

/* CLBlast's groups have up to 32 by 32 work-items, and at least 256 in some
 * kernels. They use all the local memory that OpenCL's full profile guarantees.
 * Smaller devices are not tried, because CLBlast prints when a device refuses a
 * kernel. */
static int has_groups(const gpudevice_caps *caps) {
  return caps->max_group >= 256 && caps->max_items[0] >= 32 &&
         caps->max_items[1] >= 32 && caps->local_bytes >= 32 << 10;
}

static int takes(const ga__product *p) {
  const size_t offs[3] = {p->a.off, p->b.off, p->c.off};
  const size_t size = ga__dtype_size(p->typecode);
  call c;

  if ((p->typecode != GA_FLOAT && p->typecode != GA_DOUBLE) ||
      p->epilogue != NULL)
    return 0;
  if (p->m == 0 || p->n == 0 || p->k == 0 || p->batch == 0)
    return 0;
  if (!has_groups(gpucontext_caps(p->ctx)))
    return 0;
  if (!fill(&c, p))
    return 0;
  for (int i = 0; i < 3; i++) {
    c.slots[i] = (unsigned int)i; /* indices of `offs` */
    if (offs[i] % size != 0 || start(&c, i, offs) == SIZE_MAX)
      return 0;
  }
  return ga__library_load(&library);
}

/* --- running --- */

static CLBlastStatusCode one(const call *c, cl_mem a, size_t ao, cl_mem b,
                             size_t bo, cl_mem out, size_t co,
                             cl_command_queue *q) {
  cl_mem temp = c->temp != NULL ? ga__data_mem(c->temp) : NULL;

  if (c->is_double)
    return lib.dgemm(c->layout, c->ta, c->tb, c->m, c->n, c->k, c->alpha, a, ao,
                     c->lda, b, bo, c->ldb, c->beta, out, co, c->ldc, q, NULL,
                     temp);
  return lib.sgemm(c->layout, c->ta, c->tb, c->m, c->n, c->k, (float)c->alpha,
                   a, ao, c->lda, b, bo, c->ldb, (float)c->beta, out, co,
                   c->ldc, q, NULL, temp);
}

static CLBlastStatusCode many(const call *c, cl_mem a, size_t ao, cl_mem b,
                              size_t bo, cl_mem out, size_t co,
                              cl_command_queue *q) {
  if (c->is_double)
    return lib.dbatch(c->layout, c->ta, c->tb, c->m, c->n, c->k, c->alpha, a,
                      ao, c->lda, c->as, b, bo, c->ldb, c->bs, c->beta, out, co,
                      c->ldc, c->cs, c->batch, q, NULL);
  return lib.sbatch(c->layout, c->ta, c->tb, c->m, c->n, c->k, (float)c->alpha,
                    a, ao, c->lda, c->as, b, bo, c->ldb, c->bs, (float)c->beta,
                    out, co, c->ldc, c->cs, c->batch, q, NULL);
}

/* An operand starts `at` elements after the start of `mem`. */
typedef struct place {
  cl_mem mem, block; /* `block` is owned, or NULL */
  size_t at;
} place;

/* If CLBlast cannot count up to an operand, pass a sub-buffer that starts close
 * before it, at an alignment that every device accepts. */
static int find_block(place *p, const call *c, int which, cl_mem mem,
                      size_t off) {
  const size_t size = c->is_double ? sizeof(double) : sizeof(float);
  const size_t within = off % BLOCK_ALIGN;
  const cl_buffer_region r = {off - within, within + c->extents[which] * size};
  cl_int status;

  p->block = clCreateSubBuffer(mem, CL_MEM_READ_WRITE,
                               CL_BUFFER_CREATE_TYPE_REGION, &r, &status);
  if (status != CL_SUCCESS) {
    p->block = NULL;
    return ga__fail(GA_BLAS_ERROR,
                    "clblast: offset %zu is beyond 2^31 elements, and a block "
                    "there is %s",
                    off, ga__status_name(status));
  }
  p->mem = p->block;
  p->at = within / size;
  return GA_NO_ERROR;
}

static int find_places(place p[3], const call *c, gpudata *const *bufs,
                       const size_t *offs) {
  for (int i = 0; i < 3; i++) {
    cl_mem mem = ga__data_mem(bufs[c->slots[i]]);
    const size_t at = start(c, i, offs);

    p[i] = (place){.mem = mem, .at = at};
    if (at == SIZE_MAX)
      GA_TRY(find_block(&p[i], c, i, mem, offs[c->slots[i]]));
  }
  return GA_NO_ERROR;
}

static CLBlastStatusCode multiply(const call *c, const place p[3],
                                  cl_command_queue q) {
  pthread_mutex_lock(&serial);
  CLBlastStatusCode status = (c->batch == 1 ? one : many)(
      c, p[0].mem, p[0].at, p[1].mem, p[1].at, p[2].mem, p[2].at, &q);
  pthread_mutex_unlock(&serial);
  return status;
}

static int run(void *state, gpucontext *ctx, gpudata *const *bufs,
               const size_t *offs) {
  const call *c = state;
  place p[3] = {{.block = NULL}};
  int err = find_places(p, c, bufs, offs);
  CLBlastStatusCode status = CLBlastSuccess;

  if (err == GA_NO_ERROR)
    status = multiply(c, p, ga__ctx_queue(ctx));
  for (int i = 0; i < 3; i++) {
    if (p[i].block != NULL)
      clReleaseMemObject(p[i].block); /* OpenCL frees it after the product */
  }
  if (err != GA_NO_ERROR || status == CLBlastSuccess)
    return err;
  return ga__fail(GA_BLAS_ERROR, "clblast: %s (%d)",
                  status > -100 ? ga__status_name((cl_int)status) : "status",
                  (int)status);
}

/* --- its caches --- */

static int users; /* contexts that have used it; guarded by `serial` */

/* CLBlast's cache retains programs of freed contexts, and with them the
 * cl_contexts. It can only be emptied for all contexts at once. */
static void leave(void *unused) {
  (void)unused;
  pthread_mutex_lock(&serial);
  if (--users == 0)
    lib.clear();
  pthread_mutex_unlock(&serial);
}

/* Lock of the context and `serial` held. */
static void join(gpucontext *ctx) {
  if (ga__ctx_kept(ctx, GA_KEEPER_CLBLAST) != NULL)
    return;
  ga__ctx_keep(ctx, GA_KEEPER_CLBLAST, &users, leave);
  users++;
}

/* --- preparing --- */

/* If CLBlast refuses the parameters, it uses its own. */
static void override(const char *kernel, int bits, size_t n,
                     const char *const *names, const size_t *values,
                     void *device) {
  const char *list[GA_TUNED_MAX]; /* CLBlast takes a writable list */

  memcpy(list, names, n * sizeof *list);
  lib.override(device, kernel, (CLBlastPrecision)bits, n, list, values);
}

/* Pass the library's parameters to CLBlast, once per device and process. */
static void tune(gpucontext *ctx) {
  static cl_device_id done[MAX_DEVICES];
  static int n_done;
  cl_device_id device = ga__ctx_device(ctx);
  char name[256];

  for (int i = 0; i < n_done; i++) {
    if (done[i] == device)
      return;
  }
  if (n_done == MAX_DEVICES ||
      gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name) != GA_NO_ERROR)
    return;
  done[n_done++] = device;
  ga__tuned_each(name, override, device);
}

/* The bytes of temporary memory that the product may need. Offsets of 0 may
 * need less, but later bindings may have other offsets, so ask for offset 1. */
static size_t temp_bytes(const call *c, cl_command_queue q) {
  __typeof__(lib.stemp) size = c->is_double ? lib.dtemp : lib.stemp;
  size_t bytes = 0;

  if (c->batch != 1 ||
      size(c->layout, c->ta, c->tb, c->m, c->n, c->k, 1, c->lda, 1, c->ldb, 1,
           c->ldc, &q, &bytes) != CLBlastSuccess)
    return 0;
  return bytes;
}

static void add(GpuLaunch *l, const ga__product *p) {
  const size_t size = ga__dtype_size(p->typecode);
  call *c = ga__malloc(sizeof *c);

  if (c == NULL) {
    ga__launch_error(l, ga__fail_nomem());
    return;
  }
  const int is_filled = fill(c, p); /* takes() has checked it */
  GA_ASSERT(is_filled);
  ga__ctx_lock(p->ctx);
  pthread_mutex_lock(&serial);
  join(p->ctx);
  tune(p->ctx);
  size_t bytes = temp_bytes(c, ga__ctx_queue(p->ctx));
  pthread_mutex_unlock(&serial);
  ga__ctx_unlock(p->ctx);
  if (bytes > 0)
    c->temp = ga__launch_workspace(l, bytes);
  for (int i = 0; i < 3; i++)
    ga__launch_require_align(l, c->slots[i], size);
  ga__launch_call(l, run, c, "clblast");
}

#else

static int takes(const ga__product *p) {
  (void)p;
  return 0;
}

static void add(GpuLaunch *l, const ga__product *p) {
  (void)p;
  ga__launch_error(l, ga__fail(GA_UNSUPPORTED_ERROR, "built without clblast"));
}
#endif

/* On the NVIDIA device that was measured, the library's kernels were faster
 * than CLBlast's at every size. For GPUs of other makers CLBlast has tuned
 * parameters. */
static int wants(const ga__product *p) {
  const gpudevice_caps *caps = gpucontext_caps(p->ctx);
  const ga__wish wish = ga__product_wish(p->ctx);

  if (wish.who != GA_WISH_CLBLAST &&
      (wish.who == GA_WISH_OWN || caps->is_cpu || caps->ptx))
    return 0;
  return takes(p);
}

const ga__provider ga__gemm_clblast = {
    .takes = takes, .wants = wants, .add = add};
