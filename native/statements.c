/*
** Statements of guarded connections: prepared, stepped and read here, many rows in one call from JavaScript. better-sqlite3 opens
** the connections; its statements take a call and three objects a row, and prepare anew whatever is asked again.
**
** Rows are handed over in a frame, memory that JavaScript and this file share: eight bytes and a kind for each cell, then all
** text one after the other, so that JavaScript makes one string of it and cuts the cells out. Bytes that are no text
** are put at the other end of the same memory.
*/
#include <stdlib.h>
#include <string.h>

#include "guard.h"
SQLITE_EXTENSION_INIT3

#define STATEMENT_COUNT_MAX 512 /* of one thread: kept ones (kept-statements.ts has fewer) and running ones */

/*
** Bytes of SQL times bytes of a value. SQLite looks at an interrupt in loops only, and an expression is none: 100 kB of
** x+x+... over a text of 1 MB ran for 27 s. Within this product the longest such line measured takes 0.5 s.
*/
#define SQL_TIMES_VALUE_MAX 1000000000
#define ROW_BYTES_MAX 8000000 /* of one row, all at once: 512 references to one text of 1 MB took 1.1 GB of a thread's heap */
#define LENGTH_MIN 10000      /* the limit on a value goes no lower */
#define KEPT_BYTES_MAX 65536  /* memory of a statement that is kept for the next time */
#define FETCH_NS 100000       /* a fetch ends after so long: its rows may be all that are wanted */

/* The numbers of the next two are part of the JavaScript side (frame.ts). */
enum { KIND_NULL = 0, KIND_INTEGER = 1, KIND_REAL = 2, KIND_TEXT = 3, KIND_INVALID_TEXT = 4, KIND_BLOB = 5 };
enum { FETCH_MORE = 0, FETCH_DONE = 1, FETCH_ERROR = 2, FETCH_NO_ROOM = 3 };
/* What prepare returns instead of a statement's number (statement.ts). */
enum { PREPARE_ERROR = -1, PREPARE_NO_ROWS = -2, PREPARE_PARAMETERS = -3, PREPARE_MORE_SQL = -4 };

typedef struct Statement {
  sqlite3_stmt *handle;
  Connection *connection;
  int column_count;
  int value_bytes_max; /* of the values that it may touch */
  int is_running;      /* it was stepped, and not reset since */
  int has_row;         /* it stands on a row that was not handed over yet */
  int is_kept;         /* it is small enough to be kept */
  /* What the authorizer saw when it was prepared. */
  int table_read_count, volatile_count;
} Statement;

/* Where rows are put; memory of JavaScript, which keeps it. */
typedef struct Frame {
  double *cells;
  uint8_t *kinds;
  size_t cell_count;
  uint8_t *bytes;
  size_t byte_count;
  int32_t *out;
} Frame;

static __thread Statement *statements[STATEMENT_COUNT_MAX];
static __thread Frame frame;
static __thread int has_cleanup = 0;

static void finalize(int number) {
  Statement *s = statements[number];
  statements[number] = 0;
  sqlite3_finalize(s->handle);
  free(s);
}

/* When the thread ends: better-sqlite3 can close no connection that has statements. */
static void finalize_all(void *unused) {
  int i;
  (void)unused;
  for (i = 0; i < STATEMENT_COUNT_MAX; i++) {
    if (statements[i]) finalize(i);
  }
  has_cleanup = 0;
}

static Statement *statement_of(double number) {
  return number >= 0 && number < STATEMENT_COUNT_MAX ? statements[(int)number] : 0;
}

/* ---- preparing ---- */

static int value_bytes_max(size_t sql_bytes, int column_count) {
  int max = LENGTH_MAX;
  if (SQL_TIMES_VALUE_MAX / (double)sql_bytes < max) max = (int)(SQL_TIMES_VALUE_MAX / sql_bytes);
  if (ROW_BYTES_MAX / column_count < max) max = ROW_BYTES_MAX / column_count;
  return max < LENGTH_MIN ? LENGTH_MIN : max;
}

/* Whether SQL holds no more than blanks, semicolons and comments. */
static int is_blank(const char *sql) {
  for (;;) {
    const char *end;
    sql += strspn(sql, " \t\n\f\r;");
    if (!*sql) return 1;
    if (sql[0] == '-' && sql[1] == '-') end = strchr(sql, '\n');
    else if (sql[0] == '/' && sql[1] == '*') end = strstr(sql + 2, "*/");
    else return 0;
    if (!end) return 1;
    sql = end + 1 + (sql[0] == '/');
  }
}

/* A number for a new statement; -1 if there is none. */
static int free_number(void) {
  int i;
  for (i = 0; i < STATEMENT_COUNT_MAX; i++) {
    if (!statements[i]) return i;
  }
  return -1;
}

/* Returns a statement's number, or why there is none. */
static int prepare(Connection *c, int number, const char *sql, size_t sql_bytes, int lasting) {
  const int reads = c->table_read_count, volatiles = c->volatile_count;
  sqlite3_stmt *handle = 0;
  const char *rest = 0;
  Statement *s;
  int refused = 0;
  c->had_enough = 0;
  /* Preparing reads the schema and names columns after their expressions: neither is to fail for the values' sake. */
  sqlite3_limit(c->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
  /* One that is kept leaves SQLite's small, fast memory to the others. */
  if (sqlite3_prepare_v3(c->db, sql, (int)sql_bytes + 1, lasting ? SQLITE_PREPARE_PERSISTENT : 0, &handle, &rest) != SQLITE_OK) {
    return PREPARE_ERROR;
  }
  /* A plain EXPLAIN shows addresses in memory, which differ from thread to thread. EXPLAIN QUERY PLAN is as good as SELECT. */
  if (!handle || sqlite3_column_count(handle) == 0 || sqlite3_stmt_isexplain(handle) == 1) refused = PREPARE_NO_ROWS;
  else if (!is_blank(rest)) refused = PREPARE_MORE_SQL;
  else if (sqlite3_bind_parameter_count(handle) > 0) refused = PREPARE_PARAMETERS;
  s = refused ? 0 : calloc(1, sizeof(*s));
  if (!s) {
    if (!refused) c->out_of_memory = 1;
    sqlite3_finalize(handle);
    return refused ? refused : PREPARE_ERROR;
  }
  s->handle = handle;
  s->connection = c;
  s->column_count = sqlite3_column_count(handle);
  s->value_bytes_max = value_bytes_max(sql_bytes, s->column_count);
  s->table_read_count = c->table_read_count - reads;
  s->volatile_count = c->volatile_count - volatiles;
  /* They count when it runs, each time that it does. */
  c->table_read_count = reads;
  c->volatile_count = volatiles;
  statements[number] = s;
  return number;
}

/* ---- reading rows ---- */

/*
** Copies text and tells its size in UTF-16, as JavaScript counts; -1 if the bytes are not UTF-8 as Unicode defines it (the shortest
** form, no surrogates, nothing over U+10FFFF). `is_ascii` is cleared if one is not ASCII.
*/
static int64_t copy_text(uint8_t *to, const uint8_t *from, size_t size, int *is_ascii) {
  size_t i = 0, units = 0;
  uint64_t eight;
  while (i + 8 <= size) {
    memcpy(&eight, from + i, 8);
    if (eight & 0x8080808080808080ull) break;
    memcpy(to + i, &eight, 8);
    i += 8;
  }
  units = i;
  while (i < size) {
    const uint8_t lead = from[i];
    size_t extra, k;
    uint32_t character;
    if (lead < 0x80) {
      to[i++] = lead;
      units++;
      continue;
    }
    extra = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || i + extra >= size) return -1;
    character = lead & (0x3fu >> extra);
    to[i] = lead;
    for (k = 1; k <= extra; k++) {
      if ((from[i + k] & 0xc0) != 0x80) return -1;
      character = character << 6 | (from[i + k] & 0x3fu);
      to[i + k] = from[i + k];
    }
    if ((extra == 2 && (character < 0x800 || (character >= 0xd800 && character <= 0xdfff))) ||
        (extra == 3 && (character < 0x10000 || character > 0x10ffff))) {
      return -1;
    }
    *is_ascii = 0;
    units += extra == 3 ? 2 : 1;
    i += extra + 1;
  }
  return (int64_t)units;
}

/* Places in the frame that are taken. */
typedef struct Filled {
  size_t cells;
  size_t text;  /* from the start of its bytes */
  size_t other; /* from their end */
  int is_ascii;
} Filled;

enum { ROW_WRITTEN, ROW_HAS_NO_ROOM, ROW_HAS_NO_MEMORY };

/* Writes a cell of text or bytes. */
static int write_bytes(sqlite3_stmt *handle, int column, int type, Filled *filled) {
  /* SQLite makes the bytes only here: a zeroblob is filled, text gets its terminator. Without memory there are none. */
  const void *bytes = type == SQLITE_TEXT ? (const void *)sqlite3_column_text(handle, column) : sqlite3_column_blob(handle, column);
  const size_t size = (size_t)sqlite3_column_bytes(handle, column), at = filled->cells;
  int64_t units = -1;
  if (!bytes && (size > 0 || type == SQLITE_TEXT)) return ROW_HAS_NO_MEMORY;
  if (filled->text + filled->other + size > frame.byte_count) return ROW_HAS_NO_ROOM;
  if (type == SQLITE_TEXT) units = copy_text(frame.bytes + filled->text, bytes, size, &filled->is_ascii);
  if (units >= 0) {
    frame.kinds[at] = KIND_TEXT;
    frame.cells[at] = (double)units;
    filled->text += size;
    return ROW_WRITTEN;
  }
  filled->other += size;
  if (size > 0) memcpy(frame.bytes + frame.byte_count - filled->other, bytes, size);
  frame.kinds[at] = type == SQLITE_TEXT ? KIND_INVALID_TEXT : KIND_BLOB;
  frame.cells[at] = (double)size;
  return ROW_WRITTEN;
}

/* Writes the row that the statement stands on, whole or not at all. */
static int write_row(const Statement *s, Filled *filled) {
  Filled row = *filled;
  int column;
  if (row.cells + (size_t)s->column_count > frame.cell_count) return ROW_HAS_NO_ROOM;
  for (column = 0; column < s->column_count; column++, row.cells++) {
    const int type = sqlite3_column_type(s->handle, column);
    if (type == SQLITE_INTEGER) {
      const sqlite3_int64 value = sqlite3_column_int64(s->handle, column);
      memcpy(&frame.cells[row.cells], &value, sizeof(value));
      frame.kinds[row.cells] = KIND_INTEGER;
    } else if (type == SQLITE_FLOAT) {
      frame.cells[row.cells] = sqlite3_column_double(s->handle, column);
      frame.kinds[row.cells] = KIND_REAL;
    } else if (type == SQLITE_NULL) {
      frame.kinds[row.cells] = KIND_NULL;
    } else {
      const int rc = write_bytes(s->handle, column, type, &row);
      if (rc != ROW_WRITTEN) return rc;
    }
  }
  *filled = row;
  return ROW_WRITTEN;
}

/* Bytes that the row takes on which the statement stands. */
static size_t row_size(const Statement *s) {
  size_t size = 0;
  int column;
  for (column = 0; column < s->column_count; column++) {
    const int type = sqlite3_column_type(s->handle, column);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) size += (size_t)sqlite3_column_bytes(s->handle, column);
  }
  return size;
}

/* Whether the query must end, or was refused something: what it gives from here on is not to be trusted. */
static int is_spoilt(const Connection *c) {
  return atomic_load(&c->armed) && (atomic_load(&c->stop) != STOP_NONE || c->space_full || c->out_of_memory);
}

/* Fills the frame with rows, all from before anything that spoils them. Returns how it ended. */
static int fill(Statement *s, int row_count_max, int *row_count, Filled *filled, int *code) {
  const uint64_t until_ns = monotonic_ns() + FETCH_NS;
  while (*row_count < row_count_max) {
    int rc;
    if (*row_count > 0 && monotonic_ns() > until_ns) return FETCH_MORE;
    if (!s->has_row) {
      s->is_running = 1;
      rc = sqlite3_step(s->handle);
      if (rc == SQLITE_DONE) return FETCH_DONE;
      if (rc != SQLITE_ROW) {
        *code = sqlite3_extended_errcode(s->connection->db);
        return FETCH_ERROR;
      }
      s->has_row = 1;
    }
    if (is_spoilt(s->connection)) {
      *code = SQLITE_INTERRUPT;
      return FETCH_ERROR;
    }
    rc = write_row(s, filled);
    if (rc == ROW_HAS_NO_ROOM) return *row_count > 0 ? FETCH_MORE : FETCH_NO_ROOM;
    if (rc == ROW_HAS_NO_MEMORY) {
      *code = SQLITE_NOMEM;
      return FETCH_ERROR;
    }
    s->has_row = 0;
    ++*row_count;
  }
  return FETCH_MORE;
}

/* ---- the Node-API side ---- */

/* prepare(connection, sql, lasting): a statement's number, or why there is none: see the enumeration above. `lasting`: it will be kept. */
static napi_value js_prepare(napi_env env, napi_callback_info info) {
  napi_value arguments[3], result;
  bool lasting;
  char buffer[4096], *sql = buffer;
  size_t size = 0;
  double number;
  Connection *c;
  int free_at = free_number(), prepared;
  if (!read_numbers(env, info, 0, 3, arguments) || napi_get_value_double(env, arguments[0], &number) != napi_ok ||
      napi_get_value_string_utf8(env, arguments[1], 0, 0, &size) != napi_ok ||
      napi_get_value_bool(env, arguments[2], &lasting) != napi_ok) {
    return fail(env, "prepare(connection, sql, lasting)");
  }
  c = connection_of(number);
  if (!c) return fail(env, "prepare: no such connection");
  if (free_at < 0) return fail(env, "prepare: too many statements");
  if (size >= sizeof(buffer) && !(sql = malloc(size + 1))) return fail(env, "prepare: out of memory");
  napi_get_value_string_utf8(env, arguments[1], sql, size + 1, &size);
  if (!has_cleanup) has_cleanup = napi_add_env_cleanup_hook(env, finalize_all, 0) == napi_ok;
  prepared = prepare(c, free_at, sql, size, lasting);
  if (sql != buffer) free(sql);
  napi_create_int32(env, prepared, &result);
  return result;
}

/* columnNames(statement): an array of strings. */
static napi_value js_column_names(napi_env env, napi_callback_info info) {
  double number;
  napi_value names, name;
  Statement *s;
  int column;
  if (!read_numbers(env, info, &number, 1, 0)) return fail(env, "columnNames(statement)");
  if (!(s = statement_of(number))) return fail(env, "columnNames: no such statement");
  napi_create_array_with_length(env, (size_t)s->column_count, &names);
  for (column = 0; column < s->column_count; column++) {
    const char *text = sqlite3_column_name(s->handle, column);
    if (napi_create_string_utf8(env, text ? text : "", NAPI_AUTO_LENGTH, &name) != napi_ok ||
        napi_set_element(env, names, (uint32_t)column, name) != napi_ok) {
      return fail(env, "columnNames: out of memory");
    }
  }
  return names;
}

/* The memory of a typed array, and how many elements it has; 0 if it is of another type. */
static void *memory_of(napi_env env, napi_value value, napi_typedarray_type wanted, size_t *count) {
  napi_typedarray_type type;
  void *data = 0;
  if (napi_get_typedarray_info(env, value, &type, count, &data, 0, 0) != napi_ok || type != wanted) return 0;
  return data;
}

/*
** useFrame(cells: Float64Array, kinds: Uint8Array, bytes: Uint8Array, out: Int32Array(5)): where this thread's rows are put from now
** on. The caller keeps them all until it gives others.
*/
static napi_value js_use_frame(napi_env env, napi_callback_info info) {
  napi_value a[4];
  Frame given;
  size_t kind_count, out_count;
  if (!read_numbers(env, info, 0, 4, a) || !(given.cells = memory_of(env, a[0], napi_float64_array, &given.cell_count)) ||
      !(given.kinds = memory_of(env, a[1], napi_uint8_array, &kind_count)) || kind_count < given.cell_count ||
      !(given.bytes = memory_of(env, a[2], napi_uint8_array, &given.byte_count)) ||
      !(given.out = memory_of(env, a[3], napi_int32_array, &out_count)) || out_count < 5) {
    return fail(env, "useFrame(Float64Array, Uint8Array, Uint8Array, Int32Array(5))");
  }
  frame = given;
  return 0;
}

/*
** fetch(statement, rowCountMax): rows into the frame, at most so many. Returns how it ended (0 there may be more, 1 that was all, 2 SQLite's
** error after these rows, 3 the next row alone has no room in the frame); out = rows, bytes of text, whether all of it is ASCII,
** SQLite's code, bytes of the row that has no room.
*/
static napi_value js_fetch(napi_env env, napi_callback_info info) {
  double a[2];
  Statement *s;
  Filled filled = {0, 0, 0, 1};
  int ended, row_count = 0, code = 0;
  napi_value result;
  if (!read_numbers(env, info, a, 2, 0)) return fail(env, "fetch(statement, rowCountMax)");
  if (!(s = statement_of(a[0]))) return fail(env, "fetch: no such statement");
  if (!frame.out) return fail(env, "fetch: there is no frame");
  if (!s->is_running) {
    s->connection->had_enough = 0;
    sqlite3_limit(s->connection->db, SQLITE_LIMIT_LENGTH, s->value_bytes_max);
    s->connection->table_read_count += s->table_read_count;
    s->connection->volatile_count += s->volatile_count;
  }
  ended = fill(s, a[1] < INT32_MAX ? (int)a[1] : INT32_MAX, &row_count, &filled, &code);
  frame.out[0] = row_count;
  frame.out[1] = (int32_t)filled.text;
  frame.out[2] = filled.is_ascii;
  frame.out[3] = code;
  frame.out[4] = ended == FETCH_NO_ROOM ? (int32_t)row_size(s) : 0;
  napi_create_int32(env, ended, &result);
  return result;
}

/*
** finish(statement, keep, enough): ends its run. Without `keep`, or if it is large or not what it was, it is gone. `enough`: its reader wanted
** no more rows, so that what happened after the last one that was wanted does not count. True if it can run again.
*/
static napi_value js_finish(napi_env env, napi_callback_info info) {
  napi_value a[3], result;
  double number;
  bool keep, enough;
  Statement *s;
  if (!read_numbers(env, info, 0, 3, a) || napi_get_value_double(env, a[0], &number) != napi_ok ||
      napi_get_value_bool(env, a[1], &keep) != napi_ok || napi_get_value_bool(env, a[2], &enough) != napi_ok) {
    return fail(env, "finish(statement, keep, enough)");
  }
  if (!(s = statement_of(number))) return fail(env, "finish: no such statement");
  if (enough) s->connection->had_enough = 1;
  if (s->is_running) sqlite3_reset(s->handle);
  s->is_running = s->has_row = 0;
  if (keep && !s->is_kept) s->is_kept = sqlite3_stmt_status(s->handle, SQLITE_STMTSTATUS_MEMUSED, 0) <= KEPT_BYTES_MAX;
  /* Prepared anew by SQLite, for another schema: the columns may be others, and the authorizer saw other things. */
  keep = keep && s->is_kept && sqlite3_stmt_status(s->handle, SQLITE_STMTSTATUS_REPREPARE, 0) == 0;
  if (!keep) finalize((int)number);
  napi_get_boolean(env, keep, &result);
  return result;
}

/* errorCode(connection), errorMessage(connection): of SQLite's last call. */
static napi_value js_error_code(napi_env env, napi_callback_info info) {
  double number;
  Connection *c;
  napi_value result;
  if (!read_numbers(env, info, &number, 1, 0)) return fail(env, "errorCode(connection)");
  if (!(c = connection_of(number))) return fail(env, "errorCode: no such connection");
  napi_create_int32(env, sqlite3_extended_errcode(c->db), &result);
  return result;
}

static napi_value js_error_message(napi_env env, napi_callback_info info) {
  double number;
  Connection *c;
  napi_value result;
  if (!read_numbers(env, info, &number, 1, 0)) return fail(env, "errorMessage(connection)");
  if (!(c = connection_of(number))) return fail(env, "errorMessage: no such connection");
  if (napi_create_string_utf8(env, sqlite3_errmsg(c->db), NAPI_AUTO_LENGTH, &result) != napi_ok) {
    return fail(env, "errorMessage: out of memory");
  }
  return result;
}

int add_statement_functions(napi_env env, napi_value exports) {
  return add_function(env, exports, "prepare", js_prepare) && add_function(env, exports, "columnNames", js_column_names) &&
         add_function(env, exports, "useFrame", js_use_frame) && add_function(env, exports, "fetch", js_fetch) &&
         add_function(env, exports, "finish", js_finish) && add_function(env, exports, "errorCode", js_error_code) &&
         add_function(env, exports, "errorMessage", js_error_message);
}
