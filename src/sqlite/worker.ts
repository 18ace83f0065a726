// First of all: a slow thread steps back before it loads anything. The storm of threads that runaways call up must not hold the
// others up.
import './step-back.ts';
import { packReply, unpackMessage, type PackedMessage, type PackedReply } from './packed.ts';
import { answer, describeEngine } from './worker-tasks.ts';

/** What piscina calls: messages in, replies to the first of them out. */
export default function answerPacked(messages: readonly PackedMessage[]): PackedReply[] {
  return answer(messages.map(unpackMessage)).map(packReply);
}

export { describeEngine };
