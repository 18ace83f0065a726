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
    problems.push(
      modes.includes('terminal')
        ? `--${flag} goes with the full-screen program, not with --${mode}`
        : `--${flag} goes with ${modes.map((each) => `--${each}`).join(', ')}`,
    );
  }
  problems.push(...placeProblems(flags), ...rescoreProblems(flags.rescore));
  const onTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (mode === 'terminal' && problems.length === 0 && !onTerminal) {
    problems.push(
      'the full-screen program needs a terminal; elsewhere use --list, --print EPISODE, --check, --rescore MODE or --html FILE',
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return mode;
}

function placeProblems(flags: ReplayFlags): string[] {
  const given = PLACES.filter((place) => flags[place] !== undefined);
  if (flags.server !== undefined && given.length > 0) {
    return [`--server has databases and tasks of its own: leave out --${given.join(', --')}`];
  }
  return flags.demo === true && (flags.spider ?? flags.databases) !== undefined
    ? ['--demo and other databases: choose one of them']
    : [];
}

function rescoreProblems(mode: string | undefined): string[] {
  if (mode === undefined || COMPARISON_MODES.some((known) => known === mode)) return [];
  const modes = COMPARISON_MODES.join(', ');
  return [`--rescore: ${JSON.stringify(mode)} is not allowed; it must be one of ${modes}`];
}
