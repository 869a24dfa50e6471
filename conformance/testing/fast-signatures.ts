import {
  getBytes,
  hexlify,
  Signature,
  SigningKey,
  type TypedDataDomain,
  TypedDataEncoder,
  type TypedDataField,
} from 'ethers';
import secp256k1 from 'secp256k1';

type Types = Record<string, TypedDataField[]>;

const encoders = new Map<string, TypedDataEncoder>();
const domainHashes = new Map<string, string>();
const { from: createEncoder, hashDomain } = TypedDataEncoder;

/**
 * Makes ethers fast in this process: libsecp256k1 signs and recovers, and encoders and hashes of domains are kept.
 * Without it, a run of the suite against a fake target spends half of its time on signatures. The results are the same
 * to the byte; see `fast-signatures.test.ts`.
 */
export function useFastSignatures(): void {
  SigningKey.recoverPublicKey = (digest, signature) => {
    const { r, s, yParity } = Signature.from(signature);
    const rs = getBytes(`${r}${s.slice(2)}`);
    return hexlify(secp256k1.ecdsaRecover(rs, yParity, getBytes(digest), false));
  };
  SigningKey.prototype.sign = function sign(this: SigningKey, digest) {
    const { signature, recid } = secp256k1.ecdsaSign(getBytes(digest), getBytes(this.privateKey));
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => hexlify(half));
    return Signature.from({ r: r ?? '', s: s ?? '', v: 27 + recid });
  };
  TypedDataEncoder.from = (types: Types) =>
    remember(encoders, JSON.stringify(types), () => createEncoder.call(TypedDataEncoder, types));
  TypedDataEncoder.hashDomain = (domain: TypedDataDomain) => {
    const hash = () => hashDomain.call(TypedDataEncoder, domain);
    // JSON writes other values alike that ethers tells apart.
    const isPlain = Object.values(domain).every(
      (value) => typeof value === 'string' || Number.isInteger(value),
    );
    return isPlain ? remember(domainHashes, JSON.stringify(domain), hash) : hash();
  };
}

function remember<T>(known: Map<string, T>, key: string, create: () => T): T {
  const value = known.get(key) ?? create();
  known.set(key, value);
  return value;
}
