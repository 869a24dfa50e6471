import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { id, TypedDataEncoder, type TypedDataField, Wallet } from 'ethers';

type Types = Record<string, TypedDataField[]>;
type Offer = { readonly asset: string; readonly extra: { readonly name: string; readonly version: string } };
type Encode = (value: object) => string;

/** The emitted modules that a client uses to pay. */
type Emitted = {
  readonly 'constants.ts': Readonly<
    Record<'scheme' | 'network' | 'mimeType' | 'canonicalization', string> & {
      chainId: number;
      ledgerDomainName: string;
      ledgerDomainVersion: string;
      headerNames: Readonly<
        Record<'payment' | 'paymentRequired' | 'paymentResponse' | 'inferenceProof', string>
      >;
    }
  >;
  readonly 'eip712.ts': {
    readonly transferWithAuthorizationTypes: Types;
    readonly inferenceProofTypes: Types;
    readonly paymentDomain: (offer: Offer) => object;
  };
  readonly 'headers.ts': Readonly<
    Record<
      'encodePaymentObject' | 'encodePaymentRequirements' | 'encodePaymentReceipt' | 'encodeInferenceProof',
      Encode
    >
  >;
};

/** Keys that everybody knows. An account with one of them must never hold anything of value. */
const [key, proofKey] = ['11', '77'].map((byte) => `0x${byte.repeat(32)}`) as [string, string];
const model = 'alder/alder-mini';
/** Both bodies are canonical JSON (RFC 8785) as they stand, so their hashes need no other form. */
const request = `{"messages":[{"content":"Say pong.","role":"user"}],"model":"${model}"}`;
const response = `{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"pong","role":"assistant"}}],"created":1767225000,"id":"chatcmpl-1","model":"${model}","object":"chat.completion","usage":{"completion_tokens":1,"prompt_tokens":5,"total_tokens":6}}`;

/**
 * Writes vectors.json: one purchase from the offer to the proof, made with the emitted codecs and types. Programs in
 * any language compare their digests, signatures and headers with it.
 */
export async function writeVectors(folder: string): Promise<void> {
  const load = async <Name extends keyof Emitted>(name: Name): Promise<Emitted[Name]> =>
    import(pathToFileURL(join(folder, name)).href);
  const constants = await load('constants.ts');
  const { transferWithAuthorizationTypes, inferenceProofTypes, paymentDomain } = await load('eip712.ts');
  const codecs = await load('headers.ts');
  const { scheme, network, mimeType, chainId, headerNames } = constants;

  const payer = new Wallet(key);
  const offer = {
    scheme,
    network,
    maxAmountRequired: '1000',
    resource: 'https://gateway.example/v1/chat/completions',
    description: 'Chat completion with alder-mini: 5 tokens in, “pong” out',
    mimeType,
    payTo: `0x${'22'.repeat(20)}`,
    maxTimeoutSeconds: 300,
    asset: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    extra: { name: 'Test Payment Token', version: '1' },
  };
  const authorization = {
    from: payer.address.toLowerCase(),
    to: offer.payTo,
    value: offer.maxAmountRequired,
    validAfter: 0,
    validBefore: 1_767_225_600,
    nonce: `0x${'33'.repeat(32)}`,
  };
  const domain = paymentDomain(offer);
  const signature = await payer.signTypedData(domain, transferWithAuthorizationTypes, authorization);
  const receipt = {
    success: true,
    network,
    chainId,
    txHash: `0x${'44'.repeat(32)}`,
    payer: authorization.from,
  };
  const { proof, proofDigest } = await prove(constants, inferenceProofTypes);
  const vectors = {
    comment: 'Generated from spec/ by `npm run generate`. The keys are public: send them nothing of value.',
    key,
    address: payer.address,
    offer,
    authorization,
    domainHash: TypedDataEncoder.hashDomain(domain),
    messageHash: TypedDataEncoder.from(transferWithAuthorizationTypes).hash(authorization),
    digest: TypedDataEncoder.hash(domain, transferWithAuthorizationTypes, authorization),
    signature,
    receipt,
    request,
    response,
    proofKey,
    proof,
    proofDigest,
    headers: {
      [headerNames.paymentRequired]: codecs.encodePaymentRequirements(offer),
      [headerNames.payment]: codecs.encodePaymentObject({ payload: { signature, authorization } }),
      [headerNames.paymentResponse]: codecs.encodePaymentReceipt(receipt),
      [headerNames.inferenceProof]: codecs.encodeInferenceProof(proof),
    },
  };
  await writeFile(join(folder, 'vectors.json'), `${JSON.stringify(vectors, null, 2)}\n`);
}

/** A proof of `request` and `response` by the enclave key `proofKey` (D-29, D-68). */
async function prove(
  { canonicalization, ledgerDomainName, ledgerDomainVersion }: Emitted['constants.ts'],
  types: Types,
): Promise<{ proof: object; proofDigest: string }> {
  const signer = new Wallet(proofKey);
  const ledger = {
    name: ledgerDomainName,
    version: ledgerDomainVersion,
    chainId: 31_740,
    verifyingContract: `0x${'55'.repeat(20)}`,
  };
  const statement = {
    proofId: `0x${'66'.repeat(32)}`,
    inputHash: id(request),
    outputHash: id(response),
    modelHash: id(model),
    timestamp: 1_767_225_001,
    settlementType: 'individual',
  };
  const proof = {
    ...statement,
    signer: signer.address.toLowerCase(),
    signature: await signer.signTypedData(ledger, types, statement),
    canonicalization,
    attestation: { provider: 'software', hardware: false, evidenceHash: `0x${'88'.repeat(32)}` },
    ledger,
  };
  return { proof, proofDigest: TypedDataEncoder.hash(ledger, types, statement) };
}
