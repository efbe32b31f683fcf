import type { ApiRequest } from '@isthmus/kube';
import { defineBuiltIn } from '../builtin/define.ts';
import { binding } from '../builtin/core/binding.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { decodeObject } from '../objects/decode.ts';
import { writeOptionsOf } from '../options/write-options.ts';
import type { Stored } from '../store/stored.ts';
import type { Target } from '../core/target.ts';

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

/** What is posted to an action, read as strictly as an object that is to be stored. Errors: 400. */
export function actionBody(
  target: Target,
  request: ApiRequest,
  kind: keyof typeof kinds,
): { readonly body: Stored; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const { dryRun, fieldValidation } = writeOptionsOf('CreateOptions', request.query ?? {});
  const read = { ...target, resource: kinds[kind], dryRun, fieldValidation, fieldManager: '', warnings };
  return { body: decodeObject(read, request), warnings };
}
