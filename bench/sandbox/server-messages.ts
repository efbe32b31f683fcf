import type { KeyPair } from '@isthmus/sandbox';

/** The messages from the process of the sandbox to the one that measures. */
export type ServerMessage =
  | {
      readonly kind: 'ready';
      readonly readyMs: number;
      readonly sinceStartMs: number;
      readonly clusters: readonly ServedCluster[];
    }
  | { readonly kind: 'heap'; readonly bytes: number };

/** How to reach a cluster as its administrator. */
export interface ServedCluster {
  readonly name: string;
  readonly leads: boolean;
  readonly url: string;
  readonly caData: string;
  readonly admin: KeyPair;
}
