// Objects, and the kinds that they are of.
export type { KubernetesObject, ObjectMeta, ObjectMetaField, ObjectRef, OwnerReference } from './object.ts';
export { byAge, keyOf, keyOfObject, objectMetaFields, refOf, refOfObject } from './object.ts';
export type { ObjectOf, ResourceType } from './resource-type.ts';
export { apiVersionOf, resourceNameOf } from './resource-type.ts';
// What a reconciler reads and writes in the metadata and status of any object.
export type { AnyCondition } from './conditions.ts';
export { conditionOf, setCondition } from './conditions.ts';
export { removeFinalizer } from './finalizers.ts';
export { controllerOf, controllerReferenceTo } from './owner-references.ts';
// Which objects a request or a selector means.
export type { LabelSelector, LabelSelectorObject } from './selectors.ts';
export { labelSelectorOf, matchesLabels, parseLabelSelector, printLabelSelector } from './selectors.ts';
export type { FieldSelector } from './field-selectors.ts';
export { matchesFields, parseFieldSelector } from './field-selectors.ts';
// The rules for names, addresses and quantities.
export {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  maxLabelLength,
  portNameErrors,
  portNumberErrors,
  qualifiedNameErrors,
} from './names.ts';
export type { Address, Cidr, Family } from './addresses.ts';
export { addressText, cidrText, contains, parseAddress, parseCidr } from './addresses.ts';
export { canonicalQuantity } from './quantity.ts';
// Plain JSON: equality, and the merge patch that makes one value of another.
export { canonicalJson, deepFreeze, equal } from './equality.ts';
export { applyMergePatch, mergePatchOf } from './merge-patch.ts';
// The verdicts of API servers.
export type { Failure, Status, StatusCause, StatusReason } from './status.ts';
export { failureStatus, hasCause, hasReason, parseStatus, statusReasons } from './status.ts';
// Files: YAML and JSON, with the places of what they hold.
export type { AlteredKey, YamlDocument } from './yaml.ts';
export { parseYaml, printYaml, printYamlDocuments, YamlReadError } from './yaml.ts';
export { yamlFieldLines } from './yaml-field-lines.ts';
export { readPlainJson } from './json-text.ts';
// Time and randomness, which are arguments everywhere.
export type { Clock } from './clock.ts';
export { parseRfc3339, rfc3339, rfc3339Micro, sleep } from './clock.ts';
export type { Random } from './random.ts';
export { jittered, randomSuffix, seededRandom } from './random.ts';
