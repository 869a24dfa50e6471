import type { Log } from '../observe/log.ts';
import type { Instruments } from './instruments.ts';

/** Counts the warnings and errors of the log. */
export function observeLog(log: Log, { paid_inference_log_lines_total: lines }: Instruments): Log {
  return {
    info: log.info.bind(log),
    debug: log.debug.bind(log),
    warn: count('warn'),
    error: count('error'),
  };

  function count(level: 'warn' | 'error'): Log['warn'] {
    const write = log[level].bind(log) as (...line: readonly unknown[]) => void;
    // A counter that begins with its first event shows no increase.
    lines.inc({ level }, 0);
    return (...line: readonly unknown[]) => {
      lines.inc({ level });
      write(...line);
    };
  }
}
