/**
 * Changes of a CRD as a whole (G05–G27, without the errors of the API server): versions, storage,
 * conversion, and the rest.
 */
import { equal, firstNames } from '@isthmus/machinery';
import { compareRoots } from '../compare/compare-schemas.ts';
import { same } from '../compare/schema-change.ts';
import { compareApiVersions } from '../compare-api-versions.ts';
import { schemaOf } from '../definition-view.ts';
import type { DefinitionView } from '../definition-view.ts';
import type { JsonSchema } from '@isthmus/schema';
import type { CrdRuleId } from '../crd-rule.ts';
import { pointerOf } from './definition-change.ts';
import type { DefinitionChange } from './definition-change.ts';
import { identityChanges } from './identity-changes.ts';
import { versionChanges } from './version-changes.ts';

/** The differences from the live CRD. */
export function definitionChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  return [
    ...servedChanges(old, next),
    ...storageChanges(old, next),
    ...unstoredFields(old, next),
    ...conversionChanges(old, next),
    ...[...next.versions.keys()].flatMap((version) => versionChanges(old, next, version)),
    ...identityChanges(old, next),
  ];
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
        message: `${version} is ${isThere ? 'no longer served' : 'removed'}: clients and manifests that use it break`,
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

/** G06, G08, G09, G10. The API server itself reports G05. */
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
      message: `${from}, in which objects are stored now, is removed: they cannot be rewritten in one step`,
      hint: `Upgrade to a release first that has both ${from} and ${to} and stores in ${to}.`,
    });
  }
  found.push({
    rule: 'G08',
    ...at,
    message: `objects are stored in ${to}, no longer in ${from}`,
    hint: `Rewrite all objects afterwards, then remove ${from} from status.storedVersions. After that, there is no way back.`,
  });
  if (!old.served.includes(to)) {
    found.push({
      rule: 'G09',
      ...at,
      message: `objects are stored in ${to}, which the live CRD does not serve: once one is, the live CRD cannot be applied again`,
      hint: `Back up the objects first. To keep a way back, upgrade to a release first that serves ${to} and stores in ${from}.`,
    });
  }
  const [had, has] = [schemaOf(old, from), schemaOf(next, to)];
  const lost = next.isWebhook ? [] : prunedFields(had, has);
  if (lost.length > 0) {
    found.push({
      rule: 'G10',
      ...at,
      message: `conversion from ${from} to ${to} changes only the apiVersion, and the next write prunes what ${to} does not have: ${listed(lost)}`,
      hint: `Convert with a webhook, or add these fields to ${to} first.`,
    });
  }
  return found;
}

/** G27. What was so before is nothing new, and what the former storage version loses is G10. */
function unstoredFields(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const { storage } = next;
  if (storage === undefined || next.isWebhook) return [];
  return next.served.flatMap((version) => {
    if (version === storage || version === old.storage) return [];
    // The less preferred of two served versions is compared with the other field by field.
    if (next.served.includes(storage) && compareApiVersions(storage, version) < 0) return [];
    const wasSo = !old.isWebhook && old.storage === storage && old.served.includes(version);
    const had = new Set(wasSo ? prunedFields(schemaOf(old, version), schemaOf(old, storage)) : []);
    const lost = prunedFields(schemaOf(next, version), schemaOf(next, storage)).filter((field) => !had.has(field));
    if (lost.length === 0) return [];
    const message = `objects are stored in ${storage}, and what is written at ${version} is pruned of what ${storage} does not have: ${listed(lost)}`;
    const hint = `Convert with a webhook, add these fields to ${storage}, or store in ${version}.`;
    return [{ rule: 'G27', version, pointer: pointerOf(next, version), message, hint } as const];
  });
}

/** The fields that an object loses that is written at one version and stored in another. */
function prunedFields(written: JsonSchema | undefined, stored: JsonSchema | undefined): readonly string[] {
  if (written === undefined || stored === undefined) return [];
  const changes = compareRoots(written, stored).filter(({ rule }) => pruning.includes(rule));
  return [...new Set(changes.map(({ field }) => field))];
}

/** The rules by which a part of a stored object is pruned. */
const pruning: readonly CrdRuleId[] = ['F01', 'F02', 'F21', 'F22', 'F23'];

/** The first five fields, and how many more. */
function listed(fields: readonly string[]): string {
  return firstNames(
    fields.map((field) => (field === '' ? 'fields of the object' : field)),
    5,
  );
}

/**
 * The versions between which an API server converts: those that it serves, and those in which
 * objects are stored. Where that is not known, it may be any.
 */
function readVersions(
  { definition, versions, isStorageKnown }: DefinitionView,
  next: DefinitionView,
): readonly string[] {
  const stored = isStorageKnown ? (definition.status.storedVersions ?? []) : [...versions.keys()];
  const all = [...next.served, ...stored, ...(next.storage === undefined ? [] : [next.storage])];
  return [...new Set(all)].filter((version) => next.versions.has(version));
}

/** G11, G12. */
function conversionChanges(old: DefinitionView, next: DefinitionView): readonly DefinitionChange[] {
  const [had, has] = [old.definition.spec.conversion, next.definition.spec.conversion];
  if (equal(had, has)) return [];
  const at = { pointer: '/spec/conversion', old: had?.strategy, new: has?.strategy };
  if (!old.isWebhook && next.isWebhook) {
    const hint = 'Apply the Service and the Deployment of the webhook before the CRD, and wait until it answers.';
    return [{ rule: 'G11', ...at, message: 'a webhook converts objects from now on', hint }];
  }
  if (old.isWebhook && !next.isWebhook) {
    const schemas = readVersions(old, next).map((version) => schemaOf(next, version) ?? {});
    const differ = schemas.some((schema) => !same(schema, schemas[0]));
    const message = differ
      ? 'objects are no longer converted by a webhook, but the schemas of the served and stored versions differ'
      : 'objects are no longer converted by a webhook; the schemas of the served and stored versions are the same';
    return [
      {
        rule: 'G12',
        ...at,
        ...(!differ && { severity: 'I' }),
        message,
        hint: differ ? 'Keep the webhook as long as two versions are served, or objects are stored in two.' : '',
      },
    ];
  }
  const hint = 'Check that the webhook is available under the new name before the CRD is applied.';
  return [
    {
      rule: 'G11',
      pointer: '/spec/conversion/webhook',
      message: 'the conversion webhook or the way it is called changes',
      hint,
    },
  ];
}
