// The measurements as rows of the report.
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { FanOut } from './fan-out.ts';
import type { Footprint } from './memory.ts';
import type { Propagation } from './members.ts';
import { listedObjects, measuredVerbs, requestsInFlight } from './requests.ts';
import type { MeasuredVerb, Rate, Rates } from './requests.ts';

/** The measurements of both servers; undefined: not asked for. */
export interface Measured {
  /** Milliseconds until three clusters were ready, of each start. */
  readonly readyMs?: readonly number[] | undefined;
  readonly rates?: Rates | undefined;
  readonly fanOut?: FanOut | undefined;
  readonly footprint?: Footprint | undefined;
  /** Milliseconds of each endpoint change of row 2, two members and their leader, over HTTPS. */
  readonly changeMs?: readonly number[] | undefined;
}

export interface MeasuredSandbox extends Measured {
  /** The same as `readyMs`, from the start of the process; with servers that listen. */
  readonly sinceStartMs?: readonly number[] | undefined;
  readonly listeningMs?: readonly number[] | undefined;
  readonly inMemory?: Pick<Measured, 'rates' | 'fanOut'> | undefined;
  readonly propagation?: Propagation | undefined;
}

/** The rows, in their order. `real`: undefined where it was not measured in the same run. */
export function sandboxFigures(sandbox: MeasuredSandbox, real: Measured | undefined): readonly Figure[] {
  return [
    ...readyFigures(sandbox, real),
    ...measuredVerbs.flatMap((verb) => requestFigures(verb, sandbox, real)),
    ...watchFigures(sandbox, real),
    ...memoryFigures(sandbox, real),
    ...memberFigures(sandbox, real),
  ];
}

function readyFigures(sandbox: MeasuredSandbox, real: Measured | undefined): readonly Figure[] {
  const { readyMs, sinceStartMs, listeningMs } = sandbox;
  if (readyMs === undefined || sinceStartMs === undefined || listeningMs === undefined) return [];
  const ready = percentile(readyMs, 0.5);
  const withProcess = percentile(sinceStartMs, 0.5);
  const listening = percentile(listeningMs, 0.5);
  const theirs = real?.readyMs && percentile(real.readyMs, 0.5);
  return [
    {
      row: 'ready',
      what: `three clusters ready in a new process, median of ${readyMs.length}; with Node's start and the types of the sources stripped`,
      value: `${ms(ready)}; ${ms(withProcess)}`,
      goal: 'under 1 s',
      met: ready < 1000,
      data: { readyMs, sinceStartMs },
    },
    {
      row: 'ready',
      what: `the same with certificates, listening over HTTPS, median of ${listeningMs.length}`,
      value: beside({ ours: listening, real: theirs }, ms, same),
      goal: 'under 1 s',
      met: listening < 1000,
      data: { listeningMs, real: real?.readyMs },
    },
  ];
}

function requestFigures(
  verb: MeasuredVerb,
  { rates, inMemory }: MeasuredSandbox,
  real: Measured | undefined,
): readonly Figure[] {
  if (rates === undefined) return [];
  const [ours, theirs, without] = [rates[verb], real?.rates?.[verb], inMemory?.rates?.[verb]];
  const print = ({ perSecond, serverMs }: Rate) =>
    `${perSecond.toFixed(0)}/s${serverMs === undefined ? '' : ` (${serverMs.toFixed(2)} ms)`}`;
  return [
    {
      row: 'requests',
      what: `${verb}${verb === 'list' ? ` of ${listedObjects}` : ''} over HTTPS, ${requestsInFlight} in flight (processor time of the server each)`,
      value: beside({ ours, real: theirs, inMemory: without }, print, ({ perSecond }) => perSecond),
      goal: '',
      met: undefined,
      data: { ours, real: theirs, inMemory: without },
    },
  ];
}

function watchFigures({ fanOut, inMemory }: MeasuredSandbox, real: Measured | undefined): readonly Figure[] {
  if (fanOut === undefined) return [];
  const sides = { ours: fanOut, real: real?.fanOut, inMemory: inMemory?.fanOut };
  const { watches, lastMs } = fanOut;
  const figure = (what: string, of: (one: FanOut) => number, print: (value: number) => string): Figure => ({
    row: 'watches',
    what,
    value: beside(sides, (one) => print(of(one)), of),
    goal: '',
    met: undefined,
    data: sides,
  });
  const last = (share: number) => (one: FanOut) => percentile(one.lastMs, share);
  const perSecond = (value: number) => `${value.toFixed(0)}/s`;
  return [
    figure(`one write to the last of ${watches} watches over HTTPS, p50 of ${lastMs.length}`, last(0.5), ms),
    figure('the same, p99', last(0.99), ms),
    figure(`events delivered by ${watches} watches over HTTPS`, (one) => one.perSecond, perSecond),
  ];
}

function memoryFigures({ footprint }: MeasuredSandbox, real: Measured | undefined): readonly Figure[] {
  if (footprint === undefined) return [];
  const theirs = real?.footprint;
  const resident = ({ residentMB: [before, after] }: Footprint) => `${before.toFixed(0)} to ${after.toFixed(0)} MB`;
  const heap = footprint.heapBytes;
  return [
    {
      row: 'memory',
      what: `resident, without and with ${footprint.objects} objects, half ConfigMaps, half Services; the real one with its etcd`,
      value: [resident(footprint), ...(theirs === undefined ? [] : [`real ${resident(theirs)}`])].join('; '),
      goal: '',
      met: undefined,
      data: { ours: footprint, real: theirs },
    },
    ...(heap === undefined
      ? []
      : [
          {
            row: 'memory',
            what: `heap in use after a garbage collection, without and with ${footprint.objects} objects; each`,
            value: `${megabytes(heap[0])} to ${megabytes(heap[1])}; ${((heap[1] - heap[0]) / footprint.objects / 1000).toFixed(1)} kB`,
            goal: '',
            met: undefined,
            data: heap,
          },
        ]),
  ];
}

function memberFigures({ propagation, changeMs }: MeasuredSandbox, real: Measured | undefined): readonly Figure[] {
  const theirs = real?.changeMs;
  const ofMany = (given: Propagation): readonly Figure[] => {
    const { members, each, last } = given;
    const p99 = percentile(each, 0.99);
    return [
      {
        row: 'members',
        what: `one endpoint change with ${members} members and their leader in one process, exporter's API server to importer's, p50 and p99 of ${last.length} changes to ${members - 1} importers`,
        value: `${ms(percentile(each, 0.5))}, ${ms(p99)}`,
        goal: 'p99 under 1 s',
        met: p99 < 1000,
        data: given,
      },
      {
        row: 'members',
        what: 'the same until it is in the last importer; no real fleet has that size here',
        value: `${ms(percentile(last, 0.5))}, ${ms(percentile(last, 0.99))}`,
        goal: '',
        met: undefined,
        data: undefined,
      },
    ];
  };
  const ofTwo = (ours: readonly number[]): readonly Figure[] =>
    [0.5, 0.99].map((share) => ({
      row: 'members',
      what: `one endpoint change as in row 2: two members over HTTPS, bundled controllers in processes of their own, p${share * 100} of ${ours.length}`,
      value: beside({ ours: percentile(ours, share), real: theirs && percentile(theirs, share) }, ms, same),
      goal: '',
      met: undefined,
      data: share === 0.5 ? { ours, real: theirs } : undefined,
    }));
  return [
    ...(propagation === undefined ? [] : ofMany(propagation)),
    ...(changeMs === undefined ? [] : ofTwo(changeMs)),
  ];
}

/** The sandbox's figure, the real server's, and that without a network. */
interface Sides<T> {
  readonly ours: T;
  readonly real?: T | undefined;
  readonly inMemory?: T | undefined;
}

/**
 * `<ours> / real <real> = <ratio>; in memory <inMemory>`, without the parts that were not measured.
 */
function beside<T>({ ours, real, inMemory }: Sides<T>, print: (value: T) => string, of: (value: T) => number): string {
  const ratio = real === undefined ? '' : ` / real ${print(real)} = ${(of(ours) / of(real)).toPrecision(2)}`;
  return `${print(ours)}${ratio}${inMemory === undefined ? '' : `; in memory ${print(inMemory)}`}`;
}

function ms(value: number): string {
  return `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

const same = (value: number) => value;

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
