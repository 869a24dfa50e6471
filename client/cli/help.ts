import { devnetKeyFile } from './key.ts';
import { exitCodes } from './outcome.ts';

/** What `--help` says below the options. */
export const overview = `
How a purchase goes: the request is sent, the gateway answers 402 with its price, the price is held
against your limit, an authorization for exactly that amount is signed (nothing is sent to a chain by
you, and no gas is needed), and the same request is sent again with it. The answer comes with a receipt.
If an answer is lost, the same authorization is presented again, so that nothing is paid twice.

The key is never an argument: others could read it in the process list. It is taken from
  --key-file or PAID_INFERENCE_KEY_FILE, else
  PAID_INFERENCE_KEY (the key itself), else
  ${devnetKeyFile}, which "npm start" leaves for a funded payer of its devnet.

Steps go to standard error, the answer to standard output. NO_COLOR turns colours off.

Exit codes:
  ${exitCodes.done}  done; verify: every step is true
  ${exitCodes.refused}  not paid, because of your limit or of the gateway, or answered with an error; verify: a step is false
  ${exitCodes.usage}  wrong usage
  ${exitCodes.unknown}  no answer, or it is not known whether you were charged; verify: it cannot be told (yet)
  ${exitCodes.ours}  a fault of this program

Examples:
  npm run models
  npm run chat -- "What is 6 times 7?"
  npm run --silent chat -- "What is 6 times 7?" --json | jq -r .receipt.txHash
  npm run wallet -- new payer.key`;

export const chatExamples = `
Examples:
  npm run chat -- "What is 6 times 7?" --max-tokens 50 --max-price 5000
  npm run chat -- "Who are you?" --system "Answer in one sentence." --temperature 0
  npm run chat -- "What is the weather in Oslo?" --tool weather.json --settlement-type private`;

export const completeExamples = `
Example:
  npm run complete -- "Once upon a time" --max-tokens 50`;

export const walletExamples = `
Examples:
  npm run wallet -- --rpc http://127.0.0.1:8545
  npm run wallet -- new payer.key`;

export const verifyExamples = `
Each step is marked: ✓ true, ✗ false, ? it cannot be told (yet).
  hashes       request and answer are those that were proven
  signature    the proof is signed, for this ledger, by the key that it names
  key          the ledger knows that key, with that evidence, and it is not revoked
  attestation  the evidence stands and binds that key; "not a TEE" where nothing but the key vouches
  inclusion    the ledger has of it what was asked for: nothing, its hashes, or a root that it lies under
  payment      the receipt's transaction moved what was signed

The file holds your prompt, the answer, and the payment; once that has settled, it is public on the chain anyway.

Example:
  npm run chat -- "What is 6 times 7?" --settlement-type individual --save bought.json
  npm run verify -- bought.json --ledger-rpc http://127.0.0.1:8546 --chain-rpc http://127.0.0.1:8545 --ledger 0x… --token 0x… --wait 15`;
