import {
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Attributes,
  type Span,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import type { CallHeaders, CallObserver, CallTelemetry } from '../episodes/telemetry.ts';

/** What is known of a call, by attribute name. */
export type DescribeCall = (request: unknown, response: unknown) => Attributes;

/** gRPC status codes that are the server's fault, by the semantic conventions of OpenTelemetry. */
const FAULTS = new Set([2, 4, 12, 13, 14, 15]);

const HEADERS: TextMapGetter<CallHeaders> = {
  // Only for propagators that take unknown names; those of W3C don't.
  keys: () => [],
  get: (headers, name) => headers.get(name).map(String),
};

/** Makes a server span of each call, in the trace that the caller's `traceparent` names. */
export class CallTracing implements CallTelemetry {
  readonly #tracer: Tracer;
  readonly #service: string;
  readonly #describe: DescribeCall;

  /** `service` is the full name of the gRPC service. */
  constructor(tracer: Tracer, service: string, describe: DescribeCall) {
    this.#tracer = tracer;
    this.#service = service;
    this.#describe = describe;
  }

  begin(method: string, headers: CallHeaders, request: unknown): CallObserver {
    const parent = propagation.extract(ROOT_CONTEXT, headers, HEADERS);
    const span = this.#tracer.startSpan(
      `${this.#service}/${method}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'rpc.system': 'grpc', 'rpc.service': this.#service, 'rpc.method': method },
      },
      parent,
    );
    return new TracedCall(span, request, this.#describe);
  }
}

class TracedCall implements CallObserver {
  readonly #span: Span;
  readonly #request: unknown;
  readonly #describe: DescribeCall;
  #response: unknown;

  constructor(span: Span, request: unknown, describe: DescribeCall) {
    this.#span = span;
    this.#request = request;
    this.#describe = describe;
  }

  answered(response: unknown): void {
    this.#response = response;
  }

  ended(code: number, reason: string): void {
    const span = this.#span;
    if (span.isRecording()) {
      span.setAttributes(this.#describe(this.#request, code === 0 ? this.#response : undefined));
      span.setAttribute('rpc.grpc.status_code', code);
      if (reason !== '') span.setAttribute('sqlenv.error_reason', reason);
      if (FAULTS.has(code)) span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}
