/**
 * Lets a command go on to its end, above all one that has paid, when whoever reads its output has seen enough (`| head -1`). Node
 * would print a stack trace instead.
 */
export function tolerateClosedPipe(...outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
