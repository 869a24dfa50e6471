/** Timeout of one request, body included. Live gateways run inference for up to 90 s before they settle. */
export const attemptTimeoutMsDefault = 120_000;

/** How often the client sends one authorization before it reports the outcome as unknown. */
export const presentationsMax = 4;

/** Longest wait between two attempts, whatever `Retry-After` says. */
export const retryWaitMsMax = 30_000;

/** Wait before the second attempt when the response has no `Retry-After`; doubled for each further attempt. */
export const retryWaitMsFirst = 500;

/** Largest response body that the client reads. A completion of 100,000 tokens is well below it. */
export const responseBytesMax = 8 * 1024 * 1024;

/** Most comments of one stream. One in 15 seconds makes 6,000 in a day. */
export const streamCommentsMax = 10_000;

/** Longest silence of a stream. Gateways send comments while no text comes. */
export const streamIdleMsMax = 60_000;

/**
 * Longest validity of a signature, whatever `maxTimeoutSeconds` the offer has: the longest of common x402
 * clients.
 */
export const validitySecondsMax = 3_600;

/** Longest wait for the user of a wallet, per request. Afterwards, most offers have ended. */
export const walletWaitMsMax = 300_000;
