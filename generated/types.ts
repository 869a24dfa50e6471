// Generated from spec/ by `npm run generate`. Edit spec/, not this file.

export interface paths {
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Liveness
         * @description Whether the process is alive.
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
         * @description This document.
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
         * @description Whether a paid request would be served now.
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
         * @description Evidence about the machine, bound to the caller's nonce. Without a nonce, or for the signer of an older proof: the
         *     evidence that the key was registered with on the ledger.
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
         * @description Chat completion (section 4.1). Without `X-PAYMENT` the answer is 402 and the offer; the same request again with the
         *     signed authorization is answered with the completion and the receipt.
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
         * @description Text completion (section 4.2): headers and payment flow as for chat.
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
         * @description The models that can be asked for, with limits and prices.
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
         * @description One model. The id may be sent with its slash encoded or not.
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
         * @description Where the proof of an inference stands.
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
            /** @description Token smallest unit; at most `maxAmountRequired`, and the reference gateway asks for exactly that (D-17). */
            readonly value: components["schemas"]["UintDecimalString"];
            /** @description 32 random bytes, fresh for every payment. */
            readonly nonce: components["schemas"]["Bytes32Hex"];
            readonly validAfter: components["schemas"]["SecondsOnTheWire"];
            readonly validBefore: components["schemas"]["SecondsOnTheWire"];
        };
        /** @description What an x402 v2 client says it accepted. */
        readonly AcceptedOption: {
            readonly scheme?: string;
            readonly network?: string;
            readonly amount?: string;
            readonly asset?: string;
            readonly payTo?: string;
        };
        /** @description Signature and authorization in any dialect. */
        readonly AcceptedPayload: {
            /** @description Judged by the signature check, so that a bad one is 401 and not a malformed payment (D-04). */
            readonly signature: string;
            readonly authorization: components["schemas"]["AcceptedAuthorization"];
        };
        /**
         * @description What the gateway reads in `X-PAYMENT` and `PAYMENT-SIGNATURE`: the contract's object, or the x402 v1 or v2 one. The
         *     fields that only x402 has are checked against the offer where they are present.
         */
        readonly AcceptedPayment: {
            readonly payload: components["schemas"]["AcceptedPayload"];
            /** Format: int32 */
            readonly x402Version?: number;
            readonly scheme?: string;
            readonly network?: string;
            readonly accepted?: components["schemas"]["AcceptedOption"];
        };
        /** @description The answer of the model (section 2.6). */
        readonly AssistantAnswer: {
            /** @enum {string} */
            readonly role: "assistant";
            /** @description The text, or null when tool calls are returned. */
            readonly content: string | null;
            /** @description Present when the model calls tools. */
            readonly tool_calls?: readonly components["schemas"]["ToolCall"][];
        };
        /** @description What the model said; `content` is required unless the message carries `tool_calls` (section 2.2). */
        readonly AssistantMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly role: "assistant";
            /** @description Message text; null or absent only beside `tool_calls`. */
            readonly content?: string | null;
            /** @description Name of the participant. */
            readonly name?: string;
            /** @description The calls that the model made. */
            readonly tool_calls?: readonly components["schemas"]["ToolCall"][];
        };
        /**
         * @description Evidence about the machine that an enclave key lives on (D-30). The evidence carries `reportData`:
         *     sha256(`binding` ‖ 0x00 ‖ `publicKey` ‖ chain id as 32 bytes, big-endian ‖ ledger contract) followed by sha256(`nonce`).
         */
        readonly Attestation: {
            /** @description Who attests: `software`, `configfs-tsm`, `dstack`, `nitriding` or `confidential-space`. An open set. */
            readonly provider: string;
            /** @description False unless a trusted execution environment signed the evidence. */
            readonly hardware: boolean;
            /** @description For people; says "not a TEE" where that is so. */
            readonly statement: string;
            /** @description Address of the enclave key. */
            readonly signer: components["schemas"]["EvmAddress"];
            /** @description The enclave key's public half: 65 bytes, uncompressed. */
            readonly publicKey: components["schemas"]["HexBytes"];
            /** @enum {string} */
            readonly binding: "paid-inference/enclave-key/v1";
            readonly ledger: components["schemas"]["LedgerDomain"];
            /** @description The caller's; 32 zero bytes in the evidence that the key was registered with. */
            readonly nonce: components["schemas"]["Bytes32Hex"];
            /** @description 64 bytes that bind key, ledger and nonce to the evidence. */
            readonly reportData: components["schemas"]["HexBytes"];
            /** @description What the evidence is, such as `software-statement`, `tdx-quote`, `sev-snp-report`, `nitro-document` or `jwt`. */
            readonly format: string;
            readonly evidence: components["schemas"]["Base64Bytes"];
            /** @description keccak256 of the evidence; for the zero nonce, what the ledger has of this key. */
            readonly evidenceHash: components["schemas"]["Bytes32Hex"];
            /** @description Certificates that the provider handed out with the evidence. */
            readonly certificates?: components["schemas"]["Base64Bytes"];
            /** @description Measurements that the provider named, as it names them. */
            readonly measurements?: {
                readonly [key: string]: string;
            };
            readonly issuedAt: components["schemas"]["UnixSeconds"];
        };
        /** @description Which attestation stands behind a signer. */
        readonly AttestationSummary: {
            /** @description Who attests; `software` means that nobody but the process itself does (D-30). */
            readonly provider: string;
            /** @description False unless a trusted execution environment signed the evidence. */
            readonly hardware: boolean;
            /** @description keccak256 of the evidence that the key was registered with on the ledger. */
            readonly evidenceHash: components["schemas"]["Bytes32Hex"];
        };
        /** @description Bytes in standard base64 with padding. */
        readonly Base64Bytes: string;
        /** @description The batch that a proof belongs to, and the way from its leaf to the root. */
        readonly BatchInclusion: {
            /** @description Merkle root of the batch; null while the batch may still grow. */
            readonly root: components["schemas"]["Bytes32Hex"] | null;
            /** @description Leaves of the batch, in their durable order; null while it may still grow. */
            readonly size: number | null;
            /** @description Sibling hashes from the leaf to the root; null while the batch may still grow. */
            readonly path: readonly components["schemas"]["Bytes32Hex"][] | null;
        };
        /** @description 32 bytes as 0x-prefixed hex. */
        readonly Bytes32Hex: string;
        /** @description One model of the catalog. */
        readonly CatalogModel: {
            readonly id: components["schemas"]["ModelId"];
            /** @enum {string} */
            readonly object: "model";
            /** @description When it entered the catalog. */
            readonly created: components["schemas"]["UnixSeconds"];
            readonly owned_by: string;
            /** @description The engine that runs it, by its honest name. */
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
         * @description EIP-155 chain id: 84532, the public test network that payments settle on (section 1).
         */
        readonly ChainId: number;
        /** @description One answer (section 2.6). */
        readonly ChatChoice: {
            /** Format: int32 */
            readonly index: number;
            readonly message: components["schemas"]["AssistantAnswer"];
            readonly finish_reason: components["schemas"]["FinishReason"];
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
        /** @description Body of `POST /v1/chat/completions` (section 2.1). Unknown fields are ignored and named in `X-Ignored-Fields` (D-09). */
        readonly ChatCompletionRequest: {
            readonly model: components["schemas"]["ModelId"];
            /** @description Conversation so far, oldest first; at least one message. */
            readonly messages: readonly components["schemas"]["Message"][];
            /**
             * Format: int32
             * @description Maximum tokens to generate: at least 1, at most the model's `max_output_tokens` (D-12).
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
            /** @description Tools the model may call. */
            readonly tools?: readonly components["schemas"]["ToolDefinition"][];
            readonly tool_choice?: components["schemas"]["ToolChoice"];
        };
        /** @description Body of `POST /v1/completions` (section 2.5). Unknown fields are ignored and named in `X-Ignored-Fields` (D-09). */
        readonly CompletionRequest: {
            readonly model: components["schemas"]["ModelId"];
            /** @description Text prompt. */
            readonly prompt: string;
            /**
             * Format: int32
             * @description Maximum tokens to generate: at least 1, at most the model's `max_output_tokens`. The default is D-12's.
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
         * @example eyJ4NDAyVmVyc2lvbiI6MiwiZXJyb3IiOiJQQVlNRU5ULVNJR05BVFVSRSBoZWFkZXIgaXMgcmVxdWlyZWQiLCJyZXNvdXJjZSI6eyJ1cmwiOiJodHRwczovL2dhdGV3YXkuZXhhbXBsZS92MS9jaGF0L2NvbXBsZXRpb25zIiwiZGVzY3JpcHRpb24iOiJDaGF0IGNvbXBsZXRpb24iLCJtaW1lVHlwZSI6ImFwcGxpY2F0aW9uL2pzb24ifSwiYWNjZXB0cyI6W3sic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMyIiwiYW1vdW50IjoiMTAwMDAiLCJhc3NldCI6IjB4MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMiIsInBheVRvIjoiMHgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwibWF4VGltZW91dFNlY29uZHMiOjMwMCwiZXh0cmEiOnsibmFtZSI6IlRlc3QgUGF5bWVudCBUb2tlbiIsInZlcnNpb24iOiIxIn19XX0=
         */
        readonly EncodedX402V2Offer: string;
        /**
         * @description Base64 of the JSON of an x402 v2 payment, which `AcceptedPayment` describes.
         * @example eyJ4NDAyVmVyc2lvbiI6MiwiYWNjZXB0ZWQiOnsic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMyIiwiYW1vdW50IjoiMTAwMDAiLCJhc3NldCI6IjB4MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMiIsInBheVRvIjoiMHgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwibWF4VGltZW91dFNlY29uZHMiOjMwMCwiZXh0cmEiOnsibmFtZSI6IlRlc3QgUGF5bWVudCBUb2tlbiIsInZlcnNpb24iOiIxIn19LCJwYXlsb2FkIjp7InNpZ25hdHVyZSI6IjB4NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTUxYiIsImF1dGhvcml6YXRpb24iOnsiZnJvbSI6IjB4NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NCIsInRvIjoiMHgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwidmFsdWUiOiIxMDAwMCIsInZhbGlkQWZ0ZXIiOiIwIiwidmFsaWRCZWZvcmUiOiIxOTAwMDAwMDAwIiwibm9uY2UiOiIweDY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjYifX19
         */
        readonly EncodedX402V2Payment: string;
        /** @description 20-byte EVM address as 0x-prefixed hex; letter case carries no meaning. */
        readonly EvmAddress: string;
        /**
         * @description Why generation ended. Seen so far: `stop`, `length`, `tool_calls`, `content_filter` (section 2.6, D-13). An open set:
         *     a client must live with a value that it does not know.
         */
        readonly FinishReason: string;
        /** @description The function called, and with what (section 2.4). */
        readonly FunctionCall: {
            /** @description Function called. */
            readonly name: string;
            /** @description Arguments serialized as a JSON string. */
            readonly arguments: string;
        };
        /** @description The function behind a tool (section 2.3). */
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
        /** @description Alive: the process answers. */
        readonly Health: {
            /** @enum {string} */
            readonly status: "ok";
        };
        /** @description Bytes as 0x-prefixed hex. */
        readonly HexBytes: string;
        /** @description A leaf of the Merkle tree of a batch: the statement and who signed it, ABI-encoded and hashed twice. */
        readonly InferenceLeaf: {
            /** @description 32 random bytes; names the proof. */
            readonly proofId: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the request body as received (D-29). */
            readonly inputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the response body as sent (D-29). */
            readonly outputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the model's catalog identifier in UTF-8. */
            readonly modelHash: components["schemas"]["Bytes32Hex"];
            /** @description When the inference was complete. */
            readonly timestamp: components["schemas"]["UnixSeconds"];
            /** @description What is recorded on the ledger (section 4.3); signed, so that nobody can say afterwards that it was another (D-85). */
            readonly settlementType: components["schemas"]["SettlementType"];
            /** @description Address of the enclave key. */
            readonly signer: components["schemas"]["EvmAddress"];
        };
        /** @description What ran, signed by the key that it ran under: the content of `X-INFERENCE-PROOF`. */
        readonly InferenceProof: {
            /** @description 32 random bytes; names the proof. */
            readonly proofId: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the request body as received (D-29). */
            readonly inputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the response body as sent (D-29). */
            readonly outputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the model's catalog identifier in UTF-8. */
            readonly modelHash: components["schemas"]["Bytes32Hex"];
            /** @description When the inference was complete. */
            readonly timestamp: components["schemas"]["UnixSeconds"];
            /** @description What is recorded on the ledger (section 4.3); signed, so that nobody can say afterwards that it was another (D-85). */
            readonly settlementType: components["schemas"]["SettlementType"];
            /** @description Address of the enclave key. */
            readonly signer: components["schemas"]["EvmAddress"];
            /** @description EIP-712 signature of the statement by `signer`, in the domain `ledger`. */
            readonly signature: components["schemas"]["SignatureHex"];
            /**
             * @description How bodies are brought to one form before they are hashed.
             * @enum {string}
             */
            readonly canonicalization: "jcs-rfc8785";
            readonly attestation: components["schemas"]["AttestationSummary"];
            /** @description The EIP-712 domain that was signed in, and where the proof is recorded. */
            readonly ledger: components["schemas"]["LedgerDomain"];
        };
        /** @description What an enclave key signs about one inference, as EIP-712 typed data in the ledger's domain. */
        readonly InferenceStatement: {
            /** @description 32 random bytes; names the proof. */
            readonly proofId: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the request body as received (D-29). */
            readonly inputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the canonical JSON (RFC 8785) of the response body as sent (D-29). */
            readonly outputHash: components["schemas"]["Bytes32Hex"];
            /** @description keccak256 of the model's catalog identifier in UTF-8. */
            readonly modelHash: components["schemas"]["Bytes32Hex"];
            /** @description When the inference was complete. */
            readonly timestamp: components["schemas"]["UnixSeconds"];
            /** @description What is recorded on the ledger (section 4.3); signed, so that nobody can say afterwards that it was another (D-85). */
            readonly settlementType: components["schemas"]["SettlementType"];
        };
        /** @description Payer's payment-token balance is too low (section 7). */
        readonly InsufficientFundsBody: {
            readonly error: components["schemas"]["InsufficientFundsDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly InsufficientFundsDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description Internal server error (section 7). */
        readonly InternalErrorBody: {
            readonly error: components["schemas"]["InternalErrorDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly InternalErrorDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description Request body or a header invalid (section 7). */
        readonly InvalidRequestBody: {
            readonly error: components["schemas"]["InvalidRequestDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly InvalidRequestDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description Payment signature invalid (section 7). */
        readonly InvalidSignatureBody: {
            readonly error: components["schemas"]["InvalidSignatureDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly InvalidSignatureDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description The EIP-712 domain of the contract that proofs are recorded in, ready to be handed to a signer as it is. */
        readonly LedgerDomain: {
            /**
             * @description The ledger contract's EIP-712 domain name.
             * @enum {string}
             */
            readonly name: "InferenceLedger";
            /**
             * @description The ledger contract's EIP-712 domain version.
             * @enum {string}
             */
            readonly version: "1";
            /**
             * Format: int64
             * @description Chain id of the ledger network.
             */
            readonly chainId: number;
            /** @description The ledger contract. */
            readonly verifyingContract: components["schemas"]["EvmAddress"];
        };
        /** @description The transaction on the ledger network that a proof is recorded with. */
        readonly LedgerInclusion: {
            readonly txHash: components["schemas"]["Bytes32Hex"];
            /** Format: int64 */
            readonly blockNumber: number;
        };
        /** @description One message of the conversation, told apart by `role` (section 2.2). */
        readonly Message: components["schemas"]["SystemMessage"] | components["schemas"]["UserMessage"] | components["schemas"]["AssistantMessage"] | components["schemas"]["ToolMessage"];
        /** @description The path exists, the method does not (D-07). */
        readonly MethodNotAllowedBody: {
            readonly error: components["schemas"]["MethodNotAllowedDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly MethodNotAllowedDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description Catalog identifier, `<provider>/<model_name>` (section 1). The catalog is deployment data, so the set is open. */
        readonly ModelId: string;
        /** @description The function to call (D-11). */
        readonly NamedFunction: {
            readonly name: string;
        };
        /** @description The object form of a specific tool, as OpenAI clients send it (D-11). */
        readonly NamedToolChoice: {
            /** @enum {string} */
            readonly type: "function";
            readonly function: components["schemas"]["NamedFunction"];
        };
        /** @description No such path (D-07). */
        readonly NotFoundBody: {
            readonly error: components["schemas"]["NotFoundDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly NotFoundDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description An OpenAPI document. */
        readonly OpenApiDocument: {
            readonly openapi: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description More work than the gateway takes at once; this request charged nothing (D-07). */
        readonly OverloadedBody: {
            readonly error: components["schemas"]["OverloadedDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly OverloadedDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description EIP-3009 `transferWithAuthorization`, to be signed as EIP-712 typed data (sections 2.9 and 4.4). */
        readonly PaymentAuthorization: {
            /** @description Payer wallet address. */
            readonly from: components["schemas"]["EvmAddress"];
            /** @description Equal to `payTo` of the requirements. */
            readonly to: components["schemas"]["EvmAddress"];
            /** @description Token smallest unit; at most `maxAmountRequired`, and the reference gateway asks for exactly that (D-17). */
            readonly value: components["schemas"]["UintDecimalString"];
            /** @description Unix seconds from which the authorization is valid; below 2^47 (D-20). */
            readonly validAfter: components["schemas"]["UnixSeconds"];
            /** @description Unix seconds after which it is invalid; below 2^47 (D-20). */
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
        /** @description Signature and what was signed (section 2.10). */
        readonly PaymentPayload: {
            /** @description EIP-712 signature of the authorization by `from`. */
            readonly signature: components["schemas"]["SignatureHex"];
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
            /** @description The same as `txHash`, under the name that x402 clients read (D-25). */
            readonly transaction?: components["schemas"]["Bytes32Hex"];
            /** @description What was paid, in the token's smallest unit (D-25). */
            readonly amount?: components["schemas"]["UintDecimalString"];
        };
        /** @description Body of the 402 that asks for payment. The contract shows none, so any object is allowed; ours is the x402 v1 offer (D-01). */
        readonly PaymentRequiredBody: {
            readonly [key: string]: unknown;
        };
        /** @description What a payment for this very request must look like: the content of `X-PAYMENT-REQUIRED` (section 2.8). */
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
        /** @description Where the proof of a paid inference stands. A `private` inference has none: nothing of it is recorded or kept. */
        readonly ProofRecord: {
            readonly id: components["schemas"]["Bytes32Hex"];
            /**
             * @description `refused` is what the ledger contract does not take as things are; it is looked at again, and may yet be recorded.
             * @enum {string}
             */
            readonly status: "pending" | "recorded" | "refused";
            /** @description As in the leaf. */
            readonly settlementType: components["schemas"]["SettlementType"];
            /** @description The statement and its signer, as they are recorded or will be. */
            readonly leaf: components["schemas"]["InferenceLeaf"];
            /** @description EIP-712 signature of the statement by the signer. */
            readonly signature: components["schemas"]["SignatureHex"];
            /** @description Hash of the leaf, as it stands in the tree of a batch. */
            readonly leafHash: components["schemas"]["Bytes32Hex"];
            readonly ledger: components["schemas"]["LedgerDomain"];
            /** @description In `batch` mode. */
            readonly batch?: components["schemas"]["BatchInclusion"];
            /** @description Once it is recorded. */
            readonly inclusion?: components["schemas"]["LedgerInclusion"];
            /** @description For people; where it is refused. */
            readonly refusal?: string;
        };
        /** @description Price list of a model, in the token's smallest unit (D-16). */
        readonly RateCard: {
            /** @description Units per million input tokens. */
            readonly input_per_million: components["schemas"]["UintDecimalString"];
            /** @description Units per million of `max_tokens`. */
            readonly output_per_million: components["schemas"]["UintDecimalString"];
            /** @description The least that a request costs. */
            readonly minimum: components["schemas"]["UintDecimalString"];
        };
        /** @description Rate limit exceeded (section 7). */
        readonly RateLimitedBody: {
            readonly error: components["schemas"]["RateLimitedDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly RateLimitedDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description Ready: a paid request would be served now. */
        readonly Readiness: {
            /** @enum {string} */
            readonly status: "ready" | "not_ready";
            readonly checks: readonly components["schemas"]["ReadinessCheck"][];
        };
        /** @description One thing that a paid request needs. */
        readonly ReadinessCheck: {
            readonly name: string;
            readonly ready: boolean;
            /** @description What is wrong, for the operator. */
            readonly detail?: string;
        };
        /** @description The body is over the limit (D-07, D-14). */
        readonly RequestTooLargeBody: {
            readonly error: components["schemas"]["RequestTooLargeDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly RequestTooLargeDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /**
         * @description A paid request and its answer, as they were on the wire, content encodings undone: what the verification of an
         *     inference starts from. It holds the prompt and the answer. Its `X-PAYMENT` moves no more money once it has settled;
         *     until then, whoever reads it can present it.
         */
        readonly SavedExchange: {
            /** @enum {string} */
            readonly format: "paid-inference/exchange/v1";
            readonly request: components["schemas"]["SavedRequest"];
            readonly response: components["schemas"]["SavedResponse"];
            /** @description What `GET /v1/attestation?signer=` said of the key that signed, where it was asked in time. */
            readonly attestation?: components["schemas"]["Attestation"];
            /** @description What `GET /v1/proofs/{id}` said, where it was asked in time. */
            readonly proof?: components["schemas"]["ProofRecord"];
        };
        /** @description A request as it was sent, in the sending that was answered. */
        readonly SavedRequest: {
            readonly method: string;
            /** Format: uri */
            readonly url: string;
            /** @description Those that the contract names. */
            readonly headers: components["schemas"]["HeaderFields"];
            readonly body: string;
        };
        /** @description An answer as it arrived. */
        readonly SavedResponse: {
            /** Format: int32 */
            readonly status: number;
            /** @description Those that the contract names. */
            readonly headers: components["schemas"]["HeaderFields"];
            readonly body: string;
        };
        /** @description Seconds as an integer (contract) or a decimal string (x402 clients): both hash to the same digest (D-20). */
        readonly SecondsOnTheWire: components["schemas"]["UnixSeconds"] | components["schemas"]["UintDecimalString"];
        /** @description The chain has not yet said whether the payment moved: send the same `X-PAYMENT` again, never a new one (D-24). */
        readonly SettlementPendingBody: {
            readonly error: components["schemas"]["SettlementPendingDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly SettlementPendingDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /**
         * @description How much inference data is recorded on the ledger (section 4.3).
         * @enum {string}
         */
        readonly SettlementType: "private" | "individual" | "batch";
        /** @description 65-byte ECDSA signature (r, s, v) as 0x-prefixed hex. */
        readonly SignatureHex: string;
        /** @description An array of sequences (sections 2.1 and 2.5); a bare string is accepted as one (D-10). */
        readonly Stop: components["schemas"]["StopSequences"] | string;
        /** @description Sequences at which generation ends; the returned text never contains one. At most 16 (D-10). */
        readonly StopSequences: readonly string[];
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
        /** @description One answer (section 2.7). */
        readonly TextChoice: {
            /** Format: int32 */
            readonly index: number;
            readonly text: string;
            readonly finish_reason: components["schemas"]["FinishReason"];
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
        /** @description The token's EIP-712 domain, as far as the offer says it (section 2.8). */
        readonly TokenDomain: {
            /** @description The token's EIP-712 domain name. */
            readonly name: string;
            /**
             * @description The token's EIP-712 domain version.
             * @enum {string}
             */
            readonly version: "1";
        };
        /** @description A call of a tool, in assistant messages and in responses (section 2.4). */
        readonly ToolCall: {
            /** @description Id of the call; the `tool` message that answers it carries the same id. */
            readonly id: string;
            /** @enum {string} */
            readonly type: "function";
            readonly function: components["schemas"]["FunctionCall"];
        };
        /**
         * @description `auto`, `none`, or a specific tool (section 2.1). The contract does not show the shape of the last: here it is the
         *     tool's name, or the object form; `required` is accepted too (D-11).
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
        /** @description A property of a tool's parameters; any further JSON Schema keyword is allowed (section 2.3). */
        readonly ToolParameter: {
            readonly type?: string | readonly string[];
            readonly description?: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description JSON-Schema-style object that the arguments of a call satisfy (section 2.3). */
        readonly ToolParameters: {
            readonly type?: string;
            readonly properties?: {
                readonly [key: string]: components["schemas"]["ToolParameter"];
            };
            /** @description Names of the properties that a call must give. */
            readonly required?: readonly string[];
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Non-negative integer in the token's smallest unit, as a decimal string of at most 78 digits (uint256). */
        readonly UintDecimalString: string;
        /** @description The gateway cannot judge or run the request now; this request charged nothing (D-07). */
        readonly UnavailableBody: {
            readonly error: components["schemas"]["UnavailableDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly UnavailableDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description The three bodies of a 503. */
        readonly UnavailableErrorBody: components["schemas"]["OverloadedBody"] | components["schemas"]["UnavailableBody"] | components["schemas"]["SettlementPendingBody"];
        /**
         * Format: int64
         * @description Unix time in whole seconds.
         */
        readonly UnixSeconds: number;
        /** @description The body is not declared as JSON (D-07). */
        readonly UnsupportedMediaTypeBody: {
            readonly error: components["schemas"]["UnsupportedMediaTypeDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly UnsupportedMediaTypeDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description The engine failed; nothing was charged (D-07, D-22). */
        readonly UpstreamErrorBody: {
            readonly error: components["schemas"]["UpstreamErrorDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly UpstreamErrorDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description The engine did not answer in time; nothing was charged (D-07, D-22). */
        readonly UpstreamTimeoutBody: {
            readonly error: components["schemas"]["UpstreamTimeoutDetail"];
        };
        /** @description What went wrong (section 7). */
        readonly UpstreamTimeoutDetail: {
            /** @description For people: what is wrong and what to change. Not part of the contract, never to be matched on. */
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
            /** @description Where it is: a JSON path such as `messages[2].tool_call_id`, or a header's name (D-08). */
            readonly param?: string | null;
        };
        /** @description Tokens read and written, as counted by the engine (sections 2.6 and 2.7). */
        readonly Usage: {
            /**
             * Format: int32
             * @description Tokens of the input.
             */
            readonly prompt_tokens: number;
            /**
             * Format: int32
             * @description Tokens generated.
             */
            readonly completion_tokens: number;
            /**
             * Format: int32
             * @description The sum of both.
             */
            readonly total_tokens: number;
        };
        /** @description What the user said (section 2.2). */
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
        /** @description The x402 v1 body of an unpaid 402 (D-01). `accepts` has one entry: v1 clients fail on a network that they do not know. */
        readonly X402V1Offer: {
            /** @enum {number} */
            readonly x402Version: 1;
            /** @description Why a payment is asked for: an x402 reason string, or that `X-PAYMENT` is missing. Always a string. */
            readonly error: string;
            readonly accepts: readonly components["schemas"]["X402V1Option"][];
            /** @description What to change, for people. */
            readonly message?: string;
        };
        /** @description One entry of an x402 v1 offer: the requirements under the network's v1 name. */
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
        /** @description The content of `PAYMENT-REQUIRED` (x402 v2, D-01). */
        readonly X402V2Offer: {
            /** @enum {number} */
            readonly x402Version: 2;
            readonly error: string;
            readonly resource: components["schemas"]["X402V2Resource"];
            readonly accepts: readonly components["schemas"]["X402V2Option"][];
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
            readonly extra: components["schemas"]["TokenDomain"];
        };
        /** @description What is sold, in an x402 v2 offer. */
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
        /** @description Required once payment was demanded: the signed authorization. At most 8 KiB (D-14). */
        readonly "PaidRequestHeaders.payment": components["schemas"]["EncodedPaymentObject"];
        /** @description The same in the x402 v2 dialect; one of the two, not both. */
        readonly "PaidRequestHeaders.paymentSignature": components["schemas"]["EncodedX402V2Payment"];
        /** @description How much inference data is recorded on the ledger; `batch` when absent (section 4.3). */
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
export type AssistantAnswer = components['schemas']['AssistantAnswer'];
export type AssistantMessage = components['schemas']['AssistantMessage'];
export type Attestation = components['schemas']['Attestation'];
export type AttestationSummary = components['schemas']['AttestationSummary'];
export type Base64Bytes = components['schemas']['Base64Bytes'];
export type BatchInclusion = components['schemas']['BatchInclusion'];
export type Bytes32Hex = components['schemas']['Bytes32Hex'];
export type CatalogModel = components['schemas']['CatalogModel'];
export type CatalogModelList = components['schemas']['CatalogModelList'];
export type ChainId = components['schemas']['ChainId'];
export type ChatChoice = components['schemas']['ChatChoice'];
export type ChatCompletion = components['schemas']['ChatCompletion'];
export type ChatCompletionRequest = components['schemas']['ChatCompletionRequest'];
export type CompletionRequest = components['schemas']['CompletionRequest'];
export type EncodedInferenceProof = components['schemas']['EncodedInferenceProof'];
export type EncodedPaymentObject = components['schemas']['EncodedPaymentObject'];
export type EncodedPaymentReceipt = components['schemas']['EncodedPaymentReceipt'];
export type EncodedPaymentRequirements = components['schemas']['EncodedPaymentRequirements'];
export type EncodedX402V2Offer = components['schemas']['EncodedX402V2Offer'];
export type EncodedX402V2Payment = components['schemas']['EncodedX402V2Payment'];
export type EvmAddress = components['schemas']['EvmAddress'];
export type FinishReason = components['schemas']['FinishReason'];
export type FunctionCall = components['schemas']['FunctionCall'];
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
export type OverloadedBody = components['schemas']['OverloadedBody'];
export type OverloadedDetail = components['schemas']['OverloadedDetail'];
export type PaymentAuthorization = components['schemas']['PaymentAuthorization'];
export type PaymentErrorBody = components['schemas']['PaymentErrorBody'];
export type PaymentObject = components['schemas']['PaymentObject'];
export type PaymentPayload = components['schemas']['PaymentPayload'];
export type PaymentReceipt = components['schemas']['PaymentReceipt'];
export type PaymentRequiredBody = components['schemas']['PaymentRequiredBody'];
export type PaymentRequirements = components['schemas']['PaymentRequirements'];
export type ProofRecord = components['schemas']['ProofRecord'];
export type RateCard = components['schemas']['RateCard'];
export type RateLimitedBody = components['schemas']['RateLimitedBody'];
export type RateLimitedDetail = components['schemas']['RateLimitedDetail'];
export type Readiness = components['schemas']['Readiness'];
export type ReadinessCheck = components['schemas']['ReadinessCheck'];
export type RequestTooLargeBody = components['schemas']['RequestTooLargeBody'];
export type RequestTooLargeDetail = components['schemas']['RequestTooLargeDetail'];
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
export type SystemMessage = components['schemas']['SystemMessage'];
export type TextChoice = components['schemas']['TextChoice'];
export type TextCompletion = components['schemas']['TextCompletion'];
export type TokenDomain = components['schemas']['TokenDomain'];
export type ToolCall = components['schemas']['ToolCall'];
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
export type X402V2Offer = components['schemas']['X402V2Offer'];
export type X402V2Option = components['schemas']['X402V2Option'];
export type X402V2Resource = components['schemas']['X402V2Resource'];
export type ParameterPaidRequestHeadersPayment = components['parameters']['PaidRequestHeaders.payment'];
export type ParameterPaidRequestHeadersPaymentSignature = components['parameters']['PaidRequestHeaders.paymentSignature'];
export type ParameterPaidRequestHeadersSettlementType = components['parameters']['PaidRequestHeaders.settlementType'];
export type $defs = Record<string, never>;
export interface operations {
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                /** @description Required once payment was demanded: the signed authorization. At most 8 KiB (D-14). */
                readonly "X-PAYMENT"?: components["parameters"]["PaidRequestHeaders.payment"];
                /** @description The same in the x402 v2 dialect; one of the two, not both. */
                readonly "PAYMENT-SIGNATURE"?: components["parameters"]["PaidRequestHeaders.paymentSignature"];
                /** @description How much inference data is recorded on the ledger; `batch` when absent (section 4.3). */
                readonly "X-SETTLEMENT-TYPE"?: components["parameters"]["PaidRequestHeaders.settlementType"];
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description The receipt. */
                    readonly "X-PAYMENT-RESPONSE": components["schemas"]["EncodedPaymentReceipt"];
                    /** @description The same for x402 v2 clients (D-25). */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedPaymentReceipt"];
                    /** @description What ran, signed by the key that it ran under; in every settlement mode (D-29). */
                    readonly "X-INFERENCE-PROOF"?: components["schemas"]["EncodedInferenceProof"];
                    /** @description `true` when the stored answer of this very payment was sent again (D-19). */
                    readonly "Idempotent-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChatCompletion"];
                };
            };
            /** @description Request body or a header invalid. */
            readonly 400: {
                headers: {
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvalidSignatureBody"];
                };
            };
            /** @description Payment required (the offer is in `X-PAYMENT-REQUIRED`), or `insufficient_funds`. */
            readonly 402: {
                headers: {
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description The offer: present whenever payment is demanded (section 4.1). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnavailableErrorBody"];
                };
            };
            /** @description The engine did not answer in time. */
            readonly 504: {
                headers: {
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                /** @description Required once payment was demanded: the signed authorization. At most 8 KiB (D-14). */
                readonly "X-PAYMENT"?: components["parameters"]["PaidRequestHeaders.payment"];
                /** @description The same in the x402 v2 dialect; one of the two, not both. */
                readonly "PAYMENT-SIGNATURE"?: components["parameters"]["PaidRequestHeaders.paymentSignature"];
                /** @description How much inference data is recorded on the ledger; `batch` when absent (section 4.3). */
                readonly "X-SETTLEMENT-TYPE"?: components["parameters"]["PaidRequestHeaders.settlementType"];
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description The receipt. */
                    readonly "X-PAYMENT-RESPONSE": components["schemas"]["EncodedPaymentReceipt"];
                    /** @description The same for x402 v2 clients (D-25). */
                    readonly "PAYMENT-RESPONSE"?: components["schemas"]["EncodedPaymentReceipt"];
                    /** @description What ran, signed by the key that it ran under; in every settlement mode (D-29). */
                    readonly "X-INFERENCE-PROOF"?: components["schemas"]["EncodedInferenceProof"];
                    /** @description `true` when the stored answer of this very payment was sent again (D-19). */
                    readonly "Idempotent-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TextCompletion"];
                };
            };
            /** @description Request body or a header invalid. */
            readonly 400: {
                headers: {
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvalidSignatureBody"];
                };
            };
            /** @description Payment required (the offer is in `X-PAYMENT-REQUIRED`), or `insufficient_funds`. */
            readonly 402: {
                headers: {
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description The offer: present whenever payment is demanded (section 4.1). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
                    readonly "Retry-After": number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UnavailableErrorBody"];
                };
            };
            /** @description The engine did not answer in time. */
            readonly 504: {
                headers: {
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
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
                    /** @description Names this exchange in the gateway's log; the client's own is kept if it sent one. */
                    readonly "X-Request-Id"?: string;
                    /** @description Names of body fields that were ignored, comma-separated (D-09). */
                    readonly "X-Ignored-Fields"?: string;
                    /** @description Requests allowed in the current window (D-32); on every answer of a limited route. */
                    readonly "x-ratelimit-limit-requests"?: number;
                    /** @description Requests left in the window (D-32). */
                    readonly "x-ratelimit-remaining-requests"?: number;
                    /** @description When the window ends, as a duration such as `12s` (D-32). */
                    readonly "x-ratelimit-reset-requests"?: string;
                    /** @description `no-store`: offers and paid answers belong to one caller (D-01). */
                    readonly "Cache-Control"?: string;
                    /** @description `false` tells OpenAI SDKs not to retry by themselves (D-26). */
                    readonly "x-should-retry"?: string;
                    /** @description Seconds to wait before the same request is sent again. */
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
