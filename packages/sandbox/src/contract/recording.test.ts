import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areas } from './areas.ts';
import type { Recording, Transcript } from './exchange.ts';
import { recordedAnew } from './recording.ts';
import { recordingPath } from './recording-path.ts';

describe('the recording of an area', () => {
  // All cases, whatever share of them the other tests of this run compare.
  it.each(areas)('has the answers of every case and of nothing else: $name', ({ name, cases }) => {
    const recording = JSON.parse(readFileSync(recordingPath(name), 'utf8')) as Recording;
    const todo = `record them from a real API server: RECORD=${name} npm run test:envtest -- packages/sandbox/src/contract -t "area ${name}"`;
    expect(Object.keys(recording).toSorted(), todo).toEqual(cases.map(({ title }) => title).toSorted());
  });
});

describe('recording again', () => {
  const answer = (request: string): Transcript => [{ request, status: 200, contentType: 'text/plain', body: '' }];

  it('keeps the answers of cases that did not run, drops those that are gone, and follows the order of the cases', () => {
    const before = { b: answer('b'), gone: answer('gone'), a: answer('a') };
    const fresh = new Map([['a', answer('a, again')]]);
    const recording = recordedAnew(['a', 'b', 'unrecorded'], before, (title) => fresh.get(title));
    expect(Object.entries(recording)).toEqual([
      ['a', answer('a, again')],
      ['b', answer('b')],
    ]);
  });
});
