import type { Report, RunVerdict } from '../engine/report.ts';

const colours = {
  conformant: 'brightgreen',
  'conformant-with-warnings': 'yellowgreen',
  'non-conformant': 'red',
  incomplete: 'orange',
  'suite-error': 'lightgrey',
} as const satisfies Record<RunVerdict, string>;

/** The endpoint badge of shields.io: the number of verified MUST requirements and the total in scope. */
export function renderBadge({ contractVersion, profiles, filter, must, verdict }: Report): string {
  const scope = `${profiles.join('+')}${filter === null ? '' : ` ${filter}…`}`;
  const badge = {
    schemaVersion: 1,
    label: `paid inference ${contractVersion}`,
    message: `${scope}: ${must.verified}/${must.total} MUST${words[verdict]}`,
    color: colours[verdict],
    ...(verdict === 'suite-error' && { isError: true }),
  };
  return `${JSON.stringify(badge, null, 2)}\n`;
}

const words = {
  conformant: '',
  'conformant-with-warnings': '',
  'non-conformant': ', failed',
  incomplete: ', incomplete',
  'suite-error': ', suite error',
} as const satisfies Record<RunVerdict, string>;
