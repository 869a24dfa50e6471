import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Hex } from '../types/units.ts';
import { gatherQuestions } from './gather.ts';
import { aggregateCalldata, type InnerResult, multicallAddress, parseAggregate } from './multicall.ts';
import type { Rpc, RpcFault } from './rpc.ts';

type Question = {
  readonly data: Hex;
  readonly resolve: (result: Result<unknown, RpcFault> | Promise<Result<unknown, RpcFault>>) => void;
};

/** Questions of one call. More questions wait for the next call. */
const questionsMax = 200;

/**
 * Returns a function that reads a contract at the newest block through Multicall3. Questions of the same turn of the event
 * loop, or of the time while all calls are busy, share a call. A node that refuses the shared call, or returns no result of
 * it, is asked each question by itself.
 */
export function createGatheredCall(
  rpc: Rpc,
  contract: Address,
): (data: Hex) => Promise<Result<unknown, RpcFault>> {
  const ask = gatherQuestions<Question>(
    (waiting) => waiting.slice(0, questionsMax),
    (questions) => readAll(rpc, contract, questions),
  );
  return (data) => new Promise((resolve) => ask({ data, resolve }));
}

async function readAll(rpc: Rpc, to: Address, questions: readonly Question[]): Promise<void> {
  const calls = questions.map(({ data }) => ({ to, data }));
  const call = { to: multicallAddress, data: aggregateCalldata(calls) };
  const response = await rpc.call<unknown>('eth_call', [call, 'latest']);
  const results = response.ok ? parseAggregate(response.value, calls.length) : null;
  const isAway = !response.ok && response.fault.kind === 'unavailable';
  for (const [index, { data, resolve }] of questions.entries()) {
    const result = results?.[index];
    if (result) resolve(read(result));
    else resolve(isAway ? response : rpc.call<unknown>('eth_call', [{ to, data }, 'latest']));
  }
}

function read({ success, data }: InnerResult): Result<Hex, RpcFault> {
  return success ? ok(data) : fail({ kind: 'refused', code: revertCode, message: 'execution reverted' });
}

/** The code that nodes give a call that reverts. */
const revertCode = 3;
