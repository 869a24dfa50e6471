import { setTimeout as after } from 'node:timers/promises';
import {
  type FacilitatorConduct,
  startTestFacilitator,
  type TestFacilitator,
} from '../testing/facilitator/fake-facilitator.ts';
import { readStatus, type Seen } from './buyers.ts';
import { checkNoSecondOffer } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { emptyWallet } from './third-party-sender.ts';
import type { UpstreamConduct } from './upstream.ts';

const group = 'The facilitator';
const crowd = 8;
const badCalls = 6;
/** Short timeouts, so that the gateway soon retries a facilitator that hangs. */
const settings = {
  facilitator: { verifyTimeoutMs: 1_000, settleTimeoutMs: 1_000, retryMs: 200, attemptsMax: 20 },
};

/** The facilitator has fewer slots than the crowd has payments. */
const oneFailsSettings = { verifyTimeoutMs: 1_000, settleTimeoutMs: 3_000, retryMs: 500, settlementsMax: 4 };

const conducts: readonly (readonly [FacilitatorConduct, string, string?])[] = [
  ['refuses', 'returns `success: false` and settles nothing'],
  [
    'settles-and-denies',
    'settles, but returns `success: false`',
    'finds a settlement that the facilitator denies on the chain, and charges once (D-56)',
  ],
  ['hangs', 'hangs'],
  ['settles-and-hangs', 'settles, but hangs'],
  ['lies', 'returns `success: true` with an unknown transaction'],
  ['fails', 'returns 500'],
  ['babbles', 'returns an HTML page'],
];

export const facilitators: readonly Scenario[] = [
  ...conducts.map(
    ([conduct, words, fast]): Scenario => ({
      group,
      name: `${words}, ${badCalls} times`,
      store: 'sqlite',
      ...(fast !== undefined && { fast }),
      run: (context) =>
        withFacilitator(context, async (facilitator) => {
          let bad = 0;
          facilitator.conduct = (path) => (path === 'settle' && bad++ < badCalls ? conduct : 'sound');
          await startWith(context, facilitator);
          await buy(context);
          context.check(bad > badCalls, 'the gateway did not call the facilitator again');
        }),
    }),
  ),
  oneFails('fails', 'returns 500', 'serves other payers while the facilitator fails for one payer (D-164)'),
  oneFails('hangs', 'hangs'),
  oneFails('refuses', 'returns `success: false`'),
  {
    group,
    name: 'fails to settle for all payers, and recovers',
    store: 'sqlite',
    run: (context) =>
      withFacilitator(context, async (facilitator) => {
        const gateway = await startWith(context, facilitator);
        facilitator.conduct = (path) => (path === 'settle' ? 'fails' : 'sound');
        for (let each = 0; each < 4; each++) {
          const payer = await context.chain.devnet.fundPayer();
          void context.buyers.send(gateway.chat, await context.buyers.sign({ payer }));
        }
        const isReady = async () => (await fetch(new URL('/ready', gateway.url))).status === 200;
        await context.until(
          async () => !(await isReady()),
          'the gateway is ready, although it settles nothing',
          10_000,
        );
        const seen: Seen[] = [];
        const inferences = context.upstream.inferences.length;
        for (const payment of await context.buyers.signMany(crowd))
          seen.push(await context.buyers.send(gateway.chat, payment));
        const sentAway = seen.filter((each) => each.kind === 'response' && each.code === 'unavailable');
        context.check(sentAway.length >= crowd - 1, `${crowd - sentAway.length} new payments were accepted`);
        context.check(
          context.upstream.inferences.length <= inferences + 1,
          'the model ran for refused payments',
        );
        facilitator.conduct = () => 'sound';
        await context.until(isReady, 'the gateway does not become ready again');
        await context.checkAllServed();
        checkNoSecondOffer(context);
      }),
  },
  {
    group,
    name: 'hangs, and the gateway is killed; both return',
    store: 'postgres',
    run: (context) =>
      withFacilitator(context, async (facilitator) => {
        facilitator.conduct = (path) => (path === 'settle' ? 'hangs' : 'sound');
        const gateway = await startWith(context, facilitator);
        const payments = await context.buyers.signMany(crowd);
        const sent = payments.map((payment) => context.buyers.send(gateway.chat, payment));
        await context.until(
          () => facilitator.asked.some(({ path }) => path === 'settle'),
          'the gateway did not call the facilitator',
          10_000,
        );
        await gateway.kill();
        await Promise.all(sent);
        await after(500);
        facilitator.conduct = () => 'sound';
        await startWith(context, facilitator);
        await context.checkAllServed();
        checkNoSecondOffer(context);
      }),
  },
  {
    group,
    name: 'settles, but hangs; the gateway is killed, and the operator sets a relayer key instead',
    store: 'sqlite',
    fast: 'delivers what a facilitator charged after the operator left it (D-138)',
    run: (context) =>
      withFacilitator(context, async (facilitator) => {
        facilitator.conduct = (path) => (path === 'settle' ? 'settles-and-hangs' : 'sound');
        const gateway = await startWith(context, facilitator);
        const payments = await context.buyers.signMany(crowd);
        const sent = payments.map((payment) => context.buyers.send(gateway.chat, payment));
        await context.until(
          () => facilitator.sent.length === crowd,
          'the facilitator did not settle the payments',
          10_000,
        );
        await gateway.kill();
        await Promise.all(sent);
        await context.start();
        await context.checkAllServed();
        checkNoSecondOffer(context);
      }),
  },
  {
    group,
    name: 'rejects a payment in its check before inference',
    store: 'sqlite',
    run: (context) =>
      withFacilitator(context, async (facilitator) => {
        facilitator.conduct = (path) => (path === 'verify' ? 'refuses' : 'sound');
        const gateway = await startWith(context, facilitator);
        const seen = await context.buyers.send(gateway.chat, await context.buyers.sign());
        context.check(seen.kind === 'response' && seen.status === 402, 'a refused payment did not get a 402');
        context.check(context.upstream.inferences.length === 0, 'the model ran for the refused payment');
      }),
  },
  {
    group,
    name: 'settles for a payer who empties the wallet during inference',
    store: 'sqlite',
    run: (context) =>
      withFacilitator(context, async (facilitator) => {
        const gateway = await startWith(context, facilitator);
        context.upstream.conduct = async (): Promise<UpstreamConduct> => {
          await emptyWallet(context.chain, context.chain.devnet.payer);
          return 'responds';
        };
        const payment = await context.buyers.sign();
        const seen = await context.buyers.payUntilAnswered(() => gateway.chat, payment, 20_000);
        const isSaid = seen?.kind === 'response' && seen.status === 402;
        context.check(isSaid, 'a payer without funds did not get a 402');
      }),
  },
];

/** The payments of one payer fill every slot and fail, while other payers are served. */
function oneFails(conduct: FacilitatorConduct, words: string, fast?: string): Scenario {
  return {
    group,
    name: `${words} for one payer with more payments than slots`,
    store: 'sqlite',
    ...(fast !== undefined && { fast }),
    run: (context) =>
      withFacilitator(context, async (facilitator) => {
        const bad = await context.chain.devnet.fundPayer();
        const isBad = (from?: string) => from?.toLowerCase() === bad.address.toLowerCase();
        const gateway = await context.start({
          settings: { ...settings, facilitator: oneFailsSettings },
          environment: { FACILITATOR_URL: facilitator.url, RELAYER_KEY: '' },
        });
        facilitator.conduct = (path, call) =>
          path === 'settle' && isBad(call?.authorization.from) ? conduct : 'sound';
        const failing = await context.buyers.signMany(crowd, { payer: bad });
        const sent = failing.map((payment) => context.buyers.send(gateway.chat, payment));
        const settles = () => facilitator.asked.filter(({ path }) => path === 'settle').length;
        await context.until(() => settles() > 0, 'the gateway did not call the facilitator', 10_000);
        for (const payment of await context.buyers.signMany(3)) {
          const seen = await context.buyers.send(gateway.chat, payment);
          context.check(
            readStatus(seen) === 200,
            'another payer had to wait for the payer with failing payments',
          );
        }
        const ready = await fetch(new URL('/ready', gateway.url));
        context.check(ready.status === 200, 'one payer made the gateway not ready');
        facilitator.conduct = () => 'sound';
        await Promise.all(sent);
        await context.checkAllServed();
        checkNoSecondOffer(context);
      }),
  };
}

/** All buyers buy, retry as the contract says, and are served. */
async function buy(context: ScenarioContext): Promise<void> {
  const payments = await context.buyers.signMany(crowd);
  await Promise.all(
    payments.map((payment) => context.buyers.payUntilAnswered(context.anyUrl, payment, 30_000)),
  );
  await context.checkAllServed();
  checkNoSecondOffer(context);
  context.check(context.upstream.inferences.length === crowd, 'the model ran more than once for a payment');
}

async function withFacilitator(
  context: ScenarioContext,
  use: (facilitator: TestFacilitator) => Promise<void>,
): Promise<void> {
  const facilitator = await startTestFacilitator(context.chain.devnet);
  try {
    await use(facilitator);
  } finally {
    await facilitator.close();
  }
}

/** Starts a gateway without a relayer key. */
function startWith(context: ScenarioContext, { url }: TestFacilitator) {
  return context.start({ settings, environment: { FACILITATOR_URL: url, RELAYER_KEY: '' } });
}
