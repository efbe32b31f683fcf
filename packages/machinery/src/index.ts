// Objects and kinds
export type { KubernetesObject, ObjectMeta, ObjectRef, OwnerReference } from './object.ts';
export { keyOf, keyOfObject, refOf, refOfObject } from './object.ts';
export type { ObjectOf, ResourceType } from './resource-type.ts';
export { apiVersionOf, resourceNameOf } from './resource-type.ts';
// Time and randomness, as arguments
export type { Clock } from './clock.ts';
export { parseRfc3339, rfc3339, rfc3339Micro, sleep } from './clock.ts';
export type { Random } from './random.ts';
export { jittered, randomSuffix, seededRandom } from './random.ts';
// Schemas: what a structural schema can say, and the resources written in it
export type { Json, JsonSchema, JsonSchemaType, ValidationRule } from './schema/json-schema.ts';
export type {
  Fields,
  Infer,
  InferRead,
  ListSchema,
  NumberSchema,
  ObjectOfFields,
  ObjectSchema,
  RecordSchema,
  Schema,
  StandardCondition,
  StringSchema,
} from './schema/authoring.ts';
export { s } from './schema/authoring.ts';
export type {
  ObjectWith,
  PrinterColumn,
  ResourceDefinition,
  ResourceInput,
  ResourceVersion,
  TypedResourceDefinition,
  VersionInput,
} from './schema/resource.ts';
export { ageColumn, column, defineResource } from './schema/resource.ts';
export type { CrdVersion, CustomResourceDefinition } from './schema/crd.ts';
export { crdOf } from './schema/crd.ts';
export type { CompiledSchema, CompileOptions, Pruned } from './schema/compile.ts';
export { compileSchema } from './schema/compile.ts';
export type { Admission, CompiledResource } from './schema/compile-resource.ts';
export { compileResource, validateObject } from './schema/compile-resource.ts';
export type { ConfigKind, ConfigKindInput, DecodedConfig } from './schema/config-kind.ts';
export { defineConfigKind } from './schema/config-kind.ts';
export { validateObjectMeta } from './schema/object-meta.ts';
export { checkStructural } from './schema/structural.ts';
export { formatCheck, isCheckedStringFormat, isKnownStringFormat } from './schema/formats.ts';
export { goQuote } from './schema/go-text.ts';
export { compilePattern } from './schema/pattern.ts';
export type { FieldError, FieldErrorType } from './schema/field-error.ts';
export { causeOfFieldError, fieldErrorBody, formatFieldError, formatFieldErrors } from './schema/field-error.ts';
// CustomResourceDefinitions as an API server judges and reads them; CEL is an argument
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
export type { FoundPath } from './definition/field-path.ts';
export { findPath } from './definition/field-path.ts';
export { readPath } from './definition/json-path.ts';
export { childOf, itemOf, updateErrors } from './definition/ratcheting.ts';
export { numberAt, textAt, withNumberAt } from './definition/scale-paths.ts';
export { selectableOf } from './definition/selectable-fields.ts';
// What CEL rules may cost, as an API server estimates it; whoever compiles them says what they are made of
export type { CelCall, CelLiteral, CelLoop, CelTree, CelType } from './rule-cost/cel-tree.ts';
export { celFieldName } from './rule-cost/cel-field-name.ts';
export type { MacroCall } from './rule-cost/cel-macros.ts';
export { expandedLoop, expandedOptional } from './rule-cost/cel-macros.ts';
export { estimateCost } from './rule-cost/estimate-cost.ts';
export { costOfAll, RuleBudget } from './rule-cost/rule-budget.ts';
export type { ValueBounds } from './rule-cost/value-bounds.ts';
export { valueBounds } from './rule-cost/value-bounds.ts';
// YAML
export type { AlteredKey, ParseYamlOptions, YamlDocument } from './yaml.ts';
export { parseYaml, printYaml, printYamlDocuments, YamlReadError } from './yaml.ts';
export type { PlainJson } from './json-text.ts';
export { readPlainJson } from './json-text.ts';
export { yamlFieldLines } from './yaml-field-lines.ts';
// Rules for names, selection, conditions, ownership, addresses
export {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  maxLabelLength,
  maxSubdomainLength,
  portNameErrors,
  portNumberErrors,
  qualifiedNameErrors,
} from './names.ts';
export type { LabelSelector, LabelSelectorObject, Requirement } from './selectors.ts';
export { labelSelectorOf, matchesLabels, parseLabelSelector, printLabelSelector } from './selectors.ts';
export type { FieldRequirement, FieldSelector } from './field-selectors.ts';
export { matchesFields, metadataFields, parseFieldSelector, printFieldSelector } from './field-selectors.ts';
export type { AnyCondition } from './conditions.ts';
export { conditionOf, setCondition } from './conditions.ts';
export { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';
export { controllerOf, controllerReferenceTo, isOwnedBy } from './owner-references.ts';
export type { Address, Cidr, Family } from './addresses.ts';
export { addressText, cidrText, compareAddresses, contains, overlaps, parseAddress, parseCidr } from './addresses.ts';
// The API server's verdicts; equality and merge patches of plain JSON
export type { Failure, Status, StatusCause, StatusDetails, StatusReason } from './status.ts';
export { failureStatus, hasCause, hasReason, parseStatus, statusReasons } from './status.ts';
export { canonicalJson, deepFreeze, equal } from './equality.ts';
export { applyMergePatch, mergePatchOf } from './merge-patch.ts';
// Types of values, for decoding, patches and field ownership
export type {
  AnyNode,
  FieldNode,
  ListNode,
  ListPatch,
  MapKey,
  MapNode,
  ScalarNode,
  ScalarType,
  StructNode,
  TypeNode,
} from './typed/type-node.ts';
export { objectMetaType } from './typed/object-meta-type.ts';
export type { TypeOfSchemaOptions } from './typed/type-of-schema.ts';
export { typeOfSchema } from './typed/type-of-schema.ts';
// Who owns which field: managed fields and server-side apply
export type { FieldPath, PathElement } from './typed/path-element.ts';
export {
  fieldElement,
  indexElement,
  keyElement,
  parsePathElement,
  printFieldPath,
  valueElement,
} from './typed/path-element.ts';
export type { FieldFilter, FieldSet } from './typed/field-set.ts';
export {
  differenceOfFieldSets,
  emptyFieldSet,
  equalFieldSets,
  exceptFields,
  fieldSetOfPaths,
  hasField,
  intersectionOfFieldSets,
  isEmptyFieldSet,
  onlyFields,
  pathsOfFieldSet,
  unionOfFieldSets,
} from './typed/field-set.ts';
export type { FieldsV1 } from './typed/fields-v1.ts';
export { parseFieldsV1, printFieldsV1 } from './typed/fields-v1.ts';
export type { FieldSets } from './typed/field-sets.ts';
export { rememberedFieldSets } from './typed/field-sets.ts';
export { fieldSetOf } from './typed/field-set-of.ts';
export type { ManagedFieldsEntry } from './typed/managers.ts';
export type { OwnershipConflict, ServedVersions } from './typed/ownership.ts';
export type { JsonObject } from './typed/shape.ts';
export type { TrackOptions } from './typed/track-update.ts';
export { keepTimesOfNoChange, trackUpdate, withManagedFields } from './typed/track-update.ts';
export type { ApplyOptions, ApplyResult } from './typed/apply.ts';
export { apply } from './typed/apply.ts';
// Patches
export type { PatchFailure } from './patch/patch-error.ts';
export { PatchError } from './patch/patch-error.ts';
export type { JsonPatchOptions } from './patch/json-patch.ts';
export { applyJsonPatch } from './patch/json-patch.ts';
export { jsonPatchUnknownFields } from './patch/json-patch-operations.ts';
export { applyStrategicMergePatch } from './patch/strategic-merge-patch.ts';
