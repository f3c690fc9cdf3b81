/* SPDX-License-Identifier: BSD-2-Clause */
/** \file data.h
 *  Data in files: arrays whose first axis counts rows, for minibatches
 *  (batches.h).
 *
 *      gg_data *images, *labels;
 *      gg_data_idx(&images, "train-images-idx3-ubyte");
 *      gg_data_idx(&labels, "train-labels-idx1-ubyte");
 *      gg_batches_data(&b, ctx, 2, (gg_data *[]){images, labels}, &spec);
 *
 *  Files are not trusted: a size that does not fit the file is refused before
 *  anything is allocated. Messages begin with the path, and name row and column
 *  where there are any. Files that are mapped must not be written to or
 *  shortened until gg_data_free.
 *
 *  Errors: GA_SYS_ERROR when the system refuses, GA_VALUE_ERROR for a file that
 *  is damaged or of another kind, GA_UNSUPPORTED_ERROR for what is not read,
 *  GA_INVALID_ERROR for NULL. *out is NULL then.
 */
#ifndef GPUGRAPH_DATA_H
#define GPUGRAPH_DATA_H

#include <gpugraph/args.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An array of rows. Several threads and batches may read one; that of images
 *  is for one gg_batches at a time. */
typedef struct gg_data gg_data;

GG_PUBLIC void gg_data_free(gg_data *d); /**< accepts NULL */
/** What it is; borrowed. `data` has any alignment, and is NULL for images.
 *  NULL for NULL. */
GG_PUBLIC const gg_host_array *gg_data_array(const gg_data *d);

/** A .npy file, mapped: it may be larger than the host's memory. Fortran order,
 *  bools and the other byte order are converted in memory. At most 8 axes. */
GG_PUBLIC int gg_data_npy(gg_data **out, const char *path);
/** The entry `name` of a .npz file. One that is compressed is read to memory,
 *  others are mapped. */
GG_PUBLIC int gg_data_npz(gg_data **out, const char *path, const char *name);

/** An IDX file, as of MNIST: (u)int8, int16, int32, float32 or float64. Bytes
 *  are mapped, others are read to memory. One that is compressed by gzip is
 *  GA_UNSUPPORTED_ERROR: unpack it first. */
GG_PUBLIC int gg_data_idx(gg_data **out, const char *path);

/** How lines are read. Members that are 0 have the meaning said first. */
typedef struct gg_csv_spec {
  char separator; /**< 0: a comma */
  int header;     /**< the first line has names of columns */
  int dtype;      /**< 0: GA_FLOAT; or GA_DOUBLE */
  int missing;    /**< fields without a value ("", "NA", "nan") are refused, or
                       become NaN */
  int skip_bad;   /**< a line that is refused ends reading; or it is left out
                       (gg_data_skipped) */
} gg_csv_spec;

/** A file of lines of numbers, read to memory as [rows, columns]. Lines have as
 *  many fields as the first one; empty lines are left out; a field may stand in
 *  double quotes; the decimal point is a point in every locale. `spec` may be
 *  NULL. GA_VALUE_ERROR names the line and the column, counted from 1. */
GG_PUBLIC int gg_data_csv(gg_data **out, const char *path,
                          const gg_csv_spec *spec);
/** The column of that name in the header, counted from 0, or -1. */
GG_PUBLIC int gg_data_column(const gg_data *d, const char *name);
/** How many lines or files were left out, and the message of the first, ""
 *  without any; borrowed. */
GG_PUBLIC size_t gg_data_skipped(const gg_data *d);
GG_PUBLIC const char *gg_data_skipped_why(const gg_data *d);

/** How images are read. Members that are 0 have the meaning said first. */
typedef struct gg_images_spec {
  size_t height, width; /**< 0: those of the first file */
  int channels;         /**< 0: 3, red, green and blue; or 1, grey */
  int skip_bad; /**< a file that is refused ends the call of gg_batches_next
                     that needs it; or the next one of its class takes its
                     place, and it is counted (gg_data_skipped of `images`) */
} gg_images_spec;

/** A folder with a folder of .png, .jpg and .jpeg files for each class.
 *  `images` are uint8 [files, channels, height, width], for gg_batches_data
 *  alone, and `labels` int32 [files], numbers of the classes in the order of
 *  their names (strcmp), which gg_data_column(labels, name) gives. Batches read
 *  the files that they need. All have one size; what is transparent lies over
 *  black.
 *
 *  GA_UNSUPPORTED_ERROR where gpugraph was built without libpng or libjpeg, or
 *  they are missing, and there is such a file; they are loaded at first use. */
GG_PUBLIC int gg_data_images(gg_data **images, gg_data **labels,
                             const char *folder, const gg_images_spec *spec);

/** `n` columns from `first` of an array with two axes in memory, such as
 *  gg_data_csv gives, as an array of its own with another dtype: [rows, n], or
 *  [rows] if n is 0 (one column, such as labels). GA_VALUE_ERROR, with row and
 *  column, if a number does not fit an integer dtype. */
GG_PUBLIC int gg_data_columns(gg_data **out, const gg_data *d, size_t first,
                              size_t n, int dtype);

#ifdef __cplusplus
}
#endif

#endif
