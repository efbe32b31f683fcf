import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressText } from '@isthmus/machinery';
import { gatewayDevice } from './desired/devices.ts';
import { tunnelAddresses } from './desired/tunnel-addresses.ts';
import { address as parsed } from './testing/addresses.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

/**
 * Long enough for an answer on a machine that is very busy. If there is no answer, only this time
 * is lost.
 */
const waitMs = 3_000;

describe.skipIf(missingForNodes(process.env).length > 0)('a gateway', () => {
  let lab: ProgrammedLab;

  beforeAll(async () => {
    lab = await startProgrammedLab({ clusters: { east: { nodes: 1 }, west: { nodes: 1 }, evil: { nodes: 2 } } });
    await lab.program({ gateways: ['east-1', 'west-1', 'evil-1'], services: [] });
    await lab.pod('west-1').start(...echoServer('west-1'));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  /** The packets that the gateway of west has dropped because of their source. */
  const dropped = async () => {
    const { stdout } = await lab
      .node('west-1')
      .place.run('nft', ['list', 'chain', 'inet', 'isthmus', 'tunnel-packets']);
    return Number(/dport 8479 counter packets (\d+)/.exec(stdout)?.[1]);
  };
  /** The packets that it has dropped because of their destination. */
  const misdirected = async (rule = 'ip daddr != @exported4') => {
    const { stdout } = await lab.node('west-1').place.run('nft', ['list', 'chain', 'inet', 'isthmus', 'from-clusters']);
    const line = stdout.split('\n').find((one) => one.includes(`${rule} counter`)) ?? '';
    return Number(/counter packets (\d+)/.exec(line)?.[1]);
  };
  /**
   * The packets that it has dropped because they were for one of its own programs: new connections
   * before kube-proxy sees them, all others after it.
   */
  const refused = async () => {
    const { run } = lab.node('west-1').place;
    const printed = await Promise.all(
      ['to-node-ports', 'to-node'].map((chain) => run('nft', ['list', 'chain', 'inet', 'isthmus', chain])),
    );
    const counts = printed.flatMap(({ stdout }) => [...stdout.matchAll(/counter packets (\d+)/g)]);
    return counts.reduce((sum, [, packets]) => sum + Number(packets), 0);
  };
  const probe = () => ({ protocol: 'UDP', address: lab.pod('west-1').address, port: 8080, waitMs }) as const;

  test('lets in the Pods of a cluster through its gateway', async () => {
    const answers = await askFrom(lab.pod('evil-1'), [{ ...probe(), waitMs: undefined }]);
    expect(answers).toEqual([`west-1 ${lab.pod('evil-1').address}`]);
    expect(await dropped()).toBe(0);
  });

  test('gets no marks from another cluster, and a Node sends none, not even on the packets of its tunnels', async () => {
    const { place: evil } = lab.node('evil-1');
    const { place: west } = lab.node('west-1');
    const nft = async ({ run }: typeof evil, ...lines: readonly string[]) =>
      expect(await run('nft', ['-f', '-'], lines.join('\n'))).toMatchObject({ code: 0, stderr: '' });
    const marked = async () => {
      const { stdout } = await evil.run('nft', ['list', 'chain', 'ip', 'marks', 'outer']);
      return Number(/counter packets (\d+)/.exec(stdout)?.[1]);
    };
    const asked = () => askFrom(lab.pod('evil-1'), [{ ...probe(), waitMs: undefined }]);
    const answer = [`west-1 ${lab.pod('evil-1').address}`];
    // A mark that the Node uses itself.
    await nft(
      evil,
      'add table ip marks',
      'add chain ip marks own { type filter hook prerouting priority -50; }',
      'add rule ip marks own meta mark set 0x4000',
      'add chain ip marks outer { type filter hook output priority -450; }',
      'add rule ip marks outer udp dport 8479 meta mark != 0 counter',
    );
    await nft(
      west,
      'add table ip marks',
      'add chain ip marks arriving { type filter hook prerouting priority -50; }',
      `add rule ip marks arriving iifname "${gatewayDevice}" meta mark != 0 drop`,
      // The mark is for the packets of tunnels: the packets inside do not have it.
      'add rule ip marks arriving udp dport 8479 meta mark set 0x8000',
    );
    expect(await asked()).toEqual(answer);
    expect(await marked()).toBe(0);
    // A hostile Node adds these rules after our chains.
    await nft(
      evil,
      'add chain ip marks late { type filter hook postrouting priority 301; }',
      `add rule ip marks late oifname "${gatewayDevice}" meta mark set 0x4000`,
    );
    expect(await asked()).toEqual(answer);
    expect(await marked()).toBeGreaterThan(0);
    for (const place of [evil, west]) await nft(place, 'delete table ip marks');
  });

  test('does not forward from one of the other clusters to another', async () => {
    const evil = lab.node('evil-1').place;
    // It sends packets for east to the gateway of west.
    await evil.run('ip', [
      'route',
      'replace',
      lab.pod('east-1').address,
      'via',
      lab.node('west-1').layout.address,
      'dev',
      gatewayDevice,
      'onlink',
      'table',
      '7100',
    ]);
    const toEast = { protocol: 'UDP', address: lab.pod('east-1').address, port: 8080, waitMs } as const;
    const before = await misdirected();
    expect(await askFrom(lab.pod('evil-1'), [toEast])).toEqual(['no answer']);
    expect(await misdirected()).toBeGreaterThan(before);
  });

  test('lets another cluster reach its Pods, and neither its Nodes nor anything behind them', async () => {
    const evil = lab.node('evil-1').place;
    const { place } = lab.node('west-1');
    const address = '192.0.2.77';
    await place.run('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo']);
    await place.start('echo', ...echoServer('the Node'));
    expect(await askFrom(lab.node('west-1').place, [{ ...probe(), address, waitMs: undefined }])).toEqual([
      `the Node ${address}`,
    ]);
    // No masquerade hides the Pod behind the address of its Node, and the tunnel leads to the
    // gateway.
    await evil.run('nft', ['delete', 'table', 'inet', 'cni']);
    const gateway = lab.node('west-1').layout.address;
    await evil.run('ip', [
      'route',
      'replace',
      address,
      'via',
      gateway,
      'dev',
      gatewayDevice,
      'onlink',
      'table',
      '7100',
    ]);
    const before = await misdirected();
    expect(await askFrom(lab.pod('evil-1'), [{ ...probe(), address }])).toEqual(['no answer']);
    expect(await misdirected()).toBeGreaterThan(before);
  });

  test('lets another cluster reach no program of a Node by an address that this has among those of its Pods, as on a bridge', async () => {
    const { place, layout } = lab.node('west-1');
    const address = layout.podCIDR.replace(/0\/\d+$/, '1');
    const address6 = layout.podCIDR6.replace(/\/\d+$/, '1');
    await place.run('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo']);
    await place.run('ip', ['-6', 'addr', 'add', `${address6}/128`, 'dev', 'lo', 'nodad']);
    const probes = [address, address6].flatMap((one) =>
      (['UDP', 'TCP'] as const).map((protocol) => ({ ...probe(), protocol, address: one })),
    );
    expect(await askFrom(lab.pod('west-1'), probes)).toEqual(probes.map(() => expect.stringMatching(/^the Node /)));
    const before = await refused();
    expect(await askFrom(lab.pod('evil-1'), probes)).toEqual(probes.map(() => expect.not.stringMatching(/^the Node /)));
    expect(await refused()).toBeGreaterThan(before);
  });

  test('lets another cluster reach no program of a Node by the address that this has in the tunnel', async () => {
    const { place: evil, layout } = lab.node('evil-1');
    const { link } = tunnelAddresses(parsed(lab.node('west-1').layout.address));
    // An address that the cluster owns, so that its tunnel packets are accepted.
    const source = layout.podCIDR6.replace(/\/\d+$/, '99');
    await evil.run('ip', ['-6', 'addr', 'add', `${source}/128`, 'dev', 'lo', 'nodad']);
    // Its own table would drop the answers.
    await evil.run('nft', ['flush', 'chain', 'inet', 'isthmus', 'received']);
    const program = `
      const at = { host: '${addressText(link)}%${gatewayDevice}', port: 8080, localAddress: '${source}' };
      const socket = require('node:net').connect(at, () => { console.log('connected'); process.exit(); });
      socket.on('error', ({ message }) => { console.log(message); process.exit(); });
      setTimeout(() => process.exit(), ${waitMs});`;
    const before = await misdirected('ip6 saddr != fe80::/10');
    expect(await evil.run(process.execPath, ['-e', program])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await misdirected('ip6 saddr != fe80::/10')).toBeGreaterThan(before);
  });

  test('drops and counts packets of another cluster that bear addresses which that cluster does not own', async () => {
    const evil = lab.node('evil-1').place;
    // Its own table would replace the source by the address of the Node.
    await evil.run('nft', ['flush', 'chain', 'inet', 'isthmus', 'source']);
    await evil.run('ip', ['addr', 'add', `${lab.pod('east-1').address}/32`, 'dev', 'lo']);
    const { address } = lab.pod('west-1');
    const before = await dropped();
    await evil.run('ip', [
      'route',
      'replace',
      address,
      'via',
      lab.node('west-1').layout.address,
      'dev',
      gatewayDevice,
      'onlink',
      'src',
      lab.pod('east-1').address,
      'table',
      '7100',
    ]);
    expect(await askFrom(evil, [probe()])).toEqual(['no answer']);
    expect(await dropped()).toBeGreaterThan(before);
  });

  test('drops and counts tunnel packets from a host that is not a gateway', async () => {
    const before = await dropped();
    // Another Node of the cluster creates the same tunnel as its gateway.
    const other = lab.node('evil-2').place;
    const link = await other.run('sh', [
      '-ec',
      `ip link add ${gatewayDevice} type vxlan id 7002 dstport 8479 local ${lab.node('evil-2').layout.address} nolearning gbp
       ip link set ${gatewayDevice} up
       bridge fdb replace 0a:58:ac:1e:02:0b dev ${gatewayDevice} dst ${lab.node('west-1').layout.address}
       ip neigh replace ${lab.node('west-1').layout.address} lladdr 0a:58:ac:1e:02:0b dev ${gatewayDevice} nud permanent
       ip route replace ${lab.pod('west-1').address} via ${lab.node('west-1').layout.address} dev ${gatewayDevice} onlink table 7100`,
    ]);
    expect(link).toMatchObject({ code: 0, stderr: '' });
    expect(await askFrom(lab.pod('evil-2'), [probe()])).toEqual(['no answer']);
    expect(await dropped()).toBeGreaterThan(before);
  });

  test('leads nobody to a NodePort by an address that the Node has among those of its Pods', async () => {
    const { place, layout } = lab.node('west-1');
    const own = layout.podCIDR.replace(/0\/\d+$/, '1');
    const script = `
      ip addr replace ${own}/32 dev lo
      nft 'table ip node-ports { chain nat { type nat hook prerouting priority -100; fib daddr type local udp dport 30080 dnat to ${lab.pod('west-1').address}:8080; }; }'`;
    expect(await place.run('sh', ['-ec', script])).toMatchObject({ code: 0, stderr: '' });
    const ended = async () => {
      const { stdout } = await place.run('nft', ['list', 'chain', 'inet', 'isthmus', 'to-node-ports']);
      return Number(/ip daddr != @exported4 .*counter packets (\d+)/.exec(stdout)?.[1]);
    };
    const before = await ended();
    const asked = { protocol: 'UDP', address: own, port: 30_080, waitMs } as const;
    expect(await askFrom(lab.pod('evil-1'), [asked])).toEqual(['no answer']);
    expect(await ended()).toBeGreaterThan(before);
    await place.run('sh', ['-ec', `nft delete table ip node-ports; ip addr del ${own}/32 dev lo`]);
  });
});
