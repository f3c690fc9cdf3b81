/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/launch/launch_check.h"

#ifdef GA_ASSERTIONS

#include "base/dtype.h"

enum { NAME = 64 };

static const char *name_of(const ga__step *s, char text[NAME]) {
  if (clGetKernelInfo(s->kernel, CL_KERNEL_FUNCTION_NAME, NAME, text, NULL) !=
      CL_SUCCESS)
    text[0] = '\0';
  return text;
}

int ga__launch_check_arg(const GpuLaunch *l, const ga__step *s,
                         unsigned int index, ga__arg_space space, int dtype) {
  static const char *const words[] = {[GA_ARG_UNKNOWN] = "?",
                                      [GA_ARG_IS_VALUE] = "a value",
                                      [GA_ARG_IS_GLOBAL] = "a global pointer",
                                      [GA_ARG_IS_LOCAL] = "a local pointer"};
  const ga__arg_space takes = ga__kernel_arg_space(s->kernel, index);
  char name[NAME];

  if (takes != GA_ARG_UNKNOWN && takes != space)
    return ga__fail(GA_INVALID_ERROR,
                    "%s: argument %u of kernel %s is %s, the kernel takes %s",
                    l->label, index, name_of(s, name), words[space],
                    words[takes]);
  const int type = dtype >= 0 ? ga__kernel_arg_dtype(s->kernel, index) : -1;
  if (type >= 0 && type != dtype)
    return ga__fail(GA_INVALID_ERROR,
                    "%s: argument %u of kernel %s is %s, the kernel takes %s",
                    l->label, index, name_of(s, name), ga__dtype_cl(dtype),
                    ga__dtype_cl(type));
  return GA_NO_ERROR;
}

int ga__launch_check_counts(const GpuLaunch *l) {
  for (size_t i = 0; i < l->steps.n; i++) {
    const ga__step *s = &l->steps.v[i];
    cl_uint takes;
    char name[NAME];

    if (s->kernel == NULL || s->is_empty)
      continue;
    GA_TRY(GA_CL(clGetKernelInfo(s->kernel, CL_KERNEL_NUM_ARGS, sizeof takes,
                                 &takes, NULL)));
    if (takes != s->n_args)
      return ga__fail(GA_INVALID_ERROR,
                      "%s: %u arguments for kernel %s, which takes %u",
                      l->label, s->n_args, name_of(s, name), takes);
  }
  return GA_NO_ERROR;
}

#else
typedef int no_checks; /* a file cannot be empty */
#endif
