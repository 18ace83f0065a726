/* Shifts the wall clock of one process: LD_PRELOAD of this library, and the shift in nanoseconds as the first eight bytes
 * of the file that CHAOS_CLOCK_FILE names. Whoever writes there makes the clock jump. The monotonic clock is left alone, as
 * it is when a machine's clock is set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t none = 0;
static volatile int64_t *shift = &none;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
  real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *file = getenv("CHAOS_CLOCK_FILE");
  int descriptor = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return;
  void *memory = mmap(0, 8, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory != MAP_FAILED) shift = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!real_clock_gettime) start();
  int failed = real_clock_gettime(clock, time);
  if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + *shift;
  time->tv_sec = ns / 1000000000;
  time->tv_nsec = ns % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
