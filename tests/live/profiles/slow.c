/* A server whose `send` costs more: preloaded, it burns CPU before each of the server's answers, or
   sleeps while it holds a lock that all its threads need. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ssize_t (*real_send)(int, const void *, size_t, int);
static unsigned long burn_turns;
static long sleep_ns;

/* Public, so that it has a name in a profile, and a test can measure a turn of it. */
__attribute__((noinline)) void planted_burn(unsigned long turns) {
    for (volatile unsigned long turn = 0; turn < turns; turn++)
        ;
}

__attribute__((noinline)) void planted_sleep(long ns) {
    pthread_mutex_lock(&lock);
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void) {
    real_send = dlsym(RTLD_NEXT, "send");
    const char *turns = getenv("BURN_TURNS"), *ns = getenv("SLEEP_NS");
    burn_turns = turns ? strtoul(turns, NULL, 10) : 0;
    sleep_ns = ns ? strtol(ns, NULL, 10) : 0;
}

ssize_t send(int end, const void *bytes, size_t size, int flags) {
    if (burn_turns)
        planted_burn(burn_turns);
    if (sleep_ns)
        planted_sleep(sleep_ns);
    return real_send(end, bytes, size, flags);
}
