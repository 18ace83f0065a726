import { Registry } from 'prom-client';
import type { QueryTelemetry } from '../episodes/ports.ts';
import type { CallTelemetry, EpisodeTelemetry } from '../episodes/telemetry.ts';
import type { Log } from '../logger.ts';
import { CallMetrics } from './call-metrics.ts';
import { ConnectionMetrics } from './connections.ts';
import { EpisodeMetrics } from './episode-metrics.ts';
import { register, type Family } from './families.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { QueryMetrics } from './query-metrics.ts';
import { startScrapeServer, type ScrapeServer } from './scrape-server.ts';
import { stateFamilies, type StateSources } from './server-state.ts';

/** What a server that runs adds to its metrics. */
export interface MeasuredServer extends StateSources {
  /** Of gRPC; its connections are counted. */
  readonly port: number;
}

/** All that is measured of one server. It keeps no global state: two of them in a process don't know of each other. */
export class ServerMetrics {
  readonly episodes: EpisodeTelemetry;
  readonly queries: QueryTelemetry;
  readonly calls: CallTelemetry;
  /** In the order in which they are scraped. */
  readonly families: readonly Family[];
  readonly #registry = new Registry();
  readonly #process = new ProcessMetrics();
  readonly #connections = new ConnectionMetrics();
  #server: MeasuredServer | undefined;
  #scraped: ScrapeServer | undefined;

  constructor() {
    const [episodes, queries, calls] = [
      new EpisodeMetrics(),
      new QueryMetrics(),
      new CallMetrics(),
    ];
    this.episodes = episodes;
    this.queries = queries;
    this.calls = calls;
    this.families = [
      ...stateFamilies(() => this.#server),
      ...episodes.families,
      ...queries.families,
      ...calls.families,
      ...this.#connections.families,
      ...this.#process.families,
    ];
    register(this.#registry, this.families);
  }

  /** The text of a scrape. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Serves them; returns the port. Throws `BindError`. */
  async listen(host: string, port: number, log: Log): Promise<number> {
    this.#scraped = await startScrapeServer({
      host,
      port,
      log,
      contentType: this.#registry.contentType,
      render: () => this.render(),
      isServing: () => this.#server !== undefined && !this.#server.info().draining,
    });
    return this.#scraped.port;
  }

  /** Says what is measured, once it runs. */
  measure(server: MeasuredServer): void {
    this.#server = server;
    this.#connections.watch(server.port);
  }

  /** Serves them no more and stops watching; idempotent. */
  async close(): Promise<void> {
    this.#connections.close();
    this.#process.close();
    await this.#scraped?.close();
  }
}
