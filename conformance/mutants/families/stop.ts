import { serving } from '../edits.ts';
import { type Mutant, responds } from '../mutant.ts';
import { type Endpoint, withTexts } from '../wire-edits.ts';

const stopped = (endpoint: Endpoint) =>
  ({ endpoint, when: ({ text }: { readonly text: string }) => text.includes('"stop"') }) as const;

/** Mutants that ignore stop sequences (contract 2.1, 2.5). */
export const stopMutants: readonly Mutant[] = [
  responds(
    'stop-ignored',
    'goes on after a stop sequence of the request (chat)',
    ['served.stop'],
    serving((body) => withTexts(body, (text) => `${text}\n\npong`), stopped('chat')),
  ),
  responds(
    'text-stop-ignored',
    'goes on after a stop sequence of the request (completions)',
    ['served.stop'],
    serving((body) => withTexts(body, (text) => `${text}\n\nFive.`), stopped('completions')),
  ),
];
