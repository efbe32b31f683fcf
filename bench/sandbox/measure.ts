import type { Client } from '@isthmus/kube';
import type { BenchOptions } from '../bench-options.ts';
import { measureEndpointChanges } from '../endpoint-change.ts';
import type { BenchCluster } from '../fleet.ts';
import { baseClient } from '../fleet.ts';
import type { ProcessUsage } from '../machine.ts';
import type { Figure } from '../report.ts';
import { measureIdle } from './idle.ts';
import { measureFanOut } from './fan-out.ts';
import { sandboxFigures } from './figures.ts';
import type { Measured, MeasuredSandbox } from './figures.ts';
import { joinClusterSet } from './join.ts';
import { measureFootprint } from './memory.ts';
import { memoryClient, startMemoryCluster } from './memory-fleet.ts';
import { measurePropagation } from './members.ts';
import { measureRequests } from './requests.ts';
import { startRealSide } from './real-side.ts';
import type { RealSide } from './real-side.ts';
import { startServerProcess } from './server-process.ts';

const fleetNames = ['north', 'west', 'east'] as const;
const watches = 1_000;
const writes = 100;
const objects = 10_000;

/**
 * The sandbox's rows. With a real API server, each measurement is made of both, one right after the
 * other, by the same code over the same client. The real processes are stopped while the sandbox is
 * measured.
 */
export async function measureSandboxRows(
  options: BenchOptions,
  wanted: ReadonlySet<string>,
  note: (figure: Figure) => void,
): Promise<void> {
  const tell = (sandbox: MeasuredSandbox, real: Measured) => {
    for (const figure of sandboxFigures(sandbox, options.besideReal ? real : undefined)) note(figure);
  };
  const starts = wanted.has('ready') ? await measureStarts(options) : {};
  await using real = options.besideReal ? await startRealSide() : undefined;
  tell(starts, { readyMs: real === undefined ? undefined : [real.readyMs] });
  if (wanted.has('idle')) await measureIdle(note);
  const alone = <T>(work: () => Promise<T>) => (real === undefined ? work() : real.frozenWhile(work));
  /** The same of both. */
  const both = async <T>(ofSandbox: () => Promise<T>, ofReal: (real: RealSide) => Promise<T>) => ({
    sandbox: await alone(ofSandbox),
    real: real === undefined ? undefined : await ofReal(real),
  });
  if (wanted.has('members')) {
    const changeMs = await both(
      () => sandboxChanges(options),
      async ({ fleet }) => (await measureEndpointChanges(fleet, options)).ours,
    );
    tell({ changeMs: changeMs.sandbox }, { changeMs: changeMs.real });
    tell({ propagation: await alone(() => measurePropagation(options)) }, {});
  }
  await real?.stopAllButOne();
  if (wanted.has('requests')) {
    const rates = await both(
      () => inProcess(options, measureRequests),
      ({ one }) => asBench(one, options, measureRequests),
    );
    const memory = { rates: await alone(() => inMemory(options, measureRequests)) };
    tell({ rates: rates.sandbox, inMemory: memory }, { rates: rates.real });
  }
  if (wanted.has('watches')) {
    const measure = (asked: Asked) => measureFanOut({ ...asked, watches, writes });
    const fanOut = await both(
      () => inProcess(options, measure),
      ({ one }) => asBench(one, options, measure),
    );
    const memory = { fanOut: await alone(() => inMemory(options, measure)) };
    tell({ fanOut: fanOut.sandbox, inMemory: memory }, { fanOut: fanOut.real });
  }
  if (wanted.has('memory')) {
    const measure = (asked: Asked) => measureFootprint({ ...asked, objects });
    const footprint = await both(
      () => inProcess(options, measure),
      ({ one }) => asBench(one, options, measure),
    );
    tell({ footprint: footprint.sandbox }, { footprint: footprint.real });
  }
}

/** A server under measurement, and the way to it. */
interface MeasuredServer {
  readonly cluster: BenchCluster;
  readonly connect?: Parameters<typeof baseClient>[1] | undefined;
  /** The use of its processes; undefined where it has none of its own. */
  readonly usage?: (() => Pick<ProcessUsage, 'cpuSeconds' | 'residentMB'>) | undefined;
  readonly heapUsed?: (() => Promise<number>) | undefined;
}

interface Asked extends Pick<MeasuredServer, 'usage' | 'heapUsed'> {
  readonly client: Client;
  readonly signal: AbortSignal;
}

async function asBench<T>(
  { cluster, connect, usage, heapUsed }: MeasuredServer,
  { signal }: BenchOptions,
  measure: (asked: Asked) => Promise<T>,
): Promise<T> {
  const client = await baseClient(cluster, connect);
  try {
    return await measure({ client, usage, heapUsed, signal });
  } finally {
    client.close();
  }
}

/** Measures a sandbox in a process that has done nothing else. */
async function inProcess<T>(options: BenchOptions, measure: (asked: Asked) => Promise<T>): Promise<T> {
  const { profileInto, signal } = options;
  await using server = await startServerProcess({ clusters: ['west'], profileInto, signal });
  const { usage, heapUsed } = server;
  return await asBench({ cluster: server.cluster('west'), usage, heapUsed }, options, measure);
}

/** Measures a sandbox in this process, without a network. */
async function inMemory<T>(options: BenchOptions, measure: (asked: Asked) => Promise<T>): Promise<T> {
  const memory = startMemoryCluster('west', 0);
  await memory.cluster.ready();
  try {
    const connect = ({ token }: { readonly token: string }) => memoryClient(memory, token);
    return await asBench({ cluster: memory, connect }, options, measure);
  } finally {
    await memory.cluster.stop();
  }
}

/** Each start is one of a new process: a warm one would be faster. */
async function measureStarts({
  starts,
  signal,
}: BenchOptions): Promise<Pick<MeasuredSandbox, 'readyMs' | 'sinceStartMs' | 'listeningMs'>> {
  const [readyMs, sinceStartMs, listeningMs]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < starts; round++) {
    const inMemory = await startOnce({ https: false, signal });
    readyMs.push(inMemory.readyMs);
    sinceStartMs.push(inMemory.sinceStartMs);
    listeningMs.push((await startOnce({ https: true, signal })).readyMs);
  }
  return { readyMs, sinceStartMs, listeningMs };
}

async function startOnce(how: { readonly https: boolean; readonly signal: AbortSignal }) {
  await using server = await startServerProcess({ clusters: fleetNames, ...how });
  const { readyMs, sinceStartMs } = server;
  return { readyMs, sinceStartMs };
}

async function sandboxChanges(options: BenchOptions): Promise<readonly number[]> {
  await using server = await startServerProcess({ clusters: fleetNames, signal: options.signal });
  await joinClusterSet(server.clusters);
  return (await measureEndpointChanges(server, options)).ours;
}
