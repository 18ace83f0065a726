import type { ServerUnaryCall } from '@grpc/grpc-js';
import { type CancelSignal, CancelSource } from '../cancel.ts';
import { CallAborted } from '../errors.ts';

/** A call's signal, and the way to abort it from here. */
export interface CallSignal {
  readonly signal: CancelSignal;
  readonly abort: (reason: Error) => void;
  /** To be called when the call is over: grpc-js says "cancelled" after a normal end, too. */
  readonly release: () => void;
}

/** A signal that fires when the caller cancels, its connection breaks, or its deadline passes. */
export function callSignal<Q, R>(call: ServerUnaryCall<Q, R>): CallSignal {
  const controller = new CancelSource();
  const abort = (): void => {
    if (controller.signal.aborted) return;
    const passed = Number(call.getDeadline()) <= Date.now();
    controller.abort(new CallAborted(passed ? 'DEADLINE_EXCEEDED' : 'CANCELLED'));
  };
  call.on('cancelled', abort);
  if (call.cancelled) abort();
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => call.off('cancelled', abort),
  };
}
