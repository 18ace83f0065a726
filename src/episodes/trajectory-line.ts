import type { Message } from '../../env/task.ts';
import type { Trajectory } from '../../env/trajectory.ts';

/** The system message of a database is one object for all its episodes, and most of a short episode's text. */
const knownMessages = new WeakMap<Message, string>();

/** A trajectory as `JSON.stringify` writes it, to the byte, but each prompt only once. */
export function trajectoryLine(trajectory: Trajectory): string {
  const entries = Object.entries(trajectory);
  const index = entries.findIndex(([key]) => key === 'messages');
  if (index <= 0 || index === entries.length - 1) return JSON.stringify(trajectory);
  const before = JSON.stringify(Object.fromEntries(entries.slice(0, index)));
  const after = JSON.stringify(Object.fromEntries(entries.slice(index + 1)));
  // Neither is empty: the messages stand in the middle, and what stands around them is always there.
  const messages = trajectory.messages.map(messageJson).join(',');
  return `${before.slice(0, -1)},"messages":[${messages}],${after.slice(1)}`;
}

function messageJson(message: Message): string {
  const known = knownMessages.get(message);
  if (known !== undefined) return known;
  const json = JSON.stringify(message);
  if (message.role === 'system') knownMessages.set(message, json);
  return json;
}
