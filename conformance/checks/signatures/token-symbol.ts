import { readSymbol } from '../../chain/symbol.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { offer } from '../../sources/sources.ts';
import { paidByThrowaway } from '../../sources/throwaway-source.ts';
import { type Judgement, notApplicable } from '../../types/verdict.ts';
import { judgeInvalid } from './signature.ts';

/**
 * Checks that the symbol of the token is not taken for its domain name (§4.4). Only a node of the chain has the
 * symbol. Both endpoints should verify signatures alike, so only chat is tested (D-250).
 */
export const tokenSymbolChecks = [
  check('signature.domain.name', 'A signature for the symbol of the token as `name` gets 401', judgeSymbol),
];

async function judgeSymbol(context: Context): Promise<Judgement> {
  const { chain } = context.nodes;
  if (!chain) return notApplicable('only a node of --chain-rpc has the symbol of the token');
  const made = await offer(context, 'chat');
  if (!made.ok) return made.verdict;
  const symbol = await readSymbol(chain, made.value.asset);
  // The other checks of the name need no node, so a fault of the node leaves nothing open.
  if (!symbol.ok) return notApplicable(symbol.verdict.reason);
  if (symbol.value === made.value.domainName) {
    return notApplicable(`the domain name of the token is its symbol, ${symbol.value}`);
  }
  const spoil = () => ({ twist: { name: symbol.value } });
  const answered = await paidByThrowaway(context, 'chat', spoil);
  return answered.ok ? judgeInvalid(context, 'chat', { spoil }, answered.value) : answered.verdict;
}
