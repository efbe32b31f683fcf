import type { CrdRule, CrdRuleId, CrdSeverity } from './crd-rule.ts';

const crdify = 'crdify';
const checker = 'crd-schema-checker';
const server = 'apiextensions.k8s.io/v1 as validated by kube-apiserver';
const own = 'Isthmus';
const kep = 'KEP-4008';

type Row = readonly [
  id: CrdRuleId,
  severity: CrdSeverity,
  what: string,
  why: string,
  source: string,
  ratcheted?: 'ratcheted',
];

/** Rules about a CRD as a whole. */
const whole: readonly Row[] = [
  [
    'G01',
    'X',
    'group, plural or metadata.name differ',
    'it is another resource, and objects of the old one are not changed',
    server,
  ],
  ['G02', 'X', 'names.kind changed', 'it is immutable, and stored objects carry it', server],
  [
    'G03',
    'X',
    'scope changed',
    'it is immutable, and the keys of stored objects differ by it',
    `${server}; ${crdify} (scope)`,
  ],
  ['G04', 'X', 'not exactly one version is the storage version', 'the API server rejects it', server],
  [
    'G05',
    'X',
    'a version of status.storedVersions is not in spec.versions',
    'objects may still be stored in it',
    `${server}; ${crdify} (storedVersionRemoval)`,
  ],
  ['G06', 'X', 'the current storage version is gone', 'objects cannot be rewritten in one step', 'clusterctl'],
  [
    'G07',
    'C',
    'a served version is removed or no longer served',
    'clients, manifests, owner references and managed fields of that version break',
    own,
  ],
  [
    'G08',
    'R',
    'the storage version changes',
    'old objects stay in the old form until they are rewritten, and there is no way back after that',
    own,
  ],
  [
    'G09',
    'R',
    'objects are stored in a version that the old CRD did not serve',
    'a point of no return: the old CRD cannot be applied again once an object is stored in it',
    own,
  ],
  [
    'G10',
    'B',
    'the storage version changes under conversion None to one without fields of the old one',
    'these fields are lost on the next write',
    own,
  ],
  ['G11', 'R', 'conversion None becomes Webhook', 'from that moment reading another version needs the webhook', own],
  [
    'G12',
    'B',
    'conversion Webhook becomes None while the schemas differ',
    'objects are read incorrectly, without an error',
    own,
  ],
  [
    'G13',
    'B',
    'the conversion webhook cannot be reached',
    'reading at any other version fails, and deleting namespaces stalls',
    own,
  ],
  [
    'G14',
    'X',
    'conversionReviewVersions has no version that the API server supports',
    'it cannot call the webhook',
    server,
  ],
  [
    'G15',
    'B',
    'the status subresource is added or removed',
    'writes of status are lost or fail, and the generation is counted differently',
    own,
  ],
  ['G16', 'C', 'the scale subresource is removed or its paths change', 'autoscalers and kubectl scale fail', own],
  ['G17', 'B', 'preserveUnknownFields becomes false', 'fields that no schema lists are pruned from now on', own],
  ['G18', 'X', 'a schema is missing or not structural', 'the API server rejects it', server],
  [
    'G19',
    'B',
    'a name conflicts with another CRD of the group',
    'NamesAccepted becomes False, and it is not served',
    own,
  ],
  ['G20', 'C', 'selectable fields are removed', 'lists with these field selectors fail', own],
  [
    'G21',
    'I',
    'printer columns, categories, descriptions, or changes without effect',
    'stored objects and requests are not affected',
    `${crdify} (description)`,
  ],
  ['G22', 'I', 'a version becomes deprecated, or no longer is', 'users are warned, with or without a text', own],
  ['G23', 'X', 'the CRD is too large', 'the API server, or the annotation of client-side apply, cannot hold it', own],
  ['G24', 'B', 'it is older than the live CRD', 'fields and versions that objects use are removed by accident', own],
  ['G25', 'R', 'several owners write the live CRD', 'they overwrite each other', own],
  ['G26', 'X', 'anything else that the API server rejects', 'it cannot be applied', server],
  [
    'G27',
    'C',
    'a served version has fields that the storage version lacks, under conversion None',
    'values written there are lost without an error',
    own,
  ],
];

/** Rules about the fields in a version's schema. */
const fields: readonly Row[] = [
  [
    'F01',
    'B',
    'property removed',
    'it is pruned from stored objects on their next write',
    `${crdify} (existingFieldRemoval); ${checker} (NoFieldRemoval)`,
  ],
  ['F02', 'B', 'property renamed', 'the old name is pruned from stored objects, the new one is empty', own],
  [
    'F03',
    'B',
    'type changed',
    'stored values become invalid and cannot be decoded by clients',
    `${crdify} (type); ${checker} (NoDataTypeChange)`,
  ],
  ['F04', 'R', 'type widened', 'stored values stay valid; typed clients may not read new ones', own],
  [
    'F05',
    'B',
    'required without a default',
    'every write of an object without it fails',
    `${crdify} (required); ${checker} (NoNewRequiredFields)`,
  ],
  [
    'F06',
    'I',
    'required, with a default',
    'defaults are filled in when objects are read, before they are validated',
    own,
  ],
  [
    'F07',
    'I',
    'required within a new optional property',
    'no stored object has it',
    `${checker} (NoNewRequiredFields)`,
  ],
  [
    'F08',
    'B',
    'required without a default, in items, values of a map or allOf',
    'every write of an object with such a part fails',
    own,
  ],
  [
    'F09',
    'B',
    'enum introduced or value removed',
    'stored values may be invalid',
    `${crdify} (enum); ${checker} (NoEnumRemoval)`,
    'ratcheted',
  ],
  [
    'F10',
    'C',
    'enum value added',
    'older clients and controllers receive a value that they do not know',
    `${crdify} (enum)`,
  ],
  [
    'F11',
    'B',
    'a lower limit added or raised',
    'stored values may be invalid',
    `${crdify} (minimum, minLength, minItems, minProperties)`,
    'ratcheted',
  ],
  [
    'F12',
    'B',
    'an upper limit added or lowered',
    'stored values may be invalid',
    `${crdify} (maximum, maxLength, maxItems, maxProperties)`,
    'ratcheted',
  ],
  [
    'F13',
    'B',
    'a limit becomes exclusive, or multipleOf added or changed',
    'stored values may be invalid',
    own,
    'ratcheted',
  ],
  [
    'F14',
    'R',
    'pattern added or changed',
    'the patterns alone do not show whether all stored values match',
    `${crdify} (pattern)`,
    'ratcheted',
  ],
  [
    'F15',
    'I',
    'a limit, pattern, enum or format removed or loosened',
    'clients may receive values that they do not know',
    `${crdify} (pattern)`,
  ],
  [
    'F16',
    'B',
    'format added or changed to one that the API server checks',
    'stored values may be invalid',
    own,
    'ratcheted',
  ],
  [
    'F17',
    'B',
    'nullable becomes false',
    'stored nulls are invalid, or dropped before defaulting',
    `${crdify} (nullable)`,
    'ratcheted',
  ],
  ['F18', 'C', 'nullable becomes true', 'clients may receive null', `${crdify} (nullable)`],
  [
    'F19',
    'R',
    'default added, changed or removed',
    'objects without the field change their meaning',
    `${crdify} (default)`,
  ],
  ['F20', 'X', 'a default that its own schema rejects', 'the API server rejects it', server],
  ['F21', 'B', 'free keys no longer allowed', 'they are pruned or invalid', own],
  [
    'F22',
    'B',
    'values of a map get a schema',
    'values that it does not allow are pruned or invalid, under every key',
    own,
  ],
  [
    'F23',
    'B',
    'x-kubernetes-preserve-unknown-fields removed',
    'fields that no schema lists are pruned from now on',
    own,
  ],
  [
    'F24',
    'B',
    'x-kubernetes-int-or-string removed',
    'stored integers or stored strings become invalid',
    own,
    'ratcheted',
  ],
  ['F25', 'B', 'x-kubernetes-embedded-resource added', 'apiVersion, kind and metadata are required', own],
  [
    'F26',
    'B',
    'list becomes a set or a map',
    'creation and server-side apply of objects with duplicates fail, on every server',
    own,
  ],
  [
    'F27',
    'B',
    'x-kubernetes-list-map-keys changed',
    'what counts as the same item changes, for validation and for server-side apply',
    own,
  ],
  [
    'F28',
    'R',
    'list or map is merged differently',
    'server-side apply owns other fields, and may drop items on the next apply',
    own,
  ],
  ['F29', 'X', 'keys of a list of type map are neither required nor defaulted', 'the API server rejects it', server],
  ['F30', 'B', 'validation rule added or changed', 'stored values may break it', own, 'ratcheted'],
  ['F31', 'C', 'transition rule added or changed', 'updates that were accepted are rejected', own],
  ['F32', 'I', 'validation rule removed', 'clients may receive values that they do not know', own],
  [
    'F33',
    'X',
    'a validation rule does not compile, or costs too much',
    'the API server rejects it',
    `${server}; ${checker} (MustNotExceedCostBudget)`,
  ],
  [
    'F34',
    'R',
    'oneOf, anyOf, allOf or not changed',
    'the schemas alone do not show whether stored values are valid',
    own,
  ],
  ['F35', 'X', 'a keyword that structural schemas do not allow', 'the API server rejects it', server],
  ['F36', 'R', 'a change that no rule covers', 'unknown changes are reported', own],
  ['F37', 'I', 'optional property added', 'stored objects do not have it', own],
  ['F38', 'I', 'only status breaks', 'controllers cannot write status; users are hardly affected', own],
  [
    'F39',
    'R',
    'a validation rule or pattern that is not judged',
    'it uses a part of CEL or RE2 that Isthmus does not have; the API server decides',
    own,
  ],
];

/** The promises of docs/spec/upgrades.md §2.4; judged under a policy, by `check deprecations`. */
const promises: readonly Row[] = [
  ['P01', 'P', 'a version removed before its time', 'users were promised longer (D1)', 'the policy of the product'],
  [
    'P02',
    'P',
    'a version removed that was never deprecated',
    'users were not warned (D2)',
    'the policy of the product',
  ],
  [
    'P03',
    'P',
    'a deprecated version without conversion',
    'users read other fields than they wrote (D3)',
    'the policy of the product',
  ],
  [
    'P04',
    'P',
    'a patch release that adds or removes a version',
    'patch releases must be interchangeable (D4)',
    'the policy of the product',
  ],
  [
    'P05',
    'P',
    'deprecated in favour of a less stable version',
    'users would move to a version that may be removed at any time (D5)',
    'the policy of the product',
  ],
];

/** Lints: off by default, and only for new parts. */
const lints: readonly Row[] = [
  ['L01', 'R', 'boolean', 'a third state cannot be added later; an enum of strings can grow', `${checker} (NoBools)`],
  ['L02', 'R', 'floating-point number', 'it does not survive every encoder unchanged', `${checker} (NoFloats)`],
  ['L03', 'R', 'unsigned integer', 'not all clients support them', `${checker} (NoUints)`],
  ['L04', 'R', 'map', 'a list of type map has the same meaning and can grow', `${checker} (NoMaps)`],
  [
    'L05',
    'R',
    'status without the status subresource',
    'users can write it, controllers conflict with them',
    `${checker} (MustHaveStatus)`,
  ],
  [
    'L06',
    'R',
    'list without a list type',
    'server-side apply owns the whole list',
    `${checker} (ListsMustHaveSSATags)`,
  ],
  [
    'L07',
    'R',
    'conditions that are not a list of type map with the key `type`',
    'server-side apply overwrites the conditions of other clients',
    `${checker} (ConditionsMustHaveProperSSATags)`,
  ],
  ['L08', 'R', 'conditions without the standard fields', 'tools that wait for conditions do not understand them', own],
];

const rules: readonly CrdRule[] = [...whole, ...fields, ...promises, ...lints].map(
  ([id, severity, what, why, source, ratcheted]) => ({
    id,
    what,
    why,
    severity,
    ratcheted: ratcheted !== undefined,
    source: ratcheted === undefined ? source : `${source}; ratcheted by ${kep}`,
  }),
);

/** All rules of the checker, by group and number. */
export const crdRules: readonly CrdRule[] = rules;

const byId: ReadonlyMap<CrdRuleId, CrdRule> = new Map(rules.map((rule) => [rule.id, rule]));

/** The rule of an id. Errors: throws where there is none. */
export function crdRule(id: CrdRuleId): CrdRule {
  const rule = byId.get(id);
  if (rule === undefined) throw new Error(`there is no rule ${id}`);
  return rule;
}
