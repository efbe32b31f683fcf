// Structural schemas, in the JSON form of definitions.
export type { Json, JsonSchema, ValidationRule } from './json-schema.ts';
// Schemas and resources written in TypeScript, with their types inferred, and the definitions
// generated from them.
export type {
  Complete,
  Infer,
  InferRead,
  ListSchema,
  ObjectSchema,
  Schema,
  StandardCondition,
} from './authoring/authoring.ts';
export { s } from './authoring/authoring.ts';
export type {
  PrinterColumn,
  ResourceDefinition,
  ResourceVersion,
  TypedResourceDefinition,
} from './authoring/resource.ts';
export { ageColumn, column, defineResource } from './authoring/resource.ts';
export type { CrdVersion, CustomResourceDefinition } from './authoring/crd.ts';
export { crdOf } from './authoring/crd.ts';
export { compileResource } from './authoring/compile-resource.ts';
export type { ConfigKind, ConfigKindInput } from './authoring/config-kind.ts';
export { defineConfigKind } from './authoring/config-kind.ts';
export { compilePattern } from './pattern/pattern.ts';
// Schemas compiled: pruning, defaults and validation of objects as an API server does them.
export type { CompiledSchema } from './validation/compile-with.ts';
export { compileSchema } from './validation/compile.ts';
export { validateObjectMeta } from './validation/object-meta.ts';
export { formatCheck, isCheckedStringFormat, isKnownStringFormat } from './formats.ts';
// Errors of fields, in an API server's words.
export type { FieldError } from './field-error.ts';
export {
  causeOfFieldError,
  fieldErrorBody,
  formatFieldError,
  formatFieldErrors,
  invalidStruct,
} from './field-error.ts';
export { goJson, goNumber, goQuote } from './go-text.ts';
// CustomResourceDefinitions as an API server reads and judges them; the check of their CEL rules is
// an argument.
export { checkStructural } from './structural/structural.ts';
export type {
  Column as DefinitionColumn,
  Condition as DefinitionCondition,
  ConversionRule,
  Definition as StoredDefinition,
  Names as DefinitionNames,
  ScalePaths,
  Version as DefinitionVersion,
  WebhookClientConfig,
} from './definition/definition.ts';
export { isTrue, partsOf, rulesOf } from './definition/definition.ts';
export { emptyDefinitionStatus, withDefinitionDefaults, withStoredVersion } from './definition/definition-defaults.ts';
export type { KnownOfRules, RuleErrors } from './definition/definition-schema.ts';
export {
  acceptedNamesErrors,
  definitionErrors,
  definitionNameErrors,
  immutabilityErrors,
} from './definition/definition-validation.ts';
export { updateErrors } from './definition/ratcheting.ts';
export { selectableOf } from './definition/selectable-fields.ts';
export { readPath } from './definition/json-path.ts';
