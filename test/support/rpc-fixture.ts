import { connectClient, type SqlenvClient } from '../../src/rpc/client.ts';
import { startServer, type RunningServer } from '../../src/rpc/server.ts';
import type { ServiceParts } from '../../src/episodes/service-parts.ts';
import { startService, type ServiceFixture } from './service-fixture.ts';

/** A server on a free port, and a client that is connected to it. */
export interface RpcFixture extends ServiceFixture {
  readonly server: RunningServer;
  readonly client: SqlenvClient;
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts a server over a scripted executor, on a real socket. */
export async function startRpc(changes: Partial<ServiceParts> = {}): Promise<RpcFixture> {
  const fixture = startService(changes);
  const server = await startServer({
    service: fixture.service,
    host: '127.0.0.1',
    port: 0,
    log: fixture.log,
    selfTest: async () => {},
  });
  const address = `127.0.0.1:${server.port}`;
  const client = connectClient(address, 5_000);
  const stop = async (): Promise<void> => {
    client.disconnect();
    await server.drain({ drainMs: 0, quietMs: 0 });
  };
  return { ...fixture, server, client, address, stop };
}
