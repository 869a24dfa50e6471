import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Files that this process holds; a second gateway in it is a second gateway too. */
const held = new Set<string>();

/**
 * Marks a file as used by this process, by a file beside it that holds the process id. Two gateways on one embedded
 * ledger would give back each other's reservations. Returns the id of the process that uses it, or the way to let go.
 */
export function claimFile(path: string): { readonly usedBy: number } | { readonly release: () => void } {
  const marker = `${path}.pid`;
  const usedBy = holderOf(marker);
  if (usedBy !== null) return { usedBy };
  // Absolute: of a relative folder within one that was removed, Node tries for ever to make it.
  mkdirSync(resolve(dirname(path)), { recursive: true, mode: 0o700 });
  writeFileSync(marker, String(process.pid), { mode: 0o600 });
  held.add(marker);
  return {
    release() {
      held.delete(marker);
      rmSync(marker, { force: true });
    },
  };
}

/** The living process that holds a marker; one that died left its marker behind, and it counts no more. */
function holderOf(marker: string): number | null {
  if (held.has(marker)) return process.pid;
  const pid = Number(readMarker(marker));
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return null;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM' ? pid : null;
  }
}

function readMarker(marker: string): string {
  try {
    return readFileSync(marker, 'utf8');
  } catch {
    return '';
  }
}
