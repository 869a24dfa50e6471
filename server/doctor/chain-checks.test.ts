import { randomBytes } from 'node:crypto';

import { join } from 'node:path';
import { computeAddress } from 'ethers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createKeccak } from '../chain/keccak.ts';
import type { Loaded } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { ask } from '../devnet/deployer.ts';
import type { RunningGateway } from '../start/start.ts';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { startTestFacilitator } from '../testing/facilitator/fake-facilitator.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { openStartedGateways, type StartedGateways } from '../testing/started-gateways.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import type { Bytes32 } from '../types/units.ts';
import { checkChain } from './check-chain.ts';
import { checkProofLedger } from './check-proof-ledger.ts';
import type { Finding } from './finding.ts';

let fixture: StartedGateways;
let keccak: Awaited<ReturnType<typeof createKeccak>>;
const gateways: RunningGateway[] = [];

beforeAll(async () => {
  [fixture, keccak] = await Promise.all([openStartedGateways(), createKeccak()]);
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop();
});
afterAll(() => fixture.close());

const newStore = () => join(fixture.folder, `${randomBytes(4).toString('hex')}.db`);
const newKey = () => `0x${randomBytes(32).toString('hex')}` as Bytes32;

function deployment(
  change: Readonly<Record<string, string>>,
  more: Partial<Config> = {},
  clock = systemClock,
) {
  const settings: Loaded = fixture.settings(change);
  const loaded = { ...settings, config: { ...settings.config, ...more } };
  const { chain } = loaded.config;
  if (chain === undefined) throw new Error('no chain');
  return { loaded, environment: {}, clock, chain };
}

async function checkChainOf(...parameters: Parameters<typeof deployment>): Promise<readonly Finding[]> {
  return checkChain(deployment(...parameters), keccak);
}

async function start(file: string): Promise<RunningGateway> {
  const started = await fixture.start({ DATABASE_FILE: file }, createCountingEngine());
  if (!started.ok) throw new Error(started.fault.join('\n'));
  gateways.push(started.value);
  return started.value;
}

async function buy({ url }: RunningGateway): Promise<void> {
  const offer = decodeOffer(await post(`${url}${chatPath}`, chatBody));
  const header = await paymentFor(offer, fixture.devnet.payer.privateKey);
  expect((await post(`${url}${chatPath}`, chatBody, header)).status).toBe(200);
}

const setEther = (key: Bytes32, wei: bigint) =>
  ask(fixture.rpc, 'anvil_setBalance', [computeAddress(key), `0x${wei.toString(16)}`]);
const ether = 10n ** 18n;

/** The findings of one check, as status and text. */
const of = (found: readonly Finding[], name: string) =>
  found.filter(({ check }) => check === name).map(({ status, text }) => `${status}: ${text}`);

describe('The doctor reports about the chain', () => {
  it('its id and newest block, the domain of the token, the clock, and the recipient', async () => {
    const found = await checkChainOf({ DATABASE_FILE: newStore() });
    const { token, payTo } = fixture.devnet;
    expect(of(found, 'chain')).toEqual([
      expect.stringMatching(/^ok: Chain 84532 through 1 RPC endpoint, newest block \d+\.$/),
    ]);
    expect(of(found, 'token')).toEqual([
      expect.stringMatching(
        `^ok: "${token.name}", version 1, at ${token.address}\\. .* is 0x[0-9a-f]{64}\\.$`,
      ),
    ]);
    expect(of(found, 'clock')).toEqual([
      expect.stringMatching(/^ok: The newest block is \d+ s (ahead of|behind) the clock of this machine\.$/),
    ]);
    expect(of(found, 'recipient')[0]).toBe(`ok: The token accepts transfers to ${payTo}.`);
  });

  it.each([
    ['another name of the token', { TOKEN_NAME: 'Other' }, /Set TOKEN_NAME="Test Payment Token"/],
    [
      'no token at the address',
      { TOKEN_ADDRESS: `0x${'44'.repeat(20)}` },
      /no contract at .*Set TOKEN_ADDRESS/,
    ],
    [
      'a node that is down',
      { CHAIN_RPC_URL: 'http://127.0.0.1:1/s3cret' },
      /ECONNREFUSED.*change CHAIN_RPC_URL/,
    ],
  ])('%s, and what to do', async (_name, change, sentence) => {
    const found = await checkChainOf({ DATABASE_FILE: newStore(), ...change });
    expect(found).toEqual([{ check: 'chain', status: 'failed', text: expect.stringMatching(sentence) }]);
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });

  it('the proof ledger in place of the chain', async () => {
    const found = await checkChainOf({
      CHAIN_RPC_URL: fixture.devnet.ledger.rpcUrl,
      DATABASE_FILE: newStore(),
    });
    expect(of(found, 'chain')[0]).toMatch(/^failed: The node serves chain 31740, .*Set CHAIN_RPC_URL/);
  });

  it('one endpoint of two that is down, as a warning', async () => {
    const urls = `${fixture.devnet.rpcUrl},http://127.0.0.1:1`;
    const found = await checkChainOf({ CHAIN_RPC_URL: urls, DATABASE_FILE: newStore() });
    expect(of(found, 'chain')).toEqual([
      expect.stringMatching(/^warning: RPC endpoint 2 failed\. .*\(reason .*ECONNREFUSED/),
      expect.stringMatching(/^ok: Chain 84532 through 2 RPC endpoints/),
    ]);
  });

  it('a newest block that is too old, and a clock that is behind', async () => {
    const change = { DATABASE_FILE: newStore() };
    const late = manualClock(systemClock.nowSeconds() + 3_600);
    const limit = { chainHeadAgeMaxSeconds: 60 };
    expect(of(await checkChainOf(change, limit, late), 'clock')).toEqual([
      expect.stringMatching(/^failed: The newest block is \d+ s old, .*check the chain/),
    ]);
    const early = manualClock(systemClock.nowSeconds() - 3_600);
    expect(of(await checkChainOf(change, limit, early), 'clock')).toEqual([
      expect.stringMatching(/^failed: The newest block is \d+ s ahead of the clock/),
    ]);
  });
});

describe('The doctor reports about gas', () => {
  it('how many payments the ether of a relayer covers, and that little ether needs attention', async () => {
    const key = newKey();
    const change = { RELAYER_KEY: key, DATABASE_FILE: newStore() };
    await setEther(key, ether);
    const [rich = ''] = of(await checkChainOf(change), 'gas');
    expect(rich).toMatch(/^ok: The relayer 0x\w{40} has 1\.000000 ether, enough for at least \d+ payments/);
    const payments = Number(/(\d+) payments/.exec(rich)?.[1]);
    expect(payments).toBeGreaterThan(1_000);
    await setEther(key, (ether * 50n) / BigInt(payments));
    const [poor = ''] = of(await checkChainOf(change), 'gas');
    expect(poor).toMatch(
      /^warning: .*at least \d+ payments at the present price of gas\. Send ether to it soon\.$/,
    );
    expect(Number(/(\d+) payments/.exec(poor)?.[1])).toBeLessThan(100);
  });

  it('a relayer without ether: failed if it is the only one, else a warning', async () => {
    const [empty, other] = [newKey(), newKey()];
    await setEther(other, ether);
    const file = newStore();
    expect(of(await checkChainOf({ RELAYER_KEY: empty, DATABASE_FILE: file }), 'gas')).toEqual([
      expect.stringMatching(
        /^failed: The relayer 0x\w{40} has 0\.000000 ether, too little for a payment\. Send ether/,
      ),
    ]);
    const found = await checkChainOf({ RELAYER_KEY: `${empty} ${other}`, DATABASE_FILE: file });
    expect(of(found, 'gas')).toEqual([
      expect.stringMatching(/^warning: .*too little for a payment/),
      expect.stringMatching(/^ok: /),
    ]);
  });

  it('a base fee above the limit', async () => {
    const found = await checkChainOf({ FEE_GWEI_MAX: '0.000000001', DATABASE_FILE: newStore() });
    expect(of(found, 'gas')).toEqual([
      expect.stringMatching(/^failed: The base fee is .*raise feeGweiMax\.$/),
    ]);
  });
});

describe('The doctor reports about the recipient', () => {
  it('that the store is new, and then that it has all payments', async () => {
    const file = newStore();
    const payTo = computeAddress(newKey());
    const started = await fixture.start({ DATABASE_FILE: file, PAY_TO: payTo }, createCountingEngine());
    if (!started.ok) throw new Error(started.fault.join('\n'));
    gateways.push(started.value);
    const change = { DATABASE_FILE: file, PAY_TO: payTo };
    expect(of(await checkChainOf(change), 'recipient')[1]).toMatch(/^warning: This store is new\./);
    await buy(started.value);
    // Beside the running gateway.
    expect(of(await checkChainOf(change), 'recipient')[1]).toMatch(
      /^ok: The store has all payments of 1 transaction to/,
    );
  });

  it('a gateway with a separate store, by a transaction', async () => {
    const [one, other] = [newStore(), newStore()];
    const [first, second] = [await start(one), await start(other)];
    await buy(first);
    await buy(second);
    const foreign =
      /^failed: PAY_TO received a payment without a record.*give each store its own\. .* 0x[0-9a-f]{64}\.$/;
    for (const file of [one, other])
      expect(of(await checkChainOf({ DATABASE_FILE: file }), 'recipient')[1]).toMatch(foreign);
    // Also before its store exists.
    expect(of(await checkChainOf({ DATABASE_FILE: newStore() }), 'recipient')[1]).toMatch(foreign);
  });
});

describe('The doctor reports about the facilitator', () => {
  const settled = (url: string) => ({ RELAYER_KEY: '', FACILITATOR_URL: url, DATABASE_FILE: newStore() });

  it('the version that it supports, and no gas of relayers', async () => {
    const facilitator = await startTestFacilitator(fixture.devnet);
    try {
      const found = await checkChainOf(settled(facilitator.url));
      expect(of(found, 'facilitator')).toEqual([
        expect.stringMatching(/^ok: .*supports x402 version [12], and/),
      ]);
      expect(of(found, 'gas')).toEqual([]);
    } finally {
      await facilitator.close();
    }
  });

  it('one that does not respond, and one without our scheme', async () => {
    expect(of(await checkChainOf(settled('http://127.0.0.1:1')), 'facilitator')).toEqual([
      expect.stringMatching(/^failed: The facilitator does not answer: .*Check FACILITATOR_URL/),
    ]);
    const facilitator = await startTestFacilitator(fixture.devnet);
    facilitator.speaks = [];
    expect(of(await checkChainOf(settled(facilitator.url)), 'facilitator')).toEqual([
      expect.stringMatching(/^failed: The facilitator does not offer the scheme exact/),
    ]);
    await facilitator.close();
  });
});

describe('The doctor reports about the proof ledger', () => {
  const check = async (change: Readonly<Record<string, string>> = {}) =>
    of(await checkProofLedger(deployment({ DATABASE_FILE: newStore(), ...change })), 'proof-ledger');

  it('contract, roles and ether', async () => {
    expect(await check()).toEqual([
      expect.stringMatching(
        /^ok: The contract 0x\w{40} on chain 31740\. .*may record proofs .*has [\d.]+ ether\.$/,
      ),
    ]);
  });

  it.each([
    [
      'no contract',
      { PROOF_LEDGER_CONTRACT: `0x${'44'.repeat(20)}` },
      /^failed: There is no contract at .*PROOF_LEDGER_CONTRACT/,
    ],
    [
      'another chain',
      { PROOF_LEDGER_CHAIN_ID: '5' },
      /^failed: .*serves chain 31740, .*PROOF_LEDGER_CHAIN_ID/,
    ],
    [
      'a node that is down',
      { PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:1' },
      /^warning: .*ECONNREFUSED.*Proofs wait/,
    ],
  ])('%s', async (_name, change, sentence) => {
    expect(await check(change)).toEqual([expect.stringMatching(sentence)]);
  });

  it('an account without roles and ether', async () => {
    expect(await check({ PROOF_LEDGER_KEY: newKey() })).toEqual([
      expect.stringMatching(/^warning: .* lacks the role RELAYER: proofs are not recorded/),
      expect.stringMatching(/^warning: .* lacks the role REGISTRAR: /),
      expect.stringMatching(/^warning: .*has no ether on the proof ledger's chain/),
    ]);
  });
});
