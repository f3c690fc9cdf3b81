/* SPDX-License-Identifier: BSD-2-Clause */
/* A recurrent net that learns which character comes next in a text:
 *
 *   characters [text [steps [loss]]]
 *
 * Without arguments it reads the GNU General Public License where Debian keeps
 * it, makes 150 steps, and fails unless the loss, in nats per character, ends
 * below 2.5; without learning it is log(96) = 4.56, and the mere frequencies of
 * characters give about 3. In the end the net writes a line of its own.
 *
 * The loop holds only what depends on the step before: the part of the cell
 * that the characters give is one lookup before it, and the output layer one
 * product after it.
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHARS = 96, UNITS = 96, STEPS = 24, BATCH = 32, PARAMS = 4, LINE = 60 };

/* --- the text --- */

/* Printable characters are 0 .. 94, all else is 95. */
static int code_of(int c) {
  return c >= 32 && c < 127 ? c - 32 : 95;
}

static unsigned char *read_text(const char *name, size_t *n) {
  FILE *f = fopen(name, "rb");
  unsigned char *text = malloc(1 << 20);

  *n = 0;
  if (f != NULL && text != NULL)
    *n = fread(text, 1, 1 << 20, f);
  if (f != NULL)
    fclose(f);
  for (size_t i = 0; i < *n; i++)
    text[i] = (unsigned char)code_of(text[i]);
  return text;
}

/* Numbers that look random, in [0, 1). */
static double noise(unsigned int *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24);
}

/* Pieces of the text, [STEPS, BATCH], and the characters that follow. */
static void cut(const unsigned char *text, size_t n, unsigned int *seed,
                int64_t *x, int64_t *y) {
  for (int b = 0; b < BATCH; b++) {
    size_t at = (size_t)(noise(seed) * (double)(n - STEPS - 1));

    for (int t = 0; t < STEPS; t++) {
      x[t * BATCH + b] = text[at + (size_t)t];
      y[t * BATCH + b] = text[at + (size_t)t + 1];
    }
  }
}

/* --- the net --- */

typedef struct net {
  gg_graph *g;
  gg_var *p[PARAMS]; /* of characters, of states, of outputs, and their bias */
} net;

static gg_var *param(gg_graph *g, const char *name, size_t rows, size_t cols,
                     float scale, unsigned int *seed) {
  const size_t dims[2] = {rows, cols};
  float *v = malloc(rows * cols * sizeof *v);

  if (v == NULL)
    return NULL;
  for (size_t i = 0; i < rows * cols; i++)
    v[i] = scale * (float)(2 * noise(seed) - 1);
  gg_var *w = gg_shared_host(g, name, GA_FLOAT, 2, dims, v);
  free(v);
  return w;
}

static net make_net(gg_graph *g) {
  unsigned int seed = 7;
  net m = {.g = g};

  m.p[0] = param(g, "u", CHARS, UNITS, 0.3f, &seed);
  m.p[1] = param(g, "w", UNITS, UNITS, 0.1f, &seed);
  m.p[2] = param(g, "v", UNITS, CHARS, 0.1f, &seed);
  m.p[3] = param(g, "b", 1, CHARS, 0, &seed);
  return m;
}

/* The logits of what follows each character of x, [STEPS * BATCH] in the order
 * of steps; h0 is [BATCH, UNITS]. */
static gg_var *logits(const net *m, gg_var *x, gg_var *h0) {
  gg_var *in =
      gg_reshape(gg_take(m->p[0], x), 3, (int64_t[]){STEPS, BATCH, UNITS});
  gg_scan *s = gg_scan_open(m->g);
  gg_var *row = gg_scan_sequence(s, in, 0), *h = gg_scan_state(s, h0);

  gg_scan_next(s, h, gg_tanh(gg_add(row, gg_dot(h, m->p[1]))));
  gg_scan_close(s);
  gg_var *all =
      gg_reshape(gg_scan_all(s, h), 2, (int64_t[]){STEPS * BATCH, UNITS});
  gg_scan_free(s);
  return gg_add(gg_dot(all, m->p[2]), m->p[3]);
}

/* One step of gradient descent with momentum: steps are averages of the last
 * gradients. */
static gg_func *make_training(const net *m) {
  gg_var *x = gg_input(m->g, "x", GA_LONG, 1);
  gg_var *y = gg_input(m->g, "y", GA_LONG, 1), *d[PARAMS], *cost, *speed;
  gg_var *h0 = gg_zeros_like(
      gg_slice(gg_take(m->p[0], x), 0, 0, BATCH, 1)); /* [BATCH, UNITS] */
  gg_update updates[2 * PARAMS + 1] = {{NULL, NULL}};
  GpuArray zeros = {0};
  gg_func *f = NULL;

  cost = gg_mean(gg_crossentropy(gg_softmax(logits(m, x, h0)), y));
  if (gg_grad(d, cost, PARAMS, (gg_var **)m->p) != GA_NO_ERROR)
    return NULL;
  for (int i = 0; i < PARAMS; i++) {
    gg_var *p = m->p[i], *next;

    if (gg_shared_get(p, &zeros) != GA_NO_ERROR)
      return NULL;
    GpuArray_memset(&zeros, 0);
    speed = gg_shared(m->g, "speed", &zeros);
    GpuArray_clear(&zeros);
    next = gg_add(gg_mul(speed, gg_f32(m->g, 0.9f)), d[i]);
    updates[2 * i] = (gg_update){speed, next};
    updates[2 * i + 1] =
        (gg_update){p, gg_sub(p, gg_mul(gg_f32(m->g, 0.1f), next))};
  }
  gg_func_new(&f, m->g,
              &(gg_func_spec){.name = "train",
                              .inputs = GG_VARS(x, y),
                              .outputs = GG_VARS(cost),
                              .updates = updates});
  return f;
}

static int train(gg_func *f, gpucontext *ctx, const unsigned char *text,
                 size_t n, int steps, float *loss) {
  static int64_t x[STEPS * BATCH], y[STEPS * BATCH];
  const size_t count = STEPS * BATCH;
  GpuArray ax = {0}, ay = {0}, cost = {0};
  unsigned int seed = 1;
  float mean = 0;
  int err = GpuArray_empty(&ax, ctx, GA_LONG, 1, &count, GA_C_ORDER);

  if (err == GA_NO_ERROR)
    err = GpuArray_empty(&ay, ctx, GA_LONG, 1, &count, GA_C_ORDER);
  for (int i = 0; i < steps && err == GA_NO_ERROR; i++) {
    cut(text, n, &seed, x, y);
    GpuArray_write(&ax, x, sizeof x);
    GpuArray_write(&ay, y, sizeof y);
    err = gg_func_call(f, (GpuArray *[]){&ax, &ay}, (GpuArray *[]){&cost});
    if (err != GA_NO_ERROR)
      break;
    err = GpuArray_read(loss, sizeof *loss, &cost);
    mean = i == 0 ? *loss : 0.9f * mean + 0.1f * *loss;
    if (i % 25 == 0 || i + 1 == steps)
      printf("step %4d: %.3f nats per character\n", i, (double)mean);
  }
  *loss = mean;
  GpuArray_clear(&ax);
  GpuArray_clear(&ay);
  GpuArray_clear(&cost);
  return err;
}

/* --- writing --- */

/* A loop that feeds itself: the likeliest next character is the next input. */
static int write_line(const net *m) {
  static const float zeros[UNITS];
  gg_scan *s = gg_scan_open(m->g);
  gg_var *c = gg_scan_state(
      s, gg_constant(m->g, GA_LONG, 1, (size_t[]){1}, (int64_t[]){'T' - 32}));
  gg_var *h = gg_scan_state(
      s, gg_constant(m->g, GA_FLOAT, 2, (size_t[]){1, UNITS}, zeros));
  gg_var *next = gg_tanh(gg_add(gg_take(m->p[0], c), gg_dot(h, m->p[1])));
  GpuArray out = {0};
  gg_func *f = NULL;
  int64_t line[LINE];
  int err;

  gg_scan_next(s, h, next);
  gg_scan_next(s, c, gg_argmax_axis(gg_add(gg_dot(next, m->p[2]), m->p[3]), 1));
  gg_scan_steps(s, gg_i64(m->g, LINE));
  gg_scan_close(s);
  err = gg_func_new(&f, m->g,
                    &(gg_func_spec){.outputs = GG_VARS(gg_scan_all(s, c))});
  gg_scan_free(s);
  if (err == GA_NO_ERROR)
    err = gg_func_call(f, NULL, (GpuArray *[]){&out});
  if (err == GA_NO_ERROR)
    err = GpuArray_read(line, sizeof line, &out);
  printf("T");
  for (int i = 0; i < LINE && err == GA_NO_ERROR; i++)
    putchar(line[i] < 95 ? (int)line[i] + 32 : ' ');
  printf("\n");
  GpuArray_clear(&out);
  gg_func_free(f);
  return err;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "/usr/share/common-licenses/GPL-3";
  const int steps = argc > 2 ? atoi(argv[2]) : 150;
  const float wanted = argc > 3 ? strtof(argv[3], NULL) : 2.5f;
  gpucontext *ctx = NULL;
  gg_func *f = NULL;
  float loss = INFINITY;
  size_t n;

  unsigned char *text = read_text(name, &n);
  if (text == NULL || n < 1000 || gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    fprintf(stderr,
            n < 1000 ? "no text in %s: skipped\n"
                     : "no OpenCL device: skipped\n",
            name);
    free(text);
    return 77;
  }
  gpucontext_guard_indices(ctx, 1); /* those out of range are errors */
  net m = make_net(gg_graph_new(ctx));
  f = make_training(&m);
  int err = f != NULL ? train(f, ctx, text, n, steps, &loss) : GA_VALUE_ERROR;
  if (err == GA_NO_ERROR)
    err = write_line(&m);
  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s%s\n", gg_graph_error(m.g), f ? gg_func_error(f) : "");
  gg_func_free(f);
  gg_graph_free(m.g);
  gpucontext_deref(ctx);
  free(text);
  return err != GA_NO_ERROR || !(loss < wanted);
}
