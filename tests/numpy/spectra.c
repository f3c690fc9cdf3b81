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

static const numpy_case cases[] = {
    {"shift", .build = shift, .is_exact = 1},
    {"frequencies", .build = frequencies},
};

const numpy_table numpy_spectra = {cases, sizeof cases / sizeof *cases};
