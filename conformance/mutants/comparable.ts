import type { EvidenceEntry, Report } from '../index.ts';

/** Replaces random values and times in a text by names that are equal in every run. */
type Naming = (text: string) => string;

/** The parts of a report without times, ports and random values: equal in all runs against one gateway. */
export function comparable(report: Report): readonly string[] {
  const { results, exchanges, verdict, exitCode, must, counts, spent } = report;
  const name = createNaming(report.target);
  return [
    JSON.stringify({ verdict, exitCode, must, counts, spent }),
    ...exchanges.map((entry) => comparableExchange(entry, name)),
    ...results.map(({ requirement, title, outcome, detail, evidence }) =>
      name(JSON.stringify({ requirement, title, outcome, detail, evidence })),
    ),
  ];
}

export type Witness = { readonly exchange: number; readonly request: string; readonly change: string };

type Compared = { readonly entry: EvidenceEntry; readonly text: string };

/** The exchanges of the sound gateway. Each mutant is compared with the same report. */
const comparedExchanges = new WeakMap<Report, readonly Compared[]>();

/** The first exchange of a run that differs from the run against a sound gateway. */
export function findWitness(sound: Report, changed: Report): Witness | undefined {
  const one = comparedExchanges.get(sound) ?? compareExchanges(sound);
  comparedExchanges.set(sound, one);
  const other = compareExchanges(changed);
  const index = other.findIndex(({ text }, at) => text !== one[at]?.text);
  const [before, after] = [one[index]?.entry, other[index]?.entry];
  if (!after) return undefined;
  const { method, url } = after.request;
  const words = (entry: EvidenceEntry | undefined) => entry?.response?.status ?? entry?.failure ?? 'nothing';
  return {
    exchange: after.number,
    request: `${method} ${new URL(url).pathname}`,
    change: `${words(before)} -> ${words(after)}`,
  };
}

function compareExchanges({ exchanges, target }: Report): readonly Compared[] {
  const name = createNaming(target);
  return exchanges.filter(isSettled).map((entry) => ({ entry, text: comparableExchange(entry, name) }));
}

/** Whether the number of such exchanges is fixed. The clock decides how often the suite requests a proof. */
function isSettled({ request }: EvidenceEntry): boolean {
  return !request.url.includes('/v1/proofs/');
}

function comparableExchange({ request, response, failure }: EvidenceEntry, name: Naming): string {
  const opened = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(headers).map(([each, value]) => [
        each,
        openingReceipts(opening(each.toLowerCase(), value)),
      ]),
    );
  return name(
    JSON.stringify({
      request: {
        ...request,
        url: openingReceipts(request.url),
        headers: opened(request.headers),
        body: request.body && openingReceipts(request.body),
      },
      ...(response && { response: joiningStream({ ...response, headers: opened(response.headers) }) }),
      failure,
    }),
  );
}

/** Replaces a base64 value by its decoded text and its padding: one random byte changes many letters. */
function opening(header: string, value: string): string {
  if (header === 'content-length') return 'some';
  // A transaction hash in hex, or the id of a completion, would also decode.
  if (!/^(?!0x|[a-z]+-[0-9a-f]+$)[A-Za-z0-9+/_-]{40,}={0,2}$/.test(value)) return value;
  const text = Buffer.from(value, 'base64').toString('utf8');
  return header.startsWith('x-payment-') ? `base64 of ${text} ${value.match(/=*$/)}` : `base64 of ${text}`;
}

/** The same for the receipts in a query, a request body or a bearer token (D-437). */
function openingReceipts(text: string): string {
  return text.replaceAll(/\beyJ[A-Za-z0-9+/_%=-]{40,}/g, (value) => opening('', decodeURIComponent(value)));
}

/**
 * A stream without its times: the text as one, and the proof only at its end. A model that ends before the settlement
 * gives whole texts and a proof in a header as well (D-272).
 */
function joiningStream({ status, headers, body }: NonNullable<EvidenceEntry['response']>) {
  const comment = openingProof(body);
  if (headers['content-type'] !== 'text/event-stream') return { status, headers, body: comment };
  const { 'x-inference-proof': _, ...others } = headers;
  let text = '';
  const events = comment.split('\n\n').map((event) =>
    event.replace(/(?<="(?:text|content)":")(?:[^"\\]|\\.)+/g, (part) => {
      text += part;
      return '<text>';
    }),
  );
  return { status, headers: others, text, body: events.filter((event, at) => event !== events[at - 1]) };
}

/** The same for the proof in the comment of a stream (D-267). */
function openingProof(body: string): string {
  return body.replace(/(?<=^: X-INFERENCE-PROOF: ).+$/im, (value) => opening('', value));
}

/** The letter case of a hex value. A change of the case alone must count as a difference. */
function describeLetterCase(hex: string): string {
  const digits = hex.replace(/^0x/, '');
  if (digits === digits.toLowerCase()) return 'lower case';
  return digits === digits.toUpperCase() ? 'capitals' : 'both cases';
}

function createNaming(target: string): Naming {
  const seen = new Map<string, string>();
  const numbered = (text: string) => {
    const known = seen.get(text) ?? `<value ${seen.size + 1} in ${describeLetterCase(text)}>`;
    seen.set(text, known);
    return known;
  };
  const { host } = new URL(target);
  return (text) =>
    text
      .replaceAll(host, '<target>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/(0x)?[0-9a-fA-F]{16,}/g, numbered)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/\b\d{9,}\b/g, (digits) => `<${digits.length} digits>`);
}
