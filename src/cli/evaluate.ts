import type { Command } from 'commander';
import type { EvaluationTaskFlags } from './evaluation-tasks.ts';
import { addPolicyFlags, type PolicyFlags } from './policy-flags.ts';

const AFTER_HELP = `
PREDICTIONS is a file with one SQL query a line, as the official scripts take it; or JSON
lines of {"task_id", "sql"} or {"task_id", "completion"}; or recorded trajectories, or a
folder of them. A file that doesn't fit the tasks row by row gets no score at all.

Prints what test-suite-sql-eval prints, to the digit, the old script's execution accuracy,
and for trajectories how the policy behaved.

With --policy it plays the episodes itself: the prompts, tool calls, truncation and limits of
training, against an OpenAI-compatible endpoint as vLLM and SGLang serve it. Stopped half-way,
the same command goes on where it was left. The key is taken from OPENAI_API_KEY, if set.

Exit codes: 0 every row has its verdicts, 1 some can't be scored or the input is broken, 2 misused.

Examples:
  sqlenv evaluate predictions.txt --spider ~/spider
  sqlenv evaluate predictions.txt --spider ~/spider --databases ~/test-suite/database
  sqlenv evaluate answers.jsonl --tasks tasks.jsonl --databases dbs --rows rows.tsv
  sqlenv evaluate trajectories --spider ~/spider --json > run.json
  sqlenv evaluate --policy openai --endpoint http://127.0.0.1:8000/v1 --model MODEL \\
    --spider ~/spider --record played --rows model.tsv
  sqlenv evaluate --policy gold --demo
  sqlenv evaluate answers.jsonl --address 127.0.0.1:50051
`;

/** The flags of `sqlenv evaluate`. */
export interface EvaluateFlags extends EvaluationTaskFlags, PolicyFlags {
  readonly address?: string;
  readonly keepDistinct?: boolean;
  readonly plugValue?: boolean;
  readonly allowMissing?: boolean;
  readonly legacy?: boolean;
  readonly rows?: readonly string[];
  readonly json?: boolean;
  readonly queryCpuMs: string;
  readonly threads?: string;
}

/** Adds the flags that say which golds answers are held against. */
export function addTaskFlags(command: Command): Command {
  return command
    .option(
      '--spider <dir>',
      'a Spider release: dev.json, train_spider.json, tables.json, database/',
    )
    .option('--split <name>', 'evaluate on this split (default of --spider: dev)')
    .option('--tasks <file>', 'JSONL file of tasks')
    .option('--databases <dir>', 'folder of SQLite files; DIR/ID/ may hold several *.sqlite a task')
    .option('--gold <file>', 'golds in the official format: SQL, a TAB and the database, a line')
    .option('--tables <file>', "Spider's tables.json, for its foreign keys")
    .option('--demo', 'the demo databases and tasks');
}

/** `sqlenv evaluate`. */
export function registerEvaluate(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('evaluate')
    .summary('score predictions or trajectories by the official Spider metrics')
    .description('Scores predictions or trajectories by the official Spider metrics.')
    .argument('[predictions]', 'file of predictions, or file or folder of trajectories')
    .addHelpText('after', AFTER_HELP);
  addTaskFlags(command)
    .option('--address <host:port>', 'score on a running server, by the modes of its rewards')
    .option('--keep-distinct', 'run DISTINCT where it is written, instead of without it')
    .option('--plug-value', "also try answers with the gold's values in the places of theirs")
    .option('--allow-missing', 'count tasks without a prediction as wrong, instead of stopping')
    .option('--legacy', 'print the tables of the older evaluation.py, too')
    .option('--rows <file...>', 'write the verdicts row by row: FILE.tsv or FILE.jsonl')
    .option('--json', 'print the report as JSON')
    .option('--query-cpu-ms <number>', 'CPU time of each run of an answer, milliseconds', '10000')
    .option('--threads <number>', 'threads that run queries (default: one a core)');
  addPolicyFlags(command);
  command.action(async (predictions: string | undefined, flags: EvaluateFlags) => {
    const { runEvaluate } = await import('./run-evaluate.ts');
    finish(await runEvaluate(predictions, flags));
  });
}
