/**
 * What must not be written down, and what stands there instead. It is known again in the forms that `formsOf` lists; in
 * another one, turned round or within other base64, it is not.
 */
export type Secrets = {
  /** Secrets are of ASCII, as hex and base64 are. */
  conceal(secret: string, placeholder: string): void;
  /**
   * The text with every secret replaced, whatever its letter case. With a maximum it is read no further than that many
   * characters of it need, and says how many are left out; a secret that straddles the cut is replaced like any other.
   */
  redact(text: string, charactersMax?: number): string;
};

/** One way to write a secret down. */
type Form = {
  /** Matches at its `lastIndex` only. */
  readonly pattern: RegExp;
  /** The two characters that it can begin with, in each way to write it; after one alone, any may follow. */
  readonly starts: readonly string[];
  /** The code of the third letter or digit, in lower case, where all ways to write the secret share it. */
  readonly thirdCode: number | undefined;
  /** Whether `0x` before it goes with it. */
  readonly isPrefixed: boolean;
  readonly secretLength: number;
  readonly placeholder: string;
};

/** Longer texts seldom come twice. */
const knownCharactersMax = 4_000;

export function createSecrets(): Secrets {
  const forms = new Map<string, readonly Form[]>();
  /** By the first two characters, so that a text is read once, however many secrets there are. */
  let byStart: ReadonlyMap<number, readonly Form[]> | undefined;
  /** Short texts come again and again in a transcript: each is read once. */
  const known = new Map<string, string>();

  function formAt(text: string, index: number): Form | undefined {
    byStart ??= indexOf([...forms.values()].flat());
    const alike = byStart.get(keyOf(lowerCode(text, index), lowerCode(text, index + 1)));
    if (alike === undefined) return undefined;
    const third = lowerCode(text, index + 2);
    const isPlain = isLetterOrDigit(third);
    return alike.find(({ pattern, thirdCode }) => {
      // A run conceals thousands of secrets: comparing a character is cheaper than running an expression.
      if (isPlain && thirdCode !== undefined && thirdCode !== third) return false;
      pattern.lastIndex = index;
      return pattern.test(text);
    });
  }

  function read(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
    let redacted = '';
    /** All before it is in `redacted`. */
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
      forms.set(secret, formsOf(secret, placeholder));
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

/** Characters beyond ASCII, and the end of the text: no secret begins with them. */
const otherCode = 128;

function lowerCode(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 65 && code <= 90) return code + 32;
  return code < otherCode ? code : otherCode;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

function keyOf(firstCode: number, secondCode: number): number {
  return firstCode * (otherCode + 1) + secondCode;
}

function indexOf(forms: readonly Form[]): ReadonlyMap<number, readonly Form[]> {
  const byStart = new Map<number, Form[]>();
  const anyCode = Array.from({ length: otherCode + 1 }, (_, code) => code);
  // Longest first: a secret that begins like another must not leave its end behind.
  for (const form of [...forms].sort((a, b) => b.secretLength - a.secretLength)) {
    const keys = form.starts.flatMap((start) =>
      (start.length > 1 ? [lowerCode(start, 1)] : anyCode).map((second) =>
        keyOf(lowerCode(start, 0), second),
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

/** Characters of base64 as they stand, as base64url has them, and as JSON, a URL or a form may write them. */
const disguises: Readonly<
  Record<string, { readonly pattern: string; readonly writings: readonly string[] }>
> = {
  '+': { pattern: '(?:\\+|-|%2b|\\\\u002b| )', writings: ['+', '-', '%2b', '\\u002b', ' '] },
  '/': { pattern: '(?:\\\\?/|_|%2f|\\\\u002f)', writings: ['/', '\\/', '_', '%2f', '\\u002f'] },
  // Padding may be left out.
  '=': { pattern: '(?:=|%3d|\\\\u003d)?', writings: ['=', '%3d', '\\u003d', ''] },
};

/** Of hex: bytes long enough to be no word of anybody's. */
const bytesMin = 16;

/** A secret as it stands; of hex also its bytes, as a colon or a space may part them, in base64, and as a number. */
function formsOf(secret: string, placeholder: string): readonly Form[] {
  const about = { secretLength: secret.length, placeholder };
  const [, prefix, digits = ''] = /^(0x)?((?:[0-9a-f]{2})+)$/i.exec(secret) ?? [];
  if (digits.length < 2 * bytesMin) return [{ ...literalForm(secret), ...about }];
  const number = BigInt(`0x${digits}`).toString();
  const pairs = digits.match(/../g) ?? [];
  const bytes = {
    ...beginningOf(digits),
    pattern: sticky(pairs.join('[:\\s-]?')),
    isPrefixed: prefix !== undefined,
  };
  const numeral = { ...beginningOf(number), pattern: sticky(`\\b${number}\\b`), isPrefixed: false };
  const base64 = literalForm(Buffer.from(digits, 'hex').toString('base64'));
  return [bytes, numeral, base64].map((form) => ({ ...form, ...about }));
}

function literalForm(text: string) {
  const parts = [...text].map(
    (character) => disguises[character]?.pattern ?? character.replace(/[.*?^${}()|[\]\\]/, '\\$&'),
  );
  return { ...beginningOf(text), pattern: sticky(parts.join('')), isPrefixed: false };
}

function beginningOf(text: string): Pick<Form, 'starts' | 'thirdCode'> {
  // Each of the three stands for itself alone, so the third character has one place.
  const isPlain = /^[a-z0-9]{3}/i.test(text);
  return { starts: startsOf(text), thirdCode: isPlain ? lowerCode(text, 2) : undefined };
}

function startsOf(text: string): readonly string[] {
  const [first = [], second = ['']] = [...text].slice(0, 2).map(writingsOf);
  return first.flatMap((one) => second.map((two) => (one + two).slice(0, 2)));
}

function writingsOf(character: string): readonly string[] {
  return disguises[character]?.writings ?? [character];
}

function sticky(source: string): RegExp {
  return new RegExp(source, 'iy');
}
