import type { ErrorDescription, Result } from 'ethers';
import type { Rpc, RpcFault } from '../../chain/rpc.ts';
import { type Address, type Bytes32, type UnixSeconds, unixSeconds } from '../../types/units.ts';
import { type LedgerCall, ledgerInterface } from './ledger-call.ts';
import { silent } from './writer-issues.ts';

/** The name of the contract's error, and a sentence for the operator. */
type Refusal = { readonly error: string; readonly sentence: string };

/** The state of an enclave key on the proof ledger. */
export type KeyState = 'unknown' | 'active' | 'revoked';

/**
 * The state of a key, and the keccak256 of the evidence that it was registered with; zero for an unknown key.
 */
type KeyOnLedger = { readonly state: KeyState; readonly evidenceHash: Bytes32 };

/** Reads the contract. Throws `WriterIssues` when the node does not respond, or with an invalid response. */
export interface LedgerView {
  /** When the batch was recorded, by the clock of the chain; null when it is not recorded. */
  batchRecordedAt(root: Bytes32): Promise<UnixSeconds | null>;
  isRecorded(proofId: Bytes32): Promise<boolean>;
  enclaveKey(signer: Address): Promise<KeyOnLedger>;
  /** Simulates a call: why the contract would reject it now, or null. */
  findRefusal(call: LedgerCall): Promise<Refusal | null>;
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
    async findRefusal({ to, data, gasLimit }) {
      const gas = `0x${gasLimit.toString(16)}`;
      const response = await rpc.call<unknown>('eth_call', [{ from: relayer, to, data, gas }, 'latest']);
      if (response.ok) return null;
      if (!isRevert(response.fault)) throw silent(response.fault);
      return refusalIn(response.fault);
    },
  };

  async function read(method: string, value: string): Promise<Result> {
    const data = ledgerInterface.encodeFunctionData(method, [value]);
    const response = await rpc.call<unknown>('eth_call', [{ to: contract, data }, 'latest']);
    if (!response.ok) throw silent(response.fault);
    try {
      return ledgerInterface.decodeFunctionResult(method, String(response.value));
    } catch {
      throw silent({ message: `the node returned no result of ${method}()` });
    }
  }
}

/** Whether the contract rejected a call. A node may reject a call for other reasons. */
export function isRevert(fault: RpcFault): fault is Extract<RpcFault, { kind: 'refused' }> {
  return fault.kind === 'refused' && (fault.data !== undefined || /revert/i.test(fault.message));
}

function refusalIn({ data, message }: Extract<RpcFault, { kind: 'refused' }>): Refusal {
  const error = data === undefined ? null : parseError(data);
  if (error === null)
    return { error: 'unknown', sentence: `the ledger contract rejects the call: ${message}` };
  const [first] = error.args.map(String);
  const sentences: Readonly<Record<string, string>> = {
    AccessControlUnauthorizedAccount: `the account ${first} lacks a role on the ledger contract. The contract's admin must grant the role`,
    UnknownSigner: describeKeyFault(first, 'unknown'),
    RevokedSigner: describeKeyFault(first, 'revoked'),
  };
  return {
    error: error.name,
    sentence: sentences[error.name] ?? `the ledger contract rejects the call: ${error.name}`,
  };
}

/** Describes why no proof of a key can be verified. */
export function describeKeyFault(signer: string | undefined, state: Exclude<KeyState, 'active'>): string {
  return state === 'unknown'
    ? `the signer ${signer} is not registered on the proof ledger`
    : `the key of the signer ${signer} was revoked on the proof ledger`;
}

/** Null for data that is not an error of the contract. */
function parseError(data: string): ErrorDescription | null {
  try {
    return ledgerInterface.parseError(data);
  } catch {
    return null;
  }
}
