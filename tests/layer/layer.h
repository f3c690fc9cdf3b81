/* SPDX-License-Identifier: BSD-2-Clause */
/* An OpenCL layer that counts calls, makes one fail, follows every object and
 * plays devices that are less able than the real one.
 *
 * The loader puts it before the driver when OPENCL_LAYERS names it. A test that
 * links it gets the loader's copy and steers it by the functions below; other
 * programs are steered by GG_LAYER (layer_env.c). One fault at a time; calls
 * from several threads are counted together. */
#ifndef LAYER_LAYER_H
#define LAYER_LAYER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stddef.h>

#include "layer/entries.h"

#define LAYER_API __attribute__((visibility("default")))

/* Whether the loader has put the layer before the driver. */
LAYER_API int layer_is_loaded(void);
/* Is the loader one that has no layers yet: ocl-icd before 2.3? */
LAYER_API int layer_loader_is_old(void);
LAYER_API const char *layer_name(int entry);
/* The plausible codes of an entry; *codes has the number returned. */
LAYER_API int layer_codes(int entry, const cl_int **codes);

/* --- faults --- */

typedef enum layer_log {
  LAYER_LOG_REAL,
  LAYER_LOG_EMPTY,
  LAYER_LOG_HUGE /* LAYER_HUGE bytes */
} layer_log;

enum { LAYER_HUGE = 4 << 20 };

typedef struct layer_fault {
  int entry;      /* one entry, or LAYER_ANY */
  long nth;       /* the nth call from now, from 1; 0 only counts */
  cl_int code;    /* answered in place of making the call */
  int persistent; /* so fails every later call of the same entry */
  int as_event;   /* the call succeeds; its event ends with `code` */
  int as_binary;  /* clCreateProgramWithBinary: succeeds, status in `code` */
  layer_log log;  /* of a build that the fault fails */
} layer_fault;

/* Count calls from now, and make the fault happen. */
LAYER_API void layer_arm(const layer_fault *f);
/* Stop. Returns how often the fault struck. */
LAYER_API long layer_disarm(void);
/* The entry that the fault struck last since the last layer_arm, or -1. */
LAYER_API int layer_struck(void);
/* Calls since the last layer_arm, and the entry of the nth of them, from 1. */
LAYER_API long layer_calls(void);
LAYER_API int layer_called(long nth);
/* Over the life of the process: calls and faults of an entry. */
LAYER_API void layer_totals(int entry, long *calls, long *faults);
/* Sleep this long in every call. */
LAYER_API void layer_slow(unsigned int microseconds);

/* Play a device of fakes.def from now on, or none (NULL). Contexts that are
 * open keep what they were told. Returns 0 when there is no such device. */
LAYER_API int layer_play(const char *name);

/* --- objects --- */

/* Objects alive now. */
LAYER_API long layer_live(void);
/* Bytes of the buffers among them. */
LAYER_API size_t layer_live_bytes(void);
/* Bytes of the host that the layer itself holds: it never forgets an object. */
LAYER_API size_t layer_own_bytes(void);
/* Describe up to `n` objects alive in `text`: kind, creator, count. */
LAYER_API void layer_live_text(char *text, size_t bytes);
/* Uses after release, releases of unknown objects, kernels touched by two
 * threads between argument and launch: their number since the start, and the
 * text of the first since layer_forgive. */
LAYER_API long layer_violations(void);
LAYER_API const char *layer_violation(void);
LAYER_API void layer_forgive(void);

#endif
