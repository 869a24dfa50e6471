import { expect, it } from 'vitest';
import { chooseLogStyle } from './log-style.ts';

it.each([
  [null, true, {}, 'pretty', true],
  [null, false, {}, 'json', false],
  ['json', true, {}, 'json', false],
  ['pretty', false, {}, 'pretty', false],
  [null, true, { NO_COLOR: '1' }, 'pretty', false],
  [null, true, { NO_COLOR: '' }, 'pretty', true],
] as const)(
  'With LOG_FORMAT %j, terminal %j and environment %j the format is %s, with colours: %j (D-190)',
  (asked, isTerminal, environment, format, hasColours) => {
    expect(chooseLogStyle(asked, isTerminal, environment)).toEqual({ format, hasColours });
  },
);
