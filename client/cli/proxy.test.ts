import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { type CliFixture, openCliFixture } from '../testing/cli.ts';
import { testModel } from '../testing/completions.ts';
import { chatBody } from '../testing/exchange.ts';
import { programEnvironment } from '../testing/program-environment.ts';

/** A tool that reads OpenAI's variables, buys one completion, and ends with its argument as exit code. */
const tool = `
  const { OPENAI_BASE_URL, OPENAI_API_BASE, OPENAI_API_KEY, PAID_INFERENCE_KEY } = process.env;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + OPENAI_API_KEY };
  const init = { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(chatBody))} };
  const response = await fetch(OPENAI_BASE_URL + '/chat/completions', init);
  const { choices, error } = await response.json();
  console.log(choices?.[0].message.content ?? error.message, OPENAI_API_BASE === OPENAI_BASE_URL, PAID_INFERENCE_KEY);
  process.exit(Number(process.argv[1]));`;
const command = ['--', process.execPath, '--input-type=module', '--eval', tool];

/** Starts a proxy and waits for its URL. */
async function start({ keyFile, gateway }: CliFixture, more: readonly string[] = [], token?: string) {
  const given = ['proxy', '--upstream', `${gateway.url}/v1`, '--key-file', keyFile, '--port', '0', ...more];
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'cli.ts'), ...given], {
    env: { ...programEnvironment, ...(token !== undefined && { PAID_INFERENCE_PROXY_TOKEN: token }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  const ready = Promise.withResolvers<string>();
  createInterface(child.stderr).on('line', (line) => {
    lines.push(line);
    if (line.startsWith('access token: ')) ready.resolve(line.slice('access token: '.length));
  });
  const ended = once(child, 'close');
  ended.then(() => ready.reject(new Error(lines.join('\n'))), ready.reject);
  const shown = await ready.promise;
  const url = /serves (\S+)/.exec(lines.join('\n'))?.[1] ?? '';
  const accessToken = token ?? shown;
  const buy = () =>
    fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
      body: JSON.stringify(chatBody),
    });
  return { child, lines, shown, buy, ended };
}

describe('proxy -- <command> (D-291)', () => {
  test('runs the command with the API, tells what it paid, and ends with its exit code', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stdout, stderr } = await cli.run(['proxy', '--port', '0', ...command, '7', '--json']);
    expect([exitCode, stdout]).toEqual([7, 'pong true undefined\n']);
    expect(cli.gateway.store.charges).toHaveLength(1);
    expect(stderr).toMatch(/paid 10000 units for \S+, transaction 0x[0-9a-f]{64}; 10000 units in this run/);
    expect(stderr).toMatch(/1 purchase, 10000 units; 10000 of 10000000 in total\n$/);
    expect(stderr).not.toMatch(/access token: /);
  });

  test('counts the payments of earlier runs with the same key, and writes its lines to a file', async () => {
    await using cli = await openCliFixture();
    const log = cli.file('proxy.log', '');
    const limit = ['--max-total', '10000', '--log-file', log];
    const first = await cli.run(['proxy', '--port', '0', ...limit, ...command, '0']);
    expect(first).toMatchObject({ exitCode: 0, stdout: 'pong true undefined\n', stderr: '' });
    const second = await cli.run(['proxy', '--port', '0', ...limit, ...command, '0']);
    expect(second.stdout).toMatch(/above the total limit of 10000 units.*--max-total/);
    expect(cli.gateway.store.charges).toHaveLength(1);
    expect(readFileSync(log, 'utf8')).toMatch(/paid 10000 units[\s\S]*paid nothing/);
  });

  test('gives the key to no tool, and needs a journal for a key without a file', async () => {
    await using cli = await openCliFixture();
    const variables = { PAID_INFERENCE_KEY: cli.wallet.privateKey, PAID_INFERENCE_URL: cli.gateway.url };
    const without = await cli.run(['proxy', '--port', '0', ...command, '0'], variables);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringMatching(/--journal <file>/)]);
    const given = ['proxy', '--port', '0', '--journal', `${cli.keyFile}.other`, ...command, '0'];
    expect((await cli.run(given, variables)).stdout).toBe('pong true undefined\n');
  });

  test('writes its lines to standard error when the file cannot be written, and pays', async () => {
    await using cli = await openCliFixture();
    const given = ['proxy', '--port', '0', '--log-file', join(cli.keyFile, 'no.log'), ...command, '0'];
    const { stdout, stderr } = await cli.run(given);
    expect([stdout, stderr]).toEqual(['pong true undefined\n', expect.stringMatching(/paid 10000 units/)]);
  });

  test('names a port that is in use', async () => {
    await using cli = await openCliFixture();
    const { port } = new URL(cli.gateway.url);
    const { exitCode, stderr } = await cli.run(['proxy', '--port', port, ...command, '0']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(`Port ${port} is in use. Name another one`),
    ]);
  });

  test.each([
    [
      'a command that does not exist',
      ['--', 'no-such-command-of-a-test'],
      /no-such-command-of-a-test did not start \(ENOENT\)/,
    ],
    ['a port that is no port', ['--port', '65536'], /from 0 to 65535/],
    ['a journal that is none', ['--journal', 'payer.key'], /cannot be opened/],
  ])('ends with exit code 2 for %s', async (_, given, message) => {
    await using cli = await openCliFixture();
    const { exitCode, stderr } = await cli.run(['proxy', '--port', '0', ...given]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('proxy (D-291, D-292)', () => {
  test('makes an access token, serves the tools that have it, and ends at SIGTERM', async () => {
    await using cli = await openCliFixture();
    const { child, lines, shown, buy, ended } = await start(cli);
    expect(shown).toMatch(/^[\w-]{43}$/);
    expect((await buy()).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    expect(lines.at(-1)).toMatch(/1 purchase, 10000 units/);
    expect(lines.join('\n')).toContain(`for ${testModel}`);
  });

  test('keeps the access token of a file, and takes that of a variable', async () => {
    await using cli = await openCliFixture();
    const file = `${cli.keyFile}.token`;
    const first = await start(cli, ['--access-token-file', file]);
    first.child.kill('SIGTERM');
    await first.ended;
    const made = readFileSync(file, 'utf8').trim();
    const second = await start(cli, ['--access-token-file', file], made);
    expect((await second.buy()).status).toBe(200);
    second.child.kill('SIGTERM');
    await second.ended;
    const third = await start(cli, [], 'a-token-of-a-variable');
    expect([third.shown, (await third.buy()).status]).toEqual(['that of PAID_INFERENCE_PROXY_TOKEN', 200]);
    third.child.kill('SIGTERM');
    await third.ended;
    const variables = { PAID_INFERENCE_PROXY_TOKEN: 'short', PAID_INFERENCE_KEY_FILE: cli.keyFile };
    const short = await cli.run(['proxy', '--port', '0'], variables);
    expect([short.exitCode, short.stderr]).toEqual([2, expect.stringMatching(/at least 16 characters/)]);
    const open = cli.file('open.token', made, 0o644);
    const readable = await cli.run(['proxy', '--port', '0', '--access-token-file', open]);
    expect([readable.exitCode, readable.stderr]).toEqual([
      2,
      expect.stringMatching(/can be read by other users/),
    ]);
  });

  test('after a SIGKILL during a payment, the next proxy sends the same payment for the same request', async () => {
    await using cli = await openCliFixture();
    cli.gateway.fates({ fate: 'hang' });
    const first = await start(cli);
    const lost = first.buy().catch(() => 'lost');
    await expect.poll(() => cli.gateway.paid()).toHaveLength(1);
    first.child.kill('SIGKILL');
    expect(await lost).toBe('lost');
    await first.ended;
    const second = await start(cli);
    expect((await second.buy()).status).toBe(200);
    expect(second.lines.join('\n')).toMatch(
      /finished an earlier payment for .*; 0 units in this run, 10000 of/,
    );
    second.child.kill('SIGTERM');
    await second.ended;
    expect(new Set(cli.gateway.paid().map(({ payment }) => payment)).size).toBe(1);
    expect(cli.gateway.store.charges).toHaveLength(1);
  });
});
