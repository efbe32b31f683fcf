import type { ClusterNetworkPolicyPayload, ResourceExport, ResourceImport } from '@isthmus/api';
import { SourceKind, importedPolicyName, resourceImportName } from '@isthmus/api';
import { dns1123SubdomainErrors, isDeeperThan, maxSubdomainLength } from '@isthmus/machinery';
import { recordOf, shown } from '../untrusted.ts';

/** The name of the exchange. Its indexes have the same name. */
export const policyExchangeName = 'ClusterNetworkPolicy';

const kind = SourceKind.clusterNetworkPolicy;

/** The name of the ResourceImport for the policy of that name. */
export function policyImportName(name: string): string {
  return resourceImportName(undefined, name, kind);
}

/**
 * The key of an export: the name of its policy. An export without a policy name gets a key that no
 * policy can have.
 */
export function policyExportKeys({ metadata, spec }: ResourceExport): readonly string[] {
  if (spec?.kind !== kind) return [];
  const { name } = spec;
  return [typeof name === 'string' && name !== '' ? name : `/${metadata.name}`];
}

/** The key of an import: the name of its policy, if the name of the object follows from it. */
export function publishedPolicyKeys({ metadata, spec }: ResourceImport): readonly string[] {
  const keys = policyImportKeys({ metadata, spec });
  return keys.filter((name) => metadata.name === policyImportName(name));
}

/**
 * The key of an import for a member. Antrea's leaders prefix the name of the object with a
 * Namespace if the export has one.
 */
export function policyImportKeys({ spec }: ResourceImport): readonly string[] {
  if (spec?.kind !== kind) return [];
  const { name } = spec;
  return typeof name === 'string' && policyNameProblem(name) === undefined ? [name] : [];
}

/** Why no policy with that name can be imported; undefined if one can. */
export function policyNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'spec.name is missing';
  // The longest names that are derived from it.
  const most = maxSubdomainLength - Math.max(importedPolicyName('').length, policyImportName('').length);
  if (name.length > most)
    return `spec.name ${shown(name)} has ${name.length} characters; the name of an exported policy has at most ${most}`;
  const [error] = [importedPolicyName(name), policyImportName(name)].flatMap(dns1123SubdomainErrors);
  return error === undefined ? undefined : `spec.name ${shown(name)} is not valid: ${error}`;
}

/** Whether the value is the spec of a policy. */
export function isPolicyPayload(value: unknown): value is ClusterNetworkPolicyPayload {
  return recordOf(value) !== undefined;
}

/**
 * No policy that any version of Antrea accepts is nested as deep. API servers store up to ten
 * thousand levels, and few programs can compare these.
 */
const mostLevels = 50;

/** Why the spec of a policy is not published, as the end of a sentence; undefined if it is. */
export function policyPayloadProblem(payload: unknown): string | undefined {
  return isDeeperThan(payload, mostLevels) ? `is nested more than ${mostLevels} levels deep` : undefined;
}
