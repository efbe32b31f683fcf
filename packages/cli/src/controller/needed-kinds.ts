import { ApiGroup, customResources } from '@isthmus/api';
import { applyManifest } from '@isthmus/controlplane';
import type { Access, Client } from '@isthmus/kube';
import { isForbidden, isNotServed, listRequest } from '@isthmus/kube';
import type { ResourceType } from '@isthmus/machinery';
import { errorMessage, resourceNameOf } from '@isthmus/machinery';
import { grantedRights, missingRights } from './missing-rights.ts';
import type { Role } from './role.ts';

/** A custom resource that a controller reads, and its Namespace; without one, all Namespaces. */
export interface NeededKind {
  readonly type: ResourceType;
  /** The version that the controller uses if that one is not served. */
  readonly older?: ResourceType | undefined;
  readonly namespace: string | undefined;
  /** Without it, the controller works except for a part. */
  readonly optional: boolean;
  /** Where it is not served, nothing is missing. */
  readonly mayBeUnserved: boolean;
}

/**
 * The custom resources that a role reads from the API server that it serves, in the version that it
 * reads them in: the stored one.
 */
export function neededKinds(access: readonly Access[], namespace: string): readonly NeededKind[] {
  const found = new Map<string, NeededKind>();
  for (const { at, type, subresource, scope, verbs, optional = false, mayBeUnserved = false } of access) {
    if (at !== 'local' || subresource !== undefined || !verbs.includes('list') || !ourGroups.includes(type.group))
      continue;
    const definition = customResources.find(({ group, plural }) => group === type.group && plural === type.plural);
    const stored = definition?.versions.find((version) => version.storage);
    if (stored === undefined) throw new Error(`${resourceNameOf(type)} is not a custom resource of Isthmus`);
    const id = `${scope} ${resourceNameOf(type)}`;
    const known = found.get(id);
    found.set(id, {
      type: stored,
      older: type.group === ApiGroup.mcs ? definition?.versions.find((version) => version !== stored) : undefined,
      namespace: scope === 'own' ? namespace : undefined,
      optional: optional && known?.optional !== false,
      mayBeUnserved: mayBeUnserved && known?.mayBeUnserved !== false,
    });
  }
  return [...found.values()];
}

const ourGroups: readonly string[] = Object.values(ApiGroup);

interface ReadyOptions {
  readonly client: Client;
  readonly role: Role;
  /** The Namespace of the process. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * All rights that the process lacks, in a sentence; undefined where it has them all, or the API
 * server does not know. Errors: the signal's reason.
 */
export async function lackedRights({ client, role, namespace, signal }: ReadyOptions): Promise<string | undefined> {
  const granted = await grantedRights(client, namespace, signal);
  const missing = granted === undefined ? [] : missingRights(role.own.access, namespace, granted);
  return missing.length === 0 ? undefined : `all missing permissions: ${missing.join('; ')}`;
}

/**
 * The obstacle to reading `kinds`, with the next step; undefined if all can be read. Asks for one
 * object of each kind, with the requests that its caches will send, so both get the same answers.
 * They show whether the server can be reached, accepts these credentials, serves the kind and
 * allows it to be read.
 *
 * Errors: the signal's reason.
 */
export async function obstacleTo(kinds: readonly NeededKind[], options: ReadyOptions): Promise<string | undefined> {
  const { client, role, signal } = options;
  const missing: string[] = [];
  for (const { type, older, namespace, mayBeUnserved } of kinds) {
    const ask = (version: ResourceType) => client.request(listRequest(version, { namespace, limit: 1 }), { signal });
    try {
      await ask(type).catch((error: unknown) => {
        if (older === undefined || !isNotServed(error)) throw error;
        return ask(older);
      });
    } catch (error) {
      signal.throwIfAborted();
      const why = errorMessage(error);
      if (isNotServed(error) && mayBeUnserved) continue;
      if (isNotServed(error)) missing.push(`${resourceNameOf(type)} (${type.version})`);
      else if (isForbidden(error)) {
        const all = await lackedRights(options);
        return `${why}${all === undefined ? '' : `; ${all}`}; run: ${applyManifest(role.manifests.all)}`;
      } else return why;
    }
  }
  if (missing.length === 0) return undefined;
  return `the API server does not serve ${missing.join(', ')}; run: kubectl apply -f ${role.manifests.definitions}`;
}
