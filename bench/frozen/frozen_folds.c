/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums and maxima. The interface has no call for them: clients bring a kernel,
 * a group of work-items for each result. */
#include "frozen.h"

#include <math.h>
#include <stddef.h>

enum { GROUP = 64 };

static const char text[] =
    "#include \"cluda.h\"\n"
    "KERNEL void fold(GLOBAL_MEM ga_float *x, ga_size x_off,\n"
    "                 GLOBAL_MEM ga_float *z, ga_size z_off, ga_size n,\n"
    "                 ga_size step, ga_size next) {\n"
    "  LOCAL_MEM ga_float part[64];\n"
    "  ga_float v = 0;\n"
    "  ga_size k;\n"
    "  x = (GLOBAL_MEM ga_float *)((GLOBAL_MEM char *)x + x_off);\n"
    "  z = (GLOBAL_MEM ga_float *)((GLOBAL_MEM char *)z + z_off);\n"
    "  for (k = LID_0; k < n; k += LDIM_0)\n"
    "    v = FOLD(v, x[GID_0 * step + k * next]);\n"
    "  part[LID_0] = v;\n"
    "  local_barrier();\n"
    "  for (k = LDIM_0 / 2; k > 0; k /= 2) {\n"
    "    if (LID_0 < k)\n"
    "      part[LID_0] = FOLD(part[LID_0], part[LID_0 + k]);\n"
    "    local_barrier();\n"
    "  }\n"
    "  if (LID_0 == 0)\n"
    "    z[GID_0] = part[0];\n"
    "}\n";

static const char sum_text[] = "#define FOLD(a, b) ((a) + (b))\n";
static const char max_text[] = "#define FOLD(a, b) fmax(a, b)\n";

/* All of `axes` but the one that is kept; both: rows first, then the sums. */
enum { AXIS_0, AXIS_1, ALL };

static void set_up(frozen *f, const char *head, frozen_value value,
                   unsigned int what) {
  const char *parts[] = {head, text};
  const int types[] = {GA_BUFFER, GA_SIZE, GA_BUFFER, GA_SIZE,
                       GA_SIZE,   GA_SIZE, GA_SIZE};

  frozen_open(f);
  frozen_make(f, &f->x, GA_FLOAT, f->side, f->side, value);
  frozen_make(f, &f->z, GA_FLOAT, 1, what == ALL ? 1 : f->side, NULL);
  frozen_make(f, &f->w, GA_FLOAT, 1, f->side, NULL);
  f->axes[0] = what;
  frozen_need(f,
              GpuKernel_init(&f->kernel, f->ctx, 2, parts, NULL, "fold", 7,
                             types, 0, NULL),
              "kernel");
}

static int fold(frozen *f, GpuArray *from, GpuArray *to, size_t results,
                size_t step, size_t next) {
  size_t group = GROUP, n = f->side;
  void *args[] = {from->data, &from->offset, to->data, &to->offset,
                  &n,         &step,         &next};

  return GpuKernel_call(&f->kernel, 1, &results, &group, 0, args);
}

static int run(frozen *f) {
  if (f->axes[0] == AXIS_0)
    return fold(f, &f->x, &f->z, f->side, 1, f->side);
  if (f->axes[0] == AXIS_1)
    return fold(f, &f->x, &f->z, f->side, f->side, 1);
  int err = fold(f, &f->x, &f->w, f->side, f->side, 1);
  return err != GA_NO_ERROR ? err : fold(f, &f->w, &f->z, 1, 0, 1);
}

/* --- what is expected --- */

/* Element `k` of those that make result `j`. */
static double part_of(const frozen *f, frozen_value value, size_t j, size_t k) {
  return f->axes[0] == AXIS_0 ? value(f, k, j) : value(f, j, k);
}

static double sum_of(const frozen *f, size_t i, size_t j) {
  const size_t rows = f->axes[0] == ALL ? f->side : 1;
  double sum = 0;

  (void)i;
  for (size_t row = 0; row < rows; row++)
    for (size_t k = 0; k < f->side; k++)
      sum += part_of(f, frozen_x, j + row, k);
  return sum;
}

static double max_of(const frozen *f, size_t i, size_t j) {
  const size_t rows = f->axes[0] == ALL ? f->side : 1;
  double most = 0;

  (void)i;
  for (size_t row = 0; row < rows; row++)
    for (size_t k = 0; k < f->side; k++)
      most = fmax(most, part_of(f, frozen_mixed, j + row, k));
  return most;
}

static int check_sum(frozen *f) {
  return frozen_same(f, &f->z, sum_of, 1e-5);
}

static int check_max(frozen *f) {
  return frozen_same(f, &f->z, max_of, 0);
}

/* --- cases --- */

static void set_sum_all(frozen *f) {
  set_up(f, sum_text, frozen_x, ALL);
}

static void set_sum_columns(frozen *f) {
  set_up(f, sum_text, frozen_x, AXIS_0);
}

static void set_sum_rows(frozen *f) {
  set_up(f, sum_text, frozen_x, AXIS_1);
}

static void set_max_all(frozen *f) {
  set_up(f, max_text, frozen_mixed, ALL);
}

static void set_max_columns(frozen *f) {
  set_up(f, max_text, frozen_mixed, AXIS_0);
}

static void set_max_rows(frozen *f) {
  set_up(f, max_text, frozen_mixed, AXIS_1);
}

const frozen_case frozen_fold_cases[] = {
    {"sum by a kernel, all", FROZEN_LIMITED, 4, 1, set_sum_all, run, check_sum},
    {"sum by a kernel, axis 0", FROZEN_LIMITED, 4, 1, set_sum_columns, run,
     check_sum},
    {"sum by a kernel, axis 1", FROZEN_LIMITED, 4, 1, set_sum_rows, run,
     check_sum},
    {"max by a kernel, all", FROZEN_LIMITED, 4, 1, set_max_all, run, check_max},
    {"max by a kernel, axis 0", FROZEN_LIMITED, 4, 1, set_max_columns, run,
     check_max},
    {"max by a kernel, axis 1", FROZEN_LIMITED, 4, 1, set_max_rows, run,
     check_max},
    {NULL, FROZEN_GBPS, 0, 0, NULL, NULL, NULL},
};
