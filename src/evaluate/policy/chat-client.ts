import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PolicyUnusable } from './policy.ts';

/** How an endpoint is called. */
export interface ChatEndpoint {
  /** Up to and with `/v1`. */
  readonly url: string;
  /** Sent as a bearer token; undefined sends none. */
  readonly apiKey: string | undefined;
  /** How long one try may take, milliseconds. */
  readonly requestMsMax: number;
  /** Tries after the first. */
  readonly retryCountMax: number;
  /** How long is waited before the second try, milliseconds; each wait after it is twice as long. */
  readonly retryMs: number;
}

const ToolCall = z.object({ function: z.object({ name: z.string(), arguments: z.string() }) });

const ChatResponse = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z.array(ToolCall).nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ completion_tokens: z.int().min(0) }).nullish(),
});

/** A chat completion, as far as it is read. */
export type ChatCompletion = z.infer<typeof ChatResponse>;

/** The endpoint did not answer, however often it was asked. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
}

/** Answers that mean that no request will ever do: the address, the key or the model is wrong. */
const HOPELESS: ReadonlySet<number> = new Set([401, 403, 404, 405]);

const RETRY_MS_MAX = 60_000;

/** Statuses that another try may change, besides the server's own failures. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * Asks an OpenAI-compatible endpoint for a completion. Lost connections, time-outs, busy and failing servers and cut
 * responses are tried again. Throws {@link PolicyUnusable} where no request can do, {@link ChatError} for this one.
 */
export async function completeChat(
  endpoint: ChatEndpoint,
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ChatCompletion> {
  const text = JSON.stringify(body);
  for (let tries = 0; ; tries += 1) {
    const outcome = await tryOnce(endpoint, text, signal);
    if (outcome.kind === 'completion') return outcome.completion;
    if (outcome.kind === 'hopeless') throw new PolicyUnusable(outcome.message);
    if (outcome.kind === 'refused') throw new ChatError(outcome.message);
    if (tries >= endpoint.retryCountMax) {
      throw new ChatError(`${outcome.message} (tried ${tries + 1} times)`);
    }
    const backoffMs = Math.min(RETRY_MS_MAX, endpoint.retryMs * 2 ** tries);
    await sleep(Math.max(backoffMs, outcome.afterMs), undefined, { signal });
  }
}

type Outcome =
  | { readonly kind: 'completion'; readonly completion: ChatCompletion }
  | { readonly kind: 'hopeless'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'passing'; readonly message: string; readonly afterMs: number };

async function tryOnce(
  endpoint: ChatEndpoint,
  body: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { url, apiKey, requestMsMax } = endpoint;
  // Not AbortSignal.any with AbortSignal.timeout: on Node 20 the garbage collector can take both, and the request hangs forever.
  const stop = new AbortController();
  const giveUp = (): void => stop.abort(signal.reason);
  const timer = setTimeout(
    () => stop.abort(new DOMException('no answer in time', 'TimeoutError')),
    requestMsMax,
  );
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body,
      signal: stop.signal,
    });
    const text = await response.text();
    if (!response.ok) return refusal(response, text);
    const parsed = ChatResponse.safeParse(JSON.parse(text));
    if (parsed.success) return { kind: 'completion', completion: parsed.data };
    const [issue] = parsed.error.issues;
    const message = `the endpoint's answer is no chat completion: ${issue?.path.join('.')}: ${issue?.message}`;
    return { kind: 'passing', message, afterMs: 0 };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'passing', message: describe(error, requestMsMax), afterMs: 0 };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

function refusal(response: Response, text: string): Outcome {
  const { status } = response;
  const message = `the endpoint answers ${status}: ${text.slice(0, 500).trim()}`;
  if (HOPELESS.has(status)) return { kind: 'hopeless', message };
  if (status < 500 && !PASSING.has(status)) return { kind: 'refused', message };
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  const afterMs = Number.isFinite(seconds) ? Math.min(RETRY_MS_MAX, seconds * 1_000) : 0;
  return { kind: 'passing', message, afterMs };
}

function describe(error: unknown, requestMsMax: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `the endpoint did not answer within ${requestMsMax} ms`;
  if (error instanceof SyntaxError) return "the endpoint's answer is no JSON";
  // fetch hides what happened in the cause.
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return `the endpoint can't be reached: ${code ?? cause?.message ?? error.message}`;
}
