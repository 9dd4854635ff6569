/* A server whose `send` costs more: preloaded, it burns CPU before each of the server's answers, or
   sleeps while it holds a lock that all its threads need. What it burned stands in a file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Shared by all servers that burn: a host's speed may change from one to the next. */
struct burned {
    unsigned long calls, cpu_ns;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ssize_t (*real_send)(int, const void *, size_t, int);
static unsigned long burn_turns;
static long sleep_ns;
static struct burned *burned;

/* Public, so that it has a name in a profile. Each turn waits for the product of the last one, about
   3 cycles on any CPU. To count in memory took 0.4 to 2.5 ns a turn, by CPU and by process. */
__attribute__((noinline)) void planted_burn(unsigned long turns) {
    unsigned long product = 1;
    for (unsigned long turn = 0; turn < turns; turn++) {
        product *= 6364136223846793005UL;
        asm volatile("" : "+r"(product));
    }
}

static unsigned long own_cpu_ns(void) {
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1000000000UL + used.tv_nsec;
}

static void burn_and_count(void) {
    /* To read the clock takes a microsecond itself. */
    unsigned long first_ns = own_cpu_ns(), begun_ns = own_cpu_ns();
    planted_burn(burn_turns);
    unsigned long cpu_ns = own_cpu_ns() - begun_ns - (begun_ns - first_ns);
    __atomic_add_fetch(&burned->cpu_ns, cpu_ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&burned->calls, 1, __ATOMIC_RELAXED);
}

static void open_burned(void) {
    int file = open(getenv("BURNED"), O_RDWR | O_CLOEXEC);
    if (file < 0)
        abort();
    burned = mmap(NULL, sizeof *burned, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (burned == MAP_FAILED)
        abort();
    close(file);
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
    if (burn_turns)
        open_burned();
}

ssize_t send(int end, const void *bytes, size_t size, int flags) {
    if (burn_turns)
        burn_and_count();
    if (sleep_ns)
        planted_sleep(sleep_ns);
    return real_send(end, bytes, size, flags);
}
