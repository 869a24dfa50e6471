/**
 * Lets the run go on to its end, and its exit code, when whoever reads its output has seen enough (`| head -1`). Node
 * would print a stack trace instead.
 */
export function tolerateClosedPipe(...outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
