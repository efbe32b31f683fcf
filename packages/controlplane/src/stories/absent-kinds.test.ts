import { CustomResourceDefinition } from '@isthmus/api';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import { createVirtualFleet } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { exportPolicy, policyOf, putTier, servePolicies } from '../testing/policies.ts';

const pair = { north: 'leader', east: 'member' } as const;
const hourMs = 3_600_000;

/** The requests of the member's controller because of the kinds of Antrea, from a line on. */
const requestsFor = ({ server }: VirtualCluster, from: number) =>
  server
    .requestLog()
    .slice(from)
    .filter((line) => /antrea-mc-controller .*(?:\/apis\/crd\.antrea\.io\/|\/customresourcedefinitions)/.test(line));

it('a member in a cluster without the kinds of Antrea asks for them six times an hour at most', async () => {
  await using fleet = await createVirtualFleet({ clusters: pair });
  const east = fleet.cluster('east');
  await fleet.clock.advance(120_000);
  const from = east.server.requestLog().length;
  await fleet.clock.advance(hourMs);
  const requests = requestsFor(east, from);
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.length).toBeLessThanOrEqual(6);
});

it('reads the kinds of Antrea a moment after they are installed, and waits for them again when they are deleted', async () => {
  await using fleet = await createVirtualFleet({ clusters: pair });
  const east = fleet.cluster('east');
  exportPolicy(fleet, 'strict');
  await fleet.clock.advance(hourMs);
  servePolicies(east);
  await fleet.clock.settle();
  putTier(east, 'securityops');
  await fleet.until('the policy is imported', () => policyOf(east, 'strict') !== undefined, 5_000);
  for (const plural of ['clusternetworkpolicies', 'tiers'])
    east.server.admin.delete(CustomResourceDefinition, { name: `${plural}.crd.antrea.io` });
  await fleet.clock.advance(120_000);
  const from = east.server.requestLog().length;
  await fleet.clock.advance(hourMs);
  expect(requestsFor(east, from).length).toBeLessThanOrEqual(6);
  servePolicies(east);
  await fleet.clock.settle();
  putTier(east, 'securityops');
  await fleet.until('the policy is imported again', () => policyOf(east, 'strict') !== undefined, 5_000);
});

it('a member that may not watch definitions, as with the manifests of an earlier release, asks for the kinds', async () => {
  await using fleet = await createVirtualFleet({ clusters: pair });
  const east = fleet.cluster('east');
  const isWatch = ({ path }: { readonly path: string }) => path.includes('/customresourcedefinitions');
  fleet.link('east-member', 'east').add({ match: isWatch, fault: { kind: 'status', code: 403 } });
  east.kill();
  east.start();
  exportPolicy(fleet, 'strict');
  await fleet.clock.advance(600_000);
  servePolicies(east);
  await fleet.clock.settle();
  putTier(east, 'securityops');
  await fleet.until('the policy is imported', () => policyOf(east, 'strict') !== undefined, 40_000);
});
