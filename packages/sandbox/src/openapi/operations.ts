import { apiVersionOf } from '@isthmus/machinery';
import type { Json } from '@isthmus/schema';
import { definitionNameOf } from '../builtin/types/open-api.ts';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import { verbForms } from '../request/verbs.ts';
import type { ResourceVerb } from '../request/verbs.ts';
import { customDefinitionName } from './custom-definition.ts';
import { parameter, parametersOf } from './parameters.ts';

type PathItem = Record<string, Json>;

/** Paths of a document, each with its operations. */
export type Paths = Record<string, PathItem>;

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The paths of a resource. The deprecated `/watch/…` paths are not served. */
export function pathsOf(resource: ServedResource): Paths {
  const { group, version, plural, namespaced } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = `${root}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
  const place = namespaced ? ['namespace', 'pretty'] : ['pretty'];
  const own = kindOf(resource, undefined);
  const ofKind = `${namespaced ? 'Namespaced' : ''}${own.kind}`;
  const operations = (on: 'object' | 'collection', verbs: readonly ResourceVerb[], target: Kind, tail: string) =>
    Object.fromEntries(
      documented
        .filter(([verb]) => verbs.includes(verb) && verbForms[verb].on === on)
        .map(([verb, { action, id }]) => [
          verbForms[verb].method.toLowerCase(),
          operation(resource, { action, id: `${id}${tail}`, target }),
        ]),
    );
  const paths: Paths = {};
  add(paths, collection, place, operations('collection', resource.verbs, own, ofKind));
  if (resource.verbs.includes('get')) {
    add(paths, `${collection}/{name}`, ['name', ...place], operations('object', resource.verbs, own, ofKind));
  }
  for (const { name, verbs, response } of resource.subresources) {
    const target = kindOf(resource, response);
    const tail = `${ofKind}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    // A POST to a subresource has the name of the object in its path.
    const both = {
      ...operations('collection', verbs, target, tail),
      ...operations('object', verbs, target, tail),
    };
    add(paths, `${collection}/{name}/${name}`, ['name', ...place], both);
  }
  if (namespaced && resource.verbs.includes('list')) {
    const everywhere = operation(resource, { action: 'list', id: `list*${own.kind}ForAllNamespaces`, target: own });
    add(paths, `${root}/${plural}`, ['pretty'], { get: everywhere });
  }
  return paths;
}

interface Documented {
  /** The action, as `x-kubernetes-action` names it. */
  readonly action: string;
  /** The beginning of the operation's name, with `*` for group and version. */
  readonly id: string;
}

/**
 * The documents' names of each verb, in the order of a path's operations. A watch is a parameter of
 * the list.
 */
const documentedVerbs: Readonly<Record<ResourceVerb, Documented | undefined>> = {
  list: { action: 'list', id: 'list*' },
  watch: undefined,
  create: { action: 'post', id: 'create*' },
  deletecollection: { action: 'deletecollection', id: 'delete*Collection' },
  get: { action: 'get', id: 'read*' },
  update: { action: 'put', id: 'replace*' },
  delete: { action: 'delete', id: 'delete*' },
  patch: { action: 'patch', id: 'patch*' },
};

const documented = Object.entries(documentedVerbs).flatMap(([verb, form]) =>
  form === undefined ? [] : [[verb as ResourceVerb, form] as const],
);

/** The group in an operation's name: `RbacAuthorization`, `Core`, `ZooExampleCom`. */
export function groupTitle(group: string): string {
  const words = (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split(/[.-]/);
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
}

/** `rbacAuthorization_v1`. */
export function tagOf({ group, version }: { readonly group: string; readonly version: string }): string {
  const title = groupTitle(group);
  return `${title.charAt(0).toLowerCase()}${title.slice(1)}_${version}`;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly definition: string;
}

function kindOf(resource: ServedResource, response: Subresource['response']): Kind {
  const { group, version, kind } = response ?? resource;
  const definition =
    definitionNameOf(apiVersionOf({ group, version }), kind) ?? customDefinitionName({ group, version, kind });
  // For a custom kind, the operations of the scale also name the kind itself.
  const said = resource.origin === 'custom' ? resource : { group, version, kind };
  return { group: said.group, version: said.version, kind: said.kind, definition };
}

interface Operation {
  readonly action: string;
  /** The operation's id, with `*` for group and version. */
  readonly id: string;
  readonly target: Kind;
}

function operation(resource: ServedResource, { action, id, target }: Operation): Json {
  const { group, version, kind } = target;
  const isCustom = resource.origin === 'custom';
  const title = `${groupTitle(resource.group)}${resource.version.charAt(0).toUpperCase()}${resource.version.slice(1)}`;
  const names = parametersIn(resource, action);
  const body = bodyOf(action, target, isCustom);
  return {
    tags: [tagOf(resource)],
    operationId: id.replace('*', title),
    ...(names.length > 0 && { parameters: names.map(parameter) }),
    ...(body !== undefined && { requestBody: body }),
    responses: responsesOf(action, answeredBy(resource, action, target), isCustom),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

/** Custom collections are deleted with the parameters of a list. */
function parametersIn({ origin }: ServedResource, action: string): readonly string[] {
  if (origin === 'custom' && action === 'deletecollection') return parametersOf['list'] ?? [];
  if (origin === 'custom' && action === 'get') return ['resourceVersion'];
  return parametersOf[action] ?? [];
}

function bodyOf(action: string, { definition }: Kind, isCustom: boolean): Json | undefined {
  const types = isCustom ? ['application/json', 'application/yaml'] : ['*/*'];
  switch (action) {
    case 'post':
    case 'put':
      return { content: content(types, definition), required: true };
    case 'patch': {
      const forms = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'];
      const patches = isCustom ? forms : [...forms, 'strategic-merge-patch+json'];
      return {
        content: content(
          patches.map((form) => `application/${form}`),
          `${meta}.Patch`,
        ),
        required: true,
      };
    }
    case 'deletecollection':
      return isCustom ? undefined : { content: content(types, `${meta}.DeleteOptions`) };
    case 'delete':
      return { content: content(types, `${meta}.DeleteOptions`) };
    default:
      return undefined;
  }
}

const codes: Readonly<Record<string, readonly string[]>> = {
  post: ['200', '201', '202'],
  put: ['200', '201'],
  patch: ['200', '201'],
  delete: ['200', '202'],
};

/** Kinds whose deletion returns the object, though OpenAPI describes a Status. */
const saidToBeStatus: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition']);

/** The definition of the answer to an action. */
function answeredBy({ strategy, kind }: ServedResource, action: string, { definition }: Kind): string {
  if (action === 'list') return `${definition}List`;
  if (action === 'delete' && strategy.deleteReturnsObject && !saidToBeStatus.has(kind)) return definition;
  return action === 'delete' || action === 'deletecollection' ? `${meta}.Status` : definition;
}

function responsesOf(action: string, definition: string, isCustom: boolean): Json {
  const plain = isCustom
    ? ['application/json', 'application/yaml']
    : ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];
  const stream = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
  const types = action === 'list' && !isCustom ? [...plain, ...stream].toSorted((a, b) => (a < b ? -1 : 1)) : plain;
  const all = isCustom && action === 'patch' ? ['200'] : (codes[action] ?? ['200']);
  return {
    ...Object.fromEntries(
      all.map((code) => [code, { description: descriptions[code] ?? '', content: content(types, definition) }]),
    ),
    '401': { description: 'Unauthorized' },
  };
}

const descriptions: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

export function content(types: readonly string[], definition: string): Json {
  return Object.fromEntries(types.map((type) => [type, { schema: { $ref: `#/components/schemas/${definition}` } }]));
}

/** Parameters that all operations of a path share are listed once, at the path. */
function add(paths: Paths, path: string, place: readonly string[], operations: PathItem): void {
  const all = Object.values(operations) as readonly { readonly parameters?: readonly { readonly name: string }[] }[];
  if (all.length === 0) return;
  const taken = all.map(({ parameters = [] }) => new Set(parameters.map(({ name }) => name)));
  const shared = new Set([...(taken[0] ?? [])].filter((name) => taken.every((names) => names.has(name))));
  const lifted = Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, without(one, shared)]));
  const parameters = [...place, ...shared].toSorted((a, b) => (a < b ? -1 : 1)).map(parameter);
  paths[path] = { ...lifted, parameters };
}

function without(operation: Json, names: ReadonlySet<string>): Json {
  const { parameters = [], ...rest } = operation as { readonly parameters?: readonly { readonly name: string }[] };
  const left = parameters.filter(({ name }) => !names.has(name));
  return { ...rest, ...(left.length > 0 && { parameters: left }) };
}
