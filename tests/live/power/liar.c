/* Every n-th flush of the server does nothing, takes as long as one that does, and says that it
   did. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const struct timespec as_long = {0, 500000};
static atomic_ulong calls;

static int lies(void) {
    const char *every = getenv("LIES_EVERY");
    unsigned long n = every ? strtoul(every, NULL, 10) : 0;
    return n && atomic_fetch_add(&calls, 1) % n == n - 1;
}

#define FLUSH(name)                                                            \
    int name(int file) {                                                       \
        static int (*real)(int);                                               \
        if (!real)                                                             \
            real = (int (*)(int))dlsym(RTLD_NEXT, #name);                      \
        return lies() ? nanosleep(&as_long, NULL) : real(file);                \
    }

FLUSH(fsync)
FLUSH(fdatasync)
