import { Annotation } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import type { ReadCache } from '@isthmus/kube';

/** The Nodes that people have marked as gateways. */
export interface GatewayNodes {
  /** Their names, sorted. */
  list(): readonly string[];
  /** Calls `listener` when the list changes. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

export function gatewayNodesIn(nodes: ReadCache<KubernetesObject>): GatewayNodes {
  const marked = new Set<string>();
  const listeners = new Set<() => void>();
  nodes.subscribe(({ before, after }) => {
    const { name } = (after ?? before)?.metadata ?? { name: '' };
    const changes = after !== undefined && isMarked(after) ? !marked.has(name) : marked.has(name);
    if (!changes) return;
    if (!marked.delete(name)) marked.add(name);
    listeners.forEach((listener) => listener());
  });
  return {
    list: () => [...marked].toSorted(),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function isMarked({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[Annotation.gateway] !== undefined;
}
