/**
 * Random requests against one sandbox. `HOSTILE_RUNS=500 npx vitest run
 * packages/sandbox/src/hostile` is a long campaign with seeds of its own.
 */
import { apiVersionOf } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapedResources } from '../builtin/by-shape/shaped-resources.ts';
import { createHostileWorld, samplesOfKinds, shown } from './hostile-world.ts';

const long = Number(process.env['HOSTILE_RUNS'] ?? 0);
const options = long > 0 ? { numRuns: long } : { numRuns: sweepRuns(5, { oneIn: 5 }), seed: 20_261_121 };
const timeout = Math.max(600_000, long * 5_000);
const clock = () => createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
const seeds = (length: number) => fc.array(fc.nat({ max: 2 ** 32 - 1 }), { minLength: length, maxLength: length });

/** Errors that a real server, too, answers with 500. */
const measured = [
  'failed to create typed patch object',
  'failed to create typed live object',
  'failed to convert new object',
  'resourceVersion should not be set on objects to be created',
  'strconv.ParseUint: parsing',
  'unknown patch type: ',
  'unable to find api field in struct',
  'list element types are not identical',
  'but received a ',
  'target.name: Required value',
  'target.kind: Unsupported value',
  'failed calling webhook',
  'the spec replicas field',
];

it('random requests begin with a whole object of each kind that is judged by its shape', () => {
  const samples = samplesOfKinds(1);
  // The older version of one that has samples: its objects are converted.
  const older = ['autoscaling/v1 HorizontalPodAutoscaler'];
  // Lists of these are always empty.
  const never = ['v1 ComponentStatus'];
  const known = (key: string) => samples.has(key) || older.includes(key) || never.includes(key);
  const kinds = shapedResources.map((resource) => `${apiVersionOf(resource)} ${resource.kind}`);
  expect(kinds.filter((key) => !known(key))).toEqual([]);
});

describe('whatever is sent', () => {
  it(
    'is answered, and leaves a store of whole objects that lists and watches agree on',
    async () => {
      const samples = samplesOfKinds();
      const property = fc.asyncProperty(seeds(150), async (requests) => {
        const world = await createHostileWorld(clock(), samples);
        for (const seed of requests) {
          const { request, status, text } = await world.step(seed);
          expect(world.complaints(), shown(request)).toEqual([]);
          if (status === 500)
            expect(
              measured.some((one) => text.includes(one)),
              `${shown(request)}: ${text}`,
            ).toBe(true);
        }
        expect(await world.disagreements()).toEqual([]);
      });
      await fc.assert(property, options);
    },
    timeout,
  );

  it(
    'gets the same answers and the same events from two sandboxes of one seed, byte by byte',
    async () => {
      const samples = samplesOfKinds(8);
      const property = fc.asyncProperty(seeds(100), fc.nat(), async (requests, seed) => {
        const [one, other] = [
          await createHostileWorld(clock(), samples, seed),
          await createHostileWorld(clock(), samples, seed),
        ];
        for (const each of requests) expect(await one.step(each)).toEqual(await other.step(each));
        expect(one.events()).toEqual(other.events());
        expect(one.sandbox.admin.snapshot()).toBe(other.sandbox.admin.snapshot());
      });
      await fc.assert(property, { ...options, numRuns: Math.ceil(options.numRuns / 2) });
    },
    timeout,
  );
});
