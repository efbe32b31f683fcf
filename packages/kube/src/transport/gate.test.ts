import { describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';

const { signal: never } = new AbortController();

/** Many who enter a gate by their names. */
function visitors(most: number) {
  const gate = createGate(most);
  const entered: string[] = [];
  const leaving = new Map<string, () => void>();
  return {
    entered,
    async come(name: string, signal = never) {
      leaving.set(name, await gate.enter(signal));
      entered.push(name);
    },
    async leave(name: string) {
      leaving.get(name)?.();
      await settled();
    },
  };
}

/** Until nothing is left to be done now. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('A gate', () => {
  it('lets as many in as it has room for, and the others in their order as room is made', async () => {
    const { entered, come, leave } = visitors(2);
    for (const name of ['a', 'b', 'c', 'd']) void come(name);
    await settled();
    expect(entered).toEqual(['a', 'b']);
    await leave('b');
    expect(entered).toEqual(['a', 'b', 'c']);
    await leave('a');
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('passes over who gave up waiting', async () => {
    const { entered, come, leave } = visitors(1);
    const impatience = new AbortController();
    await come('first');
    const impatient = come('impatient', impatience.signal);
    void come('patient');
    impatience.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    await leave('first');
    expect(entered).toEqual(['first', 'patient']);
  });

  it('has its room again from who gives up in the moment of its turn', async () => {
    const { entered, come, leave } = visitors(1);
    const impatience = new AbortController();
    await come('first');
    const impatient = come('impatient', impatience.signal);
    void come('patient');
    const left = leave('first');
    impatience.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    await left;
    expect(entered).toEqual(['first', 'patient']);
  });

  it('makes room once for each that leaves, however often it leaves', async () => {
    const { entered, come, leave } = visitors(1);
    for (const name of ['first', 'second', 'third']) void come(name);
    await settled();
    await leave('first');
    await leave('first');
    expect(entered).toEqual(['first', 'second']);
  });
});
