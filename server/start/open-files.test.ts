import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { configSchema } from '../config/schema.ts';
import { createLog, type Log } from '../observe/log.ts';
import { startTestGateway } from '../testing/gateway.ts';
import { connectRaw, statusesIn } from '../testing/raw-client.ts';
import { listen } from './listen.ts';
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

describe('D-226: a gateway under a low limit of the system', () => {
  afterEach(() => void vi.restoreAllMocks());

  function allowOpenFiles(soft: number): void {
    vi.spyOn(process.report, 'getReport').mockReturnValue({ userLimits: { open_files: { soft } } });
  }

  it('accepts no more connections than the limit allows', async () => {
    allowOpenFiles(4);
    const listening = await listen(configSchema.parse({ port: 0 }));
    listening.attach((_request, response) => response.end('fine'));
    const clients = [await connectRaw(listening.url), await connectRaw(listening.url)];
    const received = await (await connectRaw(listening.url)).readAll();
    expect(statusesIn(received)).toEqual([503]);
    expect(received).toContain('"code":"overloaded"');
    for (const { socket } of clients) socket.destroy();
    await listening.drain(async () => undefined, 0, createLog('silent'));
  });

  it('warns the operator at its start', async () => {
    allowOpenFiles(1_024);
    const warnings: unknown[] = [];
    const log = {
      ...createLog('silent'),
      warn: (first: unknown) => void warnings.push(first),
    };
    const gateway = await startTestGateway({}, undefined, { log: log as Log });
    expect(warnings).toContainEqual(expect.stringContaining('4608 (ulimit -n)'));
    await gateway.stop();
  });
});
