import { takeTurn } from './work-turns.ts';

/**
 * The byte-pair encoding for counting tokens. Of the available ones it loads quickly and covers most scripts.
 */
export const encodingName = 'cl100k_base';

/**
 * Merging a piece takes quadratic time, and a run of one kind of character is one piece, so longer runs are
 * cut.
 */
const runCharactersMax = 64;
/** The longest part that is tokenized without a pause, which takes at worst some ten milliseconds. */
const turnCharactersMax = 2_048;
/** The most cached pieces. The library's own limit is ten times as high. */
const rememberedPiecesMax = 10_000;

type Tokenizer = Awaited<ReturnType<typeof importTokenizer>>;
let loading: Promise<Tokenizer> | null = null;
let loaded: Tokenizer | null = null;

/**
 * Loads the tokenizer once. It takes 40 MB of memory and a quarter of a second. A gateway whose upstreams count
 * their tokens needs it only for streams (D-272).
 */
export async function loadTokenizer(): Promise<Tokenizer> {
  loading ??= importTokenizer();
  try {
    loaded = await loading;
    return loaded;
  } catch (cause) {
    // The system may have been out of open files.
    loading = null;
    throw cause;
  }
}

async function importTokenizer() {
  const [{ default: ranks }, { GptEncoding }] = await Promise.all([
    import('gpt-tokenizer/bpeRanks/cl100k_base'),
    import('gpt-tokenizer/GptEncoding'),
  ]);
  const encoding = GptEncoding.getEncodingApi(encodingName, () => ranks);
  encoding.setMergeCacheSize(rememberedPiecesMax);
  return { encoding, ranks };
}

/** A text may contain the spelling of a control token, such as an end-of-text mark. It is counted as text. */
const plainText = { disallowedSpecial: new Set<string>() };

/**
 * Counts the tokens of several texts. The count is that of the encoding, except that runs of over 64 letters,
 * spaces or marks are counted in parts. So the time is linear in the length of any text. Gives way to other
 * work between turns (D-200), and throws the signal's reason once it is aborted.
 */
export async function countTokens(texts: readonly string[], signal: AbortSignal): Promise<number> {
  const { encoding } = await loadTokenizer();
  let tokens = 0;
  await takeSegments(texts, signal, (segment) => {
    tokens += encoding.countTokens(segment, plainText);
    return true;
  });
  return tokens;
}

/**
 * Counts the tokens of a few words at once. Use `countTokens` for longer texts, because the time here has no
 * limit. Throws before the tokenizer is loaded.
 */
export function countTextTokens(text: string): number {
  if (loaded === null) throw new Error('the tokenizer is not loaded');
  return loaded.encoding.countTokens(text, plainText);
}

/** The beginning of a text: `tokens` is the number of taken tokens, `cut` tells whether there were more. */
export type Excerpt = { readonly text: string; readonly tokens: number; readonly cut: boolean };

/**
 * Takes the first `tokensMax` tokens of a well-formed text. A character whose last bytes are beyond the cut is
 * omitted, but its tokens count. Throws the signal's reason once it is aborted.
 */
export async function takeTokens(text: string, tokensMax: number, signal: AbortSignal): Promise<Excerpt> {
  const { encoding, ranks } = await loadTokenizer();
  let taken = '';
  let tokens = 0;
  let cut = false;
  await takeSegments([text], signal, (segment) => {
    const encoded = encoding.encode(segment, plainText);
    cut = tokens + encoded.length > tokensMax;
    const kept = cut ? encoded.slice(0, tokensMax - tokens) : encoded;
    taken += cut ? firstBytes(segment, countBytes(kept, ranks)) : segment;
    tokens += kept.length;
    return !cut;
  });
  return { text: taken, tokens, cut };
}

/** Passes segments to `take`, some in each turn, until `take` returns false. */
async function takeSegments(
  texts: readonly string[],
  signal: AbortSignal,
  take: (segment: string) => boolean,
): Promise<void> {
  const parts = listSegments(texts);
  while (await takeTurn(signal, () => takeSome(parts, take)));
}

function* listSegments(texts: readonly string[]): Generator<string> {
  for (const text of texts) yield* segments(text);
}

function takeSome(parts: Iterator<string>, take: (segment: string) => boolean): boolean {
  for (let worked = 0; worked < turnCharactersMax / 2; ) {
    const { value, done } = parts.next();
    if (done || !take(value)) return false;
    worked += value.length;
  }
  return true;
}

const longRun = new RegExp(
  ['\\p{L}', '\\s', '[^\\s\\p{L}\\p{N}]'].map((kind) => `${kind}{${runCharactersMax + 1},}`).join('|'),
  'gu',
);

/**
 * Yields parts whose tokens together are the tokens of the whole, if no run is too long and there are spaces.
 */
function* segments(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = turnEnd(text, start);
    const turn = text.slice(start, end);
    let from = 0;
    for (const run of turn.matchAll(longRun)) {
      for (let at = run.index; at < run.index + run[0].length; ) {
        at = wholeCharacters(turn, Math.min(at + runCharactersMax, run.index + run[0].length));
        yield turn.slice(from, at);
        from = at;
      }
    }
    if (from < turn.length) yield turn.slice(from);
    start = end;
  }
}

/** Ends a turn before a single space, where the encoding always begins a new piece, or else at the limit. */
function turnEnd(text: string, start: number): number {
  const latest = start + turnCharactersMax;
  if (latest >= text.length) return text.length;
  for (let end = latest; end > start + turnCharactersMax / 2; end--) {
    if (text[end] === ' ' && /\S/.test(text.charAt(end - 1)) && /\S/.test(text.charAt(end + 1))) return end;
  }
  return wholeCharacters(text, latest);
}

/** Moves a cut inside a surrogate pair to the end of the pair. */
function wholeCharacters(text: string, end: number): number {
  const before = text.charCodeAt(end - 1);
  const after = text.charCodeAt(end);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000 ? end + 1 : end;
}

function countBytes(tokens: readonly number[], ranks: Tokenizer['ranks']): number {
  return tokens.reduce((bytes, token) => bytes + tokenBytes(ranks[token]), 0);
}

function tokenBytes(token: string | readonly number[] | undefined): number {
  if (token === undefined) throw new Error('the encoding returned an unknown token');
  return typeof token === 'string' ? Buffer.byteLength(token) : token.length;
}

function firstBytes(text: string, length: number): string {
  const bytes = Buffer.from(text);
  let end = length;
  // A byte 10xxxxxx continues a character, so the cut moves before the byte that began it.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
