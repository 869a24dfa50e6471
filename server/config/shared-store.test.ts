import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';

const address = `0x${'22'.repeat(20)}`;

describe('A store that gateways share', () => {
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

  it('is an address and a key of the answers; without them it is the embedded one', () => {
    const loaded = loadConfig(null, {
      ...chain,
      DATABASE_URL: 'postgres://127.0.0.1/payments',
      ANSWER_KEY: key,
    });
    expect(loaded).toMatchObject({ ok: true, value: { store: { url: 'postgres://127.0.0.1/payments' } } });
    expect(loadConfig(null, chain)).toMatchObject({ ok: true, value: { store: null } });
  });

  it.each([
    ['no key of the answers', { ...chain, DATABASE_URL: 'postgres://x/y' }, /ANSWER_KEY/],
    ['a short key', { ...chain, DATABASE_URL: 'postgres://x/y', ANSWER_KEY: '0x12' }, /ANSWER_KEY/],
    [
      'another database',
      { ...chain, DATABASE_URL: 'mysql://user:secret@x/y', ANSWER_KEY: key },
      /DATABASE_URL/,
    ],
    ['no chain to share', { DATABASE_URL: 'postgres://x/y', ANSWER_KEY: key }, /DATABASE_URL/],
  ])('with %s there is no start, and no secret in the message', (_name, environment, sentence) => {
    const loaded = loadConfig(null, environment);
    if (loaded.ok) throw new Error('it was taken');
    expect(loaded.fault.join('\n')).toMatch(sentence);
    expect(loaded.fault.join('\n')).not.toContain('secret');
  });
});
