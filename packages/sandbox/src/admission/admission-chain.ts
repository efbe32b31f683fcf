import type { Admission, AdmissionRequest } from '../core/core.ts';
import { admitPod } from './pod-admission.ts';
import type { Stored } from '../store/stored.ts';

/** The server's own plugins, policies and webhooks, as the real server orders them. */
export function admissionChain(webhooks: Admission, policies: Admission['validate']): Admission {
  return {
    async mutate(core, request) {
      // The plugins are about objects that are stored.
      if (request.body !== undefined) return webhooks.mutate(core, request);
      const object = await admitPod(core, { ...request, object: withRequester(request) });
      return webhooks.mutate(core, { ...request, object });
    },
    async validate(core, request) {
      await policies(core, request);
      await webhooks.validate(core, request);
    },
  };
}

/**
 * A new CertificateSigningRequest names the sender of the request as its requester, whatever the
 * body contains.
 */
function withRequester({ operation, target, object }: AdmissionRequest): Stored | undefined {
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
