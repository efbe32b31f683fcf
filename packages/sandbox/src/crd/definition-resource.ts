import { equal, isKnownStringFormat } from '@isthmus/machinery';
import { defineBuiltIn, statusSubresource, subdomainName } from '../builtin/define.ts';
import { specOrStatus } from '../builtin/reset-fields.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { invalidValue } from '../server/refusal.ts';
import { partsOf } from './definition.ts';
import type { Definition, Version } from './definition.ts';
import { deletionOf } from './definition-controller.ts';
import { acceptedNamesErrors, definitionErrors, immutabilityErrors } from './definition-validation.ts';

/** The kind CustomResourceDefinition. */
export const definitionResource: ServedResource = defineBuiltIn({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  subresources: [statusSubresource],
  columns: {
    definitions: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
    ],
    cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? ''],
  },
  strategy: {
    nameProblems: subdomainName,
    resetFields: specOrStatus,
    generation: 'spec',
    unconditionalUpdate: false,
    createOnUpdate: false,
    deleteReturnsObject: true,
    defaults: (object) => withDefaults(object as Definition),
    prepareForCreate: (object) => withStoredVersion({ ...(object as Definition), status: noStatus }),
    prepareForUpdate: (object, before) => {
      const { status } = before as Definition;
      return withStoredVersion({ ...(object as Definition), status });
    },
    prepareForStatusUpdate: (object, before) => ({ ...object, spec: before['spec'] }),
    validate: (object) => [...nameErrors(object as Definition), ...definitionErrors(object as Definition)],
    validateUpdate: (object, before) => [
      ...definitionErrors(object as Definition),
      ...immutabilityErrors(object as Definition, before as Definition),
    ],
    validateStatusUpdate: (object) => acceptedNamesErrors(object as Definition),
    warnings: (object, before) => formatWarnings(object as Definition, before as Definition | undefined),
    beginDeletion: (object, context) => deletionOf(object as Definition, context.now),
  },
});

const noStatus: Definition['status'] = {
  conditions: null,
  acceptedNames: { plural: '', kind: '' },
  storedVersions: null,
};

function withDefaults(definition: Definition): Definition {
  const { spec = {} as Definition['spec'], status = noStatus } = definition as Partial<Definition>;
  const names = { ...spec.names, plural: spec.names?.plural ?? '', kind: spec.names?.kind ?? '' };
  const singular = (names.singular ?? '') === '' ? names.kind.toLowerCase() : names.singular;
  const listKind = (names.listKind ?? '') === '' && names.kind !== '' ? `${names.kind}List` : names.listKind;
  return {
    ...definition,
    spec: {
      ...spec,
      names: {
        ...names,
        ...(singular !== undefined && singular !== '' && { singular }),
        ...(listKind !== undefined && { listKind }),
      },
      conversion: withPort(spec.conversion ?? { strategy: 'None' }),
    },
    status: {
      ...status,
      conditions: status.conditions ?? null,
      acceptedNames: status.acceptedNames ?? noStatus.acceptedNames,
      storedVersions: status.storedVersions ?? null,
    },
  };
}

function withPort(
  conversion: NonNullable<Definition['spec']['conversion']>,
): NonNullable<Definition['spec']['conversion']> {
  const { webhook } = conversion;
  const service = webhook?.clientConfig?.service;
  if (service === undefined || service.port !== undefined) return conversion;
  const clientConfig = { ...webhook?.clientConfig, service: { ...service, port: 443 } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}

/** The storage version is one that objects may be stored in. */
function withStoredVersion(definition: Definition): Definition {
  const { spec, status } = definition;
  const storage = (spec.versions ?? []).find((version) => version.storage === true)?.name;
  const stored = status.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return definition;
  return { ...definition, status: { ...status, storedVersions: [...stored, storage] } };
}

function nameErrors({ metadata, spec }: Definition) {
  if (metadata.name === `${spec.names.plural}.${spec.group ?? ''}`) return [];
  return [invalidValue('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')];
}

/** Formats that the API server drops before it validates. */
function formatWarnings(definition: Definition, before: Definition | undefined): readonly string[] {
  if (before !== undefined && equal(definition.spec, before.spec)) return [];
  const had = new Set(before === undefined ? [] : unknownFormats(before.spec.versions));
  return unknownFormats(definition.spec.versions)
    .filter((format) => !had.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

/** Whether the API server knows the format for values of the type. */
function isKnownFormat(type: string, format: string): boolean {
  switch (type) {
    case 'string':
      return isKnownStringFormat(format);
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}

function unknownFormats(versions: readonly Version[]): readonly string[] {
  return versions.flatMap(({ schema }) => {
    const root = schema?.openAPIV3Schema;
    if (root === undefined) return [];
    return Array.from(partsOf(root)).flatMap(({ type, format }) => {
      if (format === undefined || format === '' || type === undefined) return [];
      return isKnownFormat(type, format) ? [] : [format];
    });
  });
}
