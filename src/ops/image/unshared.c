/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions whose filters differ from position to position: windows that are
 * read by index, and a batch of one product for each position. */
#include <gpugraph/arrange.h>
#include <gpugraph/conv.h>
#include <gpugraph/gather.h>

#include "ops/compose.h"

/* x is [images, channels, sizes...], w is [filters, positions..., channels of a
 * group, sizes of a filter...]. */
typedef struct unshared {
  const gg_op *op;
  GpuConv c;
  gg_var *in[2];
} unshared;

static int64_t dim_of(const unshared *u, unsigned int i, unsigned int d) {
  return gg_var_type(u->in[i])->dims[d];
}

/* --- checks of what is known --- */

static int fail(const unshared *u, int code, const char *text) {
  gg__refuse(u->op, 2, u->in, code, "%s", text);
  return 0;
}

static int check_ranks(const unshared *u) {
  const unsigned int nd = u->c.nd, x = gg__rank_of(u->in[0]);
  const unsigned int w = gg__rank_of(u->in[1]);

  if (nd >= 1 && nd <= GA_CONV_ND && x == nd + 2 && w == 2 * nd + 2)
    return 1;
  gg__refuse(
      u->op, 2, u->in, GA_VALUE_ERROR,
      "%u spatial dimensions of %u and %u, expected 1 to %d, of [images, "
      "channels, sizes...] and [filters, positions..., channels of a "
      "group, sizes...]",
      nd, x, w, GA_CONV_ND);
  return 0;
}

static int check_channels(const unshared *u) {
  const int64_t groups = gg__as_property(u->c.groups),
                channels = dim_of(u, 0, 1);
  const int64_t filters = dim_of(u, 1, 0), each = dim_of(u, 1, 1 + u->c.nd);

  if (groups >= 1 && (channels < 0 || channels % groups == 0) &&
      (filters < 0 || filters % groups == 0) &&
      (channels < 0 || each < 0 || channels / groups == each))
    return 1;
  gg__refuse(u->op, 2, u->in, GA_VALUE_ERROR,
             "%zu groups; these divide channels and filters, and a filter has "
             "the channels of a group",
             u->c.groups);
  return 0;
}

/* Sizes that are open count as the largest and the smallest ones. */
static int check_dim(const unshared *u, unsigned int d) {
  const int64_t x = dim_of(u, 0, d + 2), y = dim_of(u, 1, d + 1);
  const int64_t w = dim_of(u, 1, u->c.nd + 2 + d);
  const size_t most = INT32_MAX / 4;
  size_t size;

  const int err = GpuConv_size(&size, &u->c, d, x >= 0 ? (size_t)x : most,
                               w >= 0 ? (size_t)w : 1);
  if (err != GA_NO_ERROR)
    return fail(u, err, gpuarray_error_text(err));
  if (x < 0 || w < 0 || y < 0 || y == (int64_t)size)
    return 1;
  gg__refuse(u->op, 2, u->in, GA_VALUE_ERROR,
             "dim %u: input %lld and filters %lld give %zu positions, there "
             "are filters for %lld",
             d, (long long)x, (long long)w, size, (long long)y);
  return 0;
}

/* Take the operands as floats of one dtype. Returns 0 after an error. */
static int take_operands(unshared *u) {
  if (!gg__given(u->op, 2, u->in))
    return 0;
  const int dtype = gg__common_dtype(gg_var_type(u->in[0])->dtype,
                                     gg_var_type(u->in[1])->dtype);
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT)
    return fail(u, GA_UNSUPPORTED_ERROR, "expected a float dtype");
  for (int i = 0; i < 2; i++)
    u->in[i] = gg_cast(u->in[i], dtype);
  return u->in[0] != NULL && u->in[1] != NULL;
}

static int check(const unshared *u) {
  if (!check_ranks(u) || !check_channels(u))
    return 0;
  for (unsigned int d = 0; d < u->c.nd; d++)
    if (!check_dim(u, d))
      return 0;
  return 1;
}

/* --- windows --- */

/* The numbers first + step i for i below n, times `pitch`, along axis `axis` of
 * `nd`. */
static gg_var *count_along(gg_var *n, int64_t step, gg_var *first,
                           gg_var *pitch, unsigned int nd, unsigned int axis) {
  gg_var *i = gg_arange(gg__whole_number(n, 0), n, gg__whole_number(n, 1));
  int pattern[GG_MAX_ND];

  for (unsigned int k = 0; k < nd; k++)
    pattern[k] = k == axis ? 0 : -1;
  i = gg_mul(gg_add(gg_mul(i, gg__whole_number(n, step)), first), pitch);
  return gg_dimshuffle(i, nd, pattern);
}

/* The size of the result along dimension d, of `padded` elements. */
static gg_var *count_positions(const unshared *u, unsigned int d, gg_var *size,
                               gg_var *padded) {
  gg_var *less =
      gg__number_mul(gg__number_add(size, gg__whole_number(size, -1)),
                     gg__whole_number(size, -(int64_t)u->c.dilation[d]));
  gg_var *room =
      gg__number_add(gg__number_add(padded, less), gg__whole_number(size, -1));

  return gg__number_add(
      gg_floordiv(room, gg__whole_number(size, (int64_t)u->c.stride[d])),
      gg__whole_number(size, 1));
}

/* The elements of all windows in a padded image, [positions..., elements of a
 * filter...], as a vector. Set y[d] to the counts of positions. */
static gg_var *index_windows(const unshared *u, gg_var *padded, gg_var **y) {
  const unsigned int nd = u->c.nd;
  gg_var *pitch = gg__whole_number(padded, 1), *index = NULL;

  for (unsigned int d = nd; d-- > 0;) {
    gg_var *rows = gg_shape(padded, (int)d + 2);
    gg_var *size = gg_shape(u->in[1], (int)(nd + 2 + d));
    gg_var *none = gg__whole_number(padded, 0);
    const int64_t step = (int64_t)u->c.dilation[d];
    gg_var *last =
        gg__number_mul(gg__number_add(size, gg__whole_number(size, -1)),
                       gg__whole_number(size, step));

    y[d] = count_positions(u, d, size, rows);
    gg_var *at = gg_add(
        count_along(y[d], (int64_t)u->c.stride[d], none, pitch, 2 * nd, d),
        count_along(size, u->c.flip ? -step : step, u->c.flip ? last : none,
                    pitch, 2 * nd, nd + d));
    index = index == NULL ? at : gg_add(index, at);
    pitch = gg__number_mul(pitch, rows);
  }
  return gg_flatten(index);
}

static gg_var *pad(const unshared *u) {
  int64_t before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};

  for (unsigned int d = 0; d < u->c.nd; d++) {
    before[d + 2] = (int64_t)u->c.before[d];
    after[d + 2] = (int64_t)u->c.after[d];
  }
  return gg_pad(u->in[0], before, after, GG_PAD_CONSTANT, NULL);
}

/* [images, groups, channels of a group, positions..., elements of a filter]. */
static gg_var *read_windows(const unshared *u, gg_var **y) {
  const unsigned int nd = u->c.nd;
  gg_var *x = pad(u);

  if (x == NULL)
    return NULL;
  gg_var *const flat[3] = {gg_shape(x, 0), gg_shape(x, 1),
                           gg__number_of(x, 2, nd + 2)};
  gg_var *index = index_windows(u, x, y);
  gg_var *sizes[GG_MAX_ND] = {flat[0],
                              gg__whole_number(x, (int64_t)u->c.groups),
                              gg__number_over(flat[1], (int64_t)u->c.groups)};
  for (unsigned int d = 0; d < nd; d++)
    sizes[3 + d] = y[d];
  sizes[3 + nd] = gg__number_of(u->in[1], nd + 2, 2 * nd + 2);
  x = gg_take_axis(gg_reshape_sizes(x, 3, flat), 2, index);
  return gg_reshape_sizes(x, nd + 4, sizes);
}

/* [groups, filters of a group, positions..., channels, elements]. */
static gg_var *group_filters(const unshared *u) {
  const unsigned int nd = u->c.nd;
  gg_var *w = u->in[1];
  gg_var *sizes[GG_MAX_ND] = {
      gg__whole_number(w, (int64_t)u->c.groups),
      gg__number_over(gg_shape(w, 0), (int64_t)u->c.groups)};

  for (unsigned int d = 0; d <= nd; d++)
    sizes[2 + d] = gg_shape(w, (int)d + 1);
  sizes[3 + nd] = gg__number_of(w, nd + 2, 2 * nd + 2);
  return gg_reshape_sizes(w, nd + 4, sizes);
}

static gg_var *multiply(const unshared *u) {
  static const char *const equations[GA_CONV_ND] = {
      "ngcip,gficp->ngfi", "ngcijp,gfijcp->ngfij", "ngcijkp,gfijkcp->ngfijk"};
  const unsigned int nd = u->c.nd;
  gg_var *y[GA_CONV_ND], *sizes[GG_MAX_ND];
  gg_var *const both[2] = {read_windows(u, y), group_filters(u)};

  if (both[0] == NULL || both[1] == NULL)
    return NULL;
  gg_var *sum = gg_einsum(equations[nd - 1], 2, both);
  sizes[0] = gg_shape(u->in[0], 0);
  sizes[1] = gg_shape(u->in[1], 0);
  for (unsigned int d = 0; d < nd; d++)
    sizes[d + 2] = y[d];
  return sum != NULL ? gg_reshape_sizes(sum, nd + 2, sizes) : NULL;
}

gg_var *gg_conv_unshared(gg_var *x, gg_var *w, const GpuConv *c) {
  static const gg_op op = {.name = "conv_unshared"};
  unshared u = {.op = &op, .in = {x, w}};

  if (!take_operands(&u))
    return NULL;
  if (c != NULL) {
    u.c = *c;
  } else {
    u.c = (GpuConv){.nd = gg__rank_of(x) > 2 ? gg__rank_of(x) - 2 : 0,
                    .stride = {1, 1, 1},
                    .dilation = {1, 1, 1},
                    .groups = 1};
  }
  if (!check(&u))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(
      g, &op, 2, (gg_var *[]){x, w},
      "groups divide channels and filters, a filter has the channels of a "
      "group and fits the padded input, and there is one for each position");
  return gg_parts_end(g, outer, multiply(&u));
}
