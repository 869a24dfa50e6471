import { isDeepStrictEqual } from 'node:util';
import { decodeMarkedJson, member } from '../wire/base64-json.ts';
import { type Exchanges, readBody, readHeader, type Scenario } from './scenarios.ts';

/** Compares the line that a client printed with the recorded exchanges. Returns one sentence for each difference. */
export function compareLine(scenario: Scenario, exchanges: Exchanges, stdout: string): readonly string[] {
  const last = exchanges.at(-1);
  if (last === undefined) return ['The client sent no request.'];
  const { error, status } = { ...describeError(last.response), status: last.response.status };
  const faults: string[] = [];
  if (status !== scenario.status || error.code !== scenario.code)
    faults.push(
      `The last response is ${describe(status, error.code)}, not ${describe(scenario.status, scenario.code)}.`,
    );
  if (!scenario.isPlayed(exchanges))
    faults.push('The client sent other requests than the scenario asks for.');
  const line = decodeMarkedJson(stdout.trim());
  if (!line.ok) return [...faults, `The client did not print one line of JSON: ${stdout.slice(0, 300)}`];
  const wanted = {
    scenario: scenario.id,
    status,
    ...error,
    text: scenario.text(exchanges),
    txHash: readTxHash(exchanges),
  };
  for (const [name, value] of Object.entries(wanted)) {
    const printed = member(line.value, name);
    if (!isDeepStrictEqual(printed, value))
      faults.push(`${name} is ${JSON.stringify(printed)}, not ${JSON.stringify(value)}.`);
  }
  return faults;
}

/** The code and the parameter of an error body (§7, D-08). Both are null in an offer, whose `error` is a text. */
function describeError({ status, body }: { readonly status: number; readonly body: string }) {
  const error = status < 400 ? undefined : member(readBody({ body }), 'error');
  const [code, param] = ['code', 'param'].map((name) => member(error, name) ?? null);
  return { error: { code, param } };
}

function describe(status: number, code: unknown): string {
  return code === null ? `${status}` : `${status} ${code}`;
}

function readTxHash(exchanges: Exchanges): unknown {
  const receipts = exchanges.map((each) => readHeader(each, 'X-PAYMENT-RESPONSE'));
  return (
    member(
      receipts.findLast((receipt) => receipt !== undefined),
      'txHash',
    ) ?? null
  );
}
