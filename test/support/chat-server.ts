import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message of a request. */
export interface WireMessage {
  readonly role: string;
  readonly content: string;
}

/** The body of a request, as far as the tests look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: unknown;
  readonly tool_choice?: string;
  readonly max_tokens: number;
}

/** What the server does with one request instead of answering it. */
export type Failure = 'status 500' | 'status 429' | 'reset' | 'cut json' | 'no choices' | 'hang';

/** What the server says: a text, or the body of a refusal. */
export type ChatAnswer =
  | { readonly text: string }
  | { readonly toolCall: { readonly name: string; readonly arguments: string } }
  | { readonly status: number; readonly body: string };

/** A small OpenAI-compatible server on loopback. */
export interface ChatServer {
  /** Up to `/v1`. */
  readonly url: string;
  readonly requests: readonly ChatRequest[];
  readonly failureCount: number;
  close(): Promise<void>;
}

/** Starts it. `failureOf` may spoil a request: by its number, and by how often the same has been asked for before. */
export async function startChatServer(
  answer: (request: ChatRequest, headers: IncomingMessage['headers']) => ChatAnswer,
  failureOf: (requestIndex: number, tryIndex: number) => Failure | undefined = () => undefined,
): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  const tries = new Map<string, number>();
  let requestIndex = 0;
  let failureCount = 0;
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => (text += chunk));
    incoming.on('end', () => {
      const tryIndex = tries.get(text) ?? 0;
      tries.set(text, tryIndex + 1);
      const failure = failureOf(requestIndex, tryIndex);
      requestIndex += 1;
      if (failure !== undefined) {
        failureCount += 1;
        fail(response, failure);
        return;
      }
      if (incoming.method !== 'POST' || incoming.url !== '/v1/chat/completions') {
        send(response, 404, 'not here');
        return;
      }
      const request = JSON.parse(text) as ChatRequest;
      requests.push(request);
      const said = answer(request, incoming.headers);
      if ('status' in said) send(response, said.status, said.body);
      else send(response, 200, JSON.stringify(completion(said)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get failureCount() {
      return failureCount;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function completion(said: Exclude<ChatAnswer, { status: number }>): unknown {
  const message =
    'text' in said
      ? { role: 'assistant', content: said.text }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: said.toolCall }],
        };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 },
  };
}

function fail(response: ServerResponse, failure: Failure): void {
  switch (failure) {
    case 'status 500':
      return send(response, 500, 'engine died');
    case 'status 429':
      response.setHeader('retry-after', '0.01');
      return send(response, 429, 'too many requests');
    case 'reset':
      response.socket?.destroy();
      return;
    case 'cut json':
      return send(response, 200, '{"choices": [{"mess');
    case 'no choices':
      return send(response, 200, '{"choices": []}');
    case 'hang':
      return;
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
