/** Port of the proxy unless another one is named. */
export const proxyPortDefault = 8_403;

/** Purchases in progress at the same time, also those whose tool has left. */
export const purchasesMax = 32;

/**
 * How long a request waits for the end of the connection of an equal one. A tool that leaves and asks again at once is
 * often faster with its second connection.
 */
export const leavingMsMax = 100;

/** Completions that are kept for tools that left. */
export const keptMax = 32;

/** How long a completion is kept for a tool that left. Afterwards the gateway has it while the payment is valid. */
export const keptMsMax = 900_000;

/** Largest body of a request. The gateway has a limit of its own. */
export const requestBytesMax = 8 * 1024 * 1024;

/** Open connections of tools. */
export const connectionsMax = 256;

/** Longest time for the headers of a request, and for the whole request. */
export const headersMsMax = 10_000;
export const requestMsMax = 60_000;

/** Longest time without a byte on the connection of a tool that waits for a response or reads it. */
export const toolIdleMsMax = 900_000;

/** Random bytes of a generated access token. */
export const accessTokenBytes = 32;

/** Shortest access token that a file or a variable may give. */
export const accessTokenCharactersMin = 16;
