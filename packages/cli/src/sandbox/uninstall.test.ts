import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Namespace,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
  ServiceExport,
} from '@isthmus/api';
import { accessObjects, definitionObjects, roles } from '@isthmus/install';
import { createLog } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { madeUpIo } from '../testing/made-up-io.ts';
import { memoryNetwork } from '../testing/memory-network.ts';
import { parseClusterList } from './cluster-list.ts';
import { startSandboxFleet } from './fleet.ts';

const installed = [ServiceAccount, Role, RoleBinding, ClusterRole, ClusterRoleBinding, CustomResourceDefinition];

it('a controller whose manifests are deleted while it runs reports what it misses in single lines, without stacks', async () => {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const io = madeUpIo({ clock, network: memoryNetwork() });
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line) => void lines.push(line) }, format: 'text', clock });
  await inVirtualTime(
    clock,
    (async () => {
      await using fleet = await startSandboxFleet({
        clusters: parseClusterList('north:leader,east'),
        world: { ...io, log },
        secret: io.secret,
        run: (_name, work) => work(),
        signal: new AbortController().signal,
      });
      const admin = fleet.clusters.find(({ name }) => name === 'east')?.admin;
      if (admin === undefined) throw new Error('no cluster east');
      await admin.create(Namespace, { metadata: { name: 'shop' } });
      await admin.create(Service, { metadata: { name: 'cart', namespace: 'shop' }, spec: { ports: [{ port: 80 }] } });
      await admin.create(ServiceExport, { metadata: { name: 'cart', namespace: 'shop' } });
      await new Promise<void>((resolve) => void clock.after(30_000, resolve));
      lines.length = 0;
      for (const object of [...accessObjects(roles.member, 'kube-system'), ...definitionObjects(roles.member)]) {
        const type = installed.find(({ kind }) => kind === object.kind);
        if (type === undefined) throw new Error(`deleting a ${object.kind}`);
        await admin.delete(type, object.metadata);
      }
      await new Promise<void>((resolve) => void clock.after(60_000, resolve));
    })(),
  );
  expect(lines.filter((line) => line.includes('\n    at '))).toEqual([]);
  expect(lines.join('')).toMatch(/ error reconcile failed .*401 Unauthorized/);
});
