/**
 * One sandbox under hostile requests, and the invariants that must hold after each of them.
 */
import { apiVersionOf, canonicalJson, keyOfObject } from '@isthmus/machinery';
import type { Clock, KubernetesObject } from '@isthmus/machinery';
import type { ApiRequest } from '@isthmus/kube';
import fc from 'fast-check';
import { admin } from '../authentication/authenticator.ts';
import { builtInResources } from '../builtin/built-in-resources.ts';
import { storedKindObjects } from '../contract/cases/stored-kinds.ts';
import { splitLines } from '../contract/streams.ts';
import type { Definition } from '../definition/definition.ts';
import { definitionResource } from '../crd/definition-resource.ts';
import { compileVersion } from '../definition/compile-version.ts';
import { servedVersions } from '../crd/custom-resource.ts';
import { generatedKinds } from '../generated/kinds.ts';
import type { Answer } from '../answer/answer.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { decoded } from '../objects/decode.ts';
import { createSandbox } from '../sandbox.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Stored } from '../store/stored.ts';
import { noOddities } from '../typed/parsed-json.ts';
import { drawOf, hostileRequest } from './hostile-requests.ts';
import type { Material } from './hostile-requests.ts';

const sender = { kind: 'user', user: admin } as const;

/** A kind that keeps whatever it is given. */
const anything = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.hostile.example.com' },
  spec: {
    group: 'hostile.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: { replicas: { type: 'integer' } },
              },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

/** Kinds of which no objects are generated. */
const plainObjects = [
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'web' },
    subsets: [{ addresses: [{ ip: '10.1.2.3', nodeName: 'n' }], ports: [{ port: 80 }] }],
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { app: 'web' } },
    spec: { podCIDR: '10.1.0.0/24', taints: [{ key: 'a', effect: 'NoSchedule' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'web' },
    secrets: [{ name: 'a' }],
    imagePullSecrets: [{ name: 'b' }],
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'web', namespace: 'ns' },
    involvedObject: { kind: 'Pod', namespace: 'ns', name: 'a' },
    reason: 'Odd',
    count: 1,
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.odd.example.com' },
    spec: {
      group: 'odd.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: 'ns', name: 'a' },
      insecureSkipTLSVerify: true,
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'web' },
    revision: 1,
    data: { a: { ['__proto__']: { polluted: true } } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: '10.96.7.7' },
    spec: { parentRef: { resource: 'services', name: 'a', namespace: 'ns' } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'more' },
    spec: { cidrs: ['10.97.0.0/24'] },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'web' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/a' },
        rules: [{ operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['*'], resources: ['*'] }],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        admissionReviewVersions: ['v1'],
      },
    ],
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'web' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { service: { namespace: 'ns', name: 'a' } },
        rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        admissionReviewVersions: ['v1'],
      },
    ],
  },
  { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token: 'x' } },
  {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user: 'a', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'ns' } },
  },
  { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', metadata: {}, spec: { namespace: 'ns' } },
  { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } },
  {
    apiVersion: 'hostile.example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a' },
    spec: {
      replicas: 1,
      deep: { ['__proto__']: { polluted: 1 }, constructor: { prototype: { polluted: 2 } }, list: [{ toString: 1 }] },
    },
  },
];

/** Whole objects of each kind, valid ones and others, by `apiVersion kind`. The same each time. */
export function samplesOfKinds(count = 20): ReadonlyMap<string, readonly object[]> {
  const samples = new Map<string, object[]>();
  for (const object of plainObjects)
    samples.set(
      `${object.apiVersion} ${object.kind}`,
      Array.from({ length: 5 }, () => object),
    );
  for (const object of storedKindObjects as typeof plainObjects) {
    const key = `${object.apiVersion} ${object.kind}`;
    samples.set(key, [...(samples.get(key) ?? []), object]);
  }
  for (const { objects } of generatedKinds) {
    for (const object of fc.sample(objects, { seed: 7, numRuns: count })) {
      const { apiVersion, kind } = object;
      const key = `${String(apiVersion)} ${String(kind)}`;
      samples.set(key, [...(samples.get(key) ?? []), object]);
    }
  }
  return samples;
}

/** The initial definitions of custom kinds. */
function definitions(): readonly object[] {
  const needs = generatedKinds
    .flatMap(({ needs: all = [] }) => all)
    .filter(({ path }) => path.endsWith('/customresourcedefinitions'));
  return [anything, ...new Map(needs.map(({ object }) => [canonicalJson(object), object])).values()];
}

export interface Step {
  readonly request: ApiRequest;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Everything that a watcher of one resource has seen. */
class Watcher {
  readonly lines: string[] = [];
  readonly view = new Map<string, unknown>();
  /** The resourceVersion that it began at. */
  readonly from: number;
  /** The reason why the watch ended; undefined while it is open. */
  ended: string | undefined;

  constructor(body: AsyncIterable<Uint8Array>, from: number) {
    this.from = from;
    void this.#follow(body);
  }

  async #follow(body: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const line of splitLines(body)) {
        this.lines.push(line);
        const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: KubernetesObject };
        if (type === 'ERROR') this.ended = line;
        else if (type === 'DELETED') this.view.delete(keyOfObject(object));
        else if (type !== 'BOOKMARK') this.view.set(keyOfObject(object), object);
      }
      this.ended ??= 'ended';
    } catch (error) {
      this.ended = String(error);
    }
  }
}

/** A sandbox that hostile requests are sent to. Build it with {@link createHostileWorld}. */
export class HostileWorld {
  readonly sandbox: Sandbox;
  readonly defects: { readonly request: ApiRequest; readonly error: unknown }[] = [];
  readonly clock: HostileClock;
  readonly #samples: ReadonlyMap<string, readonly object[]>;
  readonly #held = new Map<string, Stored>();
  readonly #resources = new Map<string, ServedResource>();
  readonly #watchers = new Map<string, Watcher>();
  readonly #touched = new Map<string, Stored>();
  #lastVersion = 0;
  readonly #disorders: string[] = [];

  constructor(clock: HostileClock, samples: ReadonlyMap<string, readonly object[]>, seed: number) {
    this.clock = clock;
    this.#samples = samples;
    this.sandbox = createSandbox({
      name: 'hostile',
      clock: this.clock,
      seed,
      onDefect: (request, error) => this.defects.push({ request, error }),
    });
    for (const resource of [...builtInResources, definitionResource])
      this.#resources.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
    this.sandbox.admin.onChange(({ resource, key, after }) => {
      const place = `${resource} ${key}`;
      const version = this.sandbox.admin.resourceVersion;
      if (version <= this.#lastVersion)
        this.#disorders.push(`${place}: resourceVersion ${version} after ${this.#lastVersion}`);
      this.#lastVersion = version;
      if (after === undefined) {
        this.#held.delete(place);
        this.#touched.delete(place);
        return;
      }
      this.#held.set(place, after as Stored);
      this.#touched.set(place, after as Stored);
      if (resource === 'apiextensions.k8s.io/customresourcedefinitions') {
        for (const version of servedVersions(after as unknown as Definition, compileVersion))
          this.#resources.set(`${apiVersionOf(version)} ${version.kind}`, version);
      }
    });
  }

  async send(request: ApiRequest): Promise<Step> {
    const { status, contentType, body } = await this.#answered(request);
    if (typeof body === 'string') return { request, status, contentType, text: body };
    const watcher = new Watcher(body, this.sandbox.admin.resourceVersion);
    await this.clock.settle();
    body.end();
    await this.clock.settle();
    return { request, status, contentType, text: watcher.lines.join('\n') };
  }

  /** The answer; if it takes time, the clock is advanced. */
  async #answered(request: ApiRequest): Promise<Answer> {
    const answers: Answer[] = [];
    void this.sandbox.answer(request, sender).then((one) => answers.push(one));
    await this.clock.settle();
    for (let ms = 0; answers.length === 0 && ms < 120_000; ms += 1_000) await this.clock.advance(1_000);
    const [answer] = answers;
    if (answer === undefined) throw new Error(`no answer to ${shown(request)}`);
    return answer;
  }

  async prepare(): Promise<void> {
    const post = (path: string, object: object) => this.send({ method: 'POST', path, body: JSON.stringify(object) });
    for (const object of definitions()) await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', object);
    await this.clock.advance(6_000);
    for (const name of ['ns', 'a']) {
      await post('/api/v1/namespaces', { metadata: { name } });
      await post(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    }
  }

  /** Opens a watch of every resource, from the current state on. */
  async watchAll(): Promise<void> {
    for (const resource of this.#resources.values()) {
      if (resource.virtual === true || !resource.verbs.includes('watch')) continue;
      const path = collectionOf(resource);
      const { body } = await this.sandbox.answer(
        { method: 'GET', path, query: { watch: 'true', timeoutSeconds: '100000' } },
        sender,
      );
      if (typeof body !== 'string') this.#watchers.set(path, new Watcher(body, this.sandbox.admin.resourceVersion));
    }
  }

  material(): Material {
    return { resources: [...this.#resources.values()], samples: this.#samples, held: [...this.#held.values()] };
  }

  /** Sends the request of a seed. Time passes now and then. */
  async step(seed: number): Promise<Step> {
    const draw = drawOf(seed ^ 0x5bd1e995);
    const step = await this.send(hostileRequest(seed, this.material()));
    if (draw.oneIn(10)) await this.clock.advance(draw.pick([1, 1_000, 31_000]));
    return step;
  }

  /** The invariants that the server violates, as sentences. */
  complaints(): readonly string[] {
    const found: string[] = [...this.#disorders];
    for (const { request, error } of this.defects)
      found.push(`defect: ${shown(request)}: ${error instanceof Error ? error.stack : String(error)}`);
    if (
      Object.keys(Object.prototype).length > 0 ||
      'polluted' in {} ||
      Object.getOwnPropertyNames(Object.prototype).length !== 12
    )
      found.push('Object.prototype was changed');
    for (const [place, object] of this.#touched) found.push(...this.#complaintsAbout(place, object));
    this.#touched.clear();
    return found;
  }

  #complaintsAbout(place: string, object: Stored): readonly string[] {
    const found: string[] = [];
    const { uid, resourceVersion, creationTimestamp } = object.metadata;
    if (!uid || !resourceVersion || !creationTimestamp)
      found.push(`${place}: lacks uid, resourceVersion or creationTimestamp`);
    const odd = notPlain(object, '');
    if (odd !== undefined) found.push(`${place}: ${odd}`);
    const resource = this.#resources.get(`${object.apiVersion} ${object.kind}`);
    if (resource === undefined) return [...found, `${place}: no resource ${object.apiVersion} ${object.kind}`];
    const text = JSON.stringify(object);
    try {
      const again = decoded(resource, { value: JSON.parse(text), oddities: noOddities }, (why) => new Error(why));
      if (canonicalJson(again.object) !== canonicalJson(object))
        found.push(`${place}: decoded again:\n  ${text}\nbecomes\n  ${JSON.stringify(again.object)}`);
      if (again.strictErrors.length > 0) found.push(`${place}: decoded again: ${again.strictErrors.join()}`);
    } catch (error) {
      found.push(`${place}: does not decode: ${String(error)}: ${text}`);
    }
    return found;
  }

  /** Every line of every watch, by the path of its collection. */
  events(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(Array.from(this.#watchers, ([path, { lines }]) => [path, lines]));
  }

  /** The differences between lists, watches and replays. */
  async disagreements(): Promise<readonly string[]> {
    const found: string[] = [];
    await this.clock.settle();
    const uids = new Map<string, string>();
    for (const [path, watcher] of this.#watchers) {
      const list = await this.send({ method: 'GET', path });
      if (list.status === 404) continue;
      const { items, apiVersion, kind } = JSON.parse(list.text) as {
        readonly items: readonly KubernetesObject[];
        readonly apiVersion: string;
        readonly kind: string;
      };
      const type = { apiVersion, kind: kind.slice(0, -'List'.length) };
      for (const item of items) {
        const place = `${path} ${keyOfObject(item)}`;
        const uid = item.metadata.uid ?? '';
        const other = uids.get(uid);
        if (other !== undefined && !sameStorage(other, place)) found.push(`${place} and ${other} share the uid ${uid}`);
        uids.set(uid, place);
      }
      if (watcher.ended !== undefined) {
        found.push(`${path}: the watch is over: ${watcher.ended}`);
        continue;
      }
      const view = [...watcher.view].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
      const listed = items.map((item) => ({ ...type, ...item }));
      if (canonicalJson(view) !== canonicalJson(listed))
        found.push(`${path}: the watch shows\n  ${JSON.stringify(view)}\nthe list\n  ${JSON.stringify(listed)}`);
      found.push(...(await this.#replayed(path, watcher)));
    }
    return found;
  }

  /**
   * The errors of watches from past moments, which must show the same as a live watcher has seen
   * since.
   */
  async #replayed(path: string, { lines, from }: Watcher): Promise<readonly string[]> {
    const found: string[] = [];
    const versions = [from, ...lines.map(versionOf).filter((version) => version > from)];
    for (let at = 0; at < versions.length; at += Math.max(1, Math.floor(versions.length / 3))) {
      const since = versions[at] ?? from;
      const { text } = await this.send({
        method: 'GET',
        path,
        query: { watch: 'true', resourceVersion: String(since) },
      });
      const expected = lines.filter((line) => versionOf(line) > since).join('\n');
      if (text !== expected && !text.includes('too old resource version'))
        found.push(`${path} from ${since}: replayed\n${text}\nlive\n${expected}`);
    }
    return found;
  }
}

/** A clock that a test moves. */
export interface HostileClock extends Clock {
  /** Resolves when no work is left at this moment. */
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
}

/** A world with its kinds, two Namespaces, and a watch of every resource. */
export async function createHostileWorld(
  clock: HostileClock,
  samples: ReadonlyMap<string, readonly object[]>,
  seed = 1,
): Promise<HostileWorld> {
  const world = new HostileWorld(clock, samples, seed);
  await world.prepare();
  await world.watchAll();
  return world;
}

export function shown({ method, path, query, headers, body = '' }: ApiRequest): string {
  return `${method} ${path}?${JSON.stringify(query ?? {})} ${JSON.stringify(headers ?? {})} ${body.slice(0, 3000)}`;
}

function versionOf(line: string): number {
  return Number((JSON.parse(line) as { readonly object: KubernetesObject }).object.metadata.resourceVersion);
}

/** Versions of one resource show the same objects. */
function sameStorage(a: string, b: string): boolean {
  const storage = (place: string) =>
    place.replace(/^\/apis\/events\.k8s\.io\/v1\//, '/api/v1/').replace(/^\/apis\/([^/]+)\/[^/]+/, '/apis/$1');
  return storage(a) === storage(b);
}

function collectionOf({ group, version, plural }: ServedResource): string {
  return `${group === '' ? '/api' : `/apis/${group}`}/${version}/${plural}`;
}

/** The place of a value that is not frozen plain JSON; undefined if there is none. */
function notPlain(value: unknown, at: string): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${at} is ${value}`;
    case 'object': {
      if (value === null) return undefined;
      if (!Object.isFrozen(value)) return `${at} is not frozen`;
      const isList = Array.isArray(value);
      if (Object.getPrototypeOf(value) !== (isList ? Array.prototype : Object.prototype))
        return `${at} has a prototype of its own`;
      if (Object.getOwnPropertySymbols(value).length > 0) return `${at} has symbols`;
      for (const [key, member] of Object.entries(value)) {
        const odd = notPlain(member, `${at}.${key}`);
        if (odd !== undefined) return odd;
      }
      return undefined;
    }
    default:
      return `${at} is ${typeof value}`;
  }
}
