/** How a test runs a command or a block of a page. */
export type RunPlan = {
  /** Replaces a service that a test does not have, or shortens the run. */
  readonly change?: (command: string) => string;
  /** For a block of another language: the file that gets the block. The command reads the file. */
  readonly file?: { readonly name: string; readonly content?: (code: string) => string };
  readonly command?: string;
  readonly exitCode?: number;
  /** Found in standard output or standard error. */
  readonly prints: RegExp;
};

const ledgerSettings = [
  'PROOF_LEDGER_RPC_URL=https://…',
  'PROOF_LEDGER_CHAIN_ID=…',
  'PROOF_LEDGER_CONTRACT=0x…',
  'PROOF_LEDGER_KEY_FILE=ledger.key',
].join(' ');
const realChain = 'CHAIN_RPC_URL=https://… TOKEN_ADDRESS=0x… TOKEN_NAME="…" PAY_TO=0x…';
const question = '"What is 6 times 7?"';
const caps = '--max-per-request 100000 --max-total 2700000';

const curlOptions = `-H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"model": "alder/alder-mini", "messages": [{"role": "user", "content": ${question}}]}'`;

const bought = /6 \* 7 = 42\./;
const conformant = /Exit code 0: conformant in scope\./;
const valid = /The settings are valid\./;
/** The gateway reads settings, keys and catalog, and ends. A test has no chain with ether of value. */
const checkConfig = '-- --check-config';
const help = (usage: RegExp): RunPlan => ({ change: (command) => `${command} -- --help`, prints: usage });
const append = (words: string, prints: RegExp): RunPlan => ({
  change: (command) => `${command} ${words}`,
  prints,
});

/** The beginning of a program for a block that uses a client. */
const clientProgram = `import { readFileSync } from 'node:fs';
import { createClient } from '@paid-inference/client';
import { Wallet } from 'ethers';
const client = createClient({
  baseUrl: 'https://gateway.example',
  signer: new Wallet(readFileSync('payer.key', 'utf8').trim()),
  rules: { amountPerRequestMax: 100_000n, amountTotalMax: 1_000_000n },
});
const model = 'alder/alder-mini';
const messages = [{ role: 'user' as const, content: 'Say pong.' }];
`;

/**
 * Each command, and each other block by its page and first line. The test keeps this order, because later commands use
 * files of earlier ones.
 */
export const runPlans: Readonly<Record<string, RunPlan>> = {
  // README.md
  [`npm run chat -- ${question}`]: { prints: bought },
  "README.md: import { readFileSync } from 'node:fs';": {
    file: {
      name: 'try.ts',
      content: (code) => code.replace('http://127.0.0.1:8402', 'https://gateway.example'),
    },
    command: 'npx node try.ts',
    prints: /0x[0-9a-f]{64}/,
  },
  // Other tests run whole profiles, which take seconds.
  'npm run conformance -- https://gateway.example': append('--filter offer.', conformant),
  'npm run conformance -- https://gateway.example --profile free,signed': append(
    '--filter offer.',
    conformant,
  ),
  [`npm run conformance -- https://gateway.example --profile all --key-file payer.key ${caps}`]: append(
    '--filter receipt.',
    /Signed 2 payments[\s\S]*Exit code 0: conformant in scope\./,
  ),
  "spec/PACKAGE.md: import { endpoints, headerNames } from '@paid-inference/contract/constants';": {
    file: { name: 'offer.ts' },
    command: 'npx node offer.ts',
    prints: /^1000$/m,
  },

  // client/README.md
  'client/README.md: const streamed = await client.streamChat({ model, messages });': {
    file: { name: 'stream.ts', content: (code) => `${clientProgram}${code}` },
    command: 'npx node stream.ts',
    prints: /^pong\ncompletion$/m,
  },
  "client/README.md: import { payingFetch } from '@paid-inference/client/paying-fetch';": {
    file: { name: 'openai-sdk.ts' },
    command: 'npx node openai-sdk.ts',
    prints: bought,
  },
  "client/README.md: import { createOpenAICompatible } from '@ai-sdk/openai-compatible';": {
    file: { name: 'other-sdks.ts' },
    command: 'npx node other-sdks.ts',
    prints: /6 \* 7 = 42\.\s+6 \* 7 = 42\./,
  },
  "client/README.md: import { readFileSync } from 'node:fs';": {
    // The test fills in values between double quotes.
    file: { name: 'x402.ts', content: (code) => code.replace("'0x…'", '"0x…"') },
    command: 'npx node x402.ts',
    prints: bought,
  },
  'npm run chat': help(/Usage: paid-inference chat/),
  'npm run complete': help(/Usage: paid-inference complete/),
  'npm run wallet': help(/Usage: paid-inference wallet/),
  'npm run verify': help(/Usage: paid-inference verify/),
  'npm run models': { prints: /alder\/alder-mini/ },
  'npm run -s chat -- "…" --json': { prints: /^\{[\s\S]*\}\n$/ },
  'npx paid-inference': append('--help', /chat[\s\S]*complete[\s\S]*models[\s\S]*wallet[\s\S]*verify/),
  'npx openapi-typescript generated/openapi.json --default-non-nullable=false -o types.ts': {
    prints: /types\.ts/,
  },
  [`npm run chat -- ${question} --settlement-type individual --save bought.json`]: { prints: bought },
  'npm run verify -- bought.json --ledger-rpc http://127.0.0.1:… --chain-rpc http://127.0.0.1:… --ledger 0x… --token 0x… --wait 15':
    { prints: /✓ hashes[\s\S]*✓ inclusion[\s\S]*✓ payment/ },

  // client/PROXY.md
  'npm run proxy -- --upstream https://gateway.example --key-file payer.key': append(
    '--port 0 -- npx node -e "console.log(process.env.OPENAI_BASE_URL)"',
    /127\.0\.0\.1:\d+\/v1\n[\s\S]*pays http[\s\S]*0 purchases/,
  ),
  'npm run proxy -- --upstream https://gateway.example --key-file payer.key --max-tokens 1000 -- aider --model openai/alder/alder-mini':
    {
      change: (command) => command.replace(/-- aider .*/, '--port 0 -- npx node -e "process.exit(3)"'),
      exitCode: 3,
      prints: /0 purchases/,
    },
  [`curl http://127.0.0.1:8403/v1/chat/completions ${curlOptions}`]: {
    change: () =>
      [
        "cat > curl.sh <<'END'",
        `TOKEN=$OPENAI_API_KEY && curl -s $OPENAI_BASE_URL/chat/completions ${curlOptions}`,
        'END',
        'npm run proxy -- --upstream https://gateway.example --key-file payer.key --port 0 -- sh curl.sh',
      ].join('\n'),
    prints: bought,
  },
  'npx paid-inference proxy': append('--help', /Usage: paid-inference proxy/),

  // server/README.md and server/SETTINGS.md
  'MALLOC_ARENA_MAX=1 NODE_OPTIONS=--max-semi-space-size=8 npx paid-inference-gateway': append(
    '--version',
    /^paid-inference-gateway \d/,
  ),
  'npx paid-inference-gateway': append('--version', /^paid-inference-gateway \d/),
  'npx paid-inference-gateway --help': { prints: /Usage: npm start/ },
  'npx node server/main.ts': append('--version', /^paid-inference-gateway \d/),
  'npm start --': append('--help', /Usage: npm start/),
  'npm start -- --check-config': { prints: valid },
  'npm start -- --print-config': { prints: /^advanced:/m },
  'npm start -- --settings': { prints: /^\| setting \| variable \| default \|/m },
  'npm start -- --env-file <file>': {
    change: () => 'echo PORT=8499 >other.env && npm start -- --env-file other.env --check-config',
    prints: /127\.0\.0\.1:8499/,
  },
  'ADMIN_ADDRESS=127.0.0.1:9402 npm start': append(checkConfig, valid),
  'npm run doctor': {
    // Another program may use the default port.
    change: (command) => `PORT=1 ${command}`,
    prints: /^warning +settings +The settings have no chain[\s\S]*^0 failed, \d+ warnings, \d+ ok$/m,
  },
  'npm run doctor -- --completions': {
    change: (command) => `PORT=1 ${command}`,
    prints: /^(ok|warning) +completions /m,
  },
  'npx paid-inference-gateway doctor': append('--help', /Usage: npm run doctor/),
  'npm run -s export > payments.csv': append('&& head -n 1 payments.csv', /^id,state,createdAt,/),
  'npm run -s export -- --reconcile': { exitCode: 2, prints: /needs a real chain/ },
  'npm run backup -- --out store.copy': { prints: /^Copied the store .*store\.copy\. Its key is in /m },
  'npx paid-inference-gateway backup': append('--help', /Usage: npm run backup/),
  'npm run wallet -- new relayer.key': { prints: /address +0x/ },
  [`${realChain} RELAYER_KEY_FILE=relayer.key ${ledgerSettings} PUBLIC_BASE_URL=https://gateway.example npm start`]:
    append(checkConfig, valid),
  'PROOF_LEDGER_RPC_URL=https://… npm run deploy:ledger -- --key-file admin.key --relayer 0x…': {
    prints: /PROOF_LEDGER_CHAIN_ID=\d+[\s\S]*PROOF_LEDGER_CONTRACT=0x/,
  },
  [`${realChain} FACILITATOR_URL=https://facilitator.example FACILITATOR_TOKEN=… PUBLIC_BASE_URL=https://gateway.example npm start`]:
    { change: (command) => `${ledgerSettings} ${command} ${checkConfig}`, prints: valid },
  'server/README.md: { "id": "alder/alder-mini", "created": 1700000000, "owned_by": "alder", "engine": "openai",':
    {
      file: { name: 'other-catalog.json', content: (code) => `{ "models": [ ${code} ] }` },
      command: `CATALOG_FILE=other-catalog.json UPSTREAM_KEY=key npm start ${checkConfig}`,
      prints: valid,
    },
  'server/README.md: "upstreams": [': {
    file: {
      name: 'upstreams-catalog.json',
      content: (code) =>
        `{ "models": [ { "id": "alder/alder-mini", "created": 1, "owned_by": "alder", "engine": "openai", ${code},
          "context_length": 8192, "max_output_tokens": 2048,
          "pricing": { "input_per_million": "1", "output_per_million": "1", "minimum": "1" } } ] }`,
    },
    command: `CATALOG_FILE=upstreams-catalog.json EXAMPLE_KEY=key npm start ${checkConfig}`,
    prints:
      /openai at http:\/\/10\.0\.0\.5:8000\/v1 with the weight 3, https:\/\/api\.example\/v1 with the weight 1/,
  },
  'server/README.md: { "id": "birch/birch-local", "created": 1700000000, "owned_by": "birch", "engine": "llama",':
    {
      file: { name: 'llama-catalog.json', content: (code) => `{ "models": [ ${code} ] }` },
      command: `CATALOG_FILE=llama-catalog.json npm start ${checkConfig}`,
      exitCode: 2,
      prints: /birch\/birch-local needs the package node-llama-cpp[\s\S]*models\/birch\.gguf cannot be read/,
    },
  'server/SETTINGS.md: port: 8402': {
    file: { name: 'example.yaml' },
    command: `RELAYER_KEY_FILE=relayer.key ${ledgerSettings} npm start -- --config example.yaml --check-config`,
    prints: valid,
  },

  // conformance/README.md
  'npx paid-inference-conformance https://gateway.example': append('--filter offer.', conformant),
  [`npm run conformance -- https://gateway.example --profile all --key-file payer.key ${caps} --dry-run`]: {
    prints: /2700000/,
  },
  'npx paid-inference-conformance --help': { prints: /Usage:/ },
  'npm run conformance -- <url>': append('--filter offer.', conformant),
  'conformance/README.md: # --expected-failures known.yaml': {
    file: { name: 'known.yaml' },
    command: 'npm run conformance -- <url> --expected-failures known.yaml --filter offer.',
    exitCode: 1,
    prints: /offer\.maxAmountRequired/,
  },
  'npm run conformance -- <url> --expected-failures known.yaml': {
    ...append('--filter offer.', /Exit code 1: /),
    exitCode: 1,
  },
  'npm run conformance -- http://127.0.0.1:1': { exitCode: 2, prints: /connection refused/ },
  'npm run -s conformance -- <url> > /dev/full': {
    change: (command) => command.replace(' >', ' --filter offer. >'),
    exitCode: 4,
    prints: /the disk is full/,
  },
  'npm run conformance -- <url> --filter unpaid.402.body': { exitCode: 3, prints: /Exit code 3: / },
};
