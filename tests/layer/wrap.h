/* SPDX-License-Identifier: BSD-2-Clause */
/* Short forms for the wrappers: each counts the call, checks the objects in it
 * and fails or makes it. */
#ifndef LAYER_WRAP_H
#define LAYER_WRAP_H

#include "layer/state.h"

/* A call that creates nothing: `use` are the objects it uses. */
#define LAYER_PASS(name, params, args, ...)                                    \
  static cl_int CL_API_CALL wrap_##name params {                               \
    void *const used[] = {__VA_ARGS__};                                        \
    cl_int status;                                                             \
                                                                               \
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)                    \
      layer_used(used[i], LAYER_##name);                                       \
    status = layer_enter(LAYER_##name).status;                                 \
    return status != CL_SUCCESS ? status : layer_next.name args;               \
  }

/* A retain, and a release, which is done in any case (see entries.h) and noted
 * before the driver can give the address away again. */
#define LAYER_RETAIN(name, type)                                               \
  static cl_int CL_API_CALL wrap_##name(type object) {                         \
    const cl_int fault = layer_enter(LAYER_##name).status;                     \
                                                                               \
    if (fault != CL_SUCCESS)                                                   \
      return fault;                                                            \
    layer_retained(object, LAYER_##name);                                      \
    return layer_next.name(object);                                            \
  }
#define LAYER_RELEASE(name, type, note)                                        \
  static cl_int CL_API_CALL wrap_##name(type object) {                         \
    const cl_int fault = layer_enter(LAYER_##name).status;                     \
    cl_int status;                                                             \
                                                                               \
    note(object, LAYER_##name);                                                \
    status = layer_next.name(object);                                          \
    return fault != CL_SUCCESS ? fault : status;                               \
  }

/* A call that makes an object and has its status in *err. */
#define LAYER_FAILS(entry, err)                                                \
  do {                                                                         \
    const cl_int fault_ = layer_enter(entry).status;                           \
    if (fault_ != CL_SUCCESS) {                                                \
      if ((err) != NULL)                                                       \
        *(err) = fault_;                                                       \
      return NULL;                                                             \
    }                                                                          \
  } while (0)

#endif
