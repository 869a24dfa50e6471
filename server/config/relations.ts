import { z } from 'zod';
import { chain, proofLedger, tokensLost } from './networks.ts';
import { publicSettings, wildcards } from './public-settings.ts';
import { advancedSettings, configSchema } from './schema.ts';

/** The time that a client has to sign and send the shortest offer. */
const signingSeconds = 5;

const { host, port, adminAddress, publicBaseUrl } = publicSettings;
const { payTo, asset } = chain.shape;
const { contract } = proofLedger.shape;
const { inferenceTimeoutMs, settlementMarginSeconds, offerValiditySeconds } = advancedSettings;

/**
 * The relations between settings (D-145, D-177). The schema of a relation has only the settings that the relation
 * reads. zod skips a relation beside an error of its schema, so no error of another setting hides it (D-144).
 */
const relations: readonly z.ZodType[] = [
  z
    .object({ host, publicBaseUrl })
    .refine((settings) => settings.publicBaseUrl !== undefined || !wildcards.includes(settings.host), {
      path: ['publicBaseUrl'],
      message: 'must be set when host is a wildcard, because clients cannot call 0.0.0.0 in an offer',
    }),
  z.object({ host, port, adminAddress }).refine(isApart, {
    path: ['adminAddress'],
    message: 'is the address of the gateway itself; give it another port',
  }),
  z
    .object({ chain: z.object({ payTo, asset }).optional() })
    .refine((settings) => !isSame(settings.chain?.payTo, settings.chain?.asset), {
      path: ['chain', 'payTo'],
      message: tokensLost('the token'),
    }),
  z
    .object({ chain: z.object({ payTo }).optional(), proofLedger: z.object({ contract }).optional() })
    .refine((settings) => !isSame(settings.chain?.payTo, settings.proofLedger?.contract), {
      path: ['chain', 'payTo'],
      message: 'is the address of the proof ledger, which is on another chain; set it to an account of yours',
    }),
  ...(['arrivingBytesMax', 'heldBytesMax'] as const).map((name) =>
    atLeast(name, 'bodyBytesMax', ', or the gateway never accepts a body of that size'),
  ),
  atLeast('upstreamPauseMsMax', 'upstreamPauseMs'),
  z
    .object({ inferenceTimeoutMs, settlementMarginSeconds, offerValiditySeconds })
    .superRefine((settings, context) => {
      const least =
        Math.ceil(settings.inferenceTimeoutMs / 1_000) + settings.settlementMarginSeconds + signingSeconds;
      if (settings.offerValiditySeconds >= least) return;
      const message = `is ${settings.offerValiditySeconds}; it must be at least ${least}: advanced.inferenceTimeoutMs, advanced.settlementMarginSeconds and ${signingSeconds} seconds to sign. A shorter offer cannot be paid`;
      context.addIssue({ code: 'custom', path: ['offerValiditySeconds'], message });
    }),
];

/** The first issue of each setting: a number that is too large may be no safe whole number either. */
export function listIssues(settings: object): readonly z.core.$ZodIssue[] {
  const issues = [configSchema, ...relations].flatMap(
    (schema) => schema.safeParse(settings).error?.issues ?? [],
  );
  const paths = issues.map(({ path }) => JSON.stringify(path));
  return issues.filter((_, at) => paths.indexOf(paths[at] ?? '') === at);
}

type Places = { readonly host: string; readonly port: number; readonly adminAddress?: string | undefined };

/** Whether two servers can listen. Port 0 takes a free one. */
function isApart({ host, port, adminAddress = '' }: Places): boolean {
  const at = adminAddress.lastIndexOf(':');
  const [adminHost, adminPort] = [
    adminAddress.slice(0, at).replace(/^\[|\]$/g, ''),
    adminAddress.slice(at + 1),
  ];
  const isSameHost = adminHost === host || hasBoth(adminHost, host) || hasBoth(host, adminHost);
  return port === 0 || Number(adminPort) !== port || !isSameHost;
}

/** Whether the first host is a wildcard for both. That of IPv6 is one for IPv4 too. */
function hasBoth(host: string, other: string): boolean {
  return wildcards.includes(host) && (host.includes(':') || !other.includes(':'));
}

function isSame(address: string | undefined, other: string | undefined): boolean {
  return address !== undefined && address === other;
}

type Bound = 'arrivingBytesMax' | 'heldBytesMax' | 'bodyBytesMax' | 'upstreamPauseMsMax' | 'upstreamPauseMs';

function atLeast(name: Bound, least: Bound, reason = ''): z.ZodType {
  const both = z.object({ [name]: advancedSettings[name], [least]: advancedSettings[least] });
  const message = `must be at least advanced.${least}${reason}`;
  return both.refine((settings) => Number(settings[name]) >= Number(settings[least]), {
    path: [name],
    message,
  });
}
