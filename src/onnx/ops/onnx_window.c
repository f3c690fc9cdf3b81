/* SPDX-License-Identifier: BSD-2-Clause */
#include "onnx/ops/onnx_window.h"

#include "base/err.h"

int gg__window_list(const gg__onnx_call *c, const char *name, unsigned int n,
                    int64_t least, int64_t missing, int64_t *out) {
  size_t have;
  const int64_t *list = gg__call_ints(c, name, &have);

  if (have != 0 && have != n)
    return ga__fail(GA_VALUE_ERROR, "%s has %zu values, expected %u", name,
                    have, n);
  for (unsigned int i = 0; i < n; i++) {
    out[i] = have == 0 ? missing : list[i];
    if (have != 0 && (out[i] < least || out[i] > GG_WINDOW_MOST))
      return ga__fail(GA_VALUE_ERROR, "%s[%u] is %lld, expected %lld to %d",
                      name, i, (long long)out[i], (long long)least,
                      GG_WINDOW_MOST);
  }
  return GA_NO_ERROR;
}

static int read_auto(const gg__onnx_call *c, gg__auto_pad *out) {
  static const char *const words[] = {"NOTSET", "VALID", "SAME_UPPER",
                                      "SAME_LOWER", NULL};
  int i = 0;

  GA_TRY(gg__call_word(c, "auto_pad", "NOTSET", words, &i));
  *out = (gg__auto_pad)i;
  return GA_NO_ERROR;
}

/* Sizes that are known must be those of the attribute, which sets the others.
 * No size may be open in the end. */
static int read_kernel(const gg__onnx_call *c, const int64_t *kernel,
                       gg__window *w) {
  int64_t listed[GG_WINDOW_ND];

  GA_TRY(gg__window_list(c, "kernel_shape", w->nd, 1, 0, listed));
  for (unsigned int i = 0; i < w->nd; i++) {
    const int64_t known = kernel == NULL ? -1 : kernel[i];

    if (known < 0 && listed[i] == 0)
      return ga__fail(GA_UNSUPPORTED_ERROR,
                      "the size of the window along dim %u must be known",
                      i + 2);
    if (known >= 0 && listed[i] != 0 && listed[i] != known)
      return ga__fail(GA_VALUE_ERROR,
                      "kernel_shape[%u] is %lld, but the filters have %lld", i,
                      (long long)listed[i], (long long)known);
    if (known > GG_WINDOW_MOST)
      return ga__fail(GA_VALUE_ERROR, "filters of size %lld", (long long)known);
    w->kernel[i] = known >= 0 ? known : listed[i];
  }
  return GA_NO_ERROR;
}

int gg__window_read(gg__onnx_call *c, const int64_t *kernel, gg__window *w) {
  const unsigned int rank = gg__call_rank(c, 0);
  int64_t pads[2 * GG_WINDOW_ND];

  *w = (gg__window){.nd = rank - 2};
  if (rank < 3 || rank > 2 + GG_WINDOW_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR, "%u dimensions, expected 3 to %d",
                    rank, 2 + GG_WINDOW_ND);
  GA_TRY(read_auto(c, &w->automatic));
  GA_TRY(read_kernel(c, kernel, w));
  GA_TRY(gg__window_list(c, "strides", w->nd, 1, 1, w->stride));
  GA_TRY(gg__window_list(c, "dilations", w->nd, 1, 1, w->dilation));
  GA_TRY(gg__window_list(c, "pads", 2 * w->nd, 0, 0, pads));
  for (unsigned int i = 0; w->automatic == GG_AUTO_NOTSET && i < w->nd; i++) {
    w->before[i] = pads[i];
    w->after[i] = pads[w->nd + i];
  }
  return GA_NO_ERROR;
}

int64_t gg__window_span(const gg__window *w, unsigned int i) {
  return (w->kernel[i] - 1) * w->dilation[i] + 1;
}

void gg__window_divide(gg__window *w, unsigned int i, int64_t total) {
  const int64_t half = total / 2;

  w->before[i] = w->automatic == GG_AUTO_SAME_UPPER ? half : total - half;
  w->after[i] = total - w->before[i];
}

int gg__window_auto(gg__onnx_call *c, gg__window *w) {
  if (w->automatic != GG_AUTO_SAME_UPPER && w->automatic != GG_AUTO_SAME_LOWER)
    return GA_NO_ERROR;
  for (unsigned int i = 0; i < w->nd; i++) {
    const int64_t n = gg_var_type(gg__call_in(c, 0))->dims[i + 2];
    const int64_t s = w->stride[i];

    if (n < 0 && s != 1)
      return ga__fail(GA_UNSUPPORTED_ERROR,
                      "auto_pad with a stride of %lld needs the size of dim %u",
                      (long long)s, i + 2);
    /* The last window starts at the last multiple of the stride. */
    const int64_t rest = s == 1 || n == 0 || n % s == 0 ? s : n % s;
    const int64_t total = gg__window_span(w, i) - rest;
    gg__window_divide(w, i, total < 0 ? 0 : total);
  }
  return GA_NO_ERROR;
}
