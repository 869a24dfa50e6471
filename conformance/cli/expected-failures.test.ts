import { expect, it } from 'vitest';
import { parseExpectedFailures, readExpectedFailures } from './expected-failures.ts';

const read = (text: string) => parseExpectedFailures(text, 'known.yaml');

it('reads id, reason and issue, and remembers the lines', () => {
  const text = `# Known until June.
- id: offer.maxAmountRequired
  reason: amounts are numbers
  issue: https://issues.example/7

- { id: receipt.payer, reason: names the recipient }
`;
  expect(read(text)).toEqual({
    ok: true,
    entries: [
      {
        requirement: 'offer.maxAmountRequired',
        reason: 'amounts are numbers',
        issue: 'https://issues.example/7',
        line: 2,
      },
      { requirement: 'receipt.payer', reason: 'names the recipient', line: 6 },
    ],
  });
  expect(read('[{"id": "receipt.payer", "reason": "JSON is YAML"}]')).toMatchObject({ ok: true });
});

it.each(['', '# nothing is expected to fail\n', '[]\n'])('reads a file without entries: %j', (text) => {
  expect(read(text)).toEqual({ ok: true, entries: [] });
});

it.each([
  ['an unknown id', '\n- id: offer.colour\n  reason: none\n', 2, 'no requirement is called offer.colour'],
  ['a name that every object has', '- id: constructor\n  reason: none\n', 1, 'called constructor'],
  ['an id without a reason', '- id: offer.payTo\n', 1, 'offer.payTo needs a reason'],
  ['an empty reason', '- id: offer.payTo\n  reason: " "\n', 1, 'needs a reason'],
  ['a reason without an id', '- reason: none\n', 1, 'needs an id'],
  ['an issue by its number', '- {id: offer.payTo, reason: none, issue: 7}\n', 1, 'is not a text'],
  ['a misspelt field', '- id: offer.payTo\n  reson: none\n', 1, 'unknown field reson'],
  [
    'the same id twice',
    '- {id: offer.payTo, reason: a}\n- {id: offer.payTo, reason: b}\n',
    2,
    'stands in line 1 already',
  ],
  ['what can never fail', '- {id: unpaid.402.body, reason: none}\n', 1, 'can never fail'],
  ['bare ids', '# known\n- offer.payTo\n', 2, 'not an entry of id and reason'],
  ['a map', 'offer.payTo: known\n', 1, 'not a list of id and reason'],
  ['a word', 'offer.payTo\n', 1, 'not a list'],
  ['a field that stands twice', '- id: offer.payTo\n  id: offer.payTo\n', 2, 'unique'],
  ['what is no YAML', '- id: offer.payTo\n  reason: "none\n', 3, ''],
])('names the line of %s', (_, text, line, words) => {
  const result = read(text);
  expect(result).toMatchObject({ ok: false, fault: expect.stringContaining(`known.yaml, line ${line}: `) });
  expect(result).toMatchObject({ fault: expect.stringContaining(words) });
});

it('says that a file is not there', () => {
  expect(readExpectedFailures('no/such.yaml')).toMatchObject({ ok: false });
});
