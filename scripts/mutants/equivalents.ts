/** Mutants that no test is to notice, with the reason. One without its code is an error. */
import type { Equivalent } from './score.ts';

export const equivalents: readonly Equivalent[] = [];
