/* SPDX-License-Identifier: BSD-2-Clause */
/** \file site.h
 *  Sites: the file and line where a variable was built, for errors, profiles
 *  and prints.
 *
 *  gpugraph.h ends with sited.h, after which the building functions are macros
 *  that tell the library where they stand around a call of the function of the
 *  same name, nested calls included; `&gg_add` and `(gg_add)(a, b)` are the
 *  function itself. GG_NO_SITES, defined before gpugraph.h, leaves them alone.
 *  Messages end with " (model.c:42)".
 *
 *  A builder of your own has its callers' places in messages by one line:
 *
 *      #define my_layer(...) GG_SITED_CALLER(my_layer, __VA_ARGS__)
 *
 *  The innermost place counts. Variables that rewriting or a gradient makes
 *  have the place of what they were made of. */
#ifndef GPUGRAPH_SITE_H
#define GPUGRAPH_SITE_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** From here to gg_site_leave, what this thread builds is built at this place.
 *  Pairs nest. `file` is borrowed until then. */
GG_PUBLIC void gg_site_enter(const char *file, int line);
/** The same, and sites that are entered before it is left do not count: for
 *  functions that are made of other building functions. The outermost of
 *  several counts. */
GG_PUBLIC void gg_site_enter_caller(const char *file, int line);
/** End the last gg_site_enter; returns its argument. */
GG_PUBLIC gg_var *gg_site_leave(gg_var *v);
GG_PUBLIC int gg_site_leave_code(int code);
/** The file and line where `v` was built; NULL and 0 if nobody told. The text
 *  lives as long as v's graph. */
GG_PUBLIC const char *gg_var_site(const gg_var *v, int *line);

/** Call `f`, a function that returns a gg_var *, from here. */
#define GG_SITED(f, ...)                                                       \
  (gg_site_enter(__FILE__, __LINE__), gg_site_leave(f(__VA_ARGS__)))
/** The same of a function that is made of others: all that it builds, and its
 *  arguments where they are built in the call, has this site. */
#define GG_SITED_CALLER(f, ...)                                                \
  (gg_site_enter_caller(__FILE__, __LINE__), gg_site_leave(f(__VA_ARGS__)))
/** The same as GG_SITED of a function that returns a code. */
#define GG_SITED_CODE(f, ...)                                                  \
  (gg_site_enter(__FILE__, __LINE__), gg_site_leave_code(f(__VA_ARGS__)))

#ifdef __cplusplus
}
#endif

#endif
