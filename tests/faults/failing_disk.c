/* Calls of the system that fail or dawdle as planned, for a child that is started with LD_PRELOAD.

   failing_disk_fail(call, suffix, after, error): of the calls (a letter: s fsync and fdatasync,
   w write, o open to write, r open to read) on files whose name ends in the suffix, the one after
   `after` others fails with `error`, and all later ones too if `error` is negative.
   failing_disk_slow(suffix, milliseconds): each fsync of, and write to, such files takes so long.
   failing_disk_during(n): calls fail only while the n-th fsync (from 0) of such slow files is under
   way, which waits up to two seconds for that.
   failing_disk_met(): how many calls have failed. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char fail_call = 0, fail_suffix[64], slow_suffix[64];
static int fail_after = 0, fail_error = 0, slow_ms = 0, met = 0;
static int during = -1, slow_syncs = 0, is_due = 0;

void failing_disk_fail(char call, const char *suffix, int after, int error) {
    pthread_mutex_lock(&lock);
    fail_call = call;
    snprintf(fail_suffix, sizeof fail_suffix, "%s", suffix);
    fail_after = after;
    fail_error = error;
    pthread_mutex_unlock(&lock);
}

void failing_disk_slow(const char *suffix, int ms) {
    snprintf(slow_suffix, sizeof slow_suffix, "%s", suffix);
    slow_ms = ms;
}

void failing_disk_during(int n) {
    slow_syncs = 0;
    during = n;
}

int failing_disk_met(void) { return met; }

static int ends(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n >= m && !strcmp(name + n - m, suffix);
}

static int fails(char call, const char *name) {
    int error = 0;
    pthread_mutex_lock(&lock);
    if (fail_error && fail_call == call && (during < 0 || is_due) && ends(name, fail_suffix) && fail_after-- <= 0) {
        error = fail_error < 0 ? -fail_error : fail_error;
        if (fail_error > 0)
            fail_error = 0;
        met++;
    }
    pthread_mutex_unlock(&lock);
    errno = error ? error : errno;
    return error;
}

static const char *name_of(int fd, char *buffer, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, buffer, size - 1);
    buffer[n < 0 ? 0 : n] = 0;
    return buffer;
}

static int synced(const char *which, int fd) {
    char buffer[4096];
    int (*real)(int) = dlsym(RTLD_NEXT, which);
    const char *name = name_of(fd, buffer, sizeof buffer);
    if (slow_ms && ends(name, slow_suffix)) {
        usleep(1000 * slow_ms);
        if (slow_syncs++ == during) {
            is_due = 1;
            for (int k = 0; k < 200 && !met; k++)
                usleep(10000);
            usleep(50000); /* for whoever met it to act on it */
            is_due = 0;
        }
    }
    return fails('s', name) ? -1 : real(fd);
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

ssize_t write(int fd, const void *data, size_t size) {
    char buffer[4096];
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    if (slow_ms || fail_call == 'w') {
        const char *name = name_of(fd, buffer, sizeof buffer);
        if (slow_ms && ends(name, slow_suffix))
            usleep(1000 * slow_ms);
        if (fails('w', name))
            return -1;
    }
    return real(fd, data, size);
}

static int opened(const char *which, const char *path, int flags, int mode) {
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, which);
    return fails((flags & O_ACCMODE) == O_RDONLY ? 'r' : 'o', path) ? -1 : real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return opened("open64", path, flags, mode);
}
