import type { Config } from '../config.ts';
import { openLog } from '../logger.ts';
import { letHeapsGrow } from '../sqlite/heap-growth.ts';
import { startEnvironment } from './compose.ts';
import { EXIT_OK } from './exit-codes.ts';
import { watchSignals } from './signals.ts';
import { welcomeJson, welcomeText } from './welcome.ts';

/** How long the process may live on after all is closed, milliseconds. */
const LINGER_MS = 500;

/** Serves until a signal says stop, drains, and resolves with the exit code. */
export async function runServer(config: Config, json: boolean): Promise<number> {
  const { log, flush } = openLog(config.logLevel, config.logPretty);
  const signals = watchSignals(log, flush);
  process.on('unhandledRejection', (error) => {
    // Episodes are independent: one that went wrong unseen must not take the others along.
    log.error({ err: error }, 'a promise was rejected and nobody noticed');
  });
  try {
    const environment = await Promise.race([startEnvironment(config, log), signals.first]);
    // There is nothing to drain yet, and what is being started may be stuck.
    if (typeof environment === 'string') return signals.die(environment);
    letHeapsGrow();
    for (const { location, message } of environment.skipped) {
      log.warn({ location }, `skipped: ${message}`);
    }
    const { host } = config;
    if (!isLoopback(host)) {
      log.warn({ host }, 'listening beyond this machine: whoever reaches the port can use it');
    }
    const { metricsHost } = config;
    if (environment.metricsPort !== undefined && !isLoopback(metricsHost)) {
      log.warn({ host: metricsHost }, 'metrics are served beyond this machine, to anybody');
    }
    process.stdout.write((json ? welcomeJson : welcomeText)(environment, config));
    log.info(
      { host, port: environment.server.port, metricsPort: environment.metricsPort },
      'serving',
    );
    const signal = await signals.first;
    log.info({ signal, episodeCount: environment.service.episodeCount }, 'draining');
    await environment.stop();
    log.info({}, 'stopped');
    // What is left are timers and sockets of libraries, to a collector that hangs, say: nobody needs to wait for them.
    setTimeout(() => process.exit(), LINGER_MS).unref();
    return EXIT_OK;
  } finally {
    flush();
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
