import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkPlacementCommand = defineCommand({
  name: 'placement',
  summary: 'Say which CRDs are in a version of their group that is too low for what they refer to',
  description: [
    'A CRD names the types that it refers to in its annotation `upgrade.isthmus.dev/depends-on`, as `v1alpha2/ClusterGroup`, several by commas; or a file does ' +
      'that maps names of CRDs to lists of the same words.',
  ],
  flags: {
    filename: textFlag({ short: 'f', placeholder: 'paths', summary: 'CRDs: files or folders, separated by commas' }),
    existing: textFlag({
      placeholder: 'paths',
      summary: 'CRDs that are there already: files or folders, separated by commas',
      absent: 'all are new',
    }),
    'depends-on': textFlag({
      placeholder: 'file',
      summary: 'YAML that maps names of CRDs to the types that they refer to',
    }),
    policy: policyFlag,
    waivers: waiversFlag,
    output: outputFlag,
  },
  examples: [
    {
      does: 'A folder of CRDs, against those of the last release',
      line: 'isthmus upgrade check placement -f crds/ --existing v2.6/crds/',
    },
  ],
  async run(io, flags) {
    return (await import('./check-placement.ts')).checkPlacement(io, flags);
  },
});
