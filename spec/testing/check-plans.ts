/** A block that another test runs, or that no test can run, with the reason. */
export type CheckPlan = { readonly testedBy: string } | { readonly notRun: string };

const forMinutes = 'It runs for minutes.';
const isThisTest = 'It would start this test again.';
const needsRegistry = 'It downloads from a registry.';
const changesSources = 'It writes into the sources. The tests of spec/scripts run its functions.';
const otherLanguages = { testedBy: 'client/other-languages-programs.test.ts' };
const clientTest = { testedBy: 'conformance/cli/client.test.ts' };
const projectClient = `npm run conformance -- client -- sh -c 'node client/cli.ts chat "Say pong." --url "$CONFORMANCE_URL" --key-file "$CONFORMANCE_KEY_FILE" --model "$CONFORMANCE_MODEL" --max-price "$CONFORMANCE_PRICE_MAX" --token "$CONFORMANCE_TOKEN" --pay-to "$CONFORMANCE_PAY_TO" --rpc "$CONFORMANCE_RPC_URL"'`;
const needsPostgres = 'It needs the programs of PostgreSQL.';
const packTest = { testedBy: 'conformance/pack.test.ts' };
/** `npm run test:python` runs these programs. */
const pythonPrograms = { testedBy: 'client/python/tests/test_readme.py' };

/** The blocks that this test does not run. It only checks their scripts, options and folders. */
export const checkPlans: Readonly<Record<string, CheckPlan>> = {
  'README.md: client                                   gateway                               chain': {
    notRun: 'It is a picture.',
  },
  'server/MONITORING.md: scrape_configs:': { testedBy: 'server/telemetry/alerts.test.ts' },
  'pg_dump --format=custom --schema=paid_inference --file=store.dump "$DATABASE_URL"': {
    notRun: needsPostgres,
  },
  'psql --command=\'DROP SCHEMA IF EXISTS paid_inference CASCADE\' "$DATABASE_URL"': {
    notRun: needsPostgres,
  },
  'pg_restore --single-transaction --dbname="$DATABASE_URL" store.dump': { notRun: needsPostgres },
  'npm start': { testedBy: 'spec/testing/checkout.ts' },
  'npm start -- --json': { testedBy: 'server/main.test.ts' },
  'npm ci && npm run demo': { testedBy: 'client/demo.test.ts' },
  'npm ci && npm test': { notRun: isThisTest },
  'npm ci': { notRun: needsRegistry },
  'npm test': { notRun: isThisTest },
  'npm run test:unit': { notRun: isThisTest },
  'npm run test:changed': { notRun: isThisTest },
  'npm run test:all -- server/request': { notRun: isThisTest },
  'npm run typecheck': { notRun: 'It compiles all sources, which is a step of `npm test`.' },
  'npm run lint': { notRun: 'It is a step of `npm test`.' },
  'npm run check': { notRun: 'It is a step of `npm test`.' },
  'npm run check:generated': { notRun: 'It is a step of `npm test`.' },
  'npm run generate': { notRun: changesSources },
  'npm run prove:drift': { notRun: changesSources },
  'npm run pack': packTest,
  'npm run test:faults': { notRun: forMinutes },
  'npm run test:faults -- --seed 7 --markdown': { notRun: forMinutes },
  'npm run test:mutants': { notRun: forMinutes },
  "npm run test:mutants -- --only <prefix of the mutant's id> --repeat 2": { notRun: forMinutes },
  'npm run test:proofs': { notRun: 'It needs 20 seconds of both cores.' },
  'npm run test:python': { notRun: needsRegistry },
  'npm run test:browser': { notRun: 'It needs Chromium.' },
  'npm run test:web': { notRun: 'It needs Chromium.' },
  'npm run build:web': { notRun: changesSources },
  'npm run test:load': { notRun: forMinutes },
  'npm run test:scale': { notRun: forMinutes },
  "client/README.md: import { createClient, type SavedExchange, signerFromProvider, type WalletProvider } from '@paid-inference/client';":
    { testedBy: 'client/browser/purchase.test.ts' },
  'npm run bench': { notRun: 'It runs for more than an hour.' },
  'npm run bench -- --only k': { notRun: forMinutes },
  'npm run bench:store': { notRun: forMinutes },
  'npm run bench:settlement': { notRun: forMinutes },
  'npx node try.ts': { notRun: 'It is the command of the program in README.md, which the test runs.' },
  'npm install ./paid-inference-client-<version>.tgz': { notRun: needsRegistry },
  'npm install ./paid-inference-conformance-<version>.tgz': packTest,
  'npm install ./paid-inference-server-0.1.0.tgz': { notRun: needsRegistry },
  'npm install @opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace':
    { notRun: needsRegistry },
  'client/OTHER-LANGUAGES.md: {': { testedBy: 'client/other-languages.test.ts' },
  'client/OTHER-LANGUAGES.md: import base64, http.client, json, secrets, sys, time, urllib.error, urllib.request':
    otherLanguages,
  'client/OTHER-LANGUAGES.md: package main': otherLanguages,
  'pip install eth-account': { notRun: needsRegistry },
  'python3 buy.py http://127.0.0.1:8402 .data/devnet/payer.key 0x… 0x…': otherLanguages,
  'go mod init buy && go get github.com/ethereum/go-ethereum/crypto@v1.17.10': otherLanguages,
  'go run . http://127.0.0.1:8402 .data/devnet/payer.key 0x… 0x…': otherLanguages,
  'npx paid-inference-conformance client -- node buy-once.js': clientTest,
  'npm run conformance -- client -- node buy-once.js': clientTest,
  [projectClient]: { testedBy: 'conformance/clients/project-client.test.ts' },
  'npm run judge:clients': { notRun: needsRegistry },
  'npm run judge:faults': { notRun: needsRegistry },
  'npm run test:tools': { notRun: needsRegistry },
  'npm run lint:spectral': { notRun: needsRegistry },
  'npm run test:llama': { notRun: needsRegistry },
  'npm install --omit=optional node-llama-cpp@3.21.1 @node-llama-cpp/linux-x64@3.21.1': {
    notRun: needsRegistry,
  },
  'npm run test:stacks': { notRun: needsRegistry },
  'npm run test:stacks -- --only python': { notRun: needsRegistry },
  'npm run test:stacks -- --markdown': { notRun: needsRegistry },
  'conformance/STACKS.md: {': { testedBy: 'conformance/stacks/results.test.ts' },
  'conformance/STACKS.md: {"scenario": "pay-chat", "status": 200, "code": null, "param": null, "text": "6 * 7 = 42.", "txHash": "0x…"}':
    { testedBy: 'conformance/stacks/results.test.ts' },
  'pip install ./client/python openai': { notRun: needsRegistry },
  'client/python/README.md: from openai import OpenAI': pythonPrograms,
  'client/python/README.md: from langchain_openai import ChatOpenAI': pythonPrograms,
  'client/python/README.md: import litellm': pythonPrograms,
  'client/python/README.md: import requests': pythonPrograms,
  'conformance/README.md: // gateway.test.ts, run by your vitest (5 or later)': {
    testedBy: 'conformance/vitest.test.ts',
  },
  "conformance/README.md: import { openJournal, readKeyFile } from '@paid-inference/conformance';": {
    testedBy: 'conformance/vitest.test.ts',
  },
  'conformance/README.md: - uses: <owner>/<repository>/conformance@<commit>': {
    notRun: 'It needs a CI. conformance/action.test.ts runs the script of the action.',
  },
};
