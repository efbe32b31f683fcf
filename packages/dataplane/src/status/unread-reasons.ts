import type { CacheState } from '@isthmus/kube';

/** The part of a cache that notes are made of. */
export interface CacheStatus {
  readonly synced: boolean;
  readonly state: CacheState;
}

/** The program that reads objects, and the manifest that gives it the permission. */
export interface ObjectReader {
  readonly who: 'agent' | 'DNS server';
  readonly manifest: 'deploy/agent.yaml' | 'deploy/agent-policies.yaml' | 'deploy/dns.yaml';
}

/**
 * The kinds of objects that were never read, each with the cause and the next step, if these are
 * known. `caches`: by the names of their kinds.
 */
export function unreadReasons(caches: Readonly<Record<string, CacheStatus>>, reader: ObjectReader): readonly string[] {
  return Object.entries(caches).flatMap(([name, { synced, state }]) => {
    if (synced) return [];
    if (state.kind !== 'failing') return [`${name} are not read yet`];
    const nextStep = nextStepOf(state.code, reader);
    return [`${name} are not read yet: ${state.why}${nextStep === undefined ? '' : `. ${nextStep}`}`];
  });
}

/** The next step for an answer of the API server with this code; undefined if none is known. */
export function nextStepOf(code: number | undefined, { who, manifest }: ObjectReader): string | undefined {
  switch (code) {
    case 401:
      return `The API server does not accept the token or certificate of the ${who}: replace its Pod, or correct its kubeconfig`;
    case 403:
      return `Give the ${who} its permissions, with the Namespace of the controller: apply ${manifest}, or with Helm run helm upgrade`;
    case 404:
      return 'Install the kind: apply deploy/member-crds.yaml, or with Helm run helm upgrade';
    default:
      return undefined;
  }
}
