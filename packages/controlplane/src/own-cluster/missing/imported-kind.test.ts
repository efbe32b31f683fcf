import { MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import type { ClusterInfoImport } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import type { ReconcileContext } from '@isthmus/kube';
import { ApiError, memoryLog } from '@isthmus/kube';
import { withdrawnMark } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { createHeld } from '../../loss/held.ts';
import type { OwnCluster } from '../own-cluster.ts';
import { createKindImports, importAccess } from './imported-kind.ts';

const published = (name: string, annotations: Readonly<Record<string, string>> = {}): ResourceImport => ({
  metadata: { name, annotations },
  spec: { kind: 'ClusterInfo' },
});

/** A member that imports one object for each name. */
function member({
  hasSession = true,
  prefers = undefined as undefined | ((key: string, object: ResourceImport) => boolean),
} = {}) {
  const clock = createVirtualClock({ startMs: 0 });
  const world = { remote: [] as ResourceImport[], isExported: false, writes: [] as string[], woken: [] as string[] };
  const listeners: ((change: { readonly after: ResourceImport }) => void)[] = [];
  const subscribe = (listener: (typeof listeners)[number]) => {
    listeners.push(listener);
    return () => {};
  };
  const cache = { synced: true, whenSynced: () => Promise.resolve(), list: () => [], subscribe };
  const quiet = { ...cache, subscribe: () => () => {} };
  const own = {
    held: createHeld(clock),
    world: { clock },
    clusterSets: { cache: quiet },
    served: () => undefined,
    forgottenAfterMs: 86_400_000,
  } as unknown as OwnCluster;
  const session = {
    spec: { clusterID: 'east', leaderClusterID: 'north', leaderNamespace: 'area' },
    imports: {
      cache: {
        ...cache,
        byIndex: (_: string, key: string) => world.remote.filter(({ metadata }) => metadata.name.startsWith(key)),
      },
    },
    client: {
      list: () => Promise.resolve({ items: [] }),
      get(_: object, { name }: { readonly name: string }) {
        const found = world.remote.find(({ metadata }) => metadata.name === name);
        const status = {
          apiVersion: 'v1',
          kind: 'Status',
          status: 'Failure',
          code: 404,
          reason: 'NotFound',
          details: { name },
        } as const;
        return found === undefined
          ? Promise.reject(new ApiError({ verb: 'get', resource: 'resourceimports' }, status))
          : Promise.resolve(found);
      },
    },
  };
  const current: ClusterInfoImport = { metadata: { name: 'west' } };
  const source = hasSession ? { kind: 'session', session } : { kind: 'none' };
  const imports = createKindImports<ClusterInfoImport>(
    own,
    source as unknown as Parameters<typeof createKindImports>[1],
    {
      exchange: 'networks',
      what: 'imported networks',
      keys: ({ metadata }) => [metadata.name],
      resource: {
        cache: {
          get: ({ name }: { readonly name: string }) => (name === 'west' ? current : undefined),
          list: () => [current, { metadata: { name: 'foreign' } }],
        },
        create: (object: ClusterInfoImport) => {
          world.writes.push('created');
          return Promise.resolve(object);
        },
        change: (_: ClusterInfoImport, object: ClusterInfoImport) => {
          world.writes.push('changed');
          return Promise.resolve(object);
        },
      } as never,
      refOf: (name) => ({ name }),
      importedKeys: ({ metadata }) => (metadata.name === 'west' ? ['west'] : []),
      isExported: () => Promise.resolve(world.isExported),
      prefers,
    },
    ({ metadata }) => [`wake ${metadata.name}`],
  );
  const context = { signal: new AbortController().signal, log: memoryLog() } as unknown as ReconcileContext;
  /** Half a second after it was missed first. */
  const doubt = async (name: string) => {
    const lost = { key: 'west', name, marks: false, clusterIDs: [] };
    await imports.missing.doubt(lost, context);
    await clock.advance(500);
    return (await imports.missing.doubt(lost, context))?.kind;
  };
  const tell = (object: ResourceImport) => listeners.forEach((listener) => listener({ after: object }));
  return { world, imports, doubt, tell, current, context };
}

describe('the imports of a kind', () => {
  it('are what the leader publishes and does not withdraw, the first of several or the one that is preferred', () => {
    const { world, imports } = member();
    const [first, second] = [published('west-1'), published('west-2')];
    world.remote = [published('west-0', withdrawnMark(0)), first, second];
    expect([imports.remoteOf('west'), imports.remoteOf('south'), imports.area]).toEqual([
      first,
      undefined,
      'north/area',
    ]);
    const choosy = member({ prefers: (key, { metadata }) => metadata.name === `${key}-2` });
    choosy.world.remote = [first, second];
    expect(choosy.imports.remoteOf('west')).toBe(second);
    choosy.world.remote = [first];
    expect(choosy.imports.remoteOf('west')).toBe(first);
  });

  it('are those of this cluster that are ours, and are created or changed', async () => {
    const { world, imports, current, context } = member();
    expect([imports.imported(), imports.currentOf('west'), imports.currentOf('south')]).toEqual([
      ['west'],
      current,
      undefined,
    ]);
    await imports.write(undefined, current, context.signal);
    await imports.write(current, current, context.signal);
    expect(world.writes).toEqual(['created', 'changed']);
  });

  it('wake what a change at the leader concerns, and what is held', () => {
    const { imports, tell } = member();
    const woken: string[] = [];
    for (const one of imports.sources)
      one.start(
        (key) => void woken.push(key),
        () => {},
      );
    expect(imports.sources).toHaveLength(3);
    tell(published('west'));
    expect(woken).toEqual(['wake west']);
  });

  it('come from nobody without a leader', () => {
    const { imports, world } = member({ hasSession: false });
    world.remote = [published('west')];
    expect([imports.remoteOf('west'), imports.area, imports.session, imports.sources]).toEqual([
      undefined,
      undefined,
      undefined,
      [],
    ]);
  });

  it.each([
    ['is offered under its name', [published('west')], 'west', false, 'again'],
    ['is exported', [], 'west', true, 'again'],
    ['is neither offered nor exported', [], 'west', false, undefined],
    ['has given its name to something else', [published('south')], 'south', false, undefined],
  ])('stay where the leader is asked and what is missing %s', async (_, remote, name, isExported, expected) => {
    const { world, doubt } = member();
    world.remote = [...remote];
    world.isExported = isExported;
    expect(await doubt(name)).toBe(expected);
  });
});

it('a member reads at its leader what is published, exported and announced', () => {
  expect(importAccess.map(({ type, verbs }) => [type, verbs])).toEqual([
    [ResourceImport, ['get', 'list', 'watch']],
    [ResourceExport, ['list']],
    [MemberClusterAnnounce, ['list']],
  ]);
});
