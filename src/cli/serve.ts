import type { Command } from 'commander';
import { addSettings, configOf } from './options.ts';

const AFTER_HELP = `
The log is one JSON object a line on stderr. SIGTERM or Ctrl-C drains: no new episodes,
running ones may end within --drain-ms. A second one stops at once.

With OTEL_EXPORTER_OTLP_ENDPOINT set, every call is a span: docs/metrics.md has more.

Examples:
  sqlenv serve --demo
  sqlenv serve --spider ~/spider --split dev --port 0
  sqlenv serve --databases dbs --tasks tasks.jsonl --skip-broken --lease-ms 1800000
  sqlenv serve --demo --metrics 9464
  SQLENV_LOG_LEVEL=warn sqlenv serve --demo --no-record
`;

/** `sqlenv serve`. */
export function registerServe(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('serve')
    .summary('serve tasks over gRPC')
    .description('Serves text-to-SQL episodes over gRPC until it is told to stop.')
    .option('--json', 'say what is running as one JSON object')
    .addHelpText('after', AFTER_HELP);
  addSettings(command);
  command.action(async (options: { readonly json?: boolean }) => {
    const config = configOf(command);
    // Loaded only now, so that help texts and mistakes need not wait for gRPC and SQLite.
    const { runServer } = await import('./run-server.ts');
    finish(await runServer(config, options.json === true));
  });
}
