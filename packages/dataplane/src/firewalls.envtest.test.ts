import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFirewalls } from './surroundings/firewall.ts';
import { readDevices } from './surroundings/read-devices.ts';
import { cidr } from './testing/addresses.ts';
import { importedService } from './testing/imported-service.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const names = ['east-1', 'east-2', 'west-1', 'west-2'] as const;
const clusterIP = '10.99.0.1';
const silenceMs = 1_500;

/**
 * A firewall in the form in which its program writes it, as commands for a shell. `accepted`: with
 * the rules that the guide asks for; `pods`: the Pod CIDR of the cluster.
 */
type Firewall = (options: { readonly accepted: boolean; readonly pods: string }) => readonly string[];

/**
 * The rules of Docker. The only packets that kube-proxy accepts are answers of tracked connections.
 */
const docker: Firewall = ({ accepted }) => [
  'iptables -P FORWARD DROP',
  'iptables -N DOCKER-USER',
  'iptables -A FORWARD -j DOCKER-USER',
  'iptables -A FORWARD -m conntrack --ctstate INVALID -j DROP',
  'iptables -A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
  ...(accepted
    ? ['iptables -I DOCKER-USER -i isthmus-+ -j ACCEPT', 'iptables -I DOCKER-USER -o isthmus-+ -j ACCEPT']
    : []),
];

/**
 * The rules of firewalld. If `accepted`, its zone `trusted` has the port, the devices and the Pod
 * CIDR.
 */
const firewalld: Firewall = ({ accepted, pods }) => {
  const chain = (hook: string, own: readonly string[]) => [
    `nft 'add chain inet firewalld filter_${hook.toUpperCase()} { type filter hook ${hook} priority 10; policy accept; }'`,
    ...[
      'ct state { established, related } accept',
      'ct status dnat accept',
      'iifname "lo" accept',
      'ct state invalid drop',
      'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
      ...(accepted ? ['iifname "isthmus-*" accept', `ip saddr ${pods} accept`, ...own] : []),
      'reject with icmpx type admin-prohibited',
    ].map((rule) => `nft 'add rule inet firewalld filter_${hook.toUpperCase()} ${rule}'`),
  ];
  return ['nft add table inet firewalld', ...chain('input', ['udp dport 8479 accept']), ...chain('forward', [])];
};

describe.skipIf(missingForNodes(process.env).length > 0)('packets between clusters whose Nodes have a firewall', () => {
  let lab: ProgrammedLab;
  beforeAll(async () => {
    lab = await startProgrammedLab({ clusters: { east: { nodes: 2 }, west: { nodes: 2 } } });
    for (const name of ['west-1', 'west-2']) await lab.pod(name).start(...echoServer(name));
    await lab.program({
      gateways: ['east-1', 'west-1'],
      services: [
        importedService(clusterIP, {
          protocol: 'TCP',
          endpoints: ['west-1', 'west-2'].map((name) => lab.pod(name).address),
        }),
      ],
    });
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const podsOf = (name: string) => lab.clusters[name.split('-')[0] ?? '']?.layout.clusterCIDRs[0] ?? '';
  const write = async (firewall: Firewall, accepted: boolean) => {
    const removed = [
      'iptables -P FORWARD ACCEPT',
      'iptables -F',
      'iptables -X',
      'nft add table inet firewalld',
      'nft delete table inet firewalld',
    ];
    for (const name of names) {
      const script = [...removed, ...firewall({ accepted, pods: podsOf(name) })].join('\n');
      expect(await lab.node(name).place.run('sh', ['-e'], script)).toMatchObject({ code: 0 });
    }
  };
  /** The number of questions of Pods and Nodes of east that are answered. */
  const answered = async () => {
    let count = 0;
    for (const name of ['east-1', 'east-2'])
      for (const host of [lab.pod(name), lab.node(name).place]) {
        const targets = [lab.pod('west-1').address, lab.pod('west-2').address].map((address) => ({
          address,
          port: 8080,
        }));
        const probes = [...targets, { address: clusterIP, port: 80 }].map((target) => ({
          ...target,
          protocol: 'TCP' as const,
          waitMs: silenceMs,
        }));
        count += (await askFrom(host, probes)).filter((answer) => answer.startsWith('west-')).length;
      }
    return count;
  };
  const reported = async () => {
    const found = await Promise.all(names.map((name) => readFirewalls(lab.node(name).place.run, [cidr(podsOf(name))])));
    return found.filter((messages) => messages.length === 1).length;
  };

  test.each([
    ['Docker', docker],
    ['firewalld', firewalld],
  ])('are lost, which each Node reports, until it accepts what the guide names: %s', async (_, firewall) => {
    await write(firewall, false);
    expect({ reported: await reported(), answered: await answered() }).toEqual({ reported: 4, answered: 0 });
    await write(firewall, true);
    expect({ reported: await reported(), answered: await answered() }).toEqual({ reported: 0, answered: 12 });
  });

  test('are lost, which each Node reports, as long as its kernel forwards no packets', async () => {
    await write(() => [], true);
    const set = async (forwarding: 0 | 1) => {
      for (const name of names)
        await lab.node(name).place.run('sysctl', ['-w', `net.ipv4.ip_forward=${forwarding}`], '');
    };
    const silent = async () => {
      const found = await Promise.all(names.map((name) => readDevices(lab.node(name).place.run)));
      return found.filter(({ notForwarding }) => notForwarding.has('IPv4')).length;
    };
    await set(0);
    expect({ reported: await silent(), answered: await answered() }).toEqual({ reported: 4, answered: 0 });
    await set(1);
    expect({ reported: await silent(), answered: await answered() }).toEqual({ reported: 0, answered: 12 });
  });
});
