import type { Strike } from '../fault-proxy.ts';

/** A run of an unmodified tool through the proxy: a row of the table in PROXY.md. */
export type ToolRun = {
  /** The package on PyPI. `requirements-<package>.txt` pins it. */
  readonly tool: string;
  /** The text of the row. */
  readonly title: string;
  /** The fault between the proxy and the gateway, at the first payment. */
  readonly strike: Strike | null;
  /** Files in the folder of the tool. */
  readonly files: Readonly<Record<string, string>>;
  /** A script of the shell. */
  readonly script: string;
  /** What the tool prints, in turn. */
  readonly prints: readonly string[];
  /** A file after the run, with a text that it must have. */
  readonly wrote?: { readonly file: string; readonly text: string };
  readonly payments: number;
};

const question = 'What is 6 times 7?';
const computed = '6 * 7 = 42.';

// Without these options, aider asks questions, looks for versions of itself, and reads the folder into its prompt.
const aider = [
  'aider --model openai/alder/alder-mini --no-git --map-tokens 0 --yes-always --no-pretty --analytics-disable',
  '--no-check-update --no-show-release-notes --no-show-model-warnings --no-suggest-shell-commands --no-detect-urls',
].join(' ');
const repeated = 'def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return 2 * a\n';

const asking = {
  tool: 'aider-chat',
  files: {},
  script: `${aider} --message '${question}'`,
  prints: [computed],
  payments: 1,
} as const;

// llm reads its models and its keys from files in this folder.
const llm = `set -e
export LLM_USER_PATH="$PWD"
cat > extra-openai-models.yaml <<END
- model_id: alder
  model_name: alder/alder-mini
  api_base: $OPENAI_BASE_URL
  api_key_name: proxy
END
llm keys set proxy --value "$OPENAI_API_KEY"
llm -m alder '${question}'
llm -m alder --no-stream 'What is 7 times 7?'
llm -c 'Say thanks'
`;

export const toolRuns: readonly ToolRun[] = [
  { ...asking, title: `\`--message "${question}"\``, strike: null },
  {
    ...asking,
    title: 'a request to repeat a file with a new function',
    strike: null,
    files: {
      'sums.py': 'def add(a, b):\n    return a + b\n',
      'request.txt': `Repeat:\nsums.py\n\`\`\`\n${repeated}\`\`\`\n`,
    },
    script: `${aider} --edit-format whole --message-file request.txt sums.py`,
    prints: ['Applied edit to sums.py'],
    wrote: { file: 'sums.py', text: repeated },
  },
  {
    ...asking,
    title: 'the first run, with 503 after the response',
    strike: { fault: '503', moment: 'after' },
  },
  {
    ...asking,
    title: 'the first run, with a reset after the response',
    strike: { fault: 'reset', moment: 'after' },
  },
  {
    ...asking,
    title: 'the first run, with 500 before the gateway',
    strike: { fault: '500', moment: 'before' },
  },
  {
    tool: 'llm',
    title: 'a stream, a whole response, and a second turn',
    strike: null,
    files: {},
    script: llm,
    prints: [computed, '7 * 7 = 49.', 'thanks'],
    payments: 3,
  },
];
