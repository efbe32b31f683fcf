import { adminTransport, startApiServer } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectText } from '../../contract/streams.ts';
import { kinds } from './facts.ts';
import { openApiSchemas } from './open-api.ts';

let server: RealApiServer;

beforeAll(async () => {
  server = await startApiServer({ name: 'open-api' });
});
afterAll(() => server[Symbol.asyncDispose]());

const documents = Object.keys(kinds)
  .map((name) => name.split(' ')[0] ?? '')
  .filter((one, index, all) => all.indexOf(one) === index)
  // Not served by themselves.
  .filter((one) => !['meta.k8s.io/v1', 'admission.k8s.io/v1', 'autoscaling/v1'].includes(one));

it.each(documents)('the schemas of %s are those of the real server without descriptions', async (groupVersion) => {
  const [group = '', version = ''] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
  const real = await schemasOf(`/openapi/v3/${group === '' ? 'api' : 'apis'}/${groupVersion}`);
  const ours = openApiSchemas(Object.values(kinds), { group, version });
  const shared = Object.keys(real).filter((name) => Object.hasOwn(ours, name));
  expect(shared.length).toBeGreaterThan(10);
  for (const name of shared) expect({ name, schema: ours[name] }).toEqual({ name, schema: real[name] });
});

async function schemasOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  const transport = adminTransport(server, 'isthmus-test');
  try {
    const { status, body } = await transport.send({ method: 'GET', path }, new AbortController().signal);
    expect(status).toBe(200);
    return withoutDescriptions(JSON.parse(await collectText(body)).components.schemas, true) as Readonly<
      Record<string, unknown>
    >;
  } finally {
    transport.close();
  }
}

/** A property may be called `description`. */
function withoutDescriptions(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutDescriptions(one));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, one]) => areNames || key !== 'description' || typeof one !== 'string',
  );
  return Object.fromEntries(
    entries.map(([key, one]) => [key, withoutDescriptions(one, key === 'properties' && !areNames)]),
  );
}
