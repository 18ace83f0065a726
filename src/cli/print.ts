/** UTF-16 units that are written at a time. */
const PIECE_SIZE = 65_536;

/** Writes lines to stdout as they come, some at a time, and stops without an error once whoever reads it has stopped. */
export async function printLines(lines: Iterable<string>): Promise<void> {
  // The error comes here, too, and would end the process if nobody listened.
  process.stdout.on('error', () => undefined);
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_SIZE) continue;
    if (!(await written(piece))) return;
    piece = '';
  }
  if (piece !== '') await written(piece);
}

/** Waits until the text is with the reader; gives false if there is none any more. */
function written(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error === undefined || error === null) resolve(true);
      else if ((error as NodeJS.ErrnoException).code === 'EPIPE') resolve(false);
      else reject(error);
    });
  });
}

/** Writes to stdout. Whoever reads it may stop reading: that is no error. */
export function printText(text: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.stdout.write(text);
}
