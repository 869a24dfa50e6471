/** The used part of libsecp256k1's binding. The package's types describe only its other entry point. */
export type NativeCurve = {
  ecdsaRecover(rs: Uint8Array, recovery: number, digest: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(
    digest: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recid: number };
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  privateKeyVerify(privateKey: Uint8Array): boolean;
};

/** The curve secp256k1, and the name of its library in the start-up log. */
export type Curve = NativeCurve & { readonly name: string };

/**
 * Loads libsecp256k1, or returns null where its binary is not installed. Imports the binding by name, because
 * the package's main entry falls back to a slow one without notice.
 */
export async function loadNativeCurve(): Promise<NativeCurve | null> {
  try {
    // @ts-expect-error the package ships no types for this entry point
    const loaded = (await import('secp256k1/bindings.js')) as { default: NativeCurve };
    return loaded.default;
  } catch {
    return null;
  }
}
