// Objects, and the kinds that they are of.
export type { KubernetesObject, ObjectMeta, ObjectMetaField, ObjectRef, OwnerReference } from './object/object.ts';
export { byAge, keyOf, keyOfObject, objectMetaFields, refOf, refOfObject } from './object/object.ts';
export type { Live, Presence } from './object/presence.ts';
export { isLive, liveOf, presenceOf } from './object/presence.ts';
export { isRecord } from './object/is-record.ts';
export type { ObjectOf, ResourceType } from './object/resource-type.ts';
export { apiVersionOf, resourceNameOf } from './object/resource-type.ts';
// Metadata and status of any object, for reconcilers.
export type { AnyCondition } from './object/conditions.ts';
export { conditionOf, setCondition } from './object/conditions.ts';
export { compareResourceVersions, isAtMost } from './object/resource-version.ts';
export { removeFinalizer } from './object/finalizers.ts';
export { controllerOf, controllerReferenceTo } from './object/owner-references.ts';
// Which objects a request or a selector means.
export type { LabelSelector, LabelSelectorObject } from './selectors/selectors.ts';
export { labelSelectorOf, matchesLabels, parseLabelSelector, printLabelSelector } from './selectors/selectors.ts';
export type { FieldSelector } from './selectors/field-selectors.ts';
export { matchesFields, parseFieldSelector } from './selectors/field-selectors.ts';
// The rules for names, addresses and quantities.
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
} from './formats/names.ts';
export { isDeeperThan } from './json/depth.ts';
export { hostPort, urlHost } from './formats/host-port.ts';
export { textTable } from './formats/text-table.ts';
export { firstNames, firstOf } from './formats/first-of.ts';
export { visibleText } from './formats/visible-text.ts';
export { errorMessage } from './formats/error-message.ts';
export { fnv1a, fnv1aOfText } from './formats/fnv1a.ts';
export type { Address, Cidr, Family } from './formats/addresses.ts';
export {
  addressText,
  canonicalAddress,
  cidrText,
  contains,
  hostCidr,
  overlaps,
  parseAddress,
  parseCidr,
} from './formats/addresses.ts';
export { addressOf, isPublicRange, specialUse } from './formats/special-ranges.ts';
export { canonicalQuantity } from './formats/quantity.ts';
// Plain JSON: equality, and the merge patch that makes one value of another.
export { canonicalJson, deepFreeze, equal } from './json/equality.ts';
export { applyMergePatch, mergePatchOf } from './json/merge-patch.ts';
// The verdicts of API servers.
export type { Failure, Status, StatusCause, StatusReason } from './object/status.ts';
export { failureStatus, hasCause, hasReason, parseStatus, statusReasons } from './object/status.ts';
// Files: YAML and JSON, with the places of their fields.
export type { AlteredKey, YamlDocument } from './files/yaml.ts';
export { parseYaml, YamlReadError } from './files/yaml.ts';
export { parseManifests } from './files/parse-manifests.ts';
export { printYaml, printYamlDocuments } from './files/print-yaml.ts';
export { yamlFieldLines } from './files/yaml-field-lines.ts';
export { readPlainJson } from './files/json-text.ts';
// Time and randomness, which are arguments everywhere.
export type { Clock } from './world/clock.ts';
export { parseRfc3339, rfc3339, rfc3339Micro, sleep } from './world/clock.ts';
export type { Random } from './world/random.ts';
export { jittered, randomSuffix, seededRandom } from './world/random.ts';
