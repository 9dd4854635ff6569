/* Of n times RUN flushes of the server the last RUN do nothing, take as long as those that do, and
   say that they did. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define RUN 20

static const struct timespec as_long = {0, 500000};
static atomic_ulong calls;

static int lies(void) {
    const char *every = getenv("LIES_EVERY");
    unsigned long n = every ? strtoul(every, NULL, 10) : 0;
    return n && atomic_fetch_add(&calls, 1) / RUN % n == n - 1;
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
