/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepared calls with workspaces of the caller. */
#include "support/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/bincount.h>
#include <gpuarray/cumulate.h>
#include <gpuarray/device.h>
#include <gpuarray/fft.h>
#include <gpuarray/profile.h>
#include <gpuarray/select.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>

#include "order/elements.h"

enum { N = 65536, BINS = 50, SHIFT = 24 };

/* An array of N elements, and up to two results of a call. */
typedef struct operands {
  GpuArray x, to[2];
} operands;

typedef struct family {
  const char *name;
  int dtype, types[2]; /* of x and of results; 0: there is no second one */
  size_t sizes[2];
  int (*prepare)(GpuLaunch **out, operands *o);
} family;

static int prepare_sort(GpuLaunch **out, operands *o) {
  return GpuArray_sort_prepare(out, &o->to[0], &o->to[1], &o->x, 0, 0);
}

static int prepare_topk(GpuLaunch **out, operands *o) {
  return GpuArray_topk_prepare(out, &o->to[0], &o->to[1], &o->x, 0, 0);
}

static int prepare_kth(GpuLaunch **out, operands *o) {
  return GpuArray_kth_prepare(out, &o->to[0], &o->to[1], &o->x, N / 2, 0);
}

static int prepare_partition(GpuLaunch **out, operands *o) {
  return GpuArray_partition_prepare(out, &o->to[0], &o->to[1], &o->x, 1,
                                    (size_t[]){N / 2}, 0);
}

static int prepare_nonzero(GpuLaunch **out, operands *o) {
  return GpuArray_nonzero_prepare(out, &o->to[0], NULL, &o->x, -1);
}

static int prepare_bincount(GpuLaunch **out, operands *o) {
  return GpuArray_bincount_prepare(out, &o->to[0], &o->x, NULL);
}

static int prepare_fft(GpuLaunch **out, operands *o) {
  return GpuArray_fft_prepare(out, &o->to[0], &o->x, 1, (unsigned int[]){0},
                              NULL, 0);
}

static int prepare_sum(GpuLaunch **out, operands *o) {
  const gpuelemwise_arg value = {"v", GA_FLOAT, GE_READ};
  const gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                                   {"z", GA_FLOAT, GE_WRITE}};
  const GpuCumulationSpec spec = {.op = GA_CUMULATE_SUM,
                                  .n_values = 1,
                                  .values = &value,
                                  .n_args = 2,
                                  .args = args};
  GpuCumulation *c;

  assert_ok(GpuCumulation_new(&c, test_context(), &spec));
  const int err = GpuCumulation_prepare(out, c, 1, o->x.dimensions, 0, 0,
                                        (void *[]){&o->x, &o->to[0]});
  GpuCumulation_free(c);
  return err;
}

static const family families[] = {
    {"sort", GA_FLOAT, {GA_FLOAT, GA_LONG}, {N, N}, prepare_sort},
    {"topk", GA_FLOAT, {GA_FLOAT, GA_LONG}, {5000, 5000}, prepare_topk},
    {"kth", GA_FLOAT, {GA_FLOAT, GA_LONG}, {1, 1}, prepare_kth},
    {"partition", GA_FLOAT, {GA_FLOAT, GA_LONG}, {N, N}, prepare_partition},
    {"nonzero", GA_FLOAT, {GA_LONG, 0}, {N, 0}, prepare_nonzero},
    {"bincount", GA_INT, {GA_LONG, 0}, {BINS, 0}, prepare_bincount},
    {"fft", GA_CFLOAT, {GA_CFLOAT, 0}, {N, 0}, prepare_fft},
    {"cumsum", GA_FLOAT, {GA_FLOAT, 0}, {N, 0}, prepare_sum}};

static void make(operands *o, const family *f) {
  const size_t n = N;
  char *data = calloc(n, 16);

  if (f->dtype == GA_INT)
    test_fill(data, GA_INT, n, 0, BINS, 1);
  else
    test_fill(data, GA_FLOAT, f->dtype == GA_CFLOAT ? 2 * n : n, -60, 60, 3);
  test_array(&o->x, f->dtype, 1, &n, data);
  free(data);
  for (int k = 0; k < 2 && f->types[k] != 0; k++)
    assert_ok(GpuArray_empty(&o->to[k], test_context(), f->types[k], 1,
                             &f->sizes[k], GA_C_ORDER));
}

static void clear(operands *o, const family *f) {
  GpuArray_clear(&o->x);
  for (int k = 0; k < 2 && f->types[k] != 0; k++)
    GpuArray_clear(&o->to[k]);
}

/* Read a result, and overwrite it. The caller frees the bytes. */
static char *take(GpuArray *a) {
  const size_t bytes = test_size(a) * GpuArray_ITEMSIZE(a);
  char *data = calloc(bytes, 1);

  assert_ok(GpuArray_read(data, bytes, a));
  assert_ok(GpuArray_memset(a, 0x5a));
  return data;
}

/* A run with the memory at `shift` gives the same bits as one without. */
static void compare_runs(GpuLaunch *l, operands *o, const family *f,
                         gpudata *work) {
  char *want[2] = {NULL, NULL};

  assert_ok(GpuLaunch_run(l));
  for (int k = 0; k < 2 && f->types[k] != 0; k++)
    want[k] = take(&o->to[k]);
  assert_ok(GpuLaunch_bind_workspace(l, work, SHIFT));
  assert_ok(gpudata_memset(work, 0, 0xff));
  assert_ok(GpuLaunch_run(l));
  for (int k = 0; k < 2 && f->types[k] != 0; k++) {
    test_array_equal(&o->to[k], want[k]);
    free(want[k]);
  }
}

static void check(const family *f) {
  gpucontext_counters before, after;
  operands o;
  GpuLaunch *l;
  size_t bytes;

  make(&o, f);
  assert_ok(f->prepare(&l, &o));
  assert_ok(GpuLaunch_workspace_bytes(l, &bytes));
  gpudata *work = gpudata_alloc(test_context(), SHIFT + bytes, NULL, 0, NULL);
  assert_non_null(work);
  assert_ok(gpucontext_count(test_context(), &before));
  compare_runs(l, &o, f, work);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.used_bytes<before.used_bytes, bytes> 0);
  gpudata_release(work);
  GpuLaunch_free(l);
  clear(&o, f);
}

static void test_families(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    check(&families[i]);
}

/* Launches share a workspace; one lets go of it, and another renews it. */
static void test_sharing(void **state) {
  const family *const f = &families[0], *const g = &families[2];
  GpuLaunch *sort, *kth;
  operands o, p;
  size_t bytes[2];

  (void)state;
  make(&o, f);
  make(&p, g);
  assert_ok(f->prepare(&sort, &o));
  assert_ok(g->prepare(&kth, &p));
  assert_ok(GpuLaunch_workspace_bytes(sort, &bytes[0]));
  assert_ok(GpuLaunch_workspace_bytes(kth, &bytes[1]));
  gpudata *work = gpudata_alloc(
      test_context(), SHIFT + (bytes[0] > bytes[1] ? bytes[0] : bytes[1]), NULL,
      0, NULL);
  assert_non_null(work);
  compare_runs(sort, &o, f, work);
  compare_runs(kth, &p, g, work);
  assert_ok(GpuLaunch_bind_workspace(sort, NULL, 0));
  assert_ok(GpuLaunch_bind_workspace(sort, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuLaunch_run(sort));
  assert_message(GA_VALUE_ERROR, "sort: there is no workspace");
  compare_runs(kth, &p, g, work);
  assert_ok(GpuLaunch_bind_workspace(sort, work, 0));
  compare_runs(sort, &o, f, work);
  gpudata_release(work); /* the launches have it */
  assert_null(GpuLaunch_renew(sort));
  assert_ok(f->prepare(&sort, &o));
  assert_ok(GpuLaunch_run(sort));
  assert_ok(GpuLaunch_run(kth));
  GpuLaunch_free(sort);
  GpuLaunch_free(kth);
  clear(&o, f);
  clear(&p, g);
}

static void test_errors(void **state) {
  const family *const f = &families[0];
  char message[128];
  gpucontext *other;
  GpuLaunch *l;
  operands o;
  size_t bytes;

  (void)state;
  make(&o, f);
  assert_ok(f->prepare(&l, &o));
  assert_ok(GpuLaunch_workspace_bytes(l, &bytes));
  gpudata *work = gpudata_alloc(test_context(), bytes, NULL, 0, NULL);
  assert_non_null(work);
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind_workspace(l, work, 1));
  snprintf(message, sizeof message,
           "sort: a workspace of %zu bytes, expected %zu", bytes - 1, bytes);
  assert_message(GA_VALUE_ERROR, message);
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind_workspace(l, work, bytes + 1));
  assert_ok(gpucontext_open(&other, NULL));
  gpudata *far = gpudata_alloc(other, bytes, NULL, 0, NULL);
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind_workspace(l, far, 0));
  assert_message(GA_VALUE_ERROR, "sort: the workspace is of another context");
  assert_ok(GpuLaunch_run(l));
  gpudata_release(far);
  gpucontext_deref(other);
  gpudata_release(work);
  GpuLaunch_free(l);
  clear(&o, f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_families),
                                     cmocka_unit_test(test_sharing),
                                     cmocka_unit_test(test_errors)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
