import type { BenchOptions } from '../bench-options.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { failOverAsUpstream, failOverOfAgents } from './fail-over.ts';
import { measureScale } from './scale.ts';
import { joinedAsUpstream, joinedByAgents, joinedByHand, joinedByHandTracked } from './paths.ts';
import type { Path } from './paths.ts';
import type { Runs } from './traffic.ts';
import { connectionsPerSecond, packages, roundTripMicros, streamGbits } from './traffic.ts';

const rounds = 5;
/** The share of the same tunnels by hand that is to be left. */
const goal = 0.95;

interface Measurement {
  readonly row: string;
  readonly what: string;
  readonly unit: string;
  readonly digits: number;
  /** Whether less is better. */
  readonly isCost: boolean;
  /** The rate of the link of each Node. Default: as much as the processors can carry. */
  readonly linkMbit?: number;
  measure(from: Path['from'], address: string): Promise<number>;
}

/** The rate of the links of row wire: less than the processors here can carry on any path. */
const linkMbit = 2_500;

const measurements: readonly Measurement[] = [
  { row: 'stream', what: 'one TCP stream', unit: 'Gbit/s', digits: 1, isCost: false, measure: streamGbits },
  {
    row: 'wire',
    what: `one TCP stream over links of ${linkMbit / 1_000} Gbit/s`,
    unit: 'Gbit/s',
    digits: 2,
    isCost: false,
    linkMbit,
    measure: streamGbits,
  },
  { row: 'round-trip', what: 'one round trip, median', unit: 'µs', digits: 1, isCost: true, measure: roundTripMicros },
  {
    row: 'connections',
    what: 'TCP connections, 32 at a time',
    unit: '/s',
    digits: 0,
    isCost: false,
    measure: connectionsPerSecond,
  },
];

/**
 * Packets between two clusters, in network namespaces: the way of the agents, the same tunnels by
 * hand, without and with what kube-proxy does, the way of the upstream, and the bare network below,
 * in turn in each round, so that whatever else the machine does befalls all alike. Errors: a
 * program that is missing, with its package.
 */
export async function measureNetwork(
  options: BenchOptions,
  wanted: ReadonlySet<string>,
  note: (figure: Figure) => void,
): Promise<void> {
  const { say, signal } = options;
  if (wanted.has('fail-over')) {
    say('fail-over');
    const [agents, upstream] = [await failOverOfAgents(), await failOverAsUpstream()];
    note({
      row: 'fail-over',
      what: 'connections lost when each gateway of the clients is cut off in turn, and the worst pause; as the upstream, when one is cut off and the clients change to the other at once',
      value: `${agents.lost.length} of ${agents.flows}, ${agents.worstPauseMs} ms; ${upstream.lost.length} of ${upstream.flows}`,
      goal: 'none lost',
      met: agents.lost.length === 0,
      data: { agents, upstream },
    });
  }
  if (wanted.has('scale')) await measureScale(options, note);
  if (!measurements.some(({ row }) => wanted.has(row))) return;
  await using ours = await joinedByAgents();
  await using hand = await joinedByHand();
  await using tracked = await joinedByHandTracked();
  await using upstream = await joinedAsUpstream();
  const missing = await missingPrograms(hand.underlay.from);
  if (missing.length > 0)
    throw new Error(`missing programs: ${missing.join(', ')}; apt-get install ${missing.join(' ')}`);
  const ways = {
    'one tunnel': {
      path: ours.hop,
      bases: {
        'the same by hand': hand.hop,
        'by hand with kube-proxy': tracked.hop,
        'from Node to Node': hand.underlay,
      },
    },
    'the whole path': {
      path: ours.whole,
      bases: {
        'the same by hand': hand.whole,
        'by hand with kube-proxy': tracked.whole,
        'as the upstream': upstream.whole,
        'from Node to Node': hand.underlay,
      },
    },
  };
  const nodes = [ours, hand, tracked, upstream].flatMap((joined) => joined.nodes);
  for (const one of measurements.filter(({ row }) => wanted.has(row))) {
    const { row, what, unit, digits, isCost, measure } = one;
    await limitLinks(nodes, one.linkMbit);
    for (const [way, { path, bases }] of Object.entries(ways)) {
      const paths = { '': path, ...bases };
      const values = new Map<string, number[]>(Object.keys(paths).map((name) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        signal.throwIfAborted();
        say(`${what}, ${way}, round ${round + 1} of ${rounds}`);
        for (const [name, { from, address }] of Object.entries(paths))
          values.get(name)?.push(await measure(from, address));
      }
      const median = (name: string) => percentile(values.get(name) ?? [], 0.5);
      for (const name of Object.keys(bases)) {
        const ratio = isCost ? median(name) / median('') : median('') / median(name);
        const hasGoal = name === 'the same by hand';
        note({
          row,
          what: `${what}, ${way}, against ${name}`,
          value: `${median('').toFixed(digits)} ${unit} / ${median(name).toFixed(digits)} ${unit} = ${ratio.toFixed(2)}${isCost ? ' of its speed' : ''}`,
          goal: hasGoal ? `at least ${goal}` : '',
          met: hasGoal ? ratio >= goal : undefined,
          data: { ours: values.get(''), base: values.get(name) },
        });
      }
    }
  }
}

/** Without a rate: links as they were made. */
async function limitLinks(nodes: readonly Runs[], mbit: number | undefined): Promise<void> {
  const queue = mbit === undefined ? ['noqueue'] : ['tbf', 'rate', `${mbit}mbit`, 'burst', '1mb', 'latency', '20ms'];
  for (const node of nodes) {
    const { code, stderr } = await node.run('tc', ['qdisc', 'replace', 'dev', 'eth0', 'root', ...queue]);
    if (code !== 0) throw new Error(`cannot set what the link of a Node carries: ${stderr.trim()}`);
  }
}

async function missingPrograms(from: Path['from']): Promise<readonly string[]> {
  const results = await Promise.all(
    packages.map(async (name) => (await from.run('sh', ['-c', `command -v ${name}`])).code),
  );
  return packages.filter((_, index) => results[index] !== 0);
}
