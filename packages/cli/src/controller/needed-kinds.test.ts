import { leaderAccess, memberAccess } from '@isthmus/clusterset';
import type { Transport } from '@isthmus/kube';
import { createClient } from '@isthmus/kube';
import { apiVersionOf } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { neededKinds, obstacleTo } from './needed-kinds.ts';
import { roles } from './role.ts';

const shown = (kinds: ReturnType<typeof neededKinds>) =>
  kinds
    .map(
      ({ type, namespace, optional, mayBeUnserved }) =>
        `${apiVersionOf(type)} ${type.plural} in ${namespace ?? 'all Namespaces'}${optional ? ', optional' : ''}${mayBeUnserved ? ', where it is served' : ''}`,
    )
    .toSorted();

describe('the custom resources that a role needs', () => {
  it('are those that a leader reads in its Namespace', () => {
    expect(shown(neededKinds(leaderAccess, 'ns'))).toMatchInlineSnapshot(`
      [
        "multicluster.crd.antrea.io/v1alpha1 memberclusterannounces in ns",
        "multicluster.crd.antrea.io/v1alpha1 resourceexports in ns",
        "multicluster.crd.antrea.io/v1alpha1 resourceimports in ns",
        "multicluster.crd.antrea.io/v1alpha2 clusterclaims in ns, where it is served",
        "multicluster.crd.antrea.io/v1alpha2 clustersets in ns",
      ]
    `);
  });

  it('are those that a member reads in its own cluster', () => {
    expect(shown(neededKinds(memberAccess, 'ns'))).toMatchInlineSnapshot(`
      [
        "multicluster.crd.antrea.io/v1alpha1 clusterinfoimports in ns, optional",
        "multicluster.crd.antrea.io/v1alpha1 gateways in ns, optional",
        "multicluster.crd.antrea.io/v1alpha2 clusterclaims in ns, where it is served",
        "multicluster.crd.antrea.io/v1alpha2 clustersets in all Namespaces, optional",
        "multicluster.crd.antrea.io/v1alpha2 clustersets in ns",
        "multicluster.x-k8s.io/v1beta1 serviceexports in all Namespaces",
        "multicluster.x-k8s.io/v1beta1 serviceimports in all Namespaces",
      ]
    `);
  });
});

/** A server that answers each request when the test says so, with a status and a text. */
function serverByHand() {
  const asked: { readonly plural: string; readonly answer: (status: number, text: string) => void }[] = [];
  const transport: Transport = {
    send: ({ path }) =>
      new Promise((resolve) => {
        const answer = (status: number, text: string) =>
          resolve({ status, headers: {}, body: chunksOf(new TextEncoder().encode(text)) });
        asked.push({ plural: path.split('/').at(-1) ?? '', answer });
      }),
    close() {},
  };
  return { asked, client: createClient({ transport, clock: createVirtualClock({ startMs: 0 }) }) };
}

async function* chunksOf(bytes: Uint8Array) {
  yield bytes;
}

const empty = '{"kind":"List","metadata":{"resourceVersion":"1"},"items":[]}';
const settled = () => new Promise((resolve) => void setImmediate(resolve));

describe('what keeps a controller from reading its kinds', () => {
  const kinds = neededKinds(leaderAccess, 'ns');
  const begin = () => {
    const server = serverByHand();
    const { signal } = new AbortController();
    return { ...server, obstacle: obstacleTo(kinds, { client: server.client, role: roles.leader, signal }) };
  };

  it('is asked of one kind, and of all others side by side when that one is answered', async () => {
    const { asked, obstacle } = begin();
    await settled();
    expect(asked).toHaveLength(1);
    asked[0]?.answer(200, empty);
    await settled();
    expect(asked.map(({ plural }) => plural)).toEqual(kinds.map(({ type }) => type.plural));
    asked.slice(1).forEach(({ answer }) => answer(200, empty));
    expect(await obstacle).toBeUndefined();
  });

  it('costs one request where the first answer shows it', async () => {
    const { asked, obstacle } = begin();
    await settled();
    asked[0]?.answer(500, 'etcd is away');
    expect(await obstacle).toContain('etcd is away');
    expect(asked).toHaveLength(1);
  });

  it('names every kind that is not served, whichever is answered first', async () => {
    const { asked, obstacle } = begin();
    await settled();
    asked[0]?.answer(404, '404 page not found');
    await settled();
    asked
      .slice(1)
      .toReversed()
      .forEach(({ answer }) => answer(404, '404 page not found'));
    const text = await obstacle;
    for (const { type, mayBeUnserved } of kinds) expect(text?.includes(`${type.plural}.`)).toBe(!mayBeUnserved);
  });
});
