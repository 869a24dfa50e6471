import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type AtomicAmount, atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { authorizationStateCalldata, balanceOfCalldata } from './calldata.ts';
import { aggregateCalldata, type InnerResult, multicallAddress, parseAggregate } from './multicall.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { parseWord } from './word.ts';

/** What the chain says of a payer at one block, and whether one of its authorizations is spent. */
type PayerState = {
  readonly block: number;
  readonly balance: AtomicAmount;
  readonly isSpent: boolean;
};

/** Asks about one authorization of a payer. */
export type ReadPayerState = (payer: Address, nonce: Bytes32) => Promise<Result<PayerState, RpcFault>>;

type Question = {
  readonly payer: Address;
  readonly nonce: Bytes32;
  readonly answer: (state: Result<PayerState, RpcFault>) => void;
};

/** Questions in one call; more wait for the next. */
const questionsMax = 200;
const getBlockNumber = '0x42cbb15c' as Hex;
/** A block number past this is a node's mistake; believed, it would make every true reading look old. */
const blockMax = 1n << 40n;

/**
 * Reads block number, balance and authorization in one call, so that they are of one block, and gathers what is asked in
 * the same turn of the event loop into it: a hundred payers cost one round trip.
 */
export function createPayerStateReader(rpc: Rpc, asset: Address): ReadPayerState {
  let waiting: Question[] = [];

  return (payer, nonce) =>
    new Promise((answer) => {
      waiting.push({ payer, nonce, answer });
      if (waiting.length === 1) setImmediate(ask);
    });

  function ask(): void {
    const questions = waiting.slice(0, questionsMax);
    waiting = waiting.slice(questionsMax);
    if (waiting.length > 0) setImmediate(ask);
    void readAll(rpc, asset, questions);
  }
}

async function readAll(rpc: Rpc, asset: Address, questions: readonly Question[]): Promise<void> {
  const calls = [
    { to: multicallAddress, data: getBlockNumber },
    ...questions.flatMap(({ payer, nonce }) => [
      { to: asset, data: balanceOfCalldata(payer) },
      { to: asset, data: authorizationStateCalldata(payer, nonce) },
    ]),
  ];
  const call = { to: multicallAddress, data: aggregateCalldata(calls) };
  const answer = await rpc.call<unknown>('eth_call', [call, 'latest']);
  const results = answer.ok ? parseAggregate(answer.value, calls.length) : null;
  const [first, ...rest] = results ?? [];
  const block = numberOf(first);
  for (const [index, question] of questions.entries()) {
    const [balance, spent] = [numberOf(rest[2 * index]), numberOf(rest[2 * index + 1])];
    question.answer(
      block === null || block > blockMax || balance === null || spent === null
        ? fail(answer.ok ? garbage : answer.fault)
        : ok({ block: Number(block), balance: atomicAmount(balance), isSpent: spent === 1n }),
    );
  }
}

const garbage: RpcFault = {
  kind: 'unavailable',
  message: 'the node does not answer for the payer as the token would',
};

function numberOf(result: InnerResult | undefined): bigint | null {
  const word = result?.success ? parseWord(result.data) : null;
  return word === null ? null : BigInt(`0x${word}`);
}
