/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and checking the words of a loop. */
#include "loop/loop.h"

#define MAX_PARTS 65536

static int is_count(int64_t n) {
  return n >= 0 && n <= MAX_PARTS;
}

static int head_is_sane(const gg__loop_head *h) {
  return is_count(h->n_seqs) && is_count(h->n_states) && is_count(h->n_taps) &&
         is_count(h->n_outs) && is_count(h->n_fixed) &&
         (h->is_limited | h->has_until | h->is_exact | 1) == 1 &&
         h->most >= 0 && h->truncate >= 0;
}

static int lists_are_sane(const gg__loop *l) {
  const gg__loop_head *h = l->h;
  int sane = 1;

  for (int64_t i = 0; i < h->n_seqs; i++)
    sane &= l->reversed[i] == 0 || (l->reversed[i] == 1 && !h->has_until);
  for (int64_t i = 0; i < h->n_states; i++)
    sane &= is_count(l->depth[i]);
  for (int64_t i = 0; i < h->n_taps && sane; i++)
    sane &= l->taps[i].state >= 0 && l->taps[i].state < h->n_states &&
            l->taps[i].back > 0 &&
            l->taps[i].back <= (l->depth[l->taps[i].state] != 0
                                    ? l->depth[l->taps[i].state]
                                    : 1) &&
            (i == 0 || l->taps[i].state >= l->taps[i - 1].state);
  for (int64_t i = 0; i < h->n_outs; i++)
    sane &= (l->outs[i].reversed == 0 ||
             (l->outs[i].reversed == 1 && !h->has_until)) &&
            l->outs[i].like >= -1 && l->outs[i].like < h->n_seqs;
  return sane;
}

int gg__loop_read(gg__loop *l, const gg__inner *x) {
  const size_t n_head = sizeof *l->h / sizeof(int64_t);
  const gg__loop_head *h;

  l->inner = x;
  l->h = h = (const gg__loop_head *)x->words;
  if (x->n_words < n_head || !head_is_sane(h) ||
      (size_t)x->n_words != n_head + (size_t)(h->n_seqs + h->n_states +
                                              2 * h->n_taps + 2 * h->n_outs) ||
      x->n_in != h->n_seqs + h->n_taps + h->n_fixed ||
      x->n_out != h->n_states + h->n_outs + h->has_until)
    return 0;
  l->reversed = x->words + n_head;
  l->depth = l->reversed + h->n_seqs;
  l->taps = (const gg__loop_tap *)(l->depth + h->n_states);
  l->outs = (const gg__loop_out *)(l->taps + h->n_taps);
  return lists_are_sane(l);
}

gg__loop gg__loop_of(const gg_apply *a) {
  gg__loop l;
  const int is_sane = gg__loop_read(&l, gg__inner_of(a));

  GA_ASSERT(is_sane); /* infer refuses other words */
  GA_ASSERT(a->n_in == gg__loop_n_in(&l) &&
            a->n_out == gg__loop_count(&l) + (unsigned int)l.h->has_until);
  (void)is_sane;
  return l;
}
