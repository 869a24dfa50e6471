import type { ErrorDescription, Result } from 'ethers';
import type { Rpc, RpcFault } from '../../chain/rpc.ts';
import { type Address, type Bytes32, type UnixSeconds, unixSeconds } from '../../types/units.ts';
import { type LedgerCall, ledgerInterface } from './ledger-call.ts';
import { silent } from './writer-issues.ts';

/** The contract's own error, by name, and what it says to the operator. */
type Refusal = { readonly error: string; readonly sentence: string };

/** What an enclave key is on the ledger. */
export type KeyState = 'unknown' | 'active' | 'revoked';

/** The same, and the keccak256 of the evidence that it was registered with; of one that is unknown it is zero. */
type KeyOnLedger = { readonly state: KeyState; readonly evidenceHash: Bytes32 };

/** What the contract says of itself. Every answer that does not come, or is none, throws `WriterIssues`. */
export interface LedgerView {
  /** By the clock of the ledger network; null where the batch is not recorded. */
  batchRecordedAt(root: Bytes32): Promise<UnixSeconds | null>;
  isRecorded(proofId: Bytes32): Promise<boolean>;
  enclaveKey(signer: Address): Promise<KeyOnLedger>;
  /** Why the contract would refuse this call now; null where it would take it. */
  refusalOf(call: LedgerCall): Promise<Refusal | null>;
}

export function createLedgerView(rpc: Rpc, contract: Address, relayer: Address): LedgerView {
  return {
    async batchRecordedAt(root) {
      const [batch] = await read('batch', root);
      return BigInt(batch.sequence) === 0n ? null : unixSeconds(Number(batch.recordedAt));
    },
    async isRecorded(proofId) {
      const [isThere] = await read('isRecorded', proofId);
      return isThere === true;
    },
    async enclaveKey(signer) {
      const [key] = await read('enclaveKey', signer);
      const evidenceHash = String(key.attestationHash).toLowerCase() as Bytes32;
      if (BigInt(key.registeredAt) === 0n) return { state: 'unknown', evidenceHash };
      return { state: BigInt(key.revokedAt) === 0n ? 'active' : 'revoked', evidenceHash };
    },
    async refusalOf({ to, data, gasLimit }) {
      const gas = `0x${gasLimit.toString(16)}`;
      const answer = await rpc.call<unknown>('eth_call', [{ from: relayer, to, data, gas }, 'latest']);
      if (answer.ok) return null;
      if (!isRevert(answer.fault)) throw silent(answer.fault);
      return refusalIn(answer.fault);
    },
  };

  async function read(method: string, value: string): Promise<Result> {
    const data = ledgerInterface.encodeFunctionData(method, [value]);
    const answer = await rpc.call<unknown>('eth_call', [{ to: contract, data }, 'latest']);
    if (!answer.ok) throw silent(answer.fault);
    try {
      return ledgerInterface.decodeFunctionResult(method, String(answer.value));
    } catch {
      throw silent({ message: `the node gives no answer of ${method}()` });
    }
  }
}

/** A node refuses for many reasons; only this one is the contract's. */
export function isRevert(fault: RpcFault): fault is Extract<RpcFault, { kind: 'refused' }> {
  return fault.kind === 'refused' && (fault.data !== undefined || /revert/i.test(fault.message));
}

function refusalIn({ data, message }: Extract<RpcFault, { kind: 'refused' }>): Refusal {
  const error = data === undefined ? null : parseError(data);
  if (error === null) return { error: 'unknown', sentence: `the ledger contract refuses: ${message}` };
  const [first] = error.args.map(String);
  const sentences: Readonly<Record<string, string>> = {
    AccessControlUnauthorizedAccount: `the account ${first} lacks a role on the ledger contract: its admin must grant it`,
    UnknownSigner: sentenceOfKey(first, 'unknown'),
    RevokedSigner: sentenceOfKey(first, 'revoked'),
  };
  return {
    error: error.name,
    sentence: sentences[error.name] ?? `the ledger contract refuses: ${error.name}`,
  };
}

/** Why a key proves nothing on the ledger. */
export function sentenceOfKey(signer: string | undefined, state: Exclude<KeyState, 'active'>): string {
  return state === 'unknown'
    ? `the ledger does not know the signer ${signer}`
    : `the key of the signer ${signer} was revoked on the ledger`;
}

/** Null for data that is no error of the contract, or none at all: a node may say anything. */
function parseError(data: string): ErrorDescription | null {
  try {
    return ledgerInterface.parseError(data);
  } catch {
    return null;
  }
}
