import type { SiteFacts } from '../facts.ts';
import { link } from './root.ts';

/** The facts are read from the memory of the gateway. */
const timeoutMs = 15_000;

/** Reads the facts of this gateway. Throws when the gateway does not respond. */
export async function readFacts(): Promise<SiteFacts> {
  const response = await fetch(link('/web/facts.json'), { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`The gateway returned ${response.status} for its facts`);
  return (await response.json()) as SiteFacts;
}
