/* SPDX-License-Identifier: BSD-2-Clause */
/** \file site.h
 *  Sites: the file and line where a variable was built, for errors, profiles
 *  and prints.
 *
 *  gpugraph.h ends with sited.h, which defines a macro for each building
 *  function. The macro passes its file and line to the library and calls the
 *  function of the same name; nested calls do so, too. `&gg_add` and
 *  `(gg_add)(a, b)` are the function itself. Define GG_NO_SITES before
 *  gpugraph.h to omit the macros. Messages end with " (model.c:42)".
 *
 *  One line gives a building function of your own the sites of its callers:
 *
 *      #define my_layer(...) GG_SITED_CALLER(my_layer, __VA_ARGS__)
 *
 *  The innermost site counts. Variables that rewriting or a gradient makes have
 *  the site of the variable that they are made from. */
#ifndef GPUGRAPH_SITE_H
#define GPUGRAPH_SITE_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Set the site of what this thread builds from here to gg_site_leave. Pairs
 *  nest. `file` is borrowed until then. */
GG_PUBLIC void gg_site_enter(const char *file, int line);
/** The same for functions that call other building functions: sites that are
 *  entered inside of it do not count. If calls of this function nest, the
 *  outermost counts. */
GG_PUBLIC void gg_site_enter_caller(const char *file, int line);
/** Leave the last site that was entered. Returns the argument. */
GG_PUBLIC gg_var *gg_site_leave(gg_var *v);
GG_PUBLIC int gg_site_leave_code(int code);
/** The file and line where `v` was built; NULL and 0 if unknown. The file name
 *  lives as long as v's graph. `line` may be NULL. */
GG_PUBLIC const char *gg_var_site(const gg_var *v, int *line);

/** Call `f`, a function that returns a gg_var *, with this line as the site. */
#define GG_SITED(f, ...)                                                       \
  (gg_site_enter(__FILE__, __LINE__), gg_site_leave(f(__VA_ARGS__)))
/** The same for a function that calls other building functions. All that it
 *  builds has this site, and so have arguments that the call builds. */
#define GG_SITED_CALLER(f, ...)                                                \
  (gg_site_enter_caller(__FILE__, __LINE__), gg_site_leave(f(__VA_ARGS__)))
/** GG_SITED for a function that returns a code. */
#define GG_SITED_CODE(f, ...)                                                  \
  (gg_site_enter(__FILE__, __LINE__), gg_site_leave_code(f(__VA_ARGS__)))

#ifdef __cplusplus
}
#endif

#endif
