import type { Json } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { compareApiVersions } from '../compare-api-versions.ts';
import { same, text } from '../compare/schema-change.ts';
import type { DefinitionView } from '../definition-view.ts';
import { differingKeys } from './definition-change.ts';
import type { DefinitionChange } from './definition-change.ts';

/**
 * Names, age, owners, and fields of the spec that no other rule looks at (G17, G21, G24, G25, F36).
 */
export function identityChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  return [...nameChanges(old, next), ...ageChanges(old, next), ...ownerChanges(old), ...otherChanges(old, next)];
}

/** Names that are no part of the identity (G21, F36), and preserveUnknownFields (G17). */
function nameChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const [had, has] = [old.definition.spec.names, next.definition.spec.names];
  const found: DefinitionChange[] = [];
  for (const key of differingKeys(had, has)) {
    if (key === 'kind' || key === 'plural') continue;
    const [before, now] = [had, has].map(
      (names) => (names as unknown as Readonly<Record<string, Json | undefined>>)[key],
    );
    const lost = Array.isArray(before) && before.some((one) => !(Array.isArray(now) && now.includes(one)));
    const isCosmetic = key === 'categories' || (key === 'shortNames' && !lost);
    const message = `names.${key} changes from ${text(before)} to ${text(now)}`;
    const hint = isCosmetic ? '' : 'Check scripts and RBAC rules that use the name.';
    found.push({
      rule: isCosmetic ? 'G21' : 'F36',
      pointer: `/spec/names/${key}`,
      old: before,
      new: now,
      message,
      hint,
    });
  }
  const [was, is] = [old, next].map(({ definition }) => definition.spec.preserveUnknownFields === true);
  if (was === true && is === false) {
    const message = 'fields that no schema lists are pruned from now on';
    found.push({
      rule: 'G17',
      pointer: '/spec/preserveUnknownFields',
      old: true,
      new: false,
      message,
      hint: 'Check which fields of stored objects are not in the schema: `isthmus upgrade check objects`.',
    });
  }
  return found;
}

/** G24: the newest version is missing, or things only go. */
function ageChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const newest = [...old.versions.keys()].toSorted(compareApiVersions)[0];
  const missing = [...old.versions.keys()].filter((version) => !next.versions.has(version));
  const added = [...next.versions.keys()].filter((version) => !old.versions.has(version));
  if (newest === undefined || !missing.includes(newest) || added.length > 0) return [];
  const message = `${newest}, the newest version of the live CRD, is missing, and no version is new: this CRD is older`;
  return [
    {
      rule: 'G24',
      version: newest,
      pointer: '/spec/versions',
      old: newest,
      message,
      hint: 'Apply the CRD of the newer release, or remove the version there first.',
    },
  ];
}

/** G25: who writes the live CRD, by Helm's and Flux's marks and by managed fields of its spec. */
function ownerChanges({ definition }: DefinitionView): readonly DefinitionChange[] {
  const owners = [...new Set([...marksOf(definition), ...managersOf(definition)])].toSorted();
  if (owners.length < 2) return [];
  const message = `the live CRD is written by ${owners.join(' and ')}`;
  return [
    {
      rule: 'G25',
      pointer: '/metadata',
      old: owners,
      message,
      hint: 'Decide which one owns the CRD, and remove it from the others.',
    },
  ];
}

function marksOf({ metadata }: KubernetesObject): readonly string[] {
  const helm = metadata.annotations?.['meta.helm.sh/release-name'];
  const flux = metadata.labels?.['kustomize.toolkit.fluxcd.io/name'];
  const argo = metadata.annotations?.['argocd.argoproj.io/tracking-id']?.split(':')[0];
  return [
    ...(helm === undefined ? [] : [`the Helm release ${helm}`]),
    ...(flux === undefined ? [] : [`the Flux Kustomization ${flux}`]),
    ...(argo === undefined ? [] : [`the Argo CD application ${argo}`]),
  ];
}

function managersOf({ metadata }: KubernetesObject): readonly string[] {
  const entries = (metadata.managedFields ?? []) as readonly ManagedEntry[];
  const names = entries.filter((entry) => {
    const spec = entry?.fieldsV1?.['f:spec'];
    const owns = typeof spec === 'object' && spec !== null && Object.keys(spec).some((key) => key !== 'f:conversion');
    return owns && entry.subresource !== 'status';
  });
  const managers = names.map(({ manager = 'unknown' }) => manager).filter((one) => !tools.includes(one));
  return [...new Set(managers)].map((manager) => `the field manager ${manager}`);
}

interface ManagedEntry {
  readonly manager?: string | undefined;
  readonly subresource?: string | undefined;
  readonly fieldsV1?: Readonly<Record<string, unknown>> | undefined;
}

/** Managers whose owner is already reported by a mark of its own. */
const tools: readonly string[] = ['helm', 'kustomize-controller', 'argocd-controller'];

/** Fields of the spec that no other rule looks at: nothing passes in silence. */
function otherChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const known = ['group', 'names', 'scope', 'versions', 'conversion', 'preserveUnknownFields'];
  const found = differingKeys(old.definition.spec, next.definition.spec)
    .filter((key) => !known.includes(key))
    .map((key): DefinitionChange => ({
      rule: 'F36',
      pointer: `/spec/${key}`,
      message: `${key} changes, and no rule covers it`,
      hint: 'Compare both CRDs.',
    }));
  const names = [...old.versions.keys()].filter((name) => next.versions.has(name));
  const now = [...next.versions.keys()].filter((name) => old.versions.has(name));
  if (!same(names, now)) {
    found.push({
      rule: 'G21',
      pointer: '/spec/versions',
      old: names,
      new: now,
      message: 'the versions have another order',
      hint: '',
    });
  }
  return found;
}
