import type { z } from 'zod';

/** The time that a client has to sign and send the shortest offer. */
const signingSeconds = 5;

type Settings = {
  readonly bodyBytesMax: number;
  readonly arrivingBytesMax: number;
  readonly heldBytesMax: number;
  readonly inferenceTimeoutMs: number;
  readonly settlementMarginSeconds: number;
  readonly offerValiditySeconds: number;
  readonly upstreamPauseMs: number;
  readonly upstreamPauseMsMax: number;
};

/** Finds settings that would make every request or every payment fail later (D-177). */
export function checkContradictions(settings: Settings, context: z.core.$RefinementCtx<Settings>): void {
  const { bodyBytesMax, inferenceTimeoutMs, settlementMarginSeconds } = settings;
  const report = (name: keyof Settings, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const name of ['arrivingBytesMax', 'heldBytesMax'] as const)
    if (settings[name] < bodyBytesMax)
      report(
        name,
        'must be at least advanced.bodyBytesMax, or the gateway never accepts a body of that size',
      );
  if (settings.upstreamPauseMsMax < settings.upstreamPauseMs)
    report('upstreamPauseMsMax', 'must be at least advanced.upstreamPauseMs');
  const least = Math.ceil(inferenceTimeoutMs / 1_000) + settlementMarginSeconds + signingSeconds;
  if (settings.offerValiditySeconds < least) {
    report(
      'offerValiditySeconds',
      `is ${settings.offerValiditySeconds}; it must be at least ${least}: advanced.inferenceTimeoutMs, advanced.settlementMarginSeconds and ${signingSeconds} seconds to sign. A shorter offer cannot be paid`,
    );
  }
}
