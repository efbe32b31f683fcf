import { keyOf, rfc3339 } from '@isthmus/machinery';
import type { TokenSettings } from './token-request.ts';
import { defaultSeconds, requestToken } from './token-request.ts';
import { review } from './reviews.ts';
import type { ReviewParts } from './reviews.ts';
import { trackUpdate, withManagedFields } from '../ownership/track-update.ts';
import { builtInType } from '../builtin/types/load.ts';
import { asJson } from '../objects/as-json.ts';
import { fieldManagerOf } from '../options/write-options.ts';
import type { Stored } from '../store/stored.ts';
import { actionBody } from './action-body.ts';
import type { ApiRequest } from '@isthmus/kube';
import type { Answer } from '../answer/answer.ts';
import { jsonAnswer, withWarnings } from '../answer/answer.ts';
import type { Core } from '../core/core.ts';
import type { Target } from '../core/target.ts';
import { bindPod, podAction } from './pod-actions.ts';
import { invalid, invalidValue, notFound, refusalOf } from '../refusal/refusal.ts';

/** Subresources that are actions of their own kind: tokens, bindings. */
export interface Actions {
  handle(core: Core, target: Target, request: ApiRequest): Promise<Answer>;
  /** The answer to an object that is created to be answered. */
  review(core: Core, target: Target, object: Stored, dryRun: boolean): Stored;
}

/** The subresources that are actions, and the reviews. */
export function createActions(parts: ReviewParts, tokens: TokenSettings): Actions {
  return {
    async handle(core, target, request) {
      if (target.resource.storageKey === '/serviceaccounts' && target.subresource === 'token') {
        const type = builtInType('authentication.k8s.io/v1', 'TokenRequest');
        const apiVersion = 'authentication.k8s.io/v1';
        const { body, warnings, admitted } = actionBody(target, request, 'TokenRequest');
        const { expirationSeconds, ...rest } = body['spec'] as { readonly expirationSeconds?: number | null };
        const { status: _, ...given } = body;
        const { name: sentName, ...metadata } = body.metadata;
        if (sentName !== '' && sentName !== target.name) throw otherAccount(target.name, sentName);
        const spec = { ...rest, expirationSeconds: expirationSeconds ?? defaultSeconds };
        const asked = { ...given, metadata, spec } as unknown as Stored;
        const managedFields = trackUpdate(
          { spec: { audiences: null, boundObjectRef: null }, status: {} },
          asJson(asked),
          {
            manager: fieldManagerOf(request),
            time: rfc3339(core.clock.now()),
            apiVersion,
            type,
            subresource: target.subresource,
          },
        );
        const tracked = withManagedFields(asJson(asked), managedFields) as unknown as Stored;
        await admitted(core, ofAccount(core, target, tracked));
        return withWarnings(warnings, jsonAnswer(201, requestToken(core, tokens, target, tracked)));
      }
      const ofPod = await podAction(core, target, request);
      if (ofPod !== undefined) return ofPod;
      throw refusalOf('NotFound', 'the server could not find the requested resource');
    },
    review(core, target, object, dryRun) {
      if (target.resource.kind === 'Binding') return bindPod(core, target, { body: object, dryRun }) as Stored;
      const answer = review(core, parts, target, object);
      const { name, ...unnamed } = answer.metadata;
      // A review has a name only if the request has one.
      return name === '' ? ({ ...answer, metadata: unnamed } as unknown as Stored) : answer;
    },
  };
}

/**
 * A request for a token as webhooks review it: with the metadata of the answer. Their changes of
 * this metadata are ignored.
 */
function ofAccount(core: Core, { name, namespace, resource }: Target, request: Stored): Stored {
  const account = core.store.get(resource.storageKey, keyOf({ namespace, name }));
  if (account === undefined) throw notFound(resource, name);
  const { uid } = account.metadata;
  const metadata = { ...request.metadata, name, namespace, uid, creationTimestamp: rfc3339(core.clock.now()) };
  const spec = { boundObjectRef: null, ...(request['spec'] as object) };
  return { ...request, metadata, spec, status: { token: '', expirationTimestamp: null } };
}

function otherAccount(name: string, sent: string): Error {
  const detail = 'must match the service account name if specified';
  return invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, [
    invalidValue('metadata.name', sent, detail),
  ]);
}
