import { setTimeout as after } from 'node:timers/promises';
import { boughtBy, isFinal, type Payment } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { beforeOwed, besideThis, hasVersion, unknownToOlder, withOlderVersion } from './older-version.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const group = 'Upgrades';
/** Buyers that pay one purchase after the other. */
const buyersAtOnce = 4;
/** Purchases that must end between two steps of an upgrade. */
const purchasesBetween = 10;
/** The most purchases of a scenario. */
const purchasesMax = 2_000;
const pauseMs = 150;
/** How long a load balancer lets requests arrive that it sent before. */
const drainMs = 50;
const withinMs = 30_000;

const all: readonly Scenario[] = [
  {
    group,
    name: `two gateways of store version ${besideThis.stores.postgres} are replaced by this version under load, by SIGTERM`,
    store: 'postgres',
    fast: 'sells on while gateways of an older version are replaced one by one, and refuses no buyer (D-380)',
    run: (context) => withOlderVersion(besideThis, (program) => replaceOneByOne(context, program, 'SIGTERM')),
  },
  {
    group,
    name: `two gateways of store version ${besideThis.stores.postgres} are replaced by this version under load, by SIGKILL`,
    store: 'postgres',
    run: (context) => withOlderVersion(besideThis, (program) => replaceOneByOne(context, program, 'SIGKILL')),
  },
  {
    group,
    name: `a gateway of store version ${beforeOwed.stores.sqlite} ends under load, and this version opens its store`,
    store: 'sqlite',
    fast: 'opens the store of an older version with its open payments, and the older one does not open it again (D-380)',
    run: (context) => withOlderVersion(beforeOwed, (program) => replaceAlone(context, program)),
  },
];

/** The versions that this clone does not have. Their scenarios do not run. */
const missing = [besideThis, beforeOwed].filter((version) => !hasVersion(version));
if (missing.length > 0)
  console.warn(
    `The upgrades from older versions are not tested: this clone lacks the commits ${missing.map(({ commit }) => commit).join(' and ')}. Fetch the whole history.`,
  );

export const upgrades: readonly Scenario[] = missing.length > 0 ? [] : all;

/** The buyers of a scenario, and the gateways that a load balancer sends them to. */
type Market = {
  readonly rotation: Set<GatewayProcess>;
  /** Waits until buyers have got completions, from this gateway alone if one is given. */
  sold(by?: GatewayProcess): Promise<void>;
  /** Ends the load after the purchases under way. */
  end(): Promise<void>;
};

/** Lets buyers pay without a pause. Every third purchase is streamed. */
function openMarket(context: ScenarioContext): Market {
  const rotation = new Set<GatewayProcess>();
  const sales = new Map<GatewayProcess, number>();
  let total = 0;
  let isOver = false;
  const next = (place: number): GatewayProcess | undefined => [...rotation][place % rotation.size];
  const buy = async (payment: Payment, place: number) => {
    let gateway: GatewayProcess | undefined;
    await context.buyers.payUntilAnswered(
      () => {
        gateway = next(place);
        return gateway?.chat ?? context.anyUrl();
      },
      payment,
      withinMs,
    );
    total++;
    if (gateway !== undefined) sales.set(gateway, (sales.get(gateway) ?? 0) + 1);
  };
  const loop = async (place: number) => {
    for (let each = place; !isOver && each < purchasesMax; each += buyersAtOnce) {
      await buy(await context.buyers.sign({ isStreamed: Math.floor(each / buyersAtOnce) % 3 === 0 }), each);
      await after(pauseMs);
    }
  };
  const loops: Promise<void>[] = [];
  return {
    rotation,
    async sold(by) {
      if (loops.length === 0) for (let place = 0; place < buyersAtOnce; place++) loops.push(loop(place));
      const count = () => (by === undefined ? total : (sales.get(by) ?? 0));
      const goal = count() + purchasesBetween;
      await context.until(() => count() >= goal, 'the gateways did not sell on', withinMs);
    },
    async end() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

function startOlder(context: ScenarioContext, program: string): Promise<GatewayProcess> {
  return context.start({ program, settings: unknownToOlder });
}

/** A rolling upgrade: old and new gateways work on one store, and buyers pay the whole time. */
async function replaceOneByOne(
  context: ScenarioContext,
  program: string,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  const older = await Promise.all([startOlder(context, program), startOlder(context, program)]);
  const market = openMarket(context);
  for (const gateway of older) market.rotation.add(gateway);
  await market.sold();
  await checkVersion(context, besideThis.stores.postgres);
  for (const gateway of older) {
    const newer = await context.start();
    market.rotation.add(newer);
    // The store is migrated now, and the older gateway sells on it.
    await Promise.all([market.sold(gateway), market.sold(newer)]);
    if (signal === 'SIGTERM') {
      market.rotation.delete(gateway);
      await after(drainMs);
    }
    await gateway.kill(signal);
    market.rotation.delete(gateway);
    const { code } = await gateway.gone;
    context.check(signal === 'SIGKILL' || code === 0, `an older gateway ended with ${code} after SIGTERM`);
  }
  await market.sold();
  await market.end();
  if (signal === 'SIGTERM') checkResponses(context);
  await context.checkAllServed();
  context.note(`${context.buyers.payments.length} purchases during the upgrade`);
}

/** An embedded store has one gateway, so the older one ends first. */
async function replaceAlone(context: ScenarioContext, program: string): Promise<void> {
  const older = await startOlder(context, program);
  const market = openMarket(context);
  market.rotation.add(older);
  await market.sold();
  await checkVersion(context, beforeOwed.stores.sqlite);
  await older.kill('SIGTERM');
  const newer = await context.start();
  market.rotation.add(newer);
  market.rotation.delete(older);
  await market.sold();
  await market.end();
  await newer.kill('SIGTERM');
  const refused = await startOlder(context, program).then(
    () => 'it started',
    (cause: unknown) => String(cause),
  );
  const sentence = `this program supports versions up to ${beforeOwed.stores.sqlite}. Start the newer version again`;
  context.check(refused.includes(sentence), `the older version did not refuse the newer store: ${refused}`);
  await context.start();
  await replayAll(context);
  await context.checkAllServed();
}

/** The older version must be older, or the scenario shows no upgrade. */
async function checkVersion({ store, check }: ScenarioContext, version: number): Promise<void> {
  const [row] = await store.query('SELECT max(version) AS version FROM store_version');
  check(
    Number(row?.['version']) === version,
    `the older version made a store of version ${row?.['version']}`,
  );
}

/** Only 503 may stand before a completion. A client repeats it with the same payment. */
function checkResponses({ buyers, check }: ScenarioContext): void {
  const seen = buyers.payments.flatMap((payment) => payment.seen);
  const others = seen.filter((each) => each.kind === 'lost' || ![200, 503].includes(each.status));
  check(
    others.length === 0,
    `${others.length} responses were neither 200 nor 503: ${JSON.stringify(others[0])}`,
  );
}

/** Buys every completion again with its payment, and compares it with the one from the older version. */
async function replayAll({ buyers, anyUrl, check }: ScenarioContext): Promise<void> {
  const paid = buyers.payments.filter((payment) => isFinal(payment.seen.at(-1)));
  for (const payment of paid) {
    const again = await buyers.send(anyUrl(), payment);
    const isSame = again.kind === 'response' && again.body === boughtBy(payment)?.body;
    check(isSame, `${payment.prompt} was not replayed after the upgrade`);
  }
}
