import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';
import { serverFlag } from '../../flags/server-flag.ts';

export const checkObjectsCommand = defineCommand({
  name: 'objects',
  summary: 'Say which stored objects a new CRD would refuse, prune or make unreadable',
  description: [
    'All objects are judged, and told by field: how many, the first five, who wrote them last. Values are never shown. Conversion by a webhook cannot be tried here ' +
      'and is told as unknown.',
    'Files may be of any size: objects are read one by one. No object of JSON and no document of YAML may be larger than 16 MiB, so a large List has to be JSON, as ' +
      '`kubectl get -o json` gives it.',
  ],
  flags: {
    crd: textFlag({ placeholder: 'paths', summary: 'the new CRDs: files or folders, separated by commas' }),
    old: textFlag({
      placeholder: 'paths',
      summary: 'the CRDs that are live: what they prune already is no loss',
      absent: 'all that is stored counts as kept',
    }),
    filename: textFlag({
      short: 'f',
      placeholder: 'paths',
      summary: 'the objects: YAML, JSON, or JSON with an object on each line; files or folders, separated by commas',
    }),
    server: serverFlag,
    waivers: waiversFlag,
    output: outputFlag,
  },
  examples: [
    {
      does: 'The objects of a cluster',
      line: 'isthmus upgrade check objects --crd new.yaml --old live.yaml -f widgets.json --server 1.31',
    },
  ],
  async run(io, flags) {
    return (await import('./check-objects.ts')).checkObjectFiles(io, flags);
  },
});
