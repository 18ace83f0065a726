import path from 'node:path';
import { z } from 'zod';
import { TOOL_NAME } from '../../../env/refusals.ts';
import { readTextFile } from '../../tasks/read-text.ts';
import { InputError, type InputProblem } from '../../tasks/task-set.ts';
import type { Policy, PolicyReply } from './policy.ts';
import { toolCallText } from './tool-text.ts';

/** Runs the gold as a tool call, then answers with it: every row must come out right. */
export const GOLD_POLICY: Policy = {
  act: ({ task, turnIndex }) =>
    say(
      turnIndex === 0
        ? toolCallText(TOOL_NAME, JSON.stringify({ query: task.goldSql }))
        : `\`\`\`sql\n${task.goldSql}\n\`\`\``,
    ),
};

/** Answers with a query that runs and is never right. */
export const WRONG_POLICY: Policy = {
  act: () => say("```sql\nSELECT 'this is no answer' AS wrong, 'to any question' AS answer\n```"),
};

const ScriptLine = z.strictObject({
  task_id: z.string().min(1),
  turns: z.array(z.string()).min(1),
});

/**
 * Plays what a file says: JSON lines of `{"task_id", "turns": ["...", ...]}`. A further line for the same task is for its next
 * attempt. An episode that goes on beyond its turns gets an empty message. Throws {@link InputError}.
 */
export function readScript(file: string): Policy {
  const name = path.basename(file);
  const attempts = new Map<string, string[][]>();
  const problems: InputProblem[] = [];
  for (const [index, line] of readTextFile(file).split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parseLine(line);
    if (parsed === undefined) {
      const message = 'it must be {"task_id", "turns": ["...", ...]}';
      problems.push({ location: `${name}:${index + 1}`, message });
    } else {
      const known = attempts.get(parsed.task_id) ?? [];
      attempts.set(parsed.task_id, [...known, parsed.turns]);
    }
  }
  if (problems.length > 0) throw new InputError(`--policy script:${file}: broken lines`, problems);
  return {
    act: async ({ task, attempt, turnIndex }) => {
      const turns = attempts.get(task.taskId)?.[attempt];
      if (turns === undefined) throw new Error('the script has no turns for it');
      return await say(turns[turnIndex] ?? '');
    },
  };
}

function parseLine(line: string): z.infer<typeof ScriptLine> | undefined {
  try {
    return ScriptLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function say(text: string): Promise<PolicyReply> {
  return Promise.resolve({ text, completionTokenCount: 0 });
}
