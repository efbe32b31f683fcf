import type { ClusterInfo, KnownCluster } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { KnownClusterInput } from './decide.ts';
import { decideKnownCluster } from './decide.ts';

const network: ClusterInfo = {
  clusterID: 'east',
  serviceCIDR: '10.96.0.0/16',
  podCIDRs: ['10.10.0.0/16'],
  gatewayInfos: [{ gatewayIP: '192.0.2.1' }],
};
const known = (spec: Partial<KnownCluster['spec']> = {}): KnownCluster => ({
  metadata: { name: 'east', namespace: 'mc', generation: 3 },
  spec: { clusterID: 'east', origin: 'Observed', state: 'Accepted', ...spec },
});
const inUse = { pods: ['10.10.0.0/16'], services: ['10.96.0.0/16'] };
const decide = (input: Partial<KnownClusterInput>) =>
  decideKnownCluster({
    clusterID: 'east',
    namespace: 'mc',
    known: undefined,
    announced: network,
    published: network,
    mayTranslate: () => false,
    holdsUnknown: false,
    now: '2026-11-30T10:00:00Z',
    ...input,
  });

describe('a cluster that the leader does not know', () => {
  it('is recorded with exactly what is in use, without gateways', () => {
    const announced = { ...network, podCIDRs: ['10.10.0.0/16', '10.20.0.0/16'] };
    expect(decide({ announced }).create).toEqual({
      metadata: { name: 'east', namespace: 'mc' },
      spec: { clusterID: 'east', origin: 'Observed', state: 'Accepted', ...inUse },
    });
  });

  it.each<[string, Partial<KnownClusterInput>, KnownCluster['spec'] | undefined]>([
    ['is not recorded before anything is published', { published: undefined }, undefined],
    ['is not recorded without a network', { announced: undefined, published: undefined }, undefined],
    [
      'is held where unknown clusters are, before anything is published',
      { published: undefined, holdsUnknown: true },
      { clusterID: 'east', origin: 'Observed', state: 'Held' },
    ],
    [
      'is accepted where unknown clusters are held, if it is published already',
      { holdsUnknown: true },
      { clusterID: 'east', origin: 'Observed', state: 'Accepted', ...inUse },
    ],
    [
      'is held if its Service CIDR is one of the Internet',
      { announced: { ...network, serviceCIDR: '8.8.8.0/24' }, published: undefined },
      { clusterID: 'east', origin: 'Observed', state: 'Held' },
    ],
    [
      'has no list of what is not in use',
      { published: { ...network, podCIDRs: [] } },
      { clusterID: 'east', origin: 'Observed', state: 'Accepted', services: ['10.96.0.0/16'] },
    ],
    [
      'has the Pod CIDRs that wait for virtual ranges',
      { published: { ...network, podCIDRs: [] }, mayTranslate: () => true },
      { clusterID: 'east', origin: 'Observed', state: 'Accepted', ...inUse },
    ],
  ])('%s', (_what, input, spec) => {
    expect(decide(input).create?.spec).toEqual(spec);
  });
});

describe('a list that an Observed object lacks', () => {
  it.each<[string, Partial<KnownCluster['spec']>, object | undefined]>([
    ['is added when ranges come into use', { services: ['10.96.0.0/16'] }, inUse],
    ['is added beside none', {}, inUse],
    ['is not added to a granted object', { origin: 'Granted' }, undefined],
    ['is not added to a held one', { state: 'Held' }, undefined],
    ['is not changed where it exists', { pods: [], services: [] }, undefined],
  ])('%s', (_what, spec, added) => {
    const { pin } = decide({ known: known(spec) });
    expect(pin).toEqual(added === undefined ? undefined : { ...known(spec).spec, ...added });
  });
});

describe('the status of a KnownCluster', () => {
  const report = (spec: Partial<KnownCluster['spec']>, input: Partial<KnownClusterInput> = {}) => {
    const { status } = decide({ known: known(spec), ...input });
    const within = conditionOf(status?.conditions, 'WithinGrant');
    return { status, verdict: `${within?.status} ${within?.reason}`, message: within?.message ?? '' };
  };

  it.each<[string, Partial<KnownCluster['spec']>, Partial<KnownClusterInput>]>([
    ['True AllGranted', inUse, {}],
    ['True AllGranted', { origin: 'Granted' }, {}],
    ['Unknown NotAnnounced', inUse, { announced: undefined, published: undefined }],
    ['False OutsideGrant', { ...inUse, pods: ['10.10.0.0/24'] }, {}],
    ['False OutsideGrant', { gateways: ['192.0.2.8/29'] }, {}],
    ['False ClusterHeld', { state: 'Held' }, { published: undefined }],
    ['True AllGranted', { state: 'Held' }, {}],
    ['False ClusterRefused', { state: 'Refused' }, {}],
    ['False InvalidRanges', { pods: ['10.10.0.0'] }, {}],
  ])('is %s: %j %j', (verdict, spec, input) => {
    expect(report(spec, input).verdict).toBe(verdict);
  });

  it('has what is asked for, and the command that grants it beside what is in use', () => {
    const announced = { ...network, podCIDRs: ['10.10.0.0/16', '8.8.8.8/32'] };
    const { status, message } = report({ ...inUse, pods: ['10.0.0.0/8'] }, { announced });
    expect(status?.asked).toEqual({ pods: ['8.8.8.8/32'] });
    expect(status?.used).toEqual({ ...inUse, gateways: ['192.0.2.1'] });
    expect(status?.observedGeneration).toBe(3);
    expect(message).toBe(
      `Cluster east announces Pod CIDR 8.8.8.8/32, which is not granted to it. The rest of its network is used. To accept all of it, run: kubectl -n mc patch knowncluster east --type merge -p '{"spec":{"origin":"Granted","state":"Accepted","pods":["10.10.0.0/16","8.8.8.8/32"],"services":["10.96.0.0/16"]}}'`,
    );
  });

  it('is that it has no effect in a member, and nothing is added to it', () => {
    const without = { status: 'True', reason: 'JudgedByLeader', message: 'The leader judges.' } as const;
    const spec = { pods: ['8.8.8.0/24'] };
    const { status, pin } = decide({ known: known(spec), without });
    expect(status?.conditions?.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      ['WithinGrant', 'JudgedByLeader', 'The leader judges.'],
    ]);
    expect(status?.asked).toEqual({});
    expect(pin).toBeUndefined();
  });

  it('has a command that adds to what a person granted, and changes no list that the person left open', () => {
    const announced = { ...network, podCIDRs: ['10.20.0.0/16'], gatewayInfos: [{ gatewayIP: '192.0.2.9' }] };
    const spec = { origin: 'Granted', pods: ['10.10.0.0/16'], gateways: ['192.0.2.0/29'] } as const;
    const { message } = report(spec, { announced, published: undefined });
    expect(message).toContain('Nothing of its network is used.');
    expect(message).toContain(`"pods":["10.10.0.0/16","10.20.0.0/16"],"gateways":["192.0.2.0/29","192.0.2.9/32"]}`);
  });

  it('has no command for more ranges than a list may have', () => {
    const podCIDRs = Array.from({ length: 64 }, (_, at) => `10.20.${at}.0/24`);
    const { message } = report({ origin: 'Granted', pods: ['10.10.0.0/16'] }, { announced: { ...network, podCIDRs } });
    expect(message).toMatch(/and 59 more, which is not granted to it.*kubectl -n mc edit knowncluster east$/);
  });

  it('has addresses of gateways in their usual form, however long a member writes them', () => {
    const gatewayIP = '2001:0db8:0000:0000:0000:0000:255.255.255.255';
    const published = { ...network, gatewayInfos: [{ gatewayIP }, { gatewayIP: 'x' }] };
    const { status } = report(inUse, { announced: published, published });
    expect(status?.used?.gateways).toEqual(['2001:db8::ffff:ffff']);
  });

  it('names in the command of a held cluster all that it announces', () => {
    const { message } = report({ state: 'Held' }, { published: undefined });
    expect(message).toContain('"pods":["10.10.0.0/16"],"services":["10.96.0.0/16"]');
  });

  it('has no text of a member in a command that is not a range or an address', () => {
    const announced = { ...network, gatewayInfos: [{ gatewayIP: "'; reboot #" }], podCIDRs: ["$(reboot)'"] };
    const { status, message } = report({ state: 'Held', gateways: [] }, { announced, published: undefined });
    expect(message).not.toContain('reboot');
    expect(JSON.stringify(status)).not.toContain('reboot');
  });

  it('reports ranges of the Internet that nobody granted, and only these', () => {
    const unusual = (spec: Partial<KnownCluster['spec']>) =>
      conditionOf(report(spec, { published: undefined, announced: undefined }).status?.conditions, 'ObservedUnusual');
    expect(unusual(inUse)).toBeUndefined();
    expect(unusual({ origin: 'Granted', pods: ['8.8.8.0/24'] })).toBeUndefined();
    expect(unusual({ pods: ['8.8.8.0/24'] })).toMatchObject({
      status: 'True',
      reason: 'NeverGranted',
      message: `In use, and granted by nobody: 8.8.8.0/24 has addresses of the Internet. If this is right, run: kubectl -n mc patch knowncluster east --type merge -p '{"spec":{"origin":"Granted","pods":[],"services":[]}}'`,
    });
  });
});
