/** The definitions of our own kinds, and an object of each. */
import { readFileSync } from 'node:fs';
import { customResources } from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { crdOf } from '@isthmus/schema';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { collectText } from '../contract/streams.ts';
import { virtualTime } from '../contract/virtual-time.ts';
import { generatedObjects } from '../generated/frame.ts';
import { generatedPath } from '../generated/generated-path.ts';
import { ownKinds } from '../generated/kinds/own-kinds.ts';
import { createSandbox } from '../sandbox.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const namespace = 'default';

describe('our own kinds', () => {
  it.each(customResources.map((resource) => ({ crd: crdOf(resource), name: resource.plural })))(
    '$name are accepted, established and served in every version',
    async ({ crd }) => {
      const { send, pass } = server();
      expect(await send({ method: 'POST', path: definitions, body: JSON.stringify(crd) })).toMatchObject({
        status: 201,
      });
      await pass(1_000);
      const { body } = await send({ method: 'GET', path: `${definitions}/${crd.metadata.name}` });
      const conditions: readonly { readonly type: string; readonly status: string }[] = body.status.conditions;
      expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
        'NamesAccepted=True',
        'Established=True',
      ]);
      for (const { name, served } of crd.spec.versions) {
        const path = `/apis/${crd.spec.group}/${name}/${crd.spec.names.plural}`;
        const kind = `${crd.spec.names.kind}List`;
        if (served)
          expect(await send({ method: 'GET', path })).toMatchObject({ status: 200, body: { kind, items: [] } });
      }
    },
  );

  it.each(ownKinds.map((kind) => ({ name: kind.name, kind })))(
    'an object of $name that a real server accepts is created, and read as it was answered',
    async ({ name, kind }) => {
      const { send, pass } = server();
      for (const { path, object } of kind.needs ?? [])
        await send({ method: 'POST', path, body: JSON.stringify(object) });
      await pass(1_000);
      const verdicts = readFileSync(generatedPath(name), 'utf8').trimEnd().split('\n');
      const isGood = verdicts.map((line) => (JSON.parse(line) as { readonly status: number }).status === 201);
      const good = generatedObjects(kind)
        .filter((_, index) => isGood[index])
        .slice(0, 5);
      // A KnownCluster must have the name of its cluster, which few generated ones have.
      expect(good.length).toBeGreaterThanOrEqual(2);
      for (const [index, object] of good.entries()) {
        const path = kind.path(namespace);
        const named = {
          ...object,
          metadata: { ...(object['metadata'] as object), name: `object-${index}` },
          // Its name must be its cluster ID.
          ...(name === 'knownclusters' && { spec: { ...(object['spec'] as object), clusterID: `object-${index}` } }),
        };
        const created = await send({ method: 'POST', path, body: JSON.stringify(named) });
        expect(created).toMatchObject({ status: 201, body: { metadata: { name: `object-${index}`, generation: 1 } } });
        expect(await send({ method: 'GET', path: `${path}/object-${index}` })).toEqual({ ...created, status: 200 });
      }
    },
  );
});

interface Answer {
  readonly status: number;
  // The tests read single fields of any answer.
  readonly body: ReturnType<typeof JSON.parse>;
}

function server(): { send(request: ApiRequest): Promise<Answer>; pass(ms: number): Promise<void> } {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const refuse = (_: ApiRequest, error: unknown) => {
    throw error;
  };
  const sandbox = createSandbox({ name: 'own-kinds', clock, onDefect: refuse });
  const transport = sandbox.transport({ kind: 'user', user: admin });
  const { signal } = new AbortController();
  return {
    async send(request) {
      const headers = { 'content-type': 'application/json' };
      const answer = await virtualTime(clock).during(transport.send({ ...request, headers }, signal));
      return { status: answer.status, body: JSON.parse(await collectText(answer.body)) };
    },
    pass: (ms) => clock.advance(ms),
  };
}
