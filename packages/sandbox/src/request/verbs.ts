/**
 * The properties of a verb, for routing, authorization, discovery and OpenAPI.
 */
interface VerbForm {
  /** The method of its requests. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The end of its path: the name of an object, or the collection. */
  readonly on: 'object' | 'collection';
  /** It is about the objects that selectors choose. */
  readonly selects?: true;
  /** Resources in Namespaces serve it for all Namespaces at once, too. */
  readonly everywhere?: true;
  /** The answer is a stream, requested by `?watch=true`. */
  readonly streams?: true;
}

/**
 * Every verb. One that is added here wants its place in `routing/perform.ts` and
 * `openapi/operations.ts`: nothing compiles before.
 */
const forms = {
  create: { method: 'POST', on: 'collection' },
  delete: { method: 'DELETE', on: 'object' },
  deletecollection: { method: 'DELETE', on: 'collection', selects: true },
  get: { method: 'GET', on: 'object' },
  list: { method: 'GET', on: 'collection', selects: true, everywhere: true },
  patch: { method: 'PATCH', on: 'object' },
  update: { method: 'PUT', on: 'object' },
  watch: { method: 'GET', on: 'collection', selects: true, everywhere: true, streams: true },
} as const satisfies Readonly<Record<string, VerbForm>>;

export type ResourceVerb = keyof typeof forms;

/** Empty for a method that no resource knows. */
export type RequestVerb = '' | ResourceVerb;

export const verbForms: Readonly<Record<ResourceVerb, VerbForm>> = forms;

/** All verbs, in the order in which the real server lists them for built-in kinds. */
export const resourceVerbs = Object.keys(forms).toSorted() as readonly ResourceVerb[];

/**
 * The verb of a request. It depends on the method, on whether the path names an object, and on
 * whether the request asks for a stream.
 */
export function verbOf(
  method: string,
  { isNamed, watches }: { readonly isNamed: boolean; readonly watches: boolean },
): RequestVerb {
  const asked = method === 'HEAD' ? 'GET' : method;
  const ofMethod = resourceVerbs.filter((verb) => verbForms[verb].method === asked);
  const here = ofMethod.filter((verb) => verbForms[verb].on === (isNamed ? 'object' : 'collection'));
  const found = here.find((verb) => (verbForms[verb].streams ?? false) === watches) ?? here[0];
  // A method with one verb means it wherever it is sent; whether it may be sent there is seen
  // later.
  return (ofMethod.length === 1 ? ofMethod[0] : found) ?? '';
}
