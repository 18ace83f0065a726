import { TOOL_SCHEMA_JSON } from '../../../env/prompt.ts';
import type { Message } from '../../../env/task.ts';

/**
 * What the chat templates of hermes-style models (Qwen 2.5 and 3) write below the system message when they are given tools,
 * byte for byte. With it in the message itself, a server needs no tool support to give the model the prompt of training.
 */
const TOOL_BLOCK = `

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
${TOOL_SCHEMA_JSON}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`;

/** The messages with the tool in the system message. */
export function withToolBlock(messages: readonly Message[]): Message[] {
  return messages.map((message) =>
    message.role === 'system' ? { ...message, content: message.content + TOOL_BLOCK } : message,
  );
}

/** A tool call as hermes models write it. */
export function toolCallText(name: string, argumentsJson: string): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${argumentsJson}}\n</tool_call>`;
}
