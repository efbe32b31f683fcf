import { s } from '@isthmus/schema';
import { fileMetadata } from '../../file-metadata.ts';
import { defineFileKind } from '../../file-kind.ts';
import { idText, versionText } from '../../words.ts';

/** A release, and when it was. */
const release = () =>
  s.object({
    version: versionText().doc('The release.'),
    at: s.dateTime().doc('When it was published.'),
  });

/**
 * When the versions of CRDs were introduced, deprecated and removed. Without it the age of a
 * deprecation is not known, and D1 reports that.
 */
export const apiHistory = defineFileKind({
  kind: 'ApiHistory',
  docs: 'When the versions of custom resources were introduced, deprecated and removed.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        component: idText().doc('The component type whose releases these are.'),
        versions: s
          .array(
            s.object({
              crd: s
                .string()
                .minLength(1)
                .doc('The name of the CRD, such as clustergroups.crd.antrea.io, or the group of an aggregated API.'),
              version: s.string().minLength(1).doc('Its version, such as v1alpha2.'),
              introduced: release().optional().doc('The first release that served it.'),
              deprecated: release().optional().doc('The first release with `deprecated: true`.'),
              removed: release().optional().doc('The first release that did not serve it.'),
            }),
          )
          .doc('In any order.'),
      })
      .doc('The known history.'),
  }),
});
export type ApiHistory = ReturnType<typeof apiHistory.decode>['value'];
