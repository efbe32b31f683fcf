import { ClusterInfoImport, Event, KnownCluster, ResourceExport, ServiceImport } from '@isthmus/api';
import type { AnyCondition, KubernetesObject } from '@isthmus/machinery';
import type { Report } from './attack.ts';
import type { AttackedFleet } from './attacked-fleet.ts';
import { adminOf } from './attacked-fleet.ts';
import { importer, leader } from './facts.ts';

/** What all attacks have caused in conditions and Events, read together. */
export interface SeenReports {
  /** Resolves when everything is read that was there now. */
  look(): Promise<void>;
  read(report: Report): { readonly isNamed: boolean; readonly found: string };
}

type Text = Partial<Pick<AnyCondition, 'type' | 'reason' | 'message'>>;

const lookMs = 500;
const atLeader = [ResourceExport, KnownCluster];
const inImporter = [ClusterInfoImport, ServiceImport];

export function createSeenReports(fleet: AttackedFleet): SeenReports {
  let seen = new Map<string, readonly Text[]>();
  let looking: Promise<void> | undefined;
  const lookOnce = async () => {
    await fleet.pass(lookMs);
    const now = new Map<string, Text[]>();
    for (const [id, types] of [[leader.id, atLeader] as const, [importer.id, inImporter] as const]) {
      const admin = adminOf(fleet, id);
      for (const type of types)
        for (const object of (await admin.list<Conditioned>(type)).items)
          now.set(keyOf(id, type.kind, object.metadata.name), [...(object.status?.conditions ?? [])]);
      for (const { involvedObject, reason, message } of (await admin.list(Event)).items) {
        const key = keyOf(id, involvedObject.kind ?? '', involvedObject.name ?? '');
        now.set(key, [...(now.get(key) ?? []), { reason, message }]);
      }
    }
    seen = now;
  };
  return {
    look() {
      looking ??= lookOnce().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    read({ by, type, ref, condition, reason: wanted, says }) {
      const texts = seen.get(keyOf(by === 'importer' ? importer.id : leader.id, type.kind, ref.name)) ?? [];
      const isNamed = texts.some(
        (one) =>
          one.type === condition &&
          (wanted === undefined || wanted === one.reason) &&
          one.message?.includes(says) === true,
      );
      const found = texts.map(({ type: is = 'Event', reason = '', message = '' }) => `${is} ${reason} "${message}"`);
      return { isNamed, found: found.join('; ') };
    },
  };
}

interface Conditioned extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly AnyCondition[] | undefined } | undefined;
}

function keyOf(cluster: string, kind: string, name: string): string {
  return `${cluster} ${kind} ${name}`;
}
