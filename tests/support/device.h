/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of the tests, arrays made from host data, and comparisons. */
#ifndef SUPPORT_DEVICE_H
#define SUPPORT_DEVICE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpuarray/array.h>
#include <gpuarray/error.h>

/* The process's one context, borrowed: the device that GPUARRAY_DEVICE or
 * DEVICE names, else the first. Skips the calling test, and says why, when
 * there is none; fails it when there is one that does not open. */
gpucontext *test_context(void);

/* Another context, borrowed: on the device that GPUARRAY_DEVICE2 names, else on
 * another usable device than the first one's, else on the same. */
gpucontext *test_second_context(void);

/* Drop the contexts, as a group's teardown, and fail it if a program of the
 * first one was compiled twice. */
int test_context_drop(void **state);

/* Run `body` with kernels mapped as for a CPU and then as for a GPU, as far as
 * the device can run them, whatever it is. */
void test_mappings(void (*body)(void));

/* Run `body` with kernels mapped as for a GPU whose groups can wait for each
 * other (cl/chain.cl). Results are right on any device: groups that wait in
 * vain help themselves. Skips the test as test_need_gpu_mapping does. */
void test_chained(void (*body)(void));

/* The same with kernels mapped as for a CPU of 64 cores. */
void test_chained_cpu(void (*body)(void));

/* Skip the calling test when the device has no fp64, no groups of `items`
 * work-items along their first dimension, or no local memory, buffers or memory
 * in all of `bytes`. */
void test_need_double(void);
void test_need_int64_atomics(void); /* as loops in one kernel do */
void test_need_marker_times(void);  /* of host functions in profiles */
/* Nonzero in quick tests, which compile few kernels. */
int test_is_quick(void);
/* ci/test --full: what costs many kernels and has a neighbour that shows nearly
 * the same. */
void test_need_full(void);
void test_need_group(size_t items);
void test_need_gpu_mapping(void); /* for kernels that are mapped for GPUs */
void test_need_local(size_t bytes);
void test_need_buffer(size_t bytes);
void test_need_memory(uint64_t bytes);

/* Whether a work-item may go through its loops `rounds` times in all; says so
 * when it may not. */
int test_can_loop(size_t rounds);
void test_need_loops(size_t rounds);

/* Fail the test unless `expr` is GA_NO_ERROR; shows the library's message. */
#define assert_ok(expr)                                                        \
  test_assert_code((expr), GA_NO_ERROR, #expr, __FILE__, __LINE__)
/* Fail the test unless `expr` returns exactly `code`. */
#define assert_code(code, expr)                                                \
  test_assert_code((expr), (code), #expr, __FILE__, __LINE__)
/* Fail the test unless the last failure's message, for `code`, contains
 * `part`. */
#define assert_message(code, part)                                             \
  test_assert_message((code), (part), __FILE__, __LINE__)

void test_assert_code(int got, int want, const char *what, const char *file,
                      int line);
void test_assert_message(int code, const char *part, const char *file,
                         int line);

/* --- host data --- */

/* Deterministic numbers in [lo, hi), converted to `typecode`; integers are
 * whole. `n` elements at `p`. */
void test_fill(void *p, int typecode, size_t n, double lo, double hi,
               uint32_t seed);

/* One element as double, and back; complex numbers have their real part. */
double test_get(const void *p, int typecode, size_t i);
void test_set(void *p, int typecode, size_t i, double v);

/* --- arrays --- */

/* An array over host data in C order; `a` is to be cleared by the caller. */
void test_array(GpuArray *a, int typecode, unsigned int nd, const size_t *dims,
                const void *data);

/* An array whose elements lie at the given strides, in units of elements and
 * of any sign, inside a buffer of its own with room around it: `data` is in C
 * order. */
void test_array_strided(GpuArray *a, int typecode, unsigned int nd,
                        const size_t *dims, const ssize_t *strides,
                        const void *data);
/* The same with so many elements of room; that of test_array_strided, three,
 * begins where vectors may not. */
void test_array_within(GpuArray *a, int typecode, unsigned int nd,
                       const size_t *dims, const ssize_t *strides,
                       const void *data, ssize_t margin);

/* Elements of any array, strides and all, to the host in C order. Reads the
 * buffer whole and gathers on the host: needs no kernel. `out` has room for
 * test_size(a) elements. */
void test_gather(const GpuArray *a, void *out);

/* Number of elements. */
size_t test_size(const GpuArray *a);

/* --- comparisons, element by element, with the index in the message --- */

/* |got - want| <= atol + rtol * |want|; NaN equals NaN, infinities by sign. */
void test_close(int typecode, const void *got, const void *want, size_t n,
                double rtol, double atol);

/* Floats at most `ulps` representable numbers apart; other types exactly. */
void test_ulp(int typecode, const void *got, const void *want, size_t n,
              unsigned int ulps);

/* The elements of `a` against `want` in C order, bit by bit. */
void test_array_equal(const GpuArray *a, const void *want);
void test_array_close(const GpuArray *a, const void *want, double rtol,
                      double atol);

#endif
