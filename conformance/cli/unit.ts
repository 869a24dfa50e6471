/** The unit of all amounts: for most tokens, a millionth of the token. */
export const smallestUnit = "token's smallest unit";
