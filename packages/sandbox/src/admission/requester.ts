import type { AdmissionRequest } from '../core/core.ts';
import type { Stored } from '../store/stored.ts';

/**
 * A new CertificateSigningRequest names the sender of the request as its requester, whatever the
 * body contains.
 */
export function withRequester({ operation, target, object }: AdmissionRequest): Stored | undefined {
  if (object === undefined || operation !== 'CREATE') return object;
  if (target.resource.storageKey !== 'certificates.k8s.io/certificatesigningrequests') return object;
  const { username, uid, groups, extra } = target.user;
  const {
    uid: _uid,
    extra: _extra,
    ...spec
  } = (object['spec'] ?? {}) as { readonly uid?: unknown; readonly extra?: unknown };
  return {
    ...object,
    spec: { ...spec, username, ...(uid !== undefined && { uid }), groups, ...(extra !== undefined && { extra }) },
  };
}
