/* SPDX-License-Identifier: BSD-2-Clause */
/* What the OpenCL loader asks of a layer (cl_layer.h), and GG_LAYER.
 *
 * $GG_LAYER is a list of words: "fake=NAME" plays a device of fakes.def,
 * "report" prints counts, leaks and violations at the end of the process,
 * "fail=N" makes the Nth call fail, "only=clX" counts calls of one entry,
 * "code=C" chooses the status, "always" keeps failing, "slow=US" sleeps. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS /* clGetExtensionFunctionAddress */
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/state.h"

/* Every entry point that src/ calls is in entries.h: this does not compile
 * when one is missing there. */
static const int used[] = {
#define USED(name) LAYER_##name,
#include "layer_used.inc"
};

struct _cl_icd_dispatch layer_next;
static struct _cl_icd_dispatch table;
static int is_loaded;

int layer_is_loaded(void) {
  return is_loaded;
}

int layer_loader_is_old(void) {
  enum { ICDL_VERSION = 2, ICDL_VENDOR = 4 }; /* of cl_loader_info */
  cl_int (*info)(cl_uint, size_t, void *, size_t *) = NULL;
  char vendor[32] = "", version[32] = "";
  int major = 0, minor = 0;

  *(void **)&info = clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD");
  if (info == NULL ||
      info(ICDL_VENDOR, sizeof vendor, vendor, NULL) != CL_SUCCESS ||
      strcmp(vendor, "OCL Icd free software") != 0)
    return 0;
  if (info(ICDL_VERSION, sizeof version, version, NULL) != CL_SUCCESS ||
      sscanf(version, "%d.%d", &major, &minor) != 2)
    return 0;
  return major < 2 || (major == 2 && minor < 3);
}

/* --- devices by name --- */

static const layer_fake fakes[] = {
#define FAKE(title, ...) {.on = 1, .name = title, __VA_ARGS__},
#include "layer/fakes.def"
};

int layer_play(const char *name) {
  memset(&layer_fake_now, 0, sizeof layer_fake_now);
  for (size_t i = 0; name != NULL && i < sizeof fakes / sizeof *fakes; i++) {
    if (strcmp(fakes[i].name, name) == 0)
      layer_fake_now = fakes[i];
  }
  return name == NULL || layer_fake_now.on;
}

static void play(const char *name, size_t n) {
  char text[64];

  snprintf(text, sizeof text, "%.*s", (int)n, name);
  if (!layer_play(text)) {
    fprintf(stderr, "layer: no fake device %s\n", text);
    exit(2);
  }
}

/* --- the environment --- */

static void print_report(void) {
  char text[1024];
  long calls, faults;

  fprintf(stderr, "%-30s %10s %7s\n", "entry", "calls", "faults");
  for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
    layer_totals(used[i], &calls, &faults);
    fprintf(stderr, "%-30s %10ld %7ld\n", layer_name(used[i]), calls, faults);
  }
  layer_live_text(text, sizeof text);
  fprintf(stderr, "alive: %ld %s\nviolations: %ld %s\n", layer_live(), text,
          layer_violations(), layer_violation());
}

/* The value of "key=" at `at`, or NULL. */
static const char *value_of(const char *at, const char *key) {
  const size_t n = strlen(key);

  return strncmp(at, key, n) == 0 ? at + n : NULL;
}

static int entry_of(const char *name, size_t n) {
  for (int i = 0; i < LAYER_N; i++)
    if (strlen(layer_name(i)) == n && strncmp(layer_name(i), name, n) == 0)
      return i;
  fprintf(stderr, "layer: no entry %.*s\n", (int)n, name);
  exit(2);
}

static void read_word(const char *at, size_t n, layer_fault *f) {
  const char *v;

  if ((v = value_of(at, "fake=")) != NULL)
    play(v, n - 5);
  else if ((v = value_of(at, "fail=")) != NULL)
    f->nth = strtol(v, NULL, 10);
  else if ((v = value_of(at, "code=")) != NULL)
    f->code = (cl_int)strtol(v, NULL, 10);
  else if ((v = value_of(at, "only=")) != NULL)
    f->entry = entry_of(v, n - 5);
  else if ((v = value_of(at, "slow=")) != NULL)
    layer_slow((unsigned int)strtoul(v, NULL, 10));
  else if (strncmp(at, "always", n) == 0)
    f->persistent = 1;
  else if (strncmp(at, "report", n) == 0)
    atexit(print_report);
}

void layer_read_env(void) {
  layer_fault f = {.entry = LAYER_ANY, .code = CL_OUT_OF_RESOURCES};
  const char *at = getenv("GG_LAYER");
  size_t n;

  for (; at != NULL && *at != '\0'; at += n + (at[n] == ',')) {
    n = strcspn(at, ",");
    read_word(at, n, &f);
  }
  if (f.nth > 0)
    layer_arm(&f);
}

/* --- the loader's questions --- */

LAYER_API cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t bytes,
                                            void *out, size_t *need) {
  static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  static const char name[] = "gpugraph fault layer";
  const void *value = what == CL_LAYER_NAME ? (const void *)name : &version;
  const size_t n = what == CL_LAYER_NAME ? sizeof name : sizeof version;

  if (what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION)
    return CL_INVALID_VALUE;
  if (need != NULL)
    *need = n;
  if (out != NULL && bytes < n)
    return CL_INVALID_VALUE;
  if (out != NULL)
    memcpy(out, value, n);
  return CL_SUCCESS;
}

LAYER_API cl_int CL_API_CALL clInitLayer(cl_uint n,
                                         const cl_icd_dispatch *target,
                                         cl_uint *n_ret,
                                         const cl_icd_dispatch **out) {
  const size_t most = sizeof table / sizeof(void *);

  if (target == NULL || n_ret == NULL || out == NULL)
    return CL_INVALID_VALUE;
  memcpy(&layer_next, target, (n < most ? n : most) * sizeof(void *));
  table = layer_next;
  layer_wrap_query(&table);
  layer_wrap_object(&table);
  layer_wrap_program(&table);
  layer_wrap_queue(&table);
  layer_read_env();
  is_loaded = 1;
  *n_ret = (cl_uint)most;
  *out = &table;
  return CL_SUCCESS;
}

/* The Khronos loader asks in this way since its version of 2025, and takes no
 * other answer. The properties choose when the layer is told of the end, which
 * it does not need to know. Newer headers call the last type
 * cl_layer_properties. */
LAYER_API cl_int CL_API_CALL clInitLayerWithProperties(
    cl_uint n, const cl_icd_dispatch *target, cl_uint *n_ret,
    const cl_icd_dispatch **out, const cl_ulong *properties);

LAYER_API cl_int CL_API_CALL clInitLayerWithProperties(
    cl_uint n, const cl_icd_dispatch *target, cl_uint *n_ret,
    const cl_icd_dispatch **out, const cl_ulong *properties) {
  (void)properties;
  return clInitLayer(n, target, n_ret, out);
}
