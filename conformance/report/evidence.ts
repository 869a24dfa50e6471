import type { Report, Result } from '../engine/report.ts';
import { curlLine, responseLine } from './curl.ts';

/** How many exchanges are shown with a failure: the last ones, which decided it. */
const exchangesShownMax = 2;

/** The exchanges of a result: a curl line for the request, and the response. */
export function evidenceLines(
  { evidence }: Pick<Result, 'evidence'>,
  { exchanges }: Report,
): readonly string[] {
  return evidence.slice(-exchangesShownMax).flatMap((number) => {
    const entry = exchanges[number - 1];
    return entry ? [`#${number} ${curlLine(entry.request)}`, `   ← ${responseLine(entry)}`] : [];
  });
}
