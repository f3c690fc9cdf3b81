/* SPDX-License-Identifier: BSD-2-Clause */
/* The Mandelbrot set: for each point c of a complex plane, the number of
 * iterations of z <- z^2 + c, from 0, until |z| exceeds 2:
 *
 *   mandelbrot [columns]
 *
 * The plane is a column of imaginary and a row of real parts. The counts are
 * printed as characters and compared with a loop of the host. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 60, MAX_COLUMNS = 4096 };
static const double left = -2.2, right = 0.8, bottom = -1.2, top = 1.2;

/* `n` numbers from `first` to `last`. */
static gg_var *between(gg_graph *g, double first, double last, gg_var *n) {
  return gg_linspace(gg_f32(g, (float)first), gg_f32(g, (float)last), n);
}

/* Counts, float32 [rows, columns], of sizes that are known at the call. */
static gg_var *build(gg_graph *g, gg_var *rows, gg_var *columns) {
  gg_var *x = between(g, left, right, columns);
  gg_var *y = between(g, bottom, top, rows);
  gg_var *c = gg_complex(x, gg_dimshuffle(y, 2, (const int[]){0, -1}));
  gg_scan *s = gg_scan_open(g);
  gg_var *z = gg_scan_state(s, gg_zeros_like(c));
  gg_var *count = gg_scan_state(s, gg_real(gg_zeros_like(c)));
  gg_var *inside = gg_le(gg_abs(z), gg_f32(g, 2));

  gg_scan_next(s, z, gg_where(inside, gg_add(gg_sqr(z), c), z));
  gg_scan_next(s, count, gg_add(count, gg_cast(inside, GA_FLOAT)));
  gg_scan_steps(s, gg_i64(g, ITERATIONS));
  gg_scan_close(s);
  count = gg_scan_last(s, count);
  gg_scan_free(s);
  return count;
}

static int count_on_host(double cr, double ci) {
  double re = 0, im = 0;
  int n = 0;

  for (; n < ITERATIONS && re * re + im * im <= 4; n++) {
    const double next = re * re - im * im + cr;
    im = 2 * re * im + ci;
    re = next;
  }
  return n;
}

/* Print the counts. Fails if more than one point in fifty differs from the
 * host's, which computes in double precision. */
static int show(const float *count, size_t rows, size_t columns) {
  size_t wrong = 0;

  for (size_t i = 0; i < rows; i++, putchar('\n'))
    for (size_t j = 0; j < columns; j++) {
      const double x =
          left + (right - left) * (double)j / (double)(columns - 1);
      const double y = bottom + (top - bottom) * (double)i / (double)(rows - 1);
      const int n = (int)count[i * columns + j];

      putchar(n == ITERATIONS ? '#' : n > 12 ? '*' : n > 6 ? '+' : '.');
      wrong += n != count_on_host(x, y);
    }
  printf("%zu of %zu points differ from the host's\n", wrong, rows * columns);
  return 50 * wrong > rows * columns;
}

static int compute(gg_graph *g, size_t rows, size_t columns) {
  gg_var *count =
      build(g, gg_i64(g, (int64_t)rows), gg_i64(g, (int64_t)columns));
  float *host = malloc(rows * columns * sizeof *host);
  gg_func *f = NULL;
  GpuArray out = {0};

  int err = gg_func_new(&f, g, &(gg_func_spec){.outputs = GG_VARS(count)});
  if (err == GA_NO_ERROR)
    err = gg_func_call(f, NULL, (GpuArray *[]){&out});
  if (err == GA_NO_ERROR && host == NULL)
    err = GA_MEMORY_ERROR;
  if (err == GA_NO_ERROR)
    err = GpuArray_read(host, rows * columns * sizeof *host, &out);
  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s%s\n", gg_graph_error(g), f ? gg_func_error(f) : "");
  else
    err = show(host, rows, columns);
  GpuArray_clear(&out);
  gg_func_free(f);
  free(host);
  return err;
}

int main(int argc, char **argv) {
  const long columns = argc > 1 ? strtol(argv[1], NULL, 10) : 78;
  gpucontext *ctx = NULL;

  if (columns < 2 || columns > MAX_COLUMNS) {
    fprintf(stderr, "expected 2 to %d columns\n", MAX_COLUMNS);
    return 2;
  }
  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "no OpenCL device: skipped\n");
    return 77;
  }
  gg_graph *g = gg_graph_new(ctx);
  int err = compute(g, (size_t)columns * 2 / 5 + 2, (size_t)columns);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return err != 0;
}
