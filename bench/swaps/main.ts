/**
 * `npm run swaps`: a leader and two members change between Isthmus and Antrea, there and back, on
 * real API servers, while every EndpointSlice is watched. With `--antrea` it runs the real
 * controller, without it recorded behaviour; with `--previous` it is another version of Isthmus.
 * The process's edge.
 */
import { scriptArguments, wrongArguments } from '../../scripts/script-arguments.ts';
import { resolve } from 'node:path';
import type { OtherMake } from './other-make.ts';
import { previousIsthmus } from './previous-isthmus.ts';
import { startSwapFleet } from './swap-fleet.ts';
import { realAntrea } from './real-antrea.ts';
import { recordedAntrea } from './recorded-antrea.ts';
import { runSwaps } from './run-swaps.ts';
import { planSwaps } from './swap-plan.ts';
import { swapsTable } from './table.ts';

async function main(): Promise<number> {
  const { values } = scriptArguments('swaps', {
    antrea: { type: 'string' },
    manifests: { type: 'string' },
    previous: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    services: { type: 'string', default: '20' },
  });
  const { antrea: binary, manifests, previous } = values;
  const [rounds, services] = [Number(values.rounds), Number(values.services)];
  if ((binary === undefined) !== (manifests === undefined))
    wrongArguments('swaps', '--antrea and --manifests need each other');
  if (binary !== undefined && previous !== undefined)
    wrongArguments('swaps', '--antrea and --previous exclude each other');
  if (!(rounds > 0) || !(services > 0)) wrongArguments('swaps', '--rounds and --services must be positive numbers');
  const say = (line: string) => void process.stderr.write(`swaps: ${line}\n`);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error(`interrupted by ${name}`)));
  const { signal } = stop;
  await using fleet = await startSwapFleet(signal, say);
  await using other = await otherMake();
  const clusters = fleet.clusters.map(
    ({ name, role }) => ({ name, role: role === 'leader' ? role : 'member' }) as const,
  );
  const results = await runSwaps({ fleet, other, swaps: planSwaps(clusters, rounds, other), services, say, signal });
  process.stdout.write(swapsTable(other.what, 2 * services, results));
  const bad = results.flatMap(({ empty, stale }) => [...empty, ...stale]);
  return bad.length === 0 ? 0 : 1;

  async function otherMake(): Promise<OtherMake> {
    if (previous !== undefined) return previousIsthmus({ checkout: resolve(previous), say });
    if (binary === undefined || manifests === undefined) return recordedAntrea(fleet);
    return realAntrea({ binary: resolve(binary), manifests, say });
  }
}

process.exitCode = await main();
