/* SPDX-License-Identifier: BSD-2-Clause */
/** \file images.h
 *  Sampling images at any positions, rearranging their elements, and windows as
 *  matrices. All have gradients, and all but gg_roi_pool are composed of other
 *  ops. Arrays have the order [images, channels, sizes...]. On error every
 *  function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_IMAGES_H
#define GPUGRAPH_IMAGES_H

#include <gpuarray/pooling.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a position outside of the image reads. */
typedef enum gg_outside {
  GG_OUTSIDE_ZERO = 0,
  GG_OUTSIDE_BORDER, /**< the nearest element */
  GG_OUTSIDE_REFLECT /**< the image reflected at its borders */
} gg_outside;

/** Sample x at the positions of `grid`, by interpolation in 1 to 3 dimensions.
 *
 *  \param x    [images, channels, n sizes]; floats
 *  \param grid [images, n sizes, n]: positions from -1 to 1, that of the last
 *              dimension first; floats. The result is [images, channels, sizes
 *              of the grid].
 *  \param align nonzero: -1 and 1 are the centres of the first and the last
 *              element; else they are the borders of the image
 *
 *  GA_RESIZE_CUBIC has the coefficient -0.75. GA_RESIZE_NEAREST rounds halves
 *  to even. This is torch.nn.functional.grid_sample. */
GG_PUBLIC gg_var *gg_grid_sample(gg_var *x, gg_var *grid, ga_resize_mode mode,
                                 gg_outside outside, int align);
/** The grid for gg_grid_sample that an affine map of positions gives.
 *
 *  \param theta [images, n, n + 1], floats; n is known, 1 to 3
 *  \param sizes n integer scalars as in gg_reshape_sizes: those of the grid */
GG_PUBLIC gg_var *gg_affine_grid(gg_var *theta, gg_var *const *sizes,
                                 int align);

/** How to cut regions out of images. */
typedef struct gg_regions {
  size_t rows, columns; /**< of the result; at least 1 */
  size_t ratio; /**< samples of each element along each axis; at least 1 */
  double scale; /**< from the corners of regions to positions in x */
  /** Nonzero: corners are borders of elements, as with aligned=True of PyTorch
   *  and half_pixel of ONNX. Else they are centres, and regions have at least
   *  size 1. */
  int is_aligned;
} gg_regions;

/** The mean of bilinear samples of regions: [regions, channels, r->rows,
 *  r->columns]. This is torchvision.ops.roi_align, and RoiAlign of ONNX in its
 *  mode "avg".
 *
 *  \param x       [images, channels, rows, columns], floats
 *  \param regions [regions, 4], floats: first column and row, last column and
 *                 row
 *  \param images  [regions], integers: the image of each region. Negative ones
 *                 count from the end. Those out of range read other images,
 *                 or fail in functions that guard indices (func.h) */
GG_PUBLIC gg_var *gg_roi_align(gg_var *x, gg_var *regions, gg_var *images,
                               const gg_regions *r);

/** The largest element of each part of regions: [regions, channels, r->rows,
 *  r->columns]. Corners times r->scale are rounded to elements, halves away
 *  from 0, and both belong to the region, which has s >= 1 elements along an
 *  axis. Part i of n has those from floor(i s / n) to ceil((i + 1) s / n) that
 *  lie in the image, and is 0 if there are none. NaN is the largest. The first
 *  of several largest elements gets the gradient; regions have none. This is
 *  torchvision.ops.roi_pool, and MaxRoiPool of ONNX. Arguments as for
 *  gg_roi_align; r->ratio and r->is_aligned are not read. */
GG_PUBLIC gg_var *gg_roi_pool(gg_var *x, gg_var *regions, gg_var *images,
                              const gg_regions *r);

/** [images, channels r^2, rows, columns] as [images, channels, rows r,
 *  columns r], where each group of r^2 channels becomes blocks of r x r
 *  elements; and back. */
GG_PUBLIC gg_var *gg_pixel_shuffle(gg_var *x, unsigned int r);
GG_PUBLIC gg_var *gg_pixel_unshuffle(gg_var *x, unsigned int r);

/** The windows of x as columns, with zeros in the padding: [images, channels *
 *  elements of a window, windows]. This is torch.nn.Unfold, or im2col.
 *
 *  \param p flags must be 0 */
GG_PUBLIC gg_var *gg_windows(gg_var *x, const GpuPooling *p);
/** Add the columns of gg_windows up where their elements come from, to [images,
 *  channels, sizes...]. This is torch.nn.Fold, or Col2Im.
 *
 *  \param sizes p->nd integer scalars as in gg_reshape_sizes */
GG_PUBLIC gg_var *gg_windows_back(gg_var *y, const GpuPooling *p,
                                  gg_var *const *sizes);
/** The windows of x as rows: [images * channels * windows, elements of a
 *  window]. This is Theano's images2neibs; neibs2images is
 *  gg_neighbours_back. */
GG_PUBLIC gg_var *gg_neighbours(gg_var *x, const GpuPooling *p);
/** Add the rows of gg_neighbours up where their elements come from.
 *
 *  \param like its shape is that of the result; its values are not used */
GG_PUBLIC gg_var *gg_neighbours_back(gg_var *y, const GpuPooling *p,
                                     gg_var *like);

/** What windows do at the borders of an image, as Theano's images2neibs. */
typedef enum gg_borders {
  GG_BORDERS_VALID = 0, /**< they end there */
  GG_BORDERS_IGNORE,    /**< elements that fill no window are left out */
  GG_BORDERS_WRAP, /**< they lie about elements 0, stride, 2 stride, ... and
                        read from the other end; their sizes are odd */
  GG_BORDERS_HALF, /**< zeros before and behind, half a window of them */
  GG_BORDERS_FULL  /**< zeros, a window less one of them */
} gg_borders;

/** gg_neighbours with borders by name. VALID, HALF and FULL are GA_VALUE_ERROR,
 *  here or in a call, if the last window does not end at the border.
 *
 *  \param p dilation must be 1, flags 0; padding is not read */
GG_PUBLIC gg_var *gg_neighbours_bordered(gg_var *x, const GpuPooling *p,
                                         gg_borders borders);
/** Add such rows up where their elements come from. Windows that do not overlap
 *  give the image back: that is Theano's neibs2images.
 *
 *  \param like its shape is that of the result; its values are not used */
GG_PUBLIC gg_var *gg_neighbours_bordered_back(gg_var *y, const GpuPooling *p,
                                              gg_borders borders, gg_var *like);

#ifdef __cplusplus
}
#endif

#endif
