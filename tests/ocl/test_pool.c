/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffer pool: classes, reuse, bounds, pressure, poison. */
#include "support/device.h"

#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/profile.h>
#include <gpuarray/sort.h>

#include <stdlib.h>
#include <string.h>

#include "ocl/memory/pool.h"
#include "ocl/objects.h"
#include "ocl/ocl.h"

/* A context of the test's own, with bounds on the pool. */
static gpucontext *own_context(size_t initial, size_t max) {
  gpucontext_props *p;
  gpucontext *ctx;
  int platform, device;

  test_context();
  assert_ok(gpudevice_choose(NULL, &platform, &device, NULL, 0));
  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_props_opencl_dev(p, platform, device));
  assert_ok(gpucontext_props_alloc_cache(p, initial, max));
  assert_ok(gpucontext_init(&ctx, "opencl", p));
  return ctx;
}

static gpudata *alloc(gpucontext *ctx, size_t n) {
  int err = GA_NO_ERROR;
  gpudata *d = gpudata_alloc(ctx, n, NULL, 0, &err);

  assert_ok(err);
  return d;
}

static gpucontext_counters count(gpucontext *ctx) {
  gpucontext_counters c;

  assert_ok(gpucontext_count(ctx, &c));
  return c;
}

/* Rooms are at least the size, grow with it, lose little, and are their own
 * class, so that a released buffer is found again. */
static void classes_fit(void **state) {
  size_t last_class = 0, last_room = 0, room, again;

  (void)state;
  for (size_t n = 0; n < (size_t)1 << 45; n += 1 + n / 97) {
    size_t c = ga__pool_class(n, &room);
    double loss = (double)(room - n) / (double)room;

    assert_true(c < GA_POOL_CLASSES);
    assert_true(room >= n && room >= 256);
    assert_true(c >= last_class && room >= last_room);
    assert_int_equal(c == last_class, room == last_room || n == 0);
    assert_true(n < 256 || loss < 0.25);
    assert_true(n < (size_t)2 << 20 || loss < 0.0625);
    assert_int_equal(ga__pool_class(room, &again), c);
    assert_int_equal(again, room);
    last_class = c;
    last_room = room;
  }
  assert_true(ga__pool_class(SIZE_MAX, &room) < GA_POOL_CLASSES);
  assert_int_equal(room, SIZE_MAX);
}

static void released_buffers_are_reused(void **state) {
  gpucontext *ctx = own_context(0, 0);
  gpudata *a = alloc(ctx, 1000);
  uint64_t allocs = count(ctx).device_allocs;
  cl_mem mem = a->mem;
  size_t n;

  (void)state;
  gpudata_release(a);
  gpudata *b = alloc(ctx, 1010);
  assert_ptr_equal(b->mem, mem);
  assert_ok(gpudata_property(b, GA_BUFFER_PROP_SIZE, &n));
  assert_int_equal(n, 1010);
  assert_int_equal(count(ctx).device_allocs, allocs);
  a = alloc(ctx, 2000);
  assert_ptr_not_equal(a->mem, mem);
  assert_int_equal(count(ctx).device_allocs, allocs + 1);
  gpudata_release(a);
  gpudata_release(b);
  gpucontext_deref(ctx);
}

static void bytes_are_counted(void **state) {
  gpucontext *ctx = own_context(0, 0);
  gpucontext_counters c0 = count(ctx);
  gpudata *a = alloc(ctx, 4096), *b = alloc(ctx, 1 << 20);

  (void)state;
  gpucontext_counters c = count(ctx);
  assert_int_equal(c.used_bytes - c0.used_bytes, 4096 + (1 << 20));
  assert_int_equal(c.held_bytes, c.used_bytes);
  gpudata_release(b);
  c = count(ctx);
  assert_int_equal(c.used_bytes - c0.used_bytes, 4096);
  assert_int_equal(c.held_bytes, c.used_bytes + (1 << 20));
  assert_int_equal(c.peak_bytes - c0.used_bytes, 4096 + (1 << 20));
  assert_ok(gpucontext_trim(ctx));
  c = count(ctx);
  assert_int_equal(c.held_bytes, c.used_bytes);
  gpudata_release(a);
  gpucontext_deref(ctx);
}

/* A call keeps its launch, with workspaces, for the next one like it. */
static void workspaces_are_returned(void **state) {
  const size_t n = 100000;
  gpucontext *ctx = own_context(0, 0);
  GpuArray x, sorted;

  (void)state;
  assert_ok(GpuArray_zeros(&x, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  const uint64_t before = count(ctx).used_bytes;
  assert_ok(GpuArray_sort(&sorted, NULL, &x, 0, 0));
  assert_ok(GpuArray_sync(&sorted));
  GpuArray_clear(&sorted);
  assert_true(count(ctx).used_bytes > before);
  assert_ok(gpucontext_trim(ctx));
  assert_int_equal(count(ctx).used_bytes, before);
  assert_int_equal(count(ctx).held_bytes, count(ctx).used_bytes);
  assert_ok(GpuArray_sort(&sorted, NULL, &x, 0, 0));
  assert_ok(GpuArray_sync(&sorted));
  GpuArray_clear(&sorted);
  GpuArray_clear(&x);
  gpucontext_deref(ctx);
}

/* Buffers for the host are not mixed with the others. */
static void host_buffers_stay_apart(void **state) {
  gpucontext *ctx = own_context(0, 0);
  gpudata *a = gpudata_alloc(ctx, 512, NULL, GA_BUFFER_HOST, NULL);

  (void)state;
  assert_non_null(a);
  assert_int_equal(count(ctx).used_bytes, 512);
  gpudata_release(a);
  assert_int_equal(count(ctx).held_bytes, 0);
  gpucontext_deref(ctx);
}

static void idle_memory_is_bounded(void **state) {
  gpucontext *ctx = own_context(0, 0);
  gpudata *d[8];

  (void)state;
  ctx->pool.idle_max = 3 << 20;
  for (int i = 0; i < 8; i++)
    d[i] = alloc(ctx, 1 << 20);
  for (int i = 0; i < 8; i++)
    gpudata_release(d[i]);
  assert_int_equal(count(ctx).held_bytes, 3 << 20);
  for (int i = 0; i < 3; i++) /* the last released are left */
    d[i] = alloc(ctx, 1 << 20);
  assert_int_equal(count(ctx).device_allocs, 8);
  for (int i = 0; i < 3; i++)
    gpudata_release(d[i]);
  gpucontext_deref(ctx);
}

static void the_limit_holds(void **state) {
  gpucontext *ctx = own_context(0, 4 << 20);
  gpudata *a = alloc(ctx, 1 << 20), *b = alloc(ctx, 2 << 20);
  int err = GA_NO_ERROR;

  (void)state;
  assert_null(gpudata_alloc(ctx, 3 << 20, NULL, 0, &err));
  assert_int_equal(err, GA_MEMORY_ERROR);
  assert_message(GA_MEMORY_ERROR, "clCreateBuffer(3145728): the limit");
  gpudata_release(b); /* idle memory makes room when it is needed */
  assert_int_equal(count(ctx).held_bytes, 3 << 20);
  b = alloc(ctx, 3 << 20);
  assert_int_equal(count(ctx).held_bytes, 4 << 20);
  gpudata_release(a);
  gpudata_release(b);
  gpucontext_deref(ctx);
}

static void the_pool_starts_with_what_was_asked_for(void **state) {
  gpucontext *ctx = own_context(3 << 20, 0);

  (void)state;
  assert_int_equal(count(ctx).held_bytes, 3 << 20);
  assert_int_equal(count(ctx).used_bytes, 0);
  gpudata *d = alloc(ctx, 3 << 20);
  assert_int_equal(count(ctx).device_allocs, 1);
  gpudata_release(d);
  gpucontext_deref(ctx);
}

/* No device has this much; the message tells what is held, and the pool was
 * emptied on the way. */
static void out_of_memory_is_reported(void **state) {
  test_need_buffer((size_t)64 << 20);

  gpucontext *ctx = own_context(0, 0);
  gpudata *kept = alloc(ctx, 64 << 20);
  char part[64];
  int err = GA_NO_ERROR;

  (void)state;
  gpudata_release(alloc(ctx, 32 << 20));
  assert_null(gpudata_alloc(ctx, (size_t)1 << 60, NULL, 0, &err));
  assert_int_equal(err, GA_MEMORY_ERROR);
  /* Some drivers refuse when the memory is first touched. */
  snprintf(part, sizeof part, "(%zu): CL_", (size_t)1 << 60);
  assert_message(GA_MEMORY_ERROR, part);
  assert_message(GA_MEMORY_ERROR, "0.0625 GiB in use, 0 in the pool");
  assert_int_equal(count(ctx).held_bytes, 64 << 20);
  gpudata_release(kept);
  kept = alloc(ctx, 1 << 20); /* the context still works */
  gpudata_release(kept);
  gpucontext_deref(ctx);
}

static void poison_shows_what_is_uninitialised(void **state) {
  float got[64], want[64] = {1, 2, 3};

  (void)state;
  test_context();
  setenv("GPUARRAY_POISON", "1", 1);
  gpucontext *ctx = own_context(0, 0);
  unsetenv("GPUARRAY_POISON");
  for (int round = 0; round < 2; round++) { /* fresh, then reused */
    gpudata *d = alloc(ctx, sizeof got);
    assert_int_equal(count(ctx).device_allocs, 1);
    assert_ok(gpudata_read(got, d, 0, sizeof got));
    for (int i = 0; i < 64; i++)
      assert_true(got[i] != got[i]);
    assert_ok(gpudata_memset(d, 0, 0));
    gpudata_release(d);
  }
  gpudata *d = gpudata_alloc(ctx, sizeof want, want, GA_BUFFER_INIT, NULL);
  assert_ok(gpudata_read(got, d, 0, sizeof got));
  assert_memory_equal(got, want, sizeof want);
  gpudata_release(d);
  gpucontext_deref(ctx);
}

static void without_pool_sizes_are_exact(void **state) {
  size_t bytes = 0;

  (void)state;
  test_context();
  setenv("GPUARRAY_NO_POOL", "1", 1);
  gpucontext *ctx = own_context(0, 0);
  unsetenv("GPUARRAY_NO_POOL");
  for (unsigned int round = 1; round <= 2; round++) {
    gpudata *d = alloc(ctx, 12);
    assert_int_equal(clGetMemObjectInfo(ga__data_mem(d), CL_MEM_SIZE,
                                        sizeof bytes, &bytes, NULL),
                     CL_SUCCESS);
    assert_int_equal(bytes, 12);
    assert_int_equal(count(ctx).device_allocs, round);
    gpudata_release(d);
    assert_int_equal(count(ctx).held_bytes, 0);
  }
  gpudata_release(alloc(ctx, 0));
  gpucontext_deref(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_fit),
      cmocka_unit_test(released_buffers_are_reused),
      cmocka_unit_test(bytes_are_counted),
      cmocka_unit_test(workspaces_are_returned),
      cmocka_unit_test(host_buffers_stay_apart),
      cmocka_unit_test(idle_memory_is_bounded),
      cmocka_unit_test(the_limit_holds),
      cmocka_unit_test(the_pool_starts_with_what_was_asked_for),
      cmocka_unit_test(out_of_memory_is_reported),
      cmocka_unit_test(poison_shows_what_is_uninitialised),
      cmocka_unit_test(without_pool_sizes_are_exact),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
