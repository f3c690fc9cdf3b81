/* SPDX-License-Identifier: BSD-2-Clause */
/* Playing a less able device: what it says of itself, and what it refuses. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/state.h"

layer_fake layer_fake_now;

/* --- what it says --- */

static int answer(const void *value, size_t n, size_t bytes, void *out,
                  size_t *need, cl_int *status) {
  *status = CL_SUCCESS;
  if (need != NULL)
    *need = n;
  if (out != NULL && bytes < n)
    *status = CL_INVALID_VALUE;
  else if (out != NULL)
    memcpy(out, value, n);
  return 1;
}

/* The device's own text, or "" ; static, for one thread at a time. */
static char *own_text(cl_device_id d, cl_device_info what) {
  static _Thread_local char text[8192];

  if (layer_next.clGetDeviceInfo(d, what, sizeof text - 256, text, NULL) !=
      CL_SUCCESS)
    text[0] = '\0';
  return text;
}

static void strike_out(char *list, const char *word) {
  char *at = strstr(list, word);

  if (at != NULL)
    memset(at, ' ', strlen(word));
}

static int fake_text(cl_device_id d, cl_device_info what, size_t bytes,
                     void *out, size_t *need, cl_int *status) {
  const layer_fake *f = &layer_fake_now;
  char *text = own_text(d, what);
  size_t n = strlen(text);

  if (what == CL_DEVICE_EXTENSIONS && f->no_fp64)
    strike_out(text, "cl_khr_fp64");
  if (what == CL_DEVICE_EXTENSIONS && f->no_fp16)
    strike_out(text, "cl_khr_fp16");
  /* Another compiler, so that caches are apart. */
  if (what == CL_DRIVER_VERSION && layer_fake_prelude()[0] != '\0')
    snprintf(text + n, 256, " as %s", f->name);
  if (what == CL_DEVICE_NAME && f->odd_strings)
    snprintf(text, 256, "  %%s%%n\t\"odd\" \xc3\xa9\xff/../\n;$(x) \\  ");
  if (what == CL_DEVICE_VENDOR && f->odd_strings)
    snprintf(text, 512, "%0300d", 7);
  return answer(text, strlen(text) + 1, bytes, out, need, status);
}

static int fake_size(size_t v, size_t bytes, void *out, size_t *need,
                     cl_int *status) {
  return answer(&v, sizeof v, bytes, out, need, status);
}

static int fake_ulong(cl_ulong v, size_t bytes, void *out, size_t *need,
                      cl_int *status) {
  return answer(&v, sizeof v, bytes, out, need, status);
}

static int fake_type(cl_uint v, size_t bytes, void *out, size_t *need,
                     cl_int *status) {
  return answer(&v, sizeof v, bytes, out, need, status);
}

static size_t lower(size_t own, size_t fake) {
  return fake != 0 && fake < own ? fake : own;
}

static int fake_items(cl_device_id d, size_t bytes, void *out, size_t *need,
                      cl_int *status) {
  size_t items[3] = {1, 1, 1};

  layer_next.clGetDeviceInfo(d, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items,
                             items, NULL);
  for (int i = 0; i < 3; i++) {
    items[i] = lower(items[i], layer_fake_now.items[i]);
    items[i] = lower(items[i], layer_fake_now.group);
  }
  return answer(items, sizeof items, bytes, out, need, status);
}

int layer_fake_info(cl_device_id d, cl_device_info what, size_t bytes,
                    void *out, size_t *need, cl_int *status) {
  const layer_fake *f = &layer_fake_now;

  if (!f->on)
    return 0;
  switch (what) {
  case CL_DEVICE_EXTENSIONS:
  case CL_DRIVER_VERSION:
  case CL_DEVICE_NAME:
  case CL_DEVICE_VENDOR:
    return fake_text(d, what, bytes, out, need, status);
  case CL_DEVICE_TYPE:
    return f->is_gpu ? fake_ulong(CL_DEVICE_TYPE_GPU, bytes, out, need, status)
                     : 0;
  case CL_DEVICE_DOUBLE_FP_CONFIG:
    return f->no_fp64 ? fake_ulong(0, bytes, out, need, status) : 0;
  case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    return f->group ? fake_size(f->group, bytes, out, need, status) : 0;
  case CL_DEVICE_MAX_WORK_ITEM_SIZES:
    return fake_items(d, bytes, out, need, status);
  case CL_DEVICE_MAX_PARAMETER_SIZE:
    return f->params ? fake_size(f->params, bytes, out, need, status) : 0;
  case CL_DEVICE_GLOBAL_MEM_SIZE:
    return f->memory ? fake_ulong(f->memory, bytes, out, need, status) : 0;
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
    return f->memory ? fake_ulong(f->memory / 4, bytes, out, need, status) : 0;
  case CL_DEVICE_LOCAL_MEM_SIZE:
    return f->local || f->no_local
               ? fake_ulong(f->local, bytes, out, need, status)
               : 0;
  case CL_DEVICE_LOCAL_MEM_TYPE:
    return f->no_local ? fake_type(CL_NONE, bytes, out, need, status) : 0;
  default:
    return 0;
  }
}

/* Its compiler knows no double (or half): the words mean nothing there. Lines
 * keep their numbers. */
const char *layer_fake_prelude(void) {
  const layer_fake *f = &layer_fake_now;

  if (!f->on || (!f->no_fp64 && !f->no_fp16))
    return "";
  if (!f->no_fp16)
    return "#undef cl_khr_fp64\n#define double this_device_has_no_double\n"
           "#line 1\n";
  if (!f->no_fp64)
    return "#undef cl_khr_fp16\n#line 1\n";
  return "#undef cl_khr_fp16\n#undef cl_khr_fp64\n"
         "#define double this_device_has_no_double\n#line 1\n";
}

/* --- its memory --- */

enum { MEMS = 1 << 14 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  void *mem;
  size_t bytes;
} held[MEMS]; /* by address, linear probing; an entry of 0 bytes is free */
static cl_ulong held_bytes;

cl_int layer_fake_alloc(size_t bytes) {
  const cl_ulong memory = layer_fake_now.memory;

  if (memory == 0)
    return CL_SUCCESS;
  if (bytes > memory / 4)
    return CL_INVALID_BUFFER_SIZE;
  return held_bytes + bytes > memory ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                     : CL_SUCCESS;
}

static size_t slot_of(const void *mem) {
  return ((uintptr_t)mem >> 4) % MEMS;
}

void layer_fake_allocated(void *mem, size_t bytes) {
  size_t i = slot_of(mem);

  if (layer_fake_now.memory == 0)
    return;
  pthread_mutex_lock(&lock);
  for (size_t n = 0; n < MEMS && held[i].bytes != 0; n++)
    i = (i + 1) % MEMS;
  held[i].mem = mem;
  held[i].bytes = bytes;
  held_bytes += bytes;
  pthread_mutex_unlock(&lock);
}

void layer_fake_released(void *mem) {
  size_t i = slot_of(mem);

  if (layer_fake_now.memory == 0)
    return;
  pthread_mutex_lock(&lock);
  for (size_t n = 0; n < MEMS; n++, i = (i + 1) % MEMS) {
    if (held[i].mem != mem || held[i].bytes == 0)
      continue;
    held_bytes -= held[i].bytes;
    held[i].bytes = 0;
    break;
  }
  pthread_mutex_unlock(&lock);
}
