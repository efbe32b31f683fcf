import { groupOf, none } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';
import type { Errors } from '../field-checks.ts';
import { nonNegative, when } from '../field-checks.ts';
import { immutable, metadataAgain, required } from '../field-rules.ts';
import type { Stored } from '../../store/stored.ts';

export const controllerRevision = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  columns: defineColumns({
    Name: nameColumn,
    Controller: ['string', controllerText],
    Revision: ['string', 'revision', 0],
    Age: ageColumn,
  }),
  // `data` is owned as a whole.
  typeFrom: (usual) => ({
    ...usual,
    fields: { ...usual.fields, data: { pointer: false, omit: 'zero', type: { kind: 'any', atomic: true } } },
  }),
  strategy: {
    validate: (object) => [...revisionErrors(object), ...dataErrors(object['data'])],
    validateUpdate: (object, before) => [
      ...metadataAgain(object),
      ...revisionErrors(object),
      ...immutable('data', object['data'], before['data']),
    ],
  },
});

function revisionErrors(object: Stored): Errors {
  return nonNegative('revision', object['revision'] as number | undefined);
}

function dataErrors(data: unknown): Errors {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  return when(typeof data !== 'object' || Array.isArray(data), required('data', 'data must be a valid JSON object'));
}

/** `statefulset.apps/<name>` of the controller. */
function controllerText({ metadata }: Stored): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return none;
  const type = [owner.kind, groupOf(owner.apiVersion)].filter(Boolean).join('.');
  return `${type.toLowerCase()}/${owner.name}`;
}
