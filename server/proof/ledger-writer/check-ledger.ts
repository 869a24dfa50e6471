import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import { id } from 'ethers';
import { parseCount } from '../../chain/chain-view.ts';
import type { Rpc, RpcFault } from '../../chain/rpc.ts';
import type { Address } from '../../types/units.ts';
import { ledgerInterface } from './ledger-call.ts';
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
  const domain = await ask(rpc, contract, 'eip712Domain', []);
  if (domain.kind === 'silent') return faults.length > 0 ? wrong(...faults) : domain;
  if (domain.kind === 'nothing' || !isLedgerDomain({ chainId: servedId, contract }, domain.values))
    faults.push(
      `The contract at ${contract} is not a proof ledger: its EIP-712 domain is not ${ledgerDomainName} ${ledgerDomainVersion}. Change PROOF_LEDGER_CONTRACT.`,
    );
  if (faults.length > 0) return wrong(...faults);
  const missingRoles: Role[] = [];
  for (const role of relayer === null ? [] : (['RELAYER', 'REGISTRAR'] as const)) {
    const held = await ask(rpc, contract, 'hasRole', [id(role), relayer]);
    if (held.kind === 'silent') return held;
    if (held.kind === 'nothing' || held.values[0] !== true) missingRoles.push(role);
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
  | { readonly kind: 'said'; readonly values: readonly unknown[] }
  /** The contract has no such function, or another function of that name. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'silent'; readonly fault: RpcFault };

async function ask(rpc: Rpc, to: Address, method: string, values: readonly unknown[]): Promise<Asked> {
  const data = ledgerInterface.encodeFunctionData(method, values);
  const response = await rpc.call<unknown>('eth_call', [{ to, data }, 'latest']);
  if (!response.ok)
    return isRevert(response.fault) ? { kind: 'nothing' } : { kind: 'silent', fault: response.fault };
  try {
    return { kind: 'said', values: ledgerInterface.decodeFunctionResult(method, String(response.value)) };
  } catch {
    return { kind: 'nothing' };
  }
}

/**
 * Compares a domain in the form of EIP-5267: fields, name, version, chain id, contract, no salt and no
 * extensions.
 */
function isLedgerDomain({ chainId, contract }: LedgerIdentity, values: readonly unknown[]): boolean {
  const [fields, name, version, servedId, verifyingContract] = values.map(String);
  return (
    fields === '0x0f' &&
    name === ledgerDomainName &&
    version === ledgerDomainVersion &&
    servedId === String(chainId) &&
    verifyingContract?.toLowerCase() === contract
  );
}
