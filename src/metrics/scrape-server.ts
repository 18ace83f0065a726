import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bindError } from '../bind-error.ts';
import type { Log } from '../logger.ts';

/** What is served, and where. */
export interface ScrapeOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly log: Log;
  readonly contentType: string;
  /** The text of a scrape. */
  readonly render: () => Promise<string>;
  /** Whether the server takes new episodes. */
  readonly isServing: () => boolean;
}

/** The port that is scraped. */
export interface ScrapeServer {
  readonly port: number;
  /** Ends all connections; idempotent. */
  close(): Promise<void>;
}

/** Connections at once; one more ends the oldest, so that those that do nothing keep nobody out. */
const CONNECTION_COUNT_MAX = 32;

/** How long a connection may last, milliseconds: one scrape takes a few, and there is one a connection. */
const CONNECTION_MS = 10_000;

const HEADER_BYTES_MAX = 8_192;

/** How long a text is given out before it is made anew, milliseconds: whoever scrapes in a loop costs no more than this. */
const FRESH_MS = 100;

/**
 * Serves GET /metrics and GET /healthz. It shares the event loop with the calls, so whatever a scraper does is bounded: the
 * size of its headers, its time, the connections, and how often the text is made. Throws `BindError`.
 */
export async function startScrapeServer(options: ScrapeOptions): Promise<ScrapeServer> {
  const { host, log } = options;
  const render = shared(options.render);
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: CONNECTION_MS / 2,
      requestTimeout: CONNECTION_MS / 2,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      answer(options, render, request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a scrape failed');
        respond(request, response, 500, 'the metrics could not be read; the log has more\n');
      });
    },
  );
  server.maxRequestsPerSocket = 1;
  boundConnections(server);
  const port = await listen(server, host, options.port);
  // Out of descriptors, say: without a listener that would end the process.
  server.on('error', (error) => log.warn({ err: error }, 'the port of the metrics has trouble'));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { port, close: () => (closing ??= close()) };
}

async function answer(
  options: ScrapeOptions,
  render: () => Promise<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (path !== '/metrics' && path !== '/healthz') {
    respond(request, response, 404, 'there is /metrics and /healthz\n');
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    respond(request, response, 405, 'only GET and HEAD\n');
  } else if (path === '/healthz') {
    const serving = options.isServing();
    respond(request, response, serving ? 200 : 503, serving ? 'serving\n' : 'not serving\n');
  } else {
    const text = await render();
    response.setHeader('Content-Type', options.contentType);
    respond(request, response, 200, text);
  }
}

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  text: string,
): void {
  if (response.headersSent) return;
  response.statusCode = code;
  if (!response.hasHeader('Content-Type')) {
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Connection', 'close');
  response.end(request.method === 'HEAD' ? undefined : text);
  // A body that nobody asked for is not read: the connection ends under it.
  if (!request.complete) response.once('finish', () => request.socket.destroySoon());
}

/** Scrapes that come together, or soon after one another, get the same text. */
function shared(render: () => Promise<string>): () => Promise<string> {
  let text: Promise<string> | undefined;
  let freshUntilMs = 0;
  return () => {
    if (text !== undefined && performance.now() < freshUntilMs) return text;
    freshUntilMs = performance.now() + FRESH_MS;
    text = render();
    return text;
  };
}

function boundConnections(server: Server): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    const [oldest] = sockets;
    if (oldest !== undefined && sockets.size >= CONNECTION_COUNT_MAX) oldest.destroy();
    sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), CONNECTION_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      sockets.delete(socket);
    });
  });
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: Error): void => reject(bindError(error, host, port, '--metrics-port'));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
