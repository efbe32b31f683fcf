import type { ClusterNetworkPolicyPayload, ResourceExport, ResourceImport } from '@isthmus/api';
import { SourceKind, importedPolicyName, resourceImportName } from '@isthmus/api';
import { dns1123SubdomainErrors, isDeeperThan, maxSubdomainLength } from '@isthmus/machinery';
import { recordOf, shown } from '../untrusted.ts';

/** The name of the exchange, and so of its indexes. */
export const policyExchangeName = 'ClusterNetworkPolicy';

const kind = SourceKind.clusterNetworkPolicy;

/** The ResourceImport of the policy of that name. */
export function policyImportName(name: string): string {
  return resourceImportName(undefined, name, kind);
}

/** The key of an export: the name of its policy. An export without a policy's name gets a key that no policy can have. */
export function policyExportKeys({ metadata, spec }: ResourceExport): readonly string[] {
  if (spec?.kind !== kind) return [];
  const { name } = spec;
  return [typeof name === 'string' && name !== '' ? name : `/${metadata.name}`];
}

/** The key of an import: the name of its policy, where it has the name that follows from that. */
export function publishedPolicyKeys({ metadata, spec }: ResourceImport): readonly string[] {
  const keys = policyImportKeys({ metadata, spec });
  return keys.filter((name) => metadata.name === policyImportName(name));
}

/** The key of an import as a member reads it: Antrea's leaders put a Namespace before the name of the object, where an export has one. */
export function policyImportKeys({ spec }: ResourceImport): readonly string[] {
  if (spec?.kind !== kind) return [];
  const { name } = spec;
  return typeof name === 'string' && policyNameProblem(name) === undefined ? [name] : [];
}

/** Why no policy can be imported under that name; undefined where one can. */
export function policyNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'spec.name is missing';
  // The longest names that are made of it.
  const most = maxSubdomainLength - Math.max(importedPolicyName('').length, policyImportName('').length);
  if (name.length > most)
    return `spec.name ${shown(name)} has ${name.length} characters; the name of an exported policy has at most ${most}`;
  const [error] = [importedPolicyName(name), policyImportName(name)].flatMap(dns1123SubdomainErrors);
  return error === undefined ? undefined : `spec.name ${shown(name)} is not valid: ${error}`;
}

/** The spec of a policy, as far as it is one. */
export function isPolicyPayload(value: unknown): value is ClusterNetworkPolicyPayload {
  return recordOf(value) !== undefined;
}

/** No policy that any version of Antrea takes is nested as deep; API servers store up to ten thousand levels, and few programs can compare these. */
const mostLevels = 50;

/** Why the spec of a policy is carried nowhere, as the end of a sentence about it; undefined where it is. */
export function policyPayloadProblem(payload: unknown): string | undefined {
  return isDeeperThan(payload, mostLevels) ? `is nested more than ${mostLevels} levels deep` : undefined;
}
