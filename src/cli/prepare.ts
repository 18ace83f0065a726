import { Option, type Command } from 'commander';

const AFTER_HELP = `
SOURCE is spider (PATH is a release: train_spider.json, dev.json, database/), bird (PATH is a
release: train.json, dev.json, train_databases/, dev_databases/), or jsonl (PATH is a file of
tasks, with --databases DIR).

Writes into --out:
  tasks.jsonl    all rows, for 'sqlenv serve --tasks OUT/tasks.jsonl --databases OUT/databases'
  train.jsonl    chats for supervised training, which end with the gold
  rl.parquet     rows for verl, none of whose golds is in train.jsonl
  eval.parquet   held-out rows for verl, over databases that no other row uses; eval.jsonl as chats
  databases/     the databases in use
  manifest.json  counts, hashes, and the rows that were dropped because their gold does not run

The same input, options and seed give the same bytes.

Exit codes: 0 made, 1 made, but the source has broken lines, or nothing could be made, 2 misused.

Examples:
  sqlenv prepare spider ~/spider --out data
  sqlenv prepare spider ~/spider --out data --rows 0 --rl-rows 2000 --eval-rows 300 --seed 7
  sqlenv prepare bird ~/bird --out data --max-schema-chars 12000
  sqlenv prepare jsonl tasks.jsonl --databases dbs --out data --prompt compact
`;

/** The flags of `sqlenv prepare`. */
export interface PrepareFlags {
  readonly out: string;
  readonly databases?: string;
  readonly rows?: string;
  readonly rlRows?: string;
  readonly evalRows?: string;
  readonly maxSchemaChars?: string;
  readonly seed: string;
  readonly prompt: 'ddl' | 'compact';
  readonly evidence: boolean;
  readonly agentName: string;
  readonly dataSource: string;
  readonly json?: boolean;
}

/** `sqlenv prepare`. */
export function registerPrepare(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('prepare')
    .summary('make training data from Spider, BIRD or a file of tasks')
    .description('Makes tasks, verl parquet, chats and a manifest from a release on disk.')
    .argument('<source>', 'spider, bird or jsonl')
    .argument('<path>', 'the release, or the file of tasks')
    .requiredOption('--out <dir>', 'folder to write to: new, empty, or of an earlier run')
    .option('--databases <dir>', 'folder of SQLite files, for jsonl')
    .option('--rows <number>', 'rows of train.jsonl (default: half of the training rows)')
    .option('--rl-rows <number>', 'rows of rl.parquet (default: all that are left)')
    .option('--eval-rows <number>', 'held-out rows (default: all)')
    .option('--max-schema-chars <number>', 'drop rows whose schema is longer in the prompt')
    .option('--seed <text>', 'decides which rows are chosen, and their order', '0')
    .addOption(
      new Option('--prompt <style>', 'how the prompt shows the schema')
        .choices(['ddl', 'compact'])
        .default('ddl'),
    )
    .option('--no-evidence', "leave out BIRD's evidence below the question")
    .option('--agent-name <name>', "verl's agent loop, for the column agent_name", 'sqlenv')
    .option('--data-source <name>', 'the column data_source', 'sqlenv')
    .option('--json', 'print what was made as JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async (source: string, place: string, flags: PrepareFlags) => {
      const { runPrepare } = await import('./run-prepare.ts');
      finish(await runPrepare(source, place, flags));
    });
}
