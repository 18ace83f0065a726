import type { Trajectory } from '../../env/trajectory.ts';
import { suggest } from '../suggest.ts';
import type { ReplayEnvironment } from './ports.ts';
import { cellText, parseResultText } from './result-text.ts';

const NO_SUCH = /^no such (column|table): (.+)$/;

const COLUMNS = `SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid`;

/** Tables that are named before it gets too long. */
const NAMED_COUNT_MAX = 4;

/** What may have been meant where SQLite misses a column or a table, as a sentence with a blank before it; empty if nothing is close. */
export async function nameHint(
  environment: ReplayEnvironment,
  trajectory: Trajectory,
  errorText: string,
  signal: AbortSignal,
): Promise<string> {
  const found = NO_SUCH.exec(errorText);
  if (found === null) return '';
  const { message } = await environment.runSql(
    {
      databaseId: trajectory.database_id,
      input: { kind: 'query', sql: COLUMNS },
      observation: { textSizeMax: 0 },
      limits: {},
    },
    signal,
  );
  const rows = parseResultText(message.content)?.rows ?? [];
  const names = rows.map((row) => row.map(cellText));
  const [, kind, name = ''] = found;
  if (kind === 'table') return closest(name, [...new Set(names.map(([table = '']) => table))]);
  return columnHint(name.slice(name.lastIndexOf('.') + 1), names);
}

/** A column that is there in another table is the more common mistake than one that is written wrong. */
function columnHint(name: string, names: readonly (readonly string[])[]): string {
  const wanted = name.toLowerCase();
  const tables = names.flatMap(([table = '', column = '']) =>
    column.toLowerCase() === wanted ? [table] : [],
  );
  if (tables.length === 0) {
    return closest(name, [...new Set(names.map(([, column = '']) => column))]);
  }
  const shown = tables.slice(0, NAMED_COUNT_MAX).join(', ');
  const more = tables.length > NAMED_COUNT_MAX ? ', ...' : '';
  return ` There is a column ${name} in ${shown}${more}.`;
}

function closest(name: string, known: readonly string[]): string {
  const found = /did you mean (.*)\?$/.exec(suggest(name, known))?.[1];
  return found === undefined ? '' : ` Did it mean ${found}?`;
}
