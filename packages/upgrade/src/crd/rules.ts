import type { CrdRule, CrdRuleId, CrdSeverity } from './crd-rule.ts';

const crdify = 'crdify';
const checker = 'crd-schema-checker';
const server = 'apiextensions.k8s.io/v1 as kube-apiserver judges it';
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
    'it is another resource, and the objects of the old one are left alone',
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
  ['G04', 'X', 'not exactly one version is the storage version', 'the API server refuses it', server],
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
    'old objects stay in the old form until they are rewritten, and there is no way back afterwards',
    own,
  ],
  [
    'G09',
    'B',
    'objects are stored in a version that the old CRD did not serve',
    'API servers that still have the old CRD cannot read them',
    own,
  ],
  [
    'G10',
    'B',
    'the storage version changes under conversion None while the schemas differ',
    'fields that the new version does not know go with the next write',
    own,
  ],
  ['G11', 'R', 'conversion None becomes Webhook', 'from that moment reading another version needs the webhook', own],
  ['G12', 'B', 'conversion Webhook becomes None while the schemas differ', 'objects are read wrongly, silently', own],
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
    'conversionReviewVersions holds no version that the API server speaks',
    'it cannot call the webhook',
    server,
  ],
  [
    'G15',
    'B',
    'the status subresource comes or goes',
    'writes of status are lost or fail, and generation counts differently',
    own,
  ],
  ['G16', 'C', 'the scale subresource goes or its paths change', 'autoscalers and kubectl scale fail', own],
  ['G17', 'B', 'preserveUnknownFields becomes false', 'fields that no schema lists are pruned from now on', own],
  ['G18', 'X', 'a schema is missing or not structural', 'the API server refuses it', server],
  [
    'G19',
    'B',
    'a name collides with that of another CRD of the group',
    'NamesAccepted becomes False, and it is not served',
    own,
  ],
  ['G20', 'C', 'selectable fields are removed', 'lists with these field selectors fail', own],
  [
    'G21',
    'I',
    'printer columns, categories, descriptions, or another way to say the same',
    'nothing that is stored or asked for changes',
    `${crdify} (description)`,
  ],
  ['G22', 'I', 'a version becomes deprecated, or no longer is', 'users are warned, with a text or without', own],
  ['G23', 'X', 'the CRD is too large', 'the API server, or the annotation of client-side apply, cannot hold it', own],
  [
    'G24',
    'B',
    'it is older than the CRD that is live',
    'what the live one has, and objects use, is taken away by accident',
    own,
  ],
  ['G25', 'R', 'several owners write the live CRD', 'they undo what the other did', own],
  ['G26', 'X', 'anything else that the API server refuses', 'it cannot be applied', server],
];

/** Rules about what a version's schema says of a field. */
const fields: readonly Row[] = [
  [
    'F01',
    'B',
    'property removed',
    'it is pruned from stored objects with their next write',
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
    'older clients and controllers meet a value that they do not know',
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
    'whether all stored values match is not decided by the patterns alone',
    `${crdify} (pattern)`,
    'ratcheted',
  ],
  [
    'F15',
    'I',
    'a limit, pattern, enum or format removed or loosened',
    'clients may meet values that they never saw',
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
  ['F18', 'C', 'nullable becomes true', 'clients may meet null', `${crdify} (nullable)`],
  [
    'F19',
    'R',
    'default added, changed or removed',
    'objects that leave the field out mean something else',
    `${crdify} (default)`,
  ],
  ['F20', 'X', 'a default that its own schema refuses', 'the API server refuses it', server],
  ['F21', 'B', 'free keys no longer allowed', 'they are pruned or invalid', own],
  ['F22', 'B', 'values of a map get a schema', 'what it does not allow is pruned or invalid, under every key', own],
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
  ['F25', 'B', 'x-kubernetes-embedded-resource added', 'apiVersion, kind and metadata are asked for', own],
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
    'server-side apply owns other fields, and may drop items with the next apply',
    own,
  ],
  ['F29', 'X', 'keys of a list of type map are neither required nor defaulted', 'the API server refuses it', server],
  ['F30', 'B', 'validation rule added or changed', 'stored values may break it', own, 'ratcheted'],
  ['F31', 'C', 'transition rule added or changed', 'updates that were accepted are refused', own],
  ['F32', 'I', 'validation rule removed', 'clients may meet values that they never saw', own],
  [
    'F33',
    'X',
    'a validation rule does not compile, or costs too much',
    'the API server refuses it',
    `${server}; ${checker} (MustNotExceedCostBudget)`,
  ],
  [
    'F34',
    'R',
    'oneOf, anyOf, allOf or not changed',
    'whether stored values hold is not decided by the schemas alone',
    own,
  ],
  ['F35', 'X', 'what no structural schema may say', 'the API server refuses it', server],
  ['F36', 'R', 'a change that no rule knows', 'nothing passes in silence', own],
  ['F37', 'I', 'optional property added', 'stored objects do not have it', own],
  ['F38', 'I', 'what breaks is in status alone', 'controllers cannot write status; users are hardly struck', own],
];

/** The promises of docs/spec/upgrades.md §2.4; judged under a policy, by `check deprecations`. */
const promises: readonly Row[] = [
  ['P01', 'P', 'a version removed before its time', 'users were promised longer (D1)', 'the policy that promises it'],
  [
    'P02',
    'P',
    'a version removed that was never deprecated',
    'users were not told (D2)',
    'the policy that promises it',
  ],
  [
    'P03',
    'P',
    'a deprecated version without conversion',
    'its users read other fields than they wrote (D3)',
    'the policy that promises it',
  ],
  [
    'P04',
    'P',
    'a patch release that adds or removes a version',
    'patches were promised to be exchangeable (D4)',
    'the policy that promises it',
  ],
  [
    'P05',
    'P',
    'deprecated in favour of a less stable version',
    'users would move to what may go at any time (D5)',
    'the policy that promises it',
  ],
];

/** Lints: off unless asked for, and only what is new. */
const lints: readonly Row[] = [
  ['L01', 'R', 'boolean', 'a third state cannot be added later; an enum of strings can grow', `${checker} (NoBools)`],
  ['L02', 'R', 'floating-point number', 'it does not survive every encoder unchanged', `${checker} (NoFloats)`],
  ['L03', 'R', 'unsigned integer', 'not all clients have them', `${checker} (NoUints)`],
  ['L04', 'R', 'map', 'a list of type map says the same and can grow', `${checker} (NoMaps)`],
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
    'server-side apply takes the whole list',
    `${checker} (ListsMustHaveSSATags)`,
  ],
  [
    'L07',
    'R',
    'conditions that are no list of type map by `type`',
    'server-side apply takes the conditions of others',
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
