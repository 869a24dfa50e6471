/**
 * What must not be written down, and what stands there instead. It is known again in the forms that `patternOf` lists; in
 * another one, turned round or within other base64, it is not.
 */
export type Secrets = {
  conceal(secret: string, placeholder: string): void;
  /** The text with every secret replaced, whatever its letter case. */
  redact(text: string): string;
};

export function createSecrets(): Secrets {
  const placeholders = new Map<string, { readonly pattern: RegExp; readonly placeholder: string }>();
  return {
    conceal(secret, placeholder) {
      if (secret.length > 0) placeholders.set(secret, { pattern: patternOf(secret), placeholder });
    },
    redact(text) {
      // Longest first: a secret that contains another must not leave its ends behind.
      const secrets = [...placeholders].sort(([a], [b]) => b.length - a.length);
      return secrets.reduce(
        (rest, [, { pattern, placeholder }]) => rest.replace(pattern, () => placeholder),
        text,
      );
    },
  };
}

/** Base64 as it stands, as base64url, and as JSON, a URL or a form may write it. */
const disguises: Readonly<Record<string, string>> = {
  '+': '(?:\\+|-|%2b|\\\\u002b| )',
  '/': '(?:\\\\?/|_|%2f|\\\\u002f)',
  '=': '(?:=|%3d|\\\\u003d)?',
};

/** Of hex: bytes long enough to be no word of anybody's. */
const bytesMin = 16;

/** A secret as it stands; of hex also its bytes, as a colon or a space may part them, in base64, and as a number. */
function patternOf(secret: string): RegExp {
  const [, prefix = '', digits = ''] = /^(0x)?((?:[0-9a-f]{2})+)$/i.exec(secret) ?? [];
  if (digits.length < 2 * bytesMin) return new RegExp(literalOf(secret), 'gi');
  const pairs = digits.match(/../g) ?? [];
  const base64 = literalOf(Buffer.from(digits, 'hex').toString('base64'));
  const number = BigInt(`0x${digits}`).toString();
  return new RegExp(`${prefix && '(?:0x)?'}${pairs.join('[:\\s-]?')}|${base64}|\\b${number}\\b`, 'gi');
}

function literalOf(secret: string): string {
  const literal = [...secret].map(
    (character) => disguises[character] ?? character.replace(/[.*?^${}()|[\]\\]/, '\\$&'),
  );
  return literal.join('');
}
