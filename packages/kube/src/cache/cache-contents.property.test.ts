import { compareResourceVersions } from '@isthmus/machinery';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from './cache.ts';
import { CacheContents } from './cache-contents.ts';
import type { Thing } from '../testing/thing.ts';
import { thing } from '../testing/thing.ts';

type Line = readonly ['ADDED' | 'MODIFIED' | 'DELETED', Thing];

/** A server with one kind of which a watch selects the things of an even size. */
class Server {
  version = 100;
  readonly objects = new Map<string, Thing>();
  readonly history: { readonly version: number; readonly line: Line | undefined }[] = [];

  write(name: string, size: number): Thing {
    const before = this.objects.get(name);
    const version = ++this.version;
    const uid = before?.metadata.uid ?? `uid-${name}-${version}`;
    const after = thing(name, { uid, resourceVersion: String(version) }, size);
    this.objects.set(name, after);
    this.history.push({ version, line: lineOf(before, after, after) });
    return after;
  }

  remove(name: string): Thing | undefined {
    const before = this.objects.get(name);
    if (before === undefined) return undefined;
    const version = ++this.version;
    const last = thing(name, { ...before.metadata, resourceVersion: String(version) }, before.spec?.size);
    this.objects.delete(name);
    this.history.push({ version, line: lineOf(before, undefined, last) });
    return before;
  }

  selected(): readonly Thing[] {
    return [...this.objects.values()].filter(isSelected).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }
}

function isSelected(object: Thing | undefined): boolean {
  return object !== undefined && (object.spec?.size ?? 1) % 2 === 0;
}

function lineOf(before: Thing | undefined, after: Thing | undefined, object: Thing): Line | undefined {
  if (isSelected(after)) return [isSelected(before) ? 'MODIFIED' : 'ADDED', object];
  return isSelected(before) ? ['DELETED', object] : undefined;
}

/** The cache and what is on its way to it. */
class Reader {
  readonly contents = new CacheContents<Thing>({}, (_, error) => {
    throw error;
  });
  readonly answers: (() => readonly Change<Thing>[])[] = [];
  readonly server: Server;
  readonly newest = new Map<string, string>();
  readonly shown = new Map<string, Thing>();
  #position = 0;
  #list: { readonly items: readonly Thing[]; readonly version: number; readonly position: number } | undefined;

  constructor(server: Server) {
    this.server = server;
    this.startList();
  }

  startList(): void {
    if (this.#list !== undefined) return;
    const { server, contents } = this;
    contents.beginList();
    const items = server.selected().map((item) => contents.listed(item));
    this.#list = { items, version: server.version, position: server.history.length };
  }

  finishList(): void {
    const list = this.#list;
    if (list === undefined) return;
    this.#list = undefined;
    this.#position = list.position;
    this.take(this.contents.replace(list.items, String(list.version)));
  }

  nextLine(): boolean {
    if (this.#list !== undefined) return false;
    const entry = this.server.history[this.#position];
    if (entry === undefined) return false;
    this.#position++;
    if (entry.line !== undefined) this.take(this.contents.event(...entry.line));
    return true;
  }

  bookmark(): void {
    if (this.#list !== undefined) return;
    const told = this.server.history[this.#position - 1]?.version;
    if (told !== undefined) this.take(this.contents.bookmark(String(told)));
  }

  /** The listener: each change must continue from the one before and never go back. */
  take(changes: readonly Change<Thing>[]): void {
    for (const { key, before, after } of changes) {
      // Plain comparisons: this runs some hundred thousand times.
      if (before !== this.shown.get(key)) throw new Error(`${key}: what is told as before was not told as after`);
      if (before === undefined && after === undefined) throw new Error(`${key}: nothing was told`);
      if (after === undefined) this.shown.delete(key);
      else {
        const version = after.metadata.resourceVersion ?? '';
        const newest = this.newest.get(key);
        const order = newest === undefined ? 1 : compareResourceVersions(version, newest);
        if (order === undefined || order <= 0) throw new Error(`${key} went from ${newest} back to ${version}`);
        this.newest.set(key, version);
        this.shown.set(key, after);
      }
    }
  }
}

const name = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('other writes', 'we write'), name, n: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('other deletes', 'we delete'), name, n: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('an answer comes'), name, n: fc.nat(5) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('a line comes'), name, n: fc.constant(0) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('a list starts', 'a list comes', 'a bookmark comes'),
      name,
      n: fc.constant(0),
    }),
  },
);

describe('CacheContents', () => {
  it('comes to what the server holds and never goes back, however writes, answers, watch lines, bookmarks and lists interleave', () => {
    let tooLate = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }), (steps) => {
        const server = new Server();
        const reader = new Reader(server);
        const { contents, answers } = reader;
        for (const { kind, name, n } of steps) {
          if (kind === 'other writes') server.write(name, n);
          else if (kind === 'other deletes') server.remove(name);
          else if (kind === 'we write') {
            const written = server.write(name, n);
            answers.push(() => contents.wrote(written));
          } else if (kind === 'we delete') {
            const gone = server.remove(name);
            if (gone !== undefined) answers.push(() => contents.deleted(gone.metadata, gone.metadata.uid));
          } else if (kind === 'an answer comes') {
            const [answer] = answers.splice(Math.min(n, answers.length - 1), answers.length === 0 ? 0 : 1);
            const changes = answer?.() ?? [];
            if (answer !== undefined && changes.length === 0) tooLate++;
            reader.take(changes);
          } else if (kind === 'a line comes') reader.nextLine();
          else if (kind === 'a list starts') reader.startList();
          else if (kind === 'a list comes') reader.finishList();
          else reader.bookmark();
        }
        for (const answer of answers) reader.take(answer());
        reader.finishList();
        while (reader.nextLine());
        reader.bookmark();
        expect(contents.store.list()).toEqual(server.selected());
        expect([...reader.shown.keys()].sort()).toEqual(
          contents.store.list().map(({ metadata }) => `shop/${metadata.name}`),
        );
      }),
      { numRuns: 1_500 },
    );
    // Answers that the watch had overtaken. Without many of them the property would test little.
    expect(tooLate).toBeGreaterThan(1_000);
  });
});
