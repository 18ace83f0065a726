import { buildMessages, type PromptStyle } from '../../env/prompt.ts';
import type { Message } from '../../env/task.ts';
import type { CancelSignal } from '../cancel.ts';
import { ServerError } from '../errors.ts';
import { failureError } from './failure.ts';
import type { QueryExecutor } from './ports.ts';

/** Bytes of a prompt, so that Reset's response fits into a message of 4 MB. */
const PROMPT_SIZE_MAX = 3_000_000;

/**
 * Makes prompts. The system message depends on the database alone, so there is one of each in memory, however many
 * episodes hold it.
 */
export class PromptBuilder {
  readonly #executor: QueryExecutor;
  readonly #systemMessages = new Map<string, Message>();

  constructor(executor: QueryExecutor) {
    this.#executor = executor;
  }

  /** The prompt of a question. Throws what reading the schema can cause. */
  async build(
    databaseId: string,
    style: PromptStyle,
    question: string,
    signal: CancelSignal,
  ): Promise<readonly Message[]> {
    const key = `${style} ${databaseId}`;
    const known = this.#systemMessages.get(key);
    if (known !== undefined) return [known, { role: 'user', content: question }];
    const read = await this.#executor.readSchema(databaseId, signal);
    if (read.kind !== 'schema') throw failureError(read, { databaseId }, signal);
    const messages = buildMessages(style, read.schema, question);
    const [system] = messages;
    if (system === undefined) throw new Error('a prompt has a system message');
    if (Buffer.byteLength(system.content) > PROMPT_SIZE_MAX) {
      throw new ServerError(
        'DATABASE_BROKEN',
        `database ${databaseId}: its schema is too large for a prompt; try another prompt_style`,
        { metadata: { databaseId } },
      );
    }
    this.#systemMessages.set(key, system);
    return messages;
  }
}
