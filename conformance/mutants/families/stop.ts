import { serving } from '../edits.ts';
import { answers, type Mutant } from '../mutant.ts';
import { type Endpoint, withTexts } from '../wire-edits.ts';

const stopped = (endpoint: Endpoint) =>
  ({ endpoint, when: ({ text }: { readonly text: string }) => text.includes('"stop"') }) as const;

/** Mutants that ignore stop sequences (contract 2.1, 2.5). */
export const stopMutants: readonly Mutant[] = [
  answers(
    'stop-ignored',
    'goes on after a stop sequence of the request (chat)',
    ['served.stop'],
    serving((body) => withTexts(body, (text) => `${text}\n\npong`), stopped('chat')),
  ),
  answers(
    'text-stop-ignored',
    'goes on after a stop sequence of the request (completions)',
    ['served.stop'],
    serving((body) => withTexts(body, (text) => `${text}\n\nFive.`), stopped('completions')),
  ),
];
