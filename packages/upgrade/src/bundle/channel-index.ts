import { defineConfigKind, s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { upgradeGroup, upgradeVersion } from '../file-kind.ts';
import { digestText, idText } from '../words.ts';

/** Which bundles there are, by channel: the file `index.yaml` of a folder or below a URL. */
export const channelIndex = defineConfigKind({
  group: upgradeGroup,
  version: upgradeVersion,
  kind: 'ChannelIndex',
  docs: 'The bundles that are published in a folder or below a URL.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        bundles: s
          .array(
            s.object({
              name: idText().doc('metadata.name of the bundle.'),
              channel: idText().doc('Its channel.'),
              number: s.int64().min(1).doc('Its number; the highest of a channel is its latest.'),
              releaseVersion: s
                .string()
                .optional()
                .doc('The version of the release that it belongs to, as v0.19.0+build.12, for look-ups by version.'),
              createdAt: s.dateTime().doc('When it was made.'),
              uri: s.string().minLength(1).doc('Where it is: a path from the folder of the index, or a URL.'),
              digest: digestText().doc('The identity of the bundle: another content under this name is refused.'),
            }),
          )
          .doc('In any order.'),
      })
      .doc('What is published.'),
  }),
});
export type ChannelIndex = ReturnType<typeof channelIndex.decode>['value'];
