import type { Source } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { equal, isLive } from '@isthmus/machinery';
import { announcedEndpointIPType, carriesOurLabel, isWithdrawn } from '@isthmus/wire';
import type { Contention, Rival } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import { ExportIndex } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';
import { following } from '../reporting/following.ts';
import { createPacedTexts } from '../reporting/paced-texts.ts';

/** Exports of different keys that contend for a thing that only one of them may have. */
export interface Rivals {
  /** Wakes the keys that a change of another key concerns. */
  readonly source: Source;
  /** All rivals of an export of `key`, including indirect ones. */
  of(key: string): readonly Rival[];
}

/** A network is announced, published, and corrected a few times. */
const changesAtOnce = 10;

/**
 * Finds the rivals of each key. A change costs one comparison with each other export, and wakes no
 * key while there are no rivals. Lost exports contend as long as their publications stay.
 *
 * One change can concern all clusters, and is then reported in each of them. So a member that keeps
 * changing its stake wakes the others less and less often. A decision in between uses the current
 * stakes.
 */
export function createRivals(exchange: Exchange, area: CommonArea, clock: Clock): Rivals {
  const { leader } = exchange;
  // The type of a stake does not matter: only the exchange that made it reads it.
  const contention: Contention<unknown> | undefined = leader.contention;
  if (contention === undefined) return { source: following(), of: () => [] };
  const { group, update, of } = createContenders(contention, (key) => lookUp(key, exchange, area));
  return {
    source: {
      get synced() {
        return area.exports.cache.synced && area.imports.cache.synced;
      },
      async whenSynced(signal) {
        await area.exports.cache.whenSynced(signal);
        await area.imports.cache.whenSynced(signal);
      },
      start(wake) {
        const waiting = new Map<string, Set<string>>();
        const paced = createPacedTexts(
          clock,
          (_before, _after, key) => {
            const concerned = waiting.get(key) ?? [];
            waiting.delete(key);
            for (const other of concerned) wake(other);
          },
          { atOnce: changesAtOnce },
        );
        let changes = 0;
        const wakeFor = (key: string, others: Iterable<string>) => {
          const concerned = new Set([...(waiting.get(key) ?? []), ...others]);
          if (concerned.size === 0) return;
          waiting.set(key, concerned);
          changes += 1;
          paced.note(key, String(changes));
        };
        const note = (keys: readonly string[]) => {
          for (const key of keys) wakeFor(key, update(key));
        };
        for (const object of area.exports.cache.list()) note(leader.exportKeys(object));
        for (const object of area.imports.cache.list()) note(leader.importKeys(object));
        const stops = [
          area.exports.cache.subscribe(({ before, after }) =>
            note([before, after].flatMap((object) => (object === undefined ? [] : leader.exportKeys(object)))),
          ),
          area.announces.cache.subscribe(({ before, after }) => {
            const [was, is] = [before, after].map((one) =>
              one === undefined ? undefined : announcedEndpointIPType(one),
            );
            if (was === is) return;
            const clusterID = (after ?? before)?.clusterID ?? '';
            const own = area.exports.cache.byIndex(ExportIndex.clusterID, clusterID).flatMap(leader.exportKeys);
            for (const key of own) wakeFor(key, group(key));
          }),
          area.imports.cache.subscribe(({ before, after }) =>
            note([before, after].flatMap((object) => (object === undefined ? [] : leader.importKeys(object)))),
          ),
        ];
        return () => {
          stops.forEach((stop) => stop());
          waiting.clear();
        };
      },
    },
    of,
  };
}

/** The keys and their rivals at the last look. */
interface Contenders {
  /** All rivals of an export of `key`, including indirect ones, and the key itself. */
  group(key: string): ReadonlySet<string>;
  /** Looks at `key` again. Returns the other keys that a change concerns. */
  update(key: string): readonly string[];
  of(key: string): readonly Rival[];
}

function createContenders(contention: Contention<unknown>, find: (key: string) => Rival | undefined): Contenders {
  const existing = new Map<string, Rival & { readonly stake: unknown }>();
  const beside = new Map<string, ReadonlySet<string>>();

  const group = (key: string): ReadonlySet<string> => {
    const found = new Set([key]);
    for (const one of found) for (const next of beside.get(one) ?? []) found.add(next);
    return found;
  };

  const update = (key: string): readonly string[] => {
    const [before, rival] = [existing.get(key), find(key)];
    if (isSame(before, rival)) return [];
    const stake = rival && contention.stakeOf(rival.object, rival.published);
    const concerned = new Set(group(key));
    for (const other of beside.get(key) ?? []) beside.set(other, without(beside.get(other), key));
    beside.delete(key);
    if (rival === undefined || stake === undefined) existing.delete(key);
    else {
      existing.set(key, { ...rival, stake });
      const contending = [...existing].flatMap(([other, one]) =>
        other !== key && contention.contend(one.stake, stake) ? [other] : [],
      );
      if (contending.length > 0) beside.set(key, new Set(contending));
      for (const other of contending) beside.set(other, new Set([...(beside.get(other) ?? []), key]));
    }
    for (const other of group(key)) concerned.add(other);
    concerned.delete(key);
    return [...concerned];
  };

  const of = (key: string) => [...group(key)].flatMap((other) => (other === key ? [] : (existing.get(other) ?? [])));
  return { group, update, of };
}

function lookUp(key: string, { name, leader }: Exchange, area: CommonArea): Rival | undefined {
  // Antrea's leader publishes without a label.
  const published = area.imports.cache.byIndex(name, key).find((object) => !isWithdrawn(object));
  const isTraced = published !== undefined && carriesOurLabel(published);
  const object =
    area.exports.cache.byIndex(name, key).find(isLive) ??
    (isTraced ? leader.traced?.substitutes(published, [published])[0] : undefined);
  return object && { object, published };
}

/** Whether the stakes are the same: conditions and annotations are not part of them. */
function isSame(a: Rival | undefined, b: Rival | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.object.metadata.creationTimestamp === b.object.metadata.creationTimestamp &&
    equal(a.object.spec, b.object.spec) &&
    equal(a.published?.spec, b.published?.spec)
  );
}

function without(keys: ReadonlySet<string> | undefined, key: string): ReadonlySet<string> {
  return new Set([...(keys ?? [])].filter((one) => one !== key));
}
