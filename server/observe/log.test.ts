import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { programEnvironment } from '../testing/program-environment.ts';

/** Runs lines of code in another process, because the log goes to standard error of the process. */
function logging(level: string, lines: string): { lines: Record<string, unknown>[]; stdout: string } {
  const module = JSON.stringify(new URL('./log.ts', import.meta.url).href);
  const script = `
    const { createLog } = await import(${module});
    const log = createLog('${level}');
    ${lines}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    // Node's warnings about colour variables would add a line.
    env: programEnvironment,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(status).toBe(0);
  const written = stderr.split('\n').filter((line) => line !== '');
  return { lines: written.map((line) => JSON.parse(line) as Record<string, unknown>), stdout };
}

test('A line is one JSON object on standard error, written even if the process exits at once; standard output stays empty', () => {
  const { lines, stdout } = logging(
    'info',
    `log.info({ payment: 7, payer: '0x44', reason: 'x' }, 'done'); process.exit(0);`,
  );
  expect(lines).toEqual([expect.objectContaining({ payment: 7, payer: '0x44', reason: 'x', msg: 'done' })]);
  expect(lines[0]).not.toHaveProperty('hostname');
  expect(stdout).toBe('');
});

test('Secrets are redacted at the top, one and two levels down, in lists and in errors', () => {
  const names = [
    'signature',
    'privateKey',
    'relayerKey',
    'relayerKeys',
    'key',
    'apiKey',
    'prompt',
    'messages',
    'answer',
    'body',
  ];
  const { lines } = logging(
    'info',
    `const secrets = Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, { deep: ['s3cret'] }]));
     log.info({ ...secrets, a: secrets, b: { c: secrets }, d: [secrets] }, 'said');
     log.error({ err: Object.assign(new Error('broken'), secrets) }, 'failed');`,
  );
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
  const blank = Object.fromEntries(names.map((name) => [name, '[redacted]']));
  expect(lines[0]).toMatchObject({ ...blank, a: blank, b: { c: blank }, d: [blank], msg: 'said' });
  expect(lines[1]).toMatchObject({ err: { ...blank, message: 'broken' } });
});

test('A pretty log redacts the same secrets and is written even if the process exits at once (D-190)', () => {
  const module = JSON.stringify(new URL('./log.ts', import.meta.url).href);
  const script = `
    const { createLog } = await import(${module});
    const log = createLog('info', { format: 'pretty', hasColours: false });
    log.info({ payment: 7, signature: 's3cret', sale: { key: 's3cret' } }, 'done');
    log.debug('hidden'); process.exit(0);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: programEnvironment,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stderr).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}done payment=7 signature="\[redacted\]" sale=\{"key":"\[redacted\]"\}\n$/,
  );
  expect(stdout).toBe('');
});

test('Lines below the level are not written', () => {
  const { lines } = logging(
    'silent',
    `log.error('not at silent');
     for (const level of ['debug', 'info', 'error'])
       for (const each of ['debug', 'info', 'warn', 'error']) createLog(level)[each](level);`,
  );
  const counts = ['debug', 'info', 'error'].map((level) => lines.filter(({ msg }) => msg === level).length);
  expect([...counts, lines.length]).toEqual([4, 3, 1, 8]);
});

test.skipIf(!existsSync('/dev/full'))(
  'Lines that cannot be written are dropped, and the process continues (D-142)',
  () => {
    const module = JSON.stringify(new URL('./log.ts', import.meta.url).href);
    const script = `
    const { createLog } = await import(${module});
    const log = createLog('info');
    for (let line = 0; line < 1_000; line++) log.info({ filler: 'x'.repeat(10_000) }, 'a line');
    log.error({ err: new Error('why') }, 'an error');
    process.stdout.write(String(process.memoryUsage().rss < 400e6));`;
    const full = openSync('/dev/full', 'w');
    try {
      const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        env: programEnvironment,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', full],
        timeout: 30_000,
      });
      expect([stdout, status]).toEqual(['true', 0]);
    } finally {
      closeSync(full);
    }
  },
);

test.each([
  ['socket', 'json'],
  ['pipe', 'json'],
  ['pipe', 'pretty'],
])('A stopped reader of the log does not block the process (D-174): %s, %s', async (kind, format) => {
  const module = JSON.stringify(new URL('./log.ts', import.meta.url).href);
  const script = `
    const { createLog } = await import(${module});
    const log = createLog('info', { format: '${format}', hasColours: false });
    for (let line = 0; line < 1_000; line++) log.info({ line, filler: 'x'.repeat(1_000) }, 'a line');
    process.stdout.write('goes on');
    process.stdin.once('data', () => process.exit(0));`;
  const program = [process.execPath, '--input-type=module', '-e', script];
  const [command = '', ...args] =
    kind === 'socket' ? program : ['sh', '-c', '"$@" 2>&1 >&3 | sleep 60', 'sh', ...program];
  const child = spawn(command, args, {
    env: programEnvironment,
    stdio: ['pipe', kind === 'socket' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    const out = child.stdio[kind === 'socket' ? 1 : 3] as Readable;
    const [said] = (await once(out, 'data', { signal: AbortSignal.timeout(20_000) })) as [Buffer];
    expect(said.toString()).toBe('goes on');
    if (kind === 'pipe') return;
    const written = text(child.stderr as Readable);
    child.stdin?.write('end');
    await once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
    // The written lines are whole and in order.
    const lines = (await written).split('\n').slice(0, -1);
    const numbers = lines.slice(0, 50).map((line) => (JSON.parse(line) as { line: number }).line);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, at) => at));
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
  }
});

const terminal = '/usr/bin/script';

test.skipIf(!existsSync(terminal))('A stopped terminal does not block the process (D-190)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-log-'));
  const [program, mark] = [join(folder, 'program.mjs'), join(folder, 'mark')];
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs';
    const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)});
    const log = createLog('info', { format: 'pretty', hasColours: true });
    for (let line = 0; line < 1_000; line++) log.info({ line, filler: 'x'.repeat(1_000) }, 'a line');
    writeFileSync(${JSON.stringify(mark)}, process.stderr.isTTY ? 'goes on' : 'no terminal');
    process.exit(0);`,
  );
  // The test reads no byte of the pipe, so the program behind it stops reading the terminal.
  const child = spawn(terminal, ['-qec', `'${process.execPath}' '${program}'`, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await expect.poll(() => existsSync(mark) && readFileSync(mark, 'utf8')).toBe('goes on');
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
