// Generates src/generated from proto/. CI runs it and compares: nobody edits those files by hand.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
    // Relative, so that the files that are made name no folder of this machine.
    '-I',
    'proto',
    '-O',
    out,
    ...protos,
  ],
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
);

// What reflection serves. proto-loader has descriptors of its own, but they are one invented file with other field names
// and map entries that strict readers (grpcurl, buf) refuse.
const set = execFileSync(
  process.execPath,
  [
    path.join(root, 'node_modules/@bufbuild/buf/bin/buf'),
    'build',
    'proto',
    '--as-file-descriptor-set',
    '--exclude-source-info',
    '-o',
    '-',
  ],
  { cwd: root, maxBuffer: 1 << 24 },
);
const files = splitDescriptorSet(set).map((file) => `  '${file.toString('base64')}',`);
writeFileSync(
  path.join(out, 'descriptors.ts'),
  [
    '// Made by scripts/generate-types.mjs from proto/.',
    '',
    '/** Each file of the contract as a google.protobuf.FileDescriptorProto, base64. */',
    'export const FILE_DESCRIPTORS: readonly string[] = [',
    ...files,
    '];',
    '',
  ].join('\n'),
);

/** The files of a FileDescriptorSet: it is nothing but `repeated FileDescriptorProto file = 1`. */
function splitDescriptorSet(bytes) {
  const parts = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] !== 0x0a) throw new Error('buf gave no FileDescriptorSet');
    at += 1;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at];
      at += 1;
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}
