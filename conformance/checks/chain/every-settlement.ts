import { settlementFinder, timesMovedIn } from '../../chain/settlement.ts';
import { type Check, closingCheck } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import { isReported, unreported } from '../../sources/transcript-queries.ts';
import { type Broken, broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { type Served, servedResponses } from '../responses/served.ts';
import { chainNode, readClaim, type Settled, type SettlementRule, settlementRules } from './settled.ts';

/** Judges all other paid responses by the rules for the first one of each endpoint (D-129). */
export const everySettlementChecks: readonly Check[] = [
  closingCheck(
    'served.settled',
    'The payment of every paid response settled as its receipt says',
    async (context) => {
      const chain = await chainNode(context);
      if (!chain.ok) return chain.verdict;
      // Usually paid before, unless a filter selects only this check.
      const paid = await served(paidChat(context));
      if (!paid.ok) return paid.verdict;
      return judgeAll(context, settlementFinder(chain.value, context));
    },
  ),
];

type Fault = { readonly one: Served; readonly rule: SettlementRule; readonly verdict: Broken };

/** One transaction may settle several payments if it contains and moves each of them. */
async function judgeAll(context: Context, find: ReturnType<typeof settlementFinder>): Promise<Judgement> {
  const faults: Fault[] = [];
  const alike = createAlike();
  let seen = 0;
  for (const one of unreported(context, servedResponses(context))) {
    const claimed = await readClaim(context, one.endpoint, one, one.authorization);
    // Other checks judge receipts without a transaction.
    if (!claimed.ok) continue;
    const settlement = await find(claimed.value.txHash);
    // If the node fails for one transaction, it fails for the rest.
    if (!settlement.ok) return reportFirst(context, faults) ?? settlement.verdict;
    seen += 1;
    const settled = { ...claimed.value, settlement: settlement.value };
    const own = findFaults(context, one, settled);
    faults.push(...(own.length > 0 ? own : alike.findFaults(context, one, settled)));
  }
  const fault = reportFirst(context, faults);
  if (fault) return fault;
  return seen > 0 ? holds(`${seen} responses`) : unknown('no receipt has a valid txHash');
}

/**
 * Finds payments of equal value that share a transaction, which must move the value once for each payment. Each
 * nonce counts once, in any letter case.
 */
function createAlike() {
  const noncesByKey = new Map<string, Set<string>>();
  return {
    findFaults(context: Context, one: Served, settled: Settled): readonly Fault[] {
      const { settlement, asset, authorization, txHash } = settled;
      const rule = settlementRules.find(({ requirement }) => requirement === 'chain.transfer');
      if (settlement === 'unheard-of' || !rule || isReported(context, rule.requirement)) return [];
      const { from, to, value, nonce } = authorization;
      const key = [txHash, asset, from, to, value].join(' ').toLowerCase();
      const nonces = (noncesByKey.get(key) ?? new Set()).add(nonce.toLowerCase());
      noncesByKey.set(key, nonces);
      const times = timesMovedIn(settlement.logs, asset, authorization);
      if (times >= nonces.size) return [];
      const expected = `an event Transfer of ${asset} with ${value} from ${from} to ${to} for each of ${nonces.size} payments`;
      return [{ one, rule, verdict: broken(expected, `${times} such events in ${txHash}`) }];
    },
  };
}

/** Leaves out rules that were already reported as broken. */
function findFaults(context: Context, one: Served, settled: Settled): readonly Fault[] {
  return settlementRules.flatMap((rule) => {
    const verdict = rule.judge(settled);
    if (verdict.kind !== 'broken' || isReported(context, rule.requirement)) return [];
    return [{ one, rule, verdict }];
  });
}

function reportFirst(context: Context, faults: readonly Fault[]): Broken | undefined {
  context.cite(faults.map(({ one }) => one));
  const [first] = faults;
  if (!first) return undefined;
  const { one, rule, verdict } = first;
  return broken(
    verdict.expected,
    `${verdict.actual} (request ${one.number}, by the rule of ${rule.requirement})`,
  );
}
