import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkPlacementCommand = defineCommand({
  name: 'placement',
  summary: 'Check for CRDs whose API version is lower than the types that they refer to',
  description: [
    'A CRD lists the types that it refers to in its annotation `upgrade.isthmus.dev/depends-on`, such as `v1alpha2/ClusterGroup`, separated by commas. Alternatively, pass a file ' +
      'that maps CRD names to lists of such types.',
  ],
  flags: {
    filename: textFlag({
      isList: true,
      short: 'f',
      placeholder: 'paths',
      summary: 'CRDs: files or folders, separated by commas',
    }),
    existing: textFlag({
      isList: true,
      placeholder: 'paths',
      summary: 'existing CRDs: files or folders, separated by commas',
      absent: 'all CRDs are new',
    }),
    'depends-on': textFlag({
      placeholder: 'file',
      summary: 'a YAML file that maps CRD names to the types that they refer to',
    }),
    policy: policyFlag,
    waivers: waiversFlag,
    output: findingsFlag,
  },
  examples: [
    {
      does: 'Compare a folder of CRDs with the last release',
      line: 'isthmus upgrade check placement -f crds/ --existing v2.6/crds/',
    },
  ],
  async run(io, flags) {
    return (await import('./check-placement.ts')).checkPlacement(io, flags);
  },
});
