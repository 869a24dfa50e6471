// Generated from spec/ by `npm run generate`. Edit spec/, not this file.

export interface paths {
    readonly "/.well-known/x402": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Paid endpoints
         * @description Lists the paid endpoints, for directories of x402 services (D-287).
         */
        readonly get: operations["getPaidResources"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Liveness
         * @description Returns 200 while the process runs.
         */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The OpenAPI document
         * @description Returns this document, with the address, a model and the prices of the deployment (D-287).
         */
        readonly get: operations["getOpenApiDocument"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Readiness
         * @description Returns 200 when the gateway would serve a paid request now, else 503.
         */
        readonly get: operations["getReadiness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/attestation": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an attestation
         * @description Returns evidence about the machine, bound to the caller's nonce. Without a nonce, or for the signer of an
         *     older proof: the evidence of the key's registration on the proof ledger.
         */
        readonly get: operations["getAttestation"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/chat/completions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create a chat completion
         * @description Creates a chat completion (section 4.1). Without `X-PAYMENT` the gateway returns 402 and the offer. The
         *     same request with the signed authorization returns the completion and the receipt.
         */
        readonly post: operations["createChatCompletion"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/completions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create a text completion
         * @description Creates a text completion (section 4.2), with headers and payment flow of chat.
         */
        readonly post: operations["createCompletion"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/models": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List models
         * @description Lists the models with limits and prices.
         */
        readonly get: operations["listModels"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/models/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a model
         * @description Returns one model. The slash of the id may be encoded or not.
         */
        readonly get: operations["getModel"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/proofs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a proof
         * @description Returns the state of a proof of inference.
         */
        readonly get: operations["getProof"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An authorization in any dialect. */
        readonly AcceptedAuthorization: {
            /** @description Payer wallet address. */
            readonly from: components["schemas"]["EvmAddress"];
            /** @description Equal to `payTo` of the requirements. */
            readonly to: components["schemas"]["EvmAddress"];
            /**
             * @description Token smallest unit; at most `maxAmountRequired`. The reference gateway accepts only exactly that amount
             *     (D-17).
             */
            readonly value: components["schemas"]["UintDecimalString"];
            /** @description 32 random bytes, fresh for every payment. */
            readonly nonce: components["schemas"]["Bytes32Hex"];
            readonly validAfter: components["schemas"]["SecondsOnTheWire"];
            readonly validBefore: components["schemas"]["SecondsOnTheWire"];
        };
        /** @description The option that an x402 v2 client accepted. */
        readonly AcceptedOption: {
            readonly scheme?: string;
            readonly network?: string;
            readonly amount?: string;
            readonly asset?: string;
            readonly payTo?: string;
        };
        /** @description Signature and authorization in any dialect. */
        readonly AcceptedPayload: {
            /** @description Any string here: the signature check rejects a bad one with 401, not as a malformed payment (D-04). */
            readonly signature: string;
            readonly authorization: components["schemas"]["AcceptedAuthorization"];
        };
        /**
         * @description A payment in `X-PAYMENT` or `PAYMENT-SIGNATURE`: the contract's object, or an x402 v1 or v2 payment. The
         *     gateway compares the fields of x402 with the offer if they are present.
         */
        readonly AcceptedPayment: {
            readonly payload: components["schemas"]["AcceptedPayload"];
            /** Format: int32 */
            readonly x402Version?: number;
            readonly scheme?: string;
            readonly network?: string;
            readonly accepted?: components["schemas"]["AcceptedOption"];
            /** @description The extensions of an x402 v2 payment; the gateway reads `payment-identifier` (D-260). */
            readonly extensions?: unknown;
        };
        /** @description A message of the model. `content` is required unless the message has tool calls (section 2.2). */
        readonly AssistantMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly role: "assistant";
            /** @description Message text. Null or absent only with `tool_calls`. */
            readonly content?: string | null;
            /** @description Name of the participant. */
            readonly name?: string;
            /** @description The tool calls of the model. */
            readonly tool_calls?: readonly components["schemas"]["ToolCall"][];
        };
        /**
         * @description Evidence about the machine that holds an enclave key (D-30). The evidence contains `reportData`:
         *     sha256(`binding` ‖ 0x00 ‖ `publicKey` ‖ chain id as 32 bytes, big-endian ‖ proof ledger) followed by
         *     sha256(`nonce`).
         */
        readonly Attestation: {
            /**
             * @description The attestation provider: `software`, `configfs-tsm`, `dstack`, `nitriding` or `confidential-space`. An
             *     open set.
             */
            readonly provider: string;
            /** @description False unless a trusted execution environment signed the evidence. */
            readonly hardware: boolean;
            /** @description For people. Says "not a TEE" when the gateway runs in none. */
            readonly statement: string;
            /** @description Address of the enclave key. */
            readonly signer: components["schemas"]["EvmAddress"];
            /** @description The public enclave key: 65 bytes, uncompressed. */
            readonly publicKey: components["schemas"]["HexBytes"];
            /** @enum {string} */
            readonly binding: "paid-inference/enclave-key/v1";
            readonly ledger: components["schemas"]["LedgerDomain"];
            /** @description The caller's nonce; 32 zero bytes for the evidence of the key's registration. */
            readonly nonce: components["schemas"]["Bytes32Hex"];
            /** @description The 64 bytes that bind key, proof ledger and nonce to the evidence. */
            readonly reportData: components["schemas"]["HexBytes"];
            /**
             * @description The format of the evidence, such as `software-statement`, `tdx-quote`, `sev-snp-report`, `nitro-document`
             *     or `jwt`.
             */
            readonly format: string;
            readonly evidence: components["schemas"]["Base64Bytes"];
            /** @description keccak256 of the evidence; with the zero nonce, the hash that the proof ledger has for this key. */
            readonly evidenceHash: components["schemas"]["Bytes32Hex"];
            /** @description Certificates that came with the evidence. */
            readonly certificates?: components["schemas"]["Base64Bytes"];
            /** @description Measurements by the provider's names. */
            readonly measurements?: {
                readonly [key: string]: string;
            };
            readonly issuedAt: components["schemas"]["UnixSeconds"];
        };
        /** @description The attestation of a signer. */
        readonly AttestationSummary: {
            /** @description The attestation provider. `software` means that only the process itself attests (D-30). */
            readonly provider: string;
            /** @description False unless a trusted execution environment signed the evidence. */
            readonly hardware: boolean;
            /** @description keccak256 of the evidence of the key's registration on the proof ledger. */
            readonly evidenceHash: components["schemas"]["Bytes32Hex"];
        };
        /** @description Bytes in standard base64 with padding. */
        readonly Base64Bytes: string;
        /** @description The batch of a proof, and the Merkle path from its leaf to the root. */
        readonly BatchInclusion: {
            /** @description Merkle root of the batch; null while the batch may still grow. */
            readonly root: components["schemas"]["Bytes32Hex"] | null;
            /** @description Number of leaves of the batch; null while the batch may still grow. */
            readonly size: number | null;
            /** @description Sibling hashes from the leaf to the root; null while the batch may still grow. */
            readonly path: readonly components["schemas"]["Bytes32Hex"][] | null;
        };
        /** @description The extension `bazaar` in the offers of the gateway: an `X402V2Extension` for directories (D-286). */
        readonly BazaarExtension: {
            readonly info: components["schemas"]["BazaarInfo"];
            /** @description The JSON Schema of `info`, with the fields that a request must have. */
            readonly schema: {
                readonly [key: string]: unknown;
            };
        };
        /** @description How clients call the endpoint. */
        readonly BazaarInfo: {
            readonly input: components["schemas"]["BazaarInput"];
            readonly output: components["schemas"]["BazaarOutput"];
        };
        /** @description A request to a paid endpoint. */
        readonly BazaarInput: {
            /** @enum {string} */
            readonly type: "http";
            /** @enum {string} */
            readonly method: "POST";
            /** @enum {string} */
            readonly bodyType: "json";
            /** @description A valid body. */
            readonly body: {
                readonly [key: string]: unknown;
            };
        };
        /** @description The kind of response. */
        readonly BazaarOutput: {
            /** @enum {string} */
            readonly type: "json";
        };
        /** @description 32 bytes as 0x-prefixed hex. */
        readonly Bytes32Hex: string;
        /** @description One model of the catalog. */
        readonly CatalogModel: {
            readonly id: components["schemas"]["ModelId"];
            /** @enum {string} */
            readonly object: "model";
            /** @description When the model entered the catalog. */
            readonly created: components["schemas"]["UnixSeconds"];
            readonly owned_by: string;
            /** @description The real name of the engine that runs the model. */
            readonly engine: string;
            /**
             * Format: int32
             * @description Tokens of input and output together.
             */
            readonly context_length: number;
            /**
             * Format: int32
             * @description Upper bound of `max_tokens` (D-12).
             */
            readonly max_output_tokens: number;
            readonly pricing: components["schemas"]["RateCard"];
        };
        /** @description The catalog. */
        readonly CatalogModelList: {
            /** @enum {string} */
            readonly object: "list";
            readonly data: readonly components["schemas"]["CatalogModel"][];
        };
        /**
         * Format: int32
         * @description EIP-155 chain id: 84532, the public test network of the payments (section 1).
         */
        readonly ChainId: number;
        /** @description One completion of the response (section 2.6). */
        readonly ChatChoice: {
            /** Format: int32 */
            readonly index: number;
            readonly message: components["schemas"]["CompletionMessage"];
            readonly finish_reason: components["schemas"]["FinishReason"];
        };
        /** @description A part of one completion. */
        readonly ChatChunkChoice: {
            /** Format: int32 */
            readonly index: number;
            readonly delta: components["schemas"]["ChatDelta"];
            /** @description Null before the last part. */
            readonly finish_reason: components["schemas"]["FinishReason"] | null;
        };
        /** @description Chat completion response (section 2.6). */
        readonly ChatCompletion: {
            /** @description Completion id. */
            readonly id: string;
            /** @enum {string} */
            readonly object: "chat.completion";
            readonly created: components["schemas"]["UnixSeconds"];
            /** @description Model identifier. */
            readonly model: string;
            readonly choices: readonly components["schemas"]["ChatChoice"][];
            readonly usage: components["schemas"]["Usage"];
        };
        /**
         * @description A part of a streamed chat completion. All chunks of a completion have the same `id`, `created` and `model`,
         *     which are those of the whole completion.
         */
        readonly ChatCompletionChunk: {
            /** @description Completion id. */
            readonly id: string;
            /** @enum {string} */
            readonly object: "chat.completion.chunk";
            readonly created: components["schemas"]["UnixSeconds"];
            /** @description Model identifier. */
            readonly model: string;
            /** @description Empty in the chunk with the usage. */
            readonly choices: readonly components["schemas"]["ChatChunkChoice"][];
            /** @description Only if `include_usage` asks for it: null in each chunk with choices. */
            readonly usage?: components["schemas"]["Usage"] | null;
        };
        /**
         * @description Body of `POST /v1/chat/completions` (section 2.1). The gateway ignores unknown fields and names them in
         *     `X-Ignored-Fields` (D-09). Null in an optional field counts as absent (D-263).
         */
        readonly ChatCompletionRequest: {
            readonly model: components["schemas"]["ModelId"];
            /**
             * @description The conversation so far, oldest message first.
             * @example [
             *       {
             *         "role": "user",
             *         "content": "Say pong."
             *       }
             *     ]
             */
            readonly messages: readonly components["schemas"]["Message"][];
            /**
             * Format: int32
             * @description Maximum number of tokens to generate, at most the model's `max_output_tokens` (D-12).
             * @default 100
             */
            readonly max_tokens?: number;
            /**
             * Format: double
             * @description Sampling temperature; 0 is reproducible.
             * @default 1
             */
            readonly temperature?: number;
            readonly stop?: components["schemas"]["Stop"];
            /** @description Tools that the model may call. */
            readonly tools?: readonly components["schemas"]["ToolDefinition"][];
            readonly tool_choice?: components["schemas"]["ToolChoice"];
            /**
             * Format: int32
             * @description The same as `max_tokens`. If a body has both, they must be equal (D-264).
             */
            readonly max_completion_tokens?: number;
            /**
             * Format: double
             * @description Nucleus sampling: the share of the probability from which tokens are drawn.
             */
            readonly top_p?: number;
            /**
             * Format: double
             * @description Penalty for tokens by their number in the text so far.
             */
            readonly frequency_penalty?: number;
            /**
             * Format: double
             * @description Penalty for tokens that are in the text so far.
             */
            readonly presence_penalty?: number;
            /**
             * Format: int64
             * @description Seed of the sampling; an integer that every JSON parser reads exactly.
             */
            readonly seed?: number;
            /** @description The client's own id of its user. */
            readonly user?: string;
            /** @description The form of the text. 400 for a form that the model's engine cannot produce (D-265). */
            readonly response_format?: components["schemas"]["ResponseFormat"];
            /** @description False for at most one tool call. 400 if the model's engine cannot limit its calls (D-265). */
            readonly parallel_tool_calls?: boolean;
            /** @description The client's own notes on the request. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /** @description Whether the completion is sent as server-sent events (D-267). */
            readonly stream?: boolean;
            readonly stream_options?: components["schemas"]["StreamOptions"];
        };
        /** @description A part of the message. Only the first chunk has the role. */
        readonly ChatDelta: {
            /** @enum {string} */
            readonly role?: "assistant";
            /** @description Text that follows the text of the earlier chunks. Null if the message has no text. */
            readonly content?: string | null;
            readonly tool_calls?: readonly components["schemas"]["ToolCallDelta"][];
        };
        /** @description The message of the model (section 2.6). */
        readonly CompletionMessage: {
            /** @enum {string} */
            readonly role: "assistant";
            /** @description The text, or null when the model calls tools. */
            readonly content: string | null;
            /** @description Present when the model calls tools. */
            readonly tool_calls?: readonly components["schemas"]["ToolCall"][];
        };
        /**
         * @description Body of `POST /v1/completions` (section 2.5). The gateway ignores unknown fields and names them in
         *     `X-Ignored-Fields` (D-09). Null in an optional field counts as absent (D-263).
         */
        readonly CompletionRequest: {
            readonly model: components["schemas"]["ModelId"];
            /**
             * @description Text prompt.
             * @example Once upon a time
             */
            readonly prompt: string;
            /**
             * Format: int32
             * @description Maximum number of tokens to generate, at most the model's `max_output_tokens`. The default is a decision
             *     (D-12).
             * @default 100
             */
            readonly max_tokens?: number;
            /**
             * Format: double
             * @description Sampling temperature; 0 is reproducible.
             * @default 1
             */
            readonly temperature?: number;
            readonly stop?: components["schemas"]["Stop"];
            /**
             * Format: int32
             * @description The same as `max_tokens`. If a body has both, they must be equal (D-264).
             */
            readonly max_completion_tokens?: number;
            /**
             * Format: double
             * @description Nucleus sampling: the share of the probability from which tokens are drawn.
             */
            readonly top_p?: number;
            /**
             * Format: double
             * @description Penalty for tokens by their number in the text so far.
             */
            readonly frequency_penalty?: number;
            /**
             * Format: double
             * @description Penalty for tokens that are in the text so far.
             */
            readonly presence_penalty?: number;
            /**
             * Format: int64
             * @description Seed of the sampling; an integer that every JSON parser reads exactly.
             */
            readonly seed?: number;
            /** @description The client's own id of its user. */
            readonly user?: string;
            /** @description Whether the completion is sent as server-sent events (D-267). */
            readonly stream?: boolean;
            readonly stream_options?: components["schemas"]["StreamOptions"];
        };
        /**
         * @description Base64 of the JSON of `InferenceProof`.
         * @example eyJwcm9vZklkIjoiMHg3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3IiwiaW5wdXRIYXNoIjoiMHg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4Iiwib3V0cHV0SGFzaCI6IjB4OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OSIsIm1vZGVsSGFzaCI6IjB4YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYSIsInRpbWVzdGFtcCI6MTcwMDAwMDAwMCwic2V0dGxlbWVudFR5cGUiOiJiYXRjaCIsInNpZ25lciI6IjB4YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYiIsInNpZ25hdHVyZSI6IjB4NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTUxYiIsImNhbm9uaWNhbGl6YXRpb24iOiJqY3MtcmZjODc4NSIsImF0dGVzdGF0aW9uIjp7InByb3ZpZGVyIjoic29mdHdhcmUiLCJoYXJkd2FyZSI6ZmFsc2UsImV2aWRlbmNlSGFzaCI6IjB4Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjYyJ9LCJsZWRnZXIiOnsibmFtZSI6IkluZmVyZW5jZUxlZGdlciIsInZlcnNpb24iOiIxIiwiY2hhaW5JZCI6MzE3NDAsInZlcmlmeWluZ0NvbnRyYWN0IjoiMHhkZGRkZGRkZGRkZGRkZGRkZGRkZGRkZGRkZGRkZGRkZGRkZGRkZGRkIn19
         */
        readonly EncodedInferenceProof: string;
        /**
         * @description Base64 of the JSON of `PaymentObject` (section 2.10).
         * @example eyJwYXlsb2FkIjp7InNpZ25hdHVyZSI6IjB4NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTUxYiIsImF1dGhvcml6YXRpb24iOnsiZnJvbSI6IjB4NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NCIsInRvIjoiMHgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwidmFsdWUiOiIxMDAwMCIsInZhbGlkQWZ0ZXIiOjAsInZhbGlkQmVmb3JlIjoxOTAwMDAwMDAwLCJub25jZSI6IjB4NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NiJ9fX0=
         */
        readonly EncodedPaymentObject: string;
        /**
         * @description Base64 of the JSON of `PaymentReceipt` (section 2.11).
         * @example eyJzdWNjZXNzIjp0cnVlLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMyIiwiY2hhaW5JZCI6ODQ1MzIsInR4SGFzaCI6IjB4MzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMyIsInBheWVyIjoiMHg0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0IiwidHJhbnNhY3Rpb24iOiIweDMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMiLCJhbW91bnQiOiIxMDAwMCJ9
         */
        readonly EncodedPaymentReceipt: string;
        /**
         * @description Base64 of the JSON of `PaymentRequirements` (section 2.8).
         * @example eyJzY2hlbWUiOiJleGFjdCIsIm5ldHdvcmsiOiJlaXAxNTU6ODQ1MzIiLCJtYXhBbW91bnRSZXF1aXJlZCI6IjEwMDAwIiwicmVzb3VyY2UiOiJodHRwczovL2dhdGV3YXkuZXhhbXBsZS92MS9jaGF0L2NvbXBsZXRpb25zIiwiZGVzY3JpcHRpb24iOiJDaGF0IGNvbXBsZXRpb24iLCJtaW1lVHlwZSI6ImFwcGxpY2F0aW9uL2pzb24iLCJwYXlUbyI6IjB4MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMSIsIm1heFRpbWVvdXRTZWNvbmRzIjozMDAsImFzc2V0IjoiMHgyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyIiwiZXh0cmEiOnsibmFtZSI6IlRlc3QgUGF5bWVudCBUb2tlbiIsInZlcnNpb24iOiIxIn19
         */
        readonly EncodedPaymentRequirements: string;
        /**
         * @description Base64 of the JSON of `X402V2Offer`.
         * @example eyJ4NDAyVmVyc2lvbiI6MiwiZXJyb3IiOiJQQVlNRU5ULVNJR05BVFVSRSBoZWFkZXIgaXMgcmVxdWlyZWQiLCJyZXNvdXJjZSI6eyJ1cmwiOiJodHRwczovL2dhdGV3YXkuZXhhbXBsZS92MS9jaGF0L2NvbXBsZXRpb25zIiwiZGVzY3JpcHRpb24iOiJDaGF0IGNvbXBsZXRpb24iLCJtaW1lVHlwZSI6ImFwcGxpY2F0aW9uL2pzb24ifSwiYWNjZXB0cyI6W3sic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMyIiwiYW1vdW50IjoiMTAwMDAiLCJhc3NldCI6IjB4MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMiIsInBheVRvIjoiMHgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwibWF4VGltZW91dFNlY29uZHMiOjMwMCwiZXh0cmEiOnsibmFtZSI6IlRlc3QgUGF5bWVudCBUb2tlbiIsInZlcnNpb24iOiIxIiwicHJpbWFyeVR5cGUiOiJUcmFuc2ZlcldpdGhBdXRob3JpemF0aW9uIn19XX0=
         */
        readonly EncodedX402V2Offer: string;
        /**
         * @description Base64 of the JSON of an x402 v2 payment (`AcceptedPayment`).
         * @example eyJ4NDAyVmVyc2lvbiI6MiwiYWNjZXB0ZWQiOnsic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMyIiwiYW1vdW50IjoiMTAwMDAiLCJhc3NldCI6IjB4MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMiIsInBheVRvIjoiMHgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwibWF4VGltZW91dFNlY29uZHMiOjMwMCwiZXh0cmEiOnsibmFtZSI6IlRlc3QgUGF5bWVudCBUb2tlbiIsInZlcnNpb24iOiIxIiwicHJpbWFyeVR5cGUiOiJUcmFuc2ZlcldpdGhBdXRob3JpemF0aW9uIn19LCJwYXlsb2FkIjp7InNpZ25hdHVyZSI6IjB4NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTUxYiIsImF1dGhvcml6YXRpb24iOnsiZnJvbSI6IjB4NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NCIsInRvIjoiMHgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwidmFsdWUiOiIxMDAwMCIsInZhbGlkQWZ0ZXIiOiIwIiwidmFsaWRCZWZvcmUiOiIxOTAwMDAwMDAwIiwibm9uY2UiOiIweDY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjYifX19
         */
        readonly EncodedX402V2Payment: string;
        /**
         * @description Base64 of the JSON of `X402V2Refusal`.
         * @example eyJzdWNjZXNzIjpmYWxzZSwiZXJyb3JSZWFzb24iOiJpbnN1ZmZpY2llbnRfZnVuZHMiLCJ0cmFuc2FjdGlvbiI6IiIsIm5ldHdvcmsiOiJlaXAxNTU6ODQ1MzIiLCJwYXllciI6IjB4NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NCJ9
         */
        readonly EncodedX402V2Refusal: string;
        /** @description 20-byte EVM address as 0x-prefixed hex, in any letter case. */
        readonly EvmAddress: string;
        /**
         * @description The reason why generation ended. Known values: `stop`, `length`, `tool_calls`, `content_filter` (section 2.6,
         *     D-13). The set is open, so a client must accept unknown values.
         */
        readonly FinishReason: string;
        /** @description The called function and its arguments (section 2.4). */
        readonly FunctionCall: {
            /** @description Function called. */
            readonly name: string;
            /** @description Arguments serialized as a JSON string. */
            readonly arguments: string;
        };
        /** @description The part of a function call in a chunk. The first part has the name. */
        readonly FunctionCallDelta: {
            readonly name?: string;
            /** @description A part of the arguments. The parts together are the JSON string of the call. */
            readonly arguments?: string;
        };
        /** @description The function of a tool (section 2.3). */
        readonly FunctionDefinition: {
            /** @description Function name. */
            readonly name: string;
            /** @description Description of the function. */
            readonly description?: string;
            readonly parameters?: components["schemas"]["ToolParameters"];
        };
        /** @description HTTP header fields by their names in lower case. */
        readonly HeaderFields: {
            readonly [key: string]: string;
        };
        /** @description The process runs. */
        readonly Health: {
            /** @enum {string} */
            readonly status: "ok";
        };
        /** @description Bytes as 0x-prefixed hex. */
        readonly HexBytes: string;
        /** @description A leaf of the Merkle tree of a batch: the statement and its signer, ABI-encoded and hashed twice. */
        readonly InferenceLeaf: {
            /** @description 32 random bytes that identify the proof. */
            readonly proofId: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the request body as received (D-29). */
            readonly inputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the response body as sent (D-29). */
            readonly outputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the model's catalog identifier in UTF-8. */
            readonly modelHash: components["schemas"]["Bytes32Hex"];
            /** @description When the inference ended. */
            readonly timestamp: components["schemas"]["UnixSeconds"];
            /**
             * @description How much is recorded on the proof ledger (section 4.3). The signature covers it, so it cannot change later
             *     (D-85).
             */
            readonly settlementType: components["schemas"]["SettlementType"];
            /** @description Address of the enclave key. */
            readonly signer: components["schemas"]["EvmAddress"];
        };
        /** @description The signed proof of what ran: the content of `X-INFERENCE-PROOF`. */
        readonly InferenceProof: {
            /** @description 32 random bytes that identify the proof. */
            readonly proofId: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the request body as received (D-29). */
            readonly inputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the response body as sent (D-29). */
            readonly outputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the model's catalog identifier in UTF-8. */
            readonly modelHash: components["schemas"]["Bytes32Hex"];
            /** @description When the inference ended. */
            readonly timestamp: components["schemas"]["UnixSeconds"];
            /**
             * @description How much is recorded on the proof ledger (section 4.3). The signature covers it, so it cannot change later
             *     (D-85).
             */
            readonly settlementType: components["schemas"]["SettlementType"];
            /** @description Address of the enclave key. */
            readonly signer: components["schemas"]["EvmAddress"];
            /** @description EIP-712 signature of the statement by `signer`, in the domain `ledger`. */
            readonly signature: components["schemas"]["SignatureHex"];
            /**
             * @description The canonical form of bodies before they are hashed.
             * @enum {string}
             */
            readonly canonicalization: "jcs-rfc8785";
            readonly attestation: components["schemas"]["AttestationSummary"];
            /** @description The EIP-712 domain of the signature, which names the proof ledger. */
            readonly ledger: components["schemas"]["LedgerDomain"];
        };
        /**
         * @description The statement that an enclave key signs about one inference, as EIP-712 typed data in the proof ledger's
         *     domain.
         */
        readonly InferenceStatement: {
            /** @description 32 random bytes that identify the proof. */
            readonly proofId: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the request body as received (D-29). */
            readonly inputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the response body as sent (D-29). */
            readonly outputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the model's catalog identifier in UTF-8. */
            readonly modelHash: components["schemas"]["Bytes32Hex"];
            /** @description When the inference ended. */
            readonly timestamp: components["schemas"]["UnixSeconds"];
            /**
             * @description How much is recorded on the proof ledger (section 4.3). The signature covers it, so it cannot change later
             *     (D-85).
             */
            readonly settlementType: components["schemas"]["SettlementType"];
        };
        /** @description Payer's payment-token balance is too low (section 7). */
        readonly InsufficientFundsBody: {
            readonly error: components["schemas"]["InsufficientFundsDetail"];
        };
        /** @description An error (section 7). */
        readonly InsufficientFundsDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "payment_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "insufficient_funds";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description Internal server error (section 7). */
        readonly InternalErrorBody: {
            readonly error: components["schemas"]["InternalErrorDetail"];
        };
        /** @description An error (section 7). */
        readonly InternalErrorDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "server_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "internal_error";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description Request body or a header invalid (section 7). */
        readonly InvalidRequestBody: {
            readonly error: components["schemas"]["InvalidRequestDetail"];
        };
        /** @description An error (section 7). */
        readonly InvalidRequestDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "invalid_request_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "invalid_request";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description Payment signature invalid (section 7). */
        readonly InvalidSignatureBody: {
            readonly error: components["schemas"]["InvalidSignatureDetail"];
        };
        /** @description An error (section 7). */
        readonly InvalidSignatureDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "authentication_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "invalid_signature";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description The JSON Schema that the text must satisfy (D-265). */
        readonly JsonSchemaFormat: {
            /** @description Name of the schema. */
            readonly name: string;
            /** @description Description of the schema, for the model. */
            readonly description?: string;
            /** @description The schema. */
            readonly schema?: {
                readonly [key: string]: unknown;
            };
            /** @description Whether the model must keep the schema exactly. */
            readonly strict?: boolean;
        };
        /** @description The EIP-712 domain of the proof ledger, in the form that signers accept. */
        readonly LedgerDomain: {
            /**
             * @description The proof ledger's EIP-712 domain name.
             * @enum {string}
             */
            readonly name: "InferenceLedger";
            /**
             * @description The proof ledger's EIP-712 domain version.
             * @enum {string}
             */
            readonly version: "1";
            /**
             * Format: int64
             * @description Chain id of the proof ledger's chain.
             */
            readonly chainId: number;
            /** @description The address of the proof ledger. */
            readonly verifyingContract: components["schemas"]["EvmAddress"];
        };
        /** @description The transaction on the proof ledger's chain that recorded a proof. */
        readonly LedgerInclusion: {
            readonly txHash: components["schemas"]["Bytes32Hex"];
            /** Format: int64 */
            readonly blockNumber: number;
        };
        /** @description One message of the conversation. Its `role` tells the type (section 2.2). */
        readonly Message: components["schemas"]["SystemMessage"] | components["schemas"]["UserMessage"] | components["schemas"]["AssistantMessage"] | components["schemas"]["ToolMessage"];
        /** @description The path exists, but not with this method (D-07). */
        readonly MethodNotAllowedBody: {
            readonly error: components["schemas"]["MethodNotAllowedDetail"];
        };
        /** @description An error (section 7). */
        readonly MethodNotAllowedDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "invalid_request_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "method_not_allowed";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /**
         * @description Catalog identifier, `<provider>/<model_name>` (section 1). The set is open, because each deployment has its
         *     own catalog.
         * @example alder/alder-mini
         */
        readonly ModelId: string;
        /** @description The function to call (D-11). */
        readonly NamedFunction: {
            readonly name: string;
        };
        /** @description A specific tool in the object form of OpenAI clients (D-11). */
        readonly NamedToolChoice: {
            /** @enum {string} */
            readonly type: "function";
            readonly function: components["schemas"]["NamedFunction"];
        };
        /** @description No such path (D-07). */
        readonly NotFoundBody: {
            readonly error: components["schemas"]["NotFoundDetail"];
        };
        /** @description An error (section 7). */
        readonly NotFoundDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "invalid_request_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "not_found";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description An OpenAPI document. */
        readonly OpenApiDocument: {
            readonly openapi: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description The price of a paid operation, in `x-payment-info` of the served OpenAPI document (D-287). */
        readonly OperationPrice: {
            /**
             * @description The price depends on the request; the offer of a request has it.
             * @enum {string}
             */
            readonly mode: "dynamic";
            /**
             * @description The code of ISO 4217 for tests, because a test token has no price in the currency of a country.
             * @enum {string}
             */
            readonly currency: "XTS";
            /** @description The token, as the CAIP-19 id of its contract. */
            readonly asset: string;
            /** @description The lowest price of a request, in the token's smallest unit. */
            readonly min: components["schemas"]["UintDecimalString"];
            /** @description The highest price of a request. */
            readonly max: components["schemas"]["UintDecimalString"];
        };
        /** @description The gateway has too much work; this request charged nothing (D-07). */
        readonly OverloadedBody: {
            readonly error: components["schemas"]["OverloadedDetail"];
        };
        /** @description An error (section 7). */
        readonly OverloadedDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "server_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "overloaded";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description The paid endpoints of a deployment. */
        readonly PaidResources: {
            /** @enum {number} */
            readonly version: 1;
            /** @description URLs of the endpoints. */
            readonly resources: readonly string[];
        };
        /** @description EIP-3009 `transferWithAuthorization`, signed as EIP-712 typed data (sections 2.9 and 4.4). */
        readonly PaymentAuthorization: {
            /** @description Payer wallet address. */
            readonly from: components["schemas"]["EvmAddress"];
            /** @description Equal to `payTo` of the requirements. */
            readonly to: components["schemas"]["EvmAddress"];
            /**
             * @description Token smallest unit; at most `maxAmountRequired`. The reference gateway accepts only exactly that amount
             *     (D-17).
             */
            readonly value: components["schemas"]["UintDecimalString"];
            /** @description Unix seconds from which the authorization is valid; below 2^47 (D-20). */
            readonly validAfter: components["schemas"]["UnixSeconds"];
            /** @description Unix seconds after which the authorization is invalid; below 2^47 (D-20). */
            readonly validBefore: components["schemas"]["UnixSeconds"];
            /** @description 32 random bytes, fresh for every payment. */
            readonly nonce: components["schemas"]["Bytes32Hex"];
        };
        /** @description The two bodies of a 402. */
        readonly PaymentErrorBody: components["schemas"]["InsufficientFundsBody"] | components["schemas"]["X402V1Offer"] | components["schemas"]["PaymentRequiredBody"];
        /** @description The content of `X-PAYMENT` (section 2.10). */
        readonly PaymentObject: {
            readonly payload: components["schemas"]["PaymentPayload"];
        };
        /** @description An authorization and its signature (section 2.10). */
        readonly PaymentPayload: {
            /** @description EIP-712 signature of the authorization by `from`. */
            readonly signature: components["schemas"]["PaymentSignatureHex"];
            readonly authorization: components["schemas"]["PaymentAuthorization"];
        };
        /** @description Proof of settlement: the content of `X-PAYMENT-RESPONSE` (section 2.11). */
        readonly PaymentReceipt: {
            /** @description Whether settlement succeeded. */
            readonly success: boolean;
            /** @enum {string} */
            readonly network: "eip155:84532";
            readonly chainId: components["schemas"]["ChainId"];
            /** @description Hash of the settlement transaction. */
            readonly txHash: components["schemas"]["Bytes32Hex"];
            /** @description Payer address. */
            readonly payer: components["schemas"]["EvmAddress"];
            /** @description The same as `txHash`, under the name of x402 clients (D-25). */
            readonly transaction?: components["schemas"]["Bytes32Hex"];
            /** @description The paid amount, in the token's smallest unit (D-25). */
            readonly amount?: components["schemas"]["UintDecimalString"];
        };
        /**
         * @description Body of a 402 with an offer. The contract shows none, so any object is allowed. This gateway sends the x402
         *     v1 offer (D-01).
         */
        readonly PaymentRequiredBody: {
            readonly [key: string]: unknown;
        };
        /** @description The payment that the gateway requires for this request: the content of `X-PAYMENT-REQUIRED` (section 2.8). */
        readonly PaymentRequirements: {
            /** @enum {string} */
            readonly scheme: "exact";
            /** @enum {string} */
            readonly network: "eip155:84532";
            /** @description Price in the token's smallest unit. */
            readonly maxAmountRequired: components["schemas"]["UintDecimalString"];
            /**
             * Format: uri
             * @description Full URL of the requested endpoint.
             */
            readonly resource: string;
            /** @description Human-readable purpose of the payment. */
            readonly description: string;
            /** @enum {string} */
            readonly mimeType: "application/json";
            /** @description Recipient address. */
            readonly payTo: components["schemas"]["EvmAddress"];
            /**
             * Format: int32
             * @description Seconds the payment offer stays valid.
             */
            readonly maxTimeoutSeconds: number;
            /** @description Token contract address. */
            readonly asset: components["schemas"]["EvmAddress"];
            readonly extra: components["schemas"]["TokenDomain"];
        };
        /**
         * @description Signature of a payment as 0x-prefixed hex: 65 bytes (r, s, v) of a key, or any bytes that a contract wallet accepts,
         *     where the gateway allows contract wallets (D-293).
         */
        readonly PaymentSignatureHex: string;
        /** @description The state of a proof of inference. A `private` inference has none: nothing of it is recorded or kept. */
        readonly ProofRecord: {
            readonly id: components["schemas"]["Bytes32Hex"];
            /**
             * @description `refused`: the proof ledger rejects the proof now. The gateway tries again, so the proof may still be
             *     recorded.
             * @enum {string}
             */
            readonly status: "pending" | "recorded" | "refused";
            /** @description The same as in the leaf. */
            readonly settlementType: components["schemas"]["SettlementType"];
            /** @description The recorded statement and its signer. */
            readonly leaf: components["schemas"]["InferenceLeaf"];
            /** @description EIP-712 signature of the statement by the signer. */
            readonly signature: components["schemas"]["SignatureHex"];
            /** @description Hash of the leaf in the Merkle tree of a batch. */
            readonly leafHash: components["schemas"]["Bytes32Hex"];
            readonly ledger: components["schemas"]["LedgerDomain"];
            /** @description Only with the settlement type `batch`. */
            readonly batch?: components["schemas"]["BatchInclusion"];
            /** @description Present once the proof is recorded. */
            readonly inclusion?: components["schemas"]["LedgerInclusion"];
            /** @description The reason of a refusal, for people. */
            readonly refusal?: string;
        };
        /** @description Price list of a model, in the token's smallest unit (D-16). */
        readonly RateCard: {
            /** @description Units per million input tokens. */
            readonly input_per_million: components["schemas"]["UintDecimalString"];
            /** @description Units per million of `max_tokens`. */
            readonly output_per_million: components["schemas"]["UintDecimalString"];
            /** @description The lowest price of a request. */
            readonly minimum: components["schemas"]["UintDecimalString"];
        };
        /** @description Rate limit exceeded (section 7). */
        readonly RateLimitedBody: {
            readonly error: components["schemas"]["RateLimitedDetail"];
        };
        /** @description An error (section 7). */
        readonly RateLimitedDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "rate_limit_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "rate_limited";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description Whether the gateway would serve a paid request now. */
        readonly Readiness: {
            /** @enum {string} */
            readonly status: "ready" | "not_ready";
            readonly checks: readonly components["schemas"]["ReadinessCheck"][];
        };
        /** @description A condition of paid requests. */
        readonly ReadinessCheck: {
            readonly name: string;
            readonly ready: boolean;
            /** @description The reason why the check fails, for the operator. */
            readonly detail?: string;
        };
        /** @description The body is too large (D-07, D-14). */
        readonly RequestTooLargeBody: {
            readonly error: components["schemas"]["RequestTooLargeDetail"];
        };
        /** @description An error (section 7). */
        readonly RequestTooLargeDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "invalid_request_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "request_too_large";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description The form of the text of a chat completion (D-265). */
        readonly ResponseFormat: {
            /**
             * @description `text` is the default.
             * @enum {string}
             */
            readonly type: "text" | "json_object" | "json_schema";
            /** @description Required for `json_schema`. */
            readonly json_schema?: components["schemas"]["JsonSchemaFormat"];
        };
        /**
         * @description A paid request and its response, with content encodings decoded: the input of a verification. It holds the
         *     prompt and the completion. Until its `X-PAYMENT` has settled, anybody who reads the file can send the
         *     payment.
         */
        readonly SavedExchange: {
            /** @enum {string} */
            readonly format: "paid-inference/exchange/v1";
            readonly request: components["schemas"]["SavedRequest"];
            readonly response: components["schemas"]["SavedResponse"];
            /** @description The response of `GET /v1/attestation?signer=` for the signing key, if saved. */
            readonly attestation?: components["schemas"]["Attestation"];
            /** @description The response of `GET /v1/proofs/{id}`, if saved. */
            readonly proof?: components["schemas"]["ProofRecord"];
        };
        /** @description A request, in the attempt that got the response. */
        readonly SavedRequest: {
            readonly method: string;
            /** Format: uri */
            readonly url: string;
            /** @description Only the headers that the contract names. */
            readonly headers: components["schemas"]["HeaderFields"];
            readonly body: string;
        };
        /** @description A response as received. */
        readonly SavedResponse: {
            /** Format: int32 */
            readonly status: number;
            /** @description Only the headers that the contract names. */
            readonly headers: components["schemas"]["HeaderFields"];
            readonly body: string;
        };
        /** @description Seconds as an integer (contract) or a decimal string (x402 clients). Both give the same digest (D-20). */
        readonly SecondsOnTheWire: components["schemas"]["UnixSeconds"] | components["schemas"]["UintDecimalString"];
        /** @description The outcome of the payment is unknown: send the same `X-PAYMENT` again, never a new one (D-24). */
        readonly SettlementPendingBody: {
            readonly error: components["schemas"]["SettlementPendingDetail"];
        };
        /** @description An error (section 7). */
        readonly SettlementPendingDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "server_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "settlement_pending";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /**
         * @description How much inference data is recorded on the proof ledger (section 4.3).
         * @enum {string}
         */
        readonly SettlementType: "private" | "individual" | "batch";
        /** @description 65-byte ECDSA signature (r, s, v) as 0x-prefixed hex. */
        readonly SignatureHex: string;
        /** @description An array of sequences (sections 2.1 and 2.5), or one sequence as a string (D-10). */
        readonly Stop: components["schemas"]["StopSequences"] | string;
        /** @description Sequences that end the generation. The returned text never contains one. At most 16 (D-10). */
        readonly StopSequences: readonly string[];
        /** @description Options of a streamed response (D-267). */
        readonly StreamOptions: {
            /** @description Whether a last chunk without choices has the usage. The other chunks then have `usage` null. */
            readonly include_usage?: boolean;
        };
        /** @description Sets the behaviour of the model (section 2.2). */
        readonly SystemMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly role: "system";
            /** @description Message text. */
            readonly content: string;
            /** @description Name of the participant. */
            readonly name?: string;
        };
        /** @description One completion of the response (section 2.7). */
        readonly TextChoice: {
            /** Format: int32 */
            readonly index: number;
            readonly text: string;
            readonly finish_reason: components["schemas"]["FinishReason"];
        };
        /** @description A part of one text completion. */
        readonly TextChunkChoice: {
            /** Format: int32 */
            readonly index: number;
            /** @description Text that follows the text of the earlier chunks. */
            readonly text: string;
            /** @description Null before the last part. */
            readonly finish_reason: components["schemas"]["FinishReason"] | null;
        };
        /** @description Text completion response (section 2.7). */
        readonly TextCompletion: {
            /** @description Completion id. */
            readonly id: string;
            /** @enum {string} */
            readonly object: "text_completion";
            readonly created: components["schemas"]["UnixSeconds"];
            /** @description Model identifier. */
            readonly model: string;
            readonly choices: readonly components["schemas"]["TextChoice"][];
            readonly usage: components["schemas"]["Usage"];
        };
        /** @description A part of a streamed text completion, with the fields of `ChatCompletionChunk`. */
        readonly TextCompletionChunk: {
            /** @description Completion id. */
            readonly id: string;
            /** @enum {string} */
            readonly object: "text_completion";
            readonly created: components["schemas"]["UnixSeconds"];
            /** @description Model identifier. */
            readonly model: string;
            /** @description Empty in the chunk with the usage. */
            readonly choices: readonly components["schemas"]["TextChunkChoice"][];
            /** @description Only if `include_usage` asks for it: null in each chunk with choices. */
            readonly usage?: components["schemas"]["Usage"] | null;
        };
        /** @description The parts of the token's EIP-712 domain that the offer has (section 2.8). */
        readonly TokenDomain: {
            /** @description The token's EIP-712 domain name. */
            readonly name: string;
            /**
             * @description The token's EIP-712 domain version.
             * @enum {string}
             */
            readonly version: "1";
        };
        /** @description A tool call, in assistant messages and in responses (section 2.4). */
        readonly ToolCall: {
            /** @description Id of the call. The `tool` message with the result has the same id. */
            readonly id: string;
            /** @enum {string} */
            readonly type: "function";
            readonly function: components["schemas"]["FunctionCall"];
        };
        /** @description The part of a tool call in a chunk. The first part has `id` and `type`. */
        readonly ToolCallDelta: {
            /**
             * Format: int32
             * @description The place of the call in `tool_calls` of the whole message.
             */
            readonly index: number;
            readonly id?: string;
            /** @enum {string} */
            readonly type?: "function";
            readonly function?: components["schemas"]["FunctionCallDelta"];
        };
        /**
         * @description `auto`, `none`, or a specific tool (section 2.1). The contract does not show the form of a specific tool: the
         *     gateway accepts the tool's name and the object form, and also `required` (D-11).
         */
        readonly ToolChoice: string | components["schemas"]["NamedToolChoice"];
        /** @description A tool that the model may call (section 2.3). */
        readonly ToolDefinition: {
            /** @enum {string} */
            readonly type: "function";
            readonly function: components["schemas"]["FunctionDefinition"];
        };
        /** @description The result of a tool call (section 2.2). */
        readonly ToolMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly role: "tool";
            /** @description The tool result as a string, for example serialized JSON. */
            readonly content: string;
            /** @description Name of the participant. */
            readonly name?: string;
            /** @description The id of the tool call being answered. */
            readonly tool_call_id: string;
        };
        /** @description A property of a tool's parameters. Other JSON Schema keywords are allowed (section 2.3). */
        readonly ToolParameter: {
            readonly type?: string | readonly string[];
            readonly description?: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description JSON-Schema-style object that describes the arguments of a call (section 2.3). */
        readonly ToolParameters: {
            readonly type?: string;
            readonly properties?: {
                readonly [key: string]: components["schemas"]["ToolParameter"];
            };
            /** @description Names of the required properties. */
            readonly required?: readonly string[];
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Non-negative integer in the token's smallest unit, as a decimal string of at most 78 digits (uint256). */
        readonly UintDecimalString: string;
        /** @description The gateway cannot check or run the request now; this request charged nothing (D-07). */
        readonly UnavailableBody: {
            readonly error: components["schemas"]["UnavailableDetail"];
        };
        /** @description An error (section 7). */
        readonly UnavailableDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "server_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "unavailable";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description The three bodies of a 503. */
        readonly UnavailableErrorBody: components["schemas"]["OverloadedBody"] | components["schemas"]["UnavailableBody"] | components["schemas"]["SettlementPendingBody"];
        /**
         * Format: int64
         * @description Unix time in whole seconds.
         */
        readonly UnixSeconds: number;
        /** @description The content type is not JSON (D-07). */
        readonly UnsupportedMediaTypeBody: {
            readonly error: components["schemas"]["UnsupportedMediaTypeDetail"];
        };
        /** @description An error (section 7). */
        readonly UnsupportedMediaTypeDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "invalid_request_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "unsupported_media_type";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description The engine failed; the gateway charged nothing (D-07, D-22). */
        readonly UpstreamErrorBody: {
            readonly error: components["schemas"]["UpstreamErrorDetail"];
        };
        /** @description An error (section 7). */
        readonly UpstreamErrorDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "server_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "upstream_error";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description The engine did not respond in time; the gateway charged nothing (D-07, D-22). */
        readonly UpstreamTimeoutBody: {
            readonly error: components["schemas"]["UpstreamTimeoutDetail"];
        };
        /** @description An error (section 7). */
        readonly UpstreamTimeoutDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract: programs must not match it. */
            readonly message: string;
            /**
             * @description Family of the error.
             * @enum {string}
             */
            readonly type: "server_error";
            /**
             * @description The error.
             * @enum {string}
             */
            readonly code: "upstream_timeout";
            /** @description The place of the fault: a JSON path such as `messages[2].tool_call_id`, or the name of a header (D-08). */
            readonly param?: string | null;
        };
        /** @description Tokens of the input and the completion, as the engine counts them (sections 2.6 and 2.7). */
        readonly Usage: {
            /**
             * Format: int32
             * @description Tokens of the input.
             */
            readonly prompt_tokens: number;
            /**
             * Format: int32
             * @description Tokens of the completion.
             */
            readonly completion_tokens: number;
            /**
             * Format: int32
             * @description The sum of both counts.
             */
            readonly total_tokens: number;
        };
        /** @description A message of the user (section 2.2). */
        readonly UserMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly role: "user";
            /** @description Message text. */
            readonly content: string;
            /** @description Name of the participant. */
            readonly name?: string;
        };
        /**
         * @description The x402 v1 body of an unpaid 402 (D-01). `accepts` has one entry, because v1 clients fail on an unknown
         *     network.
         */
        readonly X402V1Offer: {
            /** @enum {number} */
            readonly x402Version: 1;
            /** @description The reason of the 402: an x402 reason string, or that `X-PAYMENT` is missing. Always a string. */
            readonly error: string;
            readonly accepts: readonly components["schemas"]["X402V1Option"][];
            /** @description For people: what to change. */
            readonly message?: string;
        };
        /** @description One entry of an x402 v1 offer: the requirements with the v1 name of the network. */
        readonly X402V1Option: {
            /** @enum {string} */
            readonly scheme: "exact";
            /** @description Price in the token's smallest unit. */
            readonly maxAmountRequired: components["schemas"]["UintDecimalString"];
            /**
             * Format: uri
             * @description Full URL of the requested endpoint.
             */
            readonly resource: string;
            /** @description Human-readable purpose of the payment. */
            readonly description: string;
            /** @enum {string} */
            readonly mimeType: "application/json";
            /** @description Recipient address. */
            readonly payTo: components["schemas"]["EvmAddress"];
            /**
             * Format: int32
             * @description Seconds the payment offer stays valid.
             */
            readonly maxTimeoutSeconds: number;
            /** @description Token contract address. */
            readonly asset: components["schemas"]["EvmAddress"];
            readonly extra: components["schemas"]["TokenDomain"];
            /** @enum {string} */
            readonly network: "base-sepolia";
        };
        /** @description An extension of x402 v2 that a gateway supports: information for the client, and its JSON Schema. */
        readonly X402V2Extension: {
            readonly info: {
                readonly [key: string]: unknown;
            };
            readonly schema: {
                readonly [key: string]: unknown;
            };
        };
        /** @description The token's EIP-712 domain, and the type to sign. */
        readonly X402V2Extra: {
            /** @description The token's EIP-712 domain name. */
            readonly name: string;
            /**
             * @description The token's EIP-712 domain version.
             * @enum {string}
             */
            readonly version: "1";
            /**
             * @description In every offer: some x402 v2 clients pay only if the offer names the type (D-266).
             * @enum {string}
             */
            readonly primaryType?: "TransferWithAuthorization";
        };
        /** @description The content of `PAYMENT-REQUIRED` (x402 v2, D-01). */
        readonly X402V2Offer: {
            /** @enum {number} */
            readonly x402Version: 2;
            readonly error: string;
            readonly resource: components["schemas"]["X402V2Resource"];
            readonly accepts: readonly components["schemas"]["X402V2Option"][];
            /** @description The supported extensions by name, such as `payment-identifier` (D-260) and `bazaar` (D-286). */
            readonly extensions?: {
                readonly [key: string]: components["schemas"]["X402V2Extension"];
            };
        };
        /** @description One entry of an x402 v2 offer. */
        readonly X402V2Option: {
            /** @enum {string} */
            readonly scheme: "exact";
            /** @enum {string} */
            readonly network: "eip155:84532";
            /** @description Price in the token's smallest unit. */
            readonly amount: components["schemas"]["UintDecimalString"];
            readonly asset: components["schemas"]["EvmAddress"];
            readonly payTo: components["schemas"]["EvmAddress"];
            /** Format: int32 */
            readonly maxTimeoutSeconds: number;
            readonly extra: components["schemas"]["X402V2Extra"];
        };
        /** @description The refusal of a payment: the content of `PAYMENT-RESPONSE` in a 401 or 402 (x402 v2, D-285). */
        readonly X402V2Refusal: {
            /** @enum {boolean} */
            readonly success: false;
            /** @description The reason, an x402 reason string. */
            readonly errorReason: string;
            /** @description Empty, because this response charges nothing. */
            readonly transaction: string;
            /** @enum {string} */
            readonly network: "eip155:84532";
            /** @description Payer address, if the signature of the payment is valid. */
            readonly payer?: components["schemas"]["EvmAddress"];
        };
        /** @description The resource for sale in an x402 v2 offer. */
        readonly X402V2Resource: {
            /** Format: uri */
            readonly url: string;
            readonly description: string;
            /** @enum {string} */
            readonly mimeType: "application/json";
        };
    };
    responses: never;
    parameters: {
        /**
         * @description Extension: names one purchase of the payer. A request with the same key and body joins the payment that was
         *     made for it, also after its response (D-258).
         */
        readonly "PaidRequestHeaders.idempotencyKey": string;
        /** @description The signed authorization, required after a 402. At most 8 KiB (D-14). */
        readonly "PaidRequestHeaders.payment": components["schemas"]["EncodedPaymentObject"];
        /** @description The same in the x402 v2 dialect. A request has one of the two headers, not both. */
        readonly "PaidRequestHeaders.paymentSignature": components["schemas"]["EncodedX402V2Payment"];
        /**
         * @description Extension: how often an OpenAI SDK has sent this request before. Above 0, the request joins an earlier payment
         *     for it, also after its response (D-258).
         */
        readonly "PaidRequestHeaders.retryCount": string;
        /** @description How much inference data is recorded on the proof ledger; `batch` when absent (section 4.3). */
        readonly "PaidRequestHeaders.settlementType": components["schemas"]["SettlementType"];
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AcceptedAuthorization = components['schemas']['AcceptedAuthorization'];
export type AcceptedOption = components['schemas']['AcceptedOption'];
export type AcceptedPayload = components['schemas']['AcceptedPayload'];
export type AcceptedPayment = components['schemas']['AcceptedPayment'];
export type AssistantMessage = components['schemas']['AssistantMessage'];
export type Attestation = components['schemas']['Attestation'];
export type AttestationSummary = components['schemas']['AttestationSummary'];
export type Base64Bytes = components['schemas']['Base64Bytes'];
export type BatchInclusion = components['schemas']['BatchInclusion'];
export type BazaarExtension = components['schemas']['BazaarExtension'];
export type BazaarInfo = components['schemas']['BazaarInfo'];
export type BazaarInput = components['schemas']['BazaarInput'];
export type BazaarOutput = components['schemas']['BazaarOutput'];
export type Bytes32Hex = components['schemas']['Bytes32Hex'];
export type CatalogModel = components['schemas']['CatalogModel'];
export type CatalogModelList = components['schemas']['CatalogModelList'];
export type ChainId = components['schemas']['ChainId'];
export type ChatChoice = components['schemas']['ChatChoice'];
export type ChatChunkChoice = components['schemas']['ChatChunkChoice'];
export type ChatCompletion = components['schemas']['ChatCompletion'];
export type ChatCompletionChunk = components['schemas']['ChatCompletionChunk'];
export type ChatCompletionRequest = components['schemas']['ChatCompletionRequest'];
export type ChatDelta = components['schemas']['ChatDelta'];
export type CompletionMessage = components['schemas']['CompletionMessage'];
export type CompletionRequest = components['schemas']['CompletionRequest'];
export type EncodedInferenceProof = components['schemas']['EncodedInferenceProof'];
export type EncodedPaymentObject = components['schemas']['EncodedPaymentObject'];
export type EncodedPaymentReceipt = components['schemas']['EncodedPaymentReceipt'];
export type EncodedPaymentRequirements = components['schemas']['EncodedPaymentRequirements'];
export type EncodedX402V2Offer = components['schemas']['EncodedX402V2Offer'];
export type EncodedX402V2Payment = components['schemas']['EncodedX402V2Payment'];
export type EncodedX402V2Refusal = components['schemas']['EncodedX402V2Refusal'];
export type EvmAddress = components['schemas']['EvmAddress'];
export type FinishReason = components['schemas']['FinishReason'];
export type FunctionCall = components['schemas']['FunctionCall'];
export type FunctionCallDelta = components['schemas']['FunctionCallDelta'];
export type FunctionDefinition = components['schemas']['FunctionDefinition'];
export type HeaderFields = components['schemas']['HeaderFields'];
export type Health = components['schemas']['Health'];
export type HexBytes = components['schemas']['HexBytes'];
export type InferenceLeaf = components['schemas']['InferenceLeaf'];
export type InferenceProof = components['schemas']['InferenceProof'];
export type InferenceStatement = components['schemas']['InferenceStatement'];
export type InsufficientFundsBody = components['schemas']['InsufficientFundsBody'];
export type InsufficientFundsDetail = components['schemas']['InsufficientFundsDetail'];
export type InternalErrorBody = components['schemas']['InternalErrorBody'];
export type InternalErrorDetail = components['schemas']['InternalErrorDetail'];
export type InvalidRequestBody = components['schemas']['InvalidRequestBody'];
export type InvalidRequestDetail = components['schemas']['InvalidRequestDetail'];
export type InvalidSignatureBody = components['schemas']['InvalidSignatureBody'];
export type InvalidSignatureDetail = components['schemas']['InvalidSignatureDetail'];
export type JsonSchemaFormat = components['schemas']['JsonSchemaFormat'];
export type LedgerDomain = components['schemas']['LedgerDomain'];
export type LedgerInclusion = components['schemas']['LedgerInclusion'];
export type Message = components['schemas']['Message'];
export type MethodNotAllowedBody = components['schemas']['MethodNotAllowedBody'];
export type MethodNotAllowedDetail = components['schemas']['MethodNotAllowedDetail'];
export type ModelId = components['schemas']['ModelId'];
export type NamedFunction = components['schemas']['NamedFunction'];
export type NamedToolChoice = components['schemas']['NamedToolChoice'];
export type NotFoundBody = components['schemas']['NotFoundBody'];
export type NotFoundDetail = components['schemas']['NotFoundDetail'];
export type OpenApiDocument = components['schemas']['OpenApiDocument'];
export type OperationPrice = components['schemas']['OperationPrice'];
export type OverloadedBody = components['schemas']['OverloadedBody'];
export type OverloadedDetail = components['schemas']['OverloadedDetail'];
export type PaidResources = components['schemas']['PaidResources'];
export type PaymentAuthorization = components['schemas']['PaymentAuthorization'];
export type PaymentErrorBody = components['schemas']['PaymentErrorBody'];
export type PaymentObject = components['schemas']['PaymentObject'];
export type PaymentPayload = components['schemas']['PaymentPayload'];
export type PaymentReceipt = components['schemas']['PaymentReceipt'];
export type PaymentRequiredBody = components['schemas']['PaymentRequiredBody'];
export type PaymentRequirements = components['schemas']['PaymentRequirements'];
export type PaymentSignatureHex = components['schemas']['PaymentSignatureHex'];
export type ProofRecord = components['schemas']['ProofRecord'];
export type RateCard = components['schemas']['RateCard'];
export type RateLimitedBody = components['schemas']['RateLimitedBody'];
export type RateLimitedDetail = components['schemas']['RateLimitedDetail'];
export type Readiness = components['schemas']['Readiness'];
export type ReadinessCheck = components['schemas']['ReadinessCheck'];
export type RequestTooLargeBody = components['schemas']['RequestTooLargeBody'];
export type RequestTooLargeDetail = components['schemas']['RequestTooLargeDetail'];
export type ResponseFormat = components['schemas']['ResponseFormat'];
export type SavedExchange = components['schemas']['SavedExchange'];
export type SavedRequest = components['schemas']['SavedRequest'];
export type SavedResponse = components['schemas']['SavedResponse'];
export type SecondsOnTheWire = components['schemas']['SecondsOnTheWire'];
export type SettlementPendingBody = components['schemas']['SettlementPendingBody'];
export type SettlementPendingDetail = components['schemas']['SettlementPendingDetail'];
export type SettlementType = components['schemas']['SettlementType'];
export type SignatureHex = components['schemas']['SignatureHex'];
export type Stop = components['schemas']['Stop'];
export type StopSequences = components['schemas']['StopSequences'];
export type StreamOptions = components['schemas']['StreamOptions'];
export type SystemMessage = components['schemas']['SystemMessage'];
export type TextChoice = components['schemas']['TextChoice'];
export type TextChunkChoice = components['schemas']['TextChunkChoice'];
export type TextCompletion = components['schemas']['TextCompletion'];
export type TextCompletionChunk = components['schemas']['TextCompletionChunk'];
export type TokenDomain = components['schemas']['TokenDomain'];
export type ToolCall = components['schemas']['ToolCall'];
export type ToolCallDelta = components['schemas']['ToolCallDelta'];
export type ToolChoice = components['schemas']['ToolChoice'];
export type ToolDefinition = components['schemas']['ToolDefinition'];
export type ToolMessage = components['schemas']['ToolMessage'];
export type ToolParameter = components['schemas']['ToolParameter'];
export type ToolParameters = components['schemas']['ToolParameters'];
export type UintDecimalString = components['schemas']['UintDecimalString'];
export type UnavailableBody = components['schemas']['UnavailableBody'];
export type UnavailableDetail = components['schemas']['UnavailableDetail'];
export type UnavailableErrorBody = components['schemas']['UnavailableErrorBody'];
export type UnixSeconds = components['schemas']['UnixSeconds'];
export type UnsupportedMediaTypeBody = components['schemas']['UnsupportedMediaTypeBody'];
export type UnsupportedMediaTypeDetail = components['schemas']['UnsupportedMediaTypeDetail'];
export type UpstreamErrorBody = components['schemas']['UpstreamErrorBody'];
export type UpstreamErrorDetail = components['schemas']['UpstreamErrorDetail'];
export type UpstreamTimeoutBody = components['schemas']['UpstreamTimeoutBody'];
export type UpstreamTimeoutDetail = components['schemas']['UpstreamTimeoutDetail'];
export type Usage = components['schemas']['Usage'];
export type UserMessage = components['schemas']['UserMessage'];
export type X402V1Offer = components['schemas']['X402V1Offer'];
export type X402V1Option = components['schemas']['X402V1Option'];
export type X402V2Extension = components['schemas']['X402V2Extension'];
export type X402V2Extra = components['schemas']['X402V2Extra'];
export type X402V2Offer = components['schemas']['X402V2Offer'];
export type X402V2Option = components['schemas']['X402V2Option'];
export type X402V2Refusal = components['schemas']['X402V2Refusal'];
export type X402V2Resource = components['schemas']['X402V2Resource'];
export type ParameterPaidRequestHeadersIdempotencyKey = components['parameters']['PaidRequestHeaders.idempotencyKey'];
export type ParameterPaidRequestHeadersPayment = components['parameters']['PaidRequestHeaders.payment'];
export type ParameterPaidRequestHeadersPaymentSignature = components['parameters']['PaidRequestHeaders.paymentSignature'];
export type ParameterPaidRequestHeadersRetryCount = components['parameters']['PaidRequestHeaders.retryCount'];
export type ParameterPaidRequestHeadersSettlementType = components['parameters']['PaidRequestHeaders.settlementType'];
export type $defs = Record<string, never>;
export interface operations {
    readonly getPaidResources: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 1,
                     *       "resources": [
                     *         "https://gateway.example/v1/chat/completions",
                     *         "https://gateway.example/v1/completions"
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["PaidResources"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
        };
    };
    readonly getOpenApiDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
        };
    };
    readonly getReadiness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": [
                     *         {
                     *           "name": "settlement",
                     *           "ready": true
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
            /** @description Service unavailable. */
            readonly 503: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    readonly getAttestation: {
        readonly parameters: {
            readonly query?: {
                readonly nonce?: components["schemas"]["Bytes32Hex"];
                readonly signer?: components["schemas"]["EvmAddress"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider": "software",
                     *       "hardware": false,
                     *       "statement": "Not a TEE: this gateway runs as an ordinary process, and nothing but the process attests to it.",
                     *       "signer": "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                     *       "publicKey": "0x04abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab",
                     *       "binding": "paid-inference/enclave-key/v1",
                     *       "ledger": {
                     *         "name": "InferenceLedger",
                     *         "version": "1",
                     *         "chainId": 31740,
                     *         "verifyingContract": "0xdddddddddddddddddddddddddddddddddddddddd"
                     *       },
                     *       "nonce": "0x6666666666666666666666666666666666666666666666666666666666666666",
                     *       "reportData": "0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
                     *       "format": "software-statement",
                     *       "evidence": "bm90IGEgVEVF",
                     *       "evidenceHash": "0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
                     *       "issuedAt": 1700000000
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Attestation"];
                };
            };
            /** @description Request body or a header invalid. */
            readonly 400: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvalidRequestBody"];
                };
            };
            /** @description No such path, model or record. */
            readonly 404: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NotFoundBody"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
            /** @description Internal server error. */
            readonly 500: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InternalErrorBody"];
                };
            };
            /** @description Overloaded, unavailable, or settlement pending. */
            readonly 503: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnavailableErrorBody"];
                };
            };
        };
    };
    readonly createChatCompletion: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The signed authorization, required after a 402. At most 8 KiB (D-14). */
                readonly "X-PAYMENT"?: components["parameters"]["PaidRequestHeaders.payment"];
                /** @description The same in the x402 v2 dialect. A request has one of the two headers, not both. */
                readonly "PAYMENT-SIGNATURE"?: components["parameters"]["PaidRequestHeaders.paymentSignature"];
                /** @description How much inference data is recorded on the proof ledger; `batch` when absent (section 4.3). */
                readonly "X-SETTLEMENT-TYPE"?: components["parameters"]["PaidRequestHeaders.settlementType"];
                /**
                 * @description Extension: names one purchase of the payer. A request with the same key and body joins the payment that was
                 *     made for it, also after its response (D-258).
                 */
                readonly "Idempotency-Key"?: components["parameters"]["PaidRequestHeaders.idempotencyKey"];
                /**
                 * @description Extension: how often an OpenAI SDK has sent this request before. Above 0, the request joins an earlier payment
                 *     for it, also after its response (D-258).
                 */
                readonly "x-stainless-retry-count"?: components["parameters"]["PaidRequestHeaders.retryCount"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description The receipt. */
                    readonly "X-PAYMENT-RESPONSE": components["schemas"]["EncodedPaymentReceipt"];
                    /** @description The same receipt for x402 v2 clients (D-25). */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedPaymentReceipt"];
                    /** @description The proof of inference, signed by the enclave key, with every settlement type (D-29). */
                    readonly "X-INFERENCE-PROOF"?: components["schemas"]["EncodedInferenceProof"];
                    /** @description `true` when the gateway sent the stored response of this payment again (D-19). */
                    readonly "Idempotent-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChatCompletion"];
                    readonly "text/event-stream": components["schemas"]["ChatCompletionChunk"];
                };
            };
            /** @description Request body or a header invalid. */
            readonly 400: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvalidRequestBody"];
                };
            };
            /** @description Payment signature invalid. */
            readonly 401: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description The reason for x402 v2 clients, if the request had a payment (D-285). It is no receipt. */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedX402V2Refusal"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvalidSignatureBody"];
                };
            };
            /** @description Payment required (the offer is in `X-PAYMENT-REQUIRED`), or `insufficient_funds`. */
            readonly 402: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description The reason for x402 v2 clients, if the request had a payment (D-285). It is no receipt. */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedX402V2Refusal"];
                    /** @description The offer, in every 402 that requires payment (section 4.1). */
                    readonly "X-PAYMENT-REQUIRED"?: components["schemas"]["EncodedPaymentRequirements"];
                    /** @description The same offer for x402 v2 clients (D-01). */
                    readonly "PAYMENT-REQUIRED"?: components["schemas"]["EncodedX402V2Offer"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentErrorBody"];
                };
            };
            /** @description Body over the limit. */
            readonly 413: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RequestTooLargeBody"];
                };
            };
            /** @description Body not declared as `application/json`. */
            readonly 415: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnsupportedMediaTypeBody"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
            /** @description Internal server error. */
            readonly 500: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InternalErrorBody"];
                };
            };
            /** @description The engine failed. */
            readonly 502: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UpstreamErrorBody"];
                };
            };
            /** @description Overloaded, unavailable, or settlement pending. */
            readonly 503: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnavailableErrorBody"];
                };
            };
            /** @description The engine did not respond in time. */
            readonly 504: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UpstreamTimeoutBody"];
                };
            };
        };
    };
    readonly createCompletion: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The signed authorization, required after a 402. At most 8 KiB (D-14). */
                readonly "X-PAYMENT"?: components["parameters"]["PaidRequestHeaders.payment"];
                /** @description The same in the x402 v2 dialect. A request has one of the two headers, not both. */
                readonly "PAYMENT-SIGNATURE"?: components["parameters"]["PaidRequestHeaders.paymentSignature"];
                /** @description How much inference data is recorded on the proof ledger; `batch` when absent (section 4.3). */
                readonly "X-SETTLEMENT-TYPE"?: components["parameters"]["PaidRequestHeaders.settlementType"];
                /**
                 * @description Extension: names one purchase of the payer. A request with the same key and body joins the payment that was
                 *     made for it, also after its response (D-258).
                 */
                readonly "Idempotency-Key"?: components["parameters"]["PaidRequestHeaders.idempotencyKey"];
                /**
                 * @description Extension: how often an OpenAI SDK has sent this request before. Above 0, the request joins an earlier payment
                 *     for it, also after its response (D-258).
                 */
                readonly "x-stainless-retry-count"?: components["parameters"]["PaidRequestHeaders.retryCount"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CompletionRequest"];
            };
        };
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description The receipt. */
                    readonly "X-PAYMENT-RESPONSE": components["schemas"]["EncodedPaymentReceipt"];
                    /** @description The same receipt for x402 v2 clients (D-25). */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedPaymentReceipt"];
                    /** @description The proof of inference, signed by the enclave key, with every settlement type (D-29). */
                    readonly "X-INFERENCE-PROOF"?: components["schemas"]["EncodedInferenceProof"];
                    /** @description `true` when the gateway sent the stored response of this payment again (D-19). */
                    readonly "Idempotent-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TextCompletion"];
                    readonly "text/event-stream": components["schemas"]["TextCompletionChunk"];
                };
            };
            /** @description Request body or a header invalid. */
            readonly 400: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvalidRequestBody"];
                };
            };
            /** @description Payment signature invalid. */
            readonly 401: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description The reason for x402 v2 clients, if the request had a payment (D-285). It is no receipt. */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedX402V2Refusal"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvalidSignatureBody"];
                };
            };
            /** @description Payment required (the offer is in `X-PAYMENT-REQUIRED`), or `insufficient_funds`. */
            readonly 402: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description The reason for x402 v2 clients, if the request had a payment (D-285). It is no receipt. */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedX402V2Refusal"];
                    /** @description The offer, in every 402 that requires payment (section 4.1). */
                    readonly "X-PAYMENT-REQUIRED"?: components["schemas"]["EncodedPaymentRequirements"];
                    /** @description The same offer for x402 v2 clients (D-01). */
                    readonly "PAYMENT-REQUIRED"?: components["schemas"]["EncodedX402V2Offer"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentErrorBody"];
                };
            };
            /** @description Body over the limit. */
            readonly 413: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RequestTooLargeBody"];
                };
            };
            /** @description Body not declared as `application/json`. */
            readonly 415: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnsupportedMediaTypeBody"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
            /** @description Internal server error. */
            readonly 500: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InternalErrorBody"];
                };
            };
            /** @description The engine failed. */
            readonly 502: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UpstreamErrorBody"];
                };
            };
            /** @description Overloaded, unavailable, or settlement pending. */
            readonly 503: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnavailableErrorBody"];
                };
            };
            /** @description The engine did not respond in time. */
            readonly 504: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UpstreamTimeoutBody"];
                };
            };
        };
    };
    readonly listModels: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "id": "alder/alder-mini",
                     *           "object": "model",
                     *           "created": 1700000000,
                     *           "owned_by": "alder",
                     *           "engine": "reference",
                     *           "context_length": 8192,
                     *           "max_output_tokens": 2048,
                     *           "pricing": {
                     *             "input_per_million": "1000000",
                     *             "output_per_million": "4000000",
                     *             "minimum": "1000"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CatalogModelList"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
            /** @description Internal server error. */
            readonly 500: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InternalErrorBody"];
                };
            };
        };
    };
    readonly getModel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "alder/alder-mini",
                     *       "object": "model",
                     *       "created": 1700000000,
                     *       "owned_by": "alder",
                     *       "engine": "reference",
                     *       "context_length": 8192,
                     *       "max_output_tokens": 2048,
                     *       "pricing": {
                     *         "input_per_million": "1000000",
                     *         "output_per_million": "4000000",
                     *         "minimum": "1000"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CatalogModel"];
                };
            };
            /** @description No such path, model or record. */
            readonly 404: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NotFoundBody"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
            /** @description Internal server error. */
            readonly 500: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InternalErrorBody"];
                };
            };
        };
    };
    readonly getProof: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has succeeded. */
            readonly 200: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0x7777777777777777777777777777777777777777777777777777777777777777",
                     *       "status": "recorded",
                     *       "settlementType": "batch",
                     *       "leaf": {
                     *         "proofId": "0x7777777777777777777777777777777777777777777777777777777777777777",
                     *         "inputHash": "0x8888888888888888888888888888888888888888888888888888888888888888",
                     *         "outputHash": "0x9999999999999999999999999999999999999999999999999999999999999999",
                     *         "modelHash": "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *         "timestamp": 1700000000,
                     *         "settlementType": "batch",
                     *         "signer": "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
                     *       },
                     *       "signature": "0x555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555551b",
                     *       "leafHash": "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
                     *       "ledger": {
                     *         "name": "InferenceLedger",
                     *         "version": "1",
                     *         "chainId": 31740,
                     *         "verifyingContract": "0xdddddddddddddddddddddddddddddddddddddddd"
                     *       },
                     *       "batch": {
                     *         "root": "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                     *         "size": 2,
                     *         "path": [
                     *           "0x1111111111111111111111111111111111111111111111111111111111111111"
                     *         ]
                     *       },
                     *       "inclusion": {
                     *         "txHash": "0x3333333333333333333333333333333333333333333333333333333333333333",
                     *         "blockNumber": 12
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ProofRecord"];
                };
            };
            /** @description No such path, model or record. */
            readonly 404: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NotFoundBody"];
                };
            };
            /** @description Rate limit exceeded. */
            readonly 429: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimitedBody"];
                };
            };
            /** @description Internal server error. */
            readonly 500: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InternalErrorBody"];
                };
            };
            /** @description Overloaded, unavailable, or settlement pending. */
            readonly 503: {
                headers: {
                    /** @description Identifies this exchange in the gateway's log. The gateway keeps the client's own value if there is one. */
                    readonly "X-Request-Id"?: string;
                    /**
                     * @description Names of body fields that had no effect, comma-separated: fields that the contract does not have (D-09), and
                     *     fields that the model's engine does not know (D-264).
                     */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every response of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description Time until the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid responses belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs that a retry changes nothing (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the client sends the same request again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnavailableErrorBody"];
                };
            };
        };
    };
}
