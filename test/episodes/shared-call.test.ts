import { describe, expect, test } from 'vitest';
import { SharedCall } from '../../src/episodes/shared-call.ts';

const never = (): AbortSignal => new AbortController().signal;

describe('a shared call', () => {
  test('gives every waiter the outcome, also those that come after it', async () => {
    const call = new SharedCall(async () => 7);
    expect(await Promise.all([call.join(never()), call.join(never())])).toEqual([7, 7]);
    expect(await call.join(never())).toBe(7);
  });

  test('gives every waiter the failure, also one that is thrown at once', async () => {
    const call = new SharedCall<number>(() => {
      throw new Error('no');
    });
    await expect(call.join(never())).rejects.toThrow('no');
    await expect(call.join(never())).rejects.toThrow('no');
  });

  test('starts after whoever made it has gone on', async () => {
    const order: string[] = [];
    const call = new SharedCall(async () => order.push('run'));
    order.push('made');
    await call.join(never());
    expect(order).toEqual(['made', 'run']);
  });

  test('leaves no listener on the signals of its waiters', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const call = new SharedCall(async () => 7);
    await call.join(signal);
    await call.settled(signal);
    expect(listeners).toBe(0);
  });

  test('is stopped with the reason of the last one to leave', async () => {
    let seen: unknown;
    const call = new SharedCall<void>(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            seen = signal.reason;
            reject(signal.reason as Error);
          });
        }),
    );
    const [one, two] = [new AbortController(), new AbortController()];
    const waits = [call.join(one.signal), call.join(two.signal)];
    await Promise.resolve();
    one.abort(new Error('one'));
    expect(call.aborted).toBe(false);
    two.abort(new Error('two'));
    expect(call.aborted).toBe(true);
    await expect(waits[0]).rejects.toThrow('one');
    await expect(waits[1]).rejects.toThrow('two');
    expect((seen as Error).message).toBe('two');
  });

  test('waiting for its end can be given up', async () => {
    const call = new SharedCall(() => new Promise<void>(() => {}));
    const caller = new AbortController();
    const waiting = call.settled(caller.signal);
    caller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(call.settled(caller.signal)).rejects.toThrow('enough');
  });
});
