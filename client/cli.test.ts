import { describe, expect, test } from 'vitest';
import { openCliFixture } from './testing/cli.ts';
import { completionFor } from './testing/completions.ts';
import { reply } from './testing/gateway.ts';
import { startTestRpc } from './testing/rpc.ts';

const chain = 84_532;

describe('Exit 0: the command succeeds', () => {
  test('a chat writes the completion to standard output, and every step on standard error, without colours', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Say pong.']);
    expect([exitCode, stdout]).toEqual([0, 'pong\n']);
    const [charge] = cli.gateway.store.charges;
    expect(charge).toMatchObject({ payer: cli.wallet.address, units: 10_000n });
    const told = [
      '→ POST',
      '← 402',
      '10000 units',
      'signed',
      charge?.nonce,
      'X-PAYMENT',
      '← 200',
      '✓ settled',
      'tx       0x',
    ];
    const places = told.map((words) => stderr.indexOf(words ?? 'no charge'));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(stderr).not.toContain('\u001b[');
  });

  test('keeps line breaks and tabs of a completion, and escapes control characters', async () => {
    await using cli = await openCliFixture();
    const body = JSON.parse(completionFor('/v1/chat/completions', '{}'));
    body.choices[0].message.content = 'one\r\n\ttwo 👩\u200d🚀 \u001b[2J\u009b\u202e';
    cli.gateway.settings.unpaid = () => reply(200, JSON.stringify(body));
    const { stdout } = await cli.run(['chat', 'Say pong.']);
    expect(stdout).toBe('one\n\ttwo 👩\u200d🚀 \\u{1b}[2J\\u{9b}\\u{202e}\n');
  });

  test('writes one object to standard output with --json, and nothing to standard error', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'Say pong.', '--json']);
    expect([exitCode, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'completion',
      completion: { choices: [{ message: { content: 'pong' } }] },
      receipt: { payer: cli.wallet.address },
      payment: { state: 'settled' },
    });
  });

  test('puts the options of chat into the request', async () => {
    await using cli = await openCliFixture();
    const tool = { type: 'function', function: { name: 'get_weather' } };
    const options = [
      '--model',
      'alder/x',
      '--system',
      'Be brief.',
      '--max-tokens',
      '7',
      '--temperature',
      '0.5',
    ];
    const more = ['--settlement-type', 'private', '--tool', cli.file('tool.json', JSON.stringify(tool))];
    const { stdout } = await cli.run(['chat', 'Rain?', ...options, ...more]);
    expect(stdout).toBe('get_weather({})\n');
    const [paid] = cli.gateway.paid();
    expect(paid?.settlementType).toBe('private');
    expect(JSON.parse(paid?.body ?? '')).toEqual({
      model: 'alder/x',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Rain?' },
      ],
      max_tokens: 7,
      temperature: 0.5,
      tools: [tool],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('buys a text completion', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stdout } = await cli.run(['complete', 'ping', '--max-tokens', '7']);
    expect([exitCode, stdout]).toEqual([0, 'pong\n']);
    expect(JSON.parse(cli.gateway.paid()[0]?.body ?? '')).toMatchObject({ prompt: 'ping', max_tokens: 7 });
  });

  test('lists the models without a key', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stdout } = await cli.run(['models'], { PAID_INFERENCE_URL: cli.gateway.url });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^model .*\nalder\/alder-mini +8192 +2048 +1000000 +4000000 +1000\n$/);
  });

  test.each([
    ['/v1', []],
    ['/v1/', []],
    ['/v1', ['--json']],
  ])('drops %s from the end of the URL, which OpenAI clients expect there %j', async (end, json) => {
    await using cli = await openCliFixture();
    const { exitCode, stderr } = await cli.run([
      'chat',
      'Say pong.',
      '--url',
      cli.gateway.url + end,
      ...json,
    ]);
    expect(exitCode).toBe(0);
    const note = `The gateway's URL is ${cli.gateway.url}: each command adds /v1 itself\n`;
    expect(stderr.slice(0, note.length)).toBe(json.length === 0 ? note : '');
    const fromEnvironment = await cli.run(['models'], { PAID_INFERENCE_URL: cli.gateway.url + end });
    expect(fromEnvironment).toMatchObject({ exitCode: 0, stderr: note });
  });

  test('keeps a path other than /v1', async () => {
    await using cli = await openCliFixture();
    for (const path of ['/v2', '/av1']) {
      const { exitCode, stderr } = await cli.run(['models', '--url', cli.gateway.url + path]);
      expect([exitCode, stderr]).toEqual([1, expect.not.stringContaining('each command adds')]);
    }
    expect(cli.gateway.received.map(({ path }) => path)).toEqual(['/v2/v1/models', '/av1/v1/models']);
  });

  test('shows prices in tokens with --rpc, which gives the decimals', async () => {
    await using cli = await openCliFixture();
    await using rpc = await startTestRpc(chain, 0n, cli.gateway.store.charges);
    const { exitCode, stderr } = await cli.run(['chat', 'Say pong.', '--rpc', rpc.url]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('10000 units (0.01 TPT)');
  });
});

describe('Exit 1: no payment, or an error response', () => {
  test('refuses a price above --max-price and names the option that allows it', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'hi', '--max-price', '9999', '--yes']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      'paid-inference: the price of 10000 units is above the limit of 9999 units. To pay it: --max-price 10000',
    );
    expect(cli.gateway.paid()).toEqual([]);
  });

  test('refuses a price above 100000 units unless --yes is given', async () => {
    await using cli = await openCliFixture();
    cli.gateway.settings.offer = { maxAmountRequired: '100001' };
    expect(await cli.run(['chat', 'hi'])).toMatchObject({ exitCode: 1 });
    expect(cli.gateway.paid()).toEqual([]);
    expect(await cli.run(['chat', 'hi', '--yes'])).toMatchObject({ exitCode: 0, stdout: 'pong\n' });
    expect(cli.gateway.store.charges).toMatchObject([{ units: 100_001n }]);
  });

  test('refuses an offer for another host and names the option that allows it', async () => {
    await using cli = await openCliFixture();
    cli.gateway.settings.offer = { resource: 'https://gateway.example/v1/chat/completions' };
    const refused = await cli.run(['chat', 'hi']);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--resource-host gateway.example'),
    });
    const allowed = await cli.run(['chat', 'hi', '--resource-host', 'gateway.example']);
    expect(allowed).toMatchObject({ exitCode: 0 });
  });

  test("prints the gateway's error in one line", async () => {
    await using cli = await openCliFixture();
    const error = {
      message: 'no such model',
      type: 'invalid_request_error',
      code: 'invalid_request',
      param: 'model',
    };
    cli.gateway.settings.unpaid = () => reply(400, JSON.stringify({ error }));
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'hi', '--model', 'alder/none', '--json']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([1, { kind: 'error', ...error }]);
    expect(stderr).toBe('paid-inference: no such model. [400 invalid_request model]\n');
  });

  test('names the wallet command on insufficient_funds', async () => {
    await using cli = await openCliFixture();
    cli.gateway.fates({ fate: 'respond', status: 402, code: 'insufficient_funds' });
    const { exitCode, stderr } = await cli.run(['chat', 'hi']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('"npm run wallet -- --rpc <url of a node of the chain>" shows the balance.'),
    ]);
  });
});

describe('Exit 2: wrong usage', () => {
  test.each([
    ['no command', [], 'missing command'],
    ['an unknown command', ['pay'], "unknown command 'pay'"],
    ['no prompt', ['chat'], "missing required argument 'prompt'"],
    ['an unknown option', ['chat', 'hi', '--modle', 'x'], "unknown option '--modle'"],
    ['an invalid URL', ['models', '--url', 'gateway'], 'It must be an http or https URL.'],
    ['a URL with a query', ['models', '--url', 'http://127.0.0.1:1/?x=1'], 'without a query'],
    ['a gateway with a query', ['verify', 'a', '--gateway', 'http://127.0.0.1:1/?x=1'], 'without a query'],
    ['a URL with a password', ['models', '--url', 'https://u:pw@x'], 'must have no user and no password.'],
    [
      'a price with a decimal point',
      ['chat', 'hi', '--max-price', '0.1'],
      "whole number of the token's smallest unit",
    ],
    [
      'two price limits',
      ['chat', 'hi', '--max-price', '1', '--max-price', '9'],
      "option '--max-price' is given twice; leave one out",
    ],
    ['two URLs', ['--url', 'http://x', 'chat', 'hi', '--url', 'http://y'], "option '--url' is given twice"],
    ['a maximum of zero tokens', ['chat', 'hi', '--max-tokens', '0'], 'at least 1'],
    ['a temperature above the maximum', ['chat', 'hi', '--temperature', '2.1'], 'from 0 to 2'],
    [
      'an unknown settlement type',
      ['chat', 'hi', '--settlement-type', 'public'],
      'private, individual, batch',
    ],
    [
      'a missing tool file',
      ['chat', 'hi', '--tool', 'none.json'],
      'no tool in none.json: the file cannot be read',
    ],
  ])('%s', async (_, given, words) => {
    await using cli = await openCliFixture();
    const { exitCode, stdout, stderr } = await cli.run([...given, '--json']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^paid-inference: [^\n]+\n$/)]);
    expect(stderr).toContain(words);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'usage',
      message: stderr.slice('paid-inference: '.length, -1),
    });
    expect(cli.gateway.paid()).toEqual([]);
  });
});

describe('Exit 3: the outcome is unknown', () => {
  test('reports a gateway that is down', async () => {
    await using cli = await openCliFixture();
    await cli.gateway.close();
    const { exitCode, stderr } = await cli.run(['models']);
    expect([exitCode, stderr]).toEqual([
      3,
      `paid-inference: no response from ${cli.gateway.url}: ECONNREFUSED. Is the gateway running? "npm start" starts one.\n`,
    ]);
  });

  test('names the nonce of a payment whose outcome the gateway does not know', async () => {
    await using cli = await openCliFixture();
    const headers = { 'Retry-After': '0' };
    const pending = { fate: 'respond', status: 503, code: 'settlement_pending', headers } as const;
    cli.gateway.fates(pending, pending, pending, pending);
    const { exitCode, stdout, stderr } = await cli.run(['chat', 'hi', '--json']);
    const { payment } = JSON.parse(stdout);
    expect([exitCode, payment.state]).toEqual([3, 'maybe-charged']);
    expect(stderr).toContain(
      `You may have been charged: the authorization with nonce ${payment.authorization.nonce}`,
    );
    expect(new Set(cli.gateway.paid().map((request) => request.payment)).size).toBe(1);
  });
});

test.each([
  ['help', ['--help'], 0],
  ['the help of a command', ['chat', '--help'], 0],
  ['models', ['models'], 0],
  ['a completion', ['chat', 'Say pong.'], 0],
  ['an error', ['pay'], 2],
])('A command keeps its exit code when the reader of %s closes the pipe', async (_, given, exitCode) => {
  await using cli = await openCliFixture();
  expect(await cli.runUnread(given)).toBe(exitCode);
});

test("Help says how to keep npm's own lines out of the JSON", async () => {
  await using cli = await openCliFixture();
  for (const command of [[], ['chat'], ['complete'], ['models'], ['wallet']]) {
    const { stdout } = await cli.run([...command, '--help']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('standard output (`npm run -s`');
  }
});

test('Help names the exit codes and shows examples', async () => {
  await using cli = await openCliFixture();
  const { exitCode, stdout } = await cli.run(['--help']);
  expect(exitCode).toBe(0);
  for (const words of ['Exit codes:', '3  no response', 'Examples:', 'PAID_INFERENCE_KEY_FILE']) {
    expect(stdout).toContain(words);
  }
});
