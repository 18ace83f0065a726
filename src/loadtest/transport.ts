import { connectClient, type SqlenvClient } from '../rpc/client.ts';

/** How the calls of an episode travel. */
export const TRANSPORTS = ['unary', 'stream'] as const;

/** `unary`: a call each. `stream`: messages on one stream a connection, `StreamSteps`. */
export type Transport = (typeof TRANSPORTS)[number];

/** What playing an episode needs of a server, over one connection. */
export type EpisodeCalls = Pick<SqlenvClient, 'reset' | 'step' | 'close' | 'score' | 'disconnect'>;

/** A call on a stream was not answered in time. */
export class CallTimedOut extends Error {
  override readonly name = 'CallTimedOut';
}

/** How much longer than the server the client waits for a call on a stream, milliseconds. */
const GRACE_MS = 1_000;

/** Opens a connection of its own to a server, when the first call is made. Every call has the deadline, milliseconds. */
export function connectTransport(
  transport: Transport,
  address: string,
  deadlineMs: number,
): EpisodeCalls {
  const client = connectClient(address, deadlineMs, true);
  switch (transport) {
    case 'unary':
      return client;
    case 'stream':
      return streamCalls(client, deadlineMs);
  }
}

/** One stream for all episodes of a connection. One that broke takes its calls along; the next call opens another. */
function streamCalls(client: SqlenvClient, deadlineMs: number): EpisodeCalls {
  let stream: ReturnType<SqlenvClient['openStream']> | undefined;
  const current = (): ReturnType<SqlenvClient['openStream']> => {
    if (stream === undefined || stream.isBroken) stream = client.openStream();
    return stream;
  };
  return {
    reset: (request) => inTime('reset', current().reset(request), deadlineMs),
    step: (request) => inTime('step', current().step(request), deadlineMs),
    close: (request) => inTime('close', current().close(request), deadlineMs),
    score: client.score,
    disconnect: () => {
      stream?.end();
      client.disconnect();
    },
  };
}

/** The server keeps the deadline of a call on a stream; one that hangs keeps none. */
async function inTime<R>(call: string, response: Promise<R>, deadlineMs: number): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CallTimedOut(`${call} on a stream: no reply within ${deadlineMs} ms`)),
      deadlineMs + GRACE_MS,
    );
  });
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}
