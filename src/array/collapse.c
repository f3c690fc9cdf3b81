/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges dimensions before kernels see them. */
#include <gpuarray/util.h>

/* Remove dimension `k` from every list. */
static void drop_dim(unsigned int k, unsigned int n, unsigned int *nd,
                     size_t *dim, ssize_t **strs) {
  --*nd;
  for (unsigned int j = k; j < *nd; j++) {
    dim[j] = dim[j + 1];
    for (unsigned int i = 0; i < n; i++) {
      if (strs[i])
        strs[i][j] = strs[i][j + 1];
    }
  }
}

/* Whether dimensions k and k + 1 can be merged: no argument has a gap between
 * them. */
static int can_merge(unsigned int k, unsigned int n, const size_t *dim,
                     ssize_t *const *strs) {
  for (unsigned int i = 0; i < n; i++) {
    if (strs[i] && strs[i][k] != (ssize_t)dim[k + 1] * strs[i][k + 1])
      return 0;
  }
  return 1;
}

void gpuarray_elemwise_collapse(unsigned int n, unsigned int *nd, size_t *dim,
                                ssize_t **strs) {
  for (unsigned int k = *nd; k-- > 0;) {
    if (dim[k] == 1 && *nd > 1)
      drop_dim(k, n, nd, dim, strs);
  }
  for (unsigned int k = *nd; k-- > 1;) {
    if (!can_merge(k - 1, n, dim, strs))
      continue;
    /* The merged dimension has the size of both and the inner strides. */
    dim[k] *= dim[k - 1];
    drop_dim(k - 1, n, nd, dim, strs);
  }
}
