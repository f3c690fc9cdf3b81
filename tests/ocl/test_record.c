/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels as launches: text, types, slots, and what is refused. */
#include "support/device.h"

#include <gpuarray/buffer.h>
#include <gpuarray/device.h>
#include <gpuarray/kernel_file.h>
#include <gpuarray/opencl.h>
#include <gpuarray/profile.h>
#include <gpuarray/record.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ocl/ocl.h"

enum { N = 5 };
static const float five[N] = {1, 2, 3, 4, 5};
static GpuArray x, z;
static size_t n = N;

static int setup(void **state) {
  (void)state;
  test_array(&x, GA_FLOAT, 1, &n, five);
  test_array(&z, GA_FLOAT, 1, &n, five);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&x);
  GpuArray_clear(&z);
  return 0;
}

/* z = x times DTYPE-defined FACTOR, with offsets. */
static const int offset_types[] = {GA_BUFFER, GA_OFFSET, GA_BUFFER, GA_OFFSET,
                                   GA_SIZE};
static const GpuKernelSpec scale = {
    .name = "scale",
    .code = "#include \"cluda.h\"\n"
            "KERNEL void scale(GLOBAL_MEM ga_float *x, ga_size xo,\n"
            "                  GLOBAL_MEM ga_float *z, ga_size zo, ga_size n) {"
            "\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  x = (GLOBAL_MEM ga_float *)((GLOBAL_MEM char *)x + xo);\n"
            "  z = (GLOBAL_MEM ga_float *)((GLOBAL_MEM char *)z + zo);\n"
            "  if (i < n) z[i] = FACTOR * x[i];\n"
            "}\n",
    .n_types = 5,
    .types = offset_types};

static const int plain_types[] = {GA_BUFFER, GA_BUFFER, GA_SIZE};
static const GpuKernelSpec plain = {
    .name = "twice",
    .code = "kernel void twice(global const float *KERNEL, global float *z,\n"
            "                  ulong n) {\n"
            "  size_t i = get_global_id(0);\n"
            "  if (i < n) z[i] = 2 * KERNEL[i];\n"
            "}\n",
    .n_types = 3,
    .types = plain_types,
    .flags = GA_USE_OPENCL};

static GpuLaunch *open_both(void) {
  return GpuLaunch_open(test_context(), "test", 2, (GpuArray *[]){&x, &z});
}

static int record(GpuLaunch **out, const GpuKernelSpec *k, const char *head) {
  GpuLaunch *l = open_both();

  GpuLaunch_define(l, head);
  if (k->n_types == 5)
    GpuLaunch_scall(l, k, 1, &n, 0, (void *[]){&x, NULL, &z, NULL, &n});
  else
    GpuLaunch_scall(l, k, 1, &n, 0, (void *[]){&x, &z, &n});
  return GpuLaunch_close(out, l);
}

static void refused(const GpuKernelSpec *k, int code, const char *message) {
  GpuLaunch *l = (GpuLaunch *)&x;

  assert_code(code, record(&l, k, "#define FACTOR 1\n"));
  assert_null(l);
  assert_message(code, message);
}

/* --- what works --- */

static void a_call_follows_its_slots(void **state) {
  const float padded[4] = {9, 1, 2, 3}, want[3] = {3, 6, 9};
  GpuArray other, part;
  GpuLaunch *l;

  (void)state;
  test_array(&other, GA_FLOAT, 1, (size_t[]){4}, padded);
  assert_ok(record(&l, &scale, "#define FACTOR 3\n"));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){3, 6, 9, 12, 15});
  GpuLaunch_free(l);

  n = 3;
  assert_ok(record(&l, &scale, "#define FACTOR 3\n"));
  n = N;
  assert_ok(GpuLaunch_bind(l, 0, other.data, 4));
  assert_ok(GpuLaunch_bind(l, 1, other.data, 4));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuArray_index(&part, &other, (ssize_t[]){1}, (ssize_t[]){4},
                           (ssize_t[]){1}));
  test_array_equal(&part, want);
  assert_non_null(strstr(GpuLaunch_source(l, 0), "#define FACTOR 3\n#include"));
  GpuArray_clear(&part);
  GpuArray_clear(&other);
  GpuLaunch_free(l);
}

static void definitions_add_up(void **state) {
  GpuLaunch *l = open_both();

  (void)state;
  GpuLaunch_define(l, "#define FACTOR THREE\n");
  GpuLaunch_define(l, "#define THREE 3\n");
  GpuLaunch_scall(l, &scale, 1, &n, 0, (void *[]){&x, NULL, &z, NULL, &n});
  GpuLaunch_define(l, NULL);
  GpuLaunch_define(l, "#define FACTOR 5\n");
  GpuLaunch_scall(l, &scale, 1, &n, 0, (void *[]){&z, NULL, &z, NULL, &n});
  assert_ok(GpuLaunch_close(&l, l));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){15, 30, 45, 60, 75});
  GpuLaunch_free(l);
}

static void kernels_of_files_run(void **state) {
  test_need_group(N);

  static const char text[] =
      "#section kernels\n"
      "#kernel first : *, size : GA_USE_SMALL\n"
      "KERNEL void first(GLOBAL_MEM DTYPE *x, ga_size n) {\n"
      "  if (LID_0 < n) x[LID_0] += 10;\n}\n"
      "#kernel second : *, offset, float32 :\n"
      "KERNEL void second(GLOBAL_MEM DTYPE *x, ga_size off, ga_float c) {\n"
      "  x[off / 4 + LID_0] *= c;\n}\n";
  const size_t one = 1;
  const float half = 0.5f;
  GpuLaunch *l = open_both();
  GpuKernelFile *f;

  (void)state;
  assert_ok(GpuKernelFile_parse(&f, "two.kernels", text, sizeof text - 1));
  GpuLaunch_define(l, "#define DTYPE float\n");
  GpuLaunch_call(l, GpuKernelFile_find(f, "first"), 1, &one, &n, 0,
                 (void *[]){&z, &n});
  GpuLaunch_call(l, GpuKernelFile_kernel(f, 1), 1, &one, &n, 0,
                 (void *[]){&z, NULL, (void *)&half});
  assert_ok(GpuLaunch_close(&l, l));
  GpuKernelFile_free(f); /* the launch has what it needs */
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){5.5f, 6, 6.5f, 7, 7.5f});
  GpuLaunch_free(l);
}

static void plain_text_has_all_names(void **state) {
  GpuLaunch *l;

  (void)state;
  assert_ok(record(&l, &plain, NULL));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){2, 4, 6, 8, 10});
  GpuLaunch_free(l);
}

static void a_launch_has_several_kernels(void **state) {
  GpuLaunch *l = open_both();
  GpuLaunchStats st;

  (void)state;
  GpuLaunch_define(l, "#define FACTOR 5\n");
  GpuLaunch_scall(l, &scale, 1, &n, 0, (void *[]){&x, NULL, &z, NULL, &n});
  GpuLaunch_scall(l, &plain, 1, &n, 0, (void *[]){&z, &z, &n});
  GpuLaunch_cost(l, 40, 10);
  assert_ok(GpuLaunch_close(&l, l));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){10, 20, 30, 40, 50});
  assert_ok(GpuLaunch_stats(l, &st));
  assert_int_equal(st.kernels, 2);
  assert_int_equal((int)st.bytes, 40);
  GpuLaunch_free(l);
}

/* One group that turns n floats round through local memory. */
static void local_memory_is_dynamic(void **state) {
  test_need_group(N);
  test_need_local(N * sizeof(float));

  static const int types[] = {GA_BUFFER, GA_OFFSET, GA_FLOAT};
  const GpuKernelSpec turn = {
      .name = "turn",
      .code = "KERNEL void turn(GLOBAL_MEM ga_float *z, ga_size off, ga_float a"
              " GA_DECL_SHARED_PARAM(ga_float, s)) {\n"
              "  GA_DECL_SHARED_BODY(ga_float, s)\n"
              "  s[LID_0] = z[LID_0] + a;\n"
              "  local_barrier();\n"
              "  z[LID_0] = s[LDIM_0 - 1 - LID_0];\n"
              "}\n",
      .n_types = 3,
      .types = types};
  const size_t one = 1;
  GpuLaunch *l = GpuLaunch_open(test_context(), "turn", 0, NULL);
  float a = 10;

  (void)state;
  /* z has no slot: it stays, even after the caller has cleared it. */
  GpuLaunch_call(l, &turn, 1, &one, &n, N * sizeof(float),
                 (void *[]){&z, NULL, &a});
  a = 77; /* copied */
  assert_ok(GpuLaunch_close(&l, l));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){15, 14, 13, 12, 11});
  GpuLaunch_free(l);
}

static void nothing_to_do_is_no_error(void **state) {
  GpuLaunch *l;

  (void)state;
  n = 0;
  assert_ok(record(&l, &plain, NULL));
  n = N;
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, five);
  GpuLaunch_free(l);
}

static void many_launches_share_a_program(void **state) {
  gpucontext_counters before, after;
  GpuLaunch *l;

  (void)state;
  assert_ok(record(&l, &scale, "#define FACTOR 7\n"));
  GpuLaunch_free(l);
  assert_ok(gpucontext_count(test_context(), &before));
  for (int i = 0; i < 1000; i++) {
    assert_ok(record(&l, &scale, "#define FACTOR 7\n"));
    GpuLaunch_free(l);
  }
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.programs_built, before.programs_built);
  assert_int_equal(after.programs_reused, before.programs_reused + 1000);
}

/* --- kernels compiled elsewhere --- */

static cl_program build_elsewhere(cl_context c) {
  cl_int err;
  cl_program p =
      clCreateProgramWithSource(c, 1, (const char *[]){plain.code}, NULL, &err);

  assert_int_equal(err, CL_SUCCESS);
  assert_int_equal(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_SUCCESS);
  return p;
}

static void foreign_kernels_run(void **state) {
  cl_program p = build_elsewhere(ga__ctx_cl(test_context()));
  cl_kernel k = clCreateKernel(p, "twice", NULL);
  GpuKernelSpec by_name = plain, by_kernel = plain;
  GpuLaunch *l, *m;

  (void)state;
  by_name.code = by_kernel.code = by_kernel.name = NULL;
  by_name.program = p;
  by_kernel.kernel = k;
  assert_ok(record(&l, &by_name, NULL));
  assert_ok(record(&m, &by_kernel, NULL));
  clReleaseKernel(k);
  clReleaseProgram(p);
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){2, 4, 6, 8, 10});
  assert_ok(GpuLaunch_bind(m, 0, z.data, 0));
  assert_ok(GpuLaunch_run(m));
  test_array_equal(&z, (float[]){4, 8, 12, 16, 20});
  assert_null(GpuLaunch_source(l, 0));
  GpuLaunch_free(l);
  GpuLaunch_free(m);
}

static void foreign_binaries_run(void **state) {
  cl_context c = ga__ctx_cl(test_context());
  cl_device_id d = ga__ctx_device(test_context());
  cl_program p = build_elsewhere(c);
  GpuKernelSpec k = plain;
  size_t size = 0;
  GpuLaunch *l;
  cl_int err;

  (void)state;
  clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  unsigned char *bytes = malloc(size);
  clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
  clReleaseProgram(p);
  k.program = clCreateProgramWithBinary(
      c, 1, &d, &size, (const unsigned char *[]){bytes}, NULL, &err);
  assert_int_equal(err, CL_SUCCESS);
  assert_int_equal(clBuildProgram(k.program, 0, NULL, "", NULL, NULL),
                   CL_SUCCESS);
  free(bytes);
  k.code = NULL;
  assert_ok(record(&l, &k, NULL));
  clReleaseProgram(k.program);
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&z, (float[]){2, 4, 6, 8, 10});
  GpuLaunch_free(l);
}

static void foreign_kernels_of_other_contexts_are_refused(void **state) {
  cl_device_id d = ga__ctx_device(test_context());
  cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
  GpuKernelSpec by_name = plain;

  (void)state;
  by_name.program = build_elsewhere(c);
  refused(&by_name, GA_VALUE_ERROR, "kernel twice is of another context");
  clReleaseProgram(by_name.program);
  clReleaseContext(c);
}

/* --- work of the host --- */

typedef struct counter {
  int runs, drops, code;
} counter;

static int count(void *state, gpucontext *ctx, gpudata *const *bufs,
                 const size_t *offs) {
  counter *c = state;

  assert_ptr_equal(ctx, test_context());
  assert_ptr_equal(bufs[1], z.data);
  assert_int_equal(offs[1], 0);
  c->runs++;
  return c->code;
}

static void drop(void *state) {
  ((counter *)state)->drops++;
}

static void the_host_takes_its_turn(void **state) {
  counter c = {0, 0, GA_NO_ERROR};
  GpuLaunch *l = open_both();
  GpuLaunchStats st;

  (void)state;
  GpuLaunch_host(l, count, &c, drop, "me");
  assert_ok(GpuLaunch_close(&l, l));
  assert_ok(GpuLaunch_run(l));
  c.code = GA_MISC_ERROR;
  assert_code(GA_MISC_ERROR, GpuLaunch_run(l));
  assert_ok(GpuLaunch_stats(l, &st));
  assert_string_equal(st.provider, "me");
  assert_int_equal(c.runs, 2);
  assert_int_equal(c.drops, 0);
  GpuLaunch_free(l);
  assert_int_equal(c.drops, 1);
}

/* --- what is refused --- */

static void types_must_fit_the_kernel(void **state) {
  static const int few[] = {GA_BUFFER, GA_BUFFER};
  static const int swapped[] = {GA_BUFFER, GA_SIZE, GA_BUFFER};
  static const int alone[] = {GA_BUFFER, GA_OFFSET, GA_BUFFER, GA_SIZE,
                              GA_OFFSET};
  static const int odd[] = {GA_BUFFER, GA_OFFSET, GA_BUFFER, GA_OFFSET, 99};
  static const int narrow[] = {GA_BUFFER, GA_BUFFER, GA_INT};
  GpuKernelSpec k = plain;

  (void)state;
  k.types = few;
  k.n_types = 1;
  refused(&k, GA_VALUE_ERROR, "kernel twice takes 3 arguments, but 1 types");
  k.types = swapped;
  k.n_types = 3;
  refused(&k, GA_VALUE_ERROR,
          "kernel twice, argument 1: declared as a value, but the kernel takes "
          "a pointer");
  k = scale;
  k.types = alone;
  refused(&k, GA_VALUE_ERROR, "argument 4: an offset needs a buffer");
  k.types = odd;
  refused(&k, GA_VALUE_ERROR, "argument 4: no type 99");
  k = plain;
  k.types = narrow;
  refused(&k, GA_VALUE_ERROR,
          "argument 2: declared as int32, but the kernel takes uint64");
}

static void an_offset_needs_an_argument(void **state) {
  GpuLaunch *l;
  GpuArray whole = x;

  (void)state;
  assert_ok(GpuArray_index(&x, &whole, (ssize_t[]){1}, (ssize_t[]){5},
                           (ssize_t[]){1}));
  refused(&plain, GA_COPY_ERROR, "starts at offset 4, but the kernel takes no");
  GpuArray_clear(&x);
  x = whole;
  assert_ok(record(&l, &plain, NULL));
  assert_code(GA_UNALIGNED_ERROR, GpuLaunch_bind(l, 0, z.data, 4));
  GpuLaunch_free(l);
}

static void a_build_failure_shows_the_text(void **state) {
  GpuKernelSpec k = scale;

  (void)state;
  k.code = "KERNEL void scale(\n  int a) { nonsense; }\n";
  refused(&k, GA_IMPL_ERROR, "  int a) { nonsense; }");
  assert_message(GA_IMPL_ERROR, "build log:");
  k.name = "other";
  k.code = scale.code;
  refused(&k, GA_VALUE_ERROR, "clCreateKernel(\"other\")");
  k.name = NULL;
  refused(&k, GA_VALUE_ERROR, "a kernel without name");
}

static void the_first_error_is_the_news(void **state) {
  GpuLaunch *l = open_both();
  const size_t two[2] = {1, 1};

  (void)state;
  assert_code(GA_UNSUPPORTED_ERROR,
              GpuLaunch_scall(l, &plain, 2, two, 0, NULL));
  assert_code(GA_UNSUPPORTED_ERROR,
              GpuLaunch_call(l, &plain, 4, two, two, 0, NULL));
  assert_code(GA_UNSUPPORTED_ERROR, GpuLaunch_define(l, ""));
  assert_code(GA_UNSUPPORTED_ERROR, GpuLaunch_close(&l, l));
  assert_code(GA_MEMORY_ERROR, GpuLaunch_close(&l, NULL));
}

static void failed_allocations_leave_nothing(void **state) {
  GpuLaunch *l;
  counter c = {0, 0, GA_NO_ERROR};
  long i;
  int err = GA_MEMORY_ERROR;

  (void)state;
  assert_ok(record(&l, &scale, "#define FACTOR 2\n")); /* compile */
  GpuLaunch_free(l);
  long live = ga__alloc_live();
  for (i = 1; err != GA_NO_ERROR; i++) {
    c.drops = 0;
    ga__alloc_fail(i, 0);
    l = open_both();
    GpuLaunch_define(l, "#define FACTOR 2\n");
    GpuLaunch_scall(l, &scale, 1, &n, 0, (void *[]){&x, NULL, &z, NULL, &n});
    GpuLaunch_host(l, count, &c, drop, "me");
    err = GpuLaunch_close(&l, l);
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_null(l);
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_int_equal(c.drops, 1);
      assert_int_equal(ga__alloc_live(), live);
    }
  }
  GpuLaunch_free(l);
  assert_true(i > 8);
}

static void names_of_types(void **state) {
  (void)state;
  assert_string_equal(gpuarray_ctype(GA_HALF), "ga_half");
  assert_string_equal(gpuarray_ctype(gpuarray_work_dtype(GA_HALF)), "ga_float");
  assert_string_equal(gpuarray_ctype(gpuarray_work_dtype(GA_INT)), "ga_int");
  assert_string_equal(gpuarray_ctype(-5), "");
  assert_string_equal(gpuarray_load_w(GA_HALF), "ga_half2float");
  assert_string_equal(gpuarray_write_w(GA_HALF), "ga_float2half");
  assert_string_equal(gpuarray_ctype(GA_BFLOAT), "ga_bfloat");
  assert_string_equal(gpuarray_load_w(GA_BFLOAT), "ga_bfloat2float");
  assert_string_equal(gpuarray_write_w(GA_BFLOAT), "ga_float2bfloat");
  assert_int_equal(gpuarray_work_dtype(GA_BFLOAT), GA_FLOAT);
  assert_string_equal(gpuarray_load_w(GA_FLOAT), "");
  assert_string_equal(gpuarray_write_w(GA_DOUBLE), "");
}

#define DEVICE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* SPIR-V is refused with a reason: bytes that are none by all, modules by
 * devices that take none, and an empty module by those that do. */
static void spirv(void **state) {
  const uint32_t module[5] = {0x07230203, 0x00010000, 0, 1, 0};
  gpuopencl handles;
  cl_program p;
  char il[64] = "";

  (void)state;
  assert_ok(gpucontext_opencl(test_context(), &handles));
  assert_code(GA_VALUE_ERROR,
              gpucontext_spirv(&p, test_context(), "kernel void", 12));
  assert_message(GA_VALUE_ERROR, "12 bytes that are not SPIR-V");
  assert_code(GA_VALUE_ERROR, gpucontext_spirv(&p, test_context(), NULL, 0));
  assert_code(GA_VALUE_ERROR, gpucontext_spirv(&p, test_context(), module, 19));
  assert_code(GA_INVALID_ERROR, gpucontext_spirv(&p, NULL, module, 20));
  int err = gpucontext_spirv(&p, test_context(), module, sizeof module);
  assert_int_not_equal(err, GA_NO_ERROR);
  assert_null(p);
  if (clGetDeviceInfo(handles.device, 0x105B, sizeof il, il, NULL) !=
          CL_SUCCESS ||
      strstr(il, "SPIR-V") == NULL) {
    assert_int_equal(err, GA_DEVSUP_ERROR);
    assert_message(GA_DEVSUP_ERROR, "the device takes no SPIR-V");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      DEVICE_TEST(a_call_follows_its_slots),
      DEVICE_TEST(definitions_add_up),
      DEVICE_TEST(kernels_of_files_run),
      DEVICE_TEST(plain_text_has_all_names),
      DEVICE_TEST(a_launch_has_several_kernels),
      DEVICE_TEST(local_memory_is_dynamic),
      DEVICE_TEST(nothing_to_do_is_no_error),
      DEVICE_TEST(many_launches_share_a_program),
      DEVICE_TEST(foreign_kernels_run),
      DEVICE_TEST(foreign_binaries_run),
      DEVICE_TEST(foreign_kernels_of_other_contexts_are_refused),
      DEVICE_TEST(the_host_takes_its_turn),
      DEVICE_TEST(types_must_fit_the_kernel),
      DEVICE_TEST(an_offset_needs_an_argument),
      DEVICE_TEST(a_build_failure_shows_the_text),
      DEVICE_TEST(the_first_error_is_the_news),
      DEVICE_TEST(failed_allocations_leave_nothing),
      cmocka_unit_test(names_of_types),
      cmocka_unit_test(spirv),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
