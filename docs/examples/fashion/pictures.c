/* SPDX-License-Identifier: BSD-2-Clause */
/* What a convolutional net looks for, and what it gets wrong. */
#include "pictures.h"

#include <math.h>

#include "png.h"

enum { MISTAKES = 24, WEIGHTS = FILTER_SIDE * FILTER_SIDE /* of a filter */ };

/* All weights on one scale: 0 is grey, `most` white and -`most` black. What is
 * not a number is grey, too. */
static void weights_to_grey(unsigned char *grey, const float *w, size_t n,
                            float most) {
  for (size_t i = 0; i < n; i++) {
    const float v = 127.5f + 127.5f * w[i] / most;
    grey[i] = v >= 0 && v <= 255 ? (unsigned char)v : 127;
  }
}

static float largest(const float *w, size_t n) {
  float most = 0;
  for (size_t i = 0; i < n; i++)
    most = fmaxf(most, fabsf(w[i]));
  return most;
}

void pictures_filters(FILE *f, const page *p) {
  const float most = largest(p->filters, p->n_filters * WEIGHTS);
  fprintf(f,
          "<section id=\"filters\">\n<h2>Filters of the first layer</h2>\n"
          "<p>From black, %.2f, to white, %.2f.</p>\n"
          "<div class=\"pictures\">\n",
          -most, most);
  for (size_t i = 0; i < p->n_filters; i++) {
    unsigned char grey[WEIGHTS];
    weights_to_grey(grey, p->filters + i * WEIGHTS, WEIGHTS, most);
    fprintf(f, "<img alt=\"filter %zu\" src=\"", i);
    png_put(f, grey, FILTER_SIDE, FILTER_SIDE);
    fputs("\">\n", f);
  }
  fputs("</div>\n</section>\n", f);
}

/* The wrong guesses that the net is most sure of. Returns how many. */
static size_t find_mistakes(size_t worst[MISTAKES + 1], const page *p) {
  size_t n = 0;
  for (size_t i = 0; i < p->n_tests; i++) {
    size_t at = n;
    if (p->guess[i] == p->tests->labels.data[i])
      continue;
    for (; at > 0 && p->sure[worst[at - 1]] < p->sure[i]; at--)
      worst[at] = worst[at - 1];
    worst[at] = i;
    n += n < MISTAKES;
  }
  return n;
}

static void put_mistake(FILE *f, const page *p, size_t i) {
  const char *label = dataset_names[p->tests->labels.data[i]];
  fprintf(f, "<figure><img alt=\"%s\" src=\"", label);
  png_put(f, p->tests->images.data + i * PIXELS, IMAGE_SIDE, IMAGE_SIDE);
  fprintf(f,
          "\"><figcaption><b>%s</b><br>%s?<br>%.1f %%</figcaption>"
          "</figure>\n",
          label, dataset_names[p->guess[i]], 100 * (double)p->sure[i]);
}

void pictures_mistakes(FILE *f, const page *p) {
  size_t worst[MISTAKES + 1];
  const size_t n = find_mistakes(worst, p);
  fputs("<section id=\"mistakes\">\n<h2>What it gets most wrong</h2>\n"
        "<p>Test images with what they show, the guess and its probability."
        "</p>\n<div class=\"pictures\">\n",
        f);
  for (size_t i = 0; i < n; i++)
    put_mistake(f, p, worst[i]);
  fputs("</div>\n</section>\n", f);
}
