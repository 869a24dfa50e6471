import { quotesIn } from './quotes.ts';

/** Polite openings, which are ignored. */
const courtesy = '(?:(?:please|now|then|hi|hello|just|can you|could you|would you),? ){0,3}';
/** `say`, `repeat after me`, `reply with exactly` and the like, up to the words to repeat. */
const request = new RegExp(
  `^${courtesy}(?:(?:say|repeat|echo)(?: (?:after me|back|exactly|only|just|the following|this|the words?|the phrase))*|` +
    '(?:reply|respond|answer)(?: only| just)? with(?: exactly| only| just| nothing but| the(?: single| exact)? (?:words?|phrase|text|string))*)' +
    ' ?[:,-]? ',
  'i',
);
/** The request must be within this many characters, so that a hostile text cannot slow the search. */
const requestCharactersMax = 200;
/** Beginnings that are no words to repeat: `say something nice` is another request. */
const noEcho =
  /^(?:something|anything|what|why|how|if|whether|when|where|who|it|that|the|a|an|your|my|one|only|in)\b/i;
/** The most characters of an echo; the longest completion of the catalog is shorter. */
const echoCharactersMax = 131_072;

/** The words that the user wants repeated; null when there are none. */
export function findEcho(text: string): string | null {
  const line = text.slice(0, echoCharactersMax).trim();
  const head = line.slice(0, requestCharactersMax).replaceAll(/\s/g, ' ');
  const begun = request.exec(`${head} `)?.[0].length;
  if (begun === undefined) return null;
  const rest = line.slice(begun).trim();
  const [quoted] = /^["“'`«]/.test(rest) ? quotesIn(rest) : [];
  if (quoted !== undefined) return quoted;
  if (rest === '' || noEcho.test(rest)) return null;
  return rest.replace(/,? and nothing (?:else|more)[.!]?$/i, '').replace(/^(\S+)\.$/, '$1');
}
