import type { RequirementId } from '@paid-inference/contract/requirements';
import type { GatewayPorts } from '../../../server/gateway.ts';
import type { Engine, Inference } from '../../../server/inference/engine.ts';
import type { AuthorizationDigest } from '../../../server/payment/signature.ts';
import type { OpenChain } from '../../../server/start/open-chain.ts';
import { signatureIds } from '../families/signature.ts';
import type { PortsChange } from './gateway.ts';

/** A mutant made at a port of the reference gateway. */
export type PortMutant = {
  readonly id: string;
  readonly does: string;
  readonly place: string & keyof GatewayPorts;
  readonly kills: readonly RequirementId[];
  readonly change: PortsChange;
};

type Domain = Parameters<OpenChain['hasher']['domainSeparator']>[0];

/** Also accepts signatures in another domain. The gateway calls `digestOf` just before `recover`. */
function alsoIn(other: (domain: Domain) => Domain): PortsChange {
  return ({ digestOf, recovery }, { hasher, asset, tokenName }) => {
    let otherDigest: Uint8Array | undefined;
    let payer: string | undefined;
    const separator = hasher.domainSeparator(
      other({ name: tokenName, version: '1', chainId: 84_532, verifyingContract: asset }),
    );
    const remembering: AuthorizationDigest = (authorization) => {
      // The hasher reuses its buffer, so the digest needs a copy.
      otherDigest = Uint8Array.from(hasher.authorizationDigest(separator, authorization));
      payer = authorization.from;
      return digestOf(authorization);
    };
    return {
      digestOf: remembering,
      recovery: {
        ...recovery,
        recover(digest, rs, parity) {
          const other = otherDigest && recovery.recover(otherDigest, rs, parity);
          return other === payer ? (other ?? null) : recovery.recover(digest, rs, parity);
        },
      },
    };
  };
}

/** Changes the result of the engine. */
function inferring(change: (inference: Inference) => unknown): PortsChange {
  return ({ models }) => ({
    models: new Map(
      [...models].map(([id, model]) => {
        const engine: Engine = {
          ...model.engine,
          async infer(task, limits) {
            const inferred = await model.engine.infer(task, limits);
            // A mutant may return values that the type forbids.
            return inferred.ok ? { ok: true, value: change(inferred.value) as Inference } : inferred;
          },
        };
        return [id, { ...model, engine }];
      }),
    ),
  });
}

function offering(terms: Partial<Record<keyof GatewayPorts['terms'], unknown>>): PortsChange {
  return (ports) => ({ terms: { ...ports.terms, ...terms } as GatewayPorts['terms'] });
}

const isChat = (inference: Inference) => inference.kind === 'chat' && inference.finishReason === 'stop';

/** Mutants at the ports of the gateway, which programs that embed the gateway use as well. */
export const portMutants: readonly PortMutant[] = [
  {
    id: 'port-another-chain',
    does: 'also accepts a signature over a domain with `chainId` 84533',
    place: 'digestOf',
    kills: ['signature.domain.chainId', 'signature.completions'],
    change: alsoIn((domain) => ({ ...domain, chainId: 84_533 })),
  },
  {
    id: 'port-another-name',
    does: 'also accepts a signature over a domain with another `name`',
    place: 'digestOf',
    kills: ['signature.domain.name', 'signature.completions'],
    change: alsoIn((domain) => ({ ...domain, name: `${domain.name} Two` })),
  },
  {
    id: 'port-another-version',
    does: 'also accepts a signature over a domain with another `version`',
    place: 'digestOf',
    kills: ['signature.domain.version', 'signature.completions'],
    change: alsoIn((domain) => ({ ...domain, version: `${domain.version}0` })),
  },
  {
    id: 'port-wrong-domain',
    does: 'accepts only signatures over a domain with `chainId` 84533',
    place: 'digestOf',
    kills: [
      'signature.domain.chainId',
      'signature.completions',
      'funds.insufficient.402',
      'funds.insufficient.completions',
      'chat.200.status',
      'completions.200.status',
    ],
    change: (_ports, { hasher, asset, tokenName }) => {
      const domain = { name: tokenName, version: '1', chainId: 84_533, verifyingContract: asset };
      const separator = hasher.domainSeparator(domain);
      return { digestOf: (authorization) => hasher.authorizationDigest(separator, authorization) };
    },
  },
  {
    id: 'port-no-recovery',
    does: 'accepts every payer as the signer',
    place: 'recovery',
    kills: [...signatureIds(), 'served.receipt'],
    change: ({ digestOf, recovery }) => {
      let payer: ReturnType<typeof recovery.recover> = null;
      return {
        digestOf: (authorization) => {
          payer = authorization.from;
          return digestOf(authorization);
        },
        recovery: { ...recovery, recover: () => payer },
      };
    },
  },
  {
    id: 'port-base-url-of-another-host',
    does: 'names another host in `resource`, because its public base URL is wrong',
    place: 'terms',
    kills: ['offer.resource', 'offer.resource.per-endpoint'],
    change: offering({ publicBaseUrl: 'http://127.0.0.1:1' }),
  },
  {
    id: 'port-pay-to-a-name',
    does: 'sets `payTo` to a name instead of an address',
    place: 'terms',
    kills: ['offer.payTo'],
    change: offering({ payTo: 'merchant.example' }),
  },
  {
    id: 'port-no-validity',
    does: 'sets `maxTimeoutSeconds` of its offers to 0',
    place: 'terms',
    kills: ['offer.maxTimeoutSeconds', 'chat.200.status', 'completions.200.status'],
    change: offering({ offerValiditySeconds: 0 }),
  },
  {
    id: 'port-another-token-name',
    does: 'sets `extra.name` to another token name than it verifies signatures for',
    place: 'terms',
    kills: [
      'funds.insufficient.402',
      'funds.insufficient.completions',
      'chat.200.status',
      'completions.200.status',
    ],
    change: offering({ tokenName: 'Another Token' }),
  },
  {
    id: 'port-content-null',
    does: 'has an engine that returns null as the content of a chat',
    place: 'models',
    kills: ['chat.body.choices.message.content'],
    change: inferring((inference) =>
      isChat(inference) ? { ...inference, message: { role: 'assistant', content: null } } : inference,
    ),
  },
  {
    id: 'port-usage-in-fractions',
    does: 'has an engine that returns a fractional `prompt_tokens`',
    place: 'models',
    kills: ['chat.body.usage.prompt_tokens', 'completions.body.usage'],
    change: inferring((inference) => ({
      ...inference,
      usage: { ...inference.usage, prompt_tokens: inference.usage.prompt_tokens + 0.5 },
    })),
  },
  {
    id: 'port-finish-reason-unknown',
    does: 'has an engine that returns null as finish reason',
    place: 'models',
    kills: [
      'chat.body.choices.finish_reason',
      'completions.body.choices.finish_reason',
      'tools.finish-reason',
    ],
    change: inferring((inference) => ({ ...inference, finishReason: null })),
  },
  {
    id: 'port-clock-an-hour-ahead',
    does: 'has a clock that is one hour ahead',
    place: 'clock',
    // Every payment has expired by that clock, so the checks of insufficient_funds stay open (D-125).
    kills: ['chat.200.status', 'completions.200.status'],
    change: ({ clock }) => ({
      clock: {
        ...clock,
        nowSeconds: () => (clock.nowSeconds() + 3_600) as ReturnType<typeof clock.nowSeconds>,
      },
    }),
  },
  {
    id: 'port-no-room-for-bodies',
    does: 'accepts bodies of at most 64 bytes',
    place: 'bodyLimits',
    kills: ['unpaid.chat.402', 'unpaid.completions.402', 'payment.malformed'],
    change: ({ bodyLimits }) => ({ bodyLimits: { ...bodyLimits, bodyBytesMax: 64 } }),
  },
  {
    id: 'port-one-tool-fewer',
    does: 'allows no tools',
    place: 'taskLimits',
    kills: ['body.tool.accepted', 'body.valid.unpaid'],
    change: ({ taskLimits }) => ({ taskLimits: { ...taskLimits, toolsMax: 0 } }),
  },
];
