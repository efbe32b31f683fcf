import { describe, expect, it } from 'vitest';
import { openConnections } from './open-connections.ts';

function counting(connections: number, bodyBytes = 100) {
  const reached: string[] = [];
  const open = openConnections({ connections, bodyBytes }, (limit) => reached.push(limit));
  const destroyed: string[] = [];
  const dial = (name: string) => open.opened({ destroy: () => destroyed.push(name) });
  return { open, destroyed, reached, dial };
}

describe('openConnections', () => {
  it('drops the connection that has waited longest where one too many comes', () => {
    const { dial, destroyed, reached } = counting(2);
    for (const name of ['a', 'b', 'c', 'd']) dial(name);
    expect(destroyed).toEqual(['a', 'b']);
    expect(reached).toEqual(['connections', 'connections']);
  });

  it('counts the wait again from each head and each answer', () => {
    const { dial, destroyed } = counting(3);
    const a = dial('a');
    const b = dial('b');
    dial('c');
    a.request();
    b.request()[Symbol.dispose]();
    dial('d');
    dial('e');
    expect(destroyed).toEqual(['c', 'a']);
  });

  it('does not drop a connection whose client waits for the server, and refuses a new one where all do', () => {
    const { dial, destroyed } = counting(1);
    const request = dial('a').request();
    request.complete();
    dial('b');
    expect(destroyed).toEqual(['b']);
    request[Symbol.dispose]();
    dial('c');
    expect(destroyed).toEqual(['b', 'a']);
  });

  it('does not drop a connection of which one of two requests is not answered', () => {
    const { dial, destroyed } = counting(1);
    const a = dial('a');
    const [first, second] = [a.request(), a.request()];
    first.complete();
    second.complete();
    first[Symbol.dispose]();
    dial('b');
    expect(destroyed).toEqual(['b']);
  });

  it('has room again for each connection that closes', () => {
    const { dial, destroyed } = counting(1);
    dial('a').closed();
    dial('b');
    expect(destroyed).toEqual([]);
  });

  it('drops the request that has sent its body for longest where the bytes of all bodies are too many', () => {
    const { dial, destroyed, reached } = counting(9);
    dial('idle');
    const stuck = dial('stuck').request();
    const slow = dial('slow').request();
    const quick = dial('quick').request();
    expect([stuck.hold(50), slow.hold(50), quick.hold(50)]).toEqual([true, true, true]);
    expect(destroyed).toEqual(['stuck']);
    expect(stuck.hold(1)).toBe(false);
    stuck[Symbol.dispose]();
    expect(quick.hold(1)).toBe(true);
    expect(destroyed).toEqual(['stuck', 'slow']);
    expect(reached).toEqual(['bodyBytes', 'bodyBytes']);
  });

  it('has no room for a body where the others are complete, until one of them is answered', () => {
    const { dial, destroyed } = counting(9);
    const a = dial('a').request();
    a.hold(60);
    a.complete();
    const b = dial('b').request();
    expect([b.hold(40), b.hold(1)]).toEqual([true, false]);
    a[Symbol.dispose]();
    expect(b.hold(60)).toBe(true);
    expect(destroyed).toEqual([]);
  });

  it('destroys all, those that are being answered included', () => {
    const { open, dial, destroyed } = counting(9);
    dial('a').request().complete();
    dial('b');
    open.destroyAll();
    expect(destroyed).toEqual(['a', 'b']);
  });
});
