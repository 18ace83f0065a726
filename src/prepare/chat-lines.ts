import { buildMessages, type PromptStyle } from '../../env/prompt.ts';
import type { Task } from '../../env/task.ts';
import type { DatabaseSchema } from '../episodes/ports.ts';

/** JSON lines of chats that end with the gold as the answer, in the form that the prompt asks for. */
export function chatLines(
  tasks: readonly Task[],
  schemas: ReadonlyMap<string, DatabaseSchema>,
  style: PromptStyle,
): string {
  return tasks
    .map((task) => {
      const messages = [
        ...promptOf(task, schemas, style),
        { role: 'assistant', content: answerOf(task, style) },
      ];
      return `${JSON.stringify({ messages, task_id: task.taskId, database_id: task.databaseId })}\n`;
    })
    .join('');
}

/** The prompt of a task. */
export function promptOf(
  task: Task,
  schemas: ReadonlyMap<string, DatabaseSchema>,
  style: PromptStyle,
) {
  const schema = schemas.get(task.databaseId);
  if (schema === undefined) throw new Error(`no schema of ${task.databaseId}`);
  return buildMessages(style, schema, task.question);
}

function answerOf({ goldSql }: Task, style: PromptStyle): string {
  return style === 'ddl' ? `\`\`\`sql\n${goldSql}\n\`\`\`` : goldSql;
}
