/* SPDX-License-Identifier: BSD-2-Clause */
/* Frequencies and what is done with spectra, which NumPy judges. */
#include "numpy/draw.h"

static gg_var *shift(draw *d) {
  gg_var *const x = draw_operand(d, ANY, 1, 3, -9, 9);
  const int is_back = draw_int(d, 0, 1) == 0, axis = draw_axis(d, 0);
  const int is_all = draw_int(d, 0, 1) == 0;

  draw_say(d, "np.fft.%s(x0", is_back ? "ifftshift" : "fftshift");
  if (!is_all)
    draw_say(d, ", %d", axis);
  draw_say(d, ")");
  return (is_back ? gg_ifftshift : gg_fftshift)(x, is_all ? 0 : 1,
                                                is_all ? NULL : &axis);
}

static gg_var *frequencies(draw *d) {
  const int64_t n = draw_int(d, 1, 40);
  const int is_half = draw_int(d, 0, 1) == 0;
  gg_var *const size = gg_i64(d->g, n);

  draw_say(d, "np.fft.%s(%lld, 0.3).astype('f4')",
           is_half ? "rfftfreq" : "fftfreq", (long long)n);
  return (is_half ? gg_rfftfreq : gg_fftfreq)(size, 0.3, GA_FLOAT);
}

/* Sums along the last axis; the first one broadcasts at times. */
static gg_var *convolution(draw *d) {
  const int part = (int)draw_int(d, 0, 2), axis = -1;
  const size_t n = (size_t)draw_int(d, 1, 20), m = (size_t)draw_int(d, 1, 20);
  const size_t rows = (size_t)draw_int(d, 1, 3);
  gg_var *const x =
      draw_sized(d, GA_FLOAT, 2, (const size_t[]){rows, n}, -1, 1);
  const size_t other = draw_int(d, 0, 1) == 0 ? 1 : rows;
  gg_var *const y =
      draw_sized(d, GA_FLOAT, 2, (const size_t[]){other, m}, -1, 1);

  /* np.convolve exchanges them where x is the shorter one. */
  draw_say(d, "(lambda f, n, k: f[:, k:k + n])(");
  draw_say(d,
           "np.stack([np.convolve(a, b).astype('f4') for a, b in zip(x0, "
           "np.broadcast_to(x1, (len(x0), %zu)))]), ",
           m);
  if (part == 0)
    draw_say(d, "%zu, 0)", n + m - 1);
  else if (part == 1)
    draw_say(d, "%zu, %zu)", n, (m - 1) / 2);
  else
    draw_say(d, "%zu, %zu)", (n > m ? n - m : m - n) + 1, (n < m ? n : m) - 1);
  return gg_fft_convolve(x, y, 1, &axis, (gg_fft_convolve_part)part);
}

static gg_var *spectra(draw *d) {
  static const struct {
    const char *name;
    gg_pad_mode mode;
  } modes[] = {{"constant", GG_PAD_CONSTANT}, {"reflect", GG_PAD_REFLECT}};
  const int mode = (int)draw_int(d, 0, 1), is_centred = (int)draw_int(d, 0, 1);
  const int64_t length = draw_int(d, 2, 12), step = draw_int(d, 1, 12);
  const size_t n = (size_t)draw_int(d, length, 40);
  gg_var *const x = draw_sized(d, GA_FLOAT, 2, (const size_t[]){2, n}, -1, 1);

  draw_say(d,
           "np.fft.rfft(np.lib.stride_tricks.sliding_window_view(np.pad(x0, "
           "((0, 0), (%d, %d)), '%s'), %d, -1)[:, ::%d] * ",
           is_centred ? (int)length / 2 : 0, is_centred ? (int)length / 2 : 0,
           modes[mode].name, (int)length, (int)step);
  draw_say(d, "np.hamming(%d)).swapaxes(1, 2).astype('c8')", (int)length);
  return gg_stft(x, &(gg_stft_spec){.length = length,
                                    .step = step,
                                    .window = gg_window(d->g, GG_WINDOW_HAMMING,
                                                        length, 1, GA_FLOAT),
                                    .is_centred = is_centred,
                                    .padding = modes[mode].mode});
}

static const numpy_case cases[] = {
    {"shift", .build = shift, .is_exact = 1},
    {"frequencies", .build = frequencies},
    {"fft_convolve", .build = convolution},
    {"stft", .build = spectra},
};

const numpy_table numpy_spectra = {cases, sizeof cases / sizeof *cases};
