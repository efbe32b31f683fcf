import { describe, expect, it } from 'vitest';
import type { ClusterSettings } from '../../exchange/settings.ts';
import { differingSettings } from './differing-settings.ts';

const cluster = (clusterID: string, more: Partial<ClusterSettings> = {}): ClusterSettings => ({
  clusterID,
  endpointIPType: 'ClusterIP',
  dataPlane: undefined,
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
    expect(differingSettings(clusters)).toBeUndefined();
  });

  it('differ in the type of endpoints, with the clusters of each type in order', () => {
    expect(differingSettings([cluster('west', podIP), cluster('south'), cluster('east')])).toEqual({
      reason: 'EndpointIPTypeDiffers',
      message:
        'endpointIPType is ClusterIP in east, south; PodIP in west. Set the same endpointIPType in the configuration of every cluster: endpoints of the other type may not be reachable.',
    });
  });

  it('differ in the data plane', () => {
    const both = [cluster('east', { dataPlane: 'antrea' }), cluster('west', { dataPlane: 'isthmus/gbp' })];
    expect(differingSettings(both)).toEqual({
      reason: 'DataPlaneDiffers',
      message:
        'The data plane is antrea in east; isthmus/gbp in west. Gateways of different data planes do not exchange packets.',
    });
  });

  it('differ in both, in one message', () => {
    const both = [cluster('east', { dataPlane: 'antrea' }), cluster('west', { ...podIP, dataPlane: 'none' })];
    expect(differingSettings(both)).toMatchObject({
      reason: 'EndpointIPTypeDiffers',
      message: expect.stringMatching(
        /^endpointIPType is .* The data plane is antrea in east; none in west\./,
      ) as string,
    });
  });

  it('name at most five clusters of each kind', () => {
    const many = Array.from({ length: 8 }, (_, index) => cluster(`c${index}`));
    expect(differingSettings([...many, cluster('west', podIP)])?.message).toContain(
      'ClusterIP in c0, c1, c2, c3, c4 and others; PodIP in west.',
    );
  });
});
