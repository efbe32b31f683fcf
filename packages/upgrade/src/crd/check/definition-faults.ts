/**
 * Errors of the new CRD by itself: those of the API server (severity X), and conflicts with other
 * objects.
 */
import {
  definitionErrors,
  definitionNameErrors,
  formatFieldError,
  immutabilityErrors,
  validateObjectMeta,
  withStoredVersion,
} from '@isthmus/schema';
import { equal } from '@isthmus/machinery';
import type { DefinitionNames, FieldError, RuleErrors, StoredDefinition } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import type { CrdRuleId } from '../crd-rule.ts';
import type { DefinitionChange } from '../changes/definition-change.ts';
import type { DefinitionView } from '../definition-view.ts';

/** All that the API server rejects, in its words (G01–G06, G14, G18, F20, F29, F33, F35, G26). */
export function refusals(
  old: DefinitionView | undefined,
  next: DefinitionView,
  ruleErrors: RuleErrors,
): readonly DefinitionChange[] {
  const status = old?.definition.status ?? next.definition.status;
  const judged = withStoredVersion({ ...next.definition, status });
  const errors = [
    ...definitionNameErrors(judged),
    ...metadataErrors(judged),
    ...definitionErrors(judged, ruleErrors, old?.definition),
    ...(old === undefined ? [] : immutabilityErrors(judged, establishedOf(old.definition))),
  ];
  return errors
    .map((error) => refusal(error, next))
    .filter(({ rule, old: version }) => rule !== 'G05' || version !== undefined);
}

/** Labels, annotations, finalizers and owners; `definitionNameErrors` judges the name. */
function metadataErrors({ metadata }: StoredDefinition): readonly FieldError[] {
  return validateObjectMeta(metadata, false).filter(({ path }) => !/^metadata\.(?:name|namespace)$/.test(path));
}

/** A CRD from a file has no conditions; a CRD that stores objects is established. */
function establishedOf(definition: StoredDefinition): StoredDefinition {
  return { ...definition, status: { ...definition.status, conditions: [{ type: 'Established', status: 'True' }] } };
}

function refusal(error: FieldError, view: DefinitionView): DefinitionChange {
  const rule = error.isNotJudged === true ? 'F39' : ruleOf(error);
  const stored = rule === 'G05' ? /^missing from spec\.versions; (\S+) was/.exec(error.detail)?.[1] : undefined;
  const index = /^spec\.versions\[(\d+)\]/.exec(error.path)?.[1];
  const version = stored ?? (index === undefined ? undefined : [...view.versions.keys()][Number(index)]);
  const field = fieldOfPath(error.path);
  return {
    rule,
    pointer: pointerOfPath(error.path),
    ...(field !== undefined && { field }),
    ...(version !== undefined && { version }),
    ...(stored !== undefined && { old: stored }),
    message: rule === 'F39' ? `not judged: ${messageOf(error)}` : messageOf(error),
    hint:
      (/exceeds budget|exceeding cost limit/.test(error.detail) ? costHint : hints[rule]) ??
      'The API server rejects the CRD until this is fixed.',
  };
}

const hints: Partial<Readonly<Record<CrdRuleId, string>>> = {
  G01: 'Keep the names; another resource needs its own CRD and objects.',
  G02: 'Keep the kind; another kind needs its own CRD.',
  G03: 'Keep the scope; another scope needs its own CRD.',
  F39: 'Ask an API server of your version: `kubectl apply --server-side --dry-run=server -f FILE`.',
  G05: 'Before this CRD is applied: rewrite all objects under the live CRD, then remove the version from status.storedVersions.',
};

const costHint =
  'Limit the lists, maps and strings that the rules evaluate (maxItems, maxProperties, maxLength), or simplify the rules; a new limit is checked like any other change.';

/**
 * The server's words; whole schemas and lists of versions, which it shows as well, are left out.
 */
function messageOf(error: FieldError): string {
  const isLong = typeof error.value === 'object' && error.value !== null;
  return formatFieldError(isLong ? { ...error, shown: '' } : error);
}

function ruleOf({ path, type, detail }: FieldError): CrdRuleId {
  if (path === 'metadata.name' || path === 'spec.group' || path === 'spec.names.plural') return 'G01';
  if (path === 'spec.names.kind' && detail.includes('immutable')) return 'G02';
  if (path === 'spec.scope' && detail.includes('immutable')) return 'G03';
  if (path === 'spec.versions' && detail.includes('storage version')) return 'G04';
  if (path.startsWith('status.storedVersions')) return 'G05';
  if (path === 'spec.conversion.conversionReviewVersions') return 'G14';
  if (path.includes('.x-kubernetes-validations[') || detail.includes('estimated rule cost')) return 'F33';
  if (!path.includes('.openAPIV3Schema')) return 'G26';
  if (detail.includes('x-kubernetes-list-map-keys')) return 'F29';
  if (/\.default(\.|\[|$)/.test(path)) return 'F20';
  return type === 'Forbidden' || /\.(uniqueItems|metadata|items)\b/.test(path) ? 'F35' : 'G18';
}

/**
 * The paths that the API server reports otherwise than a CRD of v1 has them. It converts the CRD to
 * an internal form first, in which fields that all versions share are beside the versions.
 */
const inside: readonly (readonly [path: RegExp, inFile: string])[] = [
  [/^spec\.validation(?=\.|$)/, 'spec.versions[0].schema'],
  [/^spec\.(?=(?:subresources|additionalPrinterColumns|selectableFields)\b)/, 'spec.versions[0].'],
  [/^spec\.conversion\.webhookClientConfig(?=\.|$)/, 'spec.conversion.webhook.clientConfig'],
  [/^spec\.conversion\.conversionReviewVersions(?=\[|$)/, 'spec.conversion.webhook.conversionReviewVersions'],
];

/** A path of the API server as a JSON pointer into the CRD as it was given. */
function pointerOfPath(path: string): string {
  const known = inside.find(([pattern]) => pattern.test(path));
  const given = known === undefined ? path : path.replace(known[0], known[1]);
  const parts = [...given.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, index, name]) => index ?? name ?? '');
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * The field that a path within a schema is about, as users write it; undefined elsewhere, and for
 * the object as a whole.
 */
function fieldOfPath(path: string): string | undefined {
  const [, inSchema] = /\.openAPIV3Schema((?:\.properties\[[^\]]*\]|\.items|\.additionalProperties)+)/.exec(path) ?? [];
  if (inSchema === undefined) return undefined;
  const steps = [...inSchema.matchAll(/\.properties\[([^\]]*)\]|\.(items|additionalProperties)/g)];
  return steps
    .map(([, name, kind], at) =>
      name === undefined ? (kind === 'items' ? '[]' : '[*]') : `${at === 0 ? '' : '.'}${name}`,
    )
    .join('');
}

/** G13, G19, G23: what does not work beside other objects, or is too large. */
export function faults(
  old: DefinitionView | undefined,
  next: DefinitionView,
  {
    companions,
    bytes,
    clientSideApply,
  }: { readonly companions: readonly KubernetesObject[]; readonly bytes: number; readonly clientSideApply: boolean },
): readonly DefinitionChange[] {
  return [
    ...webhookFaults(old, next, companions),
    ...collisions(next, companions),
    ...sizeFaults(bytes, clientSideApply),
  ];
}

const injectors: readonly string[] = [
  'cert-manager.io/inject-ca-from',
  'cert-manager.io/inject-ca-from-secret',
  'cert-manager.io/inject-apiserver-ca',
  'service.beta.openshift.io/inject-cabundle',
];

function webhookFaults(
  old: DefinitionView | undefined,
  { definition, isWebhook }: DefinitionView,
  companions: readonly KubernetesObject[],
): readonly DefinitionChange[] {
  const config = definition.spec.conversion?.webhook?.clientConfig;
  const { service } = config ?? {};
  if (!isWebhook || config === undefined || service === undefined) return [];
  const before = old?.isWebhook === true ? old.definition.spec.conversion?.webhook?.clientConfig : undefined;
  const isAsItWas = equal(placeOf(before?.service), placeOf(service));
  const isInjected = injectors.some((key) => definition.metadata.annotations?.[key] !== undefined);
  const unknown = (config.caBundle ?? '') === '' && !isInjected ? unknownAuthority(isAsItWas, before?.caBundle) : [];
  return [...serviceFaults(service, isAsItWas, companions), ...unknown];
}

type WebhookService = NonNullable<
  NonNullable<NonNullable<DefinitionView['definition']['spec']['conversion']>['webhook']>['clientConfig']
>['service'];

const at = '/spec/conversion/webhook/clientConfig';

function placeOf(service: WebhookService): object | undefined {
  return service && { namespace: service.namespace, name: service.name, port: service.port ?? 443 };
}

function serviceFaults(
  service: NonNullable<WebhookService>,
  isAsItWas: boolean,
  companions: readonly KubernetesObject[],
): readonly DefinitionChange[] {
  const { namespace, name, port = 443 } = service;
  const there = (companions as readonly ServiceLike[]).find(
    (one) =>
      one.kind === 'Service' && one.metadata.name === name && (one.metadata.namespace ?? 'default') === namespace,
  );
  const ports = there?.spec?.ports ?? [];
  if (there === undefined) {
    const place = { pointer: `${at}/service`, new: `${namespace}/${name}` };
    if (isAsItWas) {
      const message = `the webhook is Service ${namespace}/${name}, as before; it is not in the given manifests, so it is not checked`;
      return [{ rule: 'G13', severity: 'I', ...place, message, hint: '' }];
    }
    const message = `the webhook is Service ${namespace}/${name}, which is neither in the manifests nor in the cluster`;
    const hint =
      'Add the Service to the manifests of this release, or reference an existing one; it must be applied before the CRD.';
    return [{ rule: 'G13', ...place, message, hint }];
  }
  if (ports.some((one) => one.port === port)) return [];
  const message = `the webhook is port ${port} of Service ${namespace}/${name}, which has no such port`;
  const has = ports.map((one) => one.port).join(', ');
  const hint = `Name a port that the Service has${has === '' ? '' : ` (${has})`}, or give it this one.`;
  return [{ rule: 'G13', pointer: `${at}/service/port`, new: port, message, hint }];
}

/**
 * There is no caBundle, and no annotation of an injector. Where the same webhook was there before,
 * a controller of its own writes it.
 */
function unknownAuthority(isAsItWas: boolean, before: string | undefined): readonly DefinitionChange[] {
  const place = { rule: 'G13', pointer: `${at}/caBundle` } as const;
  if (!isAsItWas) {
    const message =
      'the certificate authority of the webhook is unknown: there is no caBundle, and no annotation of a certificate injector';
    return [{ ...place, message, hint: 'Set caBundle, or the annotation of your certificate injector.' }];
  }
  if ((before ?? '') === '') {
    const message =
      'the webhook has no caBundle, as before: a controller must write it, and no annotation names which one';
    return [{ ...place, severity: 'I', message, hint: '' }];
  }
  const message =
    'the live CRD has a caBundle, and this one has none and no annotation of a certificate injector: the controller that wrote it must keep it';
  const hint = 'Apply with server-side apply or `kubectl apply`, which keep it; `kubectl replace` removes it.';
  return [{ ...place, severity: 'R', message, hint }];
}

interface ServiceLike extends KubernetesObject {
  readonly spec?: { readonly ports?: readonly { readonly port?: number | undefined }[] | undefined } | undefined;
}

function collisions(
  { name, definition }: DefinitionView,
  companions: readonly KubernetesObject[],
): readonly DefinitionChange[] {
  const own = namesOf(definition.spec.names);
  return companions.flatMap((one) => {
    const other = one as StoredDefinition;
    if (
      one.kind !== 'CustomResourceDefinition' ||
      one.metadata.name === name ||
      other.spec?.group !== definition.spec.group
    )
      return [];
    const taken = namesOf(other.spec.names);
    const both = own.filter((mine) => taken.includes(mine));
    if (both.length === 0) return [];
    const message = `${both.join(', ')} is also a name of ${one.metadata.name}`;
    return [
      {
        rule: 'G19',
        pointer: '/spec/names',
        new: both,
        message,
        hint: 'Choose other names; the CRD is not served until they are free.',
      },
    ];
  });
}

/** All distinct names by which a resource or kind is found. */
function namesOf(names: Partial<DefinitionNames> | undefined): readonly string[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [] } = names ?? {};
  const resources = [plural, singular === '' ? kind.toLowerCase() : singular, ...shortNames];
  const kinds = [kind, listKind === '' && kind !== '' ? `${kind}List` : listKind];
  return [...new Set([...resources.map((one) => `resource ${one}`), ...kinds.map((one) => `kind ${one}`)])].filter(
    (one) => !one.endsWith(' '),
  );
}

const mostOfObject = 1024 * 1024;
const mostOfAnnotation = 262_144;

function sizeFaults(bytes: number, clientSideApply: boolean): readonly DefinitionChange[] {
  if (bytes > mostOfObject) {
    const message = `it has ${bytes} bytes as JSON; the limit for stored objects is ${mostOfObject}`;
    return [
      {
        rule: 'G23',
        pointer: '',
        new: bytes,
        message,
        hint: 'Shorten descriptions, or drop versions that are no longer served.',
      },
    ];
  }
  if (!clientSideApply || bytes <= mostOfAnnotation) return [];
  const message = `it has ${bytes} bytes as JSON; client-side apply writes it into an annotation, which is limited to ${mostOfAnnotation}`;
  return [{ rule: 'G23', pointer: '', new: bytes, message, hint: 'Apply it with server-side apply.' }];
}
