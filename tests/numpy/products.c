/* SPDX-License-Identifier: BSD-2-Clause */
/* Products that NumPy judges: their table, and before it how each is drawn. */
#include <stdio.h>
#include <string.h>

#include "numpy/draw.h"

/* --- einsum --- */

/* Equations of each kind: products in both orders, diagonals, traces, sums,
 * batches, outer products, ellipses, no result, spaces, many factors. The last
 * letters are drawn to be 1 at times. */
static const char *const equations[] = {
    "ij,jk->ik",
    "ij,jk->ki",
    "ji,jk",
    "ij,kj->ik",
    "ab,bc,cd->ad",
    "ab,bc,cd,de->ea",
    "ii",
    "ii->i",
    "iij->ji",
    "iii->i",
    "ij->",
    "ij->ji",
    "i,j->ij",
    "i,i->",
    "i,i->i",
    "ij,ij->i",
    "ij,ij->",
    "bij,bjk->bik",
    "bhqd,bhkd->bhqk",
    "bqhd,bkhd->bhqk",
    "bij,bj->bi",
    "bj,bij->bi",
    "abc,abd->cd",
    "abc,cd,bd->a",
    "...ij,...jk->...ik",
    "...ij->...ji",
    "i...,i...->...",
    "ij...,jk...->ik...",
    "...,...",
    "i...->i...",
    " i j , j k -> i k ",
    "ba,b",
    "aB,Ba",
    "a,b,c->cab",
    "ijk,ijl,kl->ij",
    "ii,ij,jj->ij",
    ",ij->ji",
};

/* The sizes of letters; those of ellipses by position from the right. */
typedef struct sizes {
  size_t letter[128], dots[2];
} sizes;

static sizes draw_sizes(draw *d) {
  sizes s;

  for (unsigned int i = 0; i < 128; i++)
    s.letter[i] = (size_t)(draw_int(d, 0, 19) == 0 ? 0 : draw_int(d, 1, 4));
  s.dots[0] = (size_t)draw_int(d, 2, 3);
  s.dots[1] = (size_t)draw_int(d, 2, 3);
  return s;
}

/* An operand for the term at `text`; *end is behind it. Axes of ellipses have
 * size 1 at times. */
static gg_var *draw_term(draw *d, const sizes *s, int dtype, const char *text,
                         const char **end) {
  size_t dims[GG_MAX_ND];
  unsigned int nd = 0;

  for (; *text != '\0' && *text != ',' && *text != '-'; text++) {
    if (*text == ' ')
      continue;
    if (*text != '.') {
      dims[nd++] = s->letter[(unsigned char)*text];
      continue;
    }
    for (unsigned int width = (unsigned int)draw_int(d, 0, 2); width-- > 0;)
      dims[nd++] = draw_int(d, 0, 3) == 0 ? 1 : s->dots[width];
    text += 2;
  }
  *end = text;
  return draw_sized(d, dtype, nd, dims, -3, 3);
}

static gg_var *einsum_of(draw *d, const char *equation, int dtype) {
  const sizes s = draw_sizes(d);
  const char *at = equation;
  gg_var *x[MOST_OPERANDS];
  unsigned int n = 0;

  draw_say(d, "np.einsum('%s'", equation);
  for (;; at++) {
    x[n] = draw_term(d, &s, dtype, at, &at);
    draw_say(d, ", x%u", n++);
    if (*at != ',')
      break;
  }
  draw_say(d, ")");
  return gg_einsum(equation, n, x);
}

static const char *draw_equation(draw *d) {
  return equations[draw_int(d, 0, sizeof equations / sizeof *equations - 1)];
}

static gg_var *einsum(draw *d) {
  static const int dtypes[] = {GA_FLOAT, GA_FLOAT, GA_DOUBLE, GA_HALF};

  return einsum_of(d, draw_equation(d), dtypes[draw_int(d, 0, 3)]);
}

static gg_var *einsum_of_integers(draw *d) {
  static const int dtypes[] = {GA_INT, GA_BYTE, GA_LONG, GA_UBYTE};

  return einsum_of(d, draw_equation(d), dtypes[draw_int(d, 0, 3)]);
}

static gg_var *einsum_of_bools(draw *d) {
  return einsum_of(d, draw_equation(d), GA_BOOL);
}

/* --- diagonals --- */

static gg_var *draw_cube(draw *d, int axes[2]) {
  gg_var *const x = draw_operand(d, ANY, 2, 4, -9, 9);
  const int nd = (int)gg_var_type(x)->nd;

  axes[0] = draw_axis(d, 0);
  axes[1] = (axes[0] + nd + (int)draw_int(d, 1, nd - 1)) % nd;
  return x;
}

static gg_var *diagonal(draw *d) {
  int axes[2];
  gg_var *const x = draw_cube(d, axes);
  const int k = (int)draw_int(d, -6, 6);

  draw_say(d, "np.diagonal(x0, %d, %d, %d)", k, axes[0], axes[1]);
  return gg_diagonal(x, k, axes[0], axes[1]);
}

static gg_var *trace(draw *d) {
  int axes[2];
  gg_var *const x = draw_cube(d, axes);
  const int k = (int)draw_int(d, -2, 2);

  draw_say(d, "np.trace(x0, %d, %d, %d)", k, axes[0], axes[1]);
  return gg_trace(x, k, axes[0], axes[1]);
}

/* --- pairs --- */

static gg_var *outer_of(draw *d) {
  gg_var *const x = draw_operand(d, ANY | EMPTY, 0, 2, -9, 9);
  gg_var *const y = draw_operand(d, ANY | EMPTY, 0, 2, -9, 9);
  const int is_less = (int)draw_int(d, 0, 1);

  draw_say(d, "np.%s.outer(x0, x1)", is_less ? "less" : "greater_equal");
  return gg_outer_of(is_less ? gg_lt : gg_ge, x, y);
}

static gg_var *outer_arithmetic(draw *d) {
  gg_var *const x = draw_operand(d, ANY, 0, 2, -9, 9);
  gg_var *const y = draw_operand(d, ANY, 0, 2, -9, 9);
  const int is_sub = (int)draw_int(d, 0, 1);

  draw_say(d,
           "(lambda t: np.%s.outer(x0.astype(t), x1.astype(t)))(common(x0.dtype"
           ", x1.dtype))",
           is_sub ? "subtract" : "multiply");
  return gg_outer_of(is_sub ? gg_sub : gg_mul, x, y);
}

static gg_var *outer(draw *d) {
  const size_t n[2] = {(size_t)draw_int(d, 0, 5), (size_t)draw_int(d, 1, 5)};
  gg_var *const x = draw_sized(d, GA_FLOAT, 1, n, -9, 9);
  gg_var *const y = draw_sized(d, GA_FLOAT, 1, n + 1, -9, 9);

  draw_say(d, "np.outer(x0, x1)");
  return gg_outer(x, y);
}

static gg_var *kron(draw *d) {
  static const int dtypes[] = {GA_FLOAT, GA_INT, GA_UBYTE};
  const int dtype = dtypes[draw_int(d, 0, 2)];
  gg_var *x[2];

  for (unsigned int i = 0; i < 2; i++) {
    size_t dims[3];
    for (unsigned int k = 0; k < 3; k++)
      dims[k] = (size_t)draw_int(d, 1, 3);
    x[i] = draw_sized(d, dtype, (unsigned int)draw_int(d, 0, 3), dims, -9, 9);
  }
  draw_say(d, "np.kron(x0, x1)");
  return gg_kron(x[0], x[1]);
}

static gg_var *cross(draw *d) {
  const int axis = (int)draw_int(d, -2, 1),
            dtype = draw_int(d, 0, 1) ? GA_FLOAT : GA_INT;
  const size_t n = (size_t)draw_int(d, 1, 4);
  const size_t dims[2] = {axis % 2 ? n : 3, axis % 2 ? 3 : n};
  gg_var *const x = draw_sized(d, dtype, 2, dims, -9, 9), *const y = draw_sized(
                                                              d, dtype, 2, dims,
                                                              -9, 9);

  draw_say(d, "np.cross(x0, x1, axis=%d)", axis);
  return gg_cross(x, y, axis);
}

static gg_var *vander(draw *d) {
  static const int dtypes[] = {GA_FLOAT, GA_LONG};
  const size_t n = (size_t)draw_int(d, 1, 4);
  const int m = (int)draw_int(d, 0, 5), up = (int)draw_int(d, 0, 1);
  gg_var *const x = draw_sized(d, dtypes[draw_int(d, 0, 1)], 1, &n, -3, 3);

  draw_say(d, "np.vander(x0, %d, %d).astype(x0.dtype)", m, up);
  return gg_vander(x, gg_i64(d->g, m), up);
}

static gg_var *divmod_of(draw *d) {
  static const int dtypes[] = {GA_FLOAT, GA_INT, GA_BYTE};
  const int dtype = dtypes[draw_int(d, 0, 2)], k = (int)draw_int(d, 0, 1);
  const size_t n = 30;
  gg_var *const x = draw_sized(d, dtype, 1, &n, -9, 9), *const y = draw_sized(
                                                            d, dtype, 1, &n, -4,
                                                            4);
  gg_var *out[2];

  draw_say(d, "np.divmod(x0, x1)[%d]", k);
  return gg_divmod(x, y, out) == GA_NO_ERROR ? out[k] : NULL;
}

static const numpy_case cases[] = {
    {"einsum", .build = einsum},
    {"einsum again", .build = einsum},
    {"einsum a third time", .build = einsum},
    {"einsum of integers", .build = einsum_of_integers},
    {"einsum of bools", .build = einsum_of_bools},
    {"diagonal", .build = diagonal},
    {"trace", .build = trace},
    {"outer_of", .build = outer_of},
    {"outer_of, arithmetic", .build = outer_arithmetic},
    {"outer", .build = outer},
    {"kron", .build = kron},
    {"cross", .build = cross},
    {"vander", .build = vander},
    {"divmod", .build = divmod_of},
};

const numpy_table numpy_products = {cases, sizeof cases / sizeof *cases};
