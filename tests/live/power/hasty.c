/* A door before a server, which acknowledges before the server writes. Writes of the workload
   `ledger` are answered with OK at once. The server gets them LATE_S later, in order, and its
   answers to them are thrown away. Everything else passes as it is, once the server has what came
   before it.

   hasty SOCKET SERVERS_SOCKET SERVERS_PID */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LATE_S 0.15
#define HEAD 4
#define COM_QUERY 3

struct packet {
    STAILQ_ENTRY(packet) next;
    double due_s;
    size_t size;
    unsigned char bytes[];
};
STAILQ_HEAD(promises, packet);

static const unsigned char all_is_well[] = {7, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0};
static const char *servers_socket;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static int reads(int end, void *into, size_t size) {
    return !size || recv(end, into, size, MSG_WAITALL) == (ssize_t)size;
}

static int writes(int end, const void *bytes, size_t size) {
    return send(end, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static struct packet *read_packet(int end) {
    unsigned char head[HEAD];
    if (!reads(end, head, HEAD))
        return NULL;
    size_t size = HEAD + (head[0] | head[1] << 8 | head[2] << 16);
    struct packet *packet = malloc(sizeof *packet + size);
    packet->size = size;
    memcpy(packet->bytes, head, HEAD);
    if (reads(end, packet->bytes + HEAD, size - HEAD))
        return packet;
    free(packet);
    return NULL;
}

/* The load of tables is no promise: it has quotes around the tables' names. */
static int is_promise(const struct packet *packet) {
    static const char *const begins[] = {"INSERT INTO ledger_", "UPDATE ledger_", "COMMIT"};
    const unsigned char *number = packet->bytes + HEAD - 1, *command = packet->bytes + HEAD;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t length = strlen(begins[i]);
        /* Packets of a login have other numbers than 0. */
        if (packet->size > HEAD + length && *number == 0 && *command == COM_QUERY &&
            !memcmp(command + 1, begins[i], length))
            return 1;
    }
    return 0;
}

/* Hand on what is due, or all of it, each when it is due. */
static int keep_promises(struct promises *promises, int server, int all) {
    struct packet *first;
    while ((first = STAILQ_FIRST(promises)) && (all || first->due_s <= now_s())) {
        double left_s = first->due_s - now_s();
        if (left_s > 0)
            usleep(left_s * 1e6);
        struct packet *answer = NULL;
        if (writes(server, first->bytes, first->size))
            answer = read_packet(server);
        STAILQ_REMOVE_HEAD(promises, next);
        free(first);
        if (!answer)
            return 0;
        free(answer);
    }
    return 1;
}

static int take_command(struct promises *promises, int client, int server) {
    struct packet *packet = read_packet(client);
    if (packet && is_promise(packet)) {
        packet->due_s = now_s() + LATE_S;
        STAILQ_INSERT_TAIL(promises, packet, next);
        return writes(client, all_is_well, sizeof all_is_well);
    }
    int goes_on = keep_promises(promises, server, 1) && packet &&
                  writes(server, packet->bytes, packet->size);
    free(packet);
    return goes_on;
}

static int pass_answer(int server, int client) {
    char bytes[1 << 16];
    ssize_t size = recv(server, bytes, sizeof bytes, 0);
    return size > 0 && writes(client, bytes, size);
}

static struct sockaddr_un address(const char *path) {
    struct sockaddr_un found = {.sun_family = AF_UNIX};
    strncpy(found.sun_path, path, sizeof found.sun_path - 1);
    return found;
}

/* One connection. The server owes no answer while there are promises, so what it says isn't mixed
   up with its answers to them. */
static void *serve(void *argument) {
    int client = (intptr_t)argument, server = socket(AF_UNIX, SOCK_STREAM, 0), goes_on;
    struct sockaddr_un there = address(servers_socket);
    struct pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    struct promises promises = STAILQ_HEAD_INITIALIZER(promises);
    goes_on = !connect(server, (struct sockaddr *)&there, sizeof there);
    while (goes_on) {
        poll(ends, 2, STAILQ_EMPTY(&promises) ? -1 : 10);
        goes_on = (!ends[1].revents || pass_answer(server, client)) &&
                  (!ends[0].revents || take_command(&promises, client, server)) &&
                  keep_promises(&promises, server, 0);
    }
    close(client);
    close(server);
    return NULL;
}

int main(int count, char **words) {
    if (count != 4)
        return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != atoi(words[3]))
        return 1;
    servers_socket = words[2];
    while (access(servers_socket, F_OK))
        usleep(10000);
    struct sockaddr_un here = address(words[1]);
    int door = socket(AF_UNIX, SOCK_STREAM, 0), client;
    if (bind(door, (struct sockaddr *)&here, sizeof here) || listen(door, 64))
        return 1;
    while ((client = accept(door, NULL, NULL)) >= 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)client))
            return 1;
        pthread_detach(thread);
    }
    return 1;
}
