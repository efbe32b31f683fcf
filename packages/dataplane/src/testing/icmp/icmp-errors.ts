import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Family } from '@isthmus/machinery';
import type { Host, PacketLab } from '@isthmus/testkit';
import { waitLimitMs } from '@isthmus/testkit';
import { nodeDevice } from '../../desired/devices.ts';

type Lab = Pick<PacketLab, 'node' | 'pod'>;

/** What became of the packets that {@link icmpErrors} sent, by what had to be reported. */
export type IcmpOutcomes = Readonly<Record<string, string>>;

/** An unreachable route is reported in another way in each family. */
const noHost = { IPv4: 'EHOSTUNREACH', IPv6: 'ENETUNREACH' } as const;

/** The outcomes if each error arrives. */
export const arrivedErrors = (family: Family): IcmpOutcomes => ({
  ...Object.fromEntries(
    farNodes.flatMap(({ what }) => [
      [`${what}: path MTU`, 'answered'],
      [`${what}: UDP is rejected`, 'ECONNREFUSED'],
      [`${what}: UDP of a Node is rejected`, 'ECONNREFUSED'],
      [`${what}: TCP is rejected`, 'ECONNREFUSED'],
      [`${what}: no host`, noHost[family]],
      [`${what}: TTL`, 'arrived'],
    ]),
  ),
  'far Node: path MTU, through the Service': 'answered',
  'far gateway: TCP whose path becomes smaller': 'answered',
});

/** The Nodes of west that send the errors, and how many Nodes pass the packet on before. */
const farNodes = [
  { what: 'far gateway', name: 'west-1', hops: 3 },
  { what: 'far Node', name: 'west-2', hops: 4 },
] as const;

/** An unused port, whose packets {@link rejecting} rejects. */
const rejected = 9;
const rejecting = `table inet rejecting { chain forward { type filter hook forward priority 0;
  udp dport ${rejected} reject; tcp dport ${rejected} reject with icmpx port-unreachable; }; }`;

/**
 * Sends packets from a Pod of east-2 that Nodes of west cannot deliver. East-1 and west-1 are the
 * gateways, and Pods of west have echo servers. `service`: an address whose endpoint is the Pod of
 * west-2. Resolves to what the client saw, and to the longest time in milliseconds.
 */
export async function icmpErrors(
  lab: Lab,
  family: Family,
  service: { readonly address: string; readonly port: number },
): Promise<{ readonly outcomes: IcmpOutcomes; readonly longestMs: number }> {
  const outcomes: Record<string, string> = {};
  let longestMs = 0;
  const pod = lab.pod('east-2');
  const addressOf = (name: string) => (family === 'IPv4' ? lab.pod(name).address : lab.pod(name).address6);
  const see = async (what: string, host: Host, question: Question) => {
    const [outcome = '', ms] = (await send(host, question)).split(' ');
    outcomes[what] = outcome;
    longestMs = Math.max(longestMs, Number(ms));
  };
  const server = { address: addressOf('west-2'), port: 8080 };
  // Each MTU is smaller than the one before, so nothing that the client remembers is enough.
  const large = { protocol: 'UDP', bytes: 1330 } as const;
  await withMTU(lab, 'west-1', nodeDevice, 1300, () => see('far gateway: path MTU', pod, { ...large, ...server }));
  await withMTU(lab, 'west-2', 'pod0', 1294, () => see('far Node: path MTU', pod, { ...large, ...server }));
  await withMTU(lab, 'west-2', 'pod0', 1288, () =>
    see('far Node: path MTU, through the Service', pod, { ...large, ...service }),
  );
  for (const { what, name, hops } of farNodes) {
    const { run } = lab.node(name).place;
    const port = { address: server.address, port: rejected };
    await run('nft', ['-f', '-'], rejecting);
    await see(`${what}: UDP is rejected`, pod, { protocol: 'UDP', ...port });
    await see(`${what}: UDP of a Node is rejected`, lab.node('east-2').place, { protocol: 'UDP', ...port });
    await see(`${what}: TCP is rejected`, pod, { protocol: 'TCP', ...port });
    await run('nft', ['delete', 'table', 'inet', 'rejecting']);
    const { podCIDR, podCIDR6 } = lab.node(name).layout;
    const range = family === 'IPv4' ? podCIDR : podCIDR6;
    await run('ip', ['route', 'add', 'unreachable', range]);
    const nobody = addressOf(name).replace(/2$/, '77');
    await see(`${what}: no host`, pod, { protocol: 'TCP', address: nobody, port: 8080 });
    await run('ip', ['route', 'del', 'unreachable', range]);
    const [first = ''] = range.split('/');
    outcomes[`${what}: TTL`] = await timeExceeded(pod, { ...server, first, hops });
  }
  const what = 'far gateway: TCP whose path becomes smaller';
  outcomes[what] = await withSmallerPath(lab, addressOf('west-2'));
  return { outcomes, longestMs };
}

interface Question {
  readonly protocol: 'TCP' | 'UDP';
  readonly address: string;
  readonly port: number;
  readonly bytes?: number;
  readonly ttl?: number;
}

/** Resolves to the answer or the error that a client gets, and after how many milliseconds. */
async function send(host: Host, question: Question): Promise<string> {
  const { stdout, stderr } = await host.run(process.execPath, ['-e', client], JSON.stringify(question));
  return stdout.trim() || stderr;
}

/**
 * UDP is sent again and again: the error about one packet helps only the next. In a lab an error
 * may be there before the kernel has returned from `connect`. It then counts after one more SYN.
 */
const client = `
  const { protocol, address, port, bytes = 4, ttl } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  const startedMs = performance.now();
  const end = (what) => (console.log(what, Math.ceil(performance.now() - startedMs)), process.exit());
  setTimeout(() => end('silence'), ttl === undefined ? ${waitLimitMs()} : 200);
  if (protocol === 'TCP') {
    const socket = require('net').connect(port, address, () => end('connected'));
    socket.on('error', ({ code }) => end(code));
  } else {
    const socket = require('dgram').createSocket(address.includes(':') ? 'udp6' : 'udp4');
    // A packet that is too large is an error once. The kernel then sends smaller fragments.
    const failed = ({ code }) => code === 'EMSGSIZE' || end(code);
    socket.on('error', failed).on('message', () => end('answered'));
    socket.connect(port, address, () => {
      if (ttl !== undefined) socket.setTTL(ttl);
      const next = () => socket.send(Buffer.alloc(bytes), (error) => error && failed(error));
      next();
      setInterval(next, 100);
    });
  }`;

async function withMTU(lab: Lab, node: string, dev: string, mtu: number, work: () => Promise<void>): Promise<void> {
  const { run } = lab.node(node).place;
  const { stdout } = await run('ip', ['-j', 'link', 'show', dev]);
  const [before] = JSON.parse(stdout) as readonly { readonly mtu: number }[];
  await run('ip', ['link', 'set', dev, 'mtu', String(mtu)]);
  await work();
  await run('ip', ['link', 'set', dev, 'mtu', String(before?.mtu)]);
}

/**
 * Whether a packet that may pass so many Nodes is reported by the Node whose Pods have addresses
 * after `first`. A client without rights does not see that, but its network counts it.
 */
async function timeExceeded(
  pod: Host,
  {
    first,
    hops,
    ...server
  }: { readonly first: string; readonly hops: number; readonly address: string; readonly port: number },
): Promise<string> {
  const [ip, icmp] = first.includes(':') ? ['ip6', 'icmpv6'] : ['ip', 'icmp'];
  const table = `table inet seen { chain in { type filter hook input priority 0; ${icmp} type time-exceeded ${ip} saddr ${first} counter; }; }`;
  await pod.run('nft', ['-f', '-'], table);
  const untilMs = performance.now() + waitLimitMs();
  let seen = 0;
  while (seen === 0 && performance.now() < untilMs) {
    await send(pod, { protocol: 'UDP', ttl: hops, ...server });
    const { stdout } = await pod.run('nft', ['list', 'table', 'inet', 'seen']);
    seen = Number(/counter packets (\d+)/.exec(stdout)?.[1]);
  }
  await pod.run('nft', ['delete', 'table', 'inet', 'seen']);
  return seen > 0 ? 'arrived' : 'silence';
}

/**
 * A megabyte to a server and back, in a connection that had begun before the path became smaller:
 * the size that both ends agreed on is too large then.
 */
async function withSmallerPath(lab: Lab, address: string): Promise<string> {
  const port = 9100 + Number(address.includes(':'));
  const wanted = 1 << 20;
  const server = lab.pod('west-2');
  await server.start(process.execPath, ['-e', `require('net').createServer((c) => c.pipe(c)).listen(${port})`]);
  const begun = `
    const connect = () => {
      const socket = require('net').connect(${port}, '${address}', () => socket.write('x'));
      let [got, ms] = [0, 0];
      socket.on('data', ({ length }) => {
        got += length;
        if (got === ${wanted}) return console.log('answered'), process.exit();
        if (got > 1) return;
        const timer = setInterval(() => {
          if (!require('fs').existsSync(process.argv[1])) return;
          clearInterval(timer);
          socket.write(Buffer.alloc(${wanted} - 1));
        }, 20);
        require('fs').writeFileSync(process.argv[1] + '.begun', '');
      });
      socket.on('error', () => setTimeout(connect, 50));
    };
    setTimeout(() => (console.log('silence'), process.exit()), ${waitLimitMs()});
    connect();`;
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-smaller-path-'));
  const file = join(folder, 'smaller');
  const running = lab.pod('east-2').run(process.execPath, ['-e', begun, file]);
  const untilMs = performance.now() + waitLimitMs();
  while (!existsSync(`${file}.begun`) && performance.now() < untilMs) await delay(20);
  let answer = '';
  await withMTU(lab, 'west-1', nodeDevice, 1300, async () => {
    writeFileSync(file, '');
    answer = (await running).stdout.trim();
  });
  rmSync(folder, { recursive: true });
  return answer;
}
