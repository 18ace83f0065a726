/* What the files of the guard share. guard.c says what it is. */
#ifndef SQLENV_GUARD_H
#define SQLENV_GUARD_H
#if !defined(__APPLE__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "node_api.h"
#include "sqlite3ext.h"

#define LENGTH_MAX 1000000 /* bytes of a string, BLOB or row: one opcode on it stays short; statements.c lowers it */

/* Why a query was stopped; the numbers are part of the JavaScript side (native-guard.ts). */
enum { STOP_NONE = 0, STOP_CPU = 1, STOP_WALL = 2, STOP_CANCEL = 3 };

/*
** A connection and the query that runs on it. What the main thread reads is atomic, and it takes no lock: a slow query's thread
** has the lowest priority, so it can be off the processor for long while it holds one (measured: the main thread waited 2.2 s
** for a mutex). The watchdog only tries the lock, and comes back a millisecond later. The memory of a connection is never
** freed; a later connection uses it again.
*/
typedef struct Connection {
  pthread_mutex_t lock;      /* held to arm, to disarm, to close, and to interrupt */
  sqlite3 *db;               /* 0 when it is closed */
  int number;
  int slot;                  /* of the thread that armed it */
  _Atomic int in_use;
  _Atomic int armed;
  _Atomic int stop;          /* why the armed query must stop */
  _Atomic uint64_t stop_ns;  /* since when */
  _Atomic uint64_t query_id;
  uint64_t cpu_start_ns, cpu_limit_ns, wall_start_ns, wall_limit_ns;
  pthread_t thread;
#if !defined(__APPLE__)
  clockid_t cpu_clock;
#endif
  /* Facts of the current query, used by its own thread only. */
  int table_read_count;
  int denied_count;
  int volatile_count; /* calls of functions that can give something else next time */
  int space_full;       /* it went over TEMP_BYTES_MAX or MEMORY_BYTES_MAX */
  int out_of_memory;    /* the system itself had no memory, or the process no descriptor, left: not the query's fault */
  int had_enough;       /* the rows that were wanted were there before any of this: see statements.c */
  int temp_file_count;
  int64_t temp_bytes;
  int64_t memory_bytes;
} Connection;

uint64_t monotonic_ns(void);

/* The open connection of this number, or 0. Only the thread that opened it may use it. */
Connection *connection_of(double number);

/* Throws an error in JavaScript; what the function is to return then. */
napi_value fail(napi_env env, const char *message);

/* Reads `count` arguments as numbers into `out`, and as they are into `values`, if these are given. Returns 0 if they are none. */
int read_numbers(napi_env env, napi_callback_info info, double *out, size_t count, napi_value *values);

int add_function(napi_env env, napi_value exports, const char *name, napi_callback function);

/* statements.c */
int add_statement_functions(napi_env env, napi_value exports);

#endif
