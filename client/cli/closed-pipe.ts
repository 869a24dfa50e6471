/**
 * Keeps a command running when the reader of its output closes the pipe (`| head -1`), so that a paid command
 * ends in order. Without this handler Node prints a stack trace.
 */
export function tolerateClosedPipe(...outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
