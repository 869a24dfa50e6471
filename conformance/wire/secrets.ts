/**
 * Replaces secrets by placeholders. It recognizes a secret in the forms of `listForms`, but not reversed or
 * within other base64.
 */
export type Secrets = {
  /** Adds a secret. Secrets are ASCII, like hex and base64. A known secret keeps its placeholder. */
  conceal(secret: string, placeholder: string): void;
  /**
   * Replaces every secret in the text, in any letter case. With a maximum, the result is cut to that many
   * characters and names the number of characters left out. A secret across the cut is replaced too.
   */
  redact(text: string, charactersMax?: number): string;
};

/** One form in which a secret may be written. */
type Form = {
  /**
   * The end of the secret if it begins at this place of the text. A regular expression for each form would be
   * compiled in each run, which took a fifth of the run.
   */
  readonly findEnd: (text: string, at: number) => number | undefined;
  /** The texts of `startLength` characters with which the form can begin. A shorter form has shorter texts. */
  readonly starts: readonly string[];
  /** Whether a `0x` before the secret is replaced too. */
  readonly isPrefixed: boolean;
  readonly secretLength: number;
  readonly placeholder: string;
};

/** A secret within a text, and the end of its place there. */
type Hit = { readonly form: Form; readonly end: number };

/**
 * The number of characters by which a form is looked up. A run conceals a thousand forms. With two characters, most
 * places of a text begin some form, and each costs a comparison.
 */
const startLength = 4;

/** Longer texts are not cached, because they seldom repeat. */
const knownCharactersMax = 4_000;

export function createSecrets(): Secrets {
  const forms = new Map<string, readonly Form[]>();
  /** An index of all forms, so that a text is scanned once for all secrets. */
  const index: FormIndex = { byStart: new Map(), short: [] };
  /** Cache of redacted short texts, which a transcript repeats often. */
  const known = new Map<string, string>();

  function hitAt(text: string, at: number): Hit | undefined {
    return findHit(index.byStart.get(startAt(text, at)), text, at) ?? findHit(index.short, text, at);
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
      const hit = hitAt(text, at);
      if (hit === undefined) {
        at += 1;
        continue;
      }
      const hasPrefix = hit.form.isPrefixed && at - end >= 2 && /0x/i.test(text.slice(at - 2, at));
      redacted += text.slice(end, hasPrefix ? at - 2 : at) + hit.form.placeholder;
      at = hit.end;
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
      if (secret.length === 0 || forms.has(secret)) return;
      const added = listForms(secret, placeholder);
      forms.set(secret, added);
      for (const form of added) addToIndex(index, form);
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

/** The first of the forms that the text has at a place. */
function findHit(forms: readonly Form[] = [], text: string, at: number): Hit | undefined {
  for (const form of forms) {
    const end = form.findEnd(text, at);
    if (end !== undefined) return { form, end };
  }
  return undefined;
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
  readonly byStart: Map<number, Form[]>;
  /** Forms with fewer characters than a start. */
  readonly short: Form[];
};

function addToIndex({ byStart, short }: FormIndex, form: Form): void {
  if (form.starts.some((start) => start.length < startLength)) {
    insert(short, form);
    return;
  }
  for (const key of new Set(form.starts.map((start) => startAt(start, 0)))) {
    const alike = byStart.get(key);
    if (alike) insert(alike, form);
    else byStart.set(key, [form]);
  }
}

/** Longest first, so that a secret with the same beginning as a shorter one is replaced completely. */
function insert(forms: Form[], form: Form): void {
  const shorter = forms.findIndex(({ secretLength }) => secretLength < form.secretLength);
  forms.splice(shorter === -1 ? forms.length : shorter, 0, form);
}

/** Base64 characters as themselves, as base64url, and as JSON, a URL or a form may escape them. */
const disguises: Readonly<Record<string, readonly string[]>> = {
  '+': ['+', '-', '%2b', '\\u002b', ' '],
  '/': ['/', '\\/', '_', '%2f', '\\u002f'],
  // Padding is optional.
  '=': ['=', '%3d', '\\u003d', ''],
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
    findEnd: (text: string, at: number) => endOfBytes(digits, text, at),
    isPrefixed: prefix !== undefined,
  };
  const numeral = {
    starts: listStarts([[number]]),
    findEnd: (text: string, at: number) => endOfNumber(number, text, at),
    isPrefixed: false,
  };
  const base64 = literalForm(Buffer.from(digits, 'hex').toString('base64'));
  return [bytes, numeral, base64].map((form) => ({ ...form, ...about }));
}

function literalForm(secret: string) {
  return {
    starts: listStarts([...secret.slice(0, startLength)].map((each) => disguises[each] ?? [each])),
    findEnd: (text: string, at: number) => endOfLiteral(secret, text, at),
    isPrefixed: false,
  };
}

/** The end of the secret in any of its writings, if it begins at this place. */
function endOfLiteral(secret: string, text: string, at: number): number | undefined {
  let end = at;
  for (let index = 0; index < secret.length; index += 1) {
    const writings = disguises[secret.charAt(index)];
    if (writings === undefined) {
      if (lowerCode(text, end) !== lowerCode(secret, index)) return undefined;
      end += 1;
    } else {
      const writing = writings.find((each) => hasAt(text, end, each));
      if (writing === undefined) return undefined;
      end += writing.length;
    }
  }
  return end;
}

/** The end of the digits, if they begin at this place. One character may stand between two bytes. */
function endOfBytes(digits: string, text: string, at: number): number | undefined {
  let end = at;
  for (let index = 0; index < digits.length; index += 1) {
    const code = lowerCode(digits, index);
    const isBetween = index > 0 && index % 2 === 0;
    if (isBetween && lowerCode(text, end) !== code && /[:\s-]/.test(text.charAt(end))) end += 1;
    if (lowerCode(text, end) !== code) return undefined;
    end += 1;
  }
  return end;
}

/** The end of the number, if it begins at this place and is no part of a longer word. */
function endOfNumber(number: string, text: string, at: number): number | undefined {
  const end = at + number.length;
  if (!text.startsWith(number, at)) return undefined;
  return [at - 1, end].some((beside) => /\w/.test(text.charAt(beside))) ? undefined : end;
}

/** Whether the text has a writing at a place, in any letter case. */
function hasAt(text: string, at: number, writing: string): boolean {
  for (let index = 0; index < writing.length; index += 1) {
    if (lowerCode(text, at + index) !== lowerCode(writing, index)) return false;
  }
  return true;
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
