import type { Config } from '../config.ts';
import type { QueryTelemetry } from '../episodes/ports.ts';
import type { CallTelemetry, EpisodeTelemetry } from '../episodes/telemetry.ts';
import type { Log } from '../logger.ts';
import type { MeasuredServer } from '../metrics/server-metrics.ts';
import { VERSION } from '../package-root.ts';
import { callFacts } from '../rpc/call-facts.ts';
import { SERVICE_NAME } from '../rpc/load-proto.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { tracingSettings } from '../tracing/settings.ts';

/** Who is told what happens in a server: its metrics, its traces, both or nobody. */
export interface ServerTelemetry {
  readonly episodes: EpisodeTelemetry | undefined;
  readonly queries: QueryTelemetry | undefined;
  readonly calls: CallTelemetry | undefined;
  /** Where metrics are scraped; undefined without them. */
  readonly metricsPort: number | undefined;
  /** Says what is measured, once it runs. */
  measure(server: MeasuredServer): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Opens what the settings ask for; what they don't is not even loaded. Throws `BindError`. */
export async function openTelemetry(config: Config, log: Log): Promise<ServerTelemetry> {
  const metrics = await openMetrics(config, log);
  const tracing = await openTracing(log);
  const calls = [metrics?.metrics.calls, tracing?.calls].filter((each) => each !== undefined);
  return {
    episodes: metrics?.metrics.episodes,
    queries: metrics?.metrics.queries,
    calls: calls.length > 1 ? inTurn(calls) : calls[0],
    metricsPort: metrics?.port,
    measure: (server) => metrics?.metrics.measure(server),
    close: async () => {
      await metrics?.metrics.close();
      await tracing?.close();
    },
  };
}

async function openMetrics(config: Config, log: Log) {
  const { metricsHost: host, metricsPort } = config;
  if (metricsPort === undefined) return undefined;
  const { ServerMetrics } = await import('../metrics/server-metrics.ts');
  const metrics = new ServerMetrics();
  try {
    const port = await metrics.listen(host, metricsPort, log);
    return { metrics, port };
  } catch (error) {
    await metrics.close();
    throw error;
  }
}

async function openTracing(log: Log): Promise<Tracing | undefined> {
  const settings = tracingSettings(process.env);
  if (settings === undefined) return undefined;
  for (const warning of settings.warnings) log.warn({}, warning);
  const { startTracing } = await import('../tracing/tracing.ts');
  return startTracing({ service: SERVICE_NAME, version: VERSION, describe: callFacts, log });
}

function inTurn(all: readonly CallTelemetry[]): CallTelemetry {
  return {
    begin: (method, headers, request) => {
      const observers = all.map((each) => each.begin(method, headers, request));
      return {
        answered: (response) => {
          for (const observer of observers) observer.answered(response);
        },
        ended: (code, reason) => {
          for (const observer of observers) observer.ended(code, reason);
        },
      };
    },
  };
}
