// Generates src/generated from proto/. CI runs it and compares: nobody edits those files by hand.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.resolve(root, process.argv[2] ?? 'src/generated');
if (existsSync(out)) rmSync(out, { recursive: true });
mkdirSync(out, { recursive: true });
const protos = readdirSync(path.join(root, 'proto/sqlenv/v1'))
  .filter((name) => name.endsWith('.proto'))
  .toSorted()
  .map((name) => `sqlenv/v1/${name}`);
execFileSync(
  process.execPath,
  [
    path.join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js'),
    '--grpcLib=@grpc/grpc-js',
    '--importFileExtension=.ts',
    '--enums=String',
    '--longs=Number',
    '--defaults',
    '--oneofs',
    '--includeComments',
    '-I',
    path.join(root, 'proto'),
    '-O',
    out,
    ...protos,
  ],
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
);
