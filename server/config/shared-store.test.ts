import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';

const address = `0x${'22'.repeat(20)}`;

describe('A shared store', () => {
  const chain = {
    CHAIN_RPC_URL: 'http://127.0.0.1:8545',
    TOKEN_ADDRESS: address,
    TOKEN_NAME: 'T',
    PAY_TO: `0x${'33'.repeat(20)}`,
    RELAYER_KEY: `0x${'1f'.repeat(32)}`,
    PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:8546',
    PROOF_LEDGER_CHAIN_ID: '31740',
    PROOF_LEDGER_CONTRACT: address,
    PROOF_LEDGER_KEY: `0x${'3d'.repeat(32)}`,
  };
  const key = `0x${'ab'.repeat(32)}`;

  it('needs a URL and a completion key; without them the gateway uses the embedded store', () => {
    const loaded = loadConfig(null, {
      ...chain,
      DATABASE_URL: 'postgres://127.0.0.1/payments',
      COMPLETION_KEY: key,
    });
    expect(loaded).toMatchObject({ ok: true, value: { store: { url: 'postgres://127.0.0.1/payments' } } });
    expect(loadConfig(null, chain)).toMatchObject({ ok: true, value: { store: null } });
  });

  it.each([
    ['no completion key', { ...chain, DATABASE_URL: 'postgres://x/y' }, /COMPLETION_KEY/],
    ['a short key', { ...chain, DATABASE_URL: 'postgres://x/y', COMPLETION_KEY: '0x12' }, /COMPLETION_KEY/],
    [
      'another database',
      { ...chain, DATABASE_URL: 'mysql://user:secret@x/y', COMPLETION_KEY: key },
      /DATABASE_URL/,
    ],
    ['no chain to share', { DATABASE_URL: 'postgres://x/y', COMPLETION_KEY: key }, /DATABASE_URL/],
  ])('with %s the gateway does not start, and no message has a secret', (_name, environment, sentence) => {
    const loaded = loadConfig(null, environment);
    if (loaded.ok) throw new Error('The settings were accepted.');
    expect(loaded.fault.join('\n')).toMatch(sentence);
    expect(loaded.fault.join('\n')).not.toContain('secret');
  });
});
