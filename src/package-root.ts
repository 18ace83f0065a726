import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

interface PackageFile {
  readonly name?: string;
  readonly version?: string;
}

function readPackageFile(folder: string): PackageFile | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as PackageFile;
  } catch {
    return undefined;
  }
}

function findPackage(): { readonly root: string; readonly version: string } {
  // The built files lie one folder deeper (dist/src) than the sources (src), so the root is looked for, not counted.
  let folder = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const file = readPackageFile(folder);
    if (file?.name === 'sqlenv') return { root: folder, version: file.version ?? '0.0.0' };
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error("the package 'sqlenv' is incomplete: no package.json");
    folder = parent;
  }
}

const found = findPackage();

/** The folder of the package: it holds `proto/` and `databases/`, whether sources or built files run. */
export const PACKAGE_ROOT: string = found.root;

/** Version of the package, and so of the server. */
export const VERSION: string = found.version;
