import { expect, it } from 'vitest';
import { countSeen } from './book.ts';
import { judgeOverload } from './overload.ts';

const refusal = { kind: 'response', status: 503, code: 'overloaded', retryAfterSeconds: 1 } as const;

it.each([
  ['three times the capacity', 300, true],
  ['less than that', 299, false],
])('judges an overload of %s by the requests that were sent (D-385)', (_, sent, holds) => {
  const counts = countSeen();
  for (let request = 0; request < sent; request += 1) counts.note(refusal);
  const law = judgeOverload({ counts, notSent: 20, time: [5_000, 15_000] }, 10);
  expect(law).toMatchObject({ holds, figures: expect.stringContaining(`20 of ${sent + 20} were not sent`) });
});
