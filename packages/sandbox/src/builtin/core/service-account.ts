import type { Strategy } from '../../strategy/strategy.ts';
import { metadataAgain } from '../field-rules.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';

const enforce = 'kubernetes.io/enforce-mountable-secrets';

const serviceAccountStrategy: Partial<Strategy> = {
  deleteReturnsObject: true,
  validateUpdate: (object) => metadataAgain(object),
  warnings: (object, before) =>
    object.metadata.annotations?.[enforce] === undefined || before?.metadata.annotations?.[enforce] !== undefined
      ? []
      : [
          `metadata.annotations[${enforce}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ],
};

export const serviceAccount = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  columns: defineColumns({ Name: nameColumn, Age: ageColumn }),
  shortNames: ['sa'],
  subresources: [
    {
      name: 'token',
      kind: 'action',
      verbs: ['create'],
      response: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
    },
  ],
  strategy: serviceAccountStrategy,
});
