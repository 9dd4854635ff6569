/* Makes a server slower by a known time: before each answer it takes BURN_NS nanoseconds, spinning,
 * or asleep where BURN_ASLEEP is set. Loaded into both arms, with 0 in the one that stays as it is.
 * A sleeper is woken late, by how much varies, so the file BURN_COUNTS holds how many answers there
 * were and how many nanoseconds they really took: two longs, that all starts of a server add to.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

static long burn_ns;
static int asleep;
static ssize_t (*next_send)(int, const void *, size_t, int);
static __thread int fine;
static struct counts {
    long answers, ns;
} *counts;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("BURN_NS");
    burn_ns = text ? atol(text) : 0;
    asleep = getenv("BURN_ASLEEP") != NULL;
    next_send = dlsym(RTLD_NEXT, "send");
    int fd = asleep ? open(getenv("BURN_COUNTS"), O_RDWR) : -1;
    void *shared = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    counts = shared == MAP_FAILED ? NULL : shared;
}

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void take_time(void)
{
    long begin = now_ns(), until = begin + burn_ns;
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
    if (counts) {
        __atomic_add_fetch(&counts->answers, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&counts->ns, now_ns() - begin, __ATOMIC_RELAXED);
    }
}

ssize_t send(int fd, const void *from, size_t bytes, int flags)
{
    if (burn_ns > 0)
        take_time();
    return next_send(fd, from, bytes, flags);
}
