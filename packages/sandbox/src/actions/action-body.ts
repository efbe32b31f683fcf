import type { ApiRequest } from '@isthmus/kube';
import { defineBuiltIn } from '../builtin/define.ts';
import { binding } from '../builtin/virtual-kinds.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { decodeObject } from '../objects/decode.ts';
import { refuseMissingNamespace } from '../objects/namespace-lifecycle.ts';
import { withWarningsSent } from '../refusal/refusal.ts';
import { fieldManagerOf, writeOptionsOf } from '../options/write-options.ts';
import type { Stored } from '../store/stored.ts';
import type { Core } from '../core/core.ts';
import type { Target } from '../core/target.ts';
import { writeOptions } from '../verbs/write.ts';

const kinds = {
  Binding: binding,
  Eviction: defineBuiltIn({ group: 'policy', version: 'v1', kind: 'Eviction', plural: 'evictions', virtual: true }),
  TokenRequest: defineBuiltIn({
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'TokenRequest',
    plural: 'tokenrequests',
    virtual: true,
  }),
} as const satisfies Readonly<Record<string, ServedResource>>;

/** The decoded body of a POST to an action. */
export interface ActionBody {
  readonly body: Stored;
  /** Texts for `Warning` headers, which are added to. */
  readonly warnings: string[];
  readonly dryRun: boolean;
  /**
   * The object `asked` after the admission webhooks of the subresource. Errors: their rejection,
   * and 403 in a terminating Namespace.
   */
  admitted(core: Core, asked: Stored): Promise<Stored>;
}

/** Reads the body of a POST to an action, as strictly as an object to store. Errors: 400. */
export function actionBody(target: Target, request: ApiRequest, kind: keyof typeof kinds): ActionBody {
  const warnings: string[] = [];
  const { query = {} } = request;
  const { dryRun, fieldValidation } = writeOptionsOf('CreateOptions', query);
  const resource: ServedResource = kinds[kind];
  const read = { ...target, resource, dryRun, fieldValidation, fieldManager: '', warnings };
  const namedFieldManager = (query['fieldManager'] ?? '') === '' ? undefined : fieldManagerOf(request);
  return {
    body: decodeObject(read, request),
    warnings,
    dryRun,
    async admitted(core, asked) {
      const { namespace, name } = target;
      refuseMissingNamespace(core, target.resource, { ...asked, metadata: { ...asked.metadata, namespace, name } });
      const write = { ...read, resource: target.resource, namedFieldManager };
      const options = writeOptions('CreateOptions', write);
      const review = { operation: 'CREATE', target: write, body: resource, options } as const;
      try {
        const object = (await core.admission.mutate(core, { ...review, object: asked })) ?? asked;
        await core.admission.validate(core, { ...review, object });
        return object;
      } catch (error) {
        throw withWarningsSent(error, warnings);
      }
    },
  };
}
