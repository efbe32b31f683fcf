import type { RunProgram } from '../kernel/write-network.ts';

/**
 * The table with which any program of a Node can read packets from tunnels. It has the numbers of
 * labels by source. It also shows whether any packet, of a tunnel or in it, has a mark. The CNI or
 * kube-proxy would consider such a mark its own.
 */
const table = `table inet numbers {
  set arrived4 { typeof ip saddr . @ll,72,24; flags dynamic; size 4096; }
  set arrived6 { typeof ip6 saddr . @ll,72,24; flags dynamic; size 4096; }
  chain arriving {
    type filter hook forward priority 0
    iifname { "isthmus-node", "isthmus-gw" } meta l4proto { tcp, udp } update @arrived4 { ip saddr . @ll,72,24 }
    iifname { "isthmus-node", "isthmus-gw" } meta l4proto { tcp, udp } update @arrived6 { ip6 saddr . @ll,72,24 }
    iifname { "isthmus-node", "isthmus-gw" } meta mark != 0 counter
  }
  chain outer {
    type filter hook output priority 0
    udp dport 8479 meta mark != 0 counter
  }
}
`;

/** The number that is in a mark, as another program would read it. */
export function identityOfMark(mark: number): number {
  return (mark & 0xffff) | (mark & 0x8_0000 ? 0x1_0000 : 0) | (mark & 0x40_0000 ? 0x2_0000 : 0);
}

/** Starts to record the packets that arrive for the Pods of a Node. */
export async function watchNumbers(run: RunProgram): Promise<void> {
  const { code, stderr } = await run('nft', ['-f', '-'], table);
  if (code !== 0) throw new Error(`cannot watch the numbers of labels: ${stderr}`);
}

/**
 * The packets from one source since the last call. It is asked on the Node of the Pod that receives
 * them, whatever route they took.
 */
export async function arrivedNumbers(
  run: RunProgram,
  source: string,
): Promise<{ readonly numbers: ReadonlySet<number>; readonly marked: number }> {
  const { stdout } = await run('nft', ['list', 'table', 'inet', 'numbers'], '');
  for (const digit of ['4', '6']) await run('nft', ['flush', 'set', 'inet', 'numbers', `arrived${digit}`], '');
  const pairs = [...stdout.matchAll(/([0-9a-f.:]+) \. (0x[0-9a-f]+|\d+)/g)];
  const numbers = pairs.flatMap(([, from, text]) => (from === source ? [identityOfMark(Number(text))] : []));
  const marked = [...stdout.matchAll(/counter packets (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  return { numbers: new Set(numbers), marked };
}
