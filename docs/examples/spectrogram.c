/* SPDX-License-Identifier: BSD-2-Clause */
/* The spectrogram of a sound: power in decibels, [frequencies, frames], as a
 * .npy file:
 *
 *   spectrogram sound.wav spectra.npy
 *   spectrogram [folder]
 *
 * The second form writes a sound of its own, whose frequency rises, and checks
 * that the spectrogram shows it. WAV files have samples of 16 bits; of several
 * channels the first one counts. */
#include <gpuarray/npy.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 8000, SAMPLES = 2 * RATE, MOST = 1 << 26 };
enum { LENGTH = 256, STEP = 128, FREQUENCIES = LENGTH / 2 + 1 };
static const double pi = 3.14159265358979, low = 500, high = 3000;

typedef struct sound {
  float *v; /* from -1 to 1; to be freed */
  size_t n;
  unsigned int rate;
} sound;

/* --- WAV files: chunks of four letters, a size and bytes, little-endian --- */

static unsigned int number(const unsigned char *p, int bytes) {
  unsigned int v = 0;

  for (int i = bytes; i-- > 0;)
    v = v << 8 | p[i];
  return v;
}

static void put(unsigned char *p, unsigned int v, int bytes) {
  for (int i = 0; i < bytes; i++)
    p[i] = (unsigned char)(v >> 8 * i);
}

/* Samples of the first channel, from `bytes` bytes, or fewer if the file
 * ends. */
static int read_samples(FILE *file, sound *s, unsigned int bytes,
                        unsigned int channels) {
  unsigned char frame[16];
  const size_t size = 2 * (size_t)channels;

  s->n = bytes / size < MOST ? bytes / size : MOST;
  s->v = calloc(s->n + 1, sizeof *s->v);
  if (s->v == NULL)
    return 1;
  for (size_t i = 0; i < s->n; i++) {
    if (fread(frame, size, 1, file) != 1)
      s->n = i;
    else
      s->v[i] = (float)(int16_t)number(frame, 2) / 32768;
  }
  return s->n < LENGTH;
}

/* The description of the samples: their channels, 0 if they are of another
 * kind. */
static unsigned int read_format(FILE *file, unsigned int bytes, sound *s) {
  unsigned char f[16];

  if (bytes < sizeof f || fread(f, sizeof f, 1, file) != 1 ||
      fseek(file, (long)(bytes - sizeof f + bytes % 2), SEEK_CUR) != 0)
    return 0;
  const unsigned int kind = number(f, 2), channels = number(f + 2, 2);
  s->rate = number(f + 4, 4);
  return kind == 1 && number(f + 14, 2) == 16 && channels <= 8 && s->rate > 0
             ? channels
             : 0;
}

static int read_chunks(FILE *file, sound *s) {
  unsigned char head[12];
  unsigned int channels = 0;

  if (fread(head, 12, 1, file) != 1 || memcmp(head, "RIFF", 4) != 0 ||
      memcmp(head + 8, "WAVE", 4) != 0)
    return 1;
  while (fread(head, 8, 1, file) == 1) {
    const unsigned int bytes = number(head + 4, 4);

    if (bytes > INT32_MAX)
      return 1;
    if (memcmp(head, "data", 4) == 0)
      return channels == 0 || read_samples(file, s, bytes, channels);
    if (memcmp(head, "fmt ", 4) == 0) {
      channels = read_format(file, bytes, s);
      if (channels == 0)
        return 1;
    } else if (fseek(file, (long)bytes + bytes % 2, SEEK_CUR) != 0) {
      return 1;
    }
  }
  return 1;
}

static int read_sound(const char *path, sound *s) {
  FILE *file = fopen(path, "rb");
  const int err = file == NULL || read_chunks(file, s);

  if (file != NULL)
    fclose(file);
  if (err)
    fprintf(stderr, "%s: no WAV file of 16 bits with %d samples or more\n",
            path, LENGTH);
  return err;
}

/* The frequency rises from `low` to `high`. */
static int write_sound(const char *path) {
  unsigned char head[44] = "RIFF....WAVEfmt ", sample[2];
  FILE *file = fopen(path, "wb");
  int err = file == NULL;

  put(head + 4, 36 + 2 * SAMPLES, 4);
  put(head + 16, 16, 4);
  put(head + 20, 1, 2); /* whole numbers */
  put(head + 22, 1, 2); /* one channel */
  put(head + 24, RATE, 4);
  put(head + 28, 2 * RATE, 4);
  put(head + 32, 2, 2);
  put(head + 34, 16, 2);
  memcpy(head + 36, "data", 4);
  put(head + 40, 2 * SAMPLES, 4);
  err = err || fwrite(head, sizeof head, 1, file) != 1;
  for (int i = 0; i < SAMPLES && !err; i++) {
    const double t = (double)i / RATE, length = (double)SAMPLES / RATE;
    const double turns = low * t + (high - low) * t * t / (2 * length);

    put(sample, (unsigned int)(int)(16000 * sin(2 * pi * turns)) & 0xffff, 2);
    err = fwrite(sample, 2, 1, file) != 1;
  }
  if (file != NULL && fclose(file) != 0)
    err = 1;
  if (err)
    fprintf(stderr, "%s: cannot be written\n", path);
  return err;
}

/* --- the spectrogram --- */

static gg_var *build(gg_var *x) {
  gg_graph *g = gg_var_graph(x);
  const gg_stft_spec spec = {
      .length = LENGTH,
      .step = STEP,
      .window = gg_window(g, GG_WINDOW_HANN, LENGTH, 0, GA_FLOAT),
      .is_centred = 1,
      .padding = GG_PAD_REFLECT};
  gg_var *y = gg_stft(x, &spec);
  gg_var *power = gg_add(gg_sqr(gg_real(y)), gg_sqr(gg_imag(y)));

  return gg_mul(gg_log10(gg_add(power, gg_weak(g, 1e-10))), gg_weak(g, 10));
}

/* The loudest frequency of each frame is that of the sound, except near its
 * ends. */
static int check(const float *power, size_t frames) {
  size_t wrong = 0;

  for (size_t t = 2; t + 2 < frames; t++) {
    const double at = (double)t * STEP / SAMPLES;
    const double want = (low + (high - low) * at) * LENGTH / RATE;
    size_t best = 0;

    for (size_t k = 1; k < FREQUENCIES; k++)
      if (power[k * frames + t] > power[best * frames + t])
        best = k;
    wrong += fabs((double)best - want) > 1;
  }
  printf("%zu of %zu frames are loudest elsewhere\n", wrong, frames);
  return wrong > 0;
}

/* `is_own`: it is that of write_sound. */
static int save(const GpuArray *y, const char *path, int is_own) {
  const size_t frames = y->dimensions[1];
  float *power = malloc(FREQUENCIES * frames * sizeof *power);
  int err = power == NULL || GpuArray_save_npy(y, path) != GA_NO_ERROR;

  if (err)
    fprintf(stderr, "%s: cannot be written\n", path);
  else
    printf("%s: %d frequencies, %zu frames\n", path, FREQUENCIES, frames);
  if (!err && is_own)
    err = GpuArray_read(power, FREQUENCIES * frames * sizeof *power, y) !=
              GA_NO_ERROR ||
          check(power, frames);
  free(power);
  return err;
}

static int compute(gpucontext *ctx, const sound *s, const char *path,
                   int is_own) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  GpuArray v = {0}, y = {0};
  int err = GpuArray_empty(&v, ctx, GA_FLOAT, 1, &s->n, GA_C_ORDER);

  if (err == GA_NO_ERROR)
    err = GpuArray_write(&v, s->v, s->n * sizeof *s->v);
  if (err == GA_NO_ERROR)
    err = gg_eval(build(x), GG_VALUES({x, &v}), &y);
  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s\n", gg_graph_error(g));
  else
    err = save(&y, path, is_own);
  GpuArray_clear(&v);
  GpuArray_clear(&y);
  gg_graph_free(g);
  return err;
}

int main(int argc, char **argv) {
  const int is_own = argc < 3;
  const char *folder = argc == 2 ? argv[1] : ".";
  char from[1000], to[1000];
  sound s = {0};
  gpucontext *ctx = NULL;

  if (argc > 3)
    return 2;
  snprintf(from, sizeof from, "%s%s", is_own ? folder : argv[1],
           is_own ? "/rising.wav" : "");
  snprintf(to, sizeof to, "%s%s", is_own ? folder : argv[2],
           is_own ? "/rising.npy" : "");
  int err = (is_own && write_sound(from)) || read_sound(from, &s);
  if (!err && gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "no OpenCL device: skipped\n");
    free(s.v);
    return 77;
  }
  err = err || compute(ctx, &s, to, is_own) != 0;
  free(s.v);
  if (ctx != NULL)
    gpucontext_deref(ctx);
  return err;
}
