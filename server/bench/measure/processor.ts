import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of one clock tick of /proc, in milliseconds. It is the same on all Linux platforms of Node. */
const tickMs = 10;

/** Processor time of a process since its start, in milliseconds; null without /proc. */
export function processCpuMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
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
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const fields = stat
          .slice(stat.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number);
        // Own time, and the time of children that were waited for.
        const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] ?? 0), 0);
        return [{ pid: Number(name), parent: fields[1] ?? 0, cpuMs: ticks * tickMs }];
      } catch {
        return [];
      }
    });
  const family = new Set([process.pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  return processes.reduce((sum, { pid, cpuMs }) => (family.has(pid) ? sum + cpuMs : sum), 0);
}
