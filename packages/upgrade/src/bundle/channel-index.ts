import { s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { defineFileKind } from '../file-kind.ts';
import { digestText, idText } from '../words.ts';

/** Which bundles there are, by channel: the file `index.yaml` of a folder or below a URL. */
export const channelIndex = defineFileKind({
  kind: 'ChannelIndex',
  docs: 'The bundles that are published in a folder or at a URL.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        bundles: s
          .array(
            s.object({
              name: idText().doc('metadata.name of the bundle.'),
              channel: idText().doc('Its channel.'),
              number: s
                .int64()
                .min(1)
                .doc('Its number; the bundle with the highest number is the latest of its channel.'),
              releaseVersion: s
                .string()
                .optional()
                .doc('The version of its release, such as v0.19.0+build.12, to find it by version.'),
              createdAt: s.dateTime().doc('Creation time.'),
              uri: s.string().minLength(1).doc('Its location: a path relative to the folder of the index, or a URL.'),
              digest: digestText().doc('The digest of the bundle: other content under this name is rejected.'),
            }),
          )
          .doc('In any order.'),
      })
      .doc('The published bundles.'),
  }),
});
export type ChannelIndex = ReturnType<typeof channelIndex.decode>['value'];
