import { settlementFinder, timesMovedIn } from '../../chain/settlement.ts';
import { type Check, closingCheck } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import { isReported, unreported } from '../../sources/transcript-queries.ts';
import { andThen, found, given } from '../../types/found.ts';
import { type Broken, broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { type Served, servedAnswers } from '../responses/served.ts';
import { chainNode, claimOf, type Settled, type SettlementRule, settlementRules } from './settled.ts';

/** What the first paid answer of each endpoint is judged by on the test network, of every other one (D-129). */
export const everySettlementChecks: readonly Check[] = [
  closingCheck(
    'served.settled',
    'The payment of every paid answer has settled as its receipt says',
    (context) =>
      given(chainNode(context), (chain) =>
        // Paid already, unless a filter leaves nothing else.
        given(served(paidChat(context)), () => judgeAll(context, settlementFinder(chain, context))),
      ),
  ),
];

type Fault = { readonly one: Served; readonly rule: SettlementRule; readonly verdict: Broken };

/** One transaction may settle several payments, as long as it has each of them, and moves as much. */
async function judgeAll(context: Context, find: ReturnType<typeof settlementFinder>): Promise<Judgement> {
  const faults: Fault[] = [];
  const alike = createAlike();
  let seen = 0;
  for (const one of unreported(context, servedAnswers(context))) {
    const claimed = await claimOf(context, one.endpoint, one, one.authorization);
    // A receipt that names no transaction is judged for that elsewhere.
    if (!claimed.ok) continue;
    const settled = await andThen(find(claimed.value.txHash), (settlement) =>
      found({ ...claimed.value, settlement }),
    );
    // A node that has nothing to say of one has nothing to say of the rest.
    if (!settled.ok) return faultOf(context, faults) ?? settled.verdict;
    seen += 1;
    const own = faultsOf(context, one, settled.value);
    faults.push(...(own.length > 0 ? own : alike.faultsOf(context, one, settled.value)));
  }
  return (
    faultOf(context, faults) ??
    (seen > 0 ? holds(`${seen} answers`) : unknown('no receipt names a transaction'))
  );
}

/**
 * Payments of one value look alike in a transaction: it has to move the value once for each of them that it is said to settle.
 * Each nonce counts once, however it is written.
 */
function createAlike() {
  const noncesOf = new Map<string, Set<string>>();
  return {
    faultsOf(context: Context, one: Served, settled: Settled): readonly Fault[] {
      const { settlement, asset, authorization, txHash } = settled;
      const rule = settlementRules.find(({ requirement }) => requirement === 'chain.transfer');
      if (settlement === 'unheard-of' || !rule || isReported(context, rule.requirement)) return [];
      const { from, to, value, nonce } = authorization;
      const key = [txHash, asset, from, to, value].join(' ').toLowerCase();
      const nonces = (noncesOf.get(key) ?? new Set()).add(nonce.toLowerCase());
      noncesOf.set(key, nonces);
      const times = timesMovedIn(settlement.logs, asset, authorization);
      if (times >= nonces.size) return [];
      const expected = `a Transfer by ${asset} of ${value} from ${from} to ${to} for each of ${nonces.size} payments`;
      return [{ one, rule, verdict: broken(expected, `${times} in ${txHash}`) }];
    },
  };
}

/** A rule that was found broken already is not looked at again: what it says is said. */
function faultsOf(context: Context, one: Served, settled: Settled): readonly Fault[] {
  return settlementRules.flatMap((rule) => {
    const verdict = rule.judge(settled);
    return verdict.kind === 'broken' && !isReported(context, rule.requirement)
      ? [{ one, rule, verdict }]
      : [];
  });
}

function faultOf(context: Context, faults: readonly Fault[]): Broken | undefined {
  context.cite(faults.map(({ one }) => one));
  const [first] = faults;
  if (!first) return undefined;
  const { one, rule, verdict } = first;
  return broken(verdict.expected, `${verdict.actual} (answer ${one.number}, as ${rule.requirement})`);
}
