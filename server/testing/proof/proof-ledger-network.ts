import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type { InferenceLeaf, SettlementType } from '@paid-inference/contract/types';
import {
  Contract,
  type ContractTransactionReceipt,
  type ContractTransactionResponse,
  id,
  isError,
  JsonRpcProvider,
  NonceManager,
  Wallet,
} from 'ethers';
import artifact from '../../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import { type LedgerNetwork, startLedgerNetwork } from '../../devnet/ledger-network.ts';
import type { randomValues } from '../chain/random-values.ts';

/** The roles of the contract. */
export const role = {
  admin: `0x${'00'.repeat(32)}`,
  registrar: id('REGISTRAR'),
  relayer: id('RELAYER'),
} as const;

export type SignedInference = Omit<InferenceLeaf, 'signer'> & { readonly signature: string };

/** A ledger network for tests, read through ethers, so that the tests do not depend on the code under test. */
export type TestLedgerNetwork = {
  readonly network: LedgerNetwork;
  readonly provider: JsonRpcProvider;
  readonly asAdmin: Contract;
  readonly asRelayer: Contract;
  /** An account without roles and without ether. */
  readonly thirdParty: Wallet;
  readonly asThirdParty: Contract;
  /** Sends a call and reads its events as names and values. */
  send(contract: Contract, method: string, ...values: readonly unknown[]): Promise<SentCall>;
  /** Returns name and values of the error that a call reverts with. */
  readRevert(contract: Contract, method: string, ...values: readonly unknown[]): Promise<readonly unknown[]>;
  read(method: string, ...values: readonly unknown[]): Promise<unknown>;
  /** Returns the newest block's time. */
  now(): Promise<bigint>;
  /** Creates a key and registers it. */
  registered(): Promise<Wallet>;
  stop(): Promise<void>;
};

type SentCall = { readonly events: readonly (readonly unknown[])[]; readonly gasUsed: bigint };

export async function startTestLedgerNetwork(): Promise<TestLedgerNetwork> {
  const { network, stop } = await startLedgerNetwork({ history: 'pruned' });
  const provider = new JsonRpcProvider(network.rpcUrl, network.chainId, {
    staticNetwork: true,
    cacheTimeout: -1,
  });
  const as = (key: string) =>
    new Contract(network.contract, artifact.abi, new NonceManager(new Wallet(key, provider)));
  const thirdParty = new Wallet(Wallet.createRandom().privateKey);
  const [asAdmin, asRelayer] = [as(network.adminKey), as(network.relayerKey)];

  async function send(contract: Contract, method: string, ...values: readonly unknown[]): Promise<SentCall> {
    const sent: ContractTransactionResponse = await contract.getFunction(method)(...values);
    const { logs, gasUsed } = (await sent.wait()) as ContractTransactionReceipt;
    const events = logs.map((log) => {
      const event = contract.interface.parseLog(log);
      return [event?.name, ...(event?.args ?? [])];
    });
    return { events, gasUsed };
  }

  return {
    network,
    provider,
    asAdmin,
    asRelayer,
    thirdParty,
    asThirdParty: as(thirdParty.privateKey),
    send,
    async readRevert(contract, method, ...values) {
      const error: unknown = await contract
        .getFunction(method)
        .staticCall(...values)
        .then(
          () => null,
          (cause: unknown) => cause,
        );
      if (!isError(error, 'CALL_EXCEPTION') || !error.revert)
        throw new Error(`${method} did not revert with an error of the contract`);
      return [error.revert.name, ...error.revert.args];
    },
    read: (method, ...values) => asAdmin.getFunction(method).staticCall(...values),
    now: async () => BigInt((await provider.getBlock('latest'))?.timestamp ?? 0),
    async registered() {
      const key = new Wallet(Wallet.createRandom().privateKey);
      await send(asRelayer, 'registerEnclaveKey', key.address, id(key.address), 'software');
      return key;
    },
    async stop() {
      provider.destroy();
      await stop();
    },
  };
}

/** Creates a statement of random values, signed by an enclave key in the given domain. */
export async function signedInference(
  key: Wallet,
  { chainId, contract }: { readonly chainId: number; readonly contract: string },
  { bytes32 }: Pick<ReturnType<typeof randomValues>, 'bytes32'>,
  settlementType: SettlementType = 'individual',
): Promise<SignedInference> {
  const domain = {
    name: ledgerDomainName,
    version: ledgerDomainVersion,
    chainId,
    verifyingContract: contract,
  };
  const hashes = { proofId: bytes32(), inputHash: bytes32(), outputHash: bytes32(), modelHash: bytes32() };
  const statement = { ...hashes, timestamp: 1_700_000_000, settlementType };
  const signature = await key.signTypedData(domain, { ...inferenceProofTypes }, statement);
  return { ...statement, signature };
}

/** Changes the last digit of a hex text, or the digit at `at`. */
export function changedHex(hex: string, at = hex.length - 1): string {
  return `${hex.slice(0, at)}${hex[at] === '1' ? '2' : '1'}${hex.slice(at + 1)}`;
}
