import { readFileSync } from 'node:fs';
import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { perRequestExample } from '../cli/help.ts';
import { createPlan, renderPlan } from '../cli/plan.ts';
import { profilesOfAll } from '../engine/scope.ts';
import { judge } from '../suite/judge.ts';
import { type Asked, otherAsset, startGreedyTarget, type Trick } from '../testing/greedy-target.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { type Caps, paymentsMaxDefault } from './spending.ts';

const payer = Wallet.createRandom();
const caps: Caps = { perRequestUnits: 2_000n, totalUnits: 12_500n };

/** Runs everything against a target, and compares its gain with the worst case of a dry run. */
async function tried(trick: Trick, change: Partial<Caps> = {}, timeoutMs = 1_000) {
  await using target = await startGreedyTarget(payer.address, trick);
  const configuration = {
    targetUrl: target.url,
    profiles: profilesOfAll,
    filter: undefined,
    timeoutMs,
  };
  const funded = { privateKey: payer.privateKey, caps: { ...caps, ...change } };
  const plan = createPlan({ ...configuration, funded: { ...funded, journalFile: 'spend.jsonl' } });
  const journal = memoryJournal();
  const judged = await judge({
    ...configuration,
    sleep: async () => undefined,
    funded: { ...funded, journal },
  });
  if (!judged.ok) throw new Error(judged.usage);
  const takenUnits = [...target.taken.values()].reduce((sum, value) => sum + value, 0n);
  const { spent } = judged.report;

  const printed = renderPlan(plan);
  const [, printedRequests] = /at most (\d+) requests/.exec(printed) ?? [];
  const [, printedPayments, printedUnits] =
    /Would sign at most (\d+) payments?, for at most (\d+) /.exec(printed) ?? [];
  expect(target.requests()).toBeLessThanOrEqual(Number(printedRequests));
  expect(target.taken.size).toBeLessThanOrEqual(Number(printedPayments));
  expect(takenUnits).toBeLessThanOrEqual(BigInt(printedUnits ?? -1));
  // The report may contain more payments than arrived, but never fewer; the journal has every nonce.
  expect(takenUnits).toBeLessThanOrEqual(BigInt(spent.signedUnits));
  expect(target.taken.size).toBeLessThanOrEqual(spent.payments);
  const written = new Set(journal.rows.map(({ nonce }) => nonce));
  expect([...target.taken.keys()].filter((nonce) => !written.has(nonce))).toEqual([]);
  return { taken: target.taken.size, takenUnits, spent };
}

function paymentRequired({ response, offer }: Asked, change: Parameters<Asked['offer']>[0] = {}): void {
  response.writeHead(402, { 'X-PAYMENT-REQUIRED': offer(change) }).end('{}');
}

function serve({ response, url }: Asked, headers: Record<string, string> = {}): void {
  const choice = url.endsWith('/chat/completions')
    ? { index: 0, message: { role: 'assistant', content: 'no' }, finish_reason: 'stop' }
    : { index: 0, text: 'no', finish_reason: 'stop' };
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify({ id: '1', object: 'x', created: 1, model: 'x', choices: [choice] }));
}

function respond({ response }: Asked, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end('{}');
}

/** Returns an offer, and applies the trick to the payment. */
const oncePaid =
  (paid: Trick): Trick =>
  (asked) =>
    asked.isPaid ? paid(asked) : paymentRequired(asked);

const neverResponds: Trick = () => undefined;

const afterPayment: Readonly<Record<string, Trick>> = {
  'serves without a receipt, and calls no tool': serve,
  'asks for payment again': paymentRequired,
  'asks for twice as much once it is paid': (asked) => paymentRequired(asked, { maxAmountRequired: '2000' }),
  'does not respond': neverResponds,
  'breaks off': ({ response }) => void response.destroy(),
  'answers 500': (asked) => respond(asked, 500),
  'answers 503 with Retry-After': (asked) => respond(asked, 503, { 'Retry-After': '0' }),
  'answers 429 with Retry-After': (asked) => respond(asked, 429, { 'Retry-After': '0' }),
  'redirects the payment to another path': (asked) => respond(asked, 307, { Location: '/v1/completions' }),
  'redirects the payment to itself': (asked) => respond(asked, 308, { Location: asked.url }),
  'reports insufficient funds': ({ response }) =>
    void response
      .writeHead(402)
      .end(JSON.stringify({ error: { message: '', type: 'payment_error', code: 'insufficient_funds' } })),
};

const offers: Readonly<Record<string, Trick>> = {
  'doubles at each 402': (asked) =>
    paymentRequired(asked, { maxAmountRequired: (1n << BigInt(asked.at)).toString() }),
  'is exactly at the cap': (asked) => paymentRequired(asked, { maxAmountRequired: '2000' }),
  'names another recipient each time': (asked) =>
    paymentRequired(asked, { payTo: `0x${asked.at.toString(16).padStart(40, '0')}` }),
  'names another token every second time': (asked) =>
    paymentRequired(asked, asked.at % 2 ? { asset: otherAsset } : {}),
  'lasts ten thousand years': (asked) => paymentRequired(asked, { maxTimeoutSeconds: 315_360_000_000 }),
  'costs nothing': (asked) => paymentRequired(asked, { maxAmountRequired: '0' }),
  'alternates with completions': (asked) => (asked.at % 2 ? serve(asked) : paymentRequired(asked)),
};

const nothingToTake: Readonly<Record<string, Trick>> = {
  'a unit above the cap': (asked) => paymentRequired(asked, { maxAmountRequired: '2001' }),
  'for another host': (asked) => paymentRequired(asked, { resource: 'http://127.0.0.1:1/v1/completions' }),
  'for another chain': (asked) => paymentRequired(asked, { network: 'eip155:8453' }),
  'in a redirect': (asked) =>
    respond(asked, 307, { Location: asked.url, 'X-PAYMENT-REQUIRED': asked.offer() }),
  'in a 500': (asked) => respond(asked, 500, { 'X-PAYMENT-REQUIRED': asked.offer() }),
};

it.each(['../../README.md', '../README.md'])(
  '%s has caps that suffice for every payment of a run',
  (file) => {
    const readme = readFileSync(new URL(file, import.meta.url), 'utf8');
    const total = perRequestExample * paymentsMaxDefault;
    expect(readme).toContain(`--max-per-request ${perRequestExample} --max-total ${total} `);
  },
);

it('has the payment limit of the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`\`--max-payments\` defaults to ${paymentsMaxDefault} |`);
});

describe('a target that was paid', () => {
  const runs = new Map<Trick, ReturnType<typeof tried>>();

  /** Tests of one trick share its run, because each request without a response takes a second. */
  function triedOncePaid(paid: Trick) {
    const run = runs.get(paid) ?? tried(oncePaid(paid));
    runs.set(paid, run);
    return run;
  }

  it.each(Object.entries(afterPayment))(
    'and %s gets no more than the printed worst case',
    async (_, paid) => {
      const { taken, spent } = await triedOncePaid(paid);
      expect(taken).toBeGreaterThan(0);
      expect(taken).toBe(spent.payments);
    },
  );

  it('and never responds leads to a report with every nonce', async () => {
    const { taken, spent } = await triedOncePaid(neverResponds);
    expect(spent.unresolved).toHaveLength(taken);
    expect(spent.settledUnits).toBe('0');
  });
});

describe('a target whose offer', () => {
  it.each(Object.entries(offers))('%s gets no more than the printed worst case', async (_, trick) => {
    await tried(trick);
  });

  it.each(Object.entries(nothingToTake))('is %s gets nothing', async (_, trick) => {
    expect(await tried(trick)).toMatchObject({ taken: 0, takenUnits: 0n, spent: { payments: 0 } });
  });
});

describe('a target that takes every payment', () => {
  it('gets exactly the printed worst case', async () => {
    const greedy: Trick = (asked) =>
      asked.isPaid ? serve(asked) : paymentRequired(asked, { maxAmountRequired: '2000' });
    expect(await tried(greedy, { totalUnits: 6_000n })).toMatchObject({ taken: 3, takenUnits: 6_000n });
    // One payment of a run is one unit less than the offer, so it fits where the others do not.
    expect(await tried(greedy, { totalUnits: 5_999n })).toMatchObject({ taken: 3, takenUnits: 5_999n });
    expect(await tried(greedy, { totalUnits: 5_998n })).toMatchObject({ taken: 2, takenUnits: 4_000n });
    expect(await tried(greedy, { payments: 1 })).toMatchObject({ taken: 1, takenUnits: 2_000n });
    expect(await tried(greedy, { payments: 0 })).toMatchObject({ taken: 0, takenUnits: 0n });
  });
});

describe('a target with random behaviour', () => {
  const tricks = [...Object.values(afterPayment), ...Object.values(offers), ...Object.values(nothingToTake)];

  // Most of their time is waiting for responses that do not come.
  it.concurrent.each([1, 2, 3, 4, 5, 6])(
    'gets no more than the printed worst case (seed %i)',
    async (seed) => {
      let state = seed;
      const random: Trick = (asked) => {
        // A linear congruential generator suffices, and is reproducible.
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        const isPlain = !asked.isPaid && state % 3 > 0;
        const trick = isPlain ? paymentRequired : (tricks[state % tricks.length] ?? paymentRequired);
        trick(asked);
      };
      // Many requests get no response. A late response changes only how much is gained, never the worst case.
      await tried(random, {}, 200);
    },
  );
});
