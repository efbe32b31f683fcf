import type { Admission } from '../core/core.ts';
import { admitPod } from './pod-admission.ts';
import { withRequester } from './requester.ts';

/** The server's own plugins before the webhooks, as the real server orders them. */
export function admissionChain(webhooks: Admission): Admission {
  return {
    async mutate(core, request) {
      // The plugins are about objects that are stored.
      if (request.body !== undefined) return webhooks.mutate(core, request);
      const object = await admitPod(core, { ...request, object: withRequester(request) });
      return webhooks.mutate(core, { ...request, object });
    },
    validate: (core, request) => webhooks.validate(core, request),
  };
}
