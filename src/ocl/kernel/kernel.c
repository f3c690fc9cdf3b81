/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels, which may use the cluda names of cl/cluda.cl. */
#include "ocl/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "ocl/context.h"
#include "ocl/kernel/programs.h"
#include "ocl/memory/guard.h"
#include "ocl/objects.h"
#include "ocl/queue.h"

#include <gpuarray/types.h>
#include <gpuarray/util.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/strb.h"

#define ARG_BYTES_MAX 128 /* ga_double16, the largest type */

/* --- source --- */

/* If `line` starts with an include of cluda.h, the end of that directive; else
 * NULL. */
static char *cluda_include(char *line) {
  line += strspn(line, " \t");
  if (*line != '#')
    return NULL;
  line += 1 + strspn(line + 1, " \t");
  if (strncmp(line, "include", 7) != 0)
    return NULL;
  line += 7 + strspn(line + 7, " \t");
  if (strncmp(line, "\"cluda.h\"", 9) != 0 &&
      strncmp(line, "<cluda.h>", 9) != 0)
    return NULL;
  return line + 9;
}

/* Replace lines that include cluda.h by blanks, which keeps the line numbers:
 * the prelude stands in front of the source anyway. Returns their count. */
static int blank_includes(char *text) {
  char *line = text;
  int found = 0;

  while (line != NULL) {
    char *end = cluda_include(line);
    if (end != NULL) {
      memset(line, ' ', (size_t)(end - line));
      found++;
    }
    line = strchr(line, '\n');
    if (line != NULL)
      line++;
  }
  return found;
}

static int join(char **out, unsigned int count, const char **strings,
                const size_t *lengths) {
  ga__strb b = GA_STRB_INIT;

  for (unsigned int i = 0; i < count; i++) {
    if (lengths != NULL && lengths[i] != 0)
      ga__strb_append_n(&b, strings[i], lengths[i]);
    else
      ga__strb_append(&b, strings[i]);
  }
  ga__strb_append(&b, "\n");
  return ga__strb_take(&b, out);
}

/* --- creation --- */

static int check_flags(const gpucontext *ctx, int flags) {
  if (flags & GA_USE_CUDA)
    return ga__fail(GA_DEVSUP_ERROR,
                    "the kernel is CUDA C, but %s is an "
                    "OpenCL device",
                    ctx->dev.name);
  if ((flags & GA_USE_DOUBLE) && !ctx->dev.caps.fp64)
    return ga__fail(GA_DEVSUP_ERROR,
                    "the kernel uses double, which %s does "
                    "not support",
                    ctx->dev.name);
  return GA_NO_ERROR;
}

static int check_types(unsigned int n, const int *types) {
  for (unsigned int i = 0; i < n; i++) {
    const gpuarray_type *t = ga__type_of(types[i]);

    if (t == NULL || t->size > ARG_BYTES_MAX)
      return ga__fail(GA_VALUE_ERROR, "argument %u: no type %d", i, types[i]);
  }
  return GA_NO_ERROR;
}

/* Ask the driver about the kernel. If it has one argument more than declared,
 * that is the dynamic local memory. */
static int read_facts(gpukernel *k, const char *fname) {
  cl_device_id d = k->ctx->dev.cl;
  cl_uint n = 0;

  GA_TRY(GA_CL(clGetKernelInfo(k->cl, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL)));
  GA_TRY(GA_CL(clGetKernelWorkGroupInfo(k->cl, d, CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof k->max_group, &k->max_group,
                                        NULL)));
  GA_TRY(GA_CL(clGetKernelWorkGroupInfo(
      k->cl, d, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
      sizeof k->group_multiple, &k->group_multiple, NULL)));
  k->has_shared = n == k->numargs + 1;
  if (n == k->numargs || k->has_shared)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR,
                  "kernel %s takes %u arguments, but %u types were given",
                  fname, n, k->numargs);
}

int ga__gpukernel_new(gpukernel **out, gpucontext *ctx, cl_kernel cl,
                      const char *fname, unsigned int numargs,
                      const int *types) {
  gpukernel *k = ga__calloc(1, sizeof *k);
  int err = GA_NO_ERROR;

  *out = NULL;
  if (k == NULL) {
    clReleaseKernel(cl);
    return ga__fail_nomem();
  }
  atomic_init(&k->refs, 1);
  k->ctx = ctx;
  ga__ctx_retain(ctx);
  k->cl = cl;
  k->numargs = numargs;
  k->types = ga__memdup(types, numargs * sizeof *types);
  if (ctx->guard)
    k->bufs = ga__calloc(numargs, sizeof *k->bufs);
  if (k->types == NULL || (ctx->guard && k->bufs == NULL))
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(read_facts(k, fname));
  *out = k;

done:
  if (err != GA_NO_ERROR)
    gpukernel_release(k);
  return err;
}

static int build(gpukernel **out, gpucontext *ctx, char *text,
                 const char *fname, unsigned int numargs, const int *types,
                 int flags, const char *options) {
  const char *parts[] = {text};
  ga__source src = {.n = 1,
                    .parts = parts,
                    .entry = fname,
                    .options = options,
                    .prelude = GA_PRELUDE_CLUDA};
  cl_kernel cl;

  *out = NULL;
  if (!blank_includes(text) && (flags & GA_USE_OPENCL))
    src.prelude = GA_PRELUDE_NONE; /* plain OpenCL C, without the names of the
                                      prelude */
  GA_TRY(ga__kernel_get(&cl, ctx, &src));
  return ga__gpukernel_new(out, ctx, cl, fname, numargs, types);
}

int ga__gpukernel_build(gpukernel **out, gpucontext *ctx, unsigned int count,
                        const char **strings, const size_t *lengths,
                        const char *fname, unsigned int numargs,
                        const int *types, int flags, const char *options) {
  char *text = NULL;

  *out = NULL;
  if (count == 0)
    return ga__fail(GA_VALUE_ERROR, "no source text");
  GA_TRY(check_flags(ctx, flags));
  GA_TRY(check_types(numargs, types));
  GA_TRY(join(&text, count, strings, lengths));
  int err = build(out, ctx, text, fname, numargs, types, flags, options);
  ga__free(text);
  return err;
}

/* Uses malloc, because the caller releases the message with free(). */
static void copy_message(char **err_str, int err) {
  const char *text = ga__err_text(err);
  size_t n = strlen(text) + 1;

  *err_str = malloc(n);
  if (*err_str != NULL)
    memcpy(*err_str, text, n);
}

gpukernel *gpukernel_init(gpucontext *ctx, unsigned int count,
                          const char **strings, const size_t *lengths,
                          const char *fname, unsigned int numargs,
                          const int *typecodes, int flags, int *ret,
                          char **err_str) {
  gpukernel *k;
  int err = ga__gpukernel_build(&k, ctx, count, strings, lengths, fname,
                                numargs, typecodes, flags, NULL);

  if (err_str != NULL)
    *err_str = NULL;
  if (err == GA_IMPL_ERROR && err_str != NULL)
    copy_message(err_str, err);
  if (err != GA_NO_ERROR && ret != NULL)
    *ret = err;
  return k;
}

void gpukernel_retain(gpukernel *k) {
  if (k == NULL)
    return;
  atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
}

void gpukernel_release(gpukernel *k) {
  if (k == NULL ||
      atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) != 1)
    return;
  if (k->cl != NULL)
    clReleaseKernel(k->cl);
  for (unsigned int i = 0; k->bufs != NULL && i < k->numargs; i++)
    gpudata_release(k->bufs[i]);
  gpucontext_deref(k->ctx);
  ga__free(k->bufs);
  ga__free(k->types);
  ga__free(k);
}

gpucontext *gpukernel_context(gpukernel *k) {
  return k->ctx;
}

/* --- arguments --- */

static int set_buffer(gpukernel *k, unsigned int i, gpudata *d) {
  if (d == NULL)
    return ga__fail(GA_VALUE_ERROR, "argument %u: no buffer", i);
  if (d->ctx != k->ctx)
    return ga__fail(GA_VALUE_ERROR,
                    "argument %u: the buffer is of another context", i);
  GA_TRY(GA_CL(clSetKernelArg(k->cl, i, sizeof d->mem, &d->mem)));
  if (k->bufs != NULL) {
    gpudata_retain(d);
    gpudata_release(k->bufs[i]);
    k->bufs[i] = d;
  }
  return GA_NO_ERROR;
}

/* GA_SIZE and GA_SSIZE have 64 bits in kernels on every host. */
static int set_value(gpukernel *k, unsigned int i, const void *a) {
  if (k->types[i] == GA_SIZE) {
    cl_ulong u = *(const size_t *)a;
    return GA_CL(clSetKernelArg(k->cl, i, sizeof u, &u));
  }
  if (k->types[i] == GA_SSIZE) {
    cl_long s = *(const ssize_t *)a;
    return GA_CL(clSetKernelArg(k->cl, i, sizeof s, &s));
  }
  return GA_CL(clSetKernelArg(k->cl, i, gpuarray_get_elsize(k->types[i]), a));
}

static int set_arg(gpukernel *k, unsigned int i, void *a) {
  if (k->types[i] == GA_BUFFER)
    return set_buffer(k, i, a);
  if (a == NULL)
    return ga__fail(GA_VALUE_ERROR, "argument %u: no value", i);
  return set_value(k, i, a);
}

int gpukernel_setarg(gpukernel *k, unsigned int i, void *a) {
  if (i >= k->numargs)
    return ga__fail(GA_VALUE_ERROR, "no argument %u, the kernel has %u", i,
                    k->numargs);
  ga__ctx_lock(k->ctx);
  int err = set_arg(k, i, a);
  ga__ctx_unlock(k->ctx);
  return err;
}

/* --- launching --- */

int ga__gpukernel_sizes(const gpukernel *k, unsigned int n, const size_t *gs,
                        const size_t *ls, size_t global[3], int *empty) {
  const gpudevice_caps *caps = &k->ctx->dev.caps;
  size_t group = 1;

  *empty = 0;
  if (n < 1 || n > 3)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 1 to 3", n);
  for (unsigned int i = 0; i < n; i++) {
    if (ls[i] == 0 || ls[i] > caps->max_items[i])
      return ga__fail(GA_VALUE_ERROR,
                      "dim %u: %zu work-items per group, expected 1 to %zu", i,
                      ls[i], caps->max_items[i]);
    if (gs[i] > SIZE_MAX / ls[i])
      return ga__fail(GA_XLARGE_ERROR, "dim %u: %zu groups of %zu overflow", i,
                      gs[i], ls[i]);
    global[i] = gs[i] * ls[i];
    *empty |= gs[i] == 0;
    group *= ls[i];
    if (group > k->max_group)
      return ga__fail(GA_VALUE_ERROR,
                      "%zu work-items per group, this kernel can have %zu",
                      group, k->max_group);
  }
  return GA_NO_ERROR;
}

int ga__gpukernel_shared(const gpukernel *k, size_t shared) {
  if (shared > 0 && !k->has_shared)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu bytes of local memory, but the kernel has no "
                    "argument for it",
                    shared);
  if (shared > k->ctx->dev.caps.local_bytes)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu bytes of local memory, the device has %zu", shared,
                    k->ctx->dev.caps.local_bytes);
  return GA_NO_ERROR;
}

static int set_and_enqueue(gpukernel *k, unsigned int n, const size_t *global,
                           const size_t *ls, size_t shared, void **args) {
  for (unsigned int i = 0; args != NULL && i < k->numargs; i++)
    GA_TRY(set_arg(k, i, args[i]));
  if (k->has_shared)
    GA_TRY(GA_CL(
        clSetKernelArg(k->cl, k->numargs, shared > 0 ? shared : 1, NULL)));
  GA_TRY(ga__enqueue(k->ctx, k->cl, n, global, ls, NULL));
  for (unsigned int i = 0; k->bufs != NULL && i < k->numargs; i++)
    GA_TRY(ga__guard_check_arg(k->bufs[i], k->cl, i));
  return GA_NO_ERROR;
}

int gpukernel_call(gpukernel *k, unsigned int n, const size_t *gs,
                   const size_t *ls, size_t shared, void **args) {
  size_t global[3];
  int empty;

  GA_TRY(ga__gpukernel_sizes(k, n, gs, ls, global, &empty));
  GA_TRY(ga__gpukernel_shared(k, shared));
  if (empty)
    return GA_NO_ERROR;
  ga__ctx_lock(k->ctx);
  int err = set_and_enqueue(k, n, global, ls, shared, args);
  ga__ctx_unlock(k->ctx);
  return err;
}
