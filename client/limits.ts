/** Longest that one sending may take, answer included: live gateways infer for up to 90 s and then settle. */
export const attemptTimeoutMsDefault = 120_000;

/** How often one authorization is presented before the outcome is reported as unknown. */
export const presentationsMax = 4;

/** Longest wait between two presentations, whatever `Retry-After` says. */
export const retryWaitMsMax = 30_000;

/** Wait before the second presentation where the gateway names none; doubled for each further one. */
export const retryWaitMsFirst = 500;

/** Largest answer that is read. A completion of a hundred thousand tokens is well below it. */
export const answerBytesMax = 8 * 1024 * 1024;

/** Longest life of a signature, whatever `maxTimeoutSeconds` the offer names: the longest that x402 clients sign. */
export const validitySecondsMax = 3_600;

/** Authorizations of unknown outcome that are remembered; beyond it the oldest is forgotten. */
export const openPaymentsMax = 1_000;
