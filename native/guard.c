/*
** The guard: what makes SQLite stoppable, and safe for SQL from strangers.
**
** It is two things at once, and both share the static state below:
**   - a SQLite loadable extension, loaded once per connection (entry point sqlite3_guard_init);
**   - a Node-API module, loaded by the main thread and by every worker thread. statements.c is the part of it that runs statements.
**
** A connection gets a number. A worker arms it before each query and disarms it afterwards; a watchdog thread of our
** own looks at the armed queries, and calls sqlite3_interrupt on one that is over its CPU time, over its wall-clock
** backstop, or cancelled by the main thread. README.md is the list of threats, each with its test.
**
** Why no interrupt ever hits another query: arming, disarming and interrupting take the connection's lock, and only an armed
** query is interrupted. SQLite itself clears a pending interrupt when the next statement starts. Why none is lost: the
** watchdog repeats it every millisecond until the query is disarmed.
*/
#if !defined(__APPLE__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach/mach.h>
#include <mach/thread_act.h>
#elif defined(__linux__)
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#endif

#include "guard.h"
SQLITE_EXTENSION_INIT1

#define CONNECTION_COUNT_MAX 65536
#define CANCELLED_COUNT_MAX 16384 /* queries that can be cancelled at once: threads have several each on their way */
#define THREAD_COUNT_MAX 2048 /* threads that run queries at once, and so queries that can be cancelled at once */
#define REPEAT_NS 1000000ull
#define MS 1000000ull

/* Lowered limits of a guarded connection. SQLite's own defaults are in its documentation (limits.html). */
#define SQL_LENGTH_MAX 100000       /* bytes of a statement */
#define COLUMN_COUNT_MAX 512        /* columns of a result, an index, a GROUP BY, ... */
#define COMPOUND_SELECT_COUNT_MAX 64
#define FUNCTION_ARG_COUNT_MAX 100
#define VDBE_OP_COUNT_MAX 100000
#define LIKE_PATTERN_LENGTH_MAX 128 /* bytes; against a text of LENGTH_MAX it takes about 0.4 s at the worst */
#define EXPR_DEPTH_MAX 1000
#define TEMP_BYTES_MAX (128ll * 1024 * 1024)   /* what a query may spill into temporary files */
#define TEMP_FILE_COUNT_MAX 16                 /* temporary files of a query that are open at once */
#define MEMORY_BYTES_MAX (128ll * 1024 * 1024) /* what SQLite may allocate for a query */

/* Held while a process sets the guard up: never while a query runs. */
static pthread_mutex_t setup_mutex = PTHREAD_MUTEX_INITIALIZER;
static int watchdog_started = 0;
static int wake_pipe[2] = {-1, -1};
static _Atomic uint64_t watchdog_sleeps_until = 0;
static _Atomic(Connection *) connections[CONNECTION_COUNT_MAX];
/* What each thread has armed. A thread takes a slot when it arms for the first time, and gives it back when it ends. */
static _Atomic(Connection *) armed_by_slot[THREAD_COUNT_MAX];
static _Atomic int slot_taken[THREAD_COUNT_MAX];
static _Atomic int slot_count = 0; /* slots that were ever taken */
static pthread_key_t slot_key;
static __thread int slot = -1;
/* Queries that the main thread has cancelled and not heard of since; 0 is a free place. */
static _Atomic uint64_t cancelled_ids[CANCELLED_COUNT_MAX];
static _Atomic int cancelled_count = 0;
static _Atomic uint64_t query_id_next = 1;
static __thread Connection *running = 0; /* the query that this thread has armed */

/* ---- clocks ---- */

uint64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* CPU time of the thread that armed this connection; may be called from any thread. 0 when the thread is gone. */
static uint64_t thread_cpu_ns(const Connection *c) {
#if defined(__APPLE__)
  thread_basic_info_data_t info;
  mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
  if (thread_info(pthread_mach_thread_np(c->thread), THREAD_BASIC_INFO, (thread_info_t)&info, &count) != KERN_SUCCESS) {
    return 0;
  }
  return ((uint64_t)info.user_time.seconds + (uint64_t)info.system_time.seconds) * 1000000000ull +
         ((uint64_t)info.user_time.microseconds + (uint64_t)info.system_time.microseconds) * 1000ull;
#else
  struct timespec t;
  if (clock_gettime(c->cpu_clock, &t) != 0) return 0;
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
#endif
}

/* ---- the watchdog ---- */

/* Sleeps for at most ns nanoseconds, or until somebody wakes the watchdog. */
static void sleep_or_wake(uint64_t ns) {
  struct pollfd waiting = {wake_pipe[0], POLLIN, 0};
  char bytes[64];
  if (poll(&waiting, 1, (int)((ns + MS - 1) / MS)) > 0) {
    while (read(wake_pipe[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes)) {
    }
  }
}

static void wake_watchdog(void) {
  ssize_t written = write(wake_pipe[1], "", 1); /* a full pipe wakes it as well */
  (void)written;
}

static int is_cancelled(uint64_t query_id) {
  int i;
  if (atomic_load(&cancelled_count) == 0) return 0;
  for (i = 0; i < CANCELLED_COUNT_MAX; i++) {
    if (atomic_load(&cancelled_ids[i]) == query_id) return 1;
  }
  return 0;
}

/*
** SQLite looks at an interrupt in loops only, and a SELECT list is none: 500 LIKEs beside one another took 100 s.
** The pattern limit is read by each of them, so lowering it ends such a line at the next one. The lock is held.
*/
static void stop_query(Connection *c, int why, uint64_t now) {
  atomic_store(&c->stop_ns, now);
  atomic_store(&c->stop, why);
  sqlite3_limit(c->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 0);
}

/* Stops c if it is over a limit. Returns in how many nanoseconds it must be looked at again; 0 is never. The lock is held. */
static uint64_t inspect(Connection *c) {
  uint64_t now = monotonic_ns(), wall = now - c->wall_start_ns, cpu, left, cpu_left;
  if (!atomic_load(&c->armed)) return 0;
  if (atomic_load(&c->stop) == STOP_NONE) {
    cpu = thread_cpu_ns(c) - c->cpu_start_ns;
    if (is_cancelled(atomic_load(&c->query_id))) {
      stop_query(c, STOP_CANCEL, now);
    } else if (cpu >= c->cpu_limit_ns) {
      stop_query(c, STOP_CPU, now);
    } else if (wall >= c->wall_limit_ns) {
      stop_query(c, STOP_WALL, now);
    } else {
      /* A thread can't use more CPU time than passes on the wall, so the nearer of the two is early enough. */
      left = c->wall_limit_ns - wall;
      cpu_left = c->cpu_limit_ns - cpu;
      return cpu_left < left ? cpu_left : left;
    }
  }
  sqlite3_interrupt(c->db);
  return REPEAT_NS;
}

static void *watchdog(void *unused) {
  (void)unused;
  for (;;) {
    uint64_t next = 3600ull * 1000000000ull; /* nothing is armed: whoever arms sees that this is too long */
    int i, count;
    /* Until the new time is known, everybody who arms or cancels must wake it: it may have passed their slot already. */
    atomic_store(&watchdog_sleeps_until, UINT64_MAX);
    count = atomic_load(&slot_count);
    for (i = 0; i < count; i++) {
      Connection *c = atomic_load(&armed_by_slot[i]);
      uint64_t again = REPEAT_NS;
      if (!c) continue;
      if (pthread_mutex_trylock(&c->lock) == 0) {
        again = inspect(c);
        pthread_mutex_unlock(&c->lock);
      }
      if (again != 0 && again < next) next = again;
    }
    atomic_store(&watchdog_sleeps_until, monotonic_ns() + next);
    sleep_or_wake(next);
  }
  return 0;
}

static void release_slot(void *value) {
  int released = (int)(intptr_t)value - 1;
  atomic_store(&armed_by_slot[released], (Connection *)0);
  atomic_store(&slot_taken[released], 0);
}

/* The calling thread's slot; 0 if there are too many threads. */
static int take_slot(void) {
  int i;
  for (i = 0; slot < 0 && i < THREAD_COUNT_MAX; i++) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&slot_taken[i], &expected, 1)) slot = i;
  }
  if (slot < 0) return 0;
  for (i = atomic_load(&slot_count); i <= slot && !atomic_compare_exchange_weak(&slot_count, &i, slot + 1);) {
  }
  return pthread_setspecific(slot_key, (void *)(intptr_t)(slot + 1)) == 0;
}

static int open_pipe(void) {
  int i;
  if (pipe(wake_pipe) != 0) return 0;
  for (i = 0; i < 2; i++) {
    if (fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK) != 0 || fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC) != 0) return 0;
  }
  return 1;
}

/* The setup mutex is held. Returns 0 if the thread can't be started. */
static int start_watchdog(void) {
  pthread_t thread;
  pthread_attr_t attr;
  sigset_t all, old;
  int rc;
  if (watchdog_started) return 1;
  if (!open_pipe() || pthread_key_create(&slot_key, release_slot) != 0) return 0;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attr, 256 * 1024);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); /* signals belong to Node's threads */
  rc = pthread_create(&thread, &attr, watchdog, 0);
  pthread_sigmask(SIG_SETMASK, &old, 0);
  pthread_attr_destroy(&attr);
  watchdog_started = rc == 0;
  return watchdog_started;
}

/*
** Keeps the library that holds an address loaded for good. Node unloads an addon when the last thread that loaded it
** ends: the watchdog would run on in memory that is gone, and a SQLite that comes back would come back without its hooks.
*/
static int pin_library(void *inside) {
  Dl_info info;
  return dladdr(inside, &info) != 0 && dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != 0;
}

/* The lock is held. */
static void unarm(Connection *c) {
  if (atomic_load(&armed_by_slot[c->slot]) == c) atomic_store(&armed_by_slot[c->slot], (Connection *)0);
  atomic_store(&c->armed, 0);
}

/* ---- the authorizer: what SQL may do ---- */

static int compare_names(const void *a, const void *b) {
  return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

#define IN_LIST(name, list) \
  (bsearch(&(name), (list), sizeof(list) / sizeof((list)[0]), sizeof((list)[0]), compare_names) != 0)

/* Sorted without regard to case. What is left out either touches more than its arguments (load_extension, sqlite_log,
** fts3_tokenizer, rtreecheck), tells of the build or the connection, or takes unbounded time in one opcode
** (json_patch is quadratic, json_pretty multiplies its input by the depth, median and percentile sort all rows). */
static const char *const functions_allowed[] = {
    "->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "ceil", "ceiling", "char",
    "coalesce", "concat", "concat_ws", "cos", "cosh", "count", "cume_dist", "current_date", "current_time",
    "current_timestamp", "date", "datetime", "degrees", "dense_rank", "exp", "first_value", "floor", "format", "glob",
    "group_concat", "hex", "if", "ifnull", "iif", "instr", "json", "json_array", "json_array_insert",
    "json_array_length", "json_error_position", "json_extract", "json_group_array", "json_group_object", "json_insert",
    "json_object", "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid", "jsonb",
    "jsonb_array", "jsonb_array_insert", "jsonb_extract", "jsonb_group_array", "jsonb_group_object", "jsonb_insert",
    "jsonb_object", "jsonb_remove", "jsonb_replace", "jsonb_set", "julianday", "lag", "last_value", "lead", "length",
    "like", "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "min", "mod", "nth_value",
    "ntile", "nullif", "octet_length", "percent_rank", "pi", "pow", "power", "printf", "quote", "radians", "random", "randomblob", "rank", "replace",
    "round", "row_number", "rtrim", "sign", "sin", "sinh", "soundex", "sqlite_version", "sqrt", "strftime",
    "string_agg", "substr", "substring", "subtype", "sum", "tan", "tanh", "time", "timediff", "total", "trim", "trunc",
    "typeof", "unhex", "unicode", "unistr", "unistr_quote", "unixepoch", "unlikely", "upper", "zeroblob"};

/* Sorted, too. They can give something else next time: the clock is one of their arguments, or can be read from one. */
static const char *const functions_volatile[] = {
    "current_date", "current_time", "current_timestamp", "date",      "datetime", "julianday",
    "random",       "randomblob",   "strftime",          "time",      "timediff", "unixepoch"};

/* They read the schema and change nothing. database_list is not among them: it prints a path of the host. */
static const char *const pragmas_allowed[] = {"foreign_key_list", "index_info", "index_list", "index_xinfo",
                                              "table_info", "table_list", "table_xinfo"};

/* Virtual tables that exist without being created, but for pragma_ ones. They show pages and internals. */
static const char *const tables_denied[] = {"bytecode",       "dbstat",      "fts3tokenize", "sqlite_dbpage",
                                            "sqlite_memstat", "sqlite_stmt", "tables_used"};

static int is_denied_table(const char *table) {
  const char *pragma;
  if (strncasecmp(table, "pragma_", 7) == 0) {
    pragma = table + 7;
    return !IN_LIST(pragma, pragmas_allowed);
  }
  return IN_LIST(table, tables_denied);
}

/* A table that holds data, as opposed to the schema and to functions that look like tables. */
static int is_data_table(const char *table) {
  return table[0] && strncasecmp(table, "sqlite_", 7) != 0 && strncasecmp(table, "pragma_", 7) != 0 &&
         strcasecmp(table, "json_each") != 0 && strcasecmp(table, "json_tree") != 0 &&
         strcasecmp(table, "generate_series") != 0;
}

static int authorize(void *user, int action, const char *a, const char *b, const char *database, const char *trigger) {
  Connection *c = user;
  (void)database;
  (void)trigger;
  if (c->stop != STOP_NONE) return SQLITE_DENY; /* preparing takes time too: see "CTE bomb" in README.md */
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      if (a && is_denied_table(a)) break;
      if (a && is_data_table(a)) c->table_read_count++;
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      if (b && IN_LIST(b, functions_volatile)) c->volatile_count++;
      if (b && IN_LIST(b, functions_allowed)) return SQLITE_OK;
      break;
    case SQLITE_PRAGMA:
      if (a && IN_LIST(a, pragmas_allowed)) return SQLITE_OK;
      break;
    default:
      break;
  }
  c->denied_count++;
  return SQLITE_DENY;
}

/* ---- memory: the one thing that every long computation inside SQLite asks for ---- */

/*
** Preparing a statement looks at no interrupt, and 20 lines of nested CTEs, each naming the one before twice, make
** SQLite copy a tree 2^20 times (measured: 51 s and then all memory of the machine, for 24 of them). Its allocator
** can't be configured once it runs, and better-sqlite3 exports none of its symbols; but its calls of malloc go through
** a table of the dynamic linker. Entries for malloc, realloc and free are pointed at ours: in a query that must stop,
** or that has had its share, allocation fails, and SQLite gives up cleanly with SQLITE_NOMEM at once.
*/
#if defined(__linux__)
static int memory_hooked = 0;

static int may_allocate(Connection *c, size_t size) {
  if (c->stop != STOP_NONE) return 0;
  if (c->memory_bytes + (int64_t)size <= MEMORY_BYTES_MAX) return 1;
  c->space_full = 1;
  return 0;
}

static void *guarded_malloc(size_t size) {
  Connection *c = running;
  void *p;
  if (!c) return malloc(size);
  if (!may_allocate(c, size)) return 0;
  if (!(p = malloc(size))) {
    c->out_of_memory = 1;
    return 0;
  }
  c->memory_bytes += (int64_t)malloc_usable_size(p);
  return p;
}

static void *guarded_realloc(void *old, size_t size) {
  Connection *c = running;
  int64_t old_size;
  void *p;
  if (!c) return realloc(old, size);
  old_size = old ? (int64_t)malloc_usable_size(old) : 0;
  if ((int64_t)size > old_size && !may_allocate(c, size - (size_t)old_size)) return 0;
  p = realloc(old, size);
  if (p) c->memory_bytes += (int64_t)malloc_usable_size(p) - old_size;
  else if (size) c->out_of_memory = 1;
  return p;
}

static void guarded_free(void *p) {
  Connection *c = running;
  if (c && p) c->memory_bytes -= (int64_t)malloc_usable_size(p);
  free(p);
}

static void *replacement_of(const char *name) {
  if (strcmp(name, "malloc") == 0) return (void *)guarded_malloc;
  if (strcmp(name, "realloc") == 0) return (void *)guarded_realloc;
  if (strcmp(name, "free") == 0) return (void *)guarded_free;
  return 0;
}

/* Points one entry at our function; its page is read-only after linking in many builds. */
static int patch_entry(void **entry, void *function) {
  long page = sysconf(_SC_PAGESIZE);
  uintptr_t from = (uintptr_t)entry & ~((uintptr_t)page - 1);
  size_t size = (uintptr_t)(entry + 1) - from;
  if (mprotect((void *)from, size, PROT_READ | PROT_WRITE) != 0) return 0;
  *entry = function;
  return 1;
}

static int patch_relocations(ElfW(Addr) base, const ElfW(Rela) *rela, size_t size, const ElfW(Sym) *symbols,
                             const char *strings) {
  int patched = 0;
  size_t i;
  for (i = 0; i < size / sizeof(*rela); i++) {
#if defined(__LP64__)
    size_t symbol = ELF64_R_SYM(rela[i].r_info);
#else
    size_t symbol = ELF32_R_SYM(rela[i].r_info);
#endif
    void *function = symbol ? replacement_of(strings + symbols[symbol].st_name) : 0;
    if (function && rela[i].r_addend == 0) patched += patch_entry((void **)(base + rela[i].r_offset), function);
  }
  return patched;
}

/* dlpi_addr is the load address; addresses in the dynamic section are relocated by glibc, not by musl. */
static int visit_object(struct dl_phdr_info *info, size_t size, void *data) {
  const ElfW(Dyn) *dyn = 0;
  ElfW(Addr) base = info->dlpi_addr, tables[4] = {0, 0, 0, 0};
  size_t sizes[2] = {0, 0}, i;
  uintptr_t inside = *(uintptr_t *)data;
  int found = 0;
  (void)size;
  for (i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t start = base + header->p_vaddr;
    if (header->p_type == PT_LOAD && inside >= start && inside < start + header->p_memsz) found = 1;
    if (header->p_type == PT_DYNAMIC) dyn = (const ElfW(Dyn) *)start;
  }
  if (!found || !dyn) return 0;
  for (; dyn->d_tag != DT_NULL; dyn++) {
    if (dyn->d_tag == DT_SYMTAB) tables[0] = dyn->d_un.d_ptr;
    if (dyn->d_tag == DT_STRTAB) tables[1] = dyn->d_un.d_ptr;
    if (dyn->d_tag == DT_JMPREL) tables[2] = dyn->d_un.d_ptr;
    if (dyn->d_tag == DT_RELA) tables[3] = dyn->d_un.d_ptr;
    if (dyn->d_tag == DT_PLTRELSZ) sizes[0] = dyn->d_un.d_val;
    if (dyn->d_tag == DT_RELASZ) sizes[1] = dyn->d_un.d_val;
  }
  for (i = 0; i < 4; i++) {
    if (tables[i] && tables[i] < base) tables[i] += base;
  }
  for (i = 0; i < 2; i++) {
    if (tables[2 + i]) {
      memory_hooked += patch_relocations(base, (const ElfW(Rela) *)tables[2 + i], sizes[i],
                                         (const ElfW(Sym) *)tables[0], (const char *)tables[1]);
    }
  }
  return 1;
}

/* The setup mutex is held. Returns 0 if the table could not be found: then the guard does not hold what it promises. */
static int hook_memory(void) {
  uintptr_t inside = (uintptr_t)sqlite3_api->libversion;
  if (memory_hooked == 0) dl_iterate_phdr(visit_object, &inside);
  return memory_hooked >= 3;
}
#else
/* macOS has no such table; there a statement's size and the limits above are all that bounds preparing it. */
static int hook_memory(void) { return 1; }
#endif

/* ---- functions that take quadratic time in SQLite: the same answers in linear time, or interruptible ---- */

static const unsigned char *find(const unsigned char *text, size_t text_size, const unsigned char *part, size_t part_size) {
  return part_size > text_size ? 0 : memmem(text, text_size, part, part_size); /* two-way search: linear */
}

static int must_stop(sqlite3_context *context) {
  if (!sqlite3_is_interrupted(sqlite3_context_db_handle(context))) return 0;
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return 1;
}

/* Position (in characters for text, bytes for BLOBs, from 1) of the first place where needle starts; 0 if none does. */
static void instr_in(sqlite3_context *context, const unsigned char *hay, int hay_size, const unsigned char *needle,
                     int needle_size, int is_text) {
  const unsigned char *at = hay, *end = hay + hay_size;
  sqlite3_int64 position = 1;
  while ((at = find(at, (size_t)(end - at), needle, (size_t)needle_size)) != 0) {
    const unsigned char *p;
    if (is_text && at > hay && (at[0] & 0xc0) == 0x80) { /* inside a character: SQLite never looks there */
      at++;
      if (must_stop(context)) return;
      continue;
    }
    if (!is_text) {
      position = at - hay + 1;
    } else {
      for (p = hay + 1; p <= at; p++) position += (p[0] & 0xc0) != 0x80;
    }
    sqlite3_result_int64(context, position);
    return;
  }
  sqlite3_result_int64(context, 0);
}

static void instr_values(sqlite3_context *context, sqlite3_value *in, sqlite3_value *part, int is_text) {
  const unsigned char *hay = is_text ? sqlite3_value_text(in) : sqlite3_value_blob(in);
  const unsigned char *needle = is_text ? sqlite3_value_text(part) : sqlite3_value_blob(part);
  int hay_size = sqlite3_value_bytes(in), needle_size = sqlite3_value_bytes(part);
  if (!needle || (hay_size > 0 && !hay)) {
    sqlite3_result_error_nomem(context);
  } else if (hay_size == 0) {
    sqlite3_result_int64(context, 0);
  } else {
    instr_in(context, hay, hay_size, needle, needle_size, is_text);
  }
}

static void guarded_instr(sqlite3_context *context, int argc, sqlite3_value **argv) {
  int hay_type = sqlite3_value_type(argv[0]), needle_type = sqlite3_value_type(argv[1]);
  sqlite3_value *hay, *needle;
  (void)argc;
  if (hay_type == SQLITE_NULL || needle_type == SQLITE_NULL) return;
  if (sqlite3_value_bytes(argv[1]) == 0) {
    sqlite3_result_int64(context, 1);
    return;
  }
  if ((hay_type == SQLITE_BLOB) == (needle_type == SQLITE_BLOB)) {
    instr_values(context, argv[0], argv[1], hay_type != SQLITE_BLOB);
    return;
  }
  /* A BLOB read as text changes its type for whoever uses it next, so SQLite works on copies, and so do we. */
  hay = sqlite3_value_dup(argv[0]);
  needle = sqlite3_value_dup(argv[1]);
  if (hay && needle) instr_values(context, hay, needle, 1);
  else sqlite3_result_error_nomem(context);
  sqlite3_value_free(hay);
  sqlite3_value_free(needle);
}

static void guarded_replace(sqlite3_context *context, int argc, sqlite3_value **argv) {
  const unsigned char *text = sqlite3_value_text(argv[0]), *pattern, *with, *at, *from, *end;
  unsigned char *out, *to;
  sqlite3_int64 text_size, pattern_size, with_size, count = 0, size;
  (void)argc;
  if (!text) return;
  text_size = sqlite3_value_bytes(argv[0]);
  pattern = sqlite3_value_text(argv[1]);
  if (!pattern) return;
  if (pattern[0] == 0) {
    sqlite3_result_text(context, (const char *)text, (int)text_size, SQLITE_TRANSIENT);
    return;
  }
  pattern_size = sqlite3_value_bytes(argv[1]);
  with = sqlite3_value_text(argv[2]);
  if (!with) return;
  with_size = sqlite3_value_bytes(argv[2]);
  end = text + text_size;
  for (at = text; (at = find(at, (size_t)(end - at), pattern, (size_t)pattern_size)) != 0; at += pattern_size) count++;
  size = text_size + count * (with_size - pattern_size);
  if (size > sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1)) {
    sqlite3_result_error_toobig(context);
    return;
  }
  out = sqlite3_malloc64((sqlite3_uint64)size + 1);
  if (!out) {
    sqlite3_result_error_nomem(context);
    return;
  }
  to = out;
  for (from = text; (at = find(from, (size_t)(end - from), pattern, (size_t)pattern_size)) != 0; from = at + pattern_size) {
    memcpy(to, from, (size_t)(at - from));
    to += at - from;
    memcpy(to, with, (size_t)with_size);
    to += with_size;
  }
  memcpy(to, from, (size_t)(end - from));
  out[size] = 0;
  sqlite3_result_text(context, (char *)out, (int)size, sqlite3_free);
}

/* Size in bytes of the character at z, as SQLite counts it: a lead byte and all continuation bytes that follow. */
static int character_size(const unsigned char *z) {
  int n = 1;
  if (z[0] >= 0xc0) {
    while ((z[n] & 0xc0) == 0x80) n++;
  }
  return n;
}

/* Bytes that the first fitting character of the set takes off one end of the text; 0 if none fits, -1 to stop. */
static int trim_once(sqlite3_context *context, const unsigned char *text, int size, const unsigned char *set, int right) {
  const unsigned char *z;
  int steps = 0;
  for (z = set; z[0];) {
    int n = character_size(z);
    if (n <= size && memcmp(right ? text + size - n : text, z, (size_t)n) == 0) return n;
    z += n;
    if ((++steps & 0x3fff) == 0 && must_stop(context)) return -1;
  }
  return 0;
}

static void guarded_trim(sqlite3_context *context, int argc, sqlite3_value **argv) {
  const unsigned char *text, *set = (const unsigned char *)" ";
  int sides = (int)(intptr_t)sqlite3_user_data(context), size, n, rounds = 0;
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  text = sqlite3_value_text(argv[0]);
  if (!text) return;
  size = sqlite3_value_bytes(argv[0]);
  if (argc == 2 && (set = sqlite3_value_text(argv[1])) == 0) return;
  while ((sides & 1) && size > 0) {
    if ((n = trim_once(context, text, size, set, 0)) < 0) return;
    if (n == 0) break;
    text += n;
    size -= n;
    if ((++rounds & 0xff) == 0 && must_stop(context)) return;
  }
  while ((sides & 2) && size > 0) {
    if ((n = trim_once(context, text, size, set, 1)) < 0) return;
    if (n == 0) break;
    size -= n;
    if ((++rounds & 0xff) == 0 && must_stop(context)) return;
  }
  sqlite3_result_text(context, (const char *)text, size, SQLITE_TRANSIENT);
}

/* The character at z, and z moved behind it: SQLite's own reading of UTF-8, which never fails. Text ends with a NUL. */
static unsigned read_character(const unsigned char **z) {
  unsigned c = *(*z)++;
  if (c < 0xc0) return c;
  c = c < 0xe0 ? c & 0x1f : c < 0xf0 ? c & 0x0f : c < 0xf8 ? c & 0x07 : c < 0xfc ? c & 0x03 : c < 0xfe ? c & 0x01 : 0;
  while ((**z & 0xc0) == 0x80) c = (c << 6) + (*(*z)++ & 0x3f);
  return c < 0x80 || (c & 0xfffff800) == 0xd800 || (c & 0xfffffffe) == 0xfffe ? 0xfffd : c;
}

/* Is the character in the text? -1 to stop. */
static int has_character(sqlite3_context *context, const unsigned char *text, int size, unsigned character) {
  const unsigned char *z = text, *end = text + size;
  int steps = 0;
  while (z < end) {
    if (read_character(&z) == character) return 1;
    if ((++steps & 0x3fff) == 0 && must_stop(context)) return -1;
  }
  return 0;
}

static int hex_digit(unsigned char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* unhex(X, Y): pairs of digits in X, between which characters of Y may stand. NULL if X holds anything else. */
static void guarded_unhex(sqlite3_context *context, int argc, sqlite3_value **argv) {
  const unsigned char *hex = sqlite3_value_text(argv[0]), *ignored = sqlite3_value_text(argv[1]);
  int hex_size = sqlite3_value_bytes(argv[0]), ignored_size = sqlite3_value_bytes(argv[1]), found, rounds = 0;
  unsigned char *out, *to;
  (void)argc;
  if (!hex || !ignored) return;
  to = out = sqlite3_malloc(hex_size / 2 + 1);
  if (!out) {
    sqlite3_result_error_nomem(context);
    return;
  }
  while (*hex) {
    if (hex_digit(hex[0]) >= 0) {
      if (hex_digit(hex[1]) < 0) break;
      *to++ = (unsigned char)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
      hex += 2;
      continue;
    }
    found = has_character(context, ignored, ignored_size, read_character(&hex));
    if (found <= 0 || ((++rounds & 0xff) == 0 && must_stop(context))) {
      sqlite3_free(out);
      return;
    }
  }
  if (*hex) sqlite3_free(out);
  else sqlite3_result_blob(context, out, (int)(to - out), sqlite3_free);
}

static int replace_functions(sqlite3 *db) {
  static const struct {
    const char *name;
    int argc;
    intptr_t data;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
  } list[] = {{"instr", 2, 0, guarded_instr}, {"replace", 3, 0, guarded_replace}, {"ltrim", 1, 1, guarded_trim},
              {"ltrim", 2, 1, guarded_trim},  {"rtrim", 1, 2, guarded_trim},      {"rtrim", 2, 2, guarded_trim},
              {"trim", 1, 3, guarded_trim},   {"trim", 2, 3, guarded_trim},       {"unhex", 2, 0, guarded_unhex}};
  size_t i;
  for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    int rc = sqlite3_create_function_v2(db, list[i].name, list[i].argc,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, (void *)list[i].data,
                                        list[i].function, 0, 0, 0);
    if (rc != SQLITE_OK) return rc;
  }
  return SQLITE_OK;
}

/* ---- the file layer: what a running query may open and write ---- */

/* A file of ours: SQLite's own file follows in memory. */
typedef struct GuardedFile {
  sqlite3_file base;
  sqlite3_io_methods methods; /* the inner file's, with ours on top */
  sqlite3_int64 size;
  uint64_t query_id; /* the query that opened it */
} GuardedFile;

static sqlite3_vfs guarded_vfs;
static int vfs_registered = 0;
static sqlite3_vfs *vfs_inner = 0;
static atomic_int temp_file_count = 0; /* of all queries; an eighth of the process's descriptors at most */
static int temp_file_count_max = 0;

static sqlite3_vfs *inner_vfs(void) { return vfs_inner; }
static sqlite3_file *inner_file(sqlite3_file *file) { return (sqlite3_file *)((GuardedFile *)file + 1); }

static int file_close(sqlite3_file *file) {
  if (running && running->query_id == ((GuardedFile *)file)->query_id) running->temp_file_count--;
  atomic_fetch_sub(&temp_file_count, 1);
  return inner_file(file)->pMethods->xClose(inner_file(file));
}

static int file_read(sqlite3_file *file, void *to, int amount, sqlite3_int64 offset) {
  if (running && running->stop != STOP_NONE) return SQLITE_INTERRUPT; /* a long merge looks at nothing else */
  return inner_file(file)->pMethods->xRead(inner_file(file), to, amount, offset);
}

static int file_write(sqlite3_file *file, const void *from, int amount, sqlite3_int64 offset) {
  GuardedFile *guarded = (GuardedFile *)file;
  if (running) {
    if (running->stop != STOP_NONE) return SQLITE_INTERRUPT;
    if (offset + amount > guarded->size) running->temp_bytes += offset + amount - guarded->size;
    if (running->temp_bytes > TEMP_BYTES_MAX) {
      running->space_full = 1;
      return SQLITE_FULL;
    }
  }
  if (offset + amount > guarded->size) guarded->size = offset + amount;
  return inner_file(file)->pMethods->xWrite(inner_file(file), from, amount, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  ((GuardedFile *)file)->size = size;
  return inner_file(file)->pMethods->xTruncate(inner_file(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
  return inner_file(file)->pMethods->xSync(inner_file(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return inner_file(file)->pMethods->xFileSize(inner_file(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return inner_file(file)->pMethods->xLock(inner_file(file), level); }

static int file_unlock(sqlite3_file *file, int level) {
  return inner_file(file)->pMethods->xUnlock(inner_file(file), level);
}

static int file_check_reserved_lock(sqlite3_file *file, int *out) {
  return inner_file(file)->pMethods->xCheckReservedLock(inner_file(file), out);
}

static int file_control(sqlite3_file *file, int op, void *argument) {
  return inner_file(file)->pMethods->xFileControl(inner_file(file), op, argument);
}

static int file_sector_size(sqlite3_file *file) { return inner_file(file)->pMethods->xSectorSize(inner_file(file)); }

static int file_characteristics(sqlite3_file *file) {
  return inner_file(file)->pMethods->xDeviceCharacteristics(inner_file(file));
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  GuardedFile *guarded = (GuardedFile *)file;
  const int temporary = flags & (SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL |
                                 SQLITE_OPEN_SUBJOURNAL);
  int rc;
  (void)vfs;
  file->pMethods = 0;
  if (!temporary) {
    /* A running query opens no database and creates no file (ATTACH and VACUUM INTO would): the second line of
    ** defence behind the authorizer. Its own database's WAL is the exception, opened at the first read. */
    if (running && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_SUPER_JOURNAL))) return SQLITE_CANTOPEN;
    if (running && (flags & SQLITE_OPEN_CREATE) && !(flags & SQLITE_OPEN_WAL)) return SQLITE_CANTOPEN;
    return inner_vfs()->xOpen(inner_vfs(), name, file, flags, out_flags);
  }
  if (running && running->temp_file_count >= TEMP_FILE_COUNT_MAX) {
    running->space_full = 1;
    return SQLITE_FULL;
  }
  memset(guarded, 0, sizeof(*guarded));
  inner_file(file)->pMethods = 0;
  if (atomic_fetch_add(&temp_file_count, 1) < temp_file_count_max) {
    rc = inner_vfs()->xOpen(inner_vfs(), name, inner_file(file), flags, out_flags);
  } else {
    rc = SQLITE_CANTOPEN; /* else the spills of some queries would leave no descriptor for the databases of others */
  }
  if (inner_file(file)->pMethods == 0) {
    atomic_fetch_sub(&temp_file_count, 1);
    if (running) running->out_of_memory = 1;
    return rc;
  }
  if (running) {
    guarded->query_id = running->query_id;
    running->temp_file_count++;
  }
  guarded->methods.iVersion = 1; /* no shared memory, no mmap: temporary files need neither */
  guarded->methods.xClose = file_close;
  guarded->methods.xRead = file_read;
  guarded->methods.xWrite = file_write;
  guarded->methods.xTruncate = file_truncate;
  guarded->methods.xSync = file_sync;
  guarded->methods.xFileSize = file_size;
  guarded->methods.xLock = file_lock;
  guarded->methods.xUnlock = file_unlock;
  guarded->methods.xCheckReservedLock = file_check_reserved_lock;
  guarded->methods.xFileControl = file_control;
  guarded->methods.xSectorSize = file_sector_size;
  guarded->methods.xDeviceCharacteristics = file_characteristics;
  file->pMethods = &guarded->methods;
  return rc;
}

/* Wraps the default file layer and becomes the default, so that every later connection uses it. The setup mutex is held. */
static int register_vfs(void) {
  struct rlimit files;
  sqlite3_vfs *inner;
  int rc;
  if (vfs_registered) return SQLITE_OK;
  inner = sqlite3_vfs_find(0);
  if (!inner) return SQLITE_ERROR;
  guarded_vfs = *inner; /* every other method is the inner one's; they use the vfs only for its data, which is copied */
  guarded_vfs.zName = "sqlenv-guard";
  guarded_vfs.pNext = 0;
  guarded_vfs.szOsFile = inner->szOsFile + (int)sizeof(GuardedFile);
  vfs_inner = inner;
  temp_file_count_max = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 1048576 ? (int)(files.rlim_cur / 8) : 131072;
  guarded_vfs.xOpen = vfs_open;
  rc = sqlite3_vfs_register(&guarded_vfs, 1);
  vfs_registered = rc == SQLITE_OK;
  return rc;
}

/* ---- the SQLite side: one connection ---- */

static void connection_number(sqlite3_context *context, int argc, sqlite3_value **argv) {
  Connection *c = sqlite3_user_data(context);
  (void)argc;
  (void)argv;
  sqlite3_result_int(context, c->number);
}

/* SQLite calls it when the connection closes: from here on nobody can interrupt it. */
static void connection_closed(void *user) {
  Connection *c = user;
  pthread_mutex_lock(&c->lock);
  if (atomic_load(&c->armed)) unarm(c);
  c->db = 0;
  pthread_mutex_unlock(&c->lock);
  if (running == c) running = 0;
  atomic_store(&c->in_use, 0);
}

int sqlite3_guard_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);

static Connection *new_connection(int number) {
  Connection *c = calloc(1, sizeof(*c)), *unused = 0;
  if (!c) return 0;
  pthread_mutex_init(&c->lock, 0);
  c->number = number;
  if (atomic_compare_exchange_strong(&connections[number], &unused, c)) return c;
  free(c); /* another thread was faster */
  return unused;
}

/* A connection that nobody uses, old or new; 0 if there is none. */
static Connection *take_connection(sqlite3 *db) {
  int number;
  for (number = 1; number < CONNECTION_COUNT_MAX; number++) {
    Connection *c = atomic_load(&connections[number]);
    int unused = 0;
    if (!c && !(c = new_connection(number))) return 0;
    if (!atomic_compare_exchange_strong(&c->in_use, &unused, 1)) continue;
    c->db = db;
    return c;
  }
  return 0;
}

/* Once for the process, by the first connection. */
static int set_up(const sqlite3_api_routines *api) {
  static _Atomic int is_set_up = 0;
  if (!atomic_load(&is_set_up)) {
    pthread_mutex_lock(&setup_mutex);
    if (!atomic_load(&is_set_up)) {
      SQLITE_EXTENSION_INIT2(api);
      atomic_store(&is_set_up, pin_library((void *)sqlite3_guard_init) && pin_library((void *)sqlite3_api->libversion) &&
                                   start_watchdog() && hook_memory() && register_vfs() == SQLITE_OK);
    }
    pthread_mutex_unlock(&setup_mutex);
  }
  return atomic_load(&is_set_up);
}

__attribute__((visibility("default"))) int sqlite3_guard_init(sqlite3 *db, char **error,
                                                               const sqlite3_api_routines *api) {
  Connection *c = set_up(api) ? take_connection(db) : 0;
  int rc;
  if (!c) {
    *error = sqlite3_mprintf("the guard could not set itself up in this process");
    return SQLITE_ERROR;
  }
  /* From here on SQLite owns c, also when the call fails: it calls connection_closed. */
  rc = sqlite3_create_function_v2(db, "sqlenv_guard_number", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, c, connection_number, 0,
                                  0, connection_closed);
  if (rc == SQLITE_OK) rc = replace_functions(db);
  return rc;
}

/* Turns a prepared connection into a guarded one; there is no way back. Returns SQLite's code. */
static int lock_connection(Connection *c) {
  static const struct {
    int id, value;
  } limits[] = {{SQLITE_LIMIT_LENGTH, LENGTH_MAX},
                {SQLITE_LIMIT_SQL_LENGTH, SQL_LENGTH_MAX},
                {SQLITE_LIMIT_COLUMN, COLUMN_COUNT_MAX},
                {SQLITE_LIMIT_EXPR_DEPTH, EXPR_DEPTH_MAX},
                {SQLITE_LIMIT_COMPOUND_SELECT, COMPOUND_SELECT_COUNT_MAX},
                {SQLITE_LIMIT_VDBE_OP, VDBE_OP_COUNT_MAX},
                {SQLITE_LIMIT_FUNCTION_ARG, FUNCTION_ARG_COUNT_MAX},
                {SQLITE_LIMIT_ATTACHED, 0},
                {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LIKE_PATTERN_LENGTH_MAX},
                {SQLITE_LIMIT_WORKER_THREADS, 0},
                {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};
  static const struct {
    int id, value;
  } configs[] = {{SQLITE_DBCONFIG_DQS_DML, 1},  /* "x" is a string where no column has that name, as in SQLite's own */
                 {SQLITE_DBCONFIG_DQS_DDL, 1},  /* default build and in Python; a fifth of Spider's golds need it */
                 {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                 {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                 {SQLITE_DBCONFIG_DEFENSIVE, 1},
                 {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}};
  size_t i;
  for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) sqlite3_limit(c->db, limits[i].id, limits[i].value);
  for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
    int rc = sqlite3_db_config(c->db, configs[i].id, configs[i].value, (int *)0);
    if (rc != SQLITE_OK) return rc;
  }
  return sqlite3_set_authorizer(c->db, authorize, c);
}

/* ---- the Node-API side ---- */

napi_value fail(napi_env env, const char *message) {
  napi_throw_error(env, "SQLENV_GUARD", message);
  return 0;
}

int read_numbers(napi_env env, napi_callback_info info, double *out, size_t count, napi_value *values) {
  napi_value arguments[8];
  size_t n = count, i;
  if (napi_get_cb_info(env, info, &n, arguments, 0, 0) != napi_ok || n < count) return 0;
  for (i = 0; i < count; i++) {
    if (values) values[i] = arguments[i];
    if (out && napi_get_value_double(env, arguments[i], &out[i]) != napi_ok) return 0;
  }
  return 1;
}

/* Only the thread that opened a connection may use its number. */
Connection *connection_of(double number) {
  Connection *c = number >= 1 && number < CONNECTION_COUNT_MAX ? atomic_load(&connections[(int)number]) : 0;
  return c && c->db ? c : 0;
}

/* The connection that has this query armed, for threads that only look: it may be disarmed at any moment. */
static Connection *armed_with(double query_id) {
  int i, count = atomic_load(&slot_count);
  for (i = 0; i < count; i++) {
    Connection *c = atomic_load(&armed_by_slot[i]);
    if (c && atomic_load(&c->query_id) == (uint64_t)query_id) return c;
  }
  return 0;
}

static napi_value js_lock(napi_env env, napi_callback_info info) {
  double number;
  Connection *c;
  if (!read_numbers(env, info, &number, 1, 0)) return fail(env, "lock(connection)");
  c = connection_of(number);
  if (!c) return fail(env, "lock: no such connection");
  if (lock_connection(c) != SQLITE_OK) return fail(env, "lock: SQLite refused the guard's settings");
  return 0;
}

/* arm(connection, queryId, cpuMs, wallMs): the limits count from now, on the calling thread. */
static napi_value js_arm(napi_env env, napi_callback_info info) {
  double a[4];
  Connection *c;
  uint64_t wakes;
  if (!read_numbers(env, info, a, 4, 0)) return fail(env, "arm(connection, queryId, cpuMs, wallMs)");
  c = connection_of(a[0]);
  if (!c || atomic_load(&c->armed)) return fail(env, "arm: no such connection, or it is armed already");
  if (slot < 0 && !take_slot()) return fail(env, "arm: too many threads");
  pthread_mutex_lock(&c->lock);
  c->thread = pthread_self();
#if !defined(__APPLE__)
  if (pthread_getcpuclockid(c->thread, &c->cpu_clock) != 0) {
    pthread_mutex_unlock(&c->lock);
    return fail(env, "arm: no CPU clock");
  }
#endif
  atomic_store(&c->stop, STOP_NONE);
  c->table_read_count = c->denied_count = c->volatile_count = c->space_full = c->out_of_memory = c->had_enough = 0;
  c->temp_file_count = 0;
  c->temp_bytes = c->memory_bytes = 0;
  c->slot = slot;
  c->cpu_limit_ns = (uint64_t)(a[2] * MS);
  c->wall_limit_ns = (uint64_t)(a[3] * MS);
  c->wall_start_ns = monotonic_ns();
  c->cpu_start_ns = thread_cpu_ns(c);
  wakes = c->wall_start_ns + (c->cpu_limit_ns < c->wall_limit_ns ? c->cpu_limit_ns : c->wall_limit_ns);
  /* Shown first, then looked for among the cancelled ones; cancel does it the other way round. So one of them sees it. */
  atomic_store(&c->query_id, (uint64_t)a[1]);
  atomic_store(&c->armed, 1);
  atomic_store(&armed_by_slot[slot], c);
  if (is_cancelled((uint64_t)a[1])) stop_query(c, STOP_CANCEL, c->wall_start_ns);
  pthread_mutex_unlock(&c->lock);
  running = c;
  if (atomic_load(&c->stop) != STOP_NONE || wakes < atomic_load(&watchdog_sleeps_until)) wake_watchdog();
  return 0;
}

/* disarm(connection, out: Float64Array(8)): out = stop reason, CPU us, wall us, tables read, denials, whether it went over
** its space, whether the system had no memory, calls of volatile functions that it was prepared with. */
static napi_value js_disarm(napi_env env, napi_callback_info info) {
  napi_value values[2];
  double number, *out;
  void *data;
  size_t length;
  napi_typedarray_type type;
  Connection *c;
  if (!read_numbers(env, info, 0, 2, values) || napi_get_value_double(env, values[0], &number) != napi_ok ||
      napi_get_typedarray_info(env, values[1], &type, &length, &data, 0, 0) != napi_ok || type != napi_float64_array ||
      length < 8) {
    return fail(env, "disarm(connection, Float64Array(8))");
  }
  c = connection_of(number);
  if (!c || !atomic_load(&c->armed)) return fail(env, "disarm: no such connection, or it is not armed");
  out = data;
  pthread_mutex_lock(&c->lock);
  unarm(c);
  out[0] = atomic_load(&c->stop);
  out[1] = (double)(thread_cpu_ns(c) - c->cpu_start_ns) / 1000.0;
  out[2] = (double)(monotonic_ns() - c->wall_start_ns) / 1000.0;
  pthread_mutex_unlock(&c->lock);
  out[3] = c->table_read_count;
  out[4] = c->denied_count;
  out[5] = c->space_full;
  out[6] = c->out_of_memory;
  out[7] = c->volatile_count;
  if (out[0] != STOP_NONE) sqlite3_limit(c->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LIKE_PATTERN_LENGTH_MAX);
  if (c->had_enough && out[0] != STOP_CANCEL) out[0] = out[5] = out[6] = 0;
  atomic_store(&c->stop, STOP_NONE);
  running = 0;
  return 0;
}

/* queryId(): a number that no other query of this process has, whichever thread or executor it belongs to. */
static napi_value js_query_id(napi_env env, napi_callback_info info) {
  napi_value value;
  (void)info;
  napi_create_double(env, (double)atomic_fetch_add(&query_id_next, 1), &value);
  return value;
}

/* cancel(queryId): stops it if it runs; if it has not been armed yet, it will be stopped when it is. Until forget(queryId). */
static napi_value js_cancel(napi_env env, napi_callback_info info) {
  double id;
  int i, done = 0;
  if (!read_numbers(env, info, &id, 1, 0)) return fail(env, "cancel(queryId)");
  for (i = 0; !done && i < CANCELLED_COUNT_MAX; i++) {
    uint64_t unused = 0;
    done = atomic_compare_exchange_strong(&cancelled_ids[i], &unused, (uint64_t)id);
  }
  if (!done) return fail(env, "cancel: too many queries are being cancelled");
  atomic_fetch_add(&cancelled_count, 1);
  wake_watchdog();
  return 0;
}

/* forget(queryId): its worker has answered, so a cancellation of it means nothing any more. */
static napi_value js_forget(napi_env env, napi_callback_info info) {
  double id;
  int i;
  if (!read_numbers(env, info, &id, 1, 0)) return fail(env, "forget(queryId)");
  for (i = 0; atomic_load(&cancelled_count) > 0 && i < CANCELLED_COUNT_MAX; i++) {
    uint64_t cancelled = (uint64_t)id;
    if (atomic_compare_exchange_strong(&cancelled_ids[i], &cancelled, 0)) atomic_fetch_sub(&cancelled_count, 1);
  }
  return 0;
}

/* stopping(queryId): why the guard is stopping it (1 CPU, 2 wall, 3 cancelled) and, in overdue(queryId), for how many
** milliseconds it has been trying to; 0 and -1 if it is not armed or within its limits. */
static napi_value js_stopping(napi_env env, napi_callback_info info) {
  double id;
  Connection *c;
  napi_value value;
  if (!read_numbers(env, info, &id, 1, 0)) return fail(env, "stopping(queryId)");
  c = armed_with(id);
  napi_create_int32(env, c ? atomic_load(&c->stop) : STOP_NONE, &value);
  return value;
}

static napi_value js_overdue(napi_env env, napi_callback_info info) {
  double id, ms = -1;
  Connection *c;
  napi_value value;
  if (!read_numbers(env, info, &id, 1, 0)) return fail(env, "overdue(queryId)");
  c = armed_with(id);
  if (c && atomic_load(&c->stop) != STOP_NONE) ms = (double)(monotonic_ns() - atomic_load(&c->stop_ns)) / (double)MS;
  napi_create_double(env, ms, &value);
  return value;
}

/* usedCpuMs(queryId): CPU time that an armed query has used so far; -1 if it is not armed. */
static napi_value js_used_cpu_ms(napi_env env, napi_callback_info info) {
  double id, ms = -1;
  Connection *c;
  napi_value value;
  if (!read_numbers(env, info, &id, 1, 0)) return fail(env, "usedCpuMs(queryId)");
  c = armed_with(id);
  if (c) ms = (double)(thread_cpu_ns(c) - c->cpu_start_ns) / (double)MS;
  napi_create_double(env, ms, &value);
  return value;
}

/* usedWallMs(queryId): time since it was armed; -1 if it is not. */
static napi_value js_used_wall_ms(napi_env env, napi_callback_info info) {
  double id, ms = -1;
  Connection *c;
  napi_value value;
  if (!read_numbers(env, info, &id, 1, 0)) return fail(env, "usedWallMs(queryId)");
  c = armed_with(id);
  if (c) ms = (double)(monotonic_ns() - c->wall_start_ns) / (double)MS;
  napi_create_double(env, ms, &value);
  return value;
}

/* lowerPriority(nice): of the calling thread, for good. True where the system can do that for one thread. */
static napi_value js_lower_priority(napi_env env, napi_callback_info info) {
  double nice_value;
  napi_value result;
  int ok = 0;
  if (!read_numbers(env, info, &nice_value, 1, 0)) return fail(env, "lowerPriority(nice)");
#if defined(__linux__)
  ok = setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), (int)nice_value) == 0;
#endif
  napi_get_boolean(env, ok, &result);
  return result;
}

int add_function(napi_env env, napi_value exports, const char *name, napi_callback function) {
  napi_value value;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, function, 0, &value) == napi_ok &&
         napi_set_named_property(env, exports, name, value) == napi_ok;
}

NAPI_MODULE_INIT() {
  if (!add_function(env, exports, "lock", js_lock) ||
      !add_function(env, exports, "arm", js_arm) || !add_function(env, exports, "disarm", js_disarm) ||
      !add_function(env, exports, "cancel", js_cancel) ||
      !add_function(env, exports, "queryId", js_query_id) || !add_function(env, exports, "forget", js_forget) ||
      !add_function(env, exports, "stopping", js_stopping) || !add_function(env, exports, "overdue", js_overdue) ||
      !add_function(env, exports, "usedCpuMs", js_used_cpu_ms) ||
      !add_function(env, exports, "usedWallMs", js_used_wall_ms) ||
      !add_function(env, exports, "lowerPriority", js_lower_priority) ||
      !add_statement_functions(env, exports)) {
    return fail(env, "the guard could not be initialised");
  }
  return exports;
}
