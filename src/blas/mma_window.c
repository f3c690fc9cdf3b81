/* SPDX-License-Identifier: BSD-2-Clause */
#include "blas/mma_window.h"

#include <math.h>

#include "base/dtype.h"
#include "blas/mma_join.h"
#include "blas/product_provider.h"

size_t ga__mma_unit(const ga__product *p) {
  return GA_MMA_ALIGN / ga__dtype_size(p->typecode);
}

/* Nonzero if lines of a window along the sum consist of whole units: channels
 * that lie next to each other are its last digit. The kernels store C by rows
 * of the transposed product. */
static int has_units_along(const ga__product *p) {
  const ga__window *w = p->window;

  return w->p_last && !w->j_last && w->ps == 1 &&
         w->p[3] % ga__mma_unit(p) == 0 &&
         w->js % (ptrdiff_t)ga__mma_unit(p) == 0 &&
         (p->epilogue == NULL || p->batch <= 1) &&
         (p->c.slot == GA_NO_SLOT || p->c.rs == 1);
}

/* Nonzero if the places of elements in an image fit 31 bits. */
static int is_image_small(const ga__window *w) {
  double reach = (double)w->j[3];

  for (int d = 0; d < 3; d++)
    reach += fabs((double)w->s[d]) * (double)w->x[d];
  return reach <= INT32_MAX;
}

/* The same along columns. Only instructions for narrow floats take such
 * lines. */
static int has_units_across(const ga__product *p) {
  const ga__window *w = p->window;

  return w->j_last && !w->p_last && w->js == 1 &&
         w->j[3] % ga__mma_unit(p) == 0 &&
         w->ps % (ptrdiff_t)ga__mma_unit(p) == 0 && is_image_small(w) &&
         ga__dtype_is_narrow(p->typecode) &&
         ga__mma_sum_bytes(p, 1) <= ga__product_wish(p->ctx).workspace;
}

int ga__mma_takes_window(const ga__product *p) {
  const ptrdiff_t by = (ptrdiff_t)ga__mma_unit(p);
  const int is_zero = p->k == 0 && p->window->p_last; /* without parts */

  if ((!has_units_along(p) && !has_units_across(p)) ||
      p->b.off % GA_MMA_ALIGN != 0 || p->b.rel % GA_MMA_ALIGN != 0 ||
      (p->batch > 1 && p->b.bs % by != 0))
    return 0;
  for (int d = 0; d < 3; d++)
    if (p->window->s[d] % by != 0)
      return 0;
  return p->m >= GA_MMA_MIN_SIZE && p->n >= GA_MMA_MIN_COPIED_SIZE &&
         (p->k >= GA_MMA_MIN_COPIED_SIZE || is_zero) &&
         p->typecode != GA_DOUBLE;
}

int ga__mma_has_digits(const ga__product *p) {
  return p->window != NULL && p->window->p_last && !p->window->is_even;
}

int ga__mma_rows_aligned(const ga__product *p) {
  const ga__window *w = p->window;

  if (!ga__mma_has_digits(p))
    return p->c.rs % GA_GEN_MMA_LANES == 0;
  for (int t = 0; t < 4; t++)
    if (w->j[t] > 1 && w->c[t] % GA_GEN_MMA_LANES != 0)
      return 0;
  return 1;
}
