import { createInterface } from 'node:readline/promises';
import picocolors from 'picocolors';

/** The output of a command: results go to standard output, everything else to standard error. */
export type Terminal = {
  /** Colours for standard error; none when it is no terminal or `NO_COLOR` is set. */
  readonly paint: ReturnType<typeof picocolors.createColors>;
  /** The same for standard output. */
  readonly paintOutput: ReturnType<typeof picocolors.createColors>;
  /** A person can answer a question. */
  readonly interactive: boolean;
  say(line: string): void;
  /** Writes a part of the result to standard output. Null with `--json`, where the result is one object. */
  readonly write: ((text: string) => void) | null;
  /** Asks a yes-or-no question. Everything but `y` and `yes` means no. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
};

/** Opens the output. `hide` hides private keys in the lines on standard error. */
export function openTerminal(quiet: boolean, hide: (line: string) => string): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const isPlain = (env['NO_COLOR'] ?? '') !== '';
  return {
    paint: picocolors.createColors(stderr.isTTY === true && !isPlain),
    paintOutput: picocolors.createColors(stdout.isTTY === true && !isPlain),
    interactive: !quiet && stdin.isTTY === true && stderr.isTTY === true,
    say: (line) => {
      if (!quiet) stderr.write(`${hide(line)}\n`);
    },
    write: quiet ? null : (text) => void stdout.write(text),
    async confirm(question, signal) {
      const asking = createInterface({ input: stdin, output: stderr });
      const gone = new AbortController();
      // Without this, Ctrl-C and Ctrl-D leave the question open without end.
      asking.once('SIGINT', () => gone.abort()).once('close', () => gone.abort());
      try {
        const reply = await asking.question(`${question} [y/N] `, {
          signal: AbortSignal.any([signal, gone.signal]),
        });
        return /^y(es)?$/i.test(reply.trim());
      } catch {
        return false;
      } finally {
        asking.close();
      }
    },
  };
}
