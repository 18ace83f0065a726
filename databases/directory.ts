import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/package-root.ts';

/** The package's `databases/`, where the SQL and JSON files stay; the compiled code lies elsewhere. */
export const databasesDirectory = join(PACKAGE_ROOT, 'databases');
