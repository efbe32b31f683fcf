/** What changes of a CRD as a whole: versions, storage, conversion, subresources, names (G05–G25, without what the API server refuses). */
import { equal } from '@isthmus/machinery';
import type { DefinitionVersion, Json, KubernetesObject } from '@isthmus/machinery';
import { compareApiVersions } from './compare-api-versions.ts';
import { compareSchemas } from './compare/compare-schemas.ts';
import { same, text } from './compare/schema-change.ts';
import type { CrdRuleId, CrdSeverity } from './crd-rule.ts';
import { schemaOf } from './definition-view.ts';
import type { DefinitionView } from './definition-view.ts';

/** A change of the CRD as a whole; `pointer` is within the CRD. */
export interface DefinitionChange {
  readonly rule: CrdRuleId;
  readonly severity?: CrdSeverity | undefined;
  readonly version?: string | undefined;
  readonly pointer: string;
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
  readonly message: string;
  readonly hint: string;
}

/** What differs from the CRD that is live. */
export function definitionChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  return [
    ...servedChanges(old, next),
    ...storageChanges(old, next),
    ...conversionChanges(old, next),
    ...[...next.versions.keys()].flatMap((version) => versionChanges(old, next, version)),
    ...nameChanges(old, next),
    ...ageChanges(old, next),
    ...ownerChanges(old),
    ...otherChanges(old, next),
  ];
}

function pointerOf(view: DefinitionView, version: string): string {
  return `/spec/versions/${[...view.versions.keys()].indexOf(version)}`;
}

/** G07, and versions that are new. */
function servedChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const gone = old.served.filter((version) => !next.served.includes(version));
  const come = next.served.filter((version) => !old.served.includes(version));
  const unserved = [...next.versions.keys()].filter((one) => !old.versions.has(one) && !next.served.includes(one));
  const dropped = [...old.versions.keys()].filter((one) => !next.versions.has(one) && !old.served.includes(one));
  return [
    ...gone.map((version): DefinitionChange => {
      const isThere = next.versions.has(version);
      return {
        rule: 'G07',
        version,
        pointer: isThere ? `${pointerOf(next, version)}/served` : '/spec/versions',
        old: isThere ? true : version,
        ...(isThere && { new: false }),
        message: `${version} is ${isThere ? 'no longer served' : 'removed'}: clients and manifests of that version break`,
        hint: `Deprecate ${version} first, and move manifests, clients and managed fields to ${next.served[0] ?? 'a served version'}.`,
      };
    }),
    ...dropped.map((version): DefinitionChange => ({
      rule: 'G21',
      version,
      pointer: '/spec/versions',
      old: version,
      message: `${version}, which was not served, is removed`,
      hint: '',
    })),
    ...[...come, ...unserved].map((version): DefinitionChange => ({
      rule: 'F37',
      version,
      pointer: pointerOf(next, version),
      new: version,
      message: next.served.includes(version) ? `${version} is now served` : `${version} is new and not served yet`,
      hint: '',
    })),
  ];
}

/** G06, G08, G09, G10. G05 is what the API server says. */
function storageChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const [from, to] = [old.storage, next.storage];
  if (from === undefined || to === undefined || from === to) return [];
  const found: DefinitionChange[] = [];
  const at = { pointer: `${pointerOf(next, to)}/storage`, version: to, old: from, new: to };
  if (!next.versions.has(from)) {
    found.push({
      rule: 'G06',
      pointer: '/spec/versions',
      version: from,
      old: from,
      message: `${from}, in which objects are stored now, is gone: they cannot be rewritten in one step`,
      hint: `Upgrade to a release first that has both ${from} and ${to} and stores in ${to}.`,
    });
  }
  found.push({
    rule: 'G08',
    ...at,
    message: `objects are stored in ${to}, no longer in ${from}`,
    hint: `Rewrite all objects afterwards, then take ${from} out of status.storedVersions. There is no way back once that is done.`,
  });
  if (!old.served.includes(to)) {
    found.push({
      rule: 'G09',
      ...at,
      message: `objects are stored in ${to}, which the CRD that is live does not serve`,
      hint: `Upgrade to a release first that serves ${to} and stores in ${from}.`,
    });
  }
  const [had, has] = [schemaOf(old, from), schemaOf(next, to)];
  if (
    !next.isWebhook &&
    had !== undefined &&
    has !== undefined &&
    compareSchemas(had, has).some(({ rule }) => rule !== 'G21')
  ) {
    found.push({
      rule: 'G10',
      ...at,
      message: `objects change from ${from} to ${to} by their apiVersion alone, and the schemas differ: what ${to} does not know is pruned`,
      hint: 'Convert with a webhook, or make the schemas the same first.',
    });
  }
  return found;
}

/** G11, G12. */
function conversionChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const [had, has] = [old.definition.spec.conversion, next.definition.spec.conversion];
  if (equal(had, has)) return [];
  const at = { pointer: '/spec/conversion', old: had?.strategy, new: has?.strategy };
  if (!old.isWebhook && next.isWebhook) {
    const hint = 'Apply the Service and the Deployment of the webhook before the CRD, and wait until it answers.';
    return [{ rule: 'G11', ...at, message: 'a webhook converts from now on', hint }];
  }
  if (old.isWebhook && !next.isWebhook) {
    const schemas = next.served.map((version) => schemaOf(next, version) ?? {});
    const differ = schemas.some((schema) => !same(schema, schemas[0]));
    const message = differ
      ? 'no webhook converts any more, and the schemas of the served versions differ'
      : 'no webhook converts any more; the schemas of the served versions are the same';
    return [
      {
        rule: 'G12',
        ...at,
        ...(!differ && { severity: 'I' }),
        message,
        hint: differ ? 'Keep the webhook as long as two versions are served.' : '',
      },
    ];
  }
  const hint = 'Check that the webhook is there under the new name before the CRD is applied.';
  return [
    {
      rule: 'G11',
      pointer: '/spec/conversion/webhook',
      message: 'the webhook that converts is another, or is called differently',
      hint,
    },
  ];
}

/** What of a version is not its schema: G15, G16, G20, G21, G22. */
function versionChanges(old: DefinitionView, next: DefinitionView, name: string): readonly DefinitionChange[] {
  const [had, has] = [old.versions.get(name), next.versions.get(name)];
  if (had === undefined || has === undefined) return [];
  const at = (part: string) => ({ version: name, pointer: `${pointerOf(next, name)}/${part}` });
  const found: DefinitionChange[] = [...subresourceChanges(had, has, at)];
  const paths = (version: DefinitionVersion) => (version.selectableFields ?? []).map(({ jsonPath = '' }) => jsonPath);
  const removed = paths(had).filter((path) => !paths(has).includes(path));
  if (removed.length > 0) {
    const message = `lists can no longer be selected by ${removed.join(', ')}`;
    found.push({
      rule: 'G20',
      ...at('selectableFields'),
      old: paths(had),
      new: paths(has),
      message,
      hint: 'Check clients and informers that select by them.',
    });
  } else if (!same(had.selectableFields, has.selectableFields)) {
    found.push({
      rule: 'G21',
      ...at('selectableFields'),
      message: 'lists can be selected by more fields, or by the same in another order',
      hint: '',
    });
  }
  if (!same(had.additionalPrinterColumns, has.additionalPrinterColumns)) {
    found.push({ rule: 'G21', ...at('additionalPrinterColumns'), message: 'the printed columns change', hint: '' });
  }
  if ((had.deprecated === true) !== (has.deprecated === true) || had.deprecationWarning !== has.deprecationWarning) {
    found.push({ rule: 'G22', ...at('deprecated'), message: deprecationMessage(name, has), hint: '' });
  }
  const known = [
    'name',
    'served',
    'storage',
    'schema',
    'subresources',
    'selectableFields',
    'additionalPrinterColumns',
    'deprecated',
    'deprecationWarning',
  ];
  for (const key of differingKeys(had, has)) {
    if (!known.includes(key))
      found.push({
        rule: 'F36',
        ...at(key),
        message: `${key} of ${name} changes, which no rule knows`,
        hint: 'Look at both CRDs.',
      });
  }
  return found;
}

function deprecationMessage(name: string, { deprecated, deprecationWarning }: DefinitionVersion): string {
  if (deprecated !== true) return `${name} is not deprecated any more`;
  return deprecationWarning === undefined
    ? `${name} is deprecated, without a text of its own`
    : `${name} is deprecated: ${text(deprecationWarning)}`;
}

function subresourceChanges(
  had: DefinitionVersion,
  has: DefinitionVersion,
  at: (part: string) => { readonly version: string; readonly pointer: string },
): readonly DefinitionChange[] {
  const found: DefinitionChange[] = [];
  const [statusBefore, statusNow] = [had.subresources?.status !== undefined, has.subresources?.status !== undefined];
  if (statusBefore && !statusNow) {
    const message =
      'status is no longer a subresource: writes to it fail, and every write of status counts as a new generation';
    found.push({
      rule: 'G15',
      ...at('subresources/status'),
      old: true,
      new: false,
      message,
      hint: 'Keep it in this version.',
    });
  } else if (!statusBefore && statusNow) {
    const message = 'status becomes a subresource: writes of status with the object are ignored';
    found.push({
      rule: 'G15',
      severity: 'C',
      ...at('subresources/status'),
      old: false,
      new: true,
      message,
      hint: 'Upgrade controllers that write status first.',
    });
  }
  const [before, now] = [had.subresources?.scale, has.subresources?.scale];
  if (before !== undefined && !same(before, now)) {
    const message = now === undefined ? 'it can no longer be scaled' : 'the paths by which it is scaled change';
    found.push({
      rule: 'G16',
      ...at('subresources/scale'),
      old: before as unknown as Json,
      ...(now !== undefined && { new: now as unknown as Json }),
      message,
      hint: 'Check autoscalers of these objects.',
    });
  } else if (before === undefined && now !== undefined) {
    found.push({ rule: 'G21', ...at('subresources/scale'), message: 'it can be scaled', hint: '' });
  }
  return found;
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
    const hint = isCosmetic ? '' : 'Check scripts and access rules that use the name.';
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
      hint: 'Check what stored objects hold beyond the schema: `isthmus upgrade check objects`.',
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
  const message = `${newest}, the newest version of the CRD that is live, is missing, and nothing is new: this CRD is older`;
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
      hint: 'Decide who owns the CRD, and take it out of the others.',
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

/** Managers whose owner is already told by a mark of its own. */
const tools: readonly string[] = ['helm', 'kustomize-controller', 'argocd-controller'];

/** Fields of the spec that no other rule looks at: nothing passes in silence. */
function otherChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const known = ['group', 'names', 'scope', 'versions', 'conversion', 'preserveUnknownFields'];
  const found = differingKeys(old.definition.spec, next.definition.spec)
    .filter((key) => !known.includes(key))
    .map((key): DefinitionChange => ({
      rule: 'F36',
      pointer: `/spec/${key}`,
      message: `${key} changes, which no rule knows`,
      hint: 'Look at both CRDs.',
    }));
  const names = [...old.versions.keys()].filter((name) => next.versions.has(name));
  const now = [...next.versions.keys()].filter((name) => old.versions.has(name));
  if (!same(names, now)) {
    found.push({
      rule: 'G21',
      pointer: '/spec/versions',
      old: names,
      new: now,
      message: 'the versions stand in another order',
      hint: '',
    });
  }
  return found;
}

function differingKeys(a: object, b: object): readonly string[] {
  const [had, has] = [a, b].map((one) => one as Readonly<Record<string, unknown>>);
  return [...new Set([...Object.keys(had ?? {}), ...Object.keys(has ?? {})])]
    .filter((key) => !same(had?.[key], has?.[key]))
    .toSorted();
}
