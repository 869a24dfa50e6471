/** What must not be written down, and what stands there instead. */
export type Secrets = {
  conceal(secret: string, placeholder: string): void;
  /** The text with every secret replaced, whatever its letter case. */
  redact(text: string): string;
};

export function createSecrets(): Secrets {
  const placeholders = new Map<string, string>();
  return {
    conceal(secret, placeholder) {
      if (secret.length > 0) placeholders.set(secret.toLowerCase(), placeholder);
    },
    redact(text) {
      if (placeholders.size === 0) return text;
      // Longest first: a secret that contains another must not leave its ends behind.
      const secrets = [...placeholders.keys()].sort((a, b) => b.length - a.length);
      const pattern = new RegExp(secrets.map(asPattern).join('|'), 'gi');
      return text.replace(pattern, (secret) => placeholders.get(secret.toLowerCase()) ?? '<secret>');
    },
  };
}

function asPattern(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
