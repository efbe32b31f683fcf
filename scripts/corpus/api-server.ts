import type { Transport } from '@isthmus/kube';
import type { CustomResourceDefinition } from '@isthmus/schema';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends one request to an API server. */
export type Ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => Promise<Answer>;

/** Requests through a transport of an administrator. */
export function askThrough(transport: Transport): Ask {
  return async (method, path, body) => {
    const [at = '', query = ''] = path.split('?');
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await transport.send(
      { method, path: at, query: Object.fromEntries(new URLSearchParams(query)), headers, body: text },
      AbortSignal.timeout(60_000),
    );
    const answer = Buffer.concat(await Array.fromAsync(response.body)).toString('utf8');
    return { status: response.status, body: answer.startsWith('{') ? JSON.parse(answer) : { message: answer } };
  };
}

/** The server accepted a request. */
export function isAccepted({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

export function messageOf({ status, body }: Answer): string {
  const { message } = body;
  return typeof message === 'string' ? `${status} ${message}` : String(status);
}

/** The requests of the corpus to an API server. It has the server to itself. */
export interface ApiServer {
  readonly ask: Ask;
  /** The live CRD of a name, with its status. */
  live(name: string): Promise<CustomResourceDefinition | undefined>;
  /** Puts a CRD in the place of the live one of its name, or creates it. */
  put(definition: CustomResourceDefinition): Promise<Answer>;
  /** Deletes a CRD with its objects, and waits until it is gone. */
  remove(name: string): Promise<void>;
  /** Waits until requests for objects are answered by these CRDs, as they were put before. */
  settle(names: readonly string[]): Promise<void>;
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const attempts = 3_000;

/** `wait` passes a short time between two questions. */
export function apiServer(ask: Ask, wait: () => Promise<void>): ApiServer {
  let turn = 0;
  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (await holds()) return;
      await wait();
    }
    throw new Error(`the API server did not get there: ${what}`);
  };
  const live = async (name: string) => {
    const answer = await ask('GET', `${crds}/${name}`);
    return answer.status === 200 ? (answer.body as unknown as CustomResourceDefinition) : undefined;
  };
  const put = async (definition: CustomResourceDefinition): Promise<Answer> => {
    const { name } = definition.metadata;
    for (let attempt = 0; ; attempt++) {
      const before = await live(name);
      const answer =
        before === undefined
          ? await ask('POST', crds, definition)
          : await ask('PUT', `${crds}/${name}`, {
              ...definition,
              metadata: { ...definition.metadata, resourceVersion: before.metadata.resourceVersion },
            });
      // A controller of the server was quicker.
      if (answer.status !== 409 || attempt === attempts) return answer;
    }
  };
  return {
    ask,
    live,
    put,
    async remove(name) {
      const before = await live(name);
      // Objects that only a webhook can read would keep it.
      if (before?.spec.conversion?.strategy === 'Webhook')
        await put({ ...before, spec: { ...before.spec, conversion: { strategy: 'None' } } });
      await ask('DELETE', `${crds}/${name}`);
      await until(`${name} is deleted`, async () => (await live(name)) === undefined);
    },
    async settle(names) {
      for (const name of names) await until(`${name} is established`, async () => isDecided(await live(name)));
      // The server takes in CRDs in the order of their changes: when the last one answers, so do
      // those before it.
      turn += 1;
      const sign = `turn-${turn}`;
      await put(signpost(sign));
      await until('the CRDs are served', async () => {
        const answer = await ask('GET', `${signposts}/it`);
        if (answer.status !== 404) return sign in answer.body;
        await ask('POST', signposts, { apiVersion: `${signGroup}/v1`, kind: 'Signpost', metadata: { name: 'it' } });
        return false;
      });
    },
  };
}

/**
 * Whether the server has decided about the names of a CRD: it serves it, or never will. One that it
 * rejected is not there.
 */
function isDecided(definition: CustomResourceDefinition | undefined): boolean {
  const is = (type: string, status: string) =>
    definition?.status?.conditions?.some((one) => one.type === type && one.status === status) === true;
  return definition === undefined || is('Established', 'True') || is('NamesAccepted', 'False');
}

const signGroup = 'corpus.isthmus.dev';
const signposts = `/apis/${signGroup}/v1/signposts`;

/** Objects that are read by it have the field `sign`, and by no other. */
function signpost(sign: string): CustomResourceDefinition {
  const schema = { type: 'object', properties: { [sign]: { type: 'string', default: sign } } } as const;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `signposts.${signGroup}` },
    spec: {
      group: signGroup,
      scope: 'Cluster',
      names: { kind: 'Signpost', plural: 'signposts' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** Where objects of a CRD are at a version, in Namespace `default` where they have one. */
export function collectionOf({ spec }: CustomResourceDefinition, version: string): string {
  const namespace = spec.scope === 'Namespaced' ? '/namespaces/default' : '';
  return `/apis/${spec.group}/${version}${namespace}/${spec.names.plural}`;
}
