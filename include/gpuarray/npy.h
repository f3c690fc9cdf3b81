/* SPDX-License-Identifier: BSD-2-Clause */
/** \file npy.h
 *  NumPy's files: .npy, one array, and .npz, an archive of named arrays.
 *
 *  The dtypes that NumPy has, too, are read and written without a change of
 *  bits: bool, all integers, float16, 32 and 64, complex64 and 128. Data flows
 *  between file and device in pieces, so a file may be larger than the host's
 *  memory. Files are not trusted: headers are checked before anything is
 *  allocated.
 *
 *  GA_SYS_ERROR, with the path, when the system refuses; GA_VALUE_ERROR for a
 *  file that is damaged, truncated or of another kind; GA_XLARGE_ERROR for a
 *  shape that overflows; GA_UNSUPPORTED_ERROR for objects, strings, structures
 *  and types of other sizes. */
#ifndef GPUARRAY_NPY_H
#define GPUARRAY_NPY_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Make an array from a .npy file, in the file's order (C or Fortran).
 *
 *  Versions 1.0, 2.0 and 3.0; the other byte order is converted. Bytes after
 *  the data are ignored. Blocks while the file is read. On failure `a` is
 *  zeroed. */
GPUARRAY_PUBLIC int GpuArray_load_npy(GpuArray *a, gpucontext *ctx,
                                      const char *path);

/** Write an array to a .npy file of version 1.0, in Fortran order if it has
 *  that order, else in C order. An array that is not contiguous is copied on
 *  the device first. Blocks.
 *
 *  A regular file is replaced in one step when the new one is complete and on
 *  the disk: on failure, and after a crash or a loss of power, the old file or
 *  the new one is there. It keeps its mode and owner; a new file has the mode
 *  0666 less the umask. Symbolic links are followed. A file with several names
 *  (hard links), and one whose owner the process cannot keep, is written in
 *  place at the end. Devices, pipes and sockets are written to directly;
 *  opening a pipe waits for its reader. GA_SYS_ERROR for folders and for files
 *  that may not be written. */
GPUARRAY_PUBLIC int GpuArray_save_npy(const GpuArray *a, const char *path);

/** \name Archives
 *  zlib is loaded at first use: GA_LOAD_ERROR when it is missing. An archive is
 *  for one thread at a time. */
/**@{*/
typedef struct gpunpz gpunpz;         /**< to read from */
typedef struct gpunpz_new gpunpz_new; /**< to write to */

/** Open a .npz file; read its directory. The caller closes it. */
GPUARRAY_PUBLIC int gpunpz_open(gpunpz **out, const char *path);
GPUARRAY_PUBLIC void gpunpz_close(gpunpz *z); /**< accepts NULL */
GPUARRAY_PUBLIC size_t gpunpz_count(const gpunpz *z);
/** The name of entry `i`, without ".npy"; borrowed from the archive, NULL when
 *  there is no such entry. */
GPUARRAY_PUBLIC const char *gpunpz_name(const gpunpz *z, size_t i);
/** Make an array from the entry `name`, the last of that name if there are
 *  several; its checksum is verified. GA_VALUE_ERROR when there is none. */
GPUARRAY_PUBLIC int gpunpz_load(GpuArray *a, gpucontext *ctx, gpunpz *z,
                                const char *name);

/** Start a .npz file; with `compress` not 0 its entries are deflated. The
 * caller finishes it. */
GPUARRAY_PUBLIC int gpunpz_create(gpunpz_new **out, const char *path,
                                  int compress);
/** Add an array. Names are unique (GA_VALUE_ERROR). After a failure the file
 *  can only be abandoned. */
GPUARRAY_PUBLIC int gpunpz_add(gpunpz_new *z, const char *name,
                               const GpuArray *a);
/** Finish the file, or with `keep` 0 abandon it, and free `z` in any case;
 *  accepts NULL. The file appears under its name only now, as by
 *  GpuArray_save_npy(). After an earlier failure it is abandoned, and this
 *  returns that failure's code. */
GPUARRAY_PUBLIC int gpunpz_finish(gpunpz_new *z, int keep);
/**@}*/

/** \name Files as they lie there
 *  The elements of a file in host memory, without a copy: pages are read when
 *  they are needed, so a file may be larger than the host's memory. */
/**@{*/
typedef struct gpunpy {
  int typecode;
  int is_swapped; /**< the byte order is not that of the host */
  int is_fortran; /**< the first index moves fastest */
  unsigned int nd;
  const size_t *dims;
  const void *data; /**< any alignment; bools are any bytes */
  size_t bytes;     /**< of all elements */
  void *owner;      /**< what gpunpy_unmap() ends */
} gpunpy;

/** Map a .npy file. Nobody may write to it or shorten it until gpunpy_unmap().
 *  On failure *out is zeroed. */
GPUARRAY_PUBLIC int gpunpy_map(gpunpy *out, const char *path);
/** Map the entry `name` of a .npz file. One that is compressed is read to
 *  memory instead, and only then its checksum is verified. */
GPUARRAY_PUBLIC int gpunpz_map(gpunpy *out, const char *path, const char *name);
/** End it; zeroes *a. Accepts NULL and a zeroed one. */
GPUARRAY_PUBLIC void gpunpy_unmap(gpunpy *a);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
