import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import { id } from 'ethers';
import type { Rpc, RpcFault } from '../../chain/rpc.ts';
import type { Address } from '../../vocabulary/units.ts';
import { ledgerInterface } from './ledger-call.ts';
import { isRevert } from './ledger-view.ts';

/** Which ledger the settings name. */
export type LedgerIdentity = { readonly chainId: number; readonly contract: Address };

/**
 * What a look at the ledger network found. A network that is silent may be right, and proofs wait for it; one that is
 * wrong would make every signature worthless, since proofs are signed in its domain.
 */
export type LedgerCheck =
  | { readonly kind: 'right'; readonly missingRoles: readonly Role[] }
  | { readonly kind: 'silent'; readonly fault: RpcFault }
  | { readonly kind: 'wrong'; readonly faults: readonly string[] };

/** What the relayer may do, as the contract names it. */
export type Role = 'RELAYER' | 'REGISTRAR';

/** Compares the ledger network with the settings: chain id, code, EIP-712 domain, and the roles of the relayer. */
export async function checkLedger(rpc: Rpc, ledger: LedgerIdentity, relayer: Address): Promise<LedgerCheck> {
  const { chainId, contract } = ledger;
  const [served, code] = await Promise.all([
    rpc.call<unknown>('eth_chainId', []),
    rpc.call<unknown>('eth_getCode', [contract, 'latest']),
  ]);
  if (!served.ok) return { kind: 'silent', fault: served.fault };
  if (!code.ok) return { kind: 'silent', fault: code.fault };
  if (Number(served.value) !== chainId) {
    return wrong(
      `The node of the ledger network serves chain ${Number(served.value)}, but chain ${chainId} is configured: change PROOF_LEDGER_RPC_URL or PROOF_LEDGER_CHAIN_ID.`,
    );
  }
  if (!/^0x[0-9a-fA-F]+$/.test(String(code.value))) {
    return wrong(
      `There is no contract at ${contract} on the ledger network: change PROOF_LEDGER_CONTRACT, or deploy one.`,
    );
  }
  const domain = await ask(rpc, contract, 'eip712Domain', []);
  if (domain.kind === 'silent') return domain;
  if (domain.kind === 'nothing' || !isDomainOf(ledger, domain.values)) {
    return wrong(
      `The contract at ${contract} is no ledger of inferences: it does not sign as ${ledgerDomainName} ${ledgerDomainVersion}. Change PROOF_LEDGER_CONTRACT.`,
    );
  }
  const missingRoles: Role[] = [];
  for (const role of ['RELAYER', 'REGISTRAR'] as const) {
    const held = await ask(rpc, contract, 'hasRole', [id(role), relayer]);
    if (held.kind === 'silent') return held;
    if (held.kind === 'nothing' || held.values[0] !== true) missingRoles.push(role);
  }
  return { kind: 'right', missingRoles };
}

function wrong(...faults: readonly string[]): LedgerCheck {
  return { kind: 'wrong', faults };
}

type Asked =
  | { readonly kind: 'said'; readonly values: readonly unknown[] }
  /** The contract has no such function, or means something else by it. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'silent'; readonly fault: RpcFault };

async function ask(rpc: Rpc, to: Address, method: string, values: readonly unknown[]): Promise<Asked> {
  const data = ledgerInterface.encodeFunctionData(method, values);
  const answer = await rpc.call<unknown>('eth_call', [{ to, data }, 'latest']);
  if (!answer.ok)
    return isRevert(answer.fault) ? { kind: 'nothing' } : { kind: 'silent', fault: answer.fault };
  try {
    return { kind: 'said', values: ledgerInterface.decodeFunctionResult(method, String(answer.value)) };
  } catch {
    return { kind: 'nothing' };
  }
}

/** As EIP-5267 tells it: which fields count, name, version, chain id, contract, and neither salt nor extensions. */
function isDomainOf({ chainId, contract }: LedgerIdentity, values: readonly unknown[]): boolean {
  const [fields, name, version, servedId, verifyingContract] = values.map(String);
  return (
    fields === '0x0f' &&
    name === ledgerDomainName &&
    version === ledgerDomainVersion &&
    servedId === String(chainId) &&
    verifyingContract?.toLowerCase() === contract
  );
}
