import { parseQuantity } from '../chain/chain-view.ts';
import { computeAddress } from '../chain/curve.ts';
import { createHttpRpc } from '../chain/http-rpc.ts';
import type { Rpc } from '../chain/rpc.ts';
import { checkLedger } from '../proof/ledger-writer/check-ledger.ts';
import { waitingFor } from '../start/open-ledger-network.ts';
import type { Address } from '../types/units.ts';
import { formatEther } from './check-gas.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const check = 'proof-ledger';

/** Checks chain, contract and roles as a start does, and the ether of the account that records proofs. */
export async function checkProofLedger({ loaded }: Deployment): Promise<readonly Finding[]> {
  const { config, proofLedgerKey = null } = loaded;
  if (config.proofLedger === undefined) return [];
  const { rpcUrl: url, chainId, contract } = config.proofLedger;
  const rpc = createHttpRpc({
    url,
    timeoutMs: config.rpcTimeoutMs,
    responseBytesMax: config.rpcResponseBytesMax,
  });
  try {
    const relayer = proofLedgerKey && computeAddress(proofLedgerKey);
    const found = await checkLedger(rpc, { chainId, contract }, relayer);
    if (found.kind === 'wrong') return found.faults.map((fault) => failed(check, fault));
    if (found.kind === 'silent')
      return [
        warning(
          check,
          `The proof ledger does not respond: ${found.fault.message}. Proofs wait until it does. Check PROOF_LEDGER_RPC_URL`,
        ),
      ];
    const roles = found.missingRoles.map((role) =>
      warning(
        check,
        `The account ${relayer} lacks the role ${role}: ${waitingFor[role]}. Let the admin of the contract grant it`,
      ),
    );
    const ofGas = relayer === null ? [] : await checkEther(rpc, relayer);
    const others = [...roles, ...ofGas.filter(({ status }) => status !== 'ok')];
    if (others.length > 0) return others;
    return [
      ok(check, `The contract ${contract} on chain ${chainId}. ${ofGas.map(({ text }) => text).join(' ')}`),
    ];
  } finally {
    await rpc.close();
  }
}

async function checkEther(rpc: Rpc, relayer: Address): Promise<readonly Finding[]> {
  const balance = await rpc.call<unknown>('eth_getBalance', [relayer, 'latest']);
  const wei = balance.ok ? parseQuantity(balance.value) : null;
  if (wei === null)
    return [warning(check, `the ether of ${relayer} on the proof ledger's chain cannot be read`)];
  return wei === 0n
    ? [
        warning(
          check,
          `The account ${relayer} has no ether on the proof ledger's chain. Proofs wait until you send it ether`,
        ),
      ]
    : [
        ok(
          check,
          `The account ${relayer} may record proofs and register keys, and has ${formatEther(wei)} ether`,
        ),
      ];
}
