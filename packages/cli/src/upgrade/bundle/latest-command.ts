import { defineCommand } from '../../command/command.ts';
import { choiceFlag, textFlag } from '../../command/flag.ts';
import { UsageError } from '../../usage-error.ts';

export const bundleLatestCommand = defineCommand({
  name: 'latest',
  summary: 'Find the latest bundle of a channel, or the bundle of a release, in an index',
  description: [
    'The index is a file of kind ChannelIndex, or a Release of EKS Anywhere; of a folder, and of a URL that names no file, it is index.yaml. The bundle is ' +
      'fetched, and refused with 3 where it is not what the index says: its digest, name, channel and number.',
    'Without --release it is the bundle with the highest number of those that are for this isthmus. With one it is the bundle of exactly that version; v0.19.0+latest is the highest ' +
      'build of v0.19.0, where the order of its builds is known.',
  ],
  operands: [{ name: 'index', summary: 'a file, a folder, or a URL of http or https' }],
  flags: {
    channel: textFlag({ placeholder: 'name', summary: 'the channel', absent: 'stable; of EKS Anywhere eks-anywhere' }),
    release: textFlag({ placeholder: 'version', summary: 'the version of the release, as v0.19.0+latest' }),
    output: choiceFlag(['text', 'json', 'yaml'], {
      placeholder: 'format',
      short: 'o',
      summary: 'text for people, json of a fixed shape, or yaml: the bundle itself, as it was fetched',
      absent: 'text',
    }),
  },
  examples: [
    {
      does: 'Fetch the latest bundle of a channel',
      line: 'isthmus upgrade bundle latest https://bundles.example/ --channel stable -o yaml > bundle.yaml',
    },
  ],
  async run(io, { channel, release, output }, [index = '']) {
    if (release === '+latest') throw new UsageError('--release +latest names no release: write it as v0.19.0+latest');
    const { findLatest } = await import('./find-latest.ts');
    return findLatest(io, { index, channel, version: release, output: output ?? 'text' });
  },
});
