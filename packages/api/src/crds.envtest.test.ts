import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { causeOfFieldError, compileResource } from '@isthmus/schema';
import { parseYaml } from '@isthmus/machinery';
import type { CustomResourceDefinition, JsonSchema } from '@isthmus/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customResources } from './custom-resources.ts';
import { invalidObjects } from './testing/invalid-objects.ts';
import { startRealServer } from './testing/real-server.ts';
import type { RealServer } from './testing/real-server.ts';
import { seeds } from './testing/seeds.ts';

interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const folder = new URL('../../../deploy/crds/', import.meta.url);
const crds = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map(
    (name) =>
      parseYaml(readFileSync(new URL(name, folder), 'utf8'), { source: name })[0]?.value as CustomResourceDefinition,
  );

const resourceOf = (kind: string) => {
  const found = customResources.find((resource) => resource.kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found;
};

/** The collection of a kind, in Namespace `namespace` where it has one. */
const pathOf = (object: { readonly apiVersion: string; readonly kind: string }, namespace = 'default') => {
  const { plural, scope } = resourceOf(object.kind);
  return `/apis/${object.apiVersion}/${scope === 'Namespaced' ? `namespaces/${namespace}/` : ''}${plural}`;
};

/** Without what the API server adds or reads from the URL. */
const authored = (object: unknown) => {
  const { apiVersion: _apiVersion, metadata: _metadata, ...fields } = object as AnyObject;
  return fields;
};

describe('the generated CustomResourceDefinitions on a real API server', () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startRealServer('crds');
    for (const crd of crds) {
      const created = await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
      expect(created).toMatchObject({ status: 201, warnings: [] });
    }
    for (const namespace of ['kube-system', 'antrea-multicluster', 'antrea-mcs-ns', 'shop', 'default']) {
      await server.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    }
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const stored = async (crd: CustomResourceDefinition) => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
    return (await server.send('GET', path)).body as CustomResourceDefinition;
  };

  it('are one per kind', () => {
    expect(crds.map((crd) => crd.spec.names.kind).sort()).toEqual(customResources.map((resource) => resource.kind));
  });

  it.each(crds.map((crd) => [crd.metadata.name, crd] as const))(
    '%s is established, structural, and stored as it is',
    async (_name, crd) => {
      let conditions: Readonly<Record<string, string>> = {};
      for (let attempt = 0; attempt < 12_000 && conditions['Established'] !== 'True'; attempt++) {
        const { status } = await stored(crd);
        conditions = Object.fromEntries(
          (status?.conditions ?? []).map((condition) => [condition.type, condition.status]),
        );
        await delay(25);
      }
      expect(conditions).toEqual({ NamesAccepted: 'True', Established: 'True' });
      const { spec } = await stored(crd);
      expect(spec.names).toEqual(crd.spec.names);
      const schemas = (of: CustomResourceDefinition) =>
        of.spec.versions.map((version) => [version.name, version.schema?.openAPIV3Schema]);
      expect(spec.versions.map((version) => [version.name, version.schema?.openAPIV3Schema])).toEqual(schemas(crd));
      expect(spec.versions).toMatchObject(crd.spec.versions.map(({ schema: _schema, ...version }) => version));
    },
  );

  it.each(customResources.map((resource) => [resource.kind, resource] as const))(
    'the examples of %s are stored without loss',
    async (_kind, resource) => {
      for (const example of resource.examples as readonly unknown[] as readonly AnyObject[]) {
        const path = pathOf(example, example.metadata.namespace);
        const created = await server.send('POST', `${path}?fieldValidation=Strict`, example);
        expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 });
        const { status, ...fields } = authored(example) as { readonly status?: object };
        expect(created.body).toMatchObject(fields);
        if (status !== undefined) {
          // A status is taken through its subresource only.
          const updated = await server.send('PUT', `${path}/${example.metadata.name}/status?fieldValidation=Strict`, {
            ...(created.body as object),
            status,
          });
          expect(updated).toMatchObject({ status: 200, body: { status } });
        }
        await server.send('DELETE', `${path}/${example.metadata.name}`);
      }
    },
  );

  it.each(seeds)('seed: %s, in the old form and read in the new one', async (_what, text) => {
    for (const { value } of parseYaml(text, { source: 'seed' })) {
      const object = value as AnyObject;
      const path = pathOf(object, object.metadata.namespace);
      const created = await server.send('POST', `${path}?fieldValidation=Strict`, object);
      expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201, body: object });
      const resource = resourceOf(object.kind);
      const used = resource.versions.find((version) => object.apiVersion.endsWith(`/${version.version}`));
      expect(created.warnings).toEqual(used?.deprecationWarning === undefined ? [] : [used.deprecationWarning]);
      for (const version of resource.versions) {
        const apiVersion = `${resource.group}/${version.version}`;
        const read = await server.send(
          'GET',
          `${pathOf({ ...object, apiVersion }, object.metadata.namespace)}/${object.metadata.name}`,
        );
        expect(read.body).toMatchObject({ ...authored(object), apiVersion });
      }
      await server.send('DELETE', `${path}/${object.metadata.name}`);
    }
  });

  it('an update through either version of ClusterSet keeps the fields of the other', async () => {
    const path = (version: string) => `/apis/multicluster.crd.antrea.io/${version}/namespaces/default/clustersets`;
    const spec = {
      clusterID: 'east',
      leaders: [{ clusterID: 'north', serviceAccount: 'sa' }],
      members: [{ clusterID: 'east' }],
    };
    const apiVersion = 'multicluster.crd.antrea.io/v1alpha2';
    await server.send('POST', path('v1alpha2'), { apiVersion, kind: 'ClusterSet', metadata: { name: 'both' }, spec });
    const old = (await server.send('GET', `${path('v1alpha1')}/both`)).body as AnyObject & { readonly spec: object };
    const updated = await server.send('PUT', `${path('v1alpha1')}/both`, {
      ...old,
      spec: { ...old.spec, namespace: 'ns' },
    });
    expect(updated.status).toBe(200);
    const read = await server.send('GET', `${path('v1alpha2')}/both`);
    expect(read.body).toMatchObject({ apiVersion, spec: { ...spec, namespace: 'ns' } });
  });

  /**
   * Writes an object as a whole, or its status where it has one: that is not looked at on creation.
   */
  const refused = async (object: AnyObject & { readonly status?: unknown }) => {
    const path = pathOf(object);
    if (object.status === undefined) return server.send('POST', path, object);
    const { status, ...fields } = object;
    const created = await server.send('POST', path, fields);
    expect(created.status).toBe(201);
    const answer = await server.send('PUT', `${path}/${object.metadata.name}/status`, {
      ...(created.body as object),
      status,
    });
    await server.send('DELETE', `${path}/${object.metadata.name}`);
    return answer;
  };

  it.each(invalidObjects.map((invalid) => [`${invalid.kind} with ${invalid.what}`, invalid] as const))(
    '%s is refused in our words',
    async (_what, invalid) => {
      const { group, scope } = resourceOf(invalid.kind);
      const version = resourceOf(invalid.kind).version(invalid.version);
      const metadata = { name: 'invalid', ...(scope === 'Namespaced' && { namespace: 'default' }) };
      const object = { apiVersion: `${group}/${invalid.version}`, kind: invalid.kind, metadata, ...invalid.fields };
      const answer = await refused(object);
      const { details } = answer.body as {
        readonly details?: { readonly causes?: readonly { readonly message: string }[] };
      };
      const compiled = compileResource(version);
      const errors = 'status' in object ? compiled.validateStatus(object) : compiled.admit(object).errors;
      const ours = errors.map(causeOfFieldError);
      const inOrder = (causes: readonly object[]) =>
        causes.map((cause) => JSON.stringify(cause, ['reason', 'message', 'field'])).sort();
      expect(ours).not.toEqual([]);
      expect({ status: answer.status, causes: inOrder(details?.causes ?? []) }).toEqual({
        status: 422,
        causes: inOrder(ours),
      });
    },
  );

  it('unknown fields are named by strict decoding as we name them', async () => {
    const object = {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceExport',
      metadata: { name: 'strict', namespace: 'default', colour: 'red' },
      spec: {
        colour: 1,
        service: { serviceSpec: { ports: [{ port: 80, colour: 2 }] } },
        clusterNetworkPolicy: { priority: 1, rules: [] },
      },
    };
    const answer = await server.send('POST', `${pathOf(object)}?fieldValidation=Strict`, object);
    const { message = '' } = answer.body as { readonly message?: string };
    const named = [...message.matchAll(/unknown field "([^"]*)"/g)].map((match) => match[1] ?? '');
    const ours = compileResource(resourceOf('ResourceExport').version('v1alpha1')).admit(object).unknownFields;
    expect(named.toSorted()).toEqual(ours);
    expect(ours).toHaveLength(4);
  });
});

/** The tests above compare schemas as a whole; this one lists what schemas must not contain. */
describe('the schemas', () => {
  it('never require clusterID of a ClusterSet', () => {
    const [crd] = crds.filter((one) => one.spec.names.kind === 'ClusterSet');
    const required = (crd?.spec.versions ?? []).map((version) => {
      const schema: JsonSchema | undefined = version.schema?.openAPIV3Schema;
      return schema?.properties?.['spec']?.required;
    });
    expect(required).toEqual([['leaders'], ['leaders']]);
  });
});
