import type { Verdict } from '@paid-inference/client/verify';

/** One check that this browser ran, or did not run. */
export type ShownStep = {
  readonly title: string;
  readonly verdict: Verdict;
  readonly sentence: string;
};

const signs = { true: '✓', false: '✗', unknown: '?' } as const;
const words = { true: 'verified', false: 'false', unknown: 'not verified' } as const;

/** The checks with their verdicts. Colour, sign and word say the same. */
export function StepList({ steps }: { readonly steps: readonly ShownStep[] }) {
  return (
    <ul class="steps">
      {steps.map(({ title, verdict, sentence }) => (
        <li key={title}>
          <span class={`sign ${verdict}`} aria-hidden="true">
            {signs[verdict]}
          </span>
          <div>
            <strong>{title}</strong> <span class="quiet">– {words[verdict]}</span>
            <br />
            <span class="break quiet">{toSentence(sentence)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The origin of the data, which a visitor must know to judge the result of the browser. */
export function CheckNote({ result = 'these checks' }: { readonly result?: string }) {
  return (
    <p class="quiet">
      Your browser computed {result}. It read the chains through this gateway, which could hide or invent
      blocks. For a check that does not trust the gateway, run <code>npx paid-inference verify</code> with
      nodes of your choice.
    </p>
  );
}
