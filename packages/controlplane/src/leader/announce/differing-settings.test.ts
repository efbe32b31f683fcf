import { describe, expect, it } from 'vitest';
import type { ClusterSettings } from '@isthmus/wire';
import { differingSettings } from './differing-settings.ts';

const cluster = (clusterID: string, more: Partial<ClusterSettings> = {}): ClusterSettings => ({
  clusterID,
  endpointIPType: 'ClusterIP',
  dataPlane: undefined,
  stretchedNetworkPolicy: false,
  leaderClusterID: 'north',
  ...more,
});
const podIP = { endpointIPType: 'PodIP' } as const;

describe('the settings of the clusters of a ClusterSet', () => {
  it.each<[string, readonly ClusterSettings[]]>([
    ['are the same', [cluster('east'), cluster('west')]],
    ['are announced by one alone', [cluster('east', podIP), cluster('west', { endpointIPType: undefined })]],
    ['are not known', []],
    ['name the same data plane', ['east', 'west'].map((id) => cluster(id, { dataPlane: 'antrea' }))],
  ])('do not differ where they %s', (_, clusters) => {
    expect(differingSettings(clusters, 'north')).toBeUndefined();
  });

  it('differ in the type of endpoints, with the clusters of each type in order', () => {
    expect(differingSettings([cluster('west', podIP), cluster('south'), cluster('east')], 'north')).toEqual({
      reason: 'EndpointIPTypeDiffers',
      message:
        'endpointIPType is ClusterIP in east, south; PodIP in west. Set the same endpointIPType in the configuration of every cluster: endpoints of the other type may not be reachable.',
    });
  });

  it('differ in the data plane', () => {
    const both = [cluster('east', { dataPlane: 'antrea' }), cluster('west', { dataPlane: 'isthmus/gbp' })];
    expect(differingSettings(both, 'north')).toEqual({
      reason: 'DataPlaneDiffers',
      message:
        'The data plane is antrea in east; isthmus/gbp in west. Gateways of different data planes do not exchange packets.',
    });
  });

  it('differ in enableStretchedNetworkPolicy, of which a cluster that does not announce it has none', () => {
    const all = [
      cluster('east', { stretchedNetworkPolicy: true }),
      cluster('south', { stretchedNetworkPolicy: undefined }),
      cluster('west'),
    ];
    expect(differingSettings(all, 'north')).toEqual({
      reason: 'StretchedNetworkPolicyDiffers',
      message:
        'enableStretchedNetworkPolicy is false in west; true in east. Set the same enableStretchedNetworkPolicy in the configuration of every cluster: rules with scope ClusterSet select only Pods of clusters where it is true.',
    });
    expect(differingSettings(all.slice(0, 2), 'north')).toBeUndefined();
  });

  it('differ in both, in one message', () => {
    const both = [cluster('east', { dataPlane: 'antrea' }), cluster('west', { ...podIP, dataPlane: 'none' })];
    expect(differingSettings(both, 'north')).toMatchObject({
      reason: 'EndpointIPTypeDiffers',
      message: expect.stringMatching(
        /^endpointIPType is .* The data plane is antrea in east; none in west\./,
      ) as string,
    });
  });

  it('differ in the cluster ID of the leader, with what each cluster calls it', () => {
    const all = [
      cluster('west', { leaderClusterID: 'n0rth' }),
      cluster('south'),
      cluster('east', { leaderClusterID: 'hub\n' }),
    ];
    expect(differingSettings(all, 'north')).toEqual({
      reason: 'LeaderIDDiffers',
      message:
        'The cluster ID of the leader is north, but spec.leaders[0].clusterID is "hub\\n" in east; "n0rth" in west. If this is the right ID, delete the leader\'s ClusterSet and create it again with this ID: no import changes. Otherwise correct the ClusterSets of these members, which then import everything again.',
    });
    expect(differingSettings(all, undefined)).toBeUndefined();
    expect(differingSettings([cluster('west', { leaderClusterID: undefined })], 'north')).toBeUndefined();
  });

  it('name at most five clusters of each kind', () => {
    const many = Array.from({ length: 8 }, (_, index) => cluster(`c${index}`));
    expect(differingSettings([...many, cluster('west', podIP)], 'north')?.message).toContain(
      'ClusterIP in c0, c1, c2, c3, c4 and others; PodIP in west.',
    );
  });
});
