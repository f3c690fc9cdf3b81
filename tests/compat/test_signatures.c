/* SPDX-License-Identifier: BSD-2-Clause */
/* The 130 functions of libgpuarray 0.7.6: each declared a second time, so that
 * a header that disagrees does not compile, and looked up by name in the shared
 * library, as a program's loader does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>

#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/buffer.h>
#include <gpuarray/buffer_blas.h>
#include <gpuarray/buffer_collectives.h>
#include <gpuarray/collectives.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/extension.h>
#include <gpuarray/kernel.h>
#include <gpuarray/types.h>
#include <gpuarray/util.h>

const char *gpuarray_error_str(int err);
int gpuarray_register_type(gpuarray_type *t, int *ret);
const gpuarray_type *gpuarray_get_type(int typecode);
size_t gpuarray_get_elsize(int typecode);
int gpuarray_type_flags(int init, ...);
int gpuarray_type_flagsa(unsigned int n, gpuelemwise_arg *arg);
void gpuarray_elemwise_collapse(unsigned int n, unsigned int *nd, size_t *dim,
                                ssize_t **strs);
int gpu_get_platform_count(const char *name, unsigned int *platcount);
int gpu_get_device_count(const char *name, unsigned int platform,
                         unsigned int *devcount);
int gpucontext_props_new(gpucontext_props **res);
int gpucontext_props_cuda_dev(gpucontext_props *p, int devno);
int gpucontext_props_opencl_dev(gpucontext_props *p, int platno, int devno);
int gpucontext_props_sched(gpucontext_props *p, int sched);
int gpucontext_props_set_single_stream(gpucontext_props *p);
int gpucontext_props_kernel_cache(gpucontext_props *p, const char *path);
int gpucontext_props_alloc_cache(gpucontext_props *p, size_t initial,
                                 size_t max);
void gpucontext_props_del(gpucontext_props *p);
int gpucontext_init(gpucontext **res, const char *name,
                    gpucontext_props *props);
void gpucontext_deref(gpucontext *ctx);
int gpucontext_property(gpucontext *ctx, int prop_id, void *res);
const char *gpucontext_error(gpucontext *ctx, int err);
gpudata *gpudata_alloc(gpucontext *ctx, size_t sz, void *data, int flags,
                       int *ret);
void gpudata_retain(gpudata *b);
void gpudata_release(gpudata *b);
int gpudata_share(gpudata *a, gpudata *b, int *ret);
int gpudata_move(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                 size_t sz);
int gpudata_transfer(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                     size_t sz);
int gpudata_read(void *dst, gpudata *src, size_t srcoff, size_t sz);
int gpudata_write(gpudata *dst, size_t dstoff, const void *src, size_t sz);
int gpudata_memset(gpudata *dst, size_t dstoff, int data);
int gpudata_sync(gpudata *b);
int gpudata_property(gpudata *buf, int prop_id, void *res);
gpucontext *gpudata_context(gpudata *b);
gpukernel *gpukernel_init(gpucontext *ctx, unsigned int count,
                          const char **strings, const size_t *lengths,
                          const char *fname, unsigned int numargs,
                          const int *typecodes, int flags, int *ret,
                          char **err_str);
void gpukernel_retain(gpukernel *k);
void gpukernel_release(gpukernel *k);
int gpukernel_setarg(gpukernel *k, unsigned int i, void *a);
int gpukernel_call(gpukernel *k, unsigned int n, const size_t *gs,
                   const size_t *ls, size_t shared, void **args);
int gpukernel_property(gpukernel *k, int prop_id, void *res);
gpucontext *gpukernel_context(gpukernel *k);
int GpuKernel_init(GpuKernel *k, gpucontext *ctx, unsigned int count,
                   const char **strs, const size_t *lens, const char *name,
                   unsigned int argcount, const int *types, int flags,
                   char **err_str);
void GpuKernel_clear(GpuKernel *k);
gpucontext *GpuKernel_context(GpuKernel *k);
int GpuKernel_setarg(GpuKernel *k, unsigned int i, void *val);
int GpuKernel_sched(GpuKernel *k, size_t n, size_t *gs, size_t *ls);
int GpuKernel_call(GpuKernel *k, unsigned int n, const size_t *gs,
                   const size_t *ls, size_t shared, void **args);
const char *GpuKernel_error(const GpuKernel *k, int err);
void GpuArray_fix_flags(GpuArray *a);
int GpuArray_empty(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                   const size_t *dims, ga_order ord);
int GpuArray_zeros(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                   const size_t *dims, ga_order ord);
int GpuArray_fromdata(GpuArray *a, gpudata *data, size_t offset, int typecode,
                      unsigned int nd, const size_t *dims,
                      const ssize_t *strides, int writeable);
int GpuArray_view(GpuArray *v, const GpuArray *a);
int GpuArray_sync(GpuArray *a);
int GpuArray_index(GpuArray *r, const GpuArray *a, const ssize_t *starts,
                   const ssize_t *stops, const ssize_t *steps);
int GpuArray_index_inplace(GpuArray *a, const ssize_t *starts,
                           const ssize_t *stops, const ssize_t *steps);
int GpuArray_take1(GpuArray *a, const GpuArray *v, const GpuArray *i,
                   int check_error);
int GpuArray_setarray(GpuArray *a, const GpuArray *v);
int GpuArray_reshape(GpuArray *res, const GpuArray *a, unsigned int nd,
                     const size_t *newdims, ga_order ord, int nocopy);
int GpuArray_reshape_inplace(GpuArray *a, unsigned int nd,
                             const size_t *newdims, ga_order ord);
int GpuArray_transpose(GpuArray *res, const GpuArray *a,
                       const unsigned int *new_axes);
int GpuArray_transpose_inplace(GpuArray *a, const unsigned int *new_axes);
void GpuArray_clear(GpuArray *a);
int GpuArray_share(const GpuArray *a, const GpuArray *b);
gpucontext *GpuArray_context(const GpuArray *a);
int GpuArray_move(GpuArray *dst, const GpuArray *src);
int GpuArray_write(GpuArray *dst, const void *src, size_t src_sz);
int GpuArray_read(void *dst, size_t dst_sz, const GpuArray *src);
int GpuArray_memset(GpuArray *a, int data);
int GpuArray_copy(GpuArray *res, const GpuArray *a, ga_order order);
int GpuArray_transfer(GpuArray *res, const GpuArray *a);
int GpuArray_split(GpuArray **rs, const GpuArray *a, size_t n, size_t *p,
                   unsigned int axis);
int GpuArray_concatenate(GpuArray *r, const GpuArray **as, size_t n,
                         unsigned int axis, int restype);
const char *GpuArray_error(const GpuArray *a, int err);
void GpuArray_fprintf(FILE *fd, const GpuArray *a);
int GpuArray_fdump(FILE *fd, const GpuArray *a);
int GpuArray_maxandargmax(GpuArray *dstMax, GpuArray *dstArgmax,
                          const GpuArray *src, unsigned reduxLen,
                          const unsigned *reduxList);
GpuElemwise *GpuElemwise_new(gpucontext *ctx, const char *preamble,
                             const char *expr, unsigned int n,
                             gpuelemwise_arg *args, unsigned int nd, int flags);
void GpuElemwise_free(GpuElemwise *ge);
int GpuElemwise_call(GpuElemwise *ge, void **args, int flags);
int GpuArray_rdot(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy);
int GpuArray_rgemv(cb_transpose transA, double alpha, GpuArray *A, GpuArray *X,
                   double beta, GpuArray *Y, int nocopy);
int GpuArray_rgemm(cb_transpose transA, cb_transpose transB, double alpha,
                   GpuArray *A, GpuArray *B, double beta, GpuArray *C,
                   int nocopy);
int GpuArray_rger(double alpha, GpuArray *X, GpuArray *Y, GpuArray *A,
                  int nocopy);
int GpuArray_rgemmBatch_3d(cb_transpose transA, cb_transpose transB,
                           double alpha, GpuArray *A, GpuArray *B, double beta,
                           GpuArray *C, int nocopy);
int gpublas_setup(gpucontext *ctx);
void gpublas_teardown(gpucontext *ctx);
const char *gpublas_error(gpucontext *ctx);
int gpublas_hdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ);
int gpublas_sdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ);
int gpublas_ddot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                 size_t offY, size_t incY, gpudata *Z, size_t offZ);
int gpublas_hgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                  int incY);
int gpublas_sgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                  int incY);
int gpublas_dgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                  double alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                  size_t offX, int incX, double beta, gpudata *Y, size_t offY,
                  int incY);
int gpublas_hgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  float beta, gpudata *C, size_t offC, size_t ldc);
int gpublas_sgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  float beta, gpudata *C, size_t offC, size_t ldc);
int gpublas_dgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                  size_t M, size_t N, size_t K, double alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                  double beta, gpudata *C, size_t offC, size_t ldc);
int gpublas_hger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda);
int gpublas_sger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda);
int gpublas_dger(cb_order order, size_t M, size_t N, double alpha, gpudata *X,
                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                 gpudata *A, size_t offA, size_t lda);
int gpublas_hgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, float beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags);
int gpublas_hgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags);
int gpublas_sgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags);
int gpublas_dgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                    size_t M, size_t N, size_t K, double alpha, gpudata *A,
                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                    size_t offB, size_t ldb, ssize_t strideB, double beta,
                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                    size_t batchCount, int flags);
int gpublas_sgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, float beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags);
int gpublas_dgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                       size_t M, size_t N, size_t K, double alpha, gpudata **A,
                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                       size_t ldb, double beta, gpudata **C, size_t *offC,
                       size_t ldc, size_t batchCount, int flags);
int gpublas_hgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       float alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, float beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags);
int gpublas_sgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       float alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, float beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags);
int gpublas_dgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                       double alpha, gpudata **A, size_t *offA, size_t lda,
                       gpudata **x, size_t *offX, size_t incX, double beta,
                       gpudata **y, size_t *offY, size_t incY,
                       size_t batchCount, int flags);
int gpublas_hgerBatch(cb_order order, size_t M, size_t N, float alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags);
int gpublas_sgerBatch(cb_order order, size_t M, size_t N, float alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags);
int gpublas_dgerBatch(cb_order order, size_t M, size_t N, double alpha,
                      gpudata **x, size_t *offX, size_t incX, gpudata **y,
                      size_t *offY, size_t incY, gpudata **A, size_t *offA,
                      size_t lda, size_t batchCount, int flags);
int GpuArray_reduce_from(const GpuArray *src, int opcode, int root,
                         gpucomm *comm);
int GpuArray_reduce(const GpuArray *src, GpuArray *dest, int opcode, int root,
                    gpucomm *comm);
int GpuArray_all_reduce(const GpuArray *src, GpuArray *dest, int opcode,
                        gpucomm *comm);
int GpuArray_reduce_scatter(const GpuArray *src, GpuArray *dest, int opcode,
                            gpucomm *comm);
int GpuArray_broadcast(GpuArray *array, int root, gpucomm *comm);
int GpuArray_all_gather(const GpuArray *src, GpuArray *dest, gpucomm *comm);
int gpucomm_new(gpucomm **comm, gpucontext *ctx, gpucommCliqueId comm_id,
                int ndev, int rank);
void gpucomm_free(gpucomm *comm);
const char *gpucomm_error(gpucontext *ctx);
gpucontext *gpucomm_context(gpucomm *comm);
int gpucomm_gen_clique_id(gpucontext *ctx, gpucommCliqueId *comm_id);
int gpucomm_get_count(gpucomm *comm, int *devcount);
int gpucomm_get_rank(gpucomm *comm, int *rank);
int gpucomm_reduce(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest,
                   size_t count, int typecode, int opcode, int root,
                   gpucomm *comm);
int gpucomm_all_reduce(gpudata *src, size_t offsrc, gpudata *dest,
                       size_t offdest, size_t count, int typecode, int opcode,
                       gpucomm *comm);
int gpucomm_reduce_scatter(gpudata *src, size_t offsrc, gpudata *dest,
                           size_t offdest, size_t count, int typecode,
                           int opcode, gpucomm *comm);
int gpucomm_broadcast(gpudata *array, size_t offset, size_t count, int typecode,
                      int root, gpucomm *comm);
int gpucomm_all_gather(gpudata *src, size_t offsrc, gpudata *dest,
                       size_t offdest, size_t count, int typecode,
                       gpucomm *comm);
void *gpuarray_get_extension(const char *name);

static const char *const names[] = {
    "gpuarray_error_str",
    "gpuarray_register_type",
    "gpuarray_get_type",
    "gpuarray_get_elsize",
    "gpuarray_type_flags",
    "gpuarray_type_flagsa",
    "gpuarray_elemwise_collapse",
    "gpu_get_platform_count",
    "gpu_get_device_count",
    "gpucontext_props_new",
    "gpucontext_props_cuda_dev",
    "gpucontext_props_opencl_dev",
    "gpucontext_props_sched",
    "gpucontext_props_set_single_stream",
    "gpucontext_props_kernel_cache",
    "gpucontext_props_alloc_cache",
    "gpucontext_props_del",
    "gpucontext_init",
    "gpucontext_deref",
    "gpucontext_property",
    "gpucontext_error",
    "gpudata_alloc",
    "gpudata_retain",
    "gpudata_release",
    "gpudata_share",
    "gpudata_move",
    "gpudata_transfer",
    "gpudata_read",
    "gpudata_write",
    "gpudata_memset",
    "gpudata_sync",
    "gpudata_property",
    "gpudata_context",
    "gpukernel_init",
    "gpukernel_retain",
    "gpukernel_release",
    "gpukernel_setarg",
    "gpukernel_call",
    "gpukernel_property",
    "gpukernel_context",
    "GpuKernel_init",
    "GpuKernel_clear",
    "GpuKernel_context",
    "GpuKernel_setarg",
    "GpuKernel_sched",
    "GpuKernel_call",
    "GpuKernel_error",
    "GpuArray_fix_flags",
    "GpuArray_empty",
    "GpuArray_zeros",
    "GpuArray_fromdata",
    "GpuArray_view",
    "GpuArray_sync",
    "GpuArray_index",
    "GpuArray_index_inplace",
    "GpuArray_take1",
    "GpuArray_setarray",
    "GpuArray_reshape",
    "GpuArray_reshape_inplace",
    "GpuArray_transpose",
    "GpuArray_transpose_inplace",
    "GpuArray_clear",
    "GpuArray_share",
    "GpuArray_context",
    "GpuArray_move",
    "GpuArray_write",
    "GpuArray_read",
    "GpuArray_memset",
    "GpuArray_copy",
    "GpuArray_transfer",
    "GpuArray_split",
    "GpuArray_concatenate",
    "GpuArray_error",
    "GpuArray_fprintf",
    "GpuArray_fdump",
    "GpuArray_maxandargmax",
    "GpuElemwise_new",
    "GpuElemwise_free",
    "GpuElemwise_call",
    "GpuArray_rdot",
    "GpuArray_rgemv",
    "GpuArray_rgemm",
    "GpuArray_rger",
    "GpuArray_rgemmBatch_3d",
    "gpublas_setup",
    "gpublas_teardown",
    "gpublas_error",
    "gpublas_hdot",
    "gpublas_sdot",
    "gpublas_ddot",
    "gpublas_hgemv",
    "gpublas_sgemv",
    "gpublas_dgemv",
    "gpublas_hgemm",
    "gpublas_sgemm",
    "gpublas_dgemm",
    "gpublas_hger",
    "gpublas_sger",
    "gpublas_dger",
    "gpublas_hgemmBatch",
    "gpublas_hgemm3D",
    "gpublas_sgemm3D",
    "gpublas_dgemm3D",
    "gpublas_sgemmBatch",
    "gpublas_dgemmBatch",
    "gpublas_hgemvBatch",
    "gpublas_sgemvBatch",
    "gpublas_dgemvBatch",
    "gpublas_hgerBatch",
    "gpublas_sgerBatch",
    "gpublas_dgerBatch",
    "GpuArray_reduce_from",
    "GpuArray_reduce",
    "GpuArray_all_reduce",
    "GpuArray_reduce_scatter",
    "GpuArray_broadcast",
    "GpuArray_all_gather",
    "gpucomm_new",
    "gpucomm_free",
    "gpucomm_error",
    "gpucomm_context",
    "gpucomm_gen_clique_id",
    "gpucomm_get_count",
    "gpucomm_get_rank",
    "gpucomm_reduce",
    "gpucomm_all_reduce",
    "gpucomm_reduce_scatter",
    "gpucomm_broadcast",
    "gpucomm_all_gather",
    "gpuarray_get_extension",
};

static void test_every_name_is_exported(void **state) {
  void *lib = dlopen(LIBGPUARRAY, RTLD_NOW | RTLD_LOCAL);
  size_t i;

  (void)state;
  if (lib == NULL)
    fail_msg("%s", dlerror());
  assert_int_equal(sizeof names / sizeof names[0], 130);
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (dlsym(lib, names[i]) == NULL)
      fail_msg("%s is not exported", names[i]);
  }
  dlclose(lib);
}

static void test_internals_are_hidden(void **state) {
  static const char *const hidden[] = {"ga__fail", "ga__malloc", "ga__template",
                                       "ga__extent"};
  void *lib = dlopen(LIBGPUARRAY, RTLD_NOW | RTLD_LOCAL);
  size_t i;

  (void)state;
  assert_non_null(lib);
  for (i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
    if (dlsym(lib, hidden[i]) != NULL)
      fail_msg("%s is exported", hidden[i]);
  }
  dlclose(lib);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_name_is_exported),
      cmocka_unit_test(test_internals_are_hidden),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
