/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ISO C has no conversion from void * to a pointer to a function; POSIX allows
 * it. */
static int find_symbols(void *handle, const ga__symbol *symbols) {
  for (const ga__symbol *s = symbols; s->name != NULL; s++) {
    void *const p = dlsym(handle, s->name);

    if (p == NULL)
      return 0;
    memcpy(s->function, &p, sizeof p);
  }
  return 1;
}

static int load(const ga__library *library) {
  void *handle = NULL;

  for (int i = 0; i < 2 && handle == NULL && library->files[i] != NULL; i++)
    handle = dlopen(library->files[i], RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return 0;
  if (find_symbols(handle, library->symbols))
    return 1;
  dlclose(handle);
  return 0;
}

int ga__library_load(ga__library *library) {
  pthread_mutex_lock(&lock);
  if (!library->was_tried)
    library->is_there = load(library);
  library->was_tried = 1;
  const int is_there = library->is_there;
  pthread_mutex_unlock(&lock);
  return is_there;
}
