import type { AgentStatus } from '@isthmus/dataplane';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../command/exit-code.ts';
import { runCli } from '../run-cli.ts';
import { madeUpIo, nobody } from '../testing/made-up-io.ts';

const desired = {
  links: { 'isthmus-gw': 'VNI 7002' },
  peers: {},
  nextHops: {},
  routes: { '7100 10.20.0.0/16': 'next hop 3' },
  rules: {},
  wireGuards: {},
  wireGuardPeers: {},
  chains: {},
  sets: {},
};

const status: AgentStatus = {
  node: 'east-1',
  isGateway: true,
  notReady: [],
  notes: [],
  problems: [
    { kind: 'EndpointSlice', namespace: 'shop', name: 'cart-west', message: 'Endpoint 10.10.1.5 is not used.' },
  ],
  encryption: 'none',
  gateways: [
    {
      address: '172.30.2.11',
      clusterID: 'west',
      device: 'isthmus-gw',
      state: 'alive',
      roundTripMs: 0.417,
      loss: 0,
      probes: 9,
      largest: 1450,
      carries: 1316,
    },
    { address: '172.30.2.12', clusterID: 'west', device: 'isthmus-gw', state: 'dead', loss: 1, probes: 9 },
  ],
  virtualPodCIDRs: [{ own: '10.10.0.0/16', virtual: '100.64.0.0/16' }],
  directPaths: {
    clusters: [
      { clusterID: 'west', family: 'IPv4', isUsed: true, asked: 2, answering: 2, roundTripMs: 0.2 },
      { clusterID: 'south', family: 'IPv4', isUsed: false, asked: 2, answering: 0 },
    ],
  },
  services: [
    {
      namespace: 'shop',
      name: 'cart',
      protocol: 'TCP',
      address: '10.99.0.80',
      port: 80,
      result: 'translate',
      endpoints: [
        { clusterID: 'west', address: '10.20.1.5', port: 8080 },
        { address: 'fd00::5', port: 8080 },
      ],
    },
  ],
  desired,
};

/** Everything that a Node without our network prints. */
const bareNode = (program: string, args: readonly string[]) =>
  Promise.resolve({
    code: 0,
    stdout: program === 'nft' ? '{"nftables":[]}' : program === 'conntrack' && args[0] === '-C' ? '7\n' : '',
    stderr: '',
  });

async function shown({
  answer,
  runTool,
  flags = [],
}: {
  readonly answer?: AgentStatus | object;
  readonly runTool?: typeof bareNode;
  readonly flags?: readonly string[];
}) {
  const io = madeUpIo({ runTool });
  const dialled: string[] = [];
  const dial = ({ server }: { readonly server: string }) => {
    dialled.push(server);
    if (answer === undefined) return nobody;
    const body = (async function* () {
      yield new TextEncoder().encode(JSON.stringify(answer));
    })();
    return { send: () => Promise.resolve({ status: 200, headers: {}, body }), close() {} };
  };
  const world = { ...io, network: { ...io.network, dial: dial as never } };
  const code = await runCli(world, ['agent', 'show', ...flags]);
  return { code, out: io.out, err: io.err, dialled };
}

describe('isthmus agent show', () => {
  it('prints what the agent wants beside what the kernel has, and a next step for each problem', async () => {
    const { code, out } = await shown({ answer: status, runTool: bareNode });
    expect(code).toBe(ExitCode.failed);
    for (const line of [
      /^Node +east-1, a gateway$/m,
      /^Agent +ready$/m,
      /^Connections +7, 0 refused$/m,
      /^172\.30\.2\.11 +west +isthmus-gw +answers +0\.42 ms +0 %$/m,
      /^172\.30\.2\.12 +west +isthmus-gw +does not answer +- +100 %$/m,
      /^10\.10\.0\.0\/16 +100\.64\.0\.0\/16$/m,
      /^west +IPv4 +without a tunnel +2 of 2 +0\.20 ms$/m,
      /^south +IPv4 +by tunnels +0 of 2 +-$/m,
      /^shop\/cart +10\.99\.0\.80:80 TCP +10\.20\.1\.5:8080 in west$/m,
      /^ +\[fd00::5\]:8080 in this cluster$/m,
      /^Tunnel devices +1 +0 +1$/m,
      /^Routes: 7100 10\.20\.0\.0\/16 +next hop 3 +not there$/m,
      /^ {2}EndpointSlice shop\/cart-west: Endpoint 10\.10\.1\.5 is not used\.\n {4}Next: /m,
      /^ {2}Packets of more than 1316 bytes to gateway 172\.30\.2\.11 of cluster west are lost .* carries 1450\..*\n {4}Next: .*--underlay-mtu/m,
      /^ {2}No answer to probes of gateway 172\.30\.2\.12 of cluster west\..*\n {4}Next: .*firewalls/m,
      /^ {2}Routes differ from the desired state: 1\.\n {4}Next: /m,
    ])
      expect(out).toMatch(line);
  });

  it('shows when the agent repairs a difference: soon after a monitor has reported it, and else within ten minutes', async () => {
    const lost = { key: 'at 172.30.2.11:51821, for 172.30.2.11/32' };
    const answer = { ...status, desired: { ...desired, wireGuardPeers: lost } };
    const { out } = await shown({ answer, runTool: bareNode });
    expect(out).toContain('Routes differ from the desired state: 1.\n    Next: The agent repairs it within a minute.');
    expect(out).toContain(
      'WireGuard peers differ from the desired state: 1.\n    Next: The agent repairs it within ten minutes.',
    );
  });

  it('reports how many connections a full tracking table has rejected, of all processors, and what to do', async () => {
    const answer = { ...status, problems: [], desired: { ...desired, links: {}, routes: {} } };
    const counted =
      'cpu=0 found=0 insert_failed=5 drop=2 early_drop=7\ncpu=1 found=0 insert_failed=0 drop=1 early_drop=0\n';
    const runTool: typeof bareNode = async (program, args) => {
      const ran = await bareNode(program, args);
      return program === 'conntrack' && args[0] === '-S' ? { ...ran, stdout: counted } : ran;
    };
    const { out } = await shown({ answer, runTool });
    expect(out).toMatch(/^Connections +7, 3 refused$/m);
    expect(out).toContain(
      '3 connections were refused since the start of this Node because the connection tracking table was full.\n    Next: Raise net.netfilter.nf_conntrack_max on this Node.',
    );
  });

  it('succeeds where nothing differs', async () => {
    const answer = { ...status, problems: [], desired: { ...desired, links: {}, routes: {} } };
    const { code, out } = await shown({ answer, runTool: bareNode });
    expect({ code, out }).toEqual({ code: ExitCode.ok, out: expect.stringMatching(/^Routes +0 +0 +0$/m) });
  });

  it.each(['json', 'yaml'])('prints the same as %s, with stable fields', async (format) => {
    const { out } = await shown({ answer: status, runTool: bareNode, flags: ['-o', format] });
    expect(out).toMatch(/"?roundTripMs"?: 0\.417/);
    if (format === 'json')
      expect(JSON.parse(out)).toMatchObject({
        node: 'east-1',
        agent: 'ready',
        gateways: [{ state: 'alive' }, { state: 'dead' }],
        network: expect.arrayContaining([
          {
            kind: 'routes',
            desired: 1,
            observed: 0,
            differences: [{ key: '7100 10.20.0.0/16', desired: 'next hop 3' }],
          },
        ]),
      });
  });

  it('reports, away from Nodes, that no agent answers and which programs are missing, and fails', async () => {
    const runTool = (program: string) => Promise.reject(new Error(`cannot run ${program}: spawn ${program} ENOENT`));
    const { code, out } = await shown({ runTool });
    expect(code).toBe(ExitCode.failed);
    expect(out).toMatch(/^Agent +does not answer$/m);
    expect(out).toMatch(/^Routes +- +- +-$/m);
    expect(out).toMatch(
      /No agent answers on this machine.*: nothing listens at http:\/\/127\.0\.0\.1:8482\.\n[^]*Next: .*kubectl exec/,
    );
    expect(out).not.toContain('API server');
    for (const program of ['ip', 'nft', 'conntrack']) expect(out).toContain(`cannot run ${program}`);
  });

  it('prints what the agent notes, each with its own next step', async () => {
    const notes = [{ message: 'Calico runs in its eBPF mode', next: 'Set what the guide lists for Calico.' }];
    const { out } = await shown({ answer: { ...status, notes }, runTool: bareNode });
    expect(out).toContain(
      'The agent reports: Calico runs in its eBPF mode.\n    Next: Set what the guide lists for Calico.\n',
    );
  });

  it('takes nothing for a difference while the agent has not read what it wants', async () => {
    const { desired: _, ...unread } = status;
    const answer = { ...unread, notReady: ['nodes are not read yet: connect ECONNREFUSED'] };
    const runTool = (program: string, args: readonly string[]) =>
      args.includes('link')
        ? Promise.resolve({
            code: 0,
            stdout:
              '[{"ifname":"isthmus-gw","address":"0a:58:ac:1e:02:0b","mtu":1450,"linkinfo":{"info_kind":"vxlan","info_data":{}}}]',
            stderr: '',
          })
        : bareNode(program, args);
    const { code, out } = await shown({ answer, runTool });
    expect(code).toBe(ExitCode.failed);
    expect(out).toMatch(/^Tunnel devices +- +1 +-$/m);
    expect(out).not.toContain('differ from the desired state');
  });

  it('does not take another program that answers for an agent', async () => {
    const { code, out } = await shown({ answer: { status: 'ok' }, runTool: bareNode });
    expect(code).toBe(ExitCode.failed);
    expect(out).toMatch(/No agent answers.*: what answers at http:\/\/127\.0\.0\.1:8482 is not an agent of Isthmus/);
  });

  it('asks the agent at the address of its flag, and on loopback otherwise', async () => {
    const flag = '--health-probe-bind-address';
    expect((await shown({ runTool: bareNode })).dialled).toEqual(['http://127.0.0.1:8482']);
    expect((await shown({ runTool: bareNode, flags: [flag, ':9'] })).dialled).toEqual(['http://127.0.0.1:9']);
    expect((await shown({ runTool: bareNode, flags: [flag, '[::1]:9'] })).dialled).toEqual(['http://[::1]:9']);
    expect((await shown({ runTool: bareNode, flags: [flag, '0'] })).dialled).toEqual([]);
  });
});
