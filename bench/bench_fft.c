/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms in float32, as GB/s of one read and one write, each beside
 * a copy and, on a CPU, beside FFTW with the threads of OMP_NUM_THREADS (2 if
 * that is not set), if its library is there, else beside PyTorch. Arrays have
 * 2^22 numbers in all, or the first argument; a second one leaves out lines
 * whose name does not contain it. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/fft.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "launched.h"
#include "peer.h"

enum { REPS = 9, MOST_REPS = 500, LARGE = 1 << 21 /* numbers */ };

/* --- problems --- */

typedef struct problem {
  const char *name;
  size_t lines;   /* 0: as many as fit */
  size_t rows, n; /* of a transform; one row for those of one axis */
  int is_real;
} problem;

static const problem problems[] = {
    {"one line of 2^10", 1, 1, 1 << 10, 0},
    {"one line of 2^14", 1, 1, 1 << 14, 0},
    {"one line of 2^16", 1, 1, 1 << 16, 0},
    {"one line of 2^18", 1, 1, 1 << 18, 0},
    {"one line of 2^20", 1, 1, 1 << 20, 0},
    {"one line of 2^22", 1, 1, 1 << 22, 0},
    {"one line of 2^24", 1, 1, 1 << 24, 0},
    {"lines of 2^6", 0, 1, 1 << 6, 0},
    {"lines of 2^8", 0, 1, 1 << 8, 0},
    {"lines of 2^10", 0, 1, 1 << 10, 0},
    {"lines of 2^12", 0, 1, 1 << 12, 0},
    {"lines of 2^14", 0, 1, 1 << 14, 0},
    {"lines of 2^16", 0, 1, 1 << 16, 0},
    {"lines of 2^18", 0, 1, 1 << 18, 0},
    {"lines of 1000", 0, 1, 1000, 0},
    {"lines of 1009, a prime", 0, 1, 1009, 0},
    {"a line of 65537, a prime", 1, 1, 65537, 0},
    {"planes of 256 x 256", 0, 256, 256, 0},
    {"planes of 2048 x 2048", 0, 2048, 2048, 0},
    {"a plane of 2^10 x 2^10", 1, 1 << 10, 1 << 10, 0},
    {"real lines of 2^10", 0, 1, 1 << 10, 1},
    {"real lines of 2^14", 0, 1, 1 << 14, 1},
    {"a real line of 2^20", 1, 1, 1 << 20, 1},
};

/* --- FFTW --- */

typedef float pair[2];
typedef struct fftw {
  void *(*plan)(int rank, const int *n, int lines, pair *x, const int *x_sizes,
                int x_step, int x_line, pair *y, const int *y_sizes, int y_step,
                int y_line, int sign, unsigned int flags);
  void *(*plan_real)(int rank, const int *n, int lines, float *x,
                     const int *x_sizes, int x_step, int x_line, pair *y,
                     const int *y_sizes, int y_step, int y_line,
                     unsigned int flags);
  void (*execute)(void *plan);
  void (*destroy)(void *plan);
  int is_there;
} fftw;

/* ISO C has no conversion from an object's pointer to a function's. */
static int find(void *lib, const char *name, void *to) {
  void *const symbol = lib != NULL ? dlsym(lib, name) : NULL;

  memcpy(to, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void open_fftw(fftw *f) {
  void *const threads =
      dlopen("libfftw3f_threads.so.3", RTLD_NOW | RTLD_GLOBAL);
  void *const lib = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_GLOBAL);
  const char *const wanted = getenv("OMP_NUM_THREADS");
  int (*init)(void);
  void (*set)(int);

  f->is_there = find(lib, "fftwf_plan_many_dft", &f->plan) &&
                find(lib, "fftwf_plan_many_dft_r2c", &f->plan_real) &&
                find(lib, "fftwf_execute", &f->execute) &&
                find(lib, "fftwf_destroy_plan", &f->destroy) &&
                find(threads, "fftwf_init_threads", &init) &&
                find(threads, "fftwf_plan_with_nthreads", &set) && init();
  if (f->is_there)
    set(wanted != NULL && atoi(wanted) > 0 ? atoi(wanted) : 2);
  else
    printf("no FFTW: libfftw3f is not there\n");
}

/* --- one problem --- */

typedef struct bench_state {
  gpucontext *ctx;
  int is_cpu;
  fftw fftw;
  const problem *p;
  size_t lines, count; /* of x */
  size_t x_floats, y_floats;
  float *x_host, *y_host;
  void *plan; /* of FFTW */
  GpuArray x, y, copied;
  bench_launched ours;
} bench_state;

static size_t halved(const problem *p) {
  return p->is_real ? p->n / 2 + 1 : p->n;
}

/* Memory of the host for FFTW, whose plans overwrite it, then x. */
static int make_host(bench_state *s) {
  const problem *p = s->p;
  const int n[2] = {(int)p->rows, (int)p->n}, rank = p->rows > 1 ? 2 : 1;
  const int *const sizes = n + 2 - rank;
  const int each = (int)(p->rows * p->n), half = (int)(p->rows * halved(p));

  s->x_host = malloc(s->x_floats * sizeof *s->x_host);
  s->y_host = malloc(s->y_floats * sizeof *s->y_host);
  if (s->x_host == NULL || s->y_host == NULL)
    return ga__fail_nomem();
  if (s->fftw.is_there)
    s->plan =
        p->is_real
            ? s->fftw.plan_real(rank, sizes, (int)s->lines, s->x_host, NULL, 1,
                                each, (pair *)s->y_host, NULL, 1, half, 0)
            : s->fftw.plan(rank, sizes, (int)s->lines, (pair *)s->x_host, NULL,
                           1, each, (pair *)s->y_host, NULL, 1, each, -1, 0);
  for (size_t i = 0; i < s->x_floats; i++)
    s->x_host[i] = (float)(i * 7919 % 1009) / 1009 - 0.5f;
  return GA_NO_ERROR;
}

static int make_arrays(bench_state *s) {
  static const unsigned int axes[] = {1, 2};
  const problem *p = s->p;
  const size_t x[3] = {s->lines, p->rows, p->n};
  const size_t y[3] = {s->lines, p->rows, halved(p)};
  const int dtype = p->is_real ? GA_FLOAT : GA_CFLOAT;
  const int is_plane = p->rows > 1;

  GA_TRY(GpuArray_empty(&s->x, s->ctx, dtype, 3, x, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->copied, s->ctx, dtype, 3, x, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->y, s->ctx, GA_CFLOAT, 3, y, GA_C_ORDER));
  GA_TRY(GpuArray_write(&s->x, s->x_host, s->x_floats * sizeof *s->x_host));
  s->ours.result = &s->y;
  return GpuArray_fft_prepare(&s->ours.launch, &s->y, &s->x, is_plane ? 2 : 1,
                              is_plane ? axes : axes + 1, NULL, 0);
}

/* Element [row, k] of the transform of a line. */
static void sum(const bench_state *s, size_t line, size_t row, size_t k,
                double *want) {
  const problem *p = s->p;
  const float *x = s->x_host + line * p->rows * p->n * (p->is_real ? 1 : 2);

  want[0] = want[1] = 0;
  for (size_t i = 0; i < p->rows; i++)
    for (size_t j = 0; j < p->n; j++, x += p->is_real ? 1 : 2) {
      const double turns = (double)(i * row % p->rows) / (double)p->rows +
                           (double)(j * k % p->n) / (double)p->n;
      const double angle = -4 * acos(0) * turns;

      want[0] += x[0] * cos(angle) - (p->is_real ? 0 : x[1] * sin(angle));
      want[1] += x[0] * sin(angle) + (p->is_real ? 0 : x[1] * cos(angle));
    }
}

/* Some elements of the first and the last line. */
static int check(bench_state *s) {
  const problem *p = s->p;
  const size_t half = halved(p);
  const double limit = 1e-5 * sqrt((double)(p->rows * p->n));

  GA_TRY(bench_run(&s->ours));
  GA_TRY(GpuArray_read(s->y_host, s->y_floats * sizeof *s->y_host, &s->y));
  for (size_t i = 0; i < 6; i++) {
    const size_t line = i % 2 * (s->lines - 1);
    const size_t row = (i * 101 + 7) % p->rows, k = (i * 211 + 5) % half;
    const float *got = s->y_host + 2 * ((line * p->rows + row) * half + k);
    double want[2];

    sum(s, line, row, k, want);
    if (!(fabs(got[0] - want[0]) < limit && fabs(got[1] - want[1]) < limit))
      return ga__fail(GA_VALUE_ERROR,
                      "%s, element %zu: %g + %g i, not %g + %g i", p->name, k,
                      (double)got[0], (double)got[1], want[0], want[1]);
  }
  return GA_NO_ERROR;
}

static int copy(void *state) {
  bench_state *s = state;

  GA_TRY(GpuArray_move(&s->copied, &s->x));
  return GpuArray_sync(&s->copied);
}

static int peer(void *state) {
  bench_state *s = state;

  s->fftw.execute(s->plan);
  return GA_NO_ERROR;
}

static void report(bench_state *s) {
  const double bytes = 4 * (double)(s->x_floats + s->y_floats);
  const double copied_bytes = 8 * (double)s->x_floats;
  const size_t more = LARGE / (s->lines * s->p->rows * s->p->n);
  const int reps = more < 1                  ? REPS
                   : more * REPS > MOST_REPS ? MOST_REPS
                                             : (int)more * REPS;
  char name[64];
  bench_time ours, other;

  bench_pair(bench_run, &s->ours, copy, s, reps, &ours, &other);
  snprintf(name, sizeof name, "%s, copy", s->p->name);
  bench_print(name, bytes / ours.median / 1e9, "GB/s",
              copied_bytes / other.median / 1e9);
  if (!s->is_cpu) {
    const double us =
        peer_us("ops_torch.py cuda %s %zu %zu %zu",
                s->p->is_real ? "rfft" : "fft", s->lines, s->p->rows, s->p->n);

    snprintf(name, sizeof name, "%s, PyTorch", s->p->name);
    if (us > 0)
      bench_print(name, bytes / ours.median / 1e9, "GB/s", bytes / us / 1e3);
  }
  if (s->plan == NULL)
    return;
  bench_pair(bench_run, &s->ours, peer, s, reps, &ours, &other);
  snprintf(name, sizeof name, "%s, FFTW", s->p->name);
  bench_print(name, bytes / ours.median / 1e9, "GB/s",
              bytes / other.median / 1e9);
}

static int measure(bench_state *s, const problem *p, size_t most) {
  const size_t each = p->rows * p->n;
  int err;

  if (p->lines * each > most || each > most)
    return GA_NO_ERROR;
  s->p = p;
  s->lines = p->lines > 0 ? p->lines : most / each;
  s->x_floats = s->lines * each * (p->is_real ? 1 : 2);
  s->y_floats = s->lines * p->rows * halved(p) * 2;
  GA_CHECK(make_host(s));
  GA_CHECK(make_arrays(s));
  GA_CHECK(check(s));
  report(s);

done:
  if (s->plan != NULL)
    s->fftw.destroy(s->plan);
  GpuLaunch_free(s->ours.launch);
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->y);
  GpuArray_clear(&s->copied);
  free(s->x_host);
  free(s->y_host);
  *s = (bench_state){.ctx = s->ctx, .is_cpu = s->is_cpu, .fftw = s->fftw};
  return err;
}

int main(int argc, char **argv) {
  const size_t most = bench_size(argc, argv, (size_t)1 << 22);
  bench_state s = {0};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  s.is_cpu = gpucontext_caps(s.ctx)->is_cpu;
  if (s.is_cpu)
    open_fftw(&s.fftw);
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    if (argc < 3 || strstr(problems[i].name, argv[2]) != NULL)
      bench_need(measure(&s, &problems[i], most), problems[i].name);
  gpucontext_deref(s.ctx);
  return 0;
}
