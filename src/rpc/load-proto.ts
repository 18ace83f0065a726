import path from 'node:path';
import { loadSync, type Options, type PackageDefinition } from '@grpc/proto-loader';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { FILE_DESCRIPTORS } from '../generated/descriptors.ts';
import type { ProtoGrpcType } from '../generated/environment_service.ts';
import { PACKAGE_ROOT } from '../package-root.ts';

/** As `scripts/generate-types.mjs` gives them to the generator: other values would make the types lie. */
const OPTIONS: Options = {
  keepCase: false,
  enums: String,
  longs: Number,
  defaults: true,
  oneofs: true,
  includeDirs: [path.join(PACKAGE_ROOT, 'proto')],
};

/** Full name of the service, as health checks and reflection name it. */
export const SERVICE_NAME = 'sqlenv.v1.EnvironmentService';

const PROTO_PACKAGE: PackageDefinition = loadSync('sqlenv/v1/environment_service.proto', OPTIONS);

/** The contract's service and messages, as grpc-js wants them. */
export const PROTO = loadPackageDefinition(PROTO_PACKAGE) as unknown as ProtoGrpcType;

/**
 * What reflection serves: the files as they are. proto-loader's own descriptors have other field names, and map entries
 * that strict readers refuse, grpcurl among them.
 */
export const REFLECTED_PACKAGE = {
  'sqlenv.v1': {
    fileDescriptorProtos: FILE_DESCRIPTORS.map((file) => Buffer.from(file, 'base64')),
  },
} as unknown as PackageDefinition;
