/**
 * Replaces secrets by placeholders. It recognizes a secret in the forms of `listForms`, but not reversed or
 * within other base64.
 */
export type Secrets = {
  /** Adds a secret. Secrets are ASCII, like hex and base64. */
  conceal(secret: string, placeholder: string): void;
  /**
   * Replaces every secret in the text, in any letter case. With a maximum, the result is cut to that many
   * characters and names the number of characters left out. A secret across the cut is replaced too.
   */
  redact(text: string, charactersMax?: number): string;
};

/** One form in which a secret may be written. */
type Form = {
  /** Matches at its `lastIndex` only. */
  readonly pattern: RegExp;
  /** The two characters with which the form can begin. A single character stands for any second one. */
  readonly starts: readonly string[];
  /** Whether a `0x` before the secret is replaced too. */
  readonly isPrefixed: boolean;
  readonly secretLength: number;
  readonly placeholder: string;
};

/** Longer texts are not cached, because they seldom repeat. */
const knownCharactersMax = 4_000;

export function createSecrets(): Secrets {
  const forms = new Map<string, readonly Form[]>();
  /** Forms by their first two characters, so that a text is scanned once for all secrets. */
  let byStart: ReadonlyMap<number, readonly Form[]> | undefined;
  /** Cache of redacted short texts, which a transcript repeats often. */
  const known = new Map<string, string>();

  function formAt(text: string, index: number): Form | undefined {
    byStart ??= indexForms([...forms.values()].flat());
    const start = combineCodes(lowerCode(text, index), lowerCode(text, index + 1));
    return byStart.get(start)?.find(({ pattern }) => {
      pattern.lastIndex = index;
      return pattern.test(text);
    });
  }

  function read(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
    let redacted = '';
    /** Text before this index is already in `redacted`. */
    let end = 0;
    let index = 0;
    while (index < text.length && redacted.length + index - end <= charactersMax) {
      const form = formAt(text, index);
      if (form === undefined) {
        index += 1;
        continue;
      }
      const hasPrefix = form.isPrefixed && index - end >= 2 && /0x/i.test(text.slice(index - 2, index));
      redacted += text.slice(end, hasPrefix ? index - 2 : index) + form.placeholder;
      index = form.pattern.lastIndex;
      end = index;
    }
    redacted += text.slice(end, index);
    const rest = redacted.length - charactersMax + text.length - index;
    return redacted.length > charactersMax
      ? `${redacted.slice(0, charactersMax)}… (${rest} more characters)`
      : redacted;
  }

  return {
    conceal(secret, placeholder) {
      if (secret.length === 0) return;
      forms.set(secret, listForms(secret, placeholder));
      byStart = undefined;
      known.clear();
    },
    redact(text, charactersMax) {
      if (text.length > knownCharactersMax) return read(text, charactersMax);
      const key = `${charactersMax} ${text}`;
      const redacted = known.get(key) ?? read(text, charactersMax);
      known.set(key, redacted);
      return redacted;
    },
  };
}

/** Stands for characters beyond ASCII and the end of the text; no secret begins with them. */
const otherCode = 128;

function lowerCode(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 65 && code <= 90) return code + 32;
  return code < otherCode ? code : otherCode;
}

function combineCodes(firstCode: number, secondCode: number): number {
  return firstCode * (otherCode + 1) + secondCode;
}

function indexForms(forms: readonly Form[]): ReadonlyMap<number, readonly Form[]> {
  const byStart = new Map<number, Form[]>();
  const anyCode = Array.from({ length: otherCode + 1 }, (_, code) => code);
  // Longest first, so that a secret with the same beginning as a shorter one is replaced completely.
  for (const form of [...forms].sort((a, b) => b.secretLength - a.secretLength)) {
    const keys = form.starts.flatMap((start) =>
      (start.length > 1 ? [lowerCode(start, 1)] : anyCode).map((second) =>
        combineCodes(lowerCode(start, 0), second),
      ),
    );
    for (const key of new Set(keys)) {
      const alike = byStart.get(key);
      if (alike) alike.push(form);
      else byStart.set(key, [form]);
    }
  }
  return byStart;
}

/** Base64 characters as themselves, as base64url, and as JSON, a URL or a form may escape them. */
const disguises: Readonly<
  Record<string, { readonly pattern: string; readonly writings: readonly string[] }>
> = {
  '+': { pattern: '(?:\\+|-|%2b|\\\\u002b| )', writings: ['+', '-', '%2b', '\\u002b', ' '] },
  '/': { pattern: '(?:\\\\?/|_|%2f|\\\\u002f)', writings: ['/', '\\/', '_', '%2f', '\\u002f'] },
  // Padding is optional.
  '=': { pattern: '(?:=|%3d|\\\\u003d)?', writings: ['=', '%3d', '\\u003d', ''] },
};

/** Shorter hex is not searched as bytes, because ordinary words could match. */
const bytesMin = 16;

/**
 * The forms of a secret. A hex secret is also found as bytes with separators, as base64, and as a decimal
 * number.
 */
function listForms(secret: string, placeholder: string): readonly Form[] {
  const about = { secretLength: secret.length, placeholder };
  const [, prefix, digits = ''] = /^(0x)?((?:[0-9a-f]{2})+)$/i.exec(secret) ?? [];
  if (digits.length < 2 * bytesMin) return [{ ...literalForm(secret), ...about }];
  const number = BigInt(`0x${digits}`).toString();
  const pairs = digits.match(/../g) ?? [];
  const bytes = {
    starts: listStarts(digits),
    pattern: sticky(pairs.join('[:\\s-]?')),
    isPrefixed: prefix !== undefined,
  };
  const numeral = { starts: listStarts(number), pattern: sticky(`\\b${number}\\b`), isPrefixed: false };
  const base64 = literalForm(Buffer.from(digits, 'hex').toString('base64'));
  return [bytes, numeral, base64].map((form) => ({ ...form, ...about }));
}

function literalForm(text: string) {
  const parts = [...text].map(
    (character) => disguises[character]?.pattern ?? character.replace(/[.*?^${}()|[\]\\]/, '\\$&'),
  );
  return { starts: listStarts(text), pattern: sticky(parts.join('')), isPrefixed: false };
}

function listStarts(text: string): readonly string[] {
  const [first = [], second = ['']] = [...text].slice(0, 2).map(listWritings);
  return first.flatMap((one) => second.map((two) => (one + two).slice(0, 2)));
}

function listWritings(character: string): readonly string[] {
  return disguises[character]?.writings ?? [character];
}

function sticky(source: string): RegExp {
  return new RegExp(source, 'iy');
}
