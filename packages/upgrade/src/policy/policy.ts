import { s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { defineFileKind } from '../file-kind.ts';
import { changeRules } from './change-rules.ts';
import { versionRules } from './version-rules.ts';
import { waveRules } from './wave-rules.ts';

/**
 * The promises of one product about its upgrades, as data. Several policies apply together: the
 * union of their rules, whose ids are unique. A policy that no fleet could ever meet is rejected
 * when it is read.
 */
export const policy = defineFileKind({
  kind: 'Policy',
  docs: 'The upgrade rules of a product: version skew, order, hops, supported Kubernetes, deprecation.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        product: s.string().minLength(1).doc('The product that the policy is about.'),
        ...versionRules,
        ...changeRules,
        waves: waveRules.optional().doc('How members and Nodes are divided into waves; only one policy may set it.'),
      })
      .doc('The rules.'),
  }),
});
export type Policy = ReturnType<typeof policy.decode>['value'];
