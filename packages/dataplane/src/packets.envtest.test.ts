import type { Family } from '@isthmus/machinery';
import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import type { Host, Probe } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arrivedErrors, icmpErrors } from './testing/icmp/icmp-errors.ts';
import { importedService } from './testing/imported-service.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

/** The Service `cart`, which east has imported. Both Pods of west are its endpoints. */
const clusterIP = { IPv4: '10.99.0.1', IPv6: 'fd00:99::1' } as const;
const protocols = ['TCP', 'UDP', 'SCTP'] as const;
/** A Service whose only endpoint is the Pod on west-2. */
const single = { IPv4: '10.99.0.2', IPv6: 'fd00:99::2' } as const;
const families = ['IPv4', 'IPv6'] as const;

describe.skipIf(missingForNodes(process.env).length > 0).each(['IPv4', 'IPv6'] as const)(
  'packets between two clusters with a gateway each, in tunnels over %s',
  (underlay) => {
    let lab: ProgrammedLab;

    beforeAll(async () => {
      lab = await startProgrammedLab({ clusters: { east: { nodes: 2 }, west: { nodes: 2 } } });
      const servers = ['west-1', 'west-2'];
      const services = protocols.flatMap((protocol) => [
        importedService(clusterIP.IPv4, { protocol, endpoints: servers.map((name) => lab.pod(name).address) }),
        importedService(clusterIP.IPv6, { protocol, endpoints: servers.map((name) => lab.pod(name).address6) }),
      ]);
      for (const family of families)
        services.push(importedService(single[family], { protocol: 'UDP', endpoints: [podAddress('west-2', family)] }));
      await lab.program({ gateways: ['east-1', 'west-1'], services, underlay });
      for (const name of servers) await lab.pod(name).start(...echoServer(name));
    });
    afterAll(() => lab?.[Symbol.asyncDispose]());

    const podAddress = (name: string, family: Family) =>
      family === 'IPv4' ? lab.pod(name).address : lab.pod(name).address6;
    const probesOf = (family: 'IPv4' | 'IPv6'): readonly (Probe & { readonly name: string })[] =>
      protocols.flatMap((protocol) => [
        ...['west-1', 'west-2'].map((name) => ({
          name,
          protocol,
          address: family === 'IPv4' ? lab.pod(name).address : lab.pod(name).address6,
          port: 8080,
        })),
        // Often enough that each endpoint is chosen.
        ...Array.from({ length: 12 }, () => ({ name: 'cart', protocol, address: clusterIP[family], port: 80 })),
      ]);

    test.each(families)(
      'reach Pods and the imported Service from Pods on a gateway and on another Node, which the servers see under their own addresses: %s',
      async (family) => {
        for (const client of ['east-1', 'east-2']) {
          const probes = probesOf(family);
          const answers = await askFrom(lab.pod(client), probes);
          const own = family === 'IPv4' ? lab.pod(client).address : lab.pod(client).address6;
          probes.forEach(({ name }, index) => {
            const expected = name === 'cart' ? [`west-1 ${own}`, `west-2 ${own}`] : [`${name} ${own}`];
            expect(expected, `${client}: ${JSON.stringify(probes[index])}`).toContain(answers[index]);
          });
          expect(new Set(answers.map((answer) => answer.split(' ')[0]))).toEqual(new Set(['west-1', 'west-2']));
        }
      },
    );

    test.each(families)(
      'reach them from the network of a Node, which the servers see under an address of its Pod CIDR: %s',
      async (family) => {
        for (const client of ['east-1', 'east-2']) {
          const { place, layout } = lab.node(client);
          const host: Host = place;
          const probes = probesOf(family);
          const answers = await askFrom(host, probes);
          const [seen = ''] = (family === 'IPv4' ? layout.podCIDR : layout.podCIDR6).split('/');
          probes.forEach(({ name }, index) => {
            const expected = name === 'cart' ? [`west-1 ${seen}`, `west-2 ${seen}`] : [`${name} ${seen}`];
            expect(expected, `${client}: ${JSON.stringify(probes[index])}`).toContain(answers[index]);
          });
        }
      },
    );

    test.for(families)(
      'that Nodes of the other cluster cannot deliver are reported to the client at once, which then sends smaller ones or ends: %s',
      async (family, { annotate }) => {
        const { outcomes, longestMs } = await icmpErrors(lab, family, { address: single[family], port: 80 });
        expect(outcomes).toEqual(arrivedErrors(family));
        await annotate(`${longestMs} ms at most`);
      },
    );
  },
);
