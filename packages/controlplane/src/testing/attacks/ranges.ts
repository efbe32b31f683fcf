import { Annotation, ResourceExport } from '@isthmus/api';
import type { Attack, Attacker, Course, Family } from './attack.ts';
import { announce, networkOf } from './as-antrea.ts';
import { importer, leader, nodes, third } from './facts.ts';
import { beyondGrant, notAllowed } from './reports.ts';

/** Further Pod CIDRs beside its own; each is named. */
const claims = (name: string, texts: readonly string[], more: Omit<Attack, 'name' | 'course'> = {}): Attack => ({
  name: `claims ${name}`,
  ...more,
  course: (attacker) => ({
    writes: [announce(attacker, { podCIDRs: [attacker.pods, ...texts] })],
    reports: texts.slice(0, 2).flatMap((text) => beyondGrant(attacker, text)),
  }),
});

const forbidden = (name: string, texts: readonly string[]): Attack => ({
  name: `claims ${name}`,
  course: (attacker) => ({
    writes: [announce(attacker, { podCIDRs: [attacker.pods, ...texts] })],
    reports: texts.slice(0, 2).flatMap((text) => notAllowed(attacker, text)),
  }),
});

/** Another Service CIDR: its own stays in use. */
const serviceRange = (name: string, text: string): Attack => ({
  name: `claims as its Service CIDR ${name}`,
  course: (attacker) => ({
    writes: [announce(attacker, { serviceCIDR: text })],
    reports: beyondGrant(attacker, text),
  }),
});

const many = (count: number, rangeOf: (at: number) => string) => Array.from({ length: count }, (_, at) => rangeOf(at));

const behind = (name: string, junk: readonly string[], text: string): Attack => ({
  name: `claims ${text} behind ${name}`,
  course: (attacker) => ({
    writes: [announce(attacker, { podCIDRs: [...junk, text] })],
    reports: beyondGrant(attacker, junk[0] ?? ''),
  }),
});

const annotated = (name: string, annotation: string, value: (attacker: Attacker) => string): Attack => ({
  name: `claims an address of the Internet with a forged annotation ${name}`,
  course: (attacker): Course => {
    const { metadata } = networkOf(attacker);
    const body = { metadata: { annotations: { [annotation]: value(attacker) } } };
    return {
      writes: [
        { verb: 'patch', type: ResourceExport, ref: metadata, body },
        announce(attacker, { podCIDRs: [attacker.pods, '8.8.4.4/32'] }),
      ],
      reports: beyondGrant(attacker, '8.8.4.4/32'),
    };
  },
});

/** What a member announces about its network, beyond its grant. */
export const ranges: Family = {
  name: 'ranges',
  attacks: [
    claims('an address of the Internet', ['8.8.8.8/32'], { advisory: 'CVE-2026-66785' }),
    claims('a network of the Internet', ['93.184.216.0/24']),
    claims('the Internet of IPv6', ['2000::/3']),
    claims('all private ranges', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']),
    claims('the Pod CIDR of another cluster', [third.pods], { advisory: 'CVE-2026-66785' }),
    claims('a part of the Pod CIDR of another cluster', ['10.20.7.0/24']),
    claims('a range around the Pod CIDR of another cluster', ['10.16.0.0/12']),
    claims('the Service CIDR of another cluster', [third.services]),
    claims('one ClusterIP of another cluster', [`${third.service}/32`]),
    claims('the Pod CIDR and the Service CIDR of the importer', [importer.pods, importer.services]),
    claims('Pods of the importer that it does not announce', [importer.nodePods]),
    claims('the API server of the importer', [`${importer.apiServer}/32`]),
    claims('the API server of the leader', [`${leader.apiServer}/32`]),
    claims('the Node on which the leader runs', [`${leader.node}/32`]),
    claims('the network of the Nodes', [nodes]),
    claims('the gateway of another cluster', [`${third.gateway}/32`]),
    claims('a range around its own one', ['10.200.0.0/14']),
    claims('a range with bits beyond its length', ['10.20.0.0/16']),
    forbidden('everything', ['0.0.0.0/0', '::/0']),
    forbidden('everything in halves', ['0.0.0.0/1', '128.0.0.0/1']),
    forbidden('the private range of IPv6', ['fc00::/7']),
    forbidden('loopback', ['127.0.0.0/8', '::1/128']),
    forbidden('link-local addresses', ['169.254.0.0/16', 'fe80::/10']),
    forbidden('the metadata of cloud providers', ['169.254.169.254/32']),
    forbidden('multicast', ['224.0.0.0/4', 'ff00::/8']),
    forbidden('unspecified and broadcast addresses', ['0.0.0.0/32', '255.255.255.255/32']),
    forbidden('Pods of another cluster as IPv4-mapped IPv6', ['::ffff:10.20.0.0/112']),
    forbidden('the Internet as IPv4-mapped IPv6', ['::ffff:8.8.8.8/128']),
    forbidden('the Internet through NAT64', ['64:ff9b::/96']),
    forbidden('texts that are not ranges', ['the internet', '10.0.0.0/33', '010.1.1.1/8', '$(reboot)']),
    behind(
      '64 other ranges',
      many(64, (at) => `8.9.${at}.0/24`),
      third.pods,
    ),
    behind(
      '1,000 other ranges',
      many(1_000, (at) => `8.${10 + (at >> 8)}.${at & 255}.0/24`),
      third.pods,
    ),
    serviceRange('an address of the Internet', '8.8.8.8/32'),
    serviceRange('the Service CIDR of another cluster', third.services),
    serviceRange('all private addresses', '10.0.0.0/8'),
    annotated('judged-ranges', Annotation.judgedRanges, ({ pods }) => `${pods} 8.8.4.4/32`),
    annotated('virtual-pod-cidrs', Annotation.virtualPodCIDRs, ({ pods }) =>
      JSON.stringify([{ own: pods, virtual: '8.8.4.0/24' }]),
    ),
    {
      name: 'claims a range in a new export, after it has withdrawn the granted one',
      course: (attacker) => ({
        writes: [
          { verb: 'delete', type: ResourceExport, ref: networkOf(attacker).metadata },
          {
            verb: 'create',
            type: ResourceExport,
            object: networkOf(attacker, { podCIDRs: [attacker.pods, '9.9.9.9/32'] }),
          },
        ],
        reports: beyondGrant(attacker, '9.9.9.9/32'),
      }),
    },
  ],
};
