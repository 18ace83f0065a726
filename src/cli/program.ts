import { Command, CommanderError } from 'commander';
import { VERSION } from '../package-root.ts';
import { EXIT_MISUSED, EXIT_OK } from './exit-codes.ts';
import { registerCompare } from './compare.ts';
import { registerDemo } from './demo.ts';
import { registerEvaluate } from './evaluate.ts';
import { registerLoadtest } from './loadtest.ts';
import { registerPrepare } from './prepare.ts';
import { registerReplay } from './replay.ts';
import { registerServe } from './serve.ts';
import { registerValidate } from './validate.ts';

/** Adds one command to the program. Its action gives the exit code to `finish`. */
export type RegisterCommand = (program: Command, finish: (exitCode: number) => void) => void;

/** The commands, one file each, in the order of the help text. */
const COMMANDS: readonly RegisterCommand[] = [
  registerServe,
  registerValidate,
  registerDemo,
  registerPrepare,
  registerEvaluate,
  registerCompare,
  registerLoadtest,
  registerReplay,
];

const AFTER_HELP = `
Settings come from flags, then environment variables (SQLENV_LEASE_MS), then
sqlenv.config.json in the current folder, then defaults.

Exit codes: 0 all is well, 1 it found problems, 2 it was misused.

Examples:
  sqlenv serve --demo                       the demo databases, on 127.0.0.1:50051
  sqlenv serve --spider ~/spider --split dev
  sqlenv COMMAND --help                     what a command does and takes
`;

/** Runs the command line; resolves with the exit code once it is over, which for a server is its end. */
export async function main(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT_OK;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return (await import('./exit.ts')).exitCodeOf(error);
    // Commander has printed its text; asking for help or the version is no mistake.
    return error.exitCode === 0 ? EXIT_OK : EXIT_MISUSED;
  }
}

function createProgram(finish: (exitCode: number) => void): Command {
  const program = new Command('sqlenv')
    .description('A text-to-SQL environment server for reinforcement learning.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', AFTER_HELP)
    .exitOverride();
  for (const register of COMMANDS) register(program, finish);
  return program;
}
