/* SPDX-License-Identifier: BSD-2-Clause */
/** \file config.h
 * Versions, symbol visibility and the fixed-width types of every header. */
#ifndef GPUARRAY_CONFIG
#define GPUARRAY_CONFIG

#include <gpuarray/abi_version.h>

/** Grows with each set of functions added to the interface. */
#define GPUARRAY_API_VERSION 2

/** Marks what the shared library exports. On Windows, define GPUARRAY_SHARED
 * to use the DLL; elsewhere nothing needs to be defined. */
#if defined(_WIN32) && defined(GPUARRAY_SHARED)
#ifdef GPUARRAY_BUILDING_DLL
#define GPUARRAY_PUBLIC __declspec(dllexport)
#else
#define GPUARRAY_PUBLIC __declspec(dllimport)
#endif
#elif defined(__GNUC__) && !defined(_WIN32)
#define GPUARRAY_PUBLIC __attribute__((visibility("default")))
#else
#define GPUARRAY_PUBLIC
#endif

/** Lets compilers compare the arguments with the format of a printf-like
 * function: argument `fmt` is the format, `args` the first of its values. */
#if defined(__GNUC__)
#define GPUARRAY_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define GPUARRAY_PRINTF(fmt, args)
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef _MSC_VER
/** MSVC has no POSIX ssize_t. */
#ifndef SSIZE_MAX
#define ssize_t intptr_t
#define SSIZE_MAX INTPTR_MAX
#endif
#else
#include <sys/types.h>
#endif

#endif
