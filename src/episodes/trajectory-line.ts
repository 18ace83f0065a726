import type { Message } from '../../env/task.ts';
import type { Trajectory } from '../../env/trajectory.ts';

/** The system message of a database is one object for all its episodes, and most of a short episode's text. */
const knownMessages = new WeakMap<Message, string>();

/** What stands for the messages: it can't come from a text, whose quotes are escaped, nor from labels, which are texts. */
const NO_MESSAGES = '"messages":0,"steps":';

/** A trajectory as `JSON.stringify` writes it, to the byte, but each prompt only once. */
export function trajectoryLine(trajectory: Trajectory): string {
  // In the place that the key has.
  const rest = JSON.stringify({ ...trajectory, messages: 0 });
  const at = rest.indexOf(NO_MESSAGES);
  if (at === -1) return JSON.stringify(trajectory);
  const messages = trajectory.messages.map(messageJson).join(',');
  return `${rest.slice(0, at)}"messages":[${messages}],"steps":${rest.slice(at + NO_MESSAGES.length)}`;
}

function messageJson(message: Message): string {
  const known = knownMessages.get(message);
  if (known !== undefined) return known;
  const json = JSON.stringify(message);
  if (message.role === 'system') knownMessages.set(message, json);
  return json;
}
