import { once } from 'node:events';
import { createServer } from 'node:http';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import {
  ledgerDomainName,
  ledgerDomainVersion,
  network,
  chainId as paymentChainId,
  tokenDomainVersion,
} from '@paid-inference/contract/constants';
import { inferenceLeafTypes, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import {
  encodeInferenceProof,
  encodePaymentObject,
  encodePaymentReceipt,
} from '@paid-inference/contract/headers';
import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import type {
  Attestation,
  InferenceProof,
  LedgerDomain,
  ProofRecord,
  SavedExchange,
  SettlementType,
} from '@paid-inference/contract/types';
import { Contract, hexlify, Interface, type NonceManager, randomBytes, Wallet } from 'ethers';
import { type Verification, type VerifyOptions, verifyExchange } from '../verify/verify-exchange.ts';
import { mined, startTestChain, type TestChain } from './chain.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { completionFor, testModel } from './completions.ts';
import { type Attester, createEnclave, type Enclave, type Proven } from './enclave.ts';

/** Two chains with the real contracts, and a fake gateway whose responses a test sets. */
export type Scene = {
  readonly ledger: LedgerDomain;
  readonly token: string;
  readonly gatewayUrl: string;
  readonly ledgerChain: TestChain;
  readonly paymentChain: TestChain;
  readonly clock: ManualClock;
  /**
   * The responses of `GET /v1/proofs/{id}` by id and of `GET /v1/attestation?signer=` by signer in lower case.
   */
  readonly records: Map<string, ProofRecord>;
  readonly attestations: Map<string, Attestation>;
  /** The response of `GET /v1/attestation?nonce=`. */
  fresh: (nonce: string) => Promise<Attestation | null>;
  /** An enclave with a registered key. */
  enclave(attester?: Attester): Promise<Enclave>;
  register(signer: string, evidenceHash: string): Promise<void>;
  revoke(signer: string): Promise<void>;
  /** An exchange with a payment on the chain and a proof of the enclave. */
  exchange(enclave: Enclave, settlementType: SettlementType, more?: Partial<Proven>): Promise<SavedExchange>;
  /** Records one inference as `individual`. */
  record(proof: InferenceProof): Promise<void>;
  /** Records a batch of these proofs and three others, and keeps their records. */
  recordBatch(proofs: readonly InferenceProof[]): Promise<void>;
  verify(exchange: SavedExchange, options?: VerifyOptions): Promise<Verification>;
  /** The time of the proof ledger's chain in Unix seconds. */
  ledgerNow(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
};

const tokenName = 'Test Payment Token';
const leafTypes = inferenceLeafTypes.InferenceLeaf.map(({ type }) => type);

export async function setScene(): Promise<Scene> {
  const [ledgerChain, paymentChain] = await Promise.all([
    startTestChain(31_740),
    startTestChain(paymentChainId),
  ]);
  const [admin, relayer, minter] = await Promise.all([
    ledgerChain.account(),
    ledgerChain.account(),
    paymentChain.account(),
  ]);
  const [contract, token] = await Promise.all([
    ledgerChain.deploy('InferenceLedger', await admin.getAddress(), await relayer.getAddress()),
    paymentChain.deploy('PaymentToken', tokenName, 'TPT', await minter.getAddress()),
  ]);
  const ledger: LedgerDomain = {
    name: ledgerDomainName,
    version: ledgerDomainVersion,
    chainId: 31_740,
    verifyingContract: contract,
  };
  const as = (account: NonceManager) => new Contract(contract, inferenceLedgerAbi, account);
  const records = new Map<string, ProofRecord>();
  const attestations = new Map<string, Attestation>();
  const clock = manualClock(1_800_000_000);
  const gateway = await serve(async ({ pathname, searchParams }) => {
    const proofs = '/v1/proofs/';
    if (pathname.startsWith(proofs)) return records.get(pathname.slice(proofs.length)) ?? null;
    const nonce = searchParams.get('nonce');
    if (nonce !== null) return scene.fresh(nonce);
    return attestations.get((searchParams.get('signer') ?? '').toLowerCase()) ?? null;
  });

  const scene: Scene = {
    ledger,
    token,
    gatewayUrl: gateway.url,
    ledgerChain,
    paymentChain,
    clock,
    records,
    attestations,
    fresh: async () => null,
    register: (signer, hash) => send(as(relayer), 'registerEnclaveKey', signer, hash, 'test'),
    revoke: (signer) => send(as(admin), 'revokeEnclaveKey', signer),
    async enclave(attester) {
      const made = await createEnclave(ledger, attester);
      await scene.register(made.key.address, made.boot.evidenceHash);
      attestations.set(made.key.address.toLowerCase(), made.boot);
      return made;
    },
    async exchange(enclave, settlementType, more = {}) {
      const request = { model: testModel, messages: [{ role: 'user', content: hexlify(randomBytes(4)) }] };
      const body = JSON.stringify(request);
      const completion = completionFor('/v1/chat/completions', body);
      const timestamp = await scene.ledgerNow();
      const proven = {
        request,
        response: JSON.parse(completion),
        model: testModel,
        settlementType,
        timestamp,
        ...more,
      };
      const proof = await enclave.prove(proven);
      const { payment, receipt } = await pay();
      return {
        format: 'paid-inference/exchange/v1',
        request: {
          method: 'POST',
          url: `${gateway.url}/v1/chat/completions`,
          headers: { 'x-payment': payment, 'x-settlement-type': settlementType },
          body,
        },
        response: {
          status: 200,
          headers: { 'x-payment-response': receipt, 'x-inference-proof': encodeInferenceProof(proof) },
          body: completion,
        },
      };
    },
    async record(proof) {
      await send(as(relayer), 'recordInferences', [proof]);
      records.set(proof.proofId, createRecord(proof, 'recorded', await inclusionNow()));
    },
    async recordBatch(proofs) {
      const others = await Promise.all(
        [1, 2, 3].map((n) =>
          createEnclave(ledger).then((enclave) =>
            enclave.prove({ request: n, response: n, model: 'm', settlementType: 'batch', timestamp: n }),
          ),
        ),
      );
      const all = [...proofs, ...others];
      const tree = StandardMerkleTree.of(all.map(pickLeaf), leafTypes);
      await send(as(relayer), 'recordBatch', tree.root, all.length);
      const inclusion = await inclusionNow();
      for (const [at, proof] of proofs.entries()) {
        const batch = { root: tree.root, size: all.length, path: tree.getProof(at) };
        records.set(proof.proofId, { ...createRecord(proof, 'recorded', inclusion), batch });
      }
    },
    verify: (exchange, options = {}) =>
      verifyExchange(exchange, {
        ledgerRpcUrl: ledgerChain.url,
        chainRpcUrl: paymentChain.url,
        clock,
        ...options,
      }),
    ledgerNow: async () => (await ledgerChain.provider.getBlock('latest'))?.timestamp ?? 0,
    async [Symbol.asyncDispose]() {
      await Promise.all([
        gateway.close(),
        ledgerChain[Symbol.asyncDispose](),
        paymentChain[Symbol.asyncDispose](),
      ]);
    },
  };
  return scene;

  async function inclusionNow(): Promise<NonNullable<ProofRecord['inclusion']>> {
    const block = await ledgerChain.provider.getBlock('latest');
    return { txHash: block?.transactions[0] ?? '', blockNumber: block?.number ?? 0 };
  }

  /** Pays as the gateway does. The token accepts the payer's authorization from every sender. */
  async function pay(): Promise<{ readonly payment: string; readonly receipt: string }> {
    const payer = Wallet.createRandom();
    await send(erc20(minter), 'mint', payer.address, 1_000);
    const authorization = {
      from: payer.address,
      to: await minter.getAddress(),
      value: '1000',
      validAfter: 0,
      validBefore: 2_000_000_000,
      nonce: hexlify(randomBytes(32)),
    };
    const domain = {
      name: tokenName,
      version: tokenDomainVersion,
      chainId: paymentChainId,
      verifyingContract: token,
    };
    const signature = await payer.signTypedData(domain, transferWithAuthorizationTypes, authorization);
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const given = [from, to, value, validAfter, validBefore, nonce, signature];
    const sent = await erc20(minter).getFunction(transfer)(...given);
    await mined(sent);
    const receipt = {
      success: true,
      network,
      chainId: paymentChainId,
      txHash: sent.hash,
      payer: from,
    } as const;
    return {
      payment: encodePaymentObject({ payload: { signature, authorization } }),
      receipt: encodePaymentReceipt(receipt),
    };
  }

  function erc20(account: NonceManager): Contract {
    return new Contract(token, erc20Abi, account);
  }
}

const transfer = 'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)';
const erc20Abi = new Interface([`function ${transfer}`, 'function mint(address,uint256)']);

export function createRecord(
  proof: InferenceProof,
  status: ProofRecord['status'],
  inclusion?: ProofRecord['inclusion'],
): ProofRecord {
  const { proofId, inputHash, outputHash, modelHash, timestamp, signer, signature, settlementType, ledger } =
    proof;
  const leaf = { proofId, inputHash, outputHash, modelHash, timestamp, settlementType, signer };
  const leafHash = StandardMerkleTree.of([pickLeaf(proof)], leafTypes).leafHash(pickLeaf(proof));
  const head = { id: proofId, status, settlementType, leaf, signature, leafHash, ledger };
  const waiting = settlementType === 'batch' ? { batch: { root: null, size: null, path: null } } : {};
  return { ...head, ...waiting, ...(inclusion && { inclusion }) };
}

function pickLeaf(proof: InferenceProof): unknown[] {
  return inferenceLeafTypes.InferenceLeaf.map(({ name }) => Reflect.get(proof, name));
}

/** The fake gateway of a scene: returns the found value as JSON, else 404. */
async function serve(
  find: (url: URL) => Promise<object | null>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void find(new URL(request.url ?? '', 'http://localhost')).then((found) => {
      const error = {
        message: 'not found',
        type: 'invalid_request_error',
        code: 'not_found',
        param: null,
      };
      response.writeHead(found === null ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found ?? { error }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(contract: Contract, method: string, ...given: readonly unknown[]): Promise<void> {
  const sent = await contract.getFunction(method)(...given);
  await mined(sent);
}
