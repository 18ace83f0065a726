import { Option, type Command } from 'commander';

const AFTER_HELP = `
A and B are two outputs of 'sqlenv evaluate --rows' over the same rows: TSV or JSON lines.
gained: wrong in A and right in B; lost: right in A and wrong in B. p is McNemar's, two-sided,
with continuity correction and exact. Runs over different rows are refused.

Exit codes: 0 compared, 1 the runs don't fit or rows have no verdict, 2 misused.

Examples:
  sqlenv compare base.tsv trained.tsv
  sqlenv compare base.jsonl trained.jsonl --spider ~/spider --html changes.html
  sqlenv compare a.tsv b.tsv --metric exact --json
`;

/** The flags of `sqlenv compare`. */
export interface CompareFlags {
  readonly metric: 'exec' | 'exact' | 'legacy_exec';
  readonly spider?: string;
  readonly databases?: string;
  readonly html?: string;
  readonly json?: boolean;
}

/** `sqlenv compare`. */
export function registerCompare(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('compare')
    .summary('tell whether one of two runs is better, and on which rows')
    .description('Compares two runs over the same rows: gained, lost, and how sure that is.')
    .argument('<A>', 'rows of the first run')
    .argument('<B>', 'rows of the second run')
    .addOption(
      new Option('--metric <name>', 'what to compare by')
        .choices(['exec', 'exact', 'legacy_exec'])
        .default('exec'),
    )
    .option('--spider <dir>', 'a Spider release, to show results of the changed rows')
    .option('--databases <dir>', 'folder of SQLite files, to show results of the changed rows')
    .option('--html <file>', 'write the report as one HTML page')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async (a: string, b: string, flags: CompareFlags) => {
      const { runCompare } = await import('./run-compare.ts');
      finish(await runCompare(a, b, flags));
    });
}
