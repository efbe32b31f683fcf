import type { Strategy } from '../../strategy/strategy.ts';
import { metadataAgain } from '../field-rules.ts';

const enforce = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccountStrategy: Partial<Strategy> = {
  deleteReturnsObject: true,
  validateUpdate: (object) => metadataAgain(object),
  warnings: (object, before) =>
    object.metadata.annotations?.[enforce] === undefined || before?.metadata.annotations?.[enforce] !== undefined
      ? []
      : [
          `metadata.annotations[${enforce}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ],
};
