import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of one clock tick of /proc, in milliseconds. It is the same on all Linux platforms of Node. */
const tickMs = 10;

export type ProcStat = {
  readonly name: string;
  readonly parent: number;
  /** Processor time of the process or thread itself. */
  readonly ownMs: number;
  /** Processor time of children that have ended and were waited for. */
  readonly endedChildrenMs: number;
};

/** Parses a `stat` file of /proc. The name may contain blanks and brackets. */
export function parseProcStat(text: string): ProcStat {
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  const sumMs = (...places: readonly number[]) =>
    places.reduce((sum, at) => sum + Number(fields[at]), 0) * tickMs;
  return {
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    parent: Number(fields[1]),
    ownMs: sumMs(11, 12),
    endedChildrenMs: sumMs(13, 14),
  };
}

/** Null for a process or thread that has ended, and without /proc. */
function readProcStat(of: string): ProcStat | null {
  try {
    return parseProcStat(readFileSync(`/proc/${of}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** Processor time of a process since its start, in milliseconds; null without /proc. */
export function processCpuMs(pid: number): number | null {
  return readProcStat(String(pid))?.ownMs ?? null;
}

/** Processor time of the threads of a process since their start, in milliseconds. */
export type ThreadCpu = { readonly main: number; readonly workers: number; readonly others: number };

/** Sums the threads that run JavaScript by kind, and the threads of Node itself; null without /proc. */
export function threadCpu(pid: number): ThreadCpu | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const stat = readProcStat(`${pid}/task/${thread}`);
      return stat === null ? [] : [{ ...stat, isMain: Number(thread) === pid }];
    });
    return sumThreads(threads);
  } catch {
    return null;
  }
}

/** Node names the threads of `Worker` since version 24. */
export function sumThreads(
  threads: readonly (Pick<ProcStat, 'name' | 'ownMs'> & { readonly isMain: boolean })[],
): ThreadCpu {
  const sum = { main: 0, workers: 0, others: 0 };
  for (const { name, ownMs, isMain } of threads)
    sum[isMain ? 'main' : name === 'WorkerThread' ? 'workers' : 'others'] += ownMs;
  return sum;
}

/** Memory of a process that is in use and not swapped out, in MB; null without /proc. */
export function residentMB(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return kilobytes === undefined ? null : (Number(kilobytes) * 1_024) / 1_000_000;
  } catch {
    return null;
  }
}

/** Watches the processor time that other programs use during a measurement. */
export function watchForeignLoad(): { read(): number | null } {
  const startedAt = performance.now();
  const before = readAll();
  return {
    /** Cores that other programs used on average; null without /proc. */
    read() {
      const after = readAll();
      if (before === null || after === null) return null;
      const foreignMs = after.allMs - before.allMs - (after.oursMs - before.oursMs);
      return Math.max(0, foreignMs) / (performance.now() - startedAt);
    },
  };
}

function readAll(): { readonly allMs: number; readonly oursMs: number } | null {
  try {
    const [, user, nice, system, , , irq, softIrq] = (
      readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
    ).split(/ +/);
    const busy = [user, nice, system, irq, softIrq].reduce((sum, ticks) => sum + Number(ticks), 0);
    return { allMs: busy * tickMs, oursMs: familyCpuMs() };
  } catch {
    return null;
  }
}

/** Processor time of this process and all its descendants, with those that have ended. */
function familyCpuMs(): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readProcStat(name);
      return stat === null ? [] : [{ ...stat, pid: Number(name) }];
    });
  const family = new Set([process.pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  return processes
    .filter(({ pid }) => family.has(pid))
    .reduce((sum, { ownMs, endedChildrenMs }) => sum + ownMs + endedChildrenMs, 0);
}
