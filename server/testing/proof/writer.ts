import type { SettlementType } from '@paid-inference/contract/types';
import { Contract, Interface, JsonRpcProvider, type Transaction, Wallet } from 'ethers';
import { createHttpRpc, type HttpRpc } from '../../chain/http-rpc.ts';
import { createKeccak } from '../../chain/keccak.ts';
import { attestation } from '../../config/attestation.ts';
import artifact from '../../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import { ask, createDeployer } from '../../devnet/deployer.ts';
import { freshKey, fundGas, type Key } from '../../devnet/funded-key.ts';
import { type LedgerNetwork, startLedgerNetwork } from '../../devnet/ledger-network.ts';
import { createLog } from '../../observe/log.ts';
import { createCanonicalHash } from '../../proof/canonical-hash.ts';
import {
  type LedgerWriter,
  startLedgerWriter,
  type WriterLimits,
} from '../../proof/ledger-writer/ledger-writer.ts';
import type { AttestedKey } from '../../proof/ledger-writer/watch-key.ts';
import { attest, type OpenProofs, openProofs } from '../../start/open-proofs.ts';
import type { SignedProof } from '../../store/proof-store.ts';
import type { OpenStore } from '../../store/store.ts';
import type { Clock } from '../../types/clock.ts';
import { type LedgerName, nameLedger } from '../../types/ledger-name.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import { createSentReader, startUnreliableNode, type UnreliableNode } from '../settlement/unreliable-node.ts';
import { completion, executed, inclusionAt, randomAddress, randomBytes32 } from '../store/claims.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../store/sqlite-store.ts';

/** A ledger network, and a node in front of it whose conduct a test can set. */
export type WriterBench = {
  readonly node: UnreliableNode;
  /** Calls the chain directly, whatever the node's conduct. */
  chain(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Returns the selector of a method of the contract. */
  computeSelector(method: string): string;
  /**
   * Opens a contract, a relayer and a store of payments, so that tests are independent. With `sharing`, the
   * store is that of another contract.
   */
  open(sharing?: Writing): Promise<Writing>;
  stop(): Promise<void>;
};

export type Writing = {
  readonly contract: Address;
  readonly ledgerName: LedgerName;
  readonly admin: Address;
  readonly relayer: Key;
  readonly ledger: TestSqliteStore;
  readonly store: OpenStore;
  /** The enclave key that the next writer registers. */
  readonly key: AttestedKey;
  /** Starts a writer, with the changes of a test. Several writers simulate several processes. */
  start(options?: WriterOptions): LedgerWriter;
  /** Creates paid inferences, each proven by the current enclave key. */
  prove(settlementType: SettlementType, count?: number): Promise<readonly SignedProof[]>;
  /** Simulates a restart: a new key signs the next proofs, and the next writer registers that key. */
  renewKey(): Promise<void>;
  /** Returns the events of the contract, in order, as names and values. */
  events(): Promise<readonly (readonly unknown[])[]>;
  /** Returns the recorded roots and individual inferences, one entry for each event. */
  recorded(): Promise<readonly string[]>;
  read(method: string, ...values: readonly unknown[]): Promise<unknown>;
  asAdmin(method: string, ...values: readonly unknown[]): Promise<void>;
  /** Lists the transactions that the relayer sent, each once, in order. */
  sent(): readonly Transaction[];
  /** Lists the same transactions as bytes. */
  raw(): readonly string[];
  /** The warnings and errors that the writers logged. */
  readonly warnings: readonly string[];
  /** Closes the writers and removes the store of payments. */
  close(): Promise<void>;
};

type WriterOptions = {
  readonly limits?: Partial<WriterLimits>;
  readonly owner?: string;
  readonly store?: OpenStore;
  readonly relayer?: Key;
  readonly logBlocksMax?: number;
  /** Replaces the bench's own connection to the node. The test closes it. */
  readonly rpc?: HttpRpc;
};

/** Long enough for a busy machine, and short enough for a test of a node that hangs. */
const responseDeadlineMs = 1_500;

/** Short pauses, and batches that are small enough for a test to fill one. */
const benchLimits: WriterLimits = {
  batchDue: 4,
  batchMax: 4,
  batchAgeSeconds: 10,
  storePollMs: 10,
  retryMs: 20,
  retryMsMax: 100,
  maintenanceMs: 20,
  pageMax: 128,
  finalityBlocks: 64,
  leaseSeconds: 30,
  pollMs: 5,
  pollMsMax: 20,
  resendMs: 100,
  stuckMs: 60_000,
};

export async function startWriterBench(history: 'kept' | 'pruned' = 'pruned'): Promise<WriterBench> {
  const { network, stop } = await startLedgerNetwork({ history });
  const node = await startUnreliableNode(network.rpcUrl);
  const rpc = createHttpRpc({ url: network.rpcUrl, timeoutMs: 5_000, responseBytesMax: 4_194_304 });
  const { rpcUrl, chainId } = network;
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  provider.pollingInterval = 20;
  const admin = new Wallet(network.adminKey, provider);
  const sentFrom = createSentReader(node);
  const nodeRpc = createHttpRpc({
    url: node.url,
    timeoutMs: responseDeadlineMs,
    responseBytesMax: 4_194_304,
  });
  return {
    node,
    chain: (method, ...params) => ask(rpc, method, params),
    computeSelector: (method) => new Interface(artifact.abi).getFunction(method)?.selector ?? 'none',
    open(sharing) {
      node.conduct = () => 'sound';
      node.rewrite = (_method, _body, text) => text;
      return openWriting({ network, rpc, nodeRpc, admin, sentFrom }, sharing);
    },
    async stop() {
      provider.destroy();
      await nodeRpc.close();
      await rpc.close();
      await node.close();
      await stop();
    },
  };
}

type BenchPorts = {
  readonly network: LedgerNetwork;
  readonly rpc: HttpRpc;
  readonly nodeRpc: HttpRpc;
  readonly admin: Wallet;
  readonly sentFrom: (account: Address) => readonly Transaction[];
};

async function openWriting(
  { network, rpc, nodeRpc, admin, sentFrom }: BenchPorts,
  sharing?: Writing,
): Promise<Writing> {
  const { chainId, adminKey: privateKey } = network;
  const owner = admin.address.toLowerCase() as Address;
  const relayer = freshKey();
  await fundGas(rpc, relayer.address);
  const contract = await createDeployer({ rpc, chainId, owner, privateKey }).deployLedger(relayer.address);
  const bound = new Contract(contract, artifact.abi, admin);
  const ledger = sharing?.ledger ?? (await createTestSqliteStore());
  const store = sharing?.store ?? (await ledger.open());
  const clock: Clock = { ...ledger.clock, monotonicMs: () => performance.now() };
  const writers: LedgerWriter[] = [];
  const warnings: string[] = [];
  const keccak = await createKeccak();
  const canonicalHash = createCanonicalHash(keccak);
  let proofs = await openEnclave();

  const writing: Writing = {
    contract,
    ledgerName: nameLedger(chainId, contract),
    admin: owner,
    relayer,
    ledger,
    store,
    warnings,
    get key() {
      return { signer: proofs.prover.signer, evidenceHash: proofs.attester.boot.evidenceHash as Bytes32 };
    },
    start({ limits, ...options } = {}) {
      const key = options.relayer ?? relayer;
      const writer = startLedgerWriter({
        rpc: options.rpc ?? nodeRpc,
        store: options.store ?? store,
        clock,
        log: {
          debug: () => undefined,
          info: () => undefined,
          warn: (_: unknown, text?: string) => void warnings.push(String(text)),
          error: (_: unknown, text?: string) => void warnings.push(String(text)),
        },
        contract,
        relayer: { address: key.address, key: key.privateKey, chainId },
        owner: options.owner ?? 'this process',
        ...writing.key,
        fees: { maxFeePerGasWeiMax: 50_000_000_000n, priorityFeeWei: 10_000_000n },
        logBlocksMax: options.logBlocksMax ?? 10_000,
        limits: { ...benchLimits, ...limits },
      });
      writers.push(writer);
      return writer;
    },
    async prove(settlementType, count = 1) {
      const proven: SignedProof[] = [];
      for (let each = 0; each < count; each++) {
        const inference = {
          inputHash: randomBytes32(),
          completion,
          model: 'alder/alder-mini',
          settlementType,
        };
        const { header, record } = proofs.prover.prove(inference);
        const payment = await executed(store, randomAddress(), 3n, 100n, { header, record });
        await store.settle([payment.id], inclusionAt(1));
        if (record !== null) proven.push(record);
      }
      return proven;
    },
    async renewKey() {
      proofs = await openEnclave();
    },
    async events() {
      const logs = await bound.queryFilter('*', 0, 'latest');
      return logs
        .map((log) => bound.interface.parseLog(log))
        .filter((event) => event !== null && event.name !== 'RoleGranted' && event.name !== 'RoleRevoked')
        .map((event) => [event?.name, ...(event?.args ?? [])]);
    },
    async recorded() {
      const events = await writing.events();
      return events.filter(([name]) => /Recorded$/.test(String(name))).map(([, id]) => String(id));
    },
    read: (method, ...values) => bound.getFunction(method).staticCall(...values),
    async asAdmin(method, ...values) {
      const sent = await bound.getFunction(method)(...values);
      await ask(rpc, 'evm_mine', []);
      await sent.wait();
    },
    sent: () => sentFrom(relayer.address),
    raw: () => writing.sent().map(({ serialized }) => serialized),
    async close() {
      await Promise.all(writers.map((writer) => writer.close(0)));
      if (sharing === undefined) await ledger.remove();
    },
  };
  return writing;

  async function openEnclave(): Promise<OpenProofs> {
    const attested = await attest({
      ledger: { chainId, contract },
      settings: attestation.parse({ provider: 'software' }),
      keccak,
      clock,
      log: createLog('silent'),
    });
    if (!attested.ok) throw new Error(attested.fault.join());
    attested.value.bindStore(store);
    return openProofs(attested.value, { store, keccak, canonicalHash, clock, log: createLog('silent') });
  }
}
