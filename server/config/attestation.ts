import { z } from 'zod';
import { providerKinds } from '../proof/attestation/provider.ts';
import { milliseconds } from './numbers.ts';

// What answers there is trusted to be nitriding, with no certificate asked for.
const localUrl = z
  .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
  .refine((url) => loopback.has(URL.parse(url)?.hostname ?? ''), {
    message: 'must be on this machine: 127.0.0.1, localhost or [::1]',
  });
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Who attests to the enclave key, and where to find it (D-75). */
export const attestation = z
  .strictObject({
    /** `auto` takes the first of the others that makes a report; one that is named must. */
    provider: z.enum(['auto', ...providerKinds]).default('auto'),
    /** `hardware` refuses to start where no hardware made a report. */
    required: z.enum(['none', 'hardware']).default('none'),
    /** How long one report may take. */
    timeoutMs: milliseconds.default(10_000),
    tsmFolder: z.string().min(1).default('/sys/kernel/config/tsm/report'),
    dstackSocket: z.string().min(1).default('/var/run/dstack.sock'),
    confidentialSpaceSocket: z.string().min(1).default('/run/container_launcher/teeserver.sock'),
    nitridingInternalUrl: localUrl.default('http://127.0.0.1:8080'),
    nitridingPublicUrl: localUrl.default('https://127.0.0.1:443'),
    /** What tells an AWS Nitro enclave from another machine. */
    nsmDevice: z.string().min(1).default('/dev/nsm'),
  })
  .refine(({ provider, required }) => provider !== 'software' || required === 'none', {
    path: ['provider'],
    message: 'must be another where required is hardware: software is none',
  })
  .prefault({});

export type AttestationSettings = Readonly<z.infer<typeof attestation>>;
