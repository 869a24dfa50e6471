import { expect, it } from 'vitest';
import { parseExpectedFailures, readExpectedFailures } from './expected-failures.ts';

const read = (text: string) => parseExpectedFailures(text, 'known.yaml');

it('reads id, reason, issue and line', () => {
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
  ['an unknown id', '\n- id: offer.colour\n  reason: none\n', 2, 'unknown requirement offer.colour'],
  [
    'a name of the object prototype',
    '- id: constructor\n  reason: none\n',
    1,
    'unknown requirement constructor',
  ],
  ['an id without a reason', '- id: offer.payTo\n', 1, 'offer.payTo needs a reason'],
  ['an empty reason', '- id: offer.payTo\n  reason: " "\n', 1, 'needs a reason'],
  ['a reason without an id', '- reason: none\n', 1, 'needs an id'],
  ['a number as issue', '- {id: offer.payTo, reason: none, issue: 7}\n', 1, 'must be a string'],
  ['a misspelt field', '- id: offer.payTo\n  reson: none\n', 1, 'unknown field reson'],
  [
    'the same id twice',
    '- {id: offer.payTo, reason: a}\n- {id: offer.payTo, reason: b}\n',
    2,
    'is already listed in line 1',
  ],
  ['an observed requirement', '- {id: unpaid.402.body, reason: none}\n', 1, 'never fails'],
  ['bare ids', '# known\n- offer.payTo\n', 2, 'an entry must have id and reason'],
  ['a map', 'offer.payTo: known\n', 1, 'the file must be a list'],
  ['a word', 'offer.payTo\n', 1, 'must be a list'],
  ['a duplicate field', '- id: offer.payTo\n  id: offer.payTo\n', 2, 'unique'],
  ['invalid YAML', '- id: offer.payTo\n  reason: "none\n', 3, ''],
])('names the line of %s', (_, text, line, words) => {
  const result = read(text);
  expect(result).toMatchObject({ ok: false, fault: expect.stringContaining(`known.yaml, line ${line}: `) });
  expect(result).toMatchObject({ fault: expect.stringContaining(words) });
});

it('reports a missing file', () => {
  expect(readExpectedFailures('no/such.yaml')).toMatchObject({ ok: false });
});
