import { Option, type Command } from 'commander';

const AFTER_HELP = `
PATH is a file of recorded trajectories, .jsonl or .jsonl.gz, or a folder of them. Without
a mode it opens a full-screen program on a terminal. Looking at records needs no database;
playing them again does: it is taken from --server, --spider, --databases or --demo, else from
where the manifest (catalog-*.json) beside the records says. Golds likewise, if the records
hold none.

EPISODE is an episode id, its beginning as long as it is unique, or its number in --list.
A filter is a list of words and terms: reward:0 verdict:mismatch db:concert_singer
tool_calls>1 sql:JOIN -flag:both_empty

Exit codes: 0 well; 1 something differs or can't be played, read or scored, or there was
nothing to check; 2 misused.

Examples:
  sqlenv replay trajectories
  sqlenv replay trajectories --filter 'reward:0 verdict:mismatch'
  sqlenv replay trajectories --check
  sqlenv replay trajectories --check --databases dbs --tasks tasks.jsonl --json
  sqlenv replay trajectories --rescore set@1
  sqlenv replay trajectories --print 17 --format markdown
  sqlenv replay trajectories --html report.html
`;

/** The flags of `sqlenv replay`. */
export interface ReplayFlags {
  readonly check?: boolean;
  readonly rescore?: string;
  readonly print?: string;
  readonly html?: string;
  readonly list?: boolean;
  readonly filter?: string;
  readonly json?: boolean;
  readonly format?: 'text' | 'markdown' | 'json';
  readonly prompt?: boolean;
  readonly forks?: string;
  readonly server?: string;
  readonly spider?: string;
  readonly databases?: string;
  readonly tasks?: string;
  readonly demo?: boolean;
  readonly concurrency?: string;
  readonly threads?: string;
}

/** `sqlenv replay`. */
export function registerReplay(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('replay')
    .summary('look at recorded episodes, and play them again')
    .description('Shows recorded episodes, plays them again, compares, rescores and forks them.')
    .argument('<path...>', 'files or folders of trajectories')
    .addHelpText('after', AFTER_HELP);
  command
    .optionsGroup('Modes, one at a time:')
    .option('--check', 'play every step again and compare it with the record')
    .option('--rescore <mode>', 'score the answers under another mode: bag@1, set@1 or rows@1')
    .option('--print <episode>', 'print one episode')
    .option('--html <file>', 'write one page with everything in it')
    .option('--list', 'list the episodes');
  command
    .optionsGroup('Episodes and output:')
    .option('--filter <text>', 'only the episodes that it lets pass')
    .option('--json', 'with --check, --rescore and --list: print JSON')
    .addOption(
      new Option('--format <name>', 'with --print (default: text)').choices([
        'text',
        'markdown',
        'json',
      ]),
    )
    .option('--prompt', 'with --print: the whole prompt, too')
    .option('--forks <file>', 'where forks are saved (default: forks.jsonl beside the records)');
  command
    .optionsGroup('Databases and golds:')
    .option('--server <host:port>', 'play on a running server')
    .option('--spider <dir>', 'a Spider release')
    .option('--databases <dir>', 'folder of SQLite files')
    .option('--tasks <file>', 'JSONL file of tasks, for golds that the records lack')
    .option('--demo', 'the demo databases and tasks')
    .option('--concurrency <number>', 'episodes that are played side by side (default: 8)')
    .option('--threads <number>', 'threads that run queries (default: one a core)');
  command.action(async (paths: string[], flags: ReplayFlags) => {
    const { runReplay } = await import('./run-replay.ts');
    finish(await runReplay(paths, flags));
  });
}
