import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { CounterFamily, ReadFamily, type Cell, type Family } from './families.ts';

/** Node says here that a server has taken a connection; grpc-js itself does not. */
const CHANNEL = 'net.server.socket';

/** Counts the connections to one port. */
export class ConnectionMetrics {
  readonly families: readonly Family[];
  readonly #opened: Cell;
  #openCount = 0;
  #port: number | undefined;

  constructor() {
    const opened = new CounterFamily(
      'sqlenv_connections_total',
      'Connections that clients opened to the gRPC port.',
    );
    this.#opened = opened.cell([], true);
    const open = new ReadFamily(
      'gauge',
      'sqlenv_open_connections',
      'Connections to the gRPC port that are open.',
      () => this.#openCount,
    );
    this.families = [opened, open];
  }

  /** Begins to count connections to this port. */
  watch(port: number): void {
    this.#port = port;
    diagnostics.subscribe(CHANNEL, this.#onSocket);
  }

  /** Stops counting; idempotent. */
  close(): void {
    diagnostics.unsubscribe(CHANNEL, this.#onSocket);
  }

  readonly #onSocket = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort !== this.#port) return;
    this.#opened.value += 1;
    this.#openCount += 1;
    socket.once('close', () => {
      this.#openCount -= 1;
    });
  };
}
