import { isIP } from 'node:net';
import { z } from 'zod';
import { attestation } from './attestation.ts';
import { chain, facilitator, proofLedger } from './networks.ts';

/** An address or a name, and nothing else of a URL. Brackets around IPv6 are those of a URL, and no part of the address. */
const host = z
  .string()
  .min(1)
  .transform((text) => text.trim().replace(/^\[(.*)\]$/, '$1'))
  .refine((text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text), {
    message: 'must be an address or a name alone, such as 127.0.0.1 or ::1; the port is PORT (port)',
  });

function isBare(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
}

const publicBaseUrl = z
  .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
  .refine(isBare, { message: 'must have no user, password, query or fragment: paths are put behind it' })
  .transform((url) => url.replace(/\/+$/, ''));

/** SQLite would keep `:memory:` in no file, and would read a URL in its own way: the lock would be on another file. */
const place = z
  .string()
  .min(1)
  .regex(/^(?!:memory:|file:)/i, 'must be a path; a URL or `:memory:` is no place on the disk');

/** A variable of the environment cannot be null, so the word `none` says the same. */
const corsAllowOrigin = z
  .string()
  .min(1)
  // It becomes the value of a header (RFC 9110 5.5).
  .regex(/^[\x21-\x7e]+$/, 'must be `*` or one origin, such as https://shop.example, in visible ASCII')
  .transform((origin) => (origin === 'none' ? null : origin))
  .nullable();

/** The settings that operators change. Each stands at the top of the settings file and has a variable (D-190). */
export const publicSettings = {
  host: host.default('127.0.0.1').describe('Address to listen on'),
  port: z.int().min(0).max(65_535).default(8402).describe('Port to listen on; 0 takes a free one'),
  publicBaseUrl: publicBaseUrl
    .optional()
    .describe(
      'URL of the gateway for clients, named in every offer; by default the address that it listens on',
    ),
  trustedProxies: z
    .int()
    .min(0)
    .max(16)
    .default(0)
    .describe('Proxies in front that append to `X-Forwarded-For`; with 0 that header is ignored'),
  chain: chain.optional().describe('The real chain to settle on; without it an embedded devnet is started'),
  facilitator: facilitator
    .optional()
    .describe('The x402 facilitator to settle a real chain through; without it a relayer key settles'),
  proofLedger: proofLedger
    .optional()
    .describe(
      'The chain and the contract that proofs are recorded on; a `chain` needs one, the devnet has its own',
    ),
  devnetFolder: place
    .default('.data/devnet')
    .describe("Folder of the embedded devnet: the payer's key for the client, and the store"),
  catalogFile: z
    .string()
    .min(1)
    .optional()
    .describe('Models, limits and prices; by default the catalog that is shipped'),
  databaseFile: place
    .default('.data/gateway.db')
    .describe("The store of a real chain; the devnet's is in its folder"),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe(
      'debug, info, warn, error or silent, on standard error; the variable `LOG_FORMAT` chooses json or pretty',
    ),
  attestation: attestation.describe(
    'Who attests to the key that signs proofs of inference; `required: hardware` refuses to start without',
  ),
  corsAllowOrigin: corsAllowOrigin
    .default('*')
    .describe(
      'Origin that browsers may call from: `*`, one origin, or null for none (`none` in the variable)',
    ),
  feeGweiMax: z
    .number()
    .positive()
    .max(1e9)
    .default(50)
    .describe('Most that a unit of gas may cost, in gwei'),
  acceptThirdPartySenders: z
    .boolean()
    .default(false)
    .describe(
      'Takes a transfer that a third party sent for payment; only where no other store has this recipient',
    ),
};
