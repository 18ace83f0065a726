/** The address can't be listened on; its message is for the user. */
export class BindError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'BindError';
  }
}

/** Makes a {@link BindError} of what listening failed with; `flag` is what chooses the port, `--port`. */
export function bindError(error: Error, host: string, port: number, flag: string): BindError {
  return new BindError(describe(error.message, host, port, flag), error);
}

function describe(message: string, host: string, port: number, flag: string): string {
  if (/EADDRINUSE/.test(message)) {
    return `port ${port} of ${host} is in use: another server may be running; choose one with ${flag}, or ${flag} 0`;
  }
  if (/EACCES/.test(message)) {
    return `port ${port} of ${host} is not allowed to this user; choose one over 1023 with ${flag}`;
  }
  return `${host}:${port} can't be listened on: ${message}`;
}
