import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type AtomicAmount, atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { authorizationStateCalldata, balanceOfCalldata } from './calldata.ts';
import { gatherQuestions } from './gather.ts';
import { aggregateCalldata, type InnerResult, multicallAddress, parseAggregate } from './multicall.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { parseWord } from './word.ts';

/** The balance of a payer at one block, and whether one of the payer's authorizations is spent. */
type PayerState = {
  readonly block: number;
  readonly balance: AtomicAmount;
  readonly isSpent: boolean;
};

/** Reads the state of a payer and one authorization. */
export type ReadPayerState = (payer: Address, nonce: Bytes32) => Promise<Result<PayerState, RpcFault>>;

type Question = {
  readonly payer: Address;
  readonly nonce: Bytes32;
  readonly resolve: (state: Result<PayerState, RpcFault>) => void;
};

/** Questions of one call. More questions wait for the next call. */
const questionsMax = 200;
const getBlockNumber = '0x42cbb15c' as Hex;
/** A node with a higher block number is faulty. If it were believed, every correct reading would look old. */
const blockMax = 1n << 40n;

/**
 * Reads block number, balance and authorization in one call, so that all come from one block. Questions of the same turn
 * of the event loop, or of the time while all calls are busy, share a call: a hundred payers cost one round trip.
 */
export function createPayerStateReader(rpc: Rpc, asset: Address): ReadPayerState {
  const ask = gatherQuestions<Question>(
    (waiting) => waiting.slice(0, questionsMax),
    (questions) => readAll(rpc, asset, questions),
  );
  return (payer, nonce) => new Promise((resolve) => ask({ payer, nonce, resolve }));
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
  const response = await rpc.call<unknown>('eth_call', [call, 'latest']);
  const results = response.ok ? parseAggregate(response.value, calls.length) : null;
  const [first, ...rest] = results ?? [];
  const block = parseNumber(first);
  for (const [index, question] of questions.entries()) {
    const [balance, spent] = [parseNumber(rest[2 * index]), parseNumber(rest[2 * index + 1])];
    question.resolve(
      block === null || block > blockMax || balance === null || spent === null
        ? fail(response.ok ? garbage : response.fault)
        : ok({ block: Number(block), balance: atomicAmount(balance), isSpent: spent === 1n }),
    );
  }
}

const garbage: RpcFault = {
  kind: 'unavailable',
  message: 'the node returned no valid balance or authorization state of the payer',
};

function parseNumber(result: InnerResult | undefined): bigint | null {
  const word = result?.success ? parseWord(result.data) : null;
  return word === null ? null : BigInt(`0x${word}`);
}
