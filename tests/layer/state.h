/* SPDX-License-Identifier: BSD-2-Clause */
/* What the layer's files share. */
#ifndef LAYER_STATE_H
#define LAYER_STATE_H

#include "layer/layer.h"

#include <CL/cl_icd.h>

/* The driver, or the next layer (layer.c). */
extern struct _cl_icd_dispatch layer_next;

/* --- counting and failing (fault.c) --- */

/* What becomes of a call. */
typedef struct layer_verdict {
  cl_int status; /* CL_SUCCESS: make the call */
  int spoil;     /* as_event or as_binary strikes this call, with `code` */
  cl_int code;
} layer_verdict;

layer_verdict layer_enter(int entry);
/* The log of builds that were made to fail. */
layer_log layer_build_log(void);

/* --- objects (track.c) --- */

typedef enum layer_kind {
  LAYER_CONTEXT,
  LAYER_QUEUE,
  LAYER_MEM,
  LAYER_PROGRAM,
  LAYER_KERNEL,
  LAYER_EVENT
} layer_kind;

void layer_created(void *object, layer_kind kind, int entry);
/* A buffer that was just created has this size. */
void layer_sized(void *object, size_t bytes);
void layer_retained(void *object, int entry);
void layer_released(void *object, int entry);
/* A live object is being used; NULL is the driver's business. */
void layer_used(void *object, int entry);
/* What a failing command leaves in its event; CL_SUCCESS if nothing. */
void layer_spoil(void *event, cl_int code);
cl_int layer_spoiled(void *object);
/* The calling thread sets an argument of a kernel, or enqueues it. */
void layer_kernel_set(void *kernel);
void layer_kernel_launched(void *kernel);
void layer_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* --- devices that are less able (fake.c, fake_limit.c) --- */

typedef struct layer_fake {
  int on;
  int no_platform, no_device, no_fp64, no_fp16;
  int odd_strings, is_gpu, no_local;
  size_t group;    /* work-items per group; 0: as the device has */
  size_t items[3]; /* per dimension; 0: as the device has */
  size_t params;   /* bytes of arguments */
  cl_ulong memory; /* bytes; one allocation may have a quarter */
  cl_ulong local;  /* bytes of local memory */
  char name[128];  /* goes into the driver's version */
} layer_fake;

extern layer_fake layer_fake_now;

/* 0, or 1 when the question was answered with *status. */
int layer_fake_info(cl_device_id d, cl_device_info what, size_t bytes,
                    void *out, size_t *need, cl_int *status);
/* CL_SUCCESS, or how such a device would refuse. */
cl_int layer_fake_alloc(size_t bytes);
void layer_fake_allocated(void *mem, size_t bytes);
void layer_fake_released(void *mem);
void layer_fake_arg(cl_kernel k, cl_uint i, size_t bytes, int is_local);
cl_int layer_fake_launch(cl_kernel k, cl_uint nd, const size_t *gs,
                         const size_t *ls);
/* Text to put before every source, "" for none. */
const char *layer_fake_prelude(void);

/* --- wrappers (wrap_*.c), entered into the table by layer.c --- */

void layer_wrap_query(struct _cl_icd_dispatch *t);
void layer_wrap_object(struct _cl_icd_dispatch *t);
void layer_wrap_program(struct _cl_icd_dispatch *t);
void layer_wrap_queue(struct _cl_icd_dispatch *t);

/* Read $GG_LAYER; called once. */
void layer_read_env(void);

#endif
