/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding out what a device can do by compiling and running cl/probe.cl.
 *
 * The list of extensions only tells which probes to try: NVIDIA's driver
 * computes in half and accepts PTX without listing either. The results are
 * stored on disk per device and driver, so that only the first process waits
 * for the compiler. */
#include <string.h>

#include "ocl/context.h"
#include "ocl/objects.h"

#include "base/alloc.h"
#include "base/strb.h"
#include "codegen/template.h"

#define FORMAT "gpugraph probe 6"
#define ITEMS 4 /* results per probe, one per work-item */
#define LOCAL_64K ((size_t)64 << 10)
#define CHAIN 256 /* groups that wait for each other */

typedef struct probe {
  const char *define; /* names the part of cl/probe.cl */
  int (*worth)(const ga__device *d);
  int (*check)(const cl_uint r[ITEMS]);
  size_t groups; /* 0: 1 */
} probe;

static int worth_fp16(const ga__device *d) {
  return d->has_fp16 || d->is_nvidia;
}

static int worth_int64_atomics(const ga__device *d) {
  return d->has_int64_atomics || d->is_nvidia;
}

static int worth_subgroups(const ga__device *d) {
  return d->has_subgroups;
}

static int worth_ptx(const ga__device *d) {
  return d->is_nvidia;
}

/* Only layouts for CPUs have work-items with many loop iterations. PoCL
 * compiles loops for the processor and never cuts them short, so it is not
 * probed, which would cost the first process a build. */
static int worth_rounds(const ga__device *d) {
  return d->caps.is_cpu &&
         strcmp(d->platform_name, "Portable Computing Language") != 0;
}

/* Item i computes (i + 0.5) * 2 in half: an odd number. */
static int check_fp16(const cl_uint r[ITEMS]) {
  for (cl_uint i = 0; i < ITEMS; i++) {
    if (r[i] != 2 * i + 1)
      return 0;
  }
  return 1;
}

/* Each item adds 2^31 once; item 0 reports the high half of the sum. */
static int check_int64_atomics(const cl_uint r[ITEMS]) {
  return r[0] == ITEMS / 2;
}

/* Each item reports its sub-group's size, at least 1. */
static int check_subgroups(const cl_uint r[ITEMS]) {
  return r[0] >= 1;
}

/* Item i computes i + 7 in PTX. */
static int check_ptx(const cl_uint r[ITEMS]) {
  for (cl_uint i = 0; i < ITEMS; i++) {
    if (r[i] != i + 7)
      return 0;
  }
  return 1;
}

/* The items find the largest one's number. */
static int check_redux(const cl_uint r[ITEMS]) {
  for (cl_uint i = 0; i < ITEMS; i++) {
    if (r[i] != ITEMS - 1)
      return 0;
  }
  return 1;
}

/* Item i makes 400 x 400 iterations, starting from i. Nonzero if the device
 * ended the loops early. */
static int check_rounds(const cl_uint r[ITEMS]) {
  for (cl_uint i = 0; i < ITEMS; i++) {
    cl_uint v = i;

    for (int k = 0; k < 400 * 400; k++)
      v = v * 1664525u + 1013904223u;
    if (r[i] != v)
      return 1;
  }
  return 0;
}

static int worth_local_64k(const ga__device *d) {
  return d->is_nvidia && d->caps.local_bytes < LOCAL_64K;
}

/* Item i computes ((i ^ 3) + 9) - (i ^ 1). */
static int check_local_64k(const cl_uint r[ITEMS]) {
  for (cl_uint i = 0; i < ITEMS; i++) {
    if (r[i] != (i ^ 3) + 9 - (i ^ 1))
      return 0;
  }
  return 1;
}

/* Oclgrind checks the order of memory that OpenCL 1.2 promises, and chains need
 * what devices do beyond it. Of the drivers for CPUs, Intel's crashes on such
 * kernels, so only PoCL is probed. */
static int worth_chains(const ga__device *d) {
  return d->caps.is_cpu
             ? strcmp(d->platform_name, "Portable Computing Language") == 0
             : strcmp(d->platform_name, "Oclgrind") != 0;
}

/* Each group changed the lower half of the first word, after the one before
 * it. */
static int check_chains(const cl_uint r[ITEMS]) {
  cl_uint v = 0;

  for (int k = 0; k < CHAIN; k++)
    v = v * 1664525u + 1013904223u;
  return r[0] == v && r[1] == CHAIN;
}

enum {
  FP16,
  INT64_ATOMICS,
  SUBGROUPS,
  PTX,
  REDUX,
  CUT_LOOPS,
  LOCAL_IS_64K,
  CHAINS,
  PROBES
};

static const probe probes[PROBES] = {
    [FP16] = {"PROBE_FP16", worth_fp16, check_fp16},
    [INT64_ATOMICS] = {"PROBE_INT64_ATOMICS", worth_int64_atomics,
                       check_int64_atomics},
    [SUBGROUPS] = {"PROBE_SUBGROUPS", worth_subgroups, check_subgroups},
    [PTX] = {"PROBE_PTX", worth_ptx, check_ptx},
    [REDUX] = {"PROBE_REDUX", worth_ptx, check_redux},
    [CUT_LOOPS] = {"PROBE_ROUNDS", worth_rounds, check_rounds},
    [LOCAL_IS_64K] = {"PROBE_LOCAL_64K", worth_local_64k, check_local_64k},
    [CHAINS] = {"PROBE_CHAINS", worth_chains, check_chains, CHAIN},
};

/* --- running a probe --- */

enum { NO = '0', YES = '1', UNKNOWN = '?' };

/* Run the probe's kernel on ITEMS zeros. */
static int run_kernel(gpucontext *ctx, cl_program p, size_t groups,
                      cl_uint r[ITEMS]) {
  const size_t bytes = ITEMS * sizeof *r, items = ITEMS;
  const size_t all = items * groups;
  cl_kernel k = NULL;
  cl_mem mem = NULL;
  cl_int status;
  int err = GA_NO_ERROR;

  memset(r, 0, bytes);
  k = clCreateKernel(p, "probe", &status);
  if (status == CL_SUCCESS)
    mem = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         bytes, r, &status);
  if (status != CL_SUCCESS) {
    err = GA_RUN_ERROR;
    goto done;
  }
  if (clSetKernelArg(k, 0, sizeof mem, &mem) != CL_SUCCESS ||
      clEnqueueNDRangeKernel(ctx->queue, k, 1, NULL, &all, &items, 0, NULL,
                             NULL) != CL_SUCCESS ||
      clEnqueueReadBuffer(ctx->queue, mem, CL_TRUE, 0, bytes, r, 0, NULL,
                          NULL) != CL_SUCCESS)
    err = GA_RUN_ERROR;

done:
  if (mem != NULL)
    clReleaseMemObject(mem);
  if (k != NULL)
    clReleaseKernel(k);
  return err;
}

/* Nonzero if the build failed because of the source, or of what the compiler
 * made of it. */
static int is_refusal(cl_int status) {
  return status == CL_BUILD_PROGRAM_FAILURE || status == CL_INVALID_BINARY;
}

static unsigned char run_probe(gpucontext *ctx, const probe *pr) {
  const char *text = ga__template("probe");
  const char *parts[] = {"#define ", pr->define, "\n", text};
  unsigned char verdict = UNKNOWN;
  cl_uint r[ITEMS];
  cl_int status;

  if (text == NULL || !pr->worth(&ctx->dev))
    return NO;
  cl_program p = clCreateProgramWithSource(ctx->cl, 4, parts, NULL, &status);
  if (status != CL_SUCCESS)
    return UNKNOWN;
  status = clBuildProgram(p, 1, &ctx->dev.cl, "", NULL, NULL);
  if (is_refusal(status))
    verdict = NO;
  else if (status == CL_SUCCESS &&
           run_kernel(ctx, p, pr->groups > 0 ? pr->groups : 1, r) ==
               GA_NO_ERROR)
    verdict = pr->check(r) ? YES : NO;
  clReleaseProgram(p);
  return verdict;
}

/* --- results on disk: one verdict per probe, none of them unknown --- */

static void key_of(unsigned char key[GA_SHA256_BYTES], const gpucontext *ctx) {
  const char *text = ga__template("probe");
  ga__sha256 s;

  ga__sha256_init(&s);
  ga__sha256_add_str(&s, FORMAT);
  ga__sha256_add_str(&s, ctx->bin_id);
  ga__sha256_add_str(&s, text != NULL ? text : "");
  ga__sha256_end(&s, key);
}

static int are_verdicts(const unsigned char *v, size_t n) {
  if (n != PROBES)
    return 0;
  for (size_t i = 0; i < n; i++) {
    if (v[i] != NO && v[i] != YES)
      return 0;
  }
  return 1;
}

static int load(gpucontext *ctx, const unsigned char key[GA_SHA256_BYTES],
                unsigned char verdict[PROBES]) {
  unsigned char *v = NULL;
  size_t n = 0;
  int found = 0;

  if (!ga__disk_get(ctx->disk, key, &v, &n))
    return 0;
  if (are_verdicts(v, n)) {
    memcpy(verdict, v, PROBES);
    found = 1;
  }
  ga__free(v);
  return found;
}

/* Complete ctx->dev.caps with the stored results, or by compiling and running
 * the probes. A probe that fails for another reason, such as a lack of memory,
 * counts as NO in this context only. */
static void probe_all(gpucontext *ctx) {
  unsigned char key[GA_SHA256_BYTES], verdict[PROBES];
  gpudevice_caps *caps = &ctx->dev.caps;

  key_of(key, ctx);
  if (!load(ctx, key, verdict)) {
    for (int i = 0; i < PROBES; i++)
      verdict[i] = run_probe(ctx, &probes[i]);
    if (are_verdicts(verdict, sizeof verdict))
      ga__disk_put(ctx->disk, key, verdict, sizeof verdict);
  }
  caps->fp16 = verdict[FP16] == YES;
  caps->int64_atomics = verdict[INT64_ATOMICS] == YES;
  caps->subgroups = verdict[SUBGROUPS] == YES;
  caps->ptx = verdict[PTX] != YES ? 0 : verdict[REDUX] != YES ? 1 : 2;
  caps->long_loops = verdict[CUT_LOOPS] != YES;
  if (!caps->long_loops)
    caps->is_cpu = 0; /* use many short work-items */
  caps->chains = verdict[CHAINS] == YES;
  caps->declared_local_bytes =
      verdict[LOCAL_IS_64K] == YES ? LOCAL_64K : caps->local_bytes;
}

const gpudevice_caps *gpucontext_caps(gpucontext *ctx) {
  if (!atomic_load_explicit(&ctx->probed, memory_order_acquire)) {
    ga__ctx_lock(ctx);
    if (!ctx->probed)
      probe_all(ctx);
    ctx->probed = 1;
    ga__ctx_unlock(ctx);
  }
  return &ctx->dev.caps;
}
