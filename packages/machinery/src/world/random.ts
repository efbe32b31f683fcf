/** Randomness as an argument: jitter, generated names, identities. Not for secrets. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

/**
 * A reproducible source: the same seed yields the same sequence on every machine (mulberry32).
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = state;
      t = Math.imul(t ^ (t >>> 15), t | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    },
  };
}

/** `length` characters of Kubernetes' generated-name alphabet (no vowels, no look-alikes). */
export function randomSuffix(random: Random, length = 5): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[Math.floor(random.next() * alphabet.length)];
  return text;
}

/** `ms` plus up to `fraction` of it, so that many callers do not act at once. */
export function jittered(random: Random, ms: number, fraction: number): number {
  return ms * (1 + random.next() * fraction);
}
