import type { CaseApi, Json } from '../case-api.ts';

/** The path of CustomResourceDefinitions. */
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * A CustomResourceDefinition of the case alone: its group holds the case's Namespace. `spec`
 * overrides.
 */
export function widgets({ namespace }: CaseApi, spec: Json = {}, version: Json = {}): Json {
  const group = `${namespace}.example.com`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names?.plural ?? 'widgets'}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', ...spec.names },
      versions: [{ name: 'v1', served: true, storage: true, schema: anything, ...version }],
      ...Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'names')),
    },
  };
}

/** A schema that keeps any content. */
export const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

/** A schema with these properties in `spec`, and a `status` that keeps everything. */
export function schemaOf(properties: Json, more: Json = {}): Json {
  return {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties, ...more },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  };
}

/** The collection of Widgets in the case's Namespace. */
export function widgetsPath({ namespace }: CaseApi, version = 'v1'): string {
  return `/apis/${namespace}.example.com/${version}/namespaces/${namespace}/widgets`;
}

/** A Widget. */
export function widget({ namespace }: CaseApi, name: string, rest: Json = {}, version = 'v1'): Json {
  return { apiVersion: `${namespace}.example.com/${version}`, kind: 'Widget', metadata: { name }, ...rest };
}

/** Creates the definition, does the work once it is established, and removes it. */
export async function withDefinition(api: CaseApi, definition: Json, work: () => Promise<void>): Promise<void> {
  const path = `${definitions}/${definition.metadata.name}`;
  await api.quietly.post(definitions, definition);
  try {
    await established(api, definition);
    await work();
  } finally {
    await api.quietly.delete(path);
    await gone(api, path);
  }
}

/** Field managers are sorted by the second of their write: this waits for the next second. */
export function nextSecond(api: CaseApi): Promise<void> {
  return api.pass(1_100);
}

/** Changes the definition by a merge patch, and waits until the server serves by it. */
export async function redefine(api: CaseApi, definition: Json, spec: Json): Promise<void> {
  await nextSecond(api);
  await api.quietly.patch(`${definitions}/${definition.metadata.name}`, 'merge', { spec });
  await api.pass(1000);
}

/** Waits until the defined resource is served. */
export async function established(api: CaseApi, definition: Json): Promise<void> {
  const path = `${definitions}/${definition.metadata.name}`;
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await api.quietly.get(path);
    const isSo = body.status.conditions?.some((one: Json) => one.type === 'Established' && one.status === 'True');
    await api.pass(100);
    if (isSo === true) return served(api, definition);
  }
  throw new Error(`${definition.metadata.name} is not established`);
}

/** The real server answers 429 for a moment, until its watch cache has begun. */
async function served(api: CaseApi, { spec }: Json): Promise<void> {
  for (const { name } of spec.versions.filter((version: Json) => version.served)) {
    await api.settled(async () => {
      try {
        await api.quietly.get(`/apis/${spec.group}/${name}/${spec.names.plural}`);
        return true;
      } catch {
        return false;
      }
    });
  }
}

/** Waits until the definition is gone: nothing is noted. */
async function gone(api: CaseApi, path: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await api.quietly.get(path);
    } catch {
      return;
    }
    await api.pass(100);
  }
  throw new Error(`${path} stays`);
}
