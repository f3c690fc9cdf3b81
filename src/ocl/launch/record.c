/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording launches: calls of users' kernels and host functions become
 * steps. */
#include <gpuarray/record.h>

#include <string.h>

#include <gpuarray/kernel.h>

#include "base/dtype.h"
#include "base/strb.h"
#include "ocl/kernel/kernel.h"
#include "ocl/kernel/kernel_info.h"
#include "ocl/launch/launch.h"
#include "ocl/launch/launch_build.h"

GpuLaunch *GpuLaunch_open(gpucontext *ctx, const char *label,
                          unsigned int n_arrays, GpuArray *const *arrays) {
  GpuLaunch *l = ga__launch_open(ctx, label, n_arrays);

  if (l == NULL)
    return NULL;
  for (unsigned int i = 0; i < n_arrays && l->err == GA_NO_ERROR; i++) {
    if (arrays[i]->data != NULL)
      ga__launch_bind_array(l, i, arrays[i]);
    ga__launch_error(l, ga__vec_push(&l->arrays, arrays[i]));
  }
  return l;
}

/* Record `err` in the launch unless it has one, and return its first error. */
static int stick(GpuLaunch *l, int err) {
  ga__launch_error(l, err);
  return l->err;
}

int GpuLaunch_define(GpuLaunch *l, const char *text) {
  ga__strb b = GA_STRB_INIT;
  char *head = NULL;

  if (l == NULL)
    return ga__fail_nomem();
  if (text != NULL) {
    ga__strb_append(&b, l->head != NULL ? l->head : "");
    ga__strb_append(&b, text);
    const int err = ga__strb_take(&b, &head);
    if (err != GA_NO_ERROR)
      return stick(l, err);
  }
  ga__free(l->head);
  l->head = head;
  return l->err;
}

/* --- kernel objects --- */

/* The types, with GA_SIZE for GA_OFFSET; NULL if memory runs out. The caller
 * frees them. */
static int *plain_types(const GpuKernelSpec *s) {
  int *types = ga__malloc(s->n_types * sizeof *types);

  for (unsigned int i = 0; types != NULL && i < s->n_types; i++)
    types[i] = s->types[i] == GA_OFFSET ? GA_SIZE : s->types[i];
  return types;
}

/* The program of a foreign kernel (borrowed) and its name (the caller frees
 * it). */
static int look_into(const GpuKernelSpec *s, cl_program *program, char **name) {
  size_t n = 0;

  *name = NULL;
  GA_TRY(GA_CL(clGetKernelInfo(s->kernel, CL_KERNEL_PROGRAM, sizeof *program,
                               program, NULL)));
  GA_TRY(
      GA_CL(clGetKernelInfo(s->kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &n)));
  *name = ga__malloc(n + 1);
  if (*name == NULL)
    return ga__fail_nomem();
  (*name)[n] = '\0';
  return GA_CL(
      clGetKernelInfo(s->kernel, CL_KERNEL_FUNCTION_NAME, n, *name, NULL));
}

static int foreign_kernel(gpukernel **out, gpucontext *ctx,
                          const GpuKernelSpec *s, const int *types) {
  cl_program program = s->program;
  cl_context home = NULL;
  char *name = NULL;
  cl_int status;
  int err = GA_NO_ERROR;

  if (s->kernel != NULL)
    GA_CHECK(look_into(s, &program, &name));
  GA_CHECK(GA_CL(
      clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof home, &home, NULL)));
  if (home != ctx->cl)
    GA_CHECK(ga__fail(GA_VALUE_ERROR, "kernel %s is of another context",
                      name != NULL ? name : s->name));
  cl_kernel cl =
      clCreateKernel(program, name != NULL ? name : s->name, &status);
  if (status != CL_SUCCESS)
    GA_CHECK(ga__fail_status("clCreateKernel", status));
  err = ga__gpukernel_new(out, ctx, cl, name != NULL ? name : s->name,
                          s->n_types, types);
done:
  ga__free(name);
  return err;
}

static int get_kernel(gpukernel **out, const GpuLaunch *l,
                      const GpuKernelSpec *s) {
  const char *text[2] = {l->head != NULL ? l->head : "", s->code};
  int *types = plain_types(s), err = GA_NO_ERROR;

  *out = NULL;
  if (types == NULL)
    return ga__fail_nomem();
  if (s->program != NULL || s->kernel != NULL)
    err = foreign_kernel(out, l->ctx, s, types);
  else if (s->code == NULL || s->name == NULL)
    err = ga__fail(GA_VALUE_ERROR, "%s: a kernel without %s", l->label,
                   s->name == NULL ? "name" : "code");
  else
    err = ga__gpukernel_build(out, l->ctx, 2, text, NULL, s->name, s->n_types,
                              types, s->flags, "-cl-kernel-arg-info");
  ga__free(types);
  return err;
}

/* --- comparing the types with the kernel --- */

static int check_value(const gpukernel *k, const char *name, unsigned int i) {
  int want = ga__dtype_canon(k->types[i]), got = ga__kernel_arg_dtype(k->cl, i);

  if (want == GA_BOOL)
    want = GA_UBYTE;
  if (got < 0 || got == want)
    return GA_NO_ERROR;
  return ga__fail(
      GA_VALUE_ERROR,
      "kernel %s, argument %u: declared as %s, but the kernel takes "
      "%s",
      name, i, ga__dtype_name(want), ga__dtype_name(got));
}

static int check_types(const gpukernel *k, const GpuKernelSpec *s) {
  const char *name = s->name != NULL ? s->name : "of others";

  for (unsigned int i = 0; i < s->n_types; i++) {
    const ga__arg_space space = ga__kernel_arg_space(k->cl, i);
    const int pointer = space != GA_ARG_IS_VALUE;

    if (s->types[i] == GA_OFFSET && (i == 0 || s->types[i - 1] != GA_BUFFER))
      return ga__fail(GA_VALUE_ERROR,
                      "kernel %s, argument %u: an offset needs a buffer before "
                      "it",
                      name, i);
    if (space == GA_ARG_UNKNOWN)
      continue;
    if (pointer != (s->types[i] == GA_BUFFER))
      return ga__fail(
          GA_VALUE_ERROR,
          "kernel %s, argument %u: declared as a %s, but the kernel "
          "takes a %s",
          name, i, pointer ? "value" : "buffer", pointer ? "pointer" : "value");
    if (!pointer)
      GA_TRY(check_value(k, name, i));
  }
  return GA_NO_ERROR;
}

/* --- arguments --- */

/* Bind an array that has no slot, for good. The launch retains its buffer. */
static int bind_fixed(GpuLaunch *l, gpukernel *k, unsigned int i, GpuArray *a) {
  GA_TRY(gpukernel_setarg(k, i, a->data));
  gpudata_retain(a->data);
  if (ga__vec_push(&l->works, a->data) == GA_NO_ERROR)
    return GA_NO_ERROR;
  gpudata_release(a->data);
  return GA_MEMORY_ERROR;
}

static int bind_array(GpuLaunch *l, gpukernel *k, unsigned int i, GpuArray *a,
                      int has_offset) {
  ga__slot_arg arg = {.step = (unsigned int)l->steps.n, .index = i};
  unsigned int slot;

  if (a == NULL || a->data == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s, argument %u: no array", l->label, i);
  if (!has_offset && a->offset != 0)
    return ga__fail(GA_COPY_ERROR,
                    "%s, argument %u: the array starts at offset %zu, but the "
                    "kernel takes no offset",
                    l->label, i, a->offset);
  for (slot = 0; slot < l->arrays.n && l->arrays.v[slot] != a; slot++)
    ;
  if (slot == l->arrays.n) {
    size_t off = a->offset;

    GA_TRY(bind_fixed(l, k, i, a));
    return has_offset ? gpukernel_setarg(k, i + 1, &off) : GA_NO_ERROR;
  }
  arg.slot = slot;
  if (!has_offset)
    ga__launch_require_align(l, slot, SIZE_MAX); /* only offset 0 is a
                                                    multiple */
  GA_TRY(ga__vec_push(&l->args, arg));
  arg.kind = GA_ARG_OFFSET;
  arg.index++;
  return has_offset ? ga__vec_push(&l->args, arg) : GA_NO_ERROR;
}

static int set_args(GpuLaunch *l, gpukernel *k, const GpuKernelSpec *s,
                    void *const *args) {
  for (unsigned int i = 0; i < s->n_types; i++) {
    int next = i + 1 < s->n_types ? s->types[i + 1] : GA_BUFFER;

    if (s->types[i] == GA_BUFFER)
      GA_TRY(bind_array(l, k, i, args[i], next == GA_OFFSET));
    else if (s->types[i] != GA_OFFSET)
      GA_TRY(gpukernel_setarg(k, i, args[i]));
  }
  return GA_NO_ERROR;
}

/* --- calls --- */

static int set_shape(ga__step *step, const gpukernel *k, unsigned int nd,
                     const size_t *gs, const size_t *ls, size_t shared) {
  GA_TRY(ga__gpukernel_sizes(k, nd, gs, ls, step->gs, &step->is_empty));
  GA_TRY(ga__gpukernel_shared(k, shared));
  step->nd = nd;
  step->n_args = k->numargs + (unsigned int)k->has_shared;
  step->has_ls = 1;
  memcpy(step->ls, ls, nd * sizeof *ls);
  if (!k->has_shared)
    return GA_NO_ERROR;
  return GA_CL(
      clSetKernelArg(k->cl, k->numargs, shared > 0 ? shared : 1, NULL));
}

static int keep_source(ga__step *step, const GpuLaunch *l,
                       const GpuKernelSpec *s) {
  ga__strb b = GA_STRB_INIT;

  if (s->program != NULL || s->kernel != NULL)
    return GA_NO_ERROR;
  ga__strb_append(&b, l->head != NULL ? l->head : "");
  ga__strb_append(&b, s->code);
  return ga__shared_text_take(&step->source, &b);
}

static int add_call(GpuLaunch *l, gpukernel *k, const GpuKernelSpec *s,
                    unsigned int nd, const size_t *gs, const size_t *ls,
                    size_t shared, void *const *args) {
  ga__step step = {.provider = "own"};
  int err;

  GA_CHECK(check_types(k, s));
  GA_CHECK(set_shape(&step, k, nd, gs, ls, shared));
  GA_CHECK(keep_source(&step, l, s));
  GA_CHECK(set_args(l, k, s, args));
  GA_CHECK(GA_CL(clRetainKernel(k->cl)));
  step.kernel = k->cl;
  err = ga__vec_push(&l->steps, step);
  l->n_made++;
done:
  if (err != GA_NO_ERROR)
    ga__step_clear(&step);
  return err;
}

/* Add a call of a kernel. With `gs` NULL, GpuKernel_sched chooses the sizes for
 * *n work-items. */
static int record(GpuLaunch *l, const GpuKernelSpec *s, unsigned int nd,
                  const size_t *n, const size_t *gs, const size_t *ls,
                  size_t shared, void *const *args) {
  size_t groups = 0, items = 0;
  GpuKernel k = {NULL, NULL};
  int err;

  GA_CHECK(get_kernel(&k.k, l, s));
  if (gs == NULL) {
    GA_CHECK(GpuKernel_sched(&k, *n, &groups, &items));
    groups = *n == 0 ? 0 : groups;
    gs = &groups;
    ls = &items;
  }
  err = add_call(l, k.k, s, nd, gs, ls, shared, args);
done:
  gpukernel_release(k.k);
  return err;
}

int GpuLaunch_call(GpuLaunch *l, const GpuKernelSpec *k, unsigned int nd,
                   const size_t *gs, const size_t *ls, size_t shared,
                   void *const *args) {
  if (l == NULL)
    return ga__fail_nomem();
  if (l->err != GA_NO_ERROR)
    return l->err;
  return stick(l, record(l, k, nd, NULL, gs, ls, shared, args));
}

int GpuLaunch_scall(GpuLaunch *l, const GpuKernelSpec *k, unsigned int nd,
                    const size_t *n, size_t shared, void *const *args) {
  if (l == NULL)
    return ga__fail_nomem();
  if (l->err != GA_NO_ERROR)
    return l->err;
  if (nd != 1)
    return stick(l, ga__fail(GA_UNSUPPORTED_ERROR,
                             "%s: sizes are chosen for 1 dimension, not %u",
                             l->label, nd));
  return stick(l, record(l, k, 1, n, NULL, NULL, shared, args));
}

static void drop_nothing(void *state) {
  (void)state;
}

int GpuLaunch_host(GpuLaunch *l, GpuLaunch_fn fn, void *state,
                   void (*drop)(void *), const char *provider) {
  ga__step s = {.fn = fn,
                .state = state,
                .drop = drop != NULL ? drop : drop_nothing,
                .provider = provider};
  int err = l != NULL ? l->err : ga__fail_nomem();

  if (err == GA_NO_ERROR)
    err = stick(l, ga__vec_push(&l->steps, s));
  if (err != GA_NO_ERROR)
    s.drop(state);
  return err;
}

void *GpuLaunch_state(const GpuLaunch *l, GpuLaunch_fn fn) {
  for (size_t i = 0; i < l->steps.n; i++)
    if (l->steps.v[i].fn == fn)
      return l->steps.v[i].state;
  return NULL;
}

void GpuLaunch_cost(GpuLaunch *l, double bytes, double flops) {
  ga__launch_cost(l, bytes, flops);
}

int GpuLaunch_close(GpuLaunch **out, GpuLaunch *l) {
  GA_TRY(ga__launch_seal(out, l));
  ga__vec_clear(&(*out)->arrays);
  ga__free((*out)->head);
  (*out)->head = NULL;
  return GA_NO_ERROR;
}
