import { expect, test } from 'vitest';
import { ReplyWriter } from '../../src/rpc/reply-writer.ts';
import { UnreadResponses } from '../../src/rpc/unread-responses.ts';

const LIMITS = { connectionBytesMax: 10_000_000, totalBytesMax: 20_000_000 };

/** A stream whose reader is told by hand what has gone out. */
function pausedStream() {
  const waiting: { bytes: number; sent: () => void }[] = [];
  const stream = {
    getPeer: () => 'peer',
    write: (bytes: Buffer, sent: () => void) => {
      waiting.push({ bytes: bytes.length, sent });
      return true;
    },
  };
  return { waiting, stream: stream as never };
}

const serialize = ({ replies }: { replies?: readonly { callId?: number }[] | undefined }) =>
  Buffer.alloc(replies?.[0]?.callId ?? 0);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('replies that grpc-js has and nobody reads count as unread, and few of them are handed over', async () => {
  const unread = new UnreadResponses(LIMITS);
  const { waiting, stream } = pausedStream();
  const writer = new ReplyWriter(stream, serialize as never, unread, () => undefined);
  let refused = 0;
  for (let index = 0; index < 30; index += 1) {
    try {
      writer.write(writer.encode({ callId: 500_000 }));
    } catch (error) {
      expect(String(error)).toContain('not been read');
      refused += 1;
    }
    await nextTurn();
  }
  expect(refused).toBe(10);
  expect(unread.totalBytes).toBe(10_000_000);
  const handedOver = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(handedOver).toBeLessThanOrEqual(1_500_000);

  // The reader goes on: what has gone out is no longer counted, and the rest follows.
  for (let index = 0; index < waiting.length; index += 1) {
    waiting[index]?.sent();
    await nextTurn();
    await nextTurn();
  }
  expect(unread.totalBytes).toBe(0);
  expect(waiting.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(10_000_000);
});

test('a stream that stops gives all back, what was under way too, and counts no reply that comes later', async () => {
  const unread = new UnreadResponses(LIMITS);
  const { stream } = pausedStream();
  const writer = new ReplyWriter(stream, serialize as never, unread, () => undefined);
  for (let index = 0; index < 8; index += 1) writer.write(writer.encode({ callId: 500_000 }));
  await nextTurn();
  expect(unread.totalBytes).toBe(4_000_000);
  writer.stop();
  expect(unread.totalBytes).toBe(0);
  writer.write(writer.encode({ callId: 500_000 }));
  expect(unread.totalBytes).toBe(0);
});
