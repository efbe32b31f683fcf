import { readAuditLog } from '../apiserver/audit-log.ts';
import type { RealApiServer } from '../apiserver/api-server.ts';

/**
 * What a user has written to a cluster so far, by its audit log, as `verb resource[/subresource] namespace/name code`. Heartbeats come by
 * time, and Events are not part of the state: neither counts.
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
