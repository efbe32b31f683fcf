import { ConfigMap, CustomResourceDefinition, Namespace } from '@isthmus/api';
import type { ObjectRef, ResourceType } from '@isthmus/machinery';
import { createAuthority } from '@isthmus/sandbox';
import type { Authority } from '@isthmus/sandbox';
import { adminTransport, startApiServer, waitLimitMs } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { ApiError } from '../client/errors.ts';
import { memoryLog } from '../log/log.ts';
import type { HttpsServer } from '../serving/https-server.ts';
import { startHttpsServer } from '../serving/https-server.ts';
import type { PushedCertificates } from '../serving/testing/pushed-certificates.ts';
import { pushedCertificates } from '../serving/testing/pushed-certificates.ts';
import { systemClock } from '../world/node-world.ts';
import { Gadget, GadgetV2, gadgetDefinition, gadgetVersions } from './testing/gadgets.ts';
import { createWebhookHandler } from './webhook-handler.ts';

// A kind gets a second version, moves there, and loses the first one: each test begins where the
// one before it ended.
const clock = systemClock();
const namespace = 'conversion-test';
const wait = { timeout: waitLimitMs(), interval: 50 };
const count = 20;
const converter = createWebhookHandler([gadgetVersions], { clock, log: memoryLog() });

let apiServer: RealApiServer;
let client: Client;
let authority: Authority;
let port = 0;

/** The process that converts, at the same address each time it is started. */
interface Process {
  readonly certificates: PushedCertificates;
  readonly server: HttpsServer;
  stop(): Promise<void>;
}
let running: Process;

async function start(): Promise<Process> {
  const certificates = pushedCertificates(await certificateOf(authority));
  const stop = new AbortController();
  const server = await startHttpsServer({
    name: 'conversion',
    bind: { host: '127.0.0.1', port },
    certificates: certificates.source,
    handler: converter,
    clock,
    log: memoryLog(),
    signal: stop.signal,
  });
  ({ port } = server.address);
  return {
    certificates,
    server,
    async stop() {
      stop.abort(new Error('the process ends'));
      await server.ended;
    },
  };
}

async function certificateOf(issuer: Authority) {
  const { certData, keyData } = await issuer.issueServing('conversion', ['127.0.0.1']);
  return { certPem: certData, keyPem: keyData };
}

const definitionRef = gadgetDefinition({ at: { url: '' } }).metadata;
type Version = 'v1' | 'v2';
let definitions = 0;

/**
 * Defines the kind again, and returns when the API server uses the new definition: its tables have
 * another column then.
 */
async function define(versions: readonly Version[], storage: Version, caPem?: string): Promise<void> {
  const { conversion, ...spec } = gadgetDefinition({ at: { url: `https://127.0.0.1:${port}` }, caPem }).spec;
  const column = `Definition-${++definitions}`;
  const additionalPrinterColumns = [{ name: column, type: 'string', jsonPath: '.metadata.name' }];
  const body = {
    ...gadgetDefinition({ at: { url: '' } }),
    spec: {
      ...spec,
      versions: spec.versions
        .filter(({ name }) => versions.includes(name as Version))
        .map((version) => ({ ...version, storage: version.name === storage, additionalPrinterColumns })),
      ...(versions.length > 1 && { conversion }),
    },
  };
  await client.patch(CustomResourceDefinition, definitionRef, {
    type: 'apply',
    body,
    fieldManager: 'test',
    force: true,
  });
  const path = `/apis/example.io/${storage}/namespaces/${namespace}/gadgets?limit=1`;
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  await vi.waitFor(async () => {
    const { text } = await client.request({ method: 'GET', path, headers: { accept } });
    expect(text).toContain(column);
  }, wait);
}

const storedVersions = async () =>
  (await client.get(CustomResourceDefinition, definitionRef)).status?.storedVersions ?? [];
const ref = (name: string) => ({ namespace, name });
const names = Array.from({ length: count }, (_, index) => `gadget-${String(index).padStart(2, '0')}`);
const metadata = (name: string) => ({ ...ref(name), labels: { of: name }, finalizers: ['example.io/held'] });

/** What is stored of the size of each object, as a client of that version reads it. */
async function sizes(version: Version): Promise<Readonly<Record<string, number | undefined>>> {
  const list = version === 'v1' ? client.list(Gadget, { namespace }) : client.list(GadgetV2, { namespace });
  return Object.fromEntries(
    (await list).items.map((object) => {
      expect(object.apiVersion).toBe(`example.io/${version}`);
      expect(object.metadata).toMatchObject(metadata(object.metadata.name));
      const size = version === 'v1' ? (object as Gadget).spec?.size : (object as GadgetV2).spec?.dimensions?.size;
      return [object.metadata.name, size];
    }),
  );
}
const expected: Record<string, number> = {};

/** The message of the error that a client gets. */
async function failure(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    (value) => expect.fail(`it did not fail: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return `${(error as ApiError).status?.code} ${(error as ApiError).message}`;
}

beforeAll(async () => {
  authority = await createAuthority('conversion-1');
  [apiServer, running] = await Promise.all([startApiServer({ name: 'conversion' }), start()]);
  client = createClient({ transport: adminTransport(apiServer, 'isthmus-test'), clock, server: apiServer.url });
  await client.create(Namespace, { metadata: { name: namespace } });
  await define(['v1'], 'v1');
  for (const [index, name] of names.entries()) {
    await client.create(Gadget, { metadata: metadata(name), spec: { size: 10 + index } });
    expected[name] = 10 + index;
  }
});

afterAll(async () => {
  await running?.stop();
  client?.close();
  await apiServer?.[Symbol.asyncDispose]();
});

describe('a kind that gets a second version with a conversion webhook, on a real API server', () => {
  it('is read, written and watched in both, and what is stored does not change', async () => {
    const before = (await client.list(Gadget, { namespace })).items.map(
      ({ metadata: { resourceVersion } }) => resourceVersion,
    );
    await define(['v1', 'v2'], 'v1', authority.caData);
    expect(await sizes('v2')).toEqual(expected);
    expect(await sizes('v1')).toEqual(expected);
    const after = await client.list(Gadget, { namespace });
    expect(after.items.map(({ metadata: { resourceVersion } }) => resourceVersion)).toEqual(before);

    const seen: string[] = [];
    const over = new AbortController();
    const { resourceVersion } = after;
    const options = { namespace, resourceVersion, timeoutSeconds: 300, idleMs: 300_000, signal: over.signal };
    const watching = (async () => {
      for await (const event of client.watch(GadgetV2, options)) {
        if (event.type === 'BOOKMARK') continue;
        const {
          apiVersion,
          metadata: { name },
          spec,
        } = event.object;
        seen.push(`${event.type} ${apiVersion} ${name} ${spec?.dimensions?.size}`);
      }
    })();
    watching.catch(() => undefined);
    await client.create(GadgetV2, { metadata: metadata('new'), spec: { dimensions: { size: 99 } } });
    expected['new'] = 99;
    const [first = ''] = names;
    await client.patch(Gadget, ref(first), { type: 'merge', body: { spec: { size: 77 } } });
    expected[first] = 77;
    await vi.waitFor(() => {
      expect(seen).toEqual(['ADDED example.io/v2 new 99', `MODIFIED example.io/v2 ${first} 77`]);
    }, wait);
    over.abort();
    expect(await sizes('v1')).toEqual(expected);
  });

  it('goes on while the certificate of the webhook and its authority are replaced, without a failed request', async () => {
    const next = await createAuthority('conversion-2');
    const over = new AbortController();
    let requests = 0;
    const traffic = (async () => {
      for (; !over.signal.aborted; requests++) {
        const name = names[requests % count] ?? '';
        const dimensions = { size: 100 + requests };
        await client.patch(GadgetV2, ref(name), { type: 'merge', body: { spec: { dimensions } } });
        expected[name] = 100 + requests;
        expect((await client.get(GadgetV2, ref(name))).spec).toEqual({ dimensions });
      }
    })();
    traffic.catch(() => undefined);
    const goesOn = async () => {
      const until = requests + 20;
      await vi.waitUntil(() => requests >= until, wait);
    };
    await define(['v1', 'v2'], 'v1', `${authority.caData}\n${next.caData}`);
    await goesOn();
    running.certificates.push(await certificateOf(next));
    await goesOn();
    await define(['v1', 'v2'], 'v1', next.caData);
    await goesOn();
    over.abort();
    await traffic;
    authority = next;
    expect(await sizes('v1')).toEqual(expected);
  });

  it('is stored in the new version with the next write of each object, and the old one is kept until then', async () => {
    await define(['v1', 'v2'], 'v2', authority.caData);
    expect(await storedVersions()).toEqual(['v1', 'v2']);
    expect(await failure(define(['v2'], 'v2'))).toMatch(
      /^422 .*status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions/,
    );
    // As a migration does it: every object is written as it is.
    for (const object of (await client.list(GadgetV2, { namespace })).items) await client.update(GadgetV2, object);
    await client.patch(
      CustomResourceDefinition,
      definitionRef,
      { type: 'merge', body: { status: { storedVersions: ['v2'] } } },
      { subresource: 'status' },
    );
    expect(await sizes('v1')).toEqual(expected);
  });

  it('reports which webhook is away in each request for the other version, and serves the stored one', async () => {
    await running.stop();
    const [first = '', second = ''] = names;
    // That no object needs a conversion shows that all have been written.
    expect(await sizes('v2')).toEqual(expected);
    await client.patch(GadgetV2, ref(first), { type: 'merge', body: { spec: { dimensions: { size: 1 } } } });
    expected[first] = 1;
    const away = (version: Version, kind: string) =>
      new RegExp(
        `^500 .*conversion webhook for example\\.io/${version}, Kind=${kind} failed: Post "https://127\\.0\\.0\\.1:${port}/convert-gadgets\\?timeout=30s": dial tcp .*connection refused`,
      );
    expect(await failure(client.get(Gadget, ref(second)))).toMatch(away('v2', 'Gadget'));
    expect(await failure(client.list(Gadget, { namespace }))).toMatch(away('v2', 'Gadget'));
    const written = client.create(Gadget, { metadata: metadata('lost'), spec: { size: 3 } });
    expect(await failure(written)).toMatch(away('v1', 'Gadget'));
    expect(Object.keys(await sizes('v2'))).not.toContain('lost');
    await client.create(ConfigMap, { metadata: ref('beside') });
    running = await start();
    await vi.waitFor(async () => expect(await sizes('v1')).toEqual(expected), wait);
    await client.patch(Gadget, ref(second), { type: 'merge', body: { spec: { size: 2 } } });
    expected[second] = 2;
    expect(await sizes('v2')).toEqual(expected);
  });

  it('names the object that cannot be converted, and the others of its list wait for it', async () => {
    const nine = { metadata: metadata('nine'), spec: { dimensions: { size: 9 } } };
    await client.create(GadgetV2, nine);
    expect(await failure(client.get(Gadget, ref('nine')))).toMatch(/^500 .*nine has no other shape/);
    expect(await failure(client.list(Gadget, { namespace }))).toMatch(/^500 .*nine has no other shape/);
    expect(Object.keys(await sizes('v2'))).toContain('nine');
    await remove(GadgetV2, ref('nine'));
    expect(await sizes('v1')).toEqual(expected);
  });

  it('needs no webhook any more once the old version is gone, and has lost nothing', async () => {
    await define(['v2'], 'v2');
    await running.stop();
    expect(await storedVersions()).toEqual(['v2']);
    expect(await sizes('v2')).toEqual(expected);
    expect(await failure(client.list(Gadget, { namespace }))).toMatch(/^404 /);
    for (const name of Object.keys(expected)) await remove(GadgetV2, ref(name));
    expect(await sizes('v2')).toEqual({});
  });
});

async function remove(type: ResourceType, object: ObjectRef): Promise<void> {
  await client.delete(type, object);
  await client.patch(type, object, { type: 'merge', body: { metadata: { finalizers: null } } });
}
