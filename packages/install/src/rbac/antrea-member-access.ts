import { MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import type { ControllerAccess } from '@isthmus/controlplane';

/**
 * The requests of an Antrea member (up to 2.7) with its token in the leader Namespace that ours
 * does not send: it writes with PUT where ours patches (docs/spec/membership.md §1). It also
 * reports failed imports of policies as Events there, which `memberEventObjects` grants.
 *
 * Antrea's own Role also lets it get, update and patch the status of ResourceExports and
 * ResourceImports, with which one member can freeze the exports of another (defect B23). No member
 * of any version reads or writes these (docs/spec/wire.md §1), so it isn't granted here. Neither is
 * the status of MemberClusterAnnounces, which have no status subresource.
 */
export const antreaMemberAccess: readonly ControllerAccess[] = [
  {
    at: 'leader',
    type: MemberClusterAnnounce,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  {
    at: 'leader',
    type: ResourceExport,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
];
