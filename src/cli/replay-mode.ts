import { statSync } from 'node:fs';
import path from 'node:path';
import { COMPARISON_MODES } from '../../env/grade.ts';
import { ConfigError } from '../config.ts';
import type { ReplayFlags } from './replay.ts';

/** What `sqlenv replay` does. */
export type ReplayMode = 'terminal' | 'check' | 'rescore' | 'print' | 'html' | 'list';

const MODES = ['check', 'rescore', 'print', 'html', 'list'] as const;

/** Flags that mean something in some modes only. */
const MODE_FLAGS: readonly (readonly [keyof ReplayFlags, readonly ReplayMode[]])[] = [
  ['json', ['check', 'rescore', 'list']],
  ['format', ['print']],
  ['prompt', ['print']],
  ['forks', ['terminal']],
  ['concurrency', ['check', 'rescore']],
];

const PLACES = ['spider', 'databases', 'tasks', 'demo'] as const;

/** The mode that the flags ask for. Throws `ConfigError` where flags contradict one another or can't have any effect. */
export function replayMode(flags: ReplayFlags): ReplayMode {
  const chosen = MODES.filter((mode) => flags[mode] !== undefined);
  const problems: string[] = [];
  if (chosen.length > 1) {
    problems.push(`${chosen.map((mode) => `--${mode}`).join(' and ')}: choose one of them`);
  }
  const [mode = 'terminal'] = chosen;
  for (const [flag, modes] of MODE_FLAGS) {
    if (flags[flag] === undefined || modes.includes(mode)) continue;
    if (flag === 'json' && mode === 'print') {
      problems.push('--json does not go with --print: that is --format json');
      continue;
    }
    problems.push(
      modes.includes('terminal')
        ? `--${flag} goes with the full-screen program, not with --${mode}`
        : `--${flag} goes with ${modes.map((each) => `--${each}`).join(', ')}`,
    );
  }
  if (flags.print === '') problems.push('--print: an episode is missing; --list shows them');
  if (flags.html === '') problems.push('--html: the name of a file is missing');
  problems.push(...placeProblems(flags), ...rescoreProblems(flags.rescore));
  if (problems.length > 0) throw new ConfigError(problems);
  return mode;
}

/** Throws `ConfigError` where the full-screen program can't run. */
export function checkTerminal(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new ConfigError([
    'the full-screen program needs a terminal; elsewhere use --list, --print EPISODE, --check, --rescore MODE or --html FILE',
  ]);
}

function placeProblems(flags: ReplayFlags): string[] {
  const given = PLACES.filter((place) => flags[place] !== undefined);
  if (flags.server !== undefined && given.length > 0) {
    return [`--server has databases and tasks of its own: leave out --${given.join(', --')}`];
  }
  if (flags.demo === true && (flags.spider ?? flags.databases) !== undefined) {
    return ['--demo and other databases: choose one of them'];
  }
  return missingPlaces(flags);
}

/** A place that is written wrong must not look like episodes that can't be played, or like rewards that nobody can check. */
function missingPlaces({ spider, databases, tasks }: ReplayFlags): string[] {
  const problems: string[] = [];
  const folders = [
    ['--databases', databases],
    ['--spider', spider],
    ['--spider', spider === undefined ? undefined : path.join(spider, 'database')],
  ] as const;
  for (const [flag, folder] of folders) {
    if (folder === undefined || kindOf(folder) === 'folder') continue;
    problems.push(`${flag}: there is no folder ${folder}`);
    break;
  }
  if (tasks !== undefined && kindOf(tasks) !== 'file') {
    problems.push(`--tasks: there is no file ${tasks}`);
  }
  return problems;
}

function kindOf(place: string): 'file' | 'folder' | undefined {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isDirectory() ? 'folder' : 'file';
}

function rescoreProblems(mode: string | undefined): string[] {
  if (mode === undefined || COMPARISON_MODES.some((known) => known === mode)) return [];
  const modes = COMPARISON_MODES.join(', ');
  return [`--rescore: ${JSON.stringify(mode)} is not allowed; it must be one of ${modes}`];
}
