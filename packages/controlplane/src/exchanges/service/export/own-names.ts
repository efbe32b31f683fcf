import type { ResourceExport, ServiceExportKind } from '@isthmus/api';
import { dottedName, resourceExportName } from '@isthmus/api';
import { isLive, refOf } from '@isthmus/machinery';
import { serviceExportKeys } from '@isthmus/wire';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import { isConflictingExport } from './decide.ts';
import type { PresentRemote } from './remote.ts';

/** The names of the exports of one Service, with a dash and with a dot. */
type NamesOf = Readonly<Record<'joined' | 'dotted', PresentRemote['names']>>;

/**
 * The exports of the Service `key`, and their names. An export keeps its names. A new one has those
 * with a dot if another Service of this cluster has those with a dash, and the leader accepts dots
 * (docs/spec/wire.md §5). At a leader that is known not to, only the names with a dash count.
 */
export function ownExportsOf(
  session: LeaderSession,
  key: string,
): Pick<PresentRemote, 'service' | 'endpoints' | 'names' | 'hasOther'> {
  const names = exportNames(session, key);
  const joined = exportNamed(session, names.joined.Service);
  const dotted = exportNamed(session, names.dotted.Service);
  const { clusterID } = session.spec;
  const isTaken =
    joined?.spec?.clusterID === clusterID && isLive(joined) && isConflictingExport(joined, refOf(key), clusterID);
  const { acceptsDottedNames } = session;
  const mayBeDotted = isOf(dotted, key) ? acceptsDottedNames !== false : isTaken && acceptsDottedNames === true;
  const form = !isOf(joined, key) && mayBeDotted ? 'dotted' : 'joined';
  const others = Object.values(names[form === 'dotted' ? 'joined' : 'dotted']);
  return {
    service: form === 'dotted' ? dotted : joined,
    endpoints: exportNamed(session, names[form].Endpoints),
    names: names[form],
    hasOther: others.some((name) => isOf(exportNamed(session, name), key)),
  };
}

/** All names that an export of this kind of the Service `key` can have. */
export function namesOfKind(session: LeaderSession, key: string, kind: ServiceExportKind): readonly string[] {
  const { joined, dotted } = exportNames(session, key);
  return [joined[kind], dotted[kind]];
}

/** The export of this cluster with that name, of whichever Service. */
export function exportNamed({ exports, spec }: LeaderSession, name: string): ResourceExport | undefined {
  return exports.cache.get({ namespace: spec.leaderNamespace, name });
}

function exportNames({ spec }: LeaderSession, key: string): NamesOf {
  const { namespace = '', name } = refOf(key);
  const joined = (kind: ServiceExportKind) => resourceExportName(spec.clusterID, namespace, name, kind);
  const dotted = (kind: ServiceExportKind) => dottedName(joined(kind), `${spec.clusterID}-${namespace}`);
  return {
    joined: { Service: joined('Service'), Endpoints: joined('Endpoints') },
    dotted: { Service: dotted('Service'), Endpoints: dotted('Endpoints') },
  };
}

function isOf(object: ResourceExport | undefined, key: string): boolean {
  return object !== undefined && serviceExportKeys(object).includes(key);
}
