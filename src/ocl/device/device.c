/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and describing devices. A platform without devices is no error. If a
 * driver fails to answer, its device is refused. */
#include "ocl/device/device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/strb.h"
#include "base/vec.h"

#define PLATFORM_NOT_FOUND_KHR (-1001) /* the loader found no driver */

/* --- strings of drivers, cut to fields of fixed size --- */

typedef cl_int (*info_fn)(void *object, cl_uint what, size_t bytes, void *out,
                          size_t *need);

static cl_int platform_info(void *p, cl_uint what, size_t bytes, void *out,
                            size_t *need) {
  return clGetPlatformInfo((cl_platform_id)p, what, bytes, out, need);
}

static cl_int device_info(void *d, cl_uint what, size_t bytes, void *out,
                          size_t *need) {
  return clGetDeviceInfo((cl_device_id)d, what, bytes, out, need);
}

/* GA_NODEV_ERROR for any status: such a device cannot be used. */
static int fail_info(info_fn get, cl_uint what, cl_int status) {
  return ga__fail(GA_NODEV_ERROR, "%s(0x%x): %s",
                  get == device_info ? "clGetDeviceInfo" : "clGetPlatformInfo",
                  (unsigned int)what, ga__status_name(status));
}

/* Drivers refuse a buffer that is too short, so ask for the size first. *out is
 * "" if the driver does not know `what`; the caller frees it. */
static int get_string(info_fn get, void *object, cl_uint what, char **out) {
  size_t need = 0;
  cl_int status = get(object, what, 0, NULL, &need);

  *out = NULL;
  if (status == CL_INVALID_VALUE)
    need = 0;
  else if (status != CL_SUCCESS)
    return fail_info(get, what, status);
  char *s = ga__calloc(need + 1, 1);
  if (s == NULL)
    return ga__fail_nomem();
  if (need > 0)
    status = get(object, what, need, s, NULL);
  if (need > 0 && status != CL_SUCCESS) {
    ga__free(s);
    return fail_info(get, what, status);
  }
  *out = s;
  return GA_NO_ERROR;
}

/* The string without blanks at its ends, cut to `bytes` bytes. */
static int get_field(info_fn get, void *object, cl_uint what, char *out,
                     size_t bytes) {
  char *s, *from;

  GA_TRY(get_string(get, object, what, &s));
  for (from = s; isspace((unsigned char)*from); from++)
    ;
  size_t n = strlen(from);
  while (n > 0 && isspace((unsigned char)from[n - 1]))
    n--;
  if (n >= bytes)
    n = bytes - 1;
  memcpy(out, from, n);
  out[n] = '\0';
  ga__free(s);
  return GA_NO_ERROR;
}

/* --- enumeration --- */

/* List the platforms; *n may be 0. The caller frees *out. */
static int list_platforms(cl_platform_id **out, cl_uint *n) {
  cl_int status = clGetPlatformIDs(0, NULL, n);

  *out = NULL;
  if (status == PLATFORM_NOT_FOUND_KHR || (status == CL_SUCCESS && *n == 0)) {
    *n = 0;
    return GA_NO_ERROR;
  }
  if (status != CL_SUCCESS)
    return ga__fail_status("clGetPlatformIDs", status);
  *out = ga__calloc(*n, sizeof **out);
  if (*out == NULL)
    return ga__fail_nomem();
  status = clGetPlatformIDs(*n, *out, NULL);
  if (status == CL_SUCCESS)
    return GA_NO_ERROR;
  ga__free(*out);
  *out = NULL;
  *n = 0;
  return status == PLATFORM_NOT_FOUND_KHR
             ? GA_NO_ERROR
             : ga__fail_status("clGetPlatformIDs", status);
}

static int fail_devices(cl_int status) {
  return ga__fail(GA_NODEV_ERROR, "clGetDeviceIDs: %s",
                  ga__status_name(status));
}

/* List the devices of one platform; *n may be 0. The caller frees *out. */
static int list_devices(cl_platform_id p, cl_device_id **out, cl_uint *n) {
  cl_uint found = 0;
  cl_int status = clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, NULL, &found);

  *out = NULL;
  *n = 0;
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && found == 0))
    return GA_NO_ERROR;
  if (status != CL_SUCCESS)
    return fail_devices(status);
  *out = ga__calloc(found, sizeof **out);
  if (*out == NULL)
    return ga__fail_nomem();
  status = clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, found, *out, NULL);
  if (status == CL_SUCCESS) {
    *n = found;
    return GA_NO_ERROR;
  }
  ga__free(*out);
  *out = NULL;
  return status == CL_DEVICE_NOT_FOUND ? GA_NO_ERROR : fail_devices(status);
}

int ga__device_backend(const char *name) {
  if (name != NULL && strcmp(name, "opencl") == 0)
    return GA_NO_ERROR;
  return ga__fail(GA_INVALID_ERROR, "no backend \"%s\", only \"opencl\"",
                  name != NULL ? name : "(null)");
}

/* The platform with an index, or NULL if there is none; *n is their count. */
static int pick_platform(cl_platform_id *out, cl_uint *n, int platform) {
  cl_platform_id *all;

  GA_TRY(list_platforms(&all, n));
  *out = platform >= 0 && (cl_uint)platform < *n ? all[platform] : NULL;
  ga__free(all);
  return GA_NO_ERROR;
}

int gpu_get_platform_count(const char *name, unsigned int *platcount) {
  cl_platform_id none;

  *platcount = 0;
  GA_TRY(ga__device_backend(name));
  return pick_platform(&none, platcount, -1);
}

int gpu_get_device_count(const char *name, unsigned int platform,
                         unsigned int *devcount) {
  cl_platform_id p;
  cl_device_id *d;
  cl_uint n;

  *devcount = 0;
  GA_TRY(ga__device_backend(name));
  GA_TRY(pick_platform(&p, &n, (int)platform));
  if (p == NULL)
    return ga__fail(GA_VALUE_ERROR, "no platform %d, there are %u",
                    (int)platform, n);
  GA_TRY(list_devices(p, &d, devcount));
  ga__free(d);
  return GA_NO_ERROR;
}

int ga__device_find(int platform, int device, cl_platform_id *cl_platform,
                    cl_device_id *cl) {
  cl_device_id *d;
  cl_uint n;

  GA_TRY(pick_platform(cl_platform, &n, platform));
  if (*cl_platform == NULL)
    return ga__fail(GA_NODEV_ERROR, "opencl%d:%d: no platform %d, there are %u",
                    platform, device, platform, n);
  GA_TRY(list_devices(*cl_platform, &d, &n));
  *cl = device >= 0 && (cl_uint)device < n ? d[device] : NULL;
  ga__free(d);
  if (*cl == NULL)
    return ga__fail(GA_NODEV_ERROR,
                    "opencl%d:%d: platform %d has no device %d, there are %u",
                    platform, device, platform, device, n);
  return GA_NO_ERROR;
}

void ga__device_number(cl_platform_id platform, cl_device_id device, int *p,
                       int *d) {
  cl_platform_id *ps = NULL;
  cl_device_id *ds = NULL;
  cl_uint np = 0, nd = 0;

  *p = *d = -1;
  if (list_platforms(&ps, &np) != GA_NO_ERROR)
    return;
  for (cl_uint i = 0; i < np; i++) {
    if (ps[i] == platform)
      *p = (int)i;
  }
  ga__free(ps);
  if (list_devices(platform, &ds, &nd) != GA_NO_ERROR)
    return;
  for (cl_uint i = 0; i < nd; i++) {
    if (ds[i] == device)
      *d = (int)i;
  }
  ga__free(ds);
}

/* --- description of one device --- */

/* Read a number of `bytes` bytes. *out stays as it is if the driver does not
 * know `what`. */
static int get_number(cl_device_id d, cl_device_info what, size_t bytes,
                      void *out) {
  unsigned char buf[64];
  size_t need = 0;
  const cl_int status = clGetDeviceInfo(d, what, sizeof buf, buf, &need);

  if (status == CL_SUCCESS && need >= bytes)
    memcpy(out, buf, bytes);
  if (status == CL_SUCCESS || status == CL_INVALID_VALUE)
    return GA_NO_ERROR;
  return fail_info(device_info, what, status);
}

/* Nonzero if a list of words, separated by spaces, has this word. */
static int has_word(const char *list, const char *word) {
  size_t n = strlen(word);

  for (const char *at = strstr(list, word); at != NULL;
       at = strstr(at + n, word)) {
    if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
      return 1;
  }
  return 0;
}

static int classify(ga__device *out) {
  cl_device_type type = 0;

  GA_TRY(get_number(out->cl, CL_DEVICE_TYPE, sizeof type, &type));
  out->is_host =
      (type & CL_DEVICE_TYPE_CPU) != 0 || strstr(out->name, "llvmpipe") != NULL;
  out->caps.is_cpu = out->is_host;
  return GA_NO_ERROR;
}

int ga__caps_suit_gpu(const gpudevice_caps *caps) {
  return caps->local_bytes >= 16 << 10 && caps->max_group >= 16;
}

static int describe_limits(gpudevice_caps *c, cl_device_id d) {
  cl_uint lanes = 1, units = 1;
  cl_device_local_mem_type kind = CL_GLOBAL;
  cl_ulong local = 0, memory = 0, block = 0;
  size_t items[3] = {1, 1, 1};

  c->max_group = 1;
  c->param_bytes = 1024; /* the minimum that OpenCL requires */
  GA_TRY(get_number(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units));
  GA_TRY(
      get_number(d, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof lanes, &lanes));
  GA_TRY(get_number(d, CL_DEVICE_LOCAL_MEM_TYPE, sizeof kind, &kind));
  GA_TRY(get_number(d, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local));
  GA_TRY(get_number(d, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory));
  GA_TRY(get_number(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof block, &block));
  GA_TRY(get_number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof c->max_group,
                    &c->max_group));
  GA_TRY(get_number(d, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items));
  GA_TRY(get_number(d, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof c->param_bytes,
                    &c->param_bytes));
  c->compute_units = units > 0 ? units : 1;
  c->vector_float = lanes > 0 ? lanes : 1;
  c->local_memory = kind == CL_LOCAL;
  c->local_bytes = (size_t)local;
  if (!ga__caps_suit_gpu(c))
    c->is_cpu = 1;
  c->memory_bytes = memory;
  c->max_alloc_bytes = block;
  for (int i = 0; i < 3; i++)
    c->max_items[i] = items[i];
  return GA_NO_ERROR;
}

static int describe_extensions(ga__device *out) {
  cl_device_fp_config fp64 = 0;
  char *ext;

  GA_TRY(get_number(out->cl, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64));
  GA_TRY(get_string(device_info, out->cl, CL_DEVICE_EXTENSIONS, &ext));
  out->caps.fp64 = (fp64 != 0 || has_word(ext, "cl_khr_fp64")) &&
                   !ga__env_on("GPUARRAY_NO_FP64");
  out->has_fp16 = has_word(ext, "cl_khr_fp16");
  out->has_int64_atomics = has_word(ext, "cl_khr_int64_base_atomics");
  out->has_subgroups =
      has_word(ext, "cl_khr_subgroups") || has_word(ext, "cl_intel_subgroups");
  ga__free(ext);
  return GA_NO_ERROR;
}

/* Kernels of devices with 32-bit addresses count work-items in 32 bits. */
static int describe_sizes(ga__device *out) {
  cl_uint bits = 64;

  GA_TRY(get_number(out->cl, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits));
  out->size_max = bits == 32 ? UINT32_MAX : SIZE_MAX;
  return GA_NO_ERROR;
}

int ga__device_describe(ga__device *out, cl_platform_id platform,
                        cl_device_id device) {
  memset(out, 0, sizeof *out);
  out->cl_platform = platform;
  out->cl = device;
  GA_TRY(get_field(platform_info, platform, CL_PLATFORM_NAME,
                   out->platform_name, sizeof out->platform_name));
  GA_TRY(get_field(platform_info, platform, CL_PLATFORM_VERSION,
                   out->platform_version, sizeof out->platform_version));
  GA_TRY(get_field(device_info, device, CL_DEVICE_NAME, out->name,
                   sizeof out->name));
  GA_TRY(get_field(device_info, device, CL_DEVICE_VENDOR, out->vendor,
                   sizeof out->vendor));
  GA_TRY(get_field(device_info, device, CL_DEVICE_VERSION, out->version,
                   sizeof out->version));
  GA_TRY(get_field(device_info, device, CL_DRIVER_VERSION, out->driver,
                   sizeof out->driver));
  out->is_nvidia = strstr(out->vendor, "NVIDIA") != NULL;
  GA_TRY(classify(out));
  GA_TRY(describe_sizes(out));
  GA_TRY(describe_limits(&out->caps, device));
  return describe_extensions(out);
}

/* --- the public list --- */

static void refuse(gpudevice_info *info, const char *why) {
  info->usable = 0;
  snprintf(info->why, sizeof info->why, "%s", why);
}

/* Nonzero if the version in a text such as "OpenCL 1.2 ..." is below
 * major.minor. 0 for other texts. */
static int is_older(const char *text, long major, long minor) {
  const char *from = "OpenCL ";
  char *end;

  if (strncmp(text, from, strlen(from)) != 0)
    return 0;
  long n = strtol(text + strlen(from), &end, 10);
  if (*end != '.' || n != major)
    return *end == '.' && n < major;
  return strtol(end + 1, NULL, 10) < minor;
}

static int judge(gpudevice_info *info, cl_device_id d) {
  cl_bool available = CL_TRUE, compiler = CL_TRUE;

  info->usable = 1;
  GA_TRY(get_number(d, CL_DEVICE_AVAILABLE, sizeof available, &available));
  GA_TRY(
      get_number(d, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler));
  if (!available)
    refuse(info, "the driver reports that it is not available");
  else if (!compiler)
    refuse(info, "no compiler");
  else if (is_older(info->version, 1, 2))
    refuse(info, "older than OpenCL 1.2");
  return GA_NO_ERROR;
}

static int fill_info(gpudevice_info *info, cl_platform_id p, cl_device_id d) {
  ga__device dev;

  GA_TRY(ga__device_describe(&dev, p, d));
  memcpy(info->platform_name, dev.platform_name, sizeof info->platform_name);
  memcpy(info->name, dev.name, sizeof info->name);
  memcpy(info->vendor, dev.vendor, sizeof info->vendor);
  memcpy(info->version, dev.version, sizeof info->version);
  memcpy(info->driver, dev.driver, sizeof info->driver);
  info->is_cpu = dev.caps.is_cpu;
  info->memory_bytes = dev.caps.memory_bytes;
  info->compute_units = dev.caps.compute_units;
  return judge(info, d);
}

typedef GA_VEC(gpudevice_info) info_vec;

/* If the driver failed, refuse its device, with the message as the reason. */
static int refuse_failed(gpudevice_info *info, int err) {
  if (err == GA_NODEV_ERROR) {
    refuse(info, ga__err_text(err));
    err = GA_NO_ERROR;
  }
  return err;
}

static int add_empty(info_vec *list, gpudevice_info *info, cl_platform_id p) {
  const int err = get_field(platform_info, p, CL_PLATFORM_NAME,
                            info->platform_name, sizeof info->platform_name);

  GA_TRY(refuse_failed(info, err));
  info->device = -1;
  return ga__vec_push(list, *info);
}

/* Add an entry for each device of a platform, or one for a platform without
 * devices. */
static int add_platform(info_vec *list, int number, cl_platform_id p) {
  gpudevice_info info = {.platform = number};
  cl_device_id *d = NULL;
  cl_uint n;
  int err;

  refuse(&info, "without devices");
  GA_CHECK(refuse_failed(&info, list_devices(p, &d, &n)));
  if (n == 0)
    GA_CHECK(add_empty(list, &info, p));
  for (cl_uint i = 0; i < n; i++) {
    info = (gpudevice_info){.platform = number, .device = (int)i};
    GA_CHECK(refuse_failed(&info, fill_info(&info, p, d[i])));
    GA_CHECK(ga__vec_push(list, info));
  }

done:
  ga__free(d);
  return err;
}

int gpudevice_list(gpudevice_info **out, size_t *n) {
  info_vec list = {NULL, 0, 0};
  cl_platform_id *p = NULL;
  cl_uint np;
  int err;

  *out = NULL;
  *n = 0;
  GA_CHECK(list_platforms(&p, &np));
  for (cl_uint i = 0; i < np; i++)
    GA_CHECK(add_platform(&list, (int)i, p[i]));
  *out = list.v;
  *n = list.n;
  list.v = NULL;

done:
  ga__vec_clear(&list);
  ga__free(p);
  return err;
}

void gpudevice_list_free(gpudevice_info *list) {
  ga__free(list);
}
