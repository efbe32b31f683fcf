/**
 * A feature of the sandbox that can be switched off by changing one place of its source: requests are still answered, and some case of the
 * contract suite must notice.
 */
export interface Feature {
  /** What is switched off, as a sentence. */
  readonly title: string;
  /** Below `packages/sandbox/src`. */
  readonly file: string;
  /** A text that stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The area whose cases are to notice. */
  readonly area: string;
}

/** Which case turned red first when a feature was off; undefined: nobody noticed. */
export interface FeatureVerdict {
  readonly title: string;
  readonly noticedBy: string | undefined;
}
