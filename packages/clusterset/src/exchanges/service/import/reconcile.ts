import type { EventReason } from '@isthmus/api';
import {
  EndpointSlice,
  Endpoints,
  Namespace,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
  SourceKind,
  importedServiceName,
  resourceImportName,
  serviceImportStatus,
} from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { again, blocked, defineReconciler, done } from '@isthmus/kube';
import { keyOfObject, refOf } from '@isthmus/machinery';
import type { ControllerAccess } from '../../../exchange/controller-access.ts';
import type { ImportSource } from '../../../exchange/member/import-source.ts';
import type { LocalCluster } from '../local/services.ts';
import { decideServiceImport } from './decide.ts';
import { hold } from './hold.ts';
import { createMissingImports } from '../../../exchange/member/missing-imports.ts';
import { isOwnExportPending } from './own-export-pending.ts';
import { carriesOurLabel } from '../../../exchange/ownership.ts';
import { importKeys, remoteObjects } from '../wire/keys.ts';
import { readImports } from './read-imports.ts';
import { importSources } from './watched-keys.ts';
import { withdraw } from './withdraw.ts';
import { writeImport } from './write-import.ts';
import { isMissingAtLeader } from '../../../exchange/member/missing-at-leader.ts';

/** What this controller may do. */
export const serviceImportAccess: readonly ControllerAccess[] = [
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Namespace, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  // Of an Antrea member that was here before.
  { at: 'local', type: Endpoints, scope: 'all', verbs: ['get', 'delete'] },
  { at: 'local', type: ServiceExport, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceImport, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: ServiceImport, subresource: 'status', scope: 'all', verbs: ['patch'] },
];

/** Makes every Service of the ClusterSet callable here, and removes what is no longer offered. One key: `namespace/name`. */
export function serviceImportController(local: LocalCluster, source: ImportSource): Reconciler {
  const options = { local, source };
  const missing = createMissingImports(local, source, {
    what: 'imported Services',
    keys: (object) => (object.spec?.kind === SourceKind.serviceImport ? importKeys(object) : []),
    imported: () => local.serviceImports.cache.list().filter(carriesOurLabel).map(keyOfObject),
    isOffered: (key) => remoteObjects(source, key).length > 0,
    isGone(session, key, signal) {
      const { namespace = '', name } = refOf(key);
      return isMissingAtLeader(session, resourceImportName(namespace, name, 'Service'), signal);
    },
  });
  return defineReconciler<EventReason<typeof serviceImportStatus>>({
    name: 'service-import',
    sources: [...importSources(local, source), ...missing.sources],
    access: serviceImportAccess,
    async reconcile(key, context) {
      const { signal } = context;
      const { namespace = '', name } = refOf(key);
      const remote = readImports(remoteObjects(source, key));
      const derived = local.services.cache.get({ namespace, name: importedServiceName(name) });
      const serviceImport = local.serviceImports.cache.get({ namespace, name });
      const standing = { key, derived, serviceImport };
      const there = local.namespaces.cache.get({ name: namespace });
      const namespaceThere = there !== undefined && there.metadata.deletionTimestamp === undefined;
      const decision = decideServiceImport({ namespace, name, remote, namespaceThere, derived, serviceImport });
      if (decision.kind !== 'withdraw') missing.found(key);
      switch (decision.kind) {
        case 'wait':
          return blocked(decision.problem.reason, decision.problem.message);
        case 'hold':
          await hold(options, standing, decision.problem, signal);
          return blocked(decision.problem.reason, decision.problem.message);
        case 'withdraw': {
          if (isOwnExportPending(local, source, key))
            return again(1_000, "this cluster's export has not been merged yet");
          const doubt = serviceImport === undefined ? undefined : await missing.doubt(key, context);
          if (doubt !== undefined) return doubt;
          await withdraw(options, standing, signal);
          missing.clear(key);
          return done;
        }
        case 'import':
          missing.clear(key);
          await writeImport(options, { key, decision, remote }, signal);
          return decision.problem === undefined ? done : blocked(decision.problem.reason, decision.problem.message);
      }
    },
    /** On the ServiceImport, which the user looks at; where there is none, on the ClusterSet. */
    async report(key, problem) {
      const object = local.serviceImports.cache.getByKey(key) ?? local.served();
      if (problem !== undefined && object !== undefined) local.events.report(object, serviceImportStatus, problem);
    },
  });
}
