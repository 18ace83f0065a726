import { TOOL_SCHEMA } from '../../../env/prompt.ts';
import type { Message } from '../../../env/task.ts';
import { completeChat, type ChatCompletion, type ChatEndpoint } from './chat-client.ts';
import type { Policy, PolicyTurn } from './policy.ts';
import { toolCallText, withToolBlock } from './tool-text.ts';

/** How the model learns of the tool. */
export const TOOL_MODES = ['text', 'auto', 'none', 'off'] as const;
/**
 * `text`: in the system message, as hermes-style chat templates write it; `auto` and `none`: in the request, with that
 * `tool_choice`; `off`: not at all.
 */
export type ToolMode = (typeof TOOL_MODES)[number];

/** How a model is asked. */
export interface ModelOptions {
  readonly model: string;
  readonly tools: ToolMode;
  readonly temperature: number;
  readonly topP: number;
  /** Tokens of one message at most; what the episode has left is a further bound. */
  readonly tokenCountMax: number;
  /** undefined sends none. Attempts at the same task get seeds of their own. */
  readonly seed: number | undefined;
}

/** A model behind an OpenAI-compatible endpoint, as vLLM and SGLang serve it. */
export function openaiPolicy(endpoint: ChatEndpoint, options: ModelOptions): Policy {
  return {
    async act(turn, signal) {
      const completion = await completeChat(endpoint, requestOf(turn, options), signal);
      return {
        text: textOf(completion),
        completionTokenCount: completion.usage?.completion_tokens ?? 0,
      };
    },
  };
}

function requestOf(turn: PolicyTurn, options: ModelOptions): Record<string, unknown> {
  const { model, tools, temperature, topP, seed, tokenCountMax } = options;
  const messages = tools === 'text' ? withToolBlock(turn.messages) : turn.messages;
  return {
    model,
    messages: messages.map(wireMessage),
    temperature,
    top_p: topP,
    max_tokens: Math.max(1, Math.min(tokenCountMax, turn.tokenCountLeft)),
    ...(seed === undefined ? {} : { seed: seed + turn.attempt }),
    ...(tools === 'auto' || tools === 'none' ? { tools: [TOOL_SCHEMA], tool_choice: tools } : {}),
  };
}

/** The model's own messages go back as it wrote them, so that the next prompt holds the bytes of training. */
function wireMessage(message: Message, index: number): Record<string, string> {
  return message.role === 'tool' ? { ...message, tool_call_id: `call_${index}` } : { ...message };
}

/** A server that has parsed the tool calls gives them apart from the text: they are put back. */
function textOf(completion: ChatCompletion): string {
  const message = completion.choices[0]?.message;
  const calls = (message?.tool_calls ?? []).map((call) =>
    toolCallText(call.function.name, call.function.arguments),
  );
  const content = message?.content ?? '';
  return [...(content === '' ? [] : [content]), ...calls].join('\n');
}
