/* SPDX-License-Identifier: BSD-2-Clause */
/* Four small convolutional nets, trained on made-up data and tested on other
 * data: one tells rising from falling tones in spectrograms (1-D), one the
 * direction of a rod in a volume (3-D), and two mark the bright square in a
 * noisy image, pixel by pixel (2-D): with a transposed convolution, and with
 * interpolation before a convolution.
 *
 *   conv_nets [STEPS]
 */
#include "op_example.h"

enum { N = 96 /* examples */, MOST = 2 * N * 512 };

static const float rate = 0.1f, momentum = 0.9f;

static double draw(void) {
  static unsigned long long state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static size_t below(size_t n) {
  return (size_t)(draw() * (double)n);
}

static void noise(float *x, size_t n, double most) {
  for (size_t i = 0; i < n; i++)
    x[i] = (float)(most * (2 * draw() - 1));
}

/* --- data: example i with its label, or with a label for each pixel --- */

/* [8 bands, 32 frames]; the tone moves one band in two frames. */
static void draw_tone(float *x, float *label) {
  const size_t first = below(16), falls = below(2);
  noise(x, 8 * 32, 0.4);
  for (size_t t = 0; t < 16; t++)
    x[(falls ? 7 - t / 2 : t / 2) * 32 + first + t] += 1;
  *label = (float)falls;
}

/* [1, 8, 8, 8]; the rod has 6 voxels. */
static void draw_rod(float *x, float *label) {
  const size_t axis = below(3), apart = axis == 0 ? 64 : axis == 1 ? 8 : 1;
  size_t at[3] = {below(8), below(8), below(8)};
  noise(x, 512, 0.3);
  at[axis] = below(3);
  for (size_t i = 0; i < 6; i++)
    x[at[0] * 64 + at[1] * 8 + at[2] + i * apart] += 1;
  *label = (float)axis;
}

/* [1, 16, 16]; the square has 6 x 6 pixels. */
static void draw_square(float *x, float *label) {
  const size_t top = below(11), left = below(11);
  noise(x, 256, 0.8);
  for (size_t i = 0; i < 256; i++) {
    const size_t row = i / 16, column = i % 16;
    label[i] =
        row - top < 6 && column - left < 6 && row >= top && column >= left;
    x[i] += label[i];
  }
}

/* --- nets --- */

enum { PARAMS = 4 };

typedef struct net {
  const char *name;
  void (*draw)(float *x, float *label);
  unsigned int nd;           /* of x */
  size_t dims[5], per_label; /* of x; labels of an example */
  double least;              /* expected accuracy */
  gg_var *(*run)(gg_var *x, gg_var **p);
  struct {
    unsigned int nd;
    size_t dims[5];
  } params[PARAMS]; /* a parameter with one dimension begins with zeros */
} net;

static GpuConv geometry(unsigned int nd, size_t stride) {
  GpuConv c = {.nd = nd, .groups = 1};
  for (unsigned int d = 0; d < nd; d++) {
    c.stride[d] = stride;
    c.dilation[d] = c.before[d] = c.after[d] = 1;
  }
  return c;
}

/* A convolution, a rectifier, the maximum of each channel, a dense layer. */
static gg_var *classify(gg_var *x, gg_var **p) {
  const unsigned int nd = gg_var_type(x)->nd - 2;
  const GpuConv c = geometry(nd, 1);
  gg_var *y = gg_relu(gg_conv(x, p[0], &c));
  while (gg_var_type(y)->nd > 2)
    y = gg_max_axis(y, 2);
  return gg_softmax(gg_add(gg_dot(y, p[1]), p[2]));
}

/* Half the size and eight channels, then back to a number for each pixel. */
static gg_var *segment(gg_var *x, gg_var **p) {
  const GpuConv c = geometry(2, 2);
  gg_var *y = gg_relu(gg_conv(x, p[0], &c));
  return gg_sigmoid(gg_add(gg_conv_transposed(y, p[1], &c, NULL), p[2]));
}

/* The same, back by interpolation and a convolution. */
static gg_var *segment_resized(gg_var *x, gg_var **p) {
  const GpuConv half = geometry(2, 2), same = geometry(2, 1);
  const GpuResize how = {.mode = GA_RESIZE_LINEAR, .scale = 2};
  gg_var *y = gg_relu(gg_conv(x, p[0], &half));
  y = gg_resize(y, 2, (GpuResize[]){how, how}, NULL);
  return gg_sigmoid(gg_add(gg_conv(y, p[1], &same), p[2]));
}

static const net nets[] = {
    {"tones",
     draw_tone,
     3,
     {N, 8, 32},
     1,
     0.9,
     classify,
     {{3, {12, 8, 5}}, {2, {12, 2}}, {1, {2}}}},
    {"rods",
     draw_rod,
     5,
     {N, 1, 8, 8, 8},
     1,
     0.9,
     classify,
     {{5, {8, 1, 3, 3, 3}}, {2, {8, 3}}, {1, {3}}}},
    {"squares",
     draw_square,
     4,
     {N, 1, 16, 16},
     256,
     0.93,
     segment,
     {{4, {8, 1, 4, 4}}, {4, {8, 1, 4, 4}}, {1, {1}}}},
    {"squares, resized",
     draw_square,
     4,
     {N, 1, 16, 16},
     256,
     0.93,
     segment_resized,
     {{4, {8, 1, 4, 4}}, {4, {1, 8, 3, 3}}, {1, {1}}}},
};

/* --- training --- */

static size_t count(unsigned int nd, const size_t *dims) {
  size_t n = 1;
  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  return n;
}

/* A shared variable of numbers up to `most` from 0. */
static gg_var *share(gg_graph *g, unsigned int nd, const size_t *dims,
                     double most) {
  float v[1024];
  noise(v, count(nd, dims), most);
  return gg_shared_host(g, "", GA_FLOAT, nd, dims, v);
}

/* Draw N examples; [0] are the inputs and [1] the labels. */
static void examples(gg_var *out[2], gg_graph *g, const net *t) {
  static float x[MOST], labels[N * 256];
  const size_t n[2] = {N, t->per_label}, each = count(t->nd - 1, t->dims + 1);
  for (size_t i = 0; i < N; i++)
    t->draw(x + i * each, labels + i * t->per_label);
  out[0] = gg_shared_host(g, "x", GA_FLOAT, t->nd, t->dims, x);
  out[1] = t->per_label == 1
               ? gg_shared_host(g, "labels", GA_FLOAT, 1, n, labels)
               : gg_shared_host(g, "labels", GA_FLOAT, t->nd, t->dims, labels);
}

static gg_var *cost_of(const net *t, gg_var *p, gg_var *labels) {
  gg_graph *g = gg_var_graph(p);
  if (t->per_label == 1)
    return gg_mean(gg_crossentropy(p, gg_cast(labels, GA_LONG)));
  gg_var *one = gg_f32(g, 1), *off = gg_sub(one, labels);
  return gg_neg(gg_mean(
      gg_add(gg_mul(labels, gg_log(p)), gg_mul(off, gg_log(gg_sub(one, p))))));
}

static gg_var *accuracy_of(const net *t, gg_var *p, gg_var *labels) {
  gg_graph *g = gg_var_graph(p);
  gg_var *guess = t->per_label == 1
                      ? gg_cast(gg_argmax_axis(p, 1), GA_FLOAT)
                      : gg_cast(gg_gt(p, gg_f32(g, 0.5f)), GA_FLOAT);
  return gg_mean(gg_cast(gg_eq(guess, labels), GA_FLOAT));
}

/* A step of training. It returns the cost, and how much of the other data the
 * net got right before the step. */
static int build(gg_func **f, gg_graph *g, const net *t) {
  gg_var *p[PARAMS] = {NULL}, *grad[PARAMS] = {NULL}, *data[2], *other[2];
  gg_update updates[2 * PARAMS + 1] = {{NULL, NULL}};
  unsigned int n = 0;
  for (; n < PARAMS && t->params[n].nd > 0; n++)
    p[n] = share(g, t->params[n].nd, t->params[n].dims,
                 t->params[n].nd > 1 ? 0.3 : 0);
  examples(data, g, t);
  examples(other, g, t);
  gg_var *cost = cost_of(t, t->run(data[0], p), data[1]);
  gg_var *accuracy = accuracy_of(t, t->run(other[0], p), other[1]);
  if (gg_grad(grad, cost, n, p) != GA_NO_ERROR)
    return GA_VALUE_ERROR;
  for (unsigned int i = 0; i < n; i++) {
    gg_var *speed = share(g, t->params[i].nd, t->params[i].dims, 0);
    gg_var *v = gg_sub(gg_mul(speed, gg_f32(g, momentum)),
                       gg_mul(grad[i], gg_f32(g, rate)));
    updates[2 * i] = (gg_update){speed, v};
    updates[2 * i + 1] = (gg_update){p[i], gg_add(p[i], v)};
  }
  return gg_func_new(
      f, g,
      &(gg_func_spec){.outputs = GG_VARS(cost, accuracy), .updates = updates});
}

static void train(gg_graph *g, const net *t, int steps) {
  gg_func *f = NULL;
  float cost = 0, accuracy = 0;
  gg_host_array out[2] = {{.data = &cost, .bytes = sizeof cost},
                          {.data = &accuracy, .bytes = sizeof accuracy}};
  if (build(&f, g, t) != GA_NO_ERROR)
    example_fail(t->name, gg_graph_error(g));
  for (int i = 0; i < steps; i++)
    if (gg_func_call_host(f, NULL, (gg_host_array *[]){&out[0], &out[1]}))
      example_fail(t->name, gg_func_error(f));
  printf("%s: cost %.4f, test accuracy %.4f\n", t->name, (double)cost,
         (double)accuracy);
  if (!((double)accuracy >= t->least))
    example_fail(t->name, "learned too little");
  gg_func_free(f);
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  gg_graph *g = example_open();
  for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
    train(g, &nets[i], steps);
  return example_close(g);
}
