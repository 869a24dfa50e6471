import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { programEnvironment } from '../testing/program-environment.ts';
import { firstRequests } from './page/front/first-request.ts';
import { purchaseProgram } from './page/try/program.ts';

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-programs-'));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  // The programs find the key of the devnet's payer where `npm start` writes it.
  mkdirSync(join(folder, '.data/devnet'), { recursive: true });
  writeFileSync(join(folder, '.data/devnet/payer.key'), gateway.devnet.payer.privateKey, { mode: 0o600 });
});
afterAll(async () => {
  await gateway?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

function facts() {
  const { token, payTo, payer } = gateway.devnet;
  const models = [{ id: 'alder/alder-mini' }];
  return {
    gateway: gateway.url,
    token: { ...token, decimals: 6 },
    payTo,
    devnetPayer: payer.address,
    models,
  };
}

async function run(code: string): Promise<string> {
  writeFileSync(join(folder, 'try.ts'), code);
  const { stdout } = await promisify(execFile)(process.execPath, ['try.ts'], {
    cwd: folder,
    env: { ...programEnvironment },
    timeout: 30_000,
  });
  return stdout;
}

const find = (name: string) => firstRequests(facts(), 'package main').find((each) => each.name === name);

it('the front page has a program in four languages', () => {
  expect(firstRequests(facts(), 'package main').map(({ name }) => name)).toEqual([
    'curl',
    'TypeScript',
    'Python',
    'Go',
  ]);
  expect(find('Go')?.code).toBe('package main');
});

it('the request for curl gets an offer', async () => {
  const [, url = '', body = ''] = /^curl -i (\S+) .*-d '([^']*)'$/s.exec(find('curl')?.code ?? '') ?? [];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  expect([response.status, response.headers.has('X-PAYMENT-REQUIRED')]).toEqual([402, true]);
});

it('the first program in TypeScript buys a completion', async () => {
  expect(await run(find('TypeScript')?.code ?? '')).toMatch(/^pong 0x[0-9a-f]{64}\n$/);
});

it('the program of a purchase makes the same purchase, and pays no more than the visitor saw', async () => {
  const body = {
    model: 'alder/alder-mini',
    messages: [{ role: 'user' as const, content: 'It\'s "6 × 7"?' }],
    max_tokens: 16,
  };
  expect(await run(purchaseProgram(facts(), body, 'individual', '100000'))).toMatch(
    /^pong\{[\s\S]*txHash: '0x[0-9a-f]{64}'/,
  );
  await expect(run(purchaseProgram(facts(), body, 'individual', '1'))).rejects.toThrow(/price_above_limit/);
});
