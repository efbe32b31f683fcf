import { readAuditLog } from '../apiserver/audit-log.ts';
import type { RealApiServer } from '../apiserver/api-server.ts';

/**
 * The writes of a user to a cluster so far, from its audit log, as
 * `verb resource[/subresource] namespace/name code`. Heartbeats depend on time, and Events are not
 * part of the state, so both are left out.
 */
export function auditedWrites(server: RealApiServer, user: string): readonly string[] {
  return readAuditLog(server.auditLogPath).flatMap((request) => {
    const { verb, resource = '', subresource, namespace = '', name = '', code } = request;
    if (request.user !== user || ['get', 'list', 'watch'].includes(verb) || resource === 'events') return [];
    if (resource === 'memberclusterannounces' && verb === 'patch') return [];
    const what = subresource === undefined ? resource : `${resource}/${subresource}`;
    return [`${verb} ${what} ${namespace}/${name} ${code}`];
  });
}
