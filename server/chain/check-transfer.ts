import type { Authorization } from '../types/authorization.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Hex } from '../types/units.ts';
import { signedTransferCalldata, transferCalldata } from './calldata.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import {
  type BatchReport,
  batchCallsMax,
  batchGasLimit,
  parseBatchReport,
  transferBatch,
} from './transfer-batch.ts';

/** The effect that a signed transfer would have on the token now. */
type TransferCheck =
  | 'passes'
  /** The token rejects this transfer: its payer is blocked, has too little, or has code that rejects it. */
  | 'reverts'
  /** The token rejects every transfer to this recipient: the token is paused, or the recipient is blocked. */
  | 'stopped'
  /** The node did not answer, or its newest block is outside the window of the authorization. */
  | 'unknown';

/**
 * Simulates one signed transfer at the newest block. By default the transfer shares a call with others of the
 * same payer, and may revert because they use up the balance. `isAlone` gives it a call of its own.
 */
export type CheckTransfer = (
  authorization: Authorization,
  signature: Hex,
  isAlone?: boolean,
) => Promise<TransferCheck>;

/** Most calls at once. More calls would wait for a connection, each with one transfer. */
const callsMax = 8;

type Question = {
  readonly authorization: Authorization;
  readonly data: Hex;
  readonly answer: (check: TransferCheck) => void;
};

/**
 * Simulates transfers as the batch that would settle them. Each has its own gas, so that the code of one payer
 * cannot change the result of another. Transfers of one turn of the event loop, or of the time while all calls
 * are busy, share one call.
 */
export function createTransferCheck(rpc: Rpc, asset: Address): CheckTransfer {
  let waiting: Question[] = [];
  let isDue = false;
  let underWay = 0;
  return (authorization, signature, isAlone = false) =>
    new Promise((answer) => {
      const question = { authorization, data: signedTransferCalldata(authorization, signature), answer };
      if (isAlone) return void checkAll(rpc, asset, [question]);
      waiting.push(question);
      askSoon();
    });

  function askSoon(): void {
    if (isDue || waiting.length === 0 || underWay === callsMax) return;
    isDue = true;
    setImmediate(() => void ask());
  }

  async function ask(): Promise<void> {
    isDue = false;
    const questions = waiting.slice(0, batchCallsMax);
    waiting = waiting.slice(batchCallsMax);
    underWay += 1;
    askSoon();
    await checkAll(rpc, asset, questions);
    underWay -= 1;
    askSoon();
  }
}

async function checkAll(rpc: Rpc, asset: Address, questions: readonly Question[]): Promise<void> {
  const report = await simulate(
    rpc,
    asset,
    questions.map(({ data }) => data),
  );
  const failed: Question[] = [];
  for (const [index, question] of questions.entries()) {
    if (!report.ok || !isInWindow(question.authorization, report.value)) question.answer('unknown');
    else if (report.value.succeeded[index]) question.answer('passes');
    else failed.push(question);
  }
  if (failed.length === 0) return;
  const recipients = [...new Set(failed.map(({ authorization }) => authorization.to))];
  const stopped = await findStopped(rpc, asset, recipients);
  for (const { authorization, answer } of failed) {
    if (!stopped.ok) answer('unknown');
    else answer(stopped.value.includes(authorization.to) ? 'stopped' : 'reverts');
  }
}

/** The token compares strictly. Outside the window a revert says nothing about the payer. */
function isInWindow({ validAfter, validBefore }: Authorization, { seconds }: BatchReport): boolean {
  return validAfter < seconds && seconds < validBefore;
}

/**
 * Lists the recipients to which the token rejects every transfer. The simulation transfers zero tokens. Such a
 * transfer is valid in ERC-20 and needs no balance.
 */
export async function findStopped(
  rpc: Rpc,
  asset: Address,
  recipients: readonly Address[],
): Promise<Result<readonly Address[], RpcFault>> {
  const some = recipients.slice(0, batchCallsMax);
  const calls = some.map((recipient) => transferCalldata(recipient, 0n));
  const report = await simulate(rpc, asset, calls);
  return report.ok ? ok(some.filter((_, index) => !report.value.succeeded[index])) : report;
}

async function simulate(
  rpc: Rpc,
  asset: Address,
  calls: readonly Hex[],
): Promise<Result<BatchReport, RpcFault>> {
  const gas = batchGasLimit(calls.length) + reportGas + reportGasPerCall * BigInt(calls.length);
  const call = { data: transferBatch(asset, calls, 'simulate'), gas: `0x${gas.toString(16)}` };
  const answer = await rpc.call<unknown>('eth_call', [call, 'latest']);
  if (!answer.ok) return answer;
  const report = parseBatchReport(answer.value, calls.length);
  return report === null
    ? fail({ kind: 'unavailable', message: 'the node returns no valid simulation of a batch of transfers' })
    : ok(report);
}

/** Gas for the report of a simulation. The chain charges 200 gas a byte, as for code to be stored. */
const reportGas = 6_400n;
const reportGasPerCall = 200n;
