import { setTimeout as sleep } from 'node:timers/promises';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { CallTelemetry } from '../episodes/telemetry.ts';
import type { Log } from '../logger.ts';
import { CallTracing, type DescribeCall } from './call-tracing.ts';

/** What is traced. */
export interface TracingOptions {
  /** Full name of the gRPC service. */
  readonly service: string;
  readonly version: string;
  readonly describe: DescribeCall;
  readonly log: Log;
}

/** Spans on their way to a collector. */
export interface Tracing {
  readonly calls: CallTelemetry;
  /** Sends what waits, for a bounded time. Never rejects; idempotent. */
  close(): Promise<void>;
}

/** How long the last spans may take, milliseconds. A collector that hangs must not hold a shutdown up. */
const FLUSH_MS = 2_000;

/**
 * Starts tracing. Where spans go, how many are sampled and what they are called follows from the OTEL_ variables, which the
 * packages of OpenTelemetry read by themselves.
 */
export function startTracing(options: TracingOptions): Tracing {
  const { service, version, describe, log } = options;
  const warn = (message: string): void => log.warn({}, `OpenTelemetry: ${message}`);
  const silent = (): void => {};
  // What is said while it starts is about the settings; of failed exports the exporter below speaks, once.
  diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'sqlenv', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(quietExporter(new OTLPTraceExporter(), log))],
  });
  // Spans have no children here, so nobody needs a context that follows what is asynchronous.
  provider.register({ contextManager: null });
  diag.disable();
  const close = async (): Promise<void> => {
    const flushed = provider.shutdown().catch(silent);
    await Promise.race([flushed, sleep(FLUSH_MS, undefined, { ref: false })]);
  };
  let closing: Promise<void> | undefined;
  return {
    calls: new CallTracing(provider.getTracer('sqlenv', version), service, describe),
    close: () => (closing ??= close()),
  };
}

/** Says once that spans are lost, and once that they arrive again. */
function quietExporter(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  let failing = false;
  return {
    export: (spans, report) => {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !failing) {
          log.warn({ err: result.error }, 'spans do not reach the collector; calls go on');
        } else if (!failed && failing) log.info({}, 'spans reach the collector again');
        failing = failed;
        report(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
