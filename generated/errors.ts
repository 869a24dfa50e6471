// Generated from spec/ by `npm run generate`. Edit spec/, not this file.

/** All errors by `error.code`. Of several errors in one request, the earlier row wins. */
export const errorTable = {
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    when: 'No such path (D-07).',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    when: 'The path exists, but not with this method (D-07).',
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    when: 'Rate limit exceeded (section 7).',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    when: 'The content type is not JSON (D-07).',
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    when: 'The body is too large (D-07, D-14).',
  },
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    when: 'Request body or a header invalid (section 7).',
  },
  invalid_signature: {
    status: 401,
    type: 'authentication_error',
    when: 'Payment signature invalid (section 7).',
  },
  insufficient_funds: {
    status: 402,
    type: 'payment_error',
    when: 'Payer\'s payment-token balance is too low (section 7).',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    when: 'The gateway has too much work; this request charged nothing (D-07).',
  },
  unavailable: {
    status: 503,
    type: 'server_error',
    when: 'The gateway cannot check or run the request now; this request charged nothing (D-07).',
  },
  upstream_error: {
    status: 502,
    type: 'server_error',
    when: 'The engine failed; the gateway charged nothing (D-07, D-22).',
  },
  upstream_timeout: {
    status: 504,
    type: 'server_error',
    when: 'The engine did not respond in time; the gateway charged nothing (D-07, D-22).',
  },
  settlement_pending: {
    status: 503,
    type: 'server_error',
    when: 'The outcome of the payment is unknown: send the same `X-PAYMENT` again, never a new one (D-24).',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    when: 'Internal server error (section 7).',
  },
} as const;

export type ErrorCode = keyof typeof errorTable;
export type ErrorType = (typeof errorTable)[ErrorCode]['type'];
