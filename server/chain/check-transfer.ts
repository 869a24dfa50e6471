import type { Authorization } from '../types/authorization.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Hex } from '../types/units.ts';
import { signedTransferCalldata, transferCalldata } from './calldata.ts';
import { quantity } from './chain-view.ts';
import { gatherQuestions } from './gather.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import {
  type BatchReport,
  batchCallsMax,
  batchGasLimit,
  countExtraGas,
  parseBatchReport,
  transferBatch,
} from './transfer-batch.ts';
import { isWalletSignature } from './wallet-signature.ts';

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

type Question = {
  readonly authorization: Authorization;
  readonly data: Hex;
  readonly resolve: (check: TransferCheck) => void;
};

/**
 * Simulates transfers as the batch that would settle them. Each has its own gas, so that the code of one payer
 * cannot change the result of another. Transfers of one turn of the event loop, or of the time while all calls
 * are busy, share one call.
 */
export function createTransferCheck(rpc: Rpc, asset: Address): CheckTransfer {
  const ask = gatherQuestions<Question>(takeBatch, (questions) => checkAll(rpc, asset, questions));
  return (authorization, signature, isAlone = false) =>
    new Promise((resolve) => {
      const question = { authorization, data: signedTransferCalldata(authorization, signature), resolve };
      // The signatures of wallets may be long, and the calls of a batch share its bytes.
      if (isAlone || isWalletSignature(signature)) return void checkAll(rpc, asset, [question]);
      ask(question);
    });
}

/** Takes as many questions as fit into one batch beside one transfer of zero tokens to each recipient. */
function takeBatch(waiting: readonly Question[]): readonly Question[] {
  const recipients = new Set<Address>();
  const end = waiting.findIndex(
    ({ authorization }, index) => index + 1 + recipients.add(authorization.to).size > batchCallsMax,
  );
  return end === -1 ? waiting : waiting.slice(0, end);
}

/**
 * Simulates a transfer of zero tokens to each recipient in the same call. It shows whether the token is stopped, at
 * the same block and without a second call (D-227). It comes first, so that no payer's code can change its result.
 */
async function checkAll(rpc: Rpc, asset: Address, questions: readonly Question[]): Promise<void> {
  const recipients = [...new Set(questions.map(({ authorization }) => authorization.to))];
  const probes = recipients.map(probeCalldata);
  const report = await simulate(rpc, asset, [...probes, ...questions.map(({ data }) => data)]);
  for (const [index, { authorization, resolve }] of questions.entries()) {
    if (!report.ok || !isInWindow(authorization, report.value)) resolve('unknown');
    else if (report.value.succeeded[recipients.length + index]) resolve('passes');
    else resolve(report.value.succeeded[recipients.indexOf(authorization.to)] ? 'reverts' : 'stopped');
  }
}

/** A transfer of zero tokens, which is valid in ERC-20 and needs no balance. */
function probeCalldata(recipient: Address): Hex {
  return transferCalldata(recipient, 0n);
}

/** The token compares strictly. Outside the window a revert says nothing about the payer. */
function isInWindow({ validAfter, validBefore }: Authorization, { seconds }: BatchReport): boolean {
  return validAfter < seconds && seconds < validBefore;
}

/** Lists the recipients to which the token rejects every transfer, now or after an earlier block. */
export async function findStopped(
  rpc: Rpc,
  asset: Address,
  recipients: readonly Address[],
  block: number | 'latest' = 'latest',
): Promise<Result<readonly Address[], RpcFault>> {
  const some = recipients.slice(0, batchCallsMax);
  const report = await simulate(rpc, asset, some.map(probeCalldata), block);
  return report.ok ? ok(some.filter((_, index) => !report.value.succeeded[index])) : report;
}

async function simulate(
  rpc: Rpc,
  asset: Address,
  calls: readonly Hex[],
  block: number | 'latest' = 'latest',
): Promise<Result<BatchReport, RpcFault>> {
  const gas =
    batchGasLimit(calls.length, countExtraGas(calls)) + reportGas + reportGasPerCall * BigInt(calls.length);
  const call = { data: transferBatch(asset, calls, 'simulate'), gas: `0x${gas.toString(16)}` };
  const response = await rpc.call<unknown>('eth_call', [call, block === 'latest' ? block : quantity(block)]);
  if (!response.ok) return response;
  const report = parseBatchReport(response.value, calls.length);
  return report === null
    ? fail({ kind: 'unavailable', message: 'the node returns no valid simulation of a batch of transfers' })
    : ok(report);
}

/** Gas for the report of a simulation. The chain charges 200 gas a byte, as for code to be stored. */
const reportGas = 6_400n;
const reportGasPerCall = 200n;
