import { pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';
import type { Log } from './log.ts';

/** A log in memory. */
export type MemoryLog = {
  readonly log: Log;
  /** Takes the warnings and errors since the last call, each as one sentence with its fields. */
  take(): readonly string[];
};

/** Most warnings in memory; further ones are dropped. */
const linesMax = 1_000;

/** Creates a log that keeps warnings and errors for a caller that shows them itself. */
export function createMemoryLog(): MemoryLog {
  let lines: string[] = [];
  const write = (line: string) => {
    if (lines.length < linesMax) lines.push(formatLine(line));
  };
  return {
    log: pino({ level: 'warn', base: null, timestamp: false, formatters: { log: hideSecrets } }, { write }),
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

function formatLine(line: string): string {
  const { level: _, msg, ...fields } = JSON.parse(line) as { readonly level: number; readonly msg: string };
  const shown = Object.entries(fields).map(([name, value]) => `${name} ${formatValue(value)}`);
  return shown.length === 0 ? msg : `${msg} (${shown.join(', ')})`;
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
