import type { SiteFacts } from '../facts.ts';

/** Reads the facts of this gateway. Throws when the gateway does not respond. */
export async function readFacts(): Promise<SiteFacts> {
  const response = await fetch('/web/facts.json');
  if (!response.ok) throw new Error(`The gateway returned ${response.status} for its facts`);
  return (await response.json()) as SiteFacts;
}
