/* Makes a server slower by a known time: before each answer it takes BURN_NS nanoseconds, spinning,
 * or asleep where BURN_ASLEEP is set. Loaded into both arms, with 0 in the one that stays as it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

static long burn_ns;
static int asleep;
static ssize_t (*next_send)(int, const void *, size_t, int);
static __thread int fine;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("BURN_NS");
    burn_ns = text ? atol(text) : 0;
    asleep = getenv("BURN_ASLEEP") != NULL;
    next_send = dlsym(RTLD_NEXT, "send");
}

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void take_time(void)
{
    long until = now_ns() + burn_ns;
    if (asleep) {
        struct timespec t = {burn_ns / 1000000000L, burn_ns % 1000000000L};
        if (!fine) {
            /* The kernel may add its slack of 50 us to each sleep. */
            prctl(PR_SET_TIMERSLACK, 1UL);
            fine = 1;
        }
        nanosleep(&t, NULL);
    }
    while (!asleep && now_ns() < until)
        ;
}

ssize_t send(int fd, const void *from, size_t bytes, int flags)
{
    if (burn_ns > 0)
        take_time();
    return next_send(fd, from, bytes, flags);
}
