import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';
import { serverFlag } from '../../flags/server-flag.ts';

export const checkObjectsCommand = defineCommand({
  name: 'objects',
  summary: 'Check which stored objects a new CRD would reject, prune or make unreadable',
  description: [
    'Checks all objects and reports by field: the number of objects, the first five, and their last writers. Values are never shown. Conversion by a webhook cannot be tried here ' +
      'and is reported as unknown.',
    'Files may be of any size: objects are read one by one. A JSON object or YAML document can have at most 16 MiB, so pass a large List as JSON, as ' +
      '`kubectl get -o json` prints it.',
  ],
  flags: {
    crd: textFlag({
      isList: true,
      placeholder: 'paths',
      summary: 'the new CRDs: files or folders, separated by commas',
    }),
    old: textFlag({
      isList: true,
      placeholder: 'paths',
      summary:
        'the live CRDs: files or folders, separated by commas; fields that they already prune do not count as lost',
      absent: 'all stored fields count as kept',
    }),
    filename: textFlag({
      isList: true,
      short: 'f',
      placeholder: 'paths',
      summary: 'the objects: YAML, JSON, or JSON with an object on each line; files or folders, separated by commas',
    }),
    server: serverFlag,
    waivers: waiversFlag,
    output: findingsFlag,
  },
  examples: [
    {
      does: 'Check the objects of a cluster',
      line: 'isthmus upgrade check objects --crd new.yaml --old live.yaml -f widgets.json --server 1.31',
    },
  ],
  async run(io, flags) {
    return (await import('./check-objects.ts')).checkObjectFiles(io, flags);
  },
});
