"""The reference tool: what Python's sqlite3 and json.dumps say. Reads {"path", "sql"} lines, writes one text a line."""

import json
import sqlite3
import sys


def convert(value):
    return value.hex() if isinstance(value, bytes) else value


connections = {}
print(json.dumps(sqlite3.sqlite_version))
for line in sys.stdin:
    order = json.loads(line)
    path = order["path"]
    if path not in connections:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
        connections[path] = connection
    try:
        cursor = connections[path].execute(order["sql"])
        columns = [each[0] for each in cursor.description or []]
        rows = [[convert(value) for value in row] for row in cursor.fetchall()]
        text = json.dumps({"columns": columns, "rows": rows})
    except (sqlite3.Error, sqlite3.Warning) as error:
        text = json.dumps({"error": str(error)})
    print(json.dumps(text))
