/**
 * `npm run swaps`: a leader and two members change between Isthmus and Antrea, there and back, on real API servers, while every EndpointSlice is
 * watched. With `--antrea` it runs the real controller, without it recorded behaviour. The process's edge.
 */
import { parseArgs } from 'node:util';
import { startSwapFleet } from './swap-fleet.ts';
import { realAntrea } from './real-antrea.ts';
import { recordedAntrea } from './recorded-antrea.ts';
import { runSwaps } from './run-swaps.ts';
import { planSwaps } from './swap-plan.ts';
import { swapsTable } from './table.ts';

const usage = `Usage: npm run swaps -- [--antrea PATH --manifests DIR] [--rounds N] [--services N]

  --antrea PATH     antrea-mc-controller; absent: recorded behaviour of version 2.7
  --manifests DIR   has antrea-multicluster-leader.yml and antrea-multicluster-member.yml of the same release
  --rounds N        how often all clusters change there and back (default 3)
  --services N      how many Services are exported (default 20)
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      antrea: { type: 'string' },
      manifests: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      services: { type: 'string', default: '20' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { antrea: binary, manifests } = values;
  const [rounds, services] = [Number(values.rounds), Number(values.services)];
  if (
    values.help === true ||
    (binary === undefined) !== (manifests === undefined) ||
    !(rounds > 0) ||
    !(services > 0)
  ) {
    process.stderr.write(usage);
    return values.help === true ? 0 : 2;
  }
  const say = (line: string) => void process.stderr.write(`swaps: ${line}\n`);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error(`interrupted by ${name}`)));
  const { signal } = stop;
  await using fleet = await startSwapFleet(signal, say);
  await using antrea =
    binary === undefined || manifests === undefined
      ? recordedAntrea(fleet)
      : await realAntrea({ binary, manifests, say });
  const clusters = fleet.clusters.map(
    ({ name, role }) => ({ name, role: role === 'leader' ? role : 'member' }) as const,
  );
  const results = await runSwaps({ fleet, antrea, swaps: planSwaps(clusters, rounds), services, say, signal });
  process.stdout.write(swapsTable(antrea.what, 2 * services, results));
  const bad = results.flatMap(({ empty, stale }) => [...empty, ...stale]);
  for (const one of bad) say(one);
  return bad.length === 0 ? 0 : 1;
}

process.exitCode = await main();
