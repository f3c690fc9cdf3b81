/* SPDX-License-Identifier: BSD-2-Clause */
/* What a less able device refuses to launch. */
#include <pthread.h>
#include <stdint.h>

#include "layer/state.h"

enum { KERNELS = 1 << 12, ARGS = 128 };

/* Bytes of each argument of the kernels seen last, by address. */
typedef struct args {
  cl_kernel k;
  uint32_t bytes[ARGS], local[ARGS];
} args;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static args seen[KERNELS];

static args *args_of(cl_kernel k) {
  return &seen[((uintptr_t)k >> 4) % KERNELS];
}

void layer_fake_arg(cl_kernel k, cl_uint i, size_t bytes, int is_local) {
  args *a = args_of(k);

  if (!layer_fake_now.on || i >= ARGS)
    return;
  pthread_mutex_lock(&lock);
  if (a->k != k)
    *a = (args){.k = k};
  a->bytes[i] = is_local ? (uint32_t)sizeof(void *) : (uint32_t)bytes;
  a->local[i] = is_local ? (uint32_t)bytes : 0;
  pthread_mutex_unlock(&lock);
}

static void add_up(cl_kernel k, size_t *params, cl_ulong *local) {
  const args *a = args_of(k);

  *params = 0;
  *local = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < ARGS && a->k == k; i++) {
    *params += a->bytes[i];
    *local += a->local[i];
  }
  pthread_mutex_unlock(&lock);
}

static cl_ulong told_local(cl_kernel k) {
  cl_ulong bytes = 0;

  layer_next.clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_LOCAL_MEM_SIZE,
                                      sizeof bytes, &bytes, NULL);
  return bytes;
}

/* Local memory that the driver of k says an empty kernel takes. */
static cl_ulong driver_local(cl_kernel k) {
  const char *text = "kernel void empty(void) {}";
  cl_context ctx = NULL;
  cl_ulong bytes = 0;

  layer_next.clGetKernelInfo(k, CL_KERNEL_CONTEXT, sizeof ctx, &ctx, NULL);
  cl_program p =
      layer_next.clCreateProgramWithSource(ctx, 1, &text, NULL, NULL);
  if (p == NULL)
    return 0;
  layer_next.clBuildProgram(p, 0, NULL, "", NULL, NULL);
  cl_kernel empty = layer_next.clCreateKernel(p, "empty", NULL);
  if (empty != NULL) {
    bytes = told_local(empty);
    layer_next.clReleaseKernel(empty);
  }
  layer_next.clReleaseProgram(p);
  return bytes;
}

/* Local memory that the kernel's text asks for, whatever its arguments. */
static cl_ulong own_local(cl_kernel k) {
  static cl_ulong drivers;
  static int known;
  const cl_ulong told = told_local(k);

  if (told == 0)
    return 0;
  pthread_mutex_lock(&lock);
  if (!known)
    drivers = driver_local(k);
  known = 1;
  pthread_mutex_unlock(&lock);
  return told > drivers ? told - drivers : 0;
}

static cl_int check_group(cl_uint nd, const size_t *ls) {
  const layer_fake *f = &layer_fake_now;
  size_t n = 1;

  for (cl_uint i = 0; ls != NULL && i < nd && i < 3; i++) {
    n *= ls[i];
    if (f->items[i] != 0 && ls[i] > f->items[i])
      return CL_INVALID_WORK_ITEM_SIZE;
  }
  return f->group != 0 && n > f->group ? CL_INVALID_WORK_GROUP_SIZE
                                       : CL_SUCCESS;
}

/* A kernel whose text demands a group size that the device cannot have. */
static cl_int check_demanded(cl_kernel k) {
  size_t ls[3] = {0, 0, 0};

  if (layer_next.clGetKernelWorkGroupInfo(k, NULL,
                                          CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          sizeof ls, ls, NULL) != CL_SUCCESS ||
      ls[0] == 0)
    return CL_SUCCESS;
  return check_group(3, ls);
}

cl_int layer_fake_launch(cl_kernel k, cl_uint nd, const size_t *gs,
                         const size_t *ls) {
  const layer_fake *f = &layer_fake_now;
  size_t params;
  cl_ulong local;

  (void)gs;
  if (!f->on)
    return CL_SUCCESS;
  cl_int status = check_group(nd, ls);
  if (status == CL_SUCCESS)
    status = check_demanded(k);
  if (status != CL_SUCCESS)
    return status;
  add_up(k, &params, &local);
  if (f->params != 0 && params > f->params)
    return CL_OUT_OF_RESOURCES;
  if ((f->local != 0 || f->no_local) && local + own_local(k) > f->local)
    return CL_OUT_OF_RESOURCES;
  return CL_SUCCESS;
}
