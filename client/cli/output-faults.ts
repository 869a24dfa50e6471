/**
 * Keeps a command running when an output cannot be written, so that a paid command ends in order. Without this handler
 * Node prints a stack trace. `onFault` gets the first fault of standard output, but not that its reader closed the pipe
 * (`| head -1`).
 */
export function tolerateOutputFaults(onFault: (fault: string) => void): void {
  // No place is left to report this fault.
  process.stderr.on('error', () => undefined);
  let isReported = false;
  process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isReported) return;
    isReported = true;
    const way = code === 'ENOSPC' ? 'The disk is full. Make room' : 'Let this user write there';
    onFault(`Standard output cannot be written (${code}). ${way}, or send the output to another place.`);
  });
}
