import { asTyped } from './as-typed.ts';
import { devnetKeyFile } from './key.ts';
import { exitCodes } from './outcome.ts';

/** The text of `--help` below the options. */
export const overview = asTyped(`
How a purchase goes: the program sends the request. The gateway returns 402 with a price. The program compares
the price with your limit and signs an authorization for exactly that amount. You send nothing to a chain and need
no gas. The program sends the same request with the authorization. The gateway returns the completion and a
receipt. After a lost response the program sends the same authorization again, so you pay once.

The key is never an argument, because other users can read arguments in the process list. It comes from
  --key-file or PAID_INFERENCE_KEY_FILE, else
  PAID_INFERENCE_KEY (the key itself), else
  ${devnetKeyFile}, the key that "npm start" writes for the payer of its devnet.

Steps go to standard error, the completion to standard output. NO_COLOR turns colours off.

Exit codes:
  ${exitCodes.done}  done; verify: every step is true
  ${exitCodes.refused}  your limit or the gateway refused the payment, or the gateway returned an error; verify: a step is false
  ${exitCodes.usage}  wrong usage
  ${exitCodes.unknown}  no response, or the payment's outcome is unknown, or standard output or the file of --save cannot be written; verify: a step is unknown (yet)
  ${exitCodes.ours}  an internal error of this program

Examples:
  npm run models
  npm run chat -- "What is 6 times 7?"
  npm run --silent chat -- "What is 6 times 7?" --json | jq -r .receipt.txHash
  npm run wallet -- new payer.key`);

export const chatExamples = asTyped(`
Examples:
  npm run chat -- "What is 6 times 7?" --max-tokens 50 --max-price 5000
  npm run chat -- "Who are you?" --system "Answer in one sentence." --temperature 0
  npm run chat -- "What is the weather in Oslo?" --tool weather.json --settlement-type private`);

export const completeExamples = asTyped(`
Example:
  npm run complete -- "Once upon a time" --max-tokens 50`);

export const walletExamples = asTyped(`
Examples:
  npm run wallet -- --rpc http://127.0.0.1:8545
  npm run wallet -- new payer.key`);

export const proxyExamples = asTyped(`
The proxy serves /v1/chat/completions, /v1/completions and /v1/models. Tools take its URL as base URL and its access
token as API key. With a command, the proxy sets OPENAI_BASE_URL, OPENAI_API_BASE and OPENAI_API_KEY for this
command, and ends with its exit code. PAID_INFERENCE_PROXY_TOKEN can hold the access token too.

Examples:
  npm run proxy -- --upstream https://gateway.example --key-file payer.key
  npx paid-inference proxy --upstream https://gateway.example --key-file payer.key -- aider --model openai/alder/alder-mini`);

export const verifyExamples = asTyped(`
Each step is marked: ✓ true, ✗ false, ? unknown (yet).
  hashes       the hashes of request and response are those of the proof
  signature    the key in the proof signed the proof for this proof ledger
  key          the proof ledger has registered the key with its evidence, and has not revoked the key
  attestation  the evidence is valid and binds the key; "not a TEE" means that no hardware confirms the key
  inclusion    the proof ledger has nothing (private), the hashes (individual), or their Merkle root (batch)
  payment      the receipt's transaction moved the signed amount

The file holds your prompt, the completion and the payment. A settled payment is public on the chain.

Example:
  npm run chat -- "What is 6 times 7?" --settlement-type individual --save bought.json
  npm run verify -- bought.json --ledger-rpc http://127.0.0.1:8546 --chain-rpc http://127.0.0.1:8545 --ledger 0x… --token 0x… --wait 15`);
