import fc from 'fast-check';
import type { Address, Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import { askFrom, echoServer, missingForNodes, sweepRuns } from '@isthmus/testkit';
import type { Probe } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportedService, ServiceEndpoint } from '../desired/cluster-network.ts';
import { address } from '../testing/addresses.ts';
import type { ProxyMode } from '../testing/kube-proxy.ts';
import { proxyModes, writeKubeProxy } from '../testing/kube-proxy.ts';
import { labNetwork } from '../testing/lab-network.ts';
import type { LabState, ProgrammedLab } from '../testing/programmed-lab.ts';
import { startProgrammedLab } from '../testing/programmed-lab.ts';
import type { Packet } from './packet.ts';
import type { RoundTrip } from './walk.ts';
import { allRoundTrips } from '../testing/all-round-trips.ts';
import type { World } from './world.ts';
import { worldNodes } from './world.ts';

/** In a sweep, a thousand probes. */
const rounds = sweepRuns(50, { oneIn: 50 });
const probesPerRound = 20;
/** Long enough for an answer that would contradict the oracle. */
const silenceMs = 1_500;

const names = ['east-1', 'east-2', 'west-1', 'west-2', 'south-1'] as const;
const families = ['IPv4', 'IPv6'] as const;
const protocols = ['TCP', 'UDP'] as const;

interface DrawnProbe {
  readonly client: (typeof names)[number];
  readonly isNode: boolean;
  readonly family: Family;
  readonly protocol: (typeof protocols)[number];
  /** The number of a Service, or the Node of a Pod. */
  readonly to: number | (typeof names)[number];
}

/** The Nodes whose cluster exports ClusterIPs: Service 4 always, Service 5 in some runs. */
const exporters = ['west-1', 'west-2'] as const;

const states = fc.record({
  behind: fc.array(fc.subarray([...exporters]), { minLength: 2, maxLength: 2 }),
  exportsBoth: fc.boolean(),
  serviceFamily: fc.constantFrom(...families),
  proxyMode: fc.constantFrom(...proxyModes),
  gateways: fc.subarray([...names], { minLength: 2 }),
  services: fc.array(fc.subarray([...names]), { minLength: 3, maxLength: 3 }),
  affinity: fc.boolean(),
});
const probes: fc.Arbitrary<DrawnProbe> = fc.record({
  client: fc.constantFrom(...names),
  isNode: fc.boolean(),
  family: fc.constantFrom(...families),
  protocol: fc.constantFrom(...protocols),
  to: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(...names)),
});

describe.skipIf(missingForNodes(process.env).length > 0)('the way of a packet', () => {
  let lab: ProgrammedLab;
  beforeAll(async () => {
    lab = await startProgrammedLab({ clusters: { east: { nodes: 2 }, west: { nodes: 2 }, south: { nodes: 1 } } });
    for (const name of names) await lab.pod(name).start(...echoServer(name));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const podAddress = (name: string, family: Family): Address =>
    address(family === 'IPv4' ? lab.pod(name).address : lab.pod(name).address6);
  const serviceAddress = (index: number, family: Family): Address =>
    address(family === 'IPv4' ? `10.99.0.${index + 1}` : `fd00:99::${index + 1}`);
  /** Every cluster imports the same Services. */
  const stateOf = ({ gateways, services, affinity, exportsBoth, serviceFamily }: Drawn): LabState => {
    const imported = (index: number, family: Family, endpoints: readonly ServiceEndpoint[]) =>
      protocols.map((protocol): ImportedService => ({
        namespace: 'shop',
        name: `service-${index}`,
        protocol,
        address: serviceAddress(index, family),
        port: 80,
        endpoints,
        ...(affinity && index === 0 ? { affinitySeconds: 10_800 } : {}),
      }));
    return {
      gateways,
      services: [
        ...services.flatMap((endpoints, index) =>
          families.flatMap((family) =>
            imported(
              index,
              family,
              endpoints.map((name) => ({
                clusterID: name.split('-')[0] ?? '',
                address: podAddress(name, family),
                port: 8080,
              })),
            ),
          ),
        ),
        ...[4, 5].flatMap((index) =>
          imported(index, serviceFamily, [
            { clusterID: 'west', address: address(clusterIP(index, serviceFamily)), port: 80 },
          ]),
        ),
      ],
      serviceFamily,
      exported: { west: (exportsBoth ? [4, 5] : [4]).map((index) => clusterIP(index, serviceFamily)) },
    };
  };
  const west = () => lab.clusters['west']?.layout ?? expect.fail('there is no cluster west');
  const clusterIP = (index: number, family: Family): string =>
    family === 'IPv4'
      ? west().serviceCIDR.replace(/0\/16$/, `${index}`)
      : west().serviceCIDR6.replace(/\/112$/, `${index}`);
  /** The Services of kube-proxy in west. */
  const clusterIPsOf = ({ behind, serviceFamily }: Drawn) =>
    behind.map((pods, position) => ({
      address: clusterIP(4 + position, serviceFamily),
      endpoints: pods.map((name) => ({ address: podAddress(name, serviceFamily), port: 8080 })),
    }));
  const writeProxies = async (drawn: Drawn) => {
    const services = clusterIPsOf(drawn).map((service) => ({
      clusterIP: service.address,
      port: 80,
      endpoints: service.endpoints.map((one) => ({ address: addressText(one.address), port: one.port })),
    }));
    await Promise.all(
      exporters.map((name) => writeKubeProxy(lab.node(name).place, west(), { mode: drawn.proxyMode, services })),
    );
  };
  const worldOf = (state: LabState, drawn: Drawn): World => ({
    clusterIPs: clusterIPsOf(drawn).flatMap((service) =>
      protocols.map((protocol) => ({
        clusterID: 'west',
        address: address(service.address),
        protocol,
        port: 80,
        endpoints: service.endpoints,
      })),
    ),
    nodes: Object.values(lab.clusters).flatMap((cluster) => {
      const [first] = cluster.nodes;
      if (first === undefined) return [];
      return worldNodes(cluster.layout.name, labNetwork(lab, first, state)).map((node) => ({
        ...node,
        addresses: [...node.addresses, address(lab.node(node.name).layout.address6)],
      }));
    }),
  });
  const probeOf = ({ protocol, family, to }: DrawnProbe): Probe & { readonly protocol: 'TCP' | 'UDP' } => ({
    protocol,
    address: addressText(typeof to === 'number' ? serviceAddress(to, family) : podAddress(to, family)),
    port: typeof to === 'number' ? 80 : 8080,
  });
  const packetOf = (drawn: DrawnProbe): Packet => {
    const { layout } = lab.node(drawn.client);
    const own = address(drawn.family === 'IPv4' ? layout.address : layout.address6);
    const probe = probeOf(drawn);
    return {
      protocol: probe.protocol,
      source: drawn.isNode ? own : podAddress(drawn.client, drawn.family),
      sourcePort: 40_000,
      destination: address(probe.address),
      destinationPort: probe.port,
    };
  };
  /** What the client sees of a round trip: `<server> <client as the server sees it>`. */
  const seen = ({ request, answer }: RoundTrip, { source }: Packet): string => {
    if (request.end.kind !== 'delivered' || answer?.end.kind !== 'delivered') return 'no answer';
    const back = answer.end.packet;
    const { destination, destinationPort, source: client } = request.end.packet;
    const server = names.find((name) =>
      families.some((family) => addressText(podAddress(name, family)) === addressText(destination)),
    );
    if (server === undefined || destinationPort !== 8080) return 'no answer';
    return addressText(back.destination) === addressText(source) ? `${server} ${addressText(client)}` : 'no answer';
  };

  test('is in the kernel one of those that the oracle knows, for random networks and probes', async ({ annotate }) => {
    const drawn = fc.sample(
      fc.tuple(states, fc.array(probes, { minLength: probesPerRound, maxLength: probesPerRound })),
      { seed: 20_261_126, numRuns: rounds },
    );
    let answered = 0;
    let throughClusterIPs = 0;
    for (const [draw, questions] of drawn) {
      const state = stateOf(draw);
      await writeProxies(draw);
      await lab.program(state);
      const world = worldOf(state, draw);
      const asked = questions.map((question) => {
        const packet = packetOf(question);
        return { question, expected: new Set(allRoundTrips(world, packet).map((trip) => seen(trip, packet))) };
      });
      // In parallel, because each client waits until its unanswered questions time out.
      const groups = Map.groupBy(asked, ({ question }) => `${question.client} ${question.isNode}`);
      const askGroup = async (group: typeof asked) => {
        const [{ question: { client, isNode } } = asked[0] ?? expect.fail('nothing is asked')] = group;
        const host = isNode ? lab.node(client).place : lab.pod(client);
        const answers = await askFrom(
          host,
          group.map(({ question, expected }) => ({
            ...probeOf(question),
            waitMs: expected.has('no answer') ? silenceMs : undefined,
          })),
        );
        group.forEach(({ question, expected }, index) => {
          const answer = /^\S+-\d /.test(answers[index] ?? '') ? answers[index] : 'no answer';
          expect([...expected], JSON.stringify({ question, draw, said: answers[index] })).toContain(answer);
          if (answer !== 'no answer') answered++;
          if (answer !== 'no answer' && (question.to === 4 || question.to === 5)) throughClusterIPs++;
        });
      };
      await Promise.all([...groups.values()].map(askGroup));
    }
    expect(answered).toBeGreaterThan((rounds * probesPerRound) / 4);
    await annotate(
      `${rounds * probesPerRound} probes, ${answered} answered, ${throughClusterIPs} of them through ClusterIPs`,
    );
  });
});

interface Drawn {
  readonly behind: readonly (readonly (typeof exporters)[number][])[];
  readonly exportsBoth: boolean;
  readonly serviceFamily: Family;
  readonly proxyMode: ProxyMode;
  readonly gateways: readonly string[];
  readonly services: readonly (readonly string[])[];
  readonly affinity: boolean;
}
