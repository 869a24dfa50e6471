/**
 * `failed`: the gateway cannot start, sell or settle, or money may be lost. `warning`: the gateway sells, and something
 * needs attention.
 */
export type Status = 'ok' | 'warning' | 'failed';

/** The result of one check. */
export type Finding = {
  readonly check: CheckName;
  readonly status: Status;
  /** What was found, and what to do. */
  readonly text: string;
};

/** The checks in the order of the report. The names are stable, for programs that read the JSON. */
export const checkNames = [
  'settings',
  'models',
  'completions',
  'store',
  'chain',
  'token',
  'clock',
  'gas',
  'facilitator',
  'recipient',
  'proof-ledger',
  'attestation',
  'gateway',
  'tls',
  'public-url',
] as const;
export type CheckName = (typeof checkNames)[number];

export const ok = (check: CheckName, text: string): Finding => find(check, 'ok', text);
export const warning = (check: CheckName, text: string): Finding => find(check, 'warning', text);
export const failed = (check: CheckName, text: string): Finding => find(check, 'failed', text);

function find(check: CheckName, status: Status, text: string): Finding {
  return { check, status, text: toSentence(text) };
}

/** Health issues are phrases without a capital and a full stop. The name of a setting, as in `port (PORT)`, stays. */
function toSentence(text: string): string {
  const start = /^[a-z]+ (?!\()/.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;
  return /[.?!)]$/.test(start) ? start : `${start}.`;
}

/** The log of the checks: the doctor reports findings itself. */
export const silent = { info: () => undefined, warn: () => undefined };

/** The worst status of a report. */
export function worstOf(findings: readonly Finding[]): Status {
  const statuses = new Set(findings.map(({ status }) => status));
  if (statuses.has('failed')) return 'failed';
  return statuses.has('warning') ? 'warning' : 'ok';
}
