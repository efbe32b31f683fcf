import type { Minor } from './version.ts';

/**
 * The minors of a product in the order of their releases, which is not arithmetic: Antrea's 1.15 is
 * followed by 2.0 (docs/spec/upgrades.md §2.2). The distance of two versions is the difference of
 * their places. Within one major, minors that no sequence names are counted by their numbers;
 * across majors the distance is unknown without one.
 */
export interface ReleaseSequence {
  readonly name: string;
  readonly minors: readonly Minor[];
}

/**
 * How many minors `to` is ahead of `from`, negative if it is behind; or why the distance is
 * unknown.
 */
export type MinorDistance =
  | { readonly kind: 'known'; readonly minors: number }
  | { readonly kind: 'unknown'; readonly why: string };
