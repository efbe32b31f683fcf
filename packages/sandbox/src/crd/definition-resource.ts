import { equal } from '@isthmus/machinery';
import {
  acceptedNamesErrors,
  definitionErrors,
  definitionNameErrors,
  emptyDefinitionStatus,
  immutabilityErrors,
  isKnownStringFormat,
  partsOf,
  withDefinitionDefaults,
  withStoredVersion,
} from '@isthmus/schema';
import type { FieldError, RuleErrors } from '@isthmus/schema';
import { ruleErrors } from '@isthmus/schema/cel';
import { defineBuiltIn, statusSubresource, subdomainName } from '../builtin/define.ts';
import { specOrStatus } from '../builtin/reset-fields.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Definition, Version } from '../definition/definition.ts';
import { deletionOf } from './definition-controller.ts';

/** A rule that only a real API server can evaluate is accepted, but not applied to objects. */
const certainRuleErrors: RuleErrors = (...given) =>
  ruleErrors(...given).filter(({ isNotJudged }) => isNotJudged !== true);

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
    defaults: (object) => withDefinitionDefaults(object as Definition),
    prepareForCreate: (object) => withStoredVersion({ ...(object as Definition), status: emptyDefinitionStatus }),
    prepareForUpdate: (object, before) => {
      const { status } = before as Definition;
      return withStoredVersion({ ...(object as Definition), status });
    },
    prepareForStatusUpdate: (object, before) => {
      const next = { ...(object as Definition), spec: (before as Definition).spec };
      return (next.status.storedVersions ?? []).length === 0 ? withStoredVersion(next) : next;
    },
    validate: (object) => newDefinitionErrors(object as Definition),
    validateUpdate: (object, before) => [
      ...definitionErrors(object as Definition, certainRuleErrors, before as Definition),
      ...immutabilityErrors(object as Definition, before as Definition),
    ],
    validateStatusUpdate: (object) => acceptedNamesErrors(object as Definition),
    warnings: (object, before) => formatWarnings(object as Definition, before as Definition | undefined),
    beginDeletion: (object, context) => deletionOf(object as Definition, context.now),
  },
});

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

/** The errors of a new definition, including the costs of its rules. */
export function newDefinitionErrors(definition: Definition): readonly FieldError[] {
  return [...definitionNameErrors(definition), ...definitionErrors(definition, certainRuleErrors)];
}
