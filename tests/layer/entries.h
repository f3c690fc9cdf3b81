/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenCL entry points that the layer stands before, and the status codes
 * with which each may plausibly fail.
 *
 * LAYER_ENTRIES(X): X(name, codes...). Those that the library uses are checked
 * at build time against src/ (see tests.cmake); the others are CLBlast's.
 * A release does its work and only then reports a failure: nothing else could
 * be told from a leak of the layer's own making. */
#ifndef LAYER_ENTRIES_H
#define LAYER_ENTRIES_H

/* What any call may answer. */
#define LAYER_NO_MEMORY CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY
/* What any call that needs memory on the device may. */
#define LAYER_NO_ROOM CL_MEM_OBJECT_ALLOCATION_FAILURE, LAYER_NO_MEMORY
/* How the failure of an earlier command shows. */
#define LAYER_LATE CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST

#define LAYER_ENTRIES(X)                                                       \
  X(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY, -1001)                            \
  X(clGetPlatformInfo, CL_INVALID_PLATFORM, CL_OUT_OF_HOST_MEMORY)             \
  X(clGetExtensionFunctionAddressForPlatform, CL_INVALID_VALUE)                \
  X(clGetDeviceIDs, CL_DEVICE_NOT_FOUND, LAYER_NO_MEMORY)                      \
  X(clGetDeviceInfo, CL_INVALID_VALUE, LAYER_NO_MEMORY)                        \
  X(clCreateContext, CL_DEVICE_NOT_AVAILABLE, LAYER_NO_MEMORY)                 \
  X(clRetainContext, LAYER_NO_MEMORY)                                          \
  X(clReleaseContext, LAYER_NO_MEMORY)                                         \
  X(clGetContextInfo, CL_INVALID_CONTEXT, LAYER_NO_MEMORY)                     \
  X(clCreateCommandQueue, CL_INVALID_QUEUE_PROPERTIES, LAYER_NO_MEMORY)        \
  X(clRetainCommandQueue, LAYER_NO_MEMORY)                                     \
  X(clReleaseCommandQueue, LAYER_NO_MEMORY)                                    \
  X(clGetCommandQueueInfo, LAYER_NO_MEMORY)                                    \
  X(clCreateBuffer, CL_INVALID_BUFFER_SIZE, LAYER_NO_ROOM)                     \
  X(clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET, LAYER_NO_ROOM)         \
  X(clRetainMemObject, LAYER_NO_MEMORY)                                        \
  X(clReleaseMemObject, LAYER_NO_MEMORY)                                       \
  X(clGetMemObjectInfo, CL_INVALID_MEM_OBJECT, LAYER_NO_MEMORY)                \
  X(clCreateProgramWithSource, CL_INVALID_VALUE, LAYER_NO_MEMORY)              \
  X(clCreateProgramWithBinary, CL_INVALID_BINARY, LAYER_NO_MEMORY)             \
  X(clRetainProgram, LAYER_NO_MEMORY)                                          \
  X(clReleaseProgram, LAYER_NO_MEMORY)                                         \
  X(clBuildProgram, CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE,       \
    LAYER_NO_MEMORY)                                                           \
  X(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, LAYER_NO_MEMORY)          \
  X(clGetProgramBuildInfo, LAYER_NO_MEMORY)                                    \
  X(clCreateKernel, CL_INVALID_KERNEL_NAME, LAYER_NO_MEMORY)                   \
  X(clRetainKernel, LAYER_NO_MEMORY)                                           \
  X(clReleaseKernel, LAYER_NO_MEMORY)                                          \
  X(clSetKernelArg, CL_INVALID_ARG_SIZE, LAYER_NO_MEMORY)                      \
  X(clGetKernelInfo, CL_INVALID_KERNEL, LAYER_NO_MEMORY)                       \
  X(clGetKernelArgInfo, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, LAYER_NO_MEMORY)     \
  X(clGetKernelWorkGroupInfo, LAYER_NO_MEMORY)                                 \
  X(clWaitForEvents, LAYER_LATE, LAYER_NO_MEMORY)                              \
  X(clGetEventInfo, LAYER_NO_MEMORY)                                           \
  X(clRetainEvent, LAYER_NO_MEMORY)                                            \
  X(clReleaseEvent, LAYER_NO_MEMORY)                                           \
  X(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE, LAYER_NO_MEMORY) \
  X(clFlush, LAYER_NO_MEMORY)                                                  \
  X(clFinish, LAYER_NO_MEMORY)                                                 \
  X(clEnqueueReadBuffer, LAYER_LATE, LAYER_NO_ROOM)                            \
  X(clEnqueueWriteBuffer, LAYER_LATE, LAYER_NO_ROOM)                           \
  X(clEnqueueFillBuffer, LAYER_NO_ROOM)                                        \
  X(clEnqueueCopyBuffer, LAYER_NO_ROOM)                                        \
  X(clEnqueueMapBuffer, CL_MAP_FAILURE, LAYER_NO_ROOM)                         \
  X(clEnqueueUnmapMemObject, LAYER_NO_MEMORY)                                  \
  X(clEnqueueBarrierWithWaitList, LAYER_NO_ROOM)                               \
  X(clEnqueueMarkerWithWaitList, LAYER_NO_ROOM)                                \
  X(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, LAYER_NO_ROOM)         \
  X(clEnqueueNativeKernel, CL_INVALID_OPERATION, LAYER_NO_ROOM)

/* clang-format off */
#define LAYER_NUMBER(name, ...) LAYER_##name,
/* clang-format on */
typedef enum layer_entry {
  LAYER_ENTRIES(LAYER_NUMBER) LAYER_N,
  LAYER_ANY = -1
} layer_entry;

#endif
