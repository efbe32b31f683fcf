import { canonicalJson } from '@isthmus/machinery';
import type { ClusterSnapshot, FleetSnapshot } from './fleet-snapshot.ts';

/** CustomResourceDefinitions of many clusters, each kept once. */
export class DefinitionPool {
  readonly #definitions = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #sha256: (text: string) => string;

  constructor(sha256: (text: string) => string) {
    this.#sha256 = sha256;
  }

  /** By key; in the order in which they came. */
  get definitions(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
    return this.#definitions;
  }

  /** Keeps the definitions of a cluster, which then only refers to them. */
  share(cluster: ClusterSnapshot): ClusterSnapshot {
    const keys = cluster.definitions.map((one) => this.#keep(one));
    return {
      ...cluster,
      definitions: [],
      sharedDefinitions: [...new Set([...cluster.sharedDefinitions, ...keys])].toSorted(),
    };
  }

  /** Takes over a definition that has a key already. */
  put(key: string, definition: Readonly<Record<string, unknown>>): void {
    this.#definitions.set(key, definition);
  }

  #keep(definition: Readonly<Record<string, unknown>>): string {
    const { metadata } = definition as { readonly metadata?: { readonly name?: unknown } };
    const key = `${String(metadata?.name)}@${this.#sha256(canonicalJson(definition)).slice(0, 16)}`;
    if (!this.#definitions.has(key)) this.#definitions.set(key, definition);
    return key;
  }
}

/**
 * The snapshot in which each cluster has its own definitions; those of one key are one object in
 * memory.
 */
export function withOwnDefinitions(snapshot: FleetSnapshot): FleetSnapshot {
  const { clusters, definitions } = snapshot.spec;
  if (clusters.every(({ sharedDefinitions }) => sharedDefinitions.length === 0)) return snapshot;
  const own = clusters.map((cluster) => ({
    ...cluster,
    definitions: [
      ...cluster.definitions,
      ...cluster.sharedDefinitions.flatMap((key) => (definitions[key] ?? []) as ClusterSnapshot['definitions']),
    ],
    sharedDefinitions: [],
  }));
  return { ...snapshot, spec: { ...snapshot.spec, clusters: own, definitions: {} } };
}
