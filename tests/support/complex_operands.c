/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/complex_operands.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "support/graph_case.h"
#include "support/lcg.h"

number complex_of(double re, double im) {
  const double parts[2] = {re, im};
  number value;

  memcpy(&value, parts, sizeof value);
  return value;
}

static const size_t whole_dims[] = {ROWS, COLS}, row_dims[] = {1, COLS},
                    column_dims[] = {ROWS, 1};

/* Store `v` in a complex or real dtype. */
static void store(int dtype, char *to, number v) {
  const int part = ga__dtype_real(dtype);

  ga__dtype_from_double(dtype, to, creal(v));
  if (ga__dtype_is_complex(dtype))
    ga__dtype_from_double(part, to + ga__dtype_size(part), cimag(v));
}

static number load(int dtype, const char *from) {
  const int part = ga__dtype_real(dtype);

  return CMPLX(ga__dtype_to_double(part, from),
               ga__dtype_is_complex(dtype)
                   ? ga__dtype_to_double(part, from + ga__dtype_size(part))
                   : 0);
}

static void write_array(GpuArray *to, int dtype, size_t nd, const size_t *dims,
                        const number *v) {
  char bytes[16 * ROWS * COLS];
  size_t n = 1;

  for (size_t i = 0; i < nd; i++)
    n *= dims[i];
  for (size_t i = 0; i < n; i++)
    store(dtype, bytes + i * ga__dtype_size(dtype), v[i]);
  GpuArray_clear(to);
  assert_ok(GpuArray_empty(to, test_context(), dtype, (unsigned int)nd, dims,
                           GA_C_ORDER));
  assert_ok(GpuArray_write(to, bytes, n * ga__dtype_size(dtype)));
}

void complex_read(const GpuArray *from, number *v, size_t n) {
  const size_t bytes = ga__dtype_size(from->typecode);
  char data[16 * ROWS * COLS];

  assert_true(n * bytes <= sizeof data);
  assert_ok(GpuArray_read(data, n * bytes, from));
  for (size_t i = 0; i < n; i++)
    v[i] = load(from->typecode, data + i * bytes);
}

static double draw(uint64_t *s) {
  return (double)lcg_below(s, 4000) / 1000 - 2 + 0.0005;
}

void operands_init(operands *o, int dtype) {
  uint64_t s = 7;

  memset(o, 0, sizeof *o);
  o->dtype = dtype;
  o->part = ga__dtype_real(dtype);
  o->z = gg_input(g, "z", dtype, 2);
  o->w = gg_input_sized(g, "w", dtype, 2, (int64_t[]){1, COLS});
  o->r = gg_input_sized(g, "r", o->part, 2, (int64_t[]){ROWS, 1});
  for (size_t i = 0; i < ROWS * COLS; i++)
    o->z_at[i] = (float)draw(&s) + (float)draw(&s) * I;
  for (size_t i = 0; i < COLS; i++)
    o->w_at[i] = (float)draw(&s) + (float)draw(&s) * I;
  for (size_t i = 0; i < ROWS; i++)
    o->r_at[i] = (float)(1.5 + draw(&s) / 4);
  write_array(&o->arrays[0], dtype, 2, whole_dims, o->z_at);
  write_array(&o->arrays[1], dtype, 2, row_dims, o->w_at);
  write_array(&o->arrays[2], o->part, 2, column_dims,
              (number[]){o->r_at[0], o->r_at[1]});
}

void operands_clear(operands *o) {
  for (size_t i = 0; i < 3; i++)
    GpuArray_clear(&o->arrays[i]);
}

GpuArray *const *arguments(operands *o) {
  static GpuArray *list[3];

  for (size_t i = 0; i < 3; i++)
    list[i] = &o->arrays[i];
  return list;
}

void assert_complex(const char *name, number got, number want,
                    double tolerance) {
  if (!(cabs(got - want) <= tolerance * fmax(1, cabs(want))))
    fail_msg("%s: got %.9g%+.9gj, expected %.9g%+.9gj", name, creal(got),
             cimag(got), creal(want), cimag(want));
}
