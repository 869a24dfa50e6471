import { expect, it } from 'vitest';
import { createSecrets } from './secrets.ts';

it('blanks every secret, whatever its letter case, and leaves no end of a longer one', () => {
  const secrets = createSecrets();
  secrets.conceal('0xabc123', '<key>');
  secrets.conceal('0xabc123ff.+', '<signature>');
  expect(secrets.redact('0xABC123 and 0xabc123FF.+ and 0xabc12')).toBe('<key> and <signature> and 0xabc12');
});

it('leaves a text without secrets as it is', () => {
  expect(createSecrets().redact('nothing to hide')).toBe('nothing to hide');
});
