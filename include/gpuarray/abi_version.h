/* SPDX-License-Identifier: BSD-2-Clause */
/** \file abi_version.h
 * The binary interface's version: thousands go into the soname
 * (libgpuarray.so.3), the rest counts compatible additions. */
#ifndef GPUARRAY_ABI_VERSION
#define GPUARRAY_ABI_VERSION 3000
#endif
