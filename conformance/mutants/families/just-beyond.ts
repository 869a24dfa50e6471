import { reading } from '../edits.ts';
import { type Mutant, reads } from '../mutant.ts';
import type { Json } from '../wire-edits.ts';

/** Mutants that accept values near the valid ones (contract 2.1, 2.5). */
export const justBeyondMutants: readonly Mutant[] = [
  reads(
    'temperature-just-above-maximum',
    'accepts a `temperature` of 2.01 (chat)',
    ['body.chat.temperature.maximum'],
    reading('chat', lowered),
  ),
  reads(
    'text-temperature-just-above-maximum',
    'accepts a `temperature` of 2.01 (completions)',
    ['body.completions.temperature.range'],
    reading('completions', lowered),
  ),
  reads(
    'prompt-from-tokens',
    'accepts an array of tokens as `prompt`',
    ['body.completions.prompt.string'],
    reading('completions', ({ prompt, ...body }) =>
      Array.isArray(prompt) && prompt.every((token) => Number.isInteger(token))
        ? { ...body, prompt: 'One,' }
        : undefined,
    ),
  ),
];

function lowered(body: Json): Json | undefined {
  const { temperature } = body;
  const isJustAbove = typeof temperature === 'number' && temperature > 2 && temperature <= 2.05;
  return isJustAbove ? { ...body, temperature: 2 } : undefined;
}
