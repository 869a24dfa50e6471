"""The facts of the contract, and the limits of the TypeScript client, for this package.

Generated from spec/ and client/ by `npm run generate`. Edit them, not this file.
"""

from typing import Any, Final

SCHEME: Final[Any] = "exact"
NETWORK: Final[Any] = "eip155:84532"
CHAIN_ID: Final[Any] = 84532
CHAT_PATH: Final[Any] = "/v1/chat/completions"
TEXT_PATH: Final[Any] = "/v1/completions"
HEADERS: Final[Any] = {
    "payment": "X-PAYMENT",
    "paymentSignature": "PAYMENT-SIGNATURE",
    "settlementType": "X-SETTLEMENT-TYPE",
    "idempotencyKey": "Idempotency-Key",
    "retryCount": "x-stainless-retry-count",
    "requestId": "X-Request-Id",
    "ignoredFields": "X-Ignored-Fields",
    "rateLimitRequests": "x-ratelimit-limit-requests",
    "rateLimitRemainingRequests": "x-ratelimit-remaining-requests",
    "rateLimitReset": "x-ratelimit-reset-requests",
    "cacheControl": "Cache-Control",
    "shouldRetry": "x-should-retry",
    "retryAfterSeconds": "Retry-After",
    "paymentResponse": "X-PAYMENT-RESPONSE",
    "paymentResponseV2": "PAYMENT-RESPONSE",
    "inferenceProof": "X-INFERENCE-PROOF",
    "idempotentReplayed": "Idempotent-Replayed",
    "paymentRequired": "X-PAYMENT-REQUIRED",
    "paymentRequiredV2": "PAYMENT-REQUIRED",
}
INVALID_REQUEST: Final[Any] = {
    "code": "invalid_request",
    "status": 400,
    "type": "invalid_request_error",
    "when": "Request body or a header invalid (section 7).",
}
REFUSED: Final[Any] = {
    "status": 402,
    "type": "payment_error",
}
PRIMARY_TYPE: Final[Any] = "TransferWithAuthorization"
TRANSFER_TYPES: Final[Any] = {
    "TransferWithAuthorization": [
        {
            "name": "from",
            "type": "address",
        },
        {
            "name": "to",
            "type": "address",
        },
        {
            "name": "value",
            "type": "uint256",
        },
        {
            "name": "validAfter",
            "type": "uint256",
        },
        {
            "name": "validBefore",
            "type": "uint256",
        },
        {
            "name": "nonce",
            "type": "bytes32",
        },
    ],
}
DOMAIN_FIELDS: Final[Any] = [
    {
        "name": "name",
        "type": "string",
    },
    {
        "name": "version",
        "type": "string",
    },
    {
        "name": "chainId",
        "type": "uint256",
    },
    {
        "name": "verifyingContract",
        "type": "address",
    },
]
DOMAIN_PLACES: Final[Any] = {
    "name": "extra.name",
    "version": "extra.version",
    "chainId": 84532,
    "verifyingContract": "asset",
}
OFFER_SCHEMA: Final[Any] = {
    "type": "object",
    "required": [
        "scheme",
        "network",
        "maxAmountRequired",
        "resource",
        "description",
        "mimeType",
        "payTo",
        "maxTimeoutSeconds",
        "asset",
        "extra",
    ],
    "properties": {
        "scheme": {
            "type": "string",
            "enum": [
                "exact",
            ],
        },
        "network": {
            "type": "string",
            "enum": [
                "eip155:84532",
            ],
        },
        "maxAmountRequired": {
            "type": "string",
            "pattern": "^(0|[1-9][0-9]{0,77})$",
        },
        "resource": {
            "type": "string",
        },
        "description": {
            "type": "string",
        },
        "mimeType": {
            "type": "string",
            "enum": [
                "application/json",
            ],
        },
        "payTo": {
            "type": "string",
            "pattern": "^0x[0-9a-fA-F]{40}$",
        },
        "maxTimeoutSeconds": {
            "minimum": 1,
            "maximum": 2147483647,
            "type": "integer",
        },
        "asset": {
            "type": "string",
            "pattern": "^0x[0-9a-fA-F]{40}$",
        },
        "extra": {
            "type": "object",
            "required": [
                "name",
                "version",
            ],
            "properties": {
                "name": {
                    "type": "string",
                },
                "version": {
                    "type": "string",
                    "enum": [
                        "1",
                    ],
                },
            },
        },
    },
}
RECEIPT_SCHEMA: Final[Any] = {
    "type": "object",
    "required": [
        "success",
        "network",
        "chainId",
        "txHash",
        "payer",
    ],
    "properties": {
        "success": {
            "type": "boolean",
        },
        "network": {
            "type": "string",
            "enum": [
                "eip155:84532",
            ],
        },
        "chainId": {
            "minimum": 84532,
            "maximum": 84532,
            "type": "integer",
        },
        "txHash": {
            "type": "string",
            "pattern": "^0x[0-9a-fA-F]{64}$",
        },
        "payer": {
            "type": "string",
            "pattern": "^0x[0-9a-fA-F]{40}$",
        },
        "transaction": {
            "type": "string",
            "pattern": "^0x[0-9a-fA-F]{64}$",
        },
        "amount": {
            "type": "string",
            "pattern": "^(0|[1-9][0-9]{0,77})$",
        },
    },
}
ADDRESS_SCHEMA: Final[Any] = {
    "type": "string",
    "pattern": "^0x[0-9a-fA-F]{40}$",
}
RELEASING_CODES: Final[Any] = [
    "overloaded",
    "unavailable",
    "upstream_error",
    "upstream_timeout",
]
ATTEMPT_TIMEOUT_SECONDS: Final[Any] = 120
PRESENTATIONS_MAX: Final[Any] = 4
RETRY_WAIT_SECONDS_FIRST: Final[Any] = 0.5
RETRY_WAIT_SECONDS_MAX: Final[Any] = 30
RESPONSE_BYTES_MAX: Final[Any] = 8388608
VALIDITY_SECONDS_MAX: Final[Any] = 3600
