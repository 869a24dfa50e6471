import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { decode, encode, typedData } from './pay.mts';

// Compares this client's digest, signature and headers with the vectors of the contract.

const vectors = JSON.parse(readFileSync(process.env['VECTORS'] ?? '', 'utf8'));
const { key, offer, authorization, digest, signature, receipt, proof, headers } = vectors;
const data = typedData(offer, authorization);
const payment = { payload: { signature, authorization } };

deepStrictEqual(hashTypedData(data), digest);
deepStrictEqual(await privateKeyToAccount(key).signTypedData(data), signature);
deepStrictEqual(encode(payment), headers['X-PAYMENT']);
deepStrictEqual(decode(headers['X-PAYMENT']), payment);
deepStrictEqual(decode(headers['X-PAYMENT-REQUIRED']), offer);
deepStrictEqual(decode(headers['X-PAYMENT-RESPONSE']), receipt);
deepStrictEqual(decode(headers['X-INFERENCE-PROOF']), proof);
