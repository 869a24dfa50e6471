import { isIP } from 'node:net';
import { z } from 'zod';
import { attestation } from './attestation.ts';
import { chain, facilitator, proofLedger } from './networks.ts';

/** An address or a name. Brackets around IPv6 belong to a URL, and are removed. */
const host = z
  .string()
  .min(1)
  .transform((text) => text.trim().replace(/^\[(.*)\]$/, '$1'))
  .refine((text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text), {
    message: 'must be an address or a name alone, such as 127.0.0.1 or ::1; set the port with PORT (port)',
  });

/** A host and a port, as `127.0.0.1:9402` or `[::1]:9402`. */
const listenAddress = z
  .string()
  .regex(
    /^(\[[0-9a-f:.]+\]|[\w.-]+):\d{1,5}$/i,
    'must be a host and a port, such as 127.0.0.1:9402 or [::1]:9402',
  )
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, {
    message: 'must have a port of at most 65535',
  });

/** Whether a browser can send this origin (RFC 6454 6.2), in the value of a header (RFC 9110 5.5). */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin === text;
  // The pages of browser extensions and applications.
  return /^[a-z][a-z0-9+.-]*:\/\/[\w.~:[\]-]+$/.test(text);
}

function isBare(text: string): boolean {
  const url = URL.parse(text);
  // `url.search` and `url.hash` do not show an empty query or fragment.
  return url !== null && url.username + url.password === '' && !/[?#]/.test(text);
}

/** Addresses to listen on that clients cannot call. */
export const wildcards: readonly string[] = ['0.0.0.0', '::'];

/** Clients bring a URL into its normal form before they call it, so offers have this form (D-190). */
const publicBaseUrl = z
  .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
  .refine(isBare, {
    message: 'must have no user, password, query or fragment: the gateway appends paths to it',
  })
  .transform((url) => new URL(url).href.replace(/\/+$/, ''))
  .refine((url) => !wildcards.includes(new URL(url).hostname.replace(/^\[|\]$/g, '')), {
    message:
      'must not be a wildcard, because clients cannot call it; set it to the address or name that they call',
  })
  .refine((url) => url.length <= 2_000, {
    message: 'must have at most 2000 characters, because it is in a header of every offer',
  });

/** SQLite keeps `:memory:` in no file and parses a URL, so the lock would be on another file. */
const place = z
  .string()
  .min(1)
  .regex(/^(?!:memory:|file:)/i, 'must be a path, not a URL or `:memory:`');

/** `none` stands for null, which a variable cannot express. */
const corsAllowOrigin = z
  .string()
  .refine((text) => text === '*' || text === 'none' || isOrigin(text), {
    message:
      'must be `*`, `none`, or one origin as browsers send it, such as https://shop.example: a scheme, a host in small letters, and no path',
  })
  .transform((origin) => (origin === 'none' ? null : origin))
  .nullable();

/**
 * The settings that operators change. Each stands at the top of the settings file and has a variable (D-190).
 */
export const publicSettings = {
  host: host.default('127.0.0.1').describe('Address to listen on'),
  port: z.int().min(0).max(65_535).default(8402).describe('Port to listen on; 0 takes a free one'),
  adminAddress: listenAddress
    .optional()
    .describe(
      "Host and port of the metrics and the operator's view, such as `127.0.0.1:9402`; without it the gateway has neither. Let only your monitoring reach it",
    ),
  publicBaseUrl: publicBaseUrl
    .optional()
    .describe(
      'URL of the gateway for clients, part of every offer; by default the address that it listens on',
    ),
  trustedProxies: z
    .int()
    .min(0)
    .max(16)
    .default(0)
    .describe(
      'Number of proxies in front that append to `X-Forwarded-For`; with 0 the gateway ignores that header',
    ),
  chain: chain
    .optional()
    .describe('The real chain to settle on; without it the gateway starts an embedded devnet'),
  facilitator: facilitator
    .optional()
    .describe('The x402 facilitator that settles on a real chain; without it relayer keys settle'),
  proofLedger: proofLedger
    .optional()
    .describe('The chain and the contract that record proofs; a `chain` needs one, the devnet has its own'),
  devnetFolder: place
    .default('.data/devnet')
    .describe("Folder of the embedded devnet: the payer's key for the client, and the store"),
  catalogFile: z
    .string()
    .min(1)
    .optional()
    .describe('Models, limits and prices; by default the shipped catalog'),
  databaseFile: place
    .default('.data/gateway.db')
    .describe('The SQLite file of the store on a real chain; the devnet has its store in its folder'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe(
      'debug, info, warn, error or silent, on standard error; the variable `LOG_FORMAT` chooses json or pretty',
    ),
  attestation: attestation.describe(
    'The provider that attests the enclave key; with `required: hardware` the gateway does not start without hardware',
  ),
  webPage: z
    .boolean()
    .default(true)
    .describe(
      'Whether browsers get the web page at `/`: models and prices, the API reference, a playground, and the lookup of payments and proofs',
    ),
  corsAllowOrigin: corsAllowOrigin
    .default('*')
    .describe(
      'Origin that browsers may call from: `*`, one origin, or null for none (`none` in the variable)',
    ),
  feeGweiMax: z.number().positive().max(1e9).default(50).describe('Highest price for a unit of gas, in gwei'),
  acceptThirdPartySenders: z
    .boolean()
    .default(false)
    .describe(
      'Whether a transfer that a third party sent counts as payment; set true only if no other store has this recipient',
    ),
};
