/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel cache: programs come from memory, from a binary on disk, or from
 * the compiler.
 *
 * When a binary is worth saving depends on the driver. PoCL compiles work-group
 * functions for each local size at the first launch, and its binary contains
 * those that exist when it is first requested: a binary fetched after a launch
 * loads in 2 ms, one fetched right after the build costs another 45 ms per
 * kernel. So PoCL's binaries are saved when a read or a sync has drained the
 * queue. Binaries of other drivers are complete once a kernel object was
 * created. */
#include "ocl/kernel/programs.h"

#include <gpuarray/timeline.h>
#include <string.h>

#include "ocl/context.h"
#include "ocl/objects.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/strb.h"
#include "codegen/builtins.h"
#include "ocl/kernel/program_text.h"
#include "ocl/kernel/ptx.h"
#include "ocl/process.h"

#define FORMAT "gpugraph program 1" /* changing it makes old entries unusable */
/* Options of every program. They are part of the keys if they differ from
 * USUAL_OPTIONS. With assertions, drivers report the arguments of kernels, for
 * launch_check.c. */
#define USUAL_OPTIONS "-w"
#ifdef GA_ASSERTIONS
#define BUILD_OPTIONS USUAL_OPTIONS " -cl-kernel-arg-info"
#else
#define BUILD_OPTIONS USUAL_OPTIONS
#endif
#define FLUSH " -cl-denorms-are-zero"
#define SAVE_NS 50000000u /* of one wait; then no more binaries are saved */

/* A built program. Kernel objects retain their cl_program themselves. */
typedef struct program {
  cl_program cl;
  unsigned char key[GA_SHA256_BYTES];
  gpucontext *ctx;
  int used;             /* a kernel object has been created from it */
  int unsaved;          /* in the list of unsaved programs */
  size_t attempt;       /* the entry in the journal (cache/disk.h) of a program
                           from disk that has not run yet, or 0 */
  int launched;         /* a kernel of it was enqueued while it is in `tried` */
  struct program *next; /* in the list `unsaved` or `tried` */
} program;

typedef struct ga__programs {
  ga__lru *lru;                 /* all */
  program *unsaved;             /* those whose binary is not on disk */
  program *tried;               /* those from disk that have not run yet */
  int has_built;                /* a program was built since the last wait */
  size_t with_header;           /* programs with the library's prelude that were
                                   built with PoCL's header of functions */
  ga__sha256 seed[GA_PRELUDES]; /* the first part of keys: device and prelude */
} ga__programs;

/* --- keys --- */

/* Hash the first part of the context's keys, once. */
static void seed_keys(gpucontext *ctx) {
  const ga__device *d = &ctx->dev;

  for (int p = 0; p < GA_PRELUDES; p++) {
    ga__sha256 *s = &ctx->programs->seed[p];

    ga__sha256_init(s);
    ga__sha256_add_str(s, FORMAT);
    ga__sha256_add_str(s, d->platform_name);
    ga__sha256_add_str(s, d->platform_version);
    ga__sha256_add_str(s, d->vendor);
    ga__sha256_add_str(s, d->name);
    ga__sha256_add_str(s, d->version);
    ga__sha256_add_str(s, d->driver);
    ga__program_text_hash(s, ctx, (ga__prelude)p);
    if (strcmp(BUILD_OPTIONS, USUAL_OPTIONS) != 0)
      ga__sha256_add_str(s, BUILD_OPTIONS);
  }
}

static void key_of(unsigned char key[GA_SHA256_BYTES], const gpucontext *ctx,
                   const ga__source *t) {
  ga__sha256 s = ctx->programs->seed[t->prelude];

  ga__sha256_add_str(&s, t->options != NULL ? t->options : "");
  if (t->flushes)
    ga__sha256_add_str(&s, FLUSH);
  if (t->ptx_target != NULL)
    ga__sha256_add_str(&s, t->ptx_target);
  for (unsigned int i = 0; i < t->n; i++)
    ga__sha256_add(&s, t->parts[i], strlen(t->parts[i]));
  ga__sha256_end(&s, key);
}

/* --- compiling --- */

static void append_log(ga__strb *b, cl_program p, cl_device_id d) {
  size_t n = 0;

  if (clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, 0, NULL, &n) !=
      CL_SUCCESS)
    return;
  char *log = ga__calloc(n + 1, 1);
  if (log != NULL && clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, n, log,
                                           NULL) == CL_SUCCESS)
    ga__strb_append(b, log);
  ga__free(log);
}

/* `t` is NULL if the source is unknown. */
static int fail_build(const gpucontext *ctx, cl_program p, const ga__source *t,
                      cl_int status) {
  int err = ga__fail_status("clBuildProgram", status);
  ga__strb b = GA_STRB_INIT;

  if (t != NULL && status != CL_BUILD_PROGRAM_FAILURE)
    return err;
  ga__strb_appendf(&b, "clBuildProgram: %s\n", ga__status_name(status));
  if (t != NULL)
    ga__program_text_number(&b, ctx, t);
  ga__strb_append(&b, "build log:\n");
  append_log(&b, p, ctx->dev.cl);
  return ga__strb_fail(&b, err);
}

int ga__program_finish(gpucontext *ctx, cl_program p) {
  const cl_int status = clBuildProgram(p, 1, &ctx->dev.cl, "", NULL, NULL);

  return status == CL_SUCCESS ? GA_NO_ERROR : fail_build(ctx, p, NULL, status);
}

/* The options include -w: nobody sees the warnings of a successful build, but
 * PoCL prints their count. `more` are options, too. */
static cl_int build(cl_program p, const gpucontext *ctx, const ga__source *t,
                    const char *more) {
  ga__strb options = GA_STRB_INIT;
  cl_int status = CL_OUT_OF_HOST_MEMORY;

  ga__strb_append(&options, BUILD_OPTIONS " ");
  ga__strb_append(&options, t->options != NULL ? t->options : "");
  if (t->flushes)
    ga__strb_append(&options, FLUSH);
  ga__strb_append(&options, more);
  if (options.err == GA_NO_ERROR)
    status =
        clBuildProgram(p, 1, &ctx->dev.cl, ga__strb_text(&options), NULL, NULL);
  ga__strb_clear(&options);
  return status;
}

/* Build a new program. *status is what the build gave, *declares as for
 * ga__program_text(). */
static int compile(cl_program *out, cl_int *status, const gpucontext *ctx,
                   const ga__source *t, int *declares, int is_again) {
  ga__strb b = GA_STRB_INIT;
  int err;

  ga__program_text(&b, ctx, t, declares, is_again);
  GA_CHECK(b.err);
  const char *text = ga__strb_text(&b);
  *out = clCreateProgramWithSource(ctx->cl, 1, &text, &b.n, status);
  if (*status == CL_SUCCESS)
    *status = build(*out, ctx, t, *declares ? GA_NO_HEADER : "");
  else
    err = ga__fail_status("clCreateProgramWithSource", *status);
done:
  ga__strb_clear(&b);
  return err;
}

/* PoCL's header is left out (codegen/builtins.h). If the build then fails, it
 * may be because of a function that only the header has. */
static int build_source(cl_program *out, gpucontext *ctx, const ga__source *t,
                        int is_again) {
  const uint64_t start = ga__now_ns(), begin = gpuarray_timeline_now();
  int declares = ctx->is_pocl && t->prelude != GA_PRELUDE_NONE;
  cl_int status;

  GA_TRY(compile(out, &status, ctx, t, &declares, is_again));
  if (declares && status == CL_BUILD_PROGRAM_FAILURE) {
    clReleaseProgram(*out);
    declares = 0;
    GA_TRY(compile(out, &status, ctx, t, &declares, is_again));
  }
  ctx->programs->with_header += ctx->is_pocl && !declares &&
                                t->prelude == GA_PRELUDE_OWN &&
                                status == CL_SUCCESS;
  gpuarray_timeline_add("compile a kernel", "compile", begin);
  ctx->count.build_seconds += 1e-9 * (double)(ga__now_ns() - start);
  if (status == CL_SUCCESS)
    return GA_NO_ERROR;
  const int err = fail_build(ctx, *out, t, status);
  clReleaseProgram(*out);
  *out = NULL;
  return err;
}

/* --- binaries --- */

/* A program from a binary; NULL if the driver refuses it. */
static cl_program build_binary(const gpucontext *ctx, const ga__source *t,
                               const unsigned char *bytes, size_t n) {
  cl_int status, of_device;
  cl_program p = clCreateProgramWithBinary(ctx->cl, 1, &ctx->dev.cl, &n, &bytes,
                                           &of_device, &status);

  if (status != CL_SUCCESS)
    return NULL;
  if (of_device == CL_SUCCESS && build(p, ctx, t, "") == CL_SUCCESS)
    return p;
  clReleaseProgram(p);
  return NULL;
}

/* The binary of a program, with a NUL after its *n bytes; NULL if there is
 * none. The caller frees it. */
static unsigned char *binary_of(cl_program p, size_t *n) {
  if (clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof *n, n, NULL) !=
          CL_SUCCESS ||
      *n == 0)
    return NULL;
  unsigned char *bytes = ga__calloc(*n + 1, 1);
  if (bytes != NULL && clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes,
                                        &bytes, NULL) == CL_SUCCESS)
    return bytes;
  ga__free(bytes);
  return NULL;
}

/* Replace *p, which is released, by the program with its PTX completed (ptx.h).
 * On failure *p is NULL. */
static int complete(cl_program *p, const gpucontext *ctx, const ga__source *t) {
  ga__strb b = GA_STRB_INIT;
  size_t n;
  unsigned char *draft = binary_of(*p, &n);

  clReleaseProgram(*p);
  *p = NULL;
  if (draft == NULL)
    return ga__fail(GA_DEVSUP_ERROR, "the driver returns no binary");
  int err = ga__ptx_complete(&b, (const char *)draft, t->ptx_target);
  if (err == GA_NO_ERROR) {
    *p = build_binary(ctx, t, (const unsigned char *)ga__strb_text(&b), b.n);
    if (*p == NULL)
      err = ga__fail(GA_DEVSUP_ERROR, "the driver refuses PTX for %s",
                     t->ptx_target);
  }
  ga__strb_clear(&b);
  ga__free(draft);
  return err;
}

static cl_program load(gpucontext *ctx, const ga__source *t,
                       const unsigned char key[GA_SHA256_BYTES],
                       size_t *attempt, int *is_bad) {
  unsigned char *bytes = NULL;
  size_t n;

  if (!ga__disk_get(ctx->disk, key, &bytes, &n))
    return NULL;
  *is_bad = n == 0;
  if (*is_bad) {
    ga__free(bytes);
    return NULL;
  }
  *attempt = ga__disk_begin(ctx->disk, key);
  cl_program p = build_binary(ctx, t, bytes, n);
  if (p == NULL) {
    ga__disk_end(ctx->disk, *attempt);
    ga__disk_drop(ctx->disk, key);
  }
  ga__free(bytes);
  return p;
}

/* Save the binary if there is one; without it, the next process compiles
 * again. */
static void save(const program *p) {
  size_t n = 0;
  unsigned char *bytes = binary_of(p->cl, &n);

  if (bytes != NULL)
    ga__disk_put(p->ctx->disk, p->key, bytes, n);
  ga__free(bytes);
}

static void unlist(program **link, const program *p) {
  while (*link != p)
    link = &(*link)->next;
  *link = p->next;
}

static void save_now(program *p) {
  unlist(&p->ctx->programs->unsaved, p);
  p->unsaved = 0;
  save(p);
}

/* --- programs from disk, until they have run --- */

void ga__programs_launched(gpucontext *ctx, cl_kernel k) {
  cl_program cl;

  GA_ASSERT(ga__ctx_is_locked(ctx));
  if (ctx->programs->tried == NULL ||
      clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof cl, &cl, NULL) != CL_SUCCESS)
    return;
  for (program *p = ctx->programs->tried; p != NULL; p = p->next)
    if (p->cl == cl)
      p->launched = 1;
}

static void trust(program *p) {
  unlist(&p->ctx->programs->tried, p);
  ga__disk_end(p->ctx->disk, p->attempt);
  p->attempt = 0;
}

void ga__programs_trust(gpucontext *ctx) {
  while (ctx->programs->tried != NULL)
    trust(ctx->programs->tried);
}

/* All that was launched has ended, so trust what ran. */
static void trust_launched(gpucontext *ctx) {
  program *p = ctx->programs->tried, *next;

  for (; p != NULL; p = next) {
    next = p->next;
    if (p->launched)
      trust(p);
  }
}

/* PoCL compiles each kernel once more when its binary is requested. So a wait
 * after which programs were built saves none, and others spend at most about
 * SAVE_NS. */
void ga__programs_save(gpucontext *ctx, int all) {
  const int is_late = ctx->programs->has_built;
  program **link = &ctx->programs->unsaved;

  GA_ASSERT(ga__ctx_is_locked(ctx));
  trust_launched(ctx);
  ctx->programs->has_built = 0;
  if (*link == NULL || (is_late && !all))
    return;
  uint64_t start = ga__now_ns();
  while (*link != NULL && (all || ga__now_ns() - start < SAVE_NS)) {
    program *p = *link;

    if (!all && !p->used) {
      link = &p->next;
      continue;
    }
    *link = p->next;
    p->unsaved = 0;
    save(p);
  }
}

int ga__programs_wait(const gpucontext *ctx) {
  return ctx->programs != NULL && ctx->programs->unsaved != NULL;
}

size_t ga__programs_with_header(const gpucontext *ctx) {
  return ctx->programs->with_header;
}

/* --- the cache --- */

/* The memory cache calls this for each program that it removes. */
static void drop(void *value) {
  program *p = value;

  if (p->unsaved)
    save_now(p);
  if (p->attempt != 0)
    trust(p);
  clReleaseProgram(p->cl);
  ga__free(p);
}

int ga__programs_init(gpucontext *ctx) {
  ctx->programs = ga__calloc(1, sizeof *ctx->programs);
  if (ctx->programs == NULL)
    return ga__fail_nomem();
  seed_keys(ctx);
  return ga__lru_new(&ctx->programs->lru, GA_PROGRAMS_IN_MEMORY, 0, drop);
}

void ga__programs_clear(gpucontext *ctx) {
  if (ctx->programs == NULL)
    return;
  ga__lru_free(ctx->programs->lru);
  ga__free(ctx->programs);
  ctx->programs = NULL;
}

static int remember(program **out, gpucontext *ctx, cl_program cl,
                    const unsigned char key[GA_SHA256_BYTES], int is_new,
                    size_t attempt) {
  ga__programs *all = ctx->programs;
  program *p = ga__calloc(1, sizeof *p);

  if (p == NULL) {
    ga__disk_end(ctx->disk, attempt);
    clReleaseProgram(cl);
    return ga__fail_nomem();
  }
  p->cl = cl;
  p->ctx = ctx;
  memcpy(p->key, key, GA_SHA256_BYTES);
  if (is_new && ga__disk_is_on(ctx->disk)) {
    p->unsaved = 1;
    p->next = all->unsaved;
    all->unsaved = p;
  }
  if (attempt != 0) {
    p->attempt = attempt;
    p->next = all->tried;
    all->tried = p;
  }
  GA_TRY(ga__lru_put(all->lru, key, GA_SHA256_BYTES, p, 0));
  *out = p;
  return GA_NO_ERROR;
}

/* The program of `src`; borrowed until the next call. Lock held. */
static int get(program **out, gpucontext *ctx, const ga__source *src) {
  unsigned char key[GA_SHA256_BYTES];

  key_of(key, ctx, src);
  *out = ga__lru_get(ctx->programs->lru, key, GA_SHA256_BYTES);
  if (*out != NULL) {
    ctx->count.programs_reused++;
    return GA_NO_ERROR;
  }
  size_t attempt = 0;
  int is_bad = 0;
  cl_program cl = load(ctx, src, key, &attempt, &is_bad);
  if (cl != NULL) {
    ctx->count.programs_loaded++;
    return remember(out, ctx, cl, key, 0, attempt);
  }
  ga__process_watch();
  GA_TRY(build_source(&cl, ctx, src, is_bad));
  if (src->ptx_target != NULL)
    GA_TRY(complete(&cl, ctx, src));
  ctx->count.programs_built++;
  ctx->programs->has_built = 1;
  return remember(out, ctx, cl, key, 1, 0);
}

static int fail_kernel(const char *call, const char *name, cl_int status) {
  const int err = ga__fail_status(call, status);

  return ga__fail(err, "%s(\"%s\"): %s", call, name, ga__status_name(status));
}

/* A new kernel object. Some drivers accept any name, so check that it works. */
static int new_kernel(cl_kernel *out, program *p, const char *name) {
  cl_uint n;
  cl_int status;
  cl_kernel k = clCreateKernel(p->cl, name, &status);

  if (status != CL_SUCCESS)
    return fail_kernel("clCreateKernel", name, status);
  status = clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
  if (status != CL_SUCCESS) {
    clReleaseKernel(k);
    return fail_kernel("clGetKernelInfo", name, status);
  }
  p->used = 1;
  if (!p->ctx->is_pocl && p->unsaved)
    save_now(p);
  *out = k;
  return GA_NO_ERROR;
}

int ga__kernel_get(cl_kernel *out, gpucontext *ctx, const ga__source *src) {
  program *p;

  *out = NULL;
  ga__ctx_lock(ctx);
  int err = get(&p, ctx, src);
  if (err == GA_NO_ERROR)
    err = new_kernel(out, p, src->entry);
  ga__ctx_unlock(ctx);
  return err;
}

int ga__kernel_copy(cl_kernel *out, cl_kernel of) {
  char name[256];
  cl_program p;
  cl_int status;

  *out = NULL;
  GA_TRY(GA_CL(clGetKernelInfo(of, CL_KERNEL_PROGRAM, sizeof p, &p, NULL)));
  GA_TRY(GA_CL(
      clGetKernelInfo(of, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL)));
  *out = clCreateKernel(p, name, &status);
  return status == CL_SUCCESS ? GA_NO_ERROR
                              : fail_kernel("clCreateKernel", name, status);
}
