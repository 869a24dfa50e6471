import { createInterface } from 'node:readline/promises';
import picocolors from 'picocolors';

/** Where a command speaks to a person. What it gives goes to standard output; everything else to standard error. */
export type Terminal = {
  /** Paints for standard error; plain text where that is no terminal or `NO_COLOR` is set. */
  readonly paint: ReturnType<typeof picocolors.createColors>;
  /** The same for standard output. */
  readonly paintOutput: ReturnType<typeof picocolors.createColors>;
  /** Somebody is there to answer a question. */
  readonly interactive: boolean;
  say(line: string): void;
  /** Asks for yes or no; anything but a clear yes is a no. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
};

export function openTerminal(quiet: boolean): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const isPlain = (env['NO_COLOR'] ?? '') !== '';
  return {
    paint: picocolors.createColors(stderr.isTTY === true && !isPlain),
    paintOutput: picocolors.createColors(stdout.isTTY === true && !isPlain),
    interactive: !quiet && stdin.isTTY === true && stderr.isTTY === true,
    say: (line) => {
      if (!quiet) stderr.write(`${line}\n`);
    },
    async confirm(question, signal) {
      const asking = createInterface({ input: stdin, output: stderr });
      const gone = new AbortController();
      // Ctrl-C and Ctrl-D would otherwise leave the question open for ever.
      asking.once('SIGINT', () => gone.abort()).once('close', () => gone.abort());
      try {
        const answer = await asking.question(`${question} [y/N] `, {
          signal: AbortSignal.any([signal, gone.signal]),
        });
        return /^y(es)?$/i.test(answer.trim());
      } catch {
        return false;
      } finally {
        asking.close();
      }
    },
  };
}
