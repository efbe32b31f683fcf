import type { Reconciler, Source } from '@isthmus/kube';
import { again } from '@isthmus/kube';
import { partSource, quotasOf, soleSource } from '@isthmus/wire';
import type { MemberExchange, MemberPart } from '../member-exchange.ts';
import type { LeaderSession } from '../own-cluster/leader-session.ts';
import type { OwnCluster } from '../own-cluster/own-cluster.ts';
import type { Pace } from '../reporting/pace.ts';
import { countsChanges, createPace } from '../reporting/pace.ts';

/**
 * The part of an exchange in this cluster. What the leader changes all the time is imported at
 * growing intervals: a leader of Antrea publishes as often as a member changes its exports.
 */
export function joinAtPace(exchange: MemberExchange, own: OwnCluster): MemberPart {
  const part = exchange.join(own);
  return {
    ...part,
    importers(source) {
      const importers = part.importers(source);
      return source.kind === 'none' ? importers : importers.map((one) => paced(one, exchange, own, source.session));
    },
  };
}

function paced(importer: Reconciler, exchange: MemberExchange, own: OwnCluster, session: LeaderSession): Reconciler {
  const pace = createPace(own.world.clock);
  return {
    ...importer,
    sources: [...importer.sources, changesIn(pace, exchange, own, session)],
    async reconcile(key, context) {
      const waitMs = pace.begin(key);
      return waitMs > 0 ? again(waitMs, 'what is published of it changes too often') : importer.reconcile(key, context);
    },
  };
}

function changesIn(pace: Pace, { importKeys }: MemberExchange, { grants }: OwnCluster, session: LeaderSession): Source {
  return countsChanges(pace, session.imports.cache, (object) => {
    const owner = soleSource(object) ?? partSource(object) ?? '';
    const perMinute = quotasOf(grants.of(owner)).changesPerMinute * (owner === '' ? manyClusters : 1);
    return { owner, perMinute, keys: importKeys(object) };
  });
}

/** A list of unknown clusters changes as often as all of them together. */
const manyClusters = 5;
