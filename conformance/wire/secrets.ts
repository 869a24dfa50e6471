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
  /** The texts of `startLength` characters with which the form can begin. A shorter form has shorter texts. */
  readonly starts: readonly string[];
  /** Whether a `0x` before the secret is replaced too. */
  readonly isPrefixed: boolean;
  readonly secretLength: number;
  readonly placeholder: string;
};

/**
 * The number of characters by which a form is looked up. A run conceals a thousand forms. With two characters, most
 * places of a text begin some form, and each costs a regular expression.
 */
const startLength = 4;

/** Longer texts are not cached, because they seldom repeat. */
const knownCharactersMax = 4_000;

export function createSecrets(): Secrets {
  const forms = new Map<string, readonly Form[]>();
  /** An index of all forms, so that a text is scanned once for all secrets. */
  let index: FormIndex | undefined;
  /** Cache of redacted short texts, which a transcript repeats often. */
  const known = new Map<string, string>();

  function formAt(text: string, at: number): Form | undefined {
    index ??= indexForms([...forms.values()].flat());
    const matches = ({ pattern }: Form) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    };
    return index.byStart.get(startAt(text, at))?.find(matches) ?? index.short.find(matches);
  }

  function read(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
    // Most payments come as a whole header. Their beginnings are alike, so the index would compare all of them.
    const whole = forms.get(text)?.[0]?.placeholder;
    if (whole !== undefined && whole.length <= charactersMax) return whole;
    let redacted = '';
    /** Text before this at is already in `redacted`. */
    let end = 0;
    let at = 0;
    while (at < text.length && redacted.length + at - end <= charactersMax) {
      const form = formAt(text, at);
      if (form === undefined) {
        at += 1;
        continue;
      }
      const hasPrefix = form.isPrefixed && at - end >= 2 && /0x/i.test(text.slice(at - 2, at));
      redacted += text.slice(end, hasPrefix ? at - 2 : at) + form.placeholder;
      at = form.pattern.lastIndex;
      end = at;
    }
    redacted += text.slice(end, at);
    const rest = redacted.length - charactersMax + text.length - at;
    return redacted.length > charactersMax
      ? `${redacted.slice(0, charactersMax)}… (${rest} more characters)`
      : redacted;
  }

  return {
    conceal(secret, placeholder) {
      if (secret.length === 0) return;
      forms.set(secret, listForms(secret, placeholder));
      index = undefined;
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

/** The characters of a text from a place on, as one number. */
function startAt(text: string, at: number): number {
  let start = 0;
  for (let offset = 0; offset < startLength; offset += 1) {
    start = start * (otherCode + 1) + lowerCode(text, at + offset);
  }
  return start;
}

type FormIndex = {
  /** Forms by the number of their first characters; see `startAt`. */
  readonly byStart: ReadonlyMap<number, readonly Form[]>;
  /** Forms with fewer characters than a start. */
  readonly short: readonly Form[];
};

function indexForms(forms: readonly Form[]): FormIndex {
  const byStart = new Map<number, Form[]>();
  const short: Form[] = [];
  // Longest first, so that a secret with the same beginning as a shorter one is replaced completely.
  for (const form of [...forms].sort((a, b) => b.secretLength - a.secretLength)) {
    if (form.starts.some((start) => start.length < startLength)) {
      short.push(form);
      continue;
    }
    for (const key of new Set(form.starts.map((start) => startAt(start, 0)))) {
      const alike = byStart.get(key);
      if (alike) alike.push(form);
      else byStart.set(key, [form]);
    }
  }
  return { byStart, short };
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

/** The characters that may stand between two bytes. The last one represents white space beyond ASCII. */
const separators = ['', ':', '-', ' ', '\t', '\n', '\v', '\f', '\r', '\u00a0'];

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
    starts: listStarts([[pairs[0] ?? ''], separators, [pairs[1] ?? '']]),
    pattern: sticky(pairs.join('[:\\s-]?')),
    isPrefixed: prefix !== undefined,
  };
  const numeral = { starts: listStarts([[number]]), pattern: sticky(`\\b${number}\\b`), isPrefixed: false };
  const base64 = literalForm(Buffer.from(digits, 'hex').toString('base64'));
  return [bytes, numeral, base64].map((form) => ({ ...form, ...about }));
}

function literalForm(text: string) {
  const parts = [...text].map(
    (character) => disguises[character]?.pattern ?? character.replace(/[.*?^${}()|[\]\\]/, '\\$&'),
  );
  const writings = [...text].map((character) => disguises[character]?.writings ?? [character]);
  return { starts: listStarts(writings), pattern: sticky(parts.join('')), isPrefixed: false };
}

/** The first characters of every text that the writings of the parts can form. */
function listStarts(parts: readonly (readonly string[])[]): readonly string[] {
  return parts
    .slice(0, startLength)
    .reduce<readonly string[]>(
      (starts, writings) =>
        starts.flatMap((start) =>
          start.length < startLength ? writings.map((writing) => start + writing) : [start],
        ),
      [''],
    )
    .map((start) => start.slice(0, startLength));
}

function sticky(source: string): RegExp {
  return new RegExp(source, 'iy');
}
