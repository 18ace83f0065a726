import { open } from 'node:fs/promises';
import type { Trajectory } from '../../env/trajectory.ts';
import { InputError } from '../tasks/task-set.ts';

const NEWLINE = 0x0a;

/** Appends a trajectory to a file of lines, which is made if it isn't there. Rejects with `InputError` if it can't be written. */
export async function appendTrajectory(file: string, trajectory: Trajectory): Promise<void> {
  if (!file.endsWith('.jsonl')) {
    throw new InputError(`${file}: a file of trajectories must end in .jsonl`);
  }
  try {
    const handle = await open(file, 'a+');
    try {
      const { size } = await handle.stat();
      // A torn last line gets its end, so that it does not tear this one.
      const torn = size > 0 && (await lastByte(handle, size)) !== NEWLINE;
      await handle.appendFile(`${torn ? '\n' : ''}${JSON.stringify(trajectory)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InputError(`${file}: it can't be written (${code ?? 'unknown error'})`);
  }
}

async function lastByte(
  handle: Awaited<ReturnType<typeof open>>,
  size: number,
): Promise<number | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 ? buffer[0] : undefined;
}
