import type { KubernetesObject } from './object.ts';

/** The location of a kind in the API: all that a client needs to build a request for it. */
export interface ResourceType<out T extends KubernetesObject = KubernetesObject> {
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Carries the object type; never set. */
  readonly object?: T;
}

/** The object type of a {@link ResourceType}. */
export type ObjectOf<R> = R extends ResourceType<infer T> ? T : never;

/** `v1` or `group/v1`. */
export function apiVersionOf(type: Pick<ResourceType, 'group' | 'version'>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** `plural` or `plural.group`, as kubectl writes it. */
export function resourceNameOf(type: Pick<ResourceType, 'group' | 'plural'>): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}
