import type { Secrets } from '../wire/secrets.ts';
import { scenarios } from './catalogue.ts';
import { countDelivered, isOverdue, listSigned, type Played, type Recorded } from './recording.ts';
import type { ScenarioReport } from './report.ts';

const outputCharactersMax = 1_000;

/** The counts and requests of a scenario, without secrets. */
export function describeScenario(played: Played, secrets: Secrets): ScenarioReport {
  const { scenario: id, requests, ends, settled } = played;
  const start = requests[0]?.atSeconds ?? 0;
  return {
    id,
    gateway: scenarios.find((each) => each.id === id)?.gateway ?? '',
    payments: settled.size,
    signatures: listSigned(played).length,
    completions: countDelivered(played),
    exitCodes: ends.map(({ exitCode }) => exitCode),
    isOverdue: isOverdue(played),
    requests: requests.map((each) => secrets.redact(describeRequest(each, start))),
    output: secrets.redact(ends.map(({ output }) => output).join(''), outputCharactersMax),
  };
}

function describeRequest(
  { atSeconds, method, path, isElsewhere, payment, reaction }: Recorded,
  start: number,
): string {
  const when = `${(atSeconds - start).toFixed(1)} s`;
  const where = isElsewhere ? ' at another origin' : '';
  return `${when}: ${method} ${path}${where}${describePayment(payment)} → ${reaction}`;
}

function describePayment(payment: Recorded['payment']): string {
  if (payment === undefined) return '';
  if (payment === 'unreadable') return ' with an unreadable payment';
  const { to, value, validAfter, validBefore, nonce } = payment.authorization;
  return ` with ${value} units to ${to}, valid ${validAfter} to ${validBefore}, nonce ${nonce}`;
}
