import type { Config } from '../config/schema.ts';
import { createHttpFacilitator } from '../settlement/facilitator/http-facilitator.ts';
import { createVersionChoice } from '../settlement/facilitator/version.ts';
import { type Finding, failed, ok } from './finding.ts';

/** Asks the facilitator which payments it supports. It gets no payment. */
export async function checkFacilitator(
  settings: NonNullable<Config['facilitator']>,
  token: string | null,
  { tokenName }: NonNullable<Config['chain']>,
): Promise<readonly Finding[]> {
  // Only payments need the terms.
  const terms = { publicBaseUrl: '', tokenName, offerValiditySeconds: 0 };
  const facilitator = createHttpFacilitator({ ...settings, token, terms });
  try {
    const choice = createVersionChoice(facilitator, settings.x402Version ?? null);
    const issue = await choice.healthIssue();
    if (issue !== null)
      return [
        failed('facilitator', `${issue}. Check FACILITATOR_URL and FACILITATOR_TOKEN, or ask its operator`),
      ];
    const signers = choice.knownSigners().join(', ');
    const from =
      signers === '' ? 'and does not name the accounts that it sends from' : `and sends from ${signers}`;
    return [ok('facilitator', `The facilitator supports x402 version ${await choice.current()}, ${from}`)];
  } finally {
    await facilitator.close();
  }
}
