import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';

describe('LOG_FORMAT (D-190)', () => {
  it.each(['json', 'pretty'])('may be %s', (LOG_FORMAT) => {
    expect(loadConfig(null, { LOG_FORMAT })).toMatchObject({ ok: true, value: { logFormat: LOG_FORMAT } });
  });

  it.each([{}, { LOG_FORMAT: '' }])('is chosen by the terminal if it is not set: %j', (environment) => {
    expect(loadConfig(null, environment)).toMatchObject({ ok: true, value: { logFormat: null } });
  });

  it('is rejected with the valid values, beside all other faults', () => {
    expect(loadConfig(null, { LOG_FORMAT: 'xml', PORT: '-1' })).toEqual({
      ok: false,
      fault: [
        'port (PORT): is -1; it must be at least 0',
        'LOG_FORMAT: is "xml"; it must be one of json, pretty',
      ],
    });
  });
});
