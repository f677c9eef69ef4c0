/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host without the runtime, for tests/plugins.py:
 *
 *     local_host [WORD FILE]...
 *
 * call: opens a plugin with RTLD_LOCAL, and calls it. threads: the same from several threads at
 * once. local, global: opens a library like that, and does no more. close: closes what was opened
 * by that name. is: prints whether that is loaded. count: prints how many files are loaded now.
 */
#define _GNU_SOURCE /* RTLD_NOLOAD, dl_iterate_phdr */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int count(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info;
  (void)size;
  ++*(int *)context;
  return 0;
}

typedef union {
  void *address;
  int (*call)(void *state);
} plugin_function;

static void *call_plugin(void *context) {
  const plugin_function *plugin = context;
  (void)plugin->call(NULL);
  return NULL;
}

enum { kThreads = 8 };

static void call_in_threads(plugin_function *plugin) {
  pthread_t threads[kThreads];
  int i, num_threads = 0;
  for (i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, call_plugin, plugin) != 0) break;
    ++num_threads;
  }
  for (i = 0; i < num_threads; ++i) (void)pthread_join(threads[i], NULL);
}

static void *open_file(const char *path, int mode) {
  void *library = dlopen(path, RTLD_LAZY | mode);
  if (library == NULL) puts(dlerror());
  return library;
}

int main(int argc, char **argv) {
  int i, num_files = 0;
  (void)setvbuf(stdout, NULL, _IONBF, 0);
  for (i = 1; i + 1 < argc; i += 2) {
    const char *word = argv[i], *path = argv[i + 1];
    plugin_function plugin;
    void *library;
    if (strcmp(word, "call") == 0 || strcmp(word, "threads") == 0) {
      library = open_file(path, RTLD_LOCAL);
      plugin.address = library == NULL ? NULL : dlsym(library, "test_local_plugin");
      if (plugin.address == NULL) return 1;
      if (strcmp(word, "call") == 0) {
        (void)call_plugin(&plugin);
      } else {
        call_in_threads(&plugin);
      }
    } else if (strcmp(word, "count") == 0) {
      num_files = 0;
      (void)dl_iterate_phdr(count, &num_files);
      printf("%d files\n", num_files);
    } else if (strcmp(word, "is") == 0) {
      library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
      puts(library != NULL ? "loaded" : "not loaded");
      if (library != NULL) (void)dlclose(library);
    } else if (strcmp(word, "close") == 0) {
      library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
      if (library == NULL || dlclose(library) != 0 || dlclose(library) != 0) return 1;
    } else if (open_file(path, strcmp(word, "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL) == NULL) {
      return 1;
    }
  }
  puts("alive");
  return 0;
}
