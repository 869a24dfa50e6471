import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fitConnections, warnOfOpenFiles } from './open-files.ts';

describe('D-226: connections within the open files of the system', () => {
  it.each([
    ['keep the setting without a limit', null, 4_096],
    ['keep the setting under a high limit', 20_000, 4_096],
    ['leave 512 files for other work', 1_024, 512],
    ['leave half of a very low limit', 300, 150],
    ['are at least one', 1, 1],
  ])('%s', (_name, openFilesMax, connections) => {
    expect(fitConnections(4_096, openFilesMax)).toBe(connections);
  });

  it('warn the operator with the limit to set, and only if the setting does not fit', () => {
    expect(warnOfOpenFiles(4_096, 4_608)).toEqual([]);
    expect(warnOfOpenFiles(4_096, 1_024)).toEqual([expect.stringContaining('4608 (ulimit -n)')]);
  });

  it.runIf(process.platform === 'linux')('read the limit of the process', () => {
    const script = `import(${JSON.stringify(new URL('./open-files.ts', import.meta.url).href)}).then(
      (it) => process.stdout.write(String(it.readOpenFilesMax())))`;
    const command = ['-c', 'ulimit -n 300; exec "$0" -e "$1"', process.execPath, script];
    expect(execFileSync('sh', command, { encoding: 'utf8' })).toBe('300');
  });
});
