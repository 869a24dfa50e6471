/** What every amount here counts: of most tokens, a millionth. */
export const smallestUnit = "token's smallest unit";
