import { s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { defineFileKind } from '../file-kind.ts';
import { digestText, idText, versionText } from '../words.ts';
import { component } from './component.ts';

/**
 * A list of components that were tested together (docs/spec/upgrades.md §1.1, end). The signature
 * covers apiVersion, kind, metadata.name and the whole of spec: every field that decides what gets
 * installed. It does not cover fields of metadata or status that an API server or a user may add.
 */
export const componentBundle = defineFileKind({
  kind: 'ComponentBundle',
  docs: 'The components of a release that were tested together, with the digests of their artifacts.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        number: s.int64().min(1).doc('Increases with every bundle of its channel.'),
        channel: idText().doc('The channel that it is published in, such as stable.'),
        engine: s
          .object({
            min: versionText().optional().doc('The oldest version of isthmus that supports it.'),
            max: versionText()
              .optional()
              .doc('The newest version; without a patch number it includes all patches of the minor.'),
          })
          .doc('The versions of isthmus that support it; other versions reject it before they do anything.')
          .default({}),
        createdAt: s.dateTime().doc('Creation time.'),
        expiresAt: s.dateTime().optional().doc('The time from which it should no longer be installed.'),
        components: s.mapBy(['id'], component).doc('The components, in any order; plans order them by rules.'),
        perKubernetes: s
          .record(
            s.object({
              endOfSupport: s.date().optional().doc('The day on which support for this minor ends.'),
              components: s
                .mapBy(['id'], component)
                .doc('Components for this minor: each replaces the component with the same id above, or is added.')
                .default([]),
            }),
          )
          .doc(
            'Differences by Kubernetes minor, such as 1.31. If any minor is listed, the bundle has only the listed minors.',
          )
          .default({}),
        policies: s
          .mapBy(
            ['name'],
            s.object({
              name: idText().doc('The name of a policy: shipped with isthmus, or given with the bundle.'),
              digest: digestText().optional().doc('SHA-256 of its canonical JSON; pins the content of the policy.'),
            }),
          )
          .doc('The policies that apply to it, in addition to the shipped policies of its components.')
          .default([]),
      })
      .doc('The contents of the bundle.'),
    signature: s
      .object({
        algorithm: s
          .oneOf('ecdsa-p256-sha256')
          .doc('ECDSA on P-256 over SHA-256 of the canonical JSON (RFC 8785) of the signed fields; ASN.1 DER.'),
        keyID: digestText().doc('SHA-256 of the public key (SubjectPublicKeyInfo, DER).'),
        value: s.base64().doc('The signature.'),
      })
      .optional()
      .doc('The signature of the publisher.'),
    status: s.anyObject().optional().doc('For the store that keeps the bundle; not covered by the signature.'),
  }),
});
export type ComponentBundle = ReturnType<typeof componentBundle.decode>['value'];
