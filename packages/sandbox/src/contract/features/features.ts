import { equal } from '@isthmus/machinery';
import type * as Preconditions from '../../verbs/preconditions.ts';
import type * as Review from '../../admission/review.ts';
import type * as Escalation from '../../authorization/escalation.ts';
import type * as PolicyRule from '../../authorization/policy-rule.ts';
import type * as Rbac from '../../authorization/rbac.ts';
import type * as Reviews from '../../actions/reviews.ts';
import type * as Tokens from '../../authentication/service-account-tokens.ts';
import type * as Node from '../../builtin/core/node.ts';
import type * as FieldRules from '../../builtin/field-rules.ts';
import type * as DefinitionResource from '../../crd/definition-resource.ts';
import type * as CustomStrategy from '../../crd/custom-strategy.ts';
import type * as Documents from '../../documents/documents.ts';
import type * as Table from '../../encoding/table.ts';
import type * as Body from '../../objects/body.ts';
import type * as Create from '../../verbs/create.ts';
import type * as CreatedMetadata from '../../objects/created-metadata.ts';
import type * as Decode from '../../objects/decode.ts';
import type * as DeleteOptions from '../../options/delete-options.ts';
import type * as DeleteObject from '../../verbs/delete.ts';
import type * as Generation from '../../objects/generation.ts';
import type * as List from '../../verbs/list.ts';
import type * as MetadataRules from '../../objects/metadata-rules.ts';
import type * as Namespaces from '../../objects/namespace-lifecycle.ts';
import type * as Apply from '../../verbs/apply.ts';
import type * as ScaleOwnership from '../../scale/scale-ownership.ts';
import type * as Scale from '../../scale/scale.ts';
import type * as Selection from '../../options/selection.ts';
import type * as Tracking from '../../objects/tracking.ts';
import type * as Update from '../../verbs/update.ts';
import type * as Watch from '../../verbs/watch.ts';
import type * as WriteOptions from '../../options/write-options.ts';
import type { Core } from '../../core/core.ts';
import type { Store } from '../../store/store.ts';
import type { Stored } from '../../store/stored.ts';
import { switchesOf } from './feature.ts';
import type { Feature } from './feature.ts';

const body = switchesOf<typeof Body>('objects/body.ts');
const create = switchesOf<typeof Create>('verbs/create.ts');
const createdMetadata = switchesOf<typeof CreatedMetadata>('objects/created-metadata.ts');
const customStrategy = switchesOf<typeof CustomStrategy>('crd/custom-strategy.ts');
const decode = switchesOf<typeof Decode>('objects/decode.ts');
const deleteObject = switchesOf<typeof DeleteObject>('verbs/delete.ts');
const deleteOptions = switchesOf<typeof DeleteOptions>('options/delete-options.ts');
const documents = switchesOf<typeof Documents>('documents/documents.ts');
const escalation = switchesOf<typeof Escalation>('authorization/escalation.ts');
const fieldRules = switchesOf<typeof FieldRules>('builtin/field-rules.ts');
const generation = switchesOf<typeof Generation>('objects/generation.ts');
const list = switchesOf<typeof List>('verbs/list.ts');
const metadataRules = switchesOf<typeof MetadataRules>('objects/metadata-rules.ts');
const namespaces = switchesOf<typeof Namespaces>('objects/namespace-lifecycle.ts');
const node = switchesOf<typeof Node>('builtin/core/node.ts');
const apply = switchesOf<typeof Apply>('verbs/apply.ts');
const policyRule = switchesOf<typeof PolicyRule>('authorization/policy-rule.ts');
const rbac = switchesOf<typeof Rbac>('authorization/rbac.ts');
const review = switchesOf<typeof Review>('admission/review.ts');
const reviews = switchesOf<typeof Reviews>('actions/reviews.ts');
const definitions = switchesOf<typeof DefinitionResource>('crd/definition-resource.ts');
const scale = switchesOf<typeof Scale>('scale/scale.ts');
const scaleOwnership = switchesOf<typeof ScaleOwnership>('scale/scale-ownership.ts');
const selection = switchesOf<typeof Selection>('options/selection.ts');
const table = switchesOf<typeof Table>('encoding/table.ts');
const tokens = switchesOf<typeof Tokens>('authentication/service-account-tokens.ts');
const tracking = switchesOf<typeof Tracking>('objects/tracking.ts');
const preconditions = switchesOf<typeof Preconditions>('verbs/preconditions.ts');
const update = switchesOf<typeof Update>('verbs/update.ts');
const watch = switchesOf<typeof Watch>('verbs/watch.ts');
const writeOptions = switchesOf<typeof WriteOptions>('options/write-options.ts');

/** Features to switch off, one at a time. */
export const features: readonly Feature[] = [
  writeOptions('a dry run of a create is written', 'objects', 'writeOptionsOf', (on) => (kind, query) => {
    const options = on(kind, query);
    return kind === 'CreateOptions' ? { ...options, dryRun: false } : options;
  }),
  writeOptions('a dry run of an update is written', 'objects', 'writeOptionsOf', (on) => (kind, query) => {
    const options = on(kind, query);
    return kind === 'CreateOptions' ? options : { ...options, dryRun: false };
  }),
  deleteOptions('a dry run of a deletion deletes', 'deletion', 'deleteOptionsOf', (on) => (sent, query) => ({
    ...on(sent, query),
    dryRun: undefined,
  })),
  update('an update that changes nothing is written all the same', 'objects', 'isUnchanged', () => () => false),
  preconditions(
    'an old resourceVersion is no conflict',
    'objects',
    'checkPreconditions',
    (on) => (target, before, given, isPut) => {
      const { resourceVersion } = before.metadata;
      on(target, before, { ...given, metadata: { ...given.metadata, resourceVersion } }, isPut);
    },
  ),
  preconditions(
    'a uid is no precondition of an update',
    'objects',
    'checkPreconditions',
    (on) => (target, before, given, isPut) => {
      const { uid } = before.metadata;
      on(target, before, { ...given, metadata: { ...given.metadata, uid } }, isPut);
    },
  ),
  deleteObject(
    'a uid is no precondition of a deletion',
    'deletion',
    'checkPreconditions',
    (on) => (target, stored, options) =>
      on(target, stored, { ...options, preconditions: { ...options.preconditions, uid: undefined } }),
  ),
  deleteObject('finalizers hold nothing', 'deletion', 'finalizersFor', () => () => []),
  update('an object stays when its last finalizer goes', 'deletion', 'isFinalized', () => () => false),
  metadataRules(
    'new finalizers are taken while an object is being deleted',
    'deletion',
    'metadataUpdateErrors',
    (on) => (target, before, next) =>
      on(target, before, next).filter(({ path, type }) => path !== 'metadata.finalizers' || type !== 'Forbidden'),
  ),
  deleteObject(
    'orphaning leaves no finalizer',
    'deletion',
    'finalizersFor',
    (on) => (metadata, options) => on(metadata, options).filter((finalizer) => finalizer !== 'orphan'),
  ),
  create('a name can be taken twice', 'objects', 'refuseTakenName', () => () => {}),
  namespaces(
    'objects are created in Namespaces that are not there',
    'objects',
    'refuseMissingNamespace',
    (on) => (core, resource, object) => {
      if (core.store.get('/namespaces', object.metadata.namespace ?? '') !== undefined) on(core, resource, object);
    },
  ),
  createdMetadata(
    'generated names have no suffix',
    'objects',
    'createdMetadata',
    (on) => (given, namespace, origin) => ({
      ...on(given, namespace, origin),
      name: given.name === '' ? (given.generateName ?? '') : given.name,
    }),
  ),
  decode('unknown fields are not told', 'objects', 'reportStrictErrors', (on) => (target, strictErrors, refuse) => {
    if (target.fieldValidation === 'Strict') on(target, strictErrors, refuse);
  }),
  decode(
    'strict field validation is not strict',
    'objects',
    'reportStrictErrors',
    (on) => (target, strictErrors, refuse) => {
      const { fieldValidation } = target;
      on({ ...target, fieldValidation: fieldValidation === 'Strict' ? 'Warn' : fieldValidation }, strictErrors, refuse);
    },
  ),
  list(
    'a list knows no limit',
    'lists',
    'listPage',
    (on) => (core, view, options) => on(core, view, { ...options, limit: 0 }),
  ),
  list(
    'pages show the present',
    'lists',
    'listPage',
    (on) => (core, view, options) =>
      on(withStore(core, { listAt: (storageKey) => core.store.list(storageKey) }), view, options),
  ),
  list('remainingItemCount is missing', 'lists', 'listPage', (on) => async (core, view, options) => {
    const { items, metadata } = await on(core, view, options);
    const { remainingItemCount: _, ...rest } = metadata;
    return { items, metadata: rest };
  }),
  selection(
    'label selectors select everything',
    'lists',
    'selectionOf',
    (on) => (resource, where, query) => on(resource, where, { ...query, labelSelector: '' }),
  ),
  list(
    'a resourceVersion of the future is taken',
    'lists',
    'listPage',
    (on) => (core, view, options) =>
      (options.resourceVersion ?? 0) > core.store.resourceVersion
        ? on(core, view, { ...options, resourceVersion: undefined })
        : on(core, view, options),
  ),
  watch(
    'a watch forgets what came between the list and it',
    'watches',
    'openWatch',
    (on) => (core, view, options) => on(withStore(core, { since: () => [] }), view, options),
  ),
  watch(
    'a watch begins without the present state',
    'watches',
    'openWatch',
    (on) => (core, view, options) =>
      on(core, view, { ...options, sendInitialEvents: options.sendInitialEvents === true }),
  ),
  watch(
    'the bookmark after the initial events is missing',
    'watches',
    'openWatch',
    (on) => (core, view, options) =>
      on(core, view, {
        ...options,
        allowWatchBookmarks: options.allowWatchBookmarks && options.sendInitialEvents !== true,
      }),
  ),
  watch(
    'a watch is told by a bookmark before its end that nothing has changed',
    'requests',
    'isWorthABookmark',
    () => () => true,
  ),
  watch(
    'an object that leaves the selection is not told as deleted',
    'watches',
    'pendingOf',
    (on) => (view, change) => {
      const pending = on(view, change);
      return pending?.type === 'DELETED' && change.after !== undefined ? undefined : pending;
    },
  ),
  watch('a deletion is told with the resourceVersion of the object', 'watches', 'pendingOf', (on) => (view, change) => {
    const pending = on(view, change);
    return pending?.type === 'DELETED' ? { ...pending, object: change.before ?? pending.object } : pending;
  }),
  watch(
    'a watch never ends by itself',
    'watches',
    'openWatch',
    (on) => (core, view, options) => on(core, view, { ...options, timeoutSeconds: 1_000_000 }),
  ),
  apply(
    'apply takes what others own',
    'apply',
    'applicationOf',
    (on) => (core, target, request) => on(core, target, { ...request, query: { ...request.query, force: 'true' } }),
  ),
  apply(
    'an apply of nobody is taken',
    'apply',
    'applicationOf',
    (on) => (core, target, request) =>
      on(core, target, { ...request, query: { fieldManager: 'somebody', ...request.query } }),
  ),
  tracking('updates leave no managed fields', 'apply', 'trackedUpdate', () => (_core, _target, _before, next) => next),
  rbac(
    'roles hold in every Namespace',
    'access',
    'scopeIn',
    () =>
      ({ metadata }) =>
        metadata.namespace,
  ),
  policyRule(
    'resourceNames of a rule are not looked at',
    'access',
    'ruleAllowsResource',
    (on) => (rule, ask) => on({ ...rule, resourceNames: [] }, ask),
  ),
  escalation('everybody may grant what they do not have', 'access', 'escalationGuard', () => () => () => {}),
  tokens(
    'a token outlives its ServiceAccount',
    'tokens',
    'isSame',
    (on) => (object, uid) => object?.kind === 'ServiceAccount' || on(object, uid),
  ),
  tokens('a token is good for every audience', 'tokens', 'isMeantFor', () => () => true),
  list('an exact resourceVersion shows the present', 'lists', 'isExact', () => () => false),
  deleteObject(
    'background deletion leaves the finalizer of another policy',
    'deletion',
    'finalizersFor',
    (on) => (metadata, options) =>
      options.propagationPolicy === 'Background' ? (metadata.finalizers ?? []) : on(metadata, options),
  ),
  generation('generation is not bumped', 'crd-objects', 'withGeneration', (on) => (rule, before, next) => {
    const { metadata, ...rest } = on(rule, before, next);
    return { ...rest, metadata: { ...metadata, generation: before.metadata.generation } };
  }),
  customStrategy(
    'custom objects have no defaults',
    'crd-objects',
    'customStrategy',
    (on) => (definition, version, compiled) => ({
      ...on(definition, version, compiled),
      defaults: (object) => compiled.object.prune(object).value as Stored,
    }),
  ),
  customStrategy('a custom object is created with its status', 'crd-objects', 'customStrategy', (on) => (...given) => ({
    ...on(...given),
    prepareForCreate: (object) => object,
  })),
  customStrategy('what was valid once may not stay', 'crd-objects', 'customStrategy', (on) => (...given) => {
    const strategy = on(...given);
    return { ...strategy, validateUpdate: (object, _, context) => strategy.validate?.(object, context) ?? [] };
  }),
  documents('a discovery document that the client has is sent again', 'discovery', 'documentsOf', (on) => (core) => {
    const answer = on(core);
    return (request) => answer({ ...request, headers: { ...request.headers, 'if-none-match': '' } });
  }),
  table(
    'rows of a Table carry their objects, wanted or not',
    'tables',
    'tableEncoding',
    (on) => (now, include) => on(now, include === 'None' ? 'Metadata' : include),
  ),
  fieldRules('immutable fields can be changed', 'workloads', 'immutable', () => () => []),
  escalation(
    'an aggregated role asks for no more than its rules',
    'escalation',
    'escalationGuard',
    (on) => (authorizer) => {
      const guard = on(authorizer);
      const plain = (role: Stored) => {
        const { aggregationRule: _, ...rest } = role as Stored & { readonly aggregationRule?: unknown };
        return rest as Stored;
      };
      return (core, target, object, before) =>
        guard(core, target, plain(object), before === undefined ? undefined : plain(before));
    },
  ),
  escalation(
    'only the rules of a role are looked at when it changes',
    'escalation',
    'escalationGuard',
    (on) => (authorizer) => {
      const guard = on(authorizer);
      return (core, target, object, before) => {
        if (before === undefined || !equal(object['rules'], before['rules'])) guard(core, target, object, before);
      };
    },
  ),
  escalation(
    'the right to escalate is for all roles or none',
    'escalation',
    'escalationGuard',
    (on) => (authorizer) =>
      on({
        authorize: (user, ask) =>
          authorizer.authorize(
            user,
            ask.kind === 'resource' && ask.verb === 'escalate' ? { ...ask, name: undefined } : ask,
          ),
      }),
  ),
  reviews(
    'a review can have a name',
    'reviews',
    'checkAccessReview',
    (on) => (target, given) => on(target, { ...given, metadata: { name: '' } }),
  ),
  review(
    'a webhook is told the names of what a collection deletes',
    'admission-calls',
    'reviewRequest',
    (on) => (request, as, objects) =>
      on({ ...request, target: { ...request.target, ofCollection: false } }, as, objects),
  ),
  node('the Pod ranges of a Node change', 'small-kinds', 'nodeUpdateErrors', (on) => (object, before) => {
    const { podCIDR, podCIDRs } = (before['spec'] ?? {}) as Readonly<Record<string, unknown>>;
    return on({ ...object, spec: { ...(object['spec'] as object), podCIDR, podCIDRs } }, before);
  }),
  body('a key that YAML gives twice passes in silence', 'requests', 'readBody', (on) => (request) => {
    const result = on(request);
    return result.kind === 'malformed' ? result : { ...result, json: { ...result.json, repeatedKeys: [] } };
  }),
  scale(
    'a custom Scale takes a strategic merge patch',
    'crd-subresources',
    'writeScale',
    (on) => (core, target, request) => {
      const type = request.headers?.['content-type']?.replace('strategic-merge-patch', 'merge-patch');
      return on(
        core,
        target,
        type === undefined ? request : { ...request, headers: { ...request.headers, 'content-type': type } },
      );
    },
  ),
  scaleOwnership(
    'the owner of a Scale keeps what another one forces away',
    'apply-kinds',
    'withoutReplicas',
    () => (entry) => [entry],
  ),
  list('a forgotten page gives no token to go on', 'compaction', 'continueExpired', (on) => (core, token) => {
    const refusal = on(core, token);
    return Object.assign(refusal, { status: { ...refusal.status, metadata: {} } });
  }),
  definitions(
    'rules may cost what they like when they are defined',
    'crd-cel',
    'newDefinitionErrors',
    (on) => (definition) => on(definition).filter(({ detail }) => !detail.includes('estimated rule cost exceeds')),
  ),
  definitions(
    'rules may cost together what they like',
    'crd-cel',
    'newDefinitionErrors',
    (on) => (definition) => on(definition).filter(({ detail }) => !detail.includes('estimated rule cost total')),
  ),
];

/** A core whose store differs in some methods. */
function withStore(core: Core, methods: Partial<Store>): Core {
  const store = new Proxy(core.store, {
    get(real, name) {
      const value: unknown = Reflect.get(methods, name) ?? Reflect.get(real, name, real);
      return typeof value === 'function' ? (value.bind(real) as unknown) : value;
    },
  });
  return { ...core, store };
}
