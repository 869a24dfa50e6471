import { expect, it } from 'vitest';
import { renderFor } from '../report/formats.ts';
import { renderTree } from '../report/tree.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { noColours } from '../testing/sample-reports.ts';

it('redacts signatures that a target repeats in a header name, in base64 or in a resource', async () => {
  const signatures = new Set<string>();
  let last = '';
  await using target = await startFakeTarget(({ isSigned, offer, finish }) => ({
    isSigned(payment, offered) {
      last = payment.signature.replace(/^0x/, '');
      // A signature of zeros needs no redaction.
      if (last.length === 130 && /[1-9a-f]/i.test(last)) signatures.add(last);
      return isSigned(payment, offered);
    },
    offer(endpoint, url) {
      const sound = offer(endpoint, url);
      return { ...sound, resource: `${url}/${last}?s=${last}`, description: last };
    },
    finish(reply, endpoint) {
      const finished = finish(reply, endpoint);
      const reported = { [`x-${last}`]: '1', 'x-payment-told': escapedBase64(last) };
      return { ...finished, headers: { ...finished.headers, ...reported } };
    },
  }));
  const journal = memoryJournal();
  const caps = { perRequestUnits: 2_000n, totalUnits: 100_000n };
  const report = await judged(target, { funded: { privateKey: target.payerKey, caps, journal } });

  const files = ['report.json', 'report.html', 'junit.xml', 'summary.md'].map((file) =>
    renderFor(file)?.(report),
  );
  const written = [
    ...files,
    renderTree(report, noColours),
    JSON.stringify(journal.rows),
    ...decoded(report),
  ].join('\n');
  expect(signatures.size).toBeGreaterThan(20);
  expect([...signatures].filter((signature) => written.includes(signature))).toEqual([]);
  expect(journal.rows.map(({ resource }) => resource)).toContain(`${target.url}/v1/completions/<signature>`);
  expect(written).toContain('x-<signature>');
}, 60_000);

/** The base64 of JSON that contains the text only in escaped form. */
function escapedBase64(text: string): string {
  const escaped = text.replace(/^./, (first) => `\\u00${first.charCodeAt(0).toString(16)}`);
  return Buffer.from(`{"said":"${escaped}"}`).toString('base64');
}

function decoded({ exchanges }: Awaited<ReturnType<typeof judged>>): readonly string[] {
  const values = exchanges.flatMap(({ response }) => Object.values(response?.headers ?? {}));
  return values.map((value) => Buffer.from(value, 'base64').toString());
}
