import { dirname, join } from 'node:path';
import type { RealFleet } from '@isthmus/testkit';
import { prepareAntrea } from './antrea-controllers.ts';
import type { BenchOptions } from './bench-options.ts';
import type { Controllers } from './controllers.ts';
import { prepareControllers } from './controllers.ts';
import { joinedFleet } from './fleet.ts';
import type { InTurn } from './in-turn.ts';
import { compareMedians } from './in-turn.ts';
import type { Figure } from './report.ts';
import { realAntrea } from './swaps/real-antrea.ts';

/** Whose controllers are measured. */
export const makes = ['Isthmus', 'Antrea'] as const;
export type Make = (typeof makes)[number];
export type BothMakes<T> = InTurn<Make, T>;

/** A fleet on real API servers with controllers that do not run yet. */
export interface PreparedFleet extends AsyncDisposable {
  readonly fleet: RealFleet;
  readonly controllers: Controllers;
}

/**
 * A fleet of a leader and these members, with the controllers of this make. Errors: of Antrea's, no
 * program was named.
 */
export async function fleetOfMake(
  make: Make,
  options: BenchOptions,
  settings: {
    readonly members: readonly string[];
    readonly namespace: string;
    readonly endpointIPType: 'ClusterIP' | 'PodIP';
    readonly stretched?: boolean | undefined;
  },
): Promise<PreparedFleet> {
  const { antrea, program, signal, say } = options;
  const { members, namespace, endpointIPType, stretched } = settings;
  // Beside the program, whose path is part of what is kept.
  const compileCacheAt = options.compileCache ? join(dirname(program.path), 'compiled') : undefined;
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(await joinedFleet(members, { mirrorsEndpoints: true }));
  const prepare = async (): Promise<Controllers> => {
    if (make === 'Isthmus')
      return prepareControllers(fleet.clusters, {
        ...options,
        program: program.path,
        endpointIPType,
        stretched,
        compileCacheAt,
      });
    if (antrea === undefined) throw new Error("Antrea's controllers need --antrea and --manifests");
    const theirs = stack.use(await realAntrea({ ...antrea, endpointIPType, stretched, say }));
    return prepareAntrea(fleet, theirs, signal);
  };
  const controllers = stack.use(await prepare());
  await Promise.all(members.map((name) => fleet.cluster(name).user.namespace(namespace)));
  const owned = stack.move();
  return { fleet, controllers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The medians of both, and how many times as much Isthmus needs. */
export function comparedMakes<T>(
  { row, what, unit }: { readonly row: string; readonly what: string; readonly unit: string },
  both: BothMakes<T>,
  value: (one: T) => number,
): Figure {
  const { first, second, ratio, isLess } = compareMedians(both, makes, unit, value);
  return {
    row,
    what,
    value: `Isthmus ${first}, Antrea ${second}: ${ratio}`,
    goal: 'under 1',
    met: isLess,
    data: both,
  };
}
