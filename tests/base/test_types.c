/* SPDX-License-Identifier: BSD-2-Clause */
/* The public type table, flags and error texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include <gpuarray/buffer.h>
#include <gpuarray/error.h>
#include <gpuarray/util.h>

static void assert_type(int typecode, const char *name, size_t size) {
  const gpuarray_type *t = gpuarray_get_type(typecode);

  assert_non_null(t);
  assert_string_equal(t->cluda_name, name);
  assert_int_equal(t->size, size);
  assert_int_equal(t->typecode, typecode);
  assert_int_equal(gpuarray_get_elsize(typecode), size);
  assert_true(typecode >= GA_BYTE2 ||
              (t->align != 0 && t->size % t->align == 0));
}

static void test_scalar_types(void **state) {
  (void)state;
  assert_type(GA_BOOL, "ga_bool", 1);
  assert_type(GA_BYTE, "ga_byte", 1);
  assert_type(GA_UBYTE, "ga_ubyte", 1);
  assert_type(GA_SHORT, "ga_short", 2);
  assert_type(GA_USHORT, "ga_ushort", 2);
  assert_type(GA_INT, "ga_int", 4);
  assert_type(GA_UINT, "ga_uint", 4);
  assert_type(GA_LONG, "ga_long", 8);
  assert_type(GA_ULONG, "ga_ulong", 8);
  assert_type(GA_FLOAT, "ga_float", 4);
  assert_type(GA_DOUBLE, "ga_double", 8);
  assert_type(GA_CFLOAT, "ga_cfloat", 8);
  assert_type(GA_CDOUBLE, "ga_cdouble", 16);
  assert_type(GA_HALF, "ga_half", 2);
  assert_type(GA_SIZE, "ga_size", sizeof(size_t));
  assert_type(GA_SSIZE, "ga_ssize", sizeof(ssize_t));
}

/* What 0.7.6 says of them. */
static void test_types_without_kernels(void **state) {
  (void)state;
  assert_type(GA_LONGLONG, "ga_longlong", 16);
  assert_type(GA_QUAD, "ga_quad", 16);
  assert_type(GA_CQUAD, "ga_cquad", 32);
  assert_int_equal(gpuarray_get_type(GA_LONGLONG)->align, 8);
  assert_int_equal(gpuarray_get_type(GA_QUAD)->align, 8);
  assert_int_equal(gpuarray_get_type(GA_CQUAD)->align, 8);
}

static void test_vector_types(void **state) {
  (void)state;
  assert_type(GA_BYTE2, "ga_byte2", 2);
  assert_type(GA_UBYTE3, "ga_ubyte3", 4);
  assert_type(GA_USHORT16, "ga_ushort16", 32);
  assert_type(GA_INT3, "ga_int3", 16);
  assert_type(GA_ULONG8, "ga_ulong8", 64);
  assert_type(GA_FLOAT4, "ga_float4", 16);
  assert_type(GA_DOUBLE16, "ga_double16", 128);
  assert_type(GA_HALF8, "ga_half8", 16);
  for (int typecode = GA_BYTE2; typecode < GA_NVEC; typecode++) {
    const gpuarray_type *t = gpuarray_get_type(typecode);

    assert_non_null(t);
    assert_int_equal(t->typecode, typecode);
    assert_int_equal(t->align, 0);
  }
}

static void test_numbers_without_a_type(void **state) {
  static const int none[] = {-2,  17,   22,        GA_NBASE, 31,
                             33,  100,  GA_DELIM,  GA_NVEC,  511,
                             512, 5000, INT32_MAX, INT32_MIN};

  (void)state;
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    const gpuarray_type *t = gpuarray_get_type(none[i]);

    assert_non_null(t);
    assert_null(t->cluda_name);
    assert_int_equal(t->size, 0);
    assert_int_equal(t->align, 0);
    assert_int_equal(t->typecode, -1);
    assert_int_equal(gpuarray_get_elsize(none[i]), 0);
  }
  assert_int_equal(gpuarray_get_elsize(GA_BUFFER), sizeof(void *));
}

static void test_flags(void **state) {
  gpuelemwise_arg args[] = {{"a", GA_BUFFER, GE_READ},
                            {"b", GA_CDOUBLE, GE_READ},
                            {"c", GA_HALF, GE_WRITE}};

  (void)state;
  assert_int_equal(gpuarray_type_flags(-1), 0);
  assert_int_equal(gpuarray_type_flags(GA_FLOAT, GA_INT, -1), 0);
  assert_int_equal(gpuarray_type_flags(GA_BYTE, -1), GA_USE_SMALL);
  assert_int_equal(gpuarray_type_flags(GA_DOUBLE, -1), GA_USE_DOUBLE);
  assert_int_equal(gpuarray_type_flags(GA_CFLOAT, -1), GA_USE_COMPLEX);
  assert_int_equal(gpuarray_type_flags(GA_FLOAT, GA_HALF, -1),
                   GA_USE_HALF | GA_USE_SMALL);
  assert_int_equal(gpuarray_type_flags(GA_DOUBLE4, GA_HALF4, -1),
                   GA_USE_DOUBLE | GA_USE_HALF);
  assert_int_equal(gpuarray_type_flagsa(0, NULL), 0);
  assert_int_equal(gpuarray_type_flagsa(3, args),
                   GA_USE_SMALL | GA_USE_HALF | GA_USE_DOUBLE | GA_USE_COMPLEX);
}

#define PER_THREAD 500
#define N_THREADS 4

static void *register_some(void *arg) {
  gpuarray_type *t = arg;

  for (int i = 0; i < PER_THREAD; i++) {
    t[i] = (gpuarray_type){"mine", 12, 4, -1};
    if (gpuarray_register_type(&t[i], NULL) != t[i].typecode ||
        gpuarray_get_type(t[i].typecode) != &t[i])
      return NULL;
  }
  return arg;
}

static void test_threads_register_types(void **state) {
  static gpuarray_type types[N_THREADS][PER_THREAD];
  pthread_t threads[N_THREADS];
  void *result;

  (void)state;
  for (int i = 0; i < N_THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, register_some, types[i]),
                     0);
  for (int i = 0; i < N_THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], &result), 0);
    assert_non_null(result);
  }
  /* The codes are the first ones, each given once. */
  for (int i = 0; i < N_THREADS; i++)
    for (int j = 0; j < PER_THREAD; j++) {
      assert_in_range(types[i][j].typecode, 512,
                      512 + N_THREADS * PER_THREAD - 1);
      assert_ptr_equal(gpuarray_get_type(types[i][j].typecode), &types[i][j]);
    }
  assert_int_equal(gpuarray_get_elsize(512), 12);
}

/* Runs last: it uses up the codes. */
static void test_registration_ends(void **state) {
  static gpuarray_type t = {"many", 4, 4, 0};
  int ret = 77, i = 0;

  (void)state;
  while (gpuarray_register_type(&t, &ret) != -1 && i < 100000) {
    assert_int_equal(ret, 77); /* untouched */
    i++;
  }
  assert_in_range(i, 1000, 99999);
  assert_int_equal(ret, GA_MEMORY_ERROR);
  assert_int_equal(gpuarray_register_type(&t, NULL), -1);
}

static void test_error_texts(void **state) {
  (void)state;
  for (int i = GA_NO_ERROR; i <= GA_LOAD_ERROR; i++) {
    assert_non_null(gpuarray_error_str(i));
    assert_string_not_equal(gpuarray_error_str(i), gpuarray_error_str(-1));
  }
  assert_string_equal(gpuarray_error_str(GA_LOAD_ERROR + 1),
                      gpuarray_error_str(INT32_MIN));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalar_types),
      cmocka_unit_test(test_types_without_kernels),
      cmocka_unit_test(test_vector_types),
      cmocka_unit_test(test_numbers_without_a_type),
      cmocka_unit_test(test_flags),
      cmocka_unit_test(test_threads_register_types),
      cmocka_unit_test(test_registration_ends),
      cmocka_unit_test(test_error_texts),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
