import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { headerNames } from '@paid-inference/contract/constants';
import { UnavailableBody } from '@paid-inference/contract/validators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshRelayer } from '../bench/targets/gateway.ts';
import type { FundedPayer } from '../devnet/devnet.ts';
import { startLedgerNetwork } from '../devnet/ledger-network.ts';
import { createFaultStore, type FaultStore } from '../faults/store.ts';
import type { RunningGateway } from '../start/start.ts';
import { type CountingEngine, createCountingEngine } from '../testing/counting-engine.ts';
import { haproxyProgram, startHaproxy } from '../testing/deploy/haproxy.ts';
import { stopProxy } from '../testing/deploy/stop-proxy.ts';
import { findFreePort } from '../testing/free-port.ts';
import { chatBody, chatPath, decodeOffer, decodeProof, paymentFor, post } from '../testing/payer.ts';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';
import { openStartedGateways, type StartedGateways } from '../testing/started-gateways.ts';
import { shareTestServer, type TestServer } from '../testing/store/postgres-server.ts';
import { type AtomicAmount, atomicAmount } from '../types/units.ts';

// Two PostgreSQL stores with one recipient. HAProxy sends all payments of a payer to the same store.

type Shard = { readonly store: FaultStore; readonly gateway: RunningGateway };

const opened = new AsyncDisposableStack();
let fixture: StartedGateways;
let server: TestServer;
let engine: CountingEngine;
let shards: readonly Shard[];
let proxy: ChildProcess;
let url: string;

async function openShard(): Promise<Shard> {
  const ledger = await startLedgerNetwork({ history: 'pruned' });
  opened.defer(() => ledger.stop());
  const store = await createFaultStore('postgres', fixture.folder, async () => server);
  opened.defer(() => store.close());
  const change = {
    ...store.environment,
    DATABASE_FILE: '',
    RELAYER_KEY: (await freshRelayer(fixture.devnet)).privateKey,
    ...ledgerEnvironment(ledger.network),
    PUBLIC_BASE_URL: 'https://gateway.example',
    TRUSTED_PROXIES: '1',
  };
  const limits = { addressRateLimit: null, refusalRateLimit: null };
  const started = await fixture.start(change, engine, 10_000, limits);
  if (!started.ok) throw new Error(started.fault.join('\n'));
  opened.defer(() => started.value.stop());
  return { store, gateway: started.value };
}

let known: ReturnType<typeof decodeOffer> | null = null;
/** Offers are the same for all. */
async function offer() {
  known ??= decodeOffer(await post(`${url}${chatPath}`, chatBody));
  return known;
}

/** Buys through HAProxy. Each call is a purchase of its own. */
async function buy({ privateKey }: FundedPayer, change: (header: string) => Record<string, string>) {
  const paying = await paymentFor(await offer(), privateKey);
  const header = change(paying[headerNames.payment] ?? '');
  return post(`${url}${chatPath}`, chatBody, {
    ...header,
    [headerNames.idempotencyKey]: randomBytes(16).toString('hex'),
  });
}

const asPayment = (header: string) => ({ [headerNames.payment]: header });

/** The payers of a store, each once. */
async function payersOf({ store }: Shard): Promise<readonly string[]> {
  const rows = await store.query('SELECT DISTINCT payer FROM payment');
  return rows.map(({ payer }) => String(payer));
}

const fundPayers = (count: number, amount?: AtomicAmount) =>
  Promise.all(Array.from({ length: count }, () => fixture.devnet.fundPayer(amount)));

describe.runIf(haproxyProgram !== null)(
  'HAProxy with the example configuration, and two stores (D-388)',
  () => {
    beforeAll(async () => {
      engine = createCountingEngine();
      fixture = await openStartedGateways();
      opened.defer(() => fixture.close());
      server = await shareTestServer();
      opened.defer(() => server.remove());
      shards = [await openShard(), await openShard()];
      const [a, c] = shards.map(({ gateway }) => new URL(gateway.listensAt).host);
      const port = await findFreePort();
      url = `http://127.0.0.1:${port}`;
      proxy = await startHaproxy(fixture.folder, port, { 'gateway-a': a ?? '', 'gateway-c': c ?? '' });
      opened.defer(() => stopProxy(proxy));
    });
    afterAll(() => opened.disposeAsync());

    it('sends all payments of a payer to one store, in every form that clients send, and uses both stores', async () => {
      const forms: readonly ((header: string) => Record<string, string>)[] = [
        asPayment,
        (header) => asPayment(header.replace(/=+$/, '')),
        (header) => asPayment(header.replaceAll('+', '-').replaceAll('/', '_')),
        (header) => ({ [headerNames.paymentSignature]: header }),
        (header) => {
          const payment = JSON.parse(Buffer.from(header, 'base64').toString());
          payment.payload.authorization.from = payment.payload.authorization.from.toLowerCase();
          return asPayment(Buffer.from(JSON.stringify(payment)).toString('base64'));
        },
      ];
      const payers = await fundPayers(12);
      for (const payer of payers) for (const form of forms) expect((await buy(payer, form)).status).toBe(200);
      const [one = [], other = []] = await Promise.all(shards.map(payersOf));
      expect(one.filter((payer) => other.includes(payer))).toEqual([]);
      expect(one.length + other.length).toBe(payers.length);
      expect(Math.min(one.length, other.length)).toBeGreaterThan(0);
    });

    it('of twenty payments, a balance for five pays for five, and the model runs five times', async () => {
      const { maxAmountRequired } = await offer();
      const [payer] = await fundPayers(1, atomicAmount(5n * BigInt(maxAmountRequired)));
      if (payer === undefined) throw new Error('no payer');
      engine.runs = 0;
      const responses = await Promise.all(Array.from({ length: 20 }, () => buy(payer, asPayment)));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
      expect(engine.runs).toBe(5);
    });

    it('finds the proof of each completion, whichever store has it, and returns 404 for an unknown one', async () => {
      for (const payer of await fundPayers(6)) {
        const { proofId, signature } = decodeProof(await buy(payer, asPayment));
        for (let each = 0; each < 3; each++) {
          const found = await fetch(`${url}/v1/proofs/${proofId}`);
          expect([found.status, await found.json()]).toMatchObject([200, { signature }]);
        }
      }
      expect((await fetch(`${url}/v1/proofs/0x${'12'.repeat(32)}`)).status).toBe(404);
    });

    it('gives payers of a store without a gateway a 503, and sends them to no other store', async () => {
      const [kept, lost] = shards;
      if (kept === undefined || lost === undefined) throw new Error('there are no stores');
      const payers = await fundPayers(8);
      const before = await payersOf(kept);
      const headers = await Promise.all(
        payers.map(async ({ privateKey }) => paymentFor(await offer(), privateKey)),
      );
      await lost.gateway.stop();
      const responses = await Promise.all(
        headers.map((header) => post(`${url}${chatPath}`, chatBody, header)),
      );
      const refused = responses.filter(({ status }) => status !== 200);
      for (const { status, headers: found, body } of refused)
        expect([status, found.get('retry-after'), UnavailableBody(body)]).toEqual([503, '1', true]);
      expect(refused.length).toBeGreaterThan(0);
      const bought = (await payersOf(kept)).length - before.length;
      expect(bought).toBe(payers.length - refused.length);
    });
  },
);
