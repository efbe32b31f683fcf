import { defineConfigKind, s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { upgradeGroup, upgradeVersion } from '../file-kind.ts';
import { digestText, idText, versionText } from '../words.ts';
import { component } from './component.ts';

/**
 * A list of components that were tested together (docs/spec/upgrades.md §1.1, end). The signature covers apiVersion, kind, metadata.name and the whole of
 * spec: everything that says what gets installed, and nothing that an API server or a person may add in metadata or status.
 */
export const componentBundle = defineConfigKind({
  group: upgradeGroup,
  version: upgradeVersion,
  kind: 'ComponentBundle',
  docs: 'The components of a release that were tested together, with the digests of all that they consist of.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        number: s.int64().min(1).doc('Counts up with every bundle of its channel.'),
        channel: idText().doc('The channel that it is published in, as stable.'),
        engine: s
          .object({
            min: versionText().optional().doc('The oldest isthmus that may work with it.'),
            max: versionText().optional().doc('The newest; without a patch all patches of the minor are meant.'),
          })
          .doc('Which versions of isthmus may work with it; another one refuses before it does anything.')
          .default({}),
        createdAt: s.dateTime().doc('When it was made.'),
        expiresAt: s.dateTime().optional().doc('From then on it should not be installed any more.'),
        components: s.mapBy(['id'], component).doc('The components, in any order: plans order them by rules.'),
        perKubernetes: s
          .record(
            s.object({
              endOfSupport: s.date().optional().doc('The day on which this minor loses its support.'),
              components: s
                .mapBy(['id'], component)
                .doc(
                  'Components as they are for this minor: each takes the place of the one with its id above, or is added.',
                )
                .default([]),
            }),
          )
          .doc(
            'What differs by Kubernetes minor, by minor, as 1.31. A minor that is not named here is not in the bundle, where any is named.',
          )
          .default({}),
        policies: s
          .mapBy(
            ['name'],
            s.object({
              name: idText().doc(
                'The name of a policy: one that ships with isthmus, or one that is given beside the bundle.',
              ),
              digest: digestText()
                .optional()
                .doc('SHA-256 of its canonical JSON; with it no other policy of that name will do.'),
            }),
          )
          .doc('The policies that hold for it, beside those of the components that ship with isthmus.')
          .default([]),
      })
      .doc('What it consists of.'),
    signature: s
      .object({
        algorithm: s
          .oneOf('ecdsa-p256-sha256')
          .doc('ECDSA on P-256 over SHA-256 of the canonical JSON (RFC 8785) of what is signed; ASN.1 DER.'),
        keyID: digestText().doc('SHA-256 of the public key (SubjectPublicKeyInfo, DER).'),
        value: s.base64().doc('The signature.'),
      })
      .optional()
      .doc('Who vouches for it.'),
    status: s.anyObject().optional().doc('Belongs to whoever stores the bundle; not covered by the signature.'),
  }),
});
export type ComponentBundle = ReturnType<typeof componentBundle.decode>['value'];
