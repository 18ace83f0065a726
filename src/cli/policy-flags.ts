import { Option, type Command } from 'commander';
import { DEFAULT_LIMITS } from '../../env/limits.ts';

/** Turns of a trajectory in training: `max_assistant_turns` of the example's launch script. */
const STEP_COUNT_MAX = 5;

/** The flags of `sqlenv evaluate --policy`. */
export interface PolicyFlags {
  readonly policy?: string;
  readonly endpoint?: string;
  readonly model?: string;
  readonly record?: string;
  readonly attempts: string;
  readonly first?: string;
  readonly concurrency: string;
  readonly prompt: 'ddl' | 'compact';
  readonly tools: 'text' | 'auto' | 'none' | 'off';
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly seed?: string;
  readonly stepCountMax: string;
  readonly completionTokenCountMax: string;
  readonly retries: string;
  readonly requestMs: string;
}

/** Adds them to a command. */
export function addPolicyFlags(command: Command): void {
  const add = (flags: string, description: string, defaultValue?: string): void => {
    command.addOption(option(flags, description, defaultValue));
  };
  add('--policy <name>', 'who plays: openai, gold, wrong or script:FILE');
  add('--endpoint <url>', 'OpenAI-compatible endpoint, up to /v1');
  add('--model <name>', 'the model, as the endpoint names it');
  add('--record <dir>', 'folder for the trajectories; what is in it is not played again');
  add('--attempts <number>', 'episodes a task', '1');
  add('--first <number>', 'play the first tasks only');
  add('--concurrency <number>', 'episodes side by side', '32');
  command.addOption(
    option('--prompt <style>', 'how the prompt shows the schema', 'ddl').choices([
      'ddl',
      'compact',
    ]),
  );
  command.addOption(
    option(
      '--tools <mode>',
      'the tool in the system message as hermes templates write it (text), in the request with that tool_choice (auto, none), or nowhere (off)',
      'text',
    ).choices(['text', 'auto', 'none', 'off']),
  );
  add('--temperature <number>', 'sampling temperature', '0');
  add('--top-p <number>', 'nucleus sampling', '1');
  const { completionTokenCountMax } = DEFAULT_LIMITS;
  add('--max-tokens <number>', 'tokens of one message', String(completionTokenCountMax));
  add('--seed <number>', 'seed of the sampling; later attempts get the next ones');
  add('--step-count-max <number>', 'turns of an episode', String(STEP_COUNT_MAX));
  add(
    '--completion-token-count-max <number>',
    'completion tokens of an episode',
    String(completionTokenCountMax),
  );
  add('--retries <number>', 'tries after the first for one message', '6');
  add('--request-ms <number>', 'how long one try may take, milliseconds', '600000');
}

function option(flags: string, description: string, defaultValue?: string): Option {
  const made = new Option(flags, description).helpGroup('Play episodes:');
  return defaultValue === undefined ? made : made.default(defaultValue);
}
