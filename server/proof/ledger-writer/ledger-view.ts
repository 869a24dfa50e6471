import { computeSelector, parseWords } from '../../chain/abi.ts';
import type { Rpc, RpcFault } from '../../chain/rpc.ts';
import { addressWord, bytes32Word, uint256Word, type Word } from '../../chain/word.ts';
import artifact from '../../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import { type Address, type Bytes32, type UnixSeconds, unixSeconds } from '../../types/units.ts';
import type { LedgerCall } from './ledger-call.ts';
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
      const [sequence = 0n, , recordedAt] = await read('batch(bytes32)', bytes32Word(root), 3);
      return sequence === 0n ? null : unixSeconds(Number(recordedAt));
    },
    async isRecorded(proofId) {
      const [isThere] = await read('isRecorded(bytes32)', bytes32Word(proofId), 1);
      return isThere !== 0n;
    },
    async enclaveKey(signer) {
      const [evidence = 0n, registeredAt, revokedAt] = await read(
        'enclaveKey(address)',
        addressWord(signer),
        3,
      );
      const evidenceHash = `0x${uint256Word(evidence)}` as Bytes32;
      if (registeredAt === 0n) return { state: 'unknown', evidenceHash };
      return { state: revokedAt === 0n ? 'active' : 'revoked', evidenceHash };
    },
    async findRefusal({ to, data, gasLimit }) {
      const gas = `0x${gasLimit.toString(16)}`;
      const response = await rpc.call<unknown>('eth_call', [{ from: relayer, to, data, gas }, 'latest']);
      if (response.ok) return null;
      if (!isRevert(response.fault)) throw silent(response.fault);
      return refusalIn(response.fault);
    },
  };

  /** Reads the words of a result as numbers. */
  async function read(signature: string, value: Word, count: number): Promise<readonly bigint[]> {
    const data = computeSelector(signature) + value;
    const response = await rpc.call<unknown>('eth_call', [{ to: contract, data }, 'latest']);
    if (!response.ok) throw silent(response.fault);
    const words = parseWords(response.value, count);
    if (words === null) throw silent({ message: `the node returned no result of ${signature}` });
    return words.map((word) => BigInt(`0x${word}`));
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
  const { name, first } = error;
  const sentences: Readonly<Record<string, string>> = {
    AccessControlUnauthorizedAccount: `the account ${first} lacks a role on the ledger contract. The contract's admin must grant the role`,
    UnknownSigner: describeKeyFault(first, 'unknown'),
    RevokedSigner: describeKeyFault(first, 'revoked'),
  };
  return {
    error: name,
    sentence: sentences[name] ?? `the ledger contract rejects the call: ${name}`,
  };
}

/** Describes why no proof of a key can be verified. */
export function describeKeyFault(signer: string | undefined, state: Exclude<KeyState, 'active'>): string {
  return state === 'unknown'
    ? `the signer ${signer} is not registered on the proof ledger`
    : `the key of the signer ${signer} was revoked on the proof ledger`;
}

/** The errors of the contract by their selectors. */
const errors = new Map(
  artifact.abi
    .filter(({ type }) => type === 'error')
    .map(({ name = '', inputs = [] }) => [
      computeSelector(`${name}(${inputs.map(({ type }) => type).join(',')})`),
      { name, count: inputs.length },
    ]),
);

/** The name of the contract's error, and its first value as an address; null for other data. */
function parseError(data: string): { readonly name: string; readonly first: string } | null {
  const error = errors.get(data.slice(0, 10).toLowerCase());
  const words = error && parseWords(`0x${data.slice(10)}`, error.count);
  return error && words ? { name: error.name, first: `0x${words[0]?.slice(24)}` } : null;
}
