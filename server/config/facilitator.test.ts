import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Environment } from './environment.ts';
import { loadConfig } from './load.ts';

const address = `0x${'22'.repeat(20)}`;
const payee = `0x${'33'.repeat(20)}`;
const relayerKey = `0x${'1f'.repeat(32)}`;

const variables = {
  CHAIN_RPC_URL: 'http://127.0.0.1:8545',
  TOKEN_ADDRESS: address,
  TOKEN_NAME: 'T',
  PAY_TO: payee,
  FACILITATOR_URL: 'https://facilitator.example/x402',
  PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:8546',
  PROOF_LEDGER_CHAIN_ID: '31740',
  PROOF_LEDGER_CONTRACT: address,
  PROOF_LEDGER_KEY: relayerKey,
};

function listFaults(environment: Environment): readonly string[] {
  const loaded = loadConfig(null, environment);
  return loaded.ok ? [] : loaded.fault;
}

it('A facilitator replaces the relayer key, with a token if it needs one', () => {
  const loaded = loadConfig(null, { ...variables, FACILITATOR_TOKEN: ' t0ken\n' });
  expect(loaded).toMatchObject({ ok: true, value: { relayerKeys: [], facilitatorToken: 't0ken' } });
  expect(loaded).toMatchObject({
    value: {
      config: { facilitator: { url: variables.FACILITATOR_URL, verifyTimeoutMs: 5_000, settlementsMax: 16 } },
    },
  });
  expect(loadConfig(null, variables)).toMatchObject({ ok: true, value: { facilitatorToken: null } });
});

it.each([
  ['a relayer key beside it', { RELAYER_KEY: relayerKey }, /a facilitator and a relayer key are both set/],
  [
    'a file with a relayer key',
    { RELAYER_KEY_FILE: '/dev/null' },
    /a facilitator and a relayer key are both set/,
  ],
  ['no chain', { CHAIN_RPC_URL: '', TOKEN_ADDRESS: '', TOKEN_NAME: '', PAY_TO: '' }, /set chain too/],
  ['a URL of something else', { FACILITATOR_URL: 'ftp://s3cret' }, /facilitator\.url \(FACILITATOR_URL\)/],
  ['a token that no header can carry', { FACILITATOR_TOKEN: 's3cret s3cret' }, /^FACILITATOR_TOKEN: /m],
  [
    'a token, and credentials in the URL',
    { FACILITATOR_TOKEN: 's3cret', FACILITATOR_URL: 'https://user:s3cret@facilitator.example' },
    /FACILITATOR_TOKEN/,
  ],
])('A facilitator with %s: no start, and no secret in the message', (_name, change, sentence) => {
  const faults = listFaults({ ...variables, ...change }).join('\n');
  expect(faults).toMatch(sentence);
  expect(faults).not.toMatch(new RegExp(`s3cret|${relayerKey}`));
});

it('A facilitator has its other settings in the file, and no secret among them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-config-'));
  const load = (setting: string) => {
    writeFileSync(join(folder, 'gateway.yaml'), `facilitator: {${setting}}`);
    return loadConfig(join(folder, 'gateway.yaml'), variables);
  };
  try {
    expect(load('x402Version: 1, attemptsMax: 2')).toMatchObject({
      ok: true,
      value: { config: { facilitator: { x402Version: 1, attemptsMax: 2, retryMs: 1_000 } } },
    });
    for (const broken of ['x402Version: 3', 'attemptsMax: 0', 'verifyTimeoutMs: 60000', 'token: s3cret']) {
      const loaded = load(broken);
      const faults = loaded.ok ? [] : loaded.fault;
      expect(faults, broken).toEqual([expect.stringMatching(/^facilitator\./)]);
      expect(faults[0]).not.toContain('s3cret');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
