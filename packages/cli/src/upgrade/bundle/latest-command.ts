import { defineCommand } from '../../command/command.ts';
import { formatFlag, textFlag } from '../../command/flag.ts';
import { outputFormats } from '../../command/output-flag.ts';
import { UsageError } from '../../command/usage-error.ts';

export const bundleLatestCommand = defineCommand({
  name: 'latest',
  summary: 'Find the latest bundle of a channel, or the bundle of a release, in an index',
  description: [
    'The index is a file of kind ChannelIndex, or a Release of EKS Anywhere. For a folder, or a URL without a file name, index.yaml in it is read. The bundle is ' +
      'fetched; if its digest, name, channel or number differs from the index, it is rejected and the command exits with 3.',
    'Without --release, selects the bundle with the highest number that this version of isthmus supports. With --release, selects the bundle of exactly that version; v0.19.0+latest is the highest ' +
      'build of v0.19.0, if the order of its builds is known.',
  ],
  operands: [{ name: 'index', summary: 'a file, a folder, or an http or https URL' }],
  flags: {
    channel: textFlag({
      placeholder: 'name',
      summary: 'the channel',
      absent: 'stable, or eks-anywhere for a Release of EKS Anywhere',
    }),
    release: textFlag({ placeholder: 'version', summary: 'the version of the release, such as v0.19.0+latest' }),
    output: formatFlag(outputFormats, 'text, json (stable fields), or yaml: the bundle as fetched'),
  },
  examples: [
    {
      does: 'Fetch the latest bundle of a channel',
      line: 'isthmus upgrade bundle latest https://bundles.example/ --channel stable -o yaml > bundle.yaml',
    },
  ],
  async run(io, { channel, release, output }, [index = '']) {
    if (release === '+latest')
      throw new UsageError('--release +latest does not name a release; write it as v0.19.0+latest');
    const { findLatest } = await import('./find-latest.ts');
    return findLatest(io, { index, channel, version: release, output: output ?? 'text' });
  },
});
