import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import {
  computeSelector,
  computeTopic,
  encodeValues,
  type OwnDomain,
  ownDomainCalldata,
  parseOwnDomain,
  parseWords,
} from '../../chain/abi.ts';
import { parseCount } from '../../chain/chain-view.ts';
import type { Rpc, RpcFault } from '../../chain/rpc.ts';
import { addressWord, bytes32Word, uint256Word } from '../../chain/word.ts';
import type { Address, Hex } from '../../types/units.ts';
import { isRevert } from './ledger-view.ts';

/** The ledger that the settings name. */
export type LedgerIdentity = { readonly chainId: number; readonly contract: Address };

/**
 * The result of checking the proof ledger. A silent node may be right, and proofs wait for it. A wrong ledger
 * would make every signature worthless, because proofs are signed in its domain.
 */
export type LedgerCheck =
  | { readonly kind: 'right'; readonly missingRoles: readonly Role[] }
  | { readonly kind: 'silent'; readonly fault: RpcFault }
  | { readonly kind: 'wrong'; readonly faults: readonly string[] };

/** A role of the relayer, as the contract names it. */
export type Role = 'RELAYER' | 'REGISTRAR';

/**
 * Compares the proof ledger with the settings: chain id, code, EIP-712 domain, and the roles of the relayer, if
 * any. Faults are sentences for the operator.
 */
export async function checkLedger(
  rpc: Rpc,
  ledger: LedgerIdentity,
  relayer: Address | null,
): Promise<LedgerCheck> {
  const { chainId, contract } = ledger;
  const [served, code] = await Promise.all([
    rpc.call<unknown>('eth_chainId', []),
    rpc.call<unknown>('eth_getCode', [contract, 'latest']),
  ]);
  if (!served.ok) return { kind: 'silent', fault: served.fault };
  if (!code.ok) return { kind: 'silent', fault: code.fault };
  const servedId = parseCount(served.value);
  if (servedId === null) return silent('chain id');
  if (!/^0x[0-9a-f]*$/i.test(String(code.value))) return silent('code');
  const faults =
    servedId === chainId
      ? []
      : [
          `The proof ledger's node serves chain ${servedId}, and the settings name chain ${chainId}. Change PROOF_LEDGER_CHAIN_ID or PROOF_LEDGER_RPC_URL.`,
        ];
  if (code.value === '0x')
    return wrong(
      ...faults,
      `There is no contract at ${contract} on the proof ledger's chain ${servedId}. Change PROOF_LEDGER_CONTRACT, or deploy one with npm run deploy:ledger.`,
    );
  // Use the chain id of the node here, so that a wrong chain id is one fault and not two.
  const domain = await ask(rpc, contract, ownDomainCalldata);
  if (domain.kind === 'silent') return faults.length > 0 ? wrong(...faults) : domain;
  const own = domain.kind === 'nothing' ? null : parseOwnDomain(domain.data);
  if (own === null || !isLedgerDomain({ chainId: servedId, contract }, own))
    faults.push(
      `The contract at ${contract} is not a proof ledger: its EIP-712 domain is not ${ledgerDomainName} ${ledgerDomainVersion}. Change PROOF_LEDGER_CONTRACT.`,
    );
  if (faults.length > 0) return wrong(...faults);
  const missingRoles: Role[] = [];
  if (relayer === null) return { kind: 'right', missingRoles };
  for (const role of ['RELAYER', 'REGISTRAR'] as const) {
    const held = await ask(rpc, contract, hasRoleCalldata(role, relayer));
    if (held.kind === 'silent') return held;
    const [isHeld = '0'] = (held.kind === 'said' && parseWords(held.data, 1)) || [];
    if (BigInt(`0x${isHeld}`) === 0n) missingRoles.push(role);
  }
  return { kind: 'right', missingRoles };
}

function wrong(...faults: readonly string[]): LedgerCheck {
  return { kind: 'wrong', faults };
}

/** A result of another kind says nothing about the ledger. */
function silent(what: string): LedgerCheck {
  return { kind: 'silent', fault: { kind: 'unavailable', message: `the node gives no ${what}` } };
}

type Asked =
  | { readonly kind: 'said'; readonly data: unknown }
  /** The contract has no such function. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'silent'; readonly fault: RpcFault };

async function ask(rpc: Rpc, to: Address, data: string): Promise<Asked> {
  const response = await rpc.call<unknown>('eth_call', [{ to, data }, 'latest']);
  if (response.ok) return { kind: 'said', data: response.value };
  return isRevert(response.fault) ? { kind: 'nothing' } : { kind: 'silent', fault: response.fault };
}

/** The id of a role is the hash of its name. */
function hasRoleCalldata(role: Role, holder: Address): string {
  const id = computeTopic(role) as Hex;
  return computeSelector('hasRole(bytes32,address)') + encodeValues([bytes32Word(id), addressWord(holder)]);
}

/** Compares a domain: fields, name, version, chain id, contract, no salt and no extensions. */
function isLedgerDomain({ chainId, contract }: LedgerIdentity, own: OwnDomain): boolean {
  return (
    own.fields === '0x0f' &&
    own.name === ledgerDomainName &&
    own.version === ledgerDomainVersion &&
    own.chainId === uint256Word(BigInt(chainId)) &&
    own.verifyingContract === addressWord(contract)
  );
}
