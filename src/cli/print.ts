/** Writes to stdout. Whoever reads it may stop reading: that is no error. */
export function printText(text: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.stdout.write(text);
}
