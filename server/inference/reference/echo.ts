import { quotesIn } from './quotes.ts';

/** Polite openings that change nothing. */
const courtesy = '(?:(?:please|now|then|hi|hello|just|can you|could you|would you),? ){0,3}';
/** `say`, `repeat after me`, `reply with exactly` and their like, up to where the words to be said begin. */
const request = new RegExp(
  `^${courtesy}(?:(?:say|repeat|echo)(?: (?:after me|back|exactly|only|just|the following|this|the words?|the phrase))*|` +
    '(?:reply|respond|answer)(?: only| just)? with(?: exactly| only| just| nothing but| the(?: single| exact)? (?:words?|phrase|text|string))*)' +
    ' ?[:,-]? ',
  'i',
);
/** The request stands within this many characters, so that a hostile text cannot make the search slow. */
const requestCharactersMax = 200;
/** Words to be said would not begin like this: `say something nice` asks for something else. */
const noEcho =
  /^(?:something|anything|what|why|how|if|whether|when|where|who|it|that|the|a|an|your|my|one|only|in)\b/i;
/** As much as an echo repeats; a catalog's longest answer is shorter. */
const echoCharactersMax = 131_072;

/** What the user asks to be said word by word; null when nothing. */
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
