/* SPDX-License-Identifier: BSD-2-Clause */
/* A recurrent net that learns which character comes next in a text:
 *
 *   characters [text [steps]]
 *
 * Without arguments it reads the GNU General Public License where Debian keeps
 * it, and makes 150 steps. The loss in nats per character is log(96) = 4.56
 * without learning; the mere frequencies of characters give about 3. In the end
 * the net writes a line of its own.
 *
 * The loop holds only what depends on the step before: the part of the cell
 * that the characters give is one lookup before it, and the output layer one
 * product after it. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHARS = 96, UNITS = 96, STEPS = 24, BATCH = 32, LINE = 60 };
enum { U, W, V, B, PARAMS }; /* of characters, states, outputs; their bias */

/* End the program if a call failed. */
static void check(int err, const char *what) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "characters: %s: %s\n", what, gpuarray_error_text(err));
  exit(1);
}

/* Uniform random numbers in [0, 1). */
static float noise(void) {
  static uint32_t s = 1;
  s = s * 1664525u + 1013904223u;
  return (float)(s >> 8) / (1 << 24);
}

/* --- the text --- */

typedef struct text {
  unsigned char c[1 << 20]; /* printable characters are 0 .. 94, others 95 */
  size_t n;
} text;

static void read_text(text *t, const char *path) {
  FILE *f = fopen(path, "rb");
  t->n = f != NULL ? fread(t->c, 1, sizeof t->c, f) : 0;
  if (t->n < 1000) {
    fprintf(stderr, "characters: no text in %s: skipped\n", path);
    exit(77);
  }
  fclose(f);
  for (size_t i = 0; i < t->n; i++)
    t->c[i] = t->c[i] >= 32 && t->c[i] < 127 ? t->c[i] - 32 : 95;
}

/* Pieces of the text, and the characters that follow. */
static void cut(const text *t, int64_t x[STEPS][BATCH],
                int64_t y[STEPS][BATCH]) {
  for (int b = 0; b < BATCH; b++) {
    size_t at = (size_t)(noise() * (float)(t->n - STEPS - 1));
    for (int k = 0; k < STEPS; k++) {
      x[k][b] = t->c[at + (size_t)k];
      y[k][b] = t->c[at + (size_t)k + 1];
    }
  }
}

/* --- the net --- */

static gg_var *param(gg_graph *g, const char *name, size_t rows, size_t cols,
                     float scale) {
  static float v[CHARS * CHARS];
  for (size_t i = 0; i < rows * cols; i++)
    v[i] = scale * (2 * noise() - 1);
  return gg_shared_host(g, name, GA_FLOAT, 2, (size_t[]){rows, cols}, v);
}

/* What follows each character of x, [STEPS * BATCH] in the order of steps, as
 * logits. */
static gg_var *logits(gg_graph *g, gg_var *const *p, gg_var *x) {
  static const float zeros[BATCH * UNITS];
  gg_var *h0 = gg_constant(g, GA_FLOAT, 2, (size_t[]){BATCH, UNITS}, zeros);
  gg_var *in =
      gg_reshape(gg_take(p[U], x), 3, (int64_t[]){STEPS, BATCH, UNITS});
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, in, 0), *h = gg_scan_state(s, h0);
  gg_scan_next(s, h, gg_tanh(gg_add(row, gg_dot(h, p[W]))));
  gg_scan_close(s);
  gg_var *all =
      gg_reshape(gg_scan_all(s, h), 2, (int64_t[]){STEPS * BATCH, UNITS});
  gg_scan_free(s);
  return gg_add(gg_dot(all, p[V]), p[B]);
}

/* One step of gradient descent with momentum. Errors of building stick to the
 * graph and show up in gg_func_new. */
static gg_func *build(gg_graph *g, gg_var **p) {
  p[U] = param(g, "u", CHARS, UNITS, 0.3f);
  p[W] = param(g, "w", UNITS, UNITS, 0.1f);
  p[V] = param(g, "v", UNITS, CHARS, 0.1f);
  p[B] = param(g, "b", 1, CHARS, 0);
  gg_var *x = gg_input(g, "x", GA_LONG, 1), *y = gg_input(g, "y", GA_LONG, 1);
  gg_var *cost = gg_mean(gg_crossentropy(gg_softmax(logits(g, p, x)), y));
  gg_var *grad[PARAMS];
  gg_update updates[2 * PARAMS + 1] = {{NULL, NULL}};
  gg_func *f;
  gg_grad(grad, cost, PARAMS, p);
  for (int i = 0; i < PARAMS; i++) {
    gg_var *speed = param(g, "speed", i == B ? 1 : CHARS, CHARS, 0);
    gg_var *next = gg_add(gg_mul(speed, gg_f32(g, 0.9f)), grad[i]);
    updates[2 * i] = (gg_update){speed, next};
    updates[2 * i + 1] =
        (gg_update){p[i], gg_sub(p[i], gg_mul(gg_f32(g, 0.1f), next))};
  }
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.name = "train",
                                    .inputs = GG_VARS(x, y),
                                    .outputs = GG_VARS(cost),
                                    .updates = updates}),
        "compile");
  return f;
}

/* The mean loss of the last steps. */
static float train(gg_func *f, gpucontext *ctx, const text *t, int steps) {
  static int64_t x[STEPS][BATCH], y[STEPS][BATCH];
  const size_t n = STEPS * BATCH;
  GpuArray ax, ay, cost = {0};
  float loss, mean = 0;
  check(GpuArray_empty(&ax, ctx, GA_LONG, 1, &n, GA_C_ORDER), "memory");
  check(GpuArray_empty(&ay, ctx, GA_LONG, 1, &n, GA_C_ORDER), "memory");
  for (int i = 0; i < steps; i++) {
    cut(t, x, y);
    check(GpuArray_write(&ax, x, sizeof x), "write");
    check(GpuArray_write(&ay, y, sizeof y), "write");
    check(gg_func_call(f, (GpuArray *[]){&ax, &ay}, (GpuArray *[]){&cost}),
          "train");
    check(GpuArray_read(&loss, sizeof loss, &cost), "read");
    mean = i == 0 ? loss : 0.9f * mean + 0.1f * loss;
    if (i % 25 == 0 || i + 1 == steps)
      printf("step %4d: %.3f nats per character\n", i, (double)mean);
  }
  GpuArray_clear(&ax);
  GpuArray_clear(&ay);
  GpuArray_clear(&cost);
  return mean;
}

/* A loop that feeds itself: the likeliest next character is the next input. */
static void write_line(gg_graph *g, gg_var *const *p) {
  static const float zeros[UNITS];
  gg_scan *s = gg_scan_open(g);
  gg_var *c = gg_scan_state(
      s, gg_constant(g, GA_LONG, 1, (size_t[]){1}, (int64_t[]){'T' - 32}));
  gg_var *h = gg_scan_state(
      s, gg_constant(g, GA_FLOAT, 2, (size_t[]){1, UNITS}, zeros));
  gg_var *next = gg_tanh(gg_add(gg_take(p[U], c), gg_dot(h, p[W])));
  gg_scan_next(s, h, next);
  gg_scan_next(s, c, gg_argmax_axis(gg_add(gg_dot(next, p[V]), p[B]), 1));
  gg_scan_steps(s, gg_i64(g, LINE));
  gg_scan_close(s);

  GpuArray out = {0};
  int64_t line[LINE];
  check(gg_eval(gg_scan_all(s, c), NULL, &out), "write a line");
  check(GpuArray_read(line, sizeof line, &out), "read");
  putchar('T');
  for (int i = 0; i < LINE; i++)
    putchar(line[i] < 95 ? (int)line[i] + 32 : ' ');
  putchar('\n');
  GpuArray_clear(&out);
  gg_scan_free(s);
}

int main(int argc, char **argv) {
  static text t;
  gg_var *p[PARAMS];
  gpucontext *ctx;
  read_text(&t, argc > 1 ? argv[1] : "/usr/share/common-licenses/GPL-3");
  check(gpucontext_open(&ctx, NULL), "no device");
  gpucontext_guard_indices(ctx, 1); /* those out of range are errors */
  gg_graph *g = gg_graph_new(ctx);
  gg_func *f = build(g, p);
  train(f, ctx, &t, argc > 2 ? atoi(argv[2]) : 150);
  write_line(g, p);
  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
