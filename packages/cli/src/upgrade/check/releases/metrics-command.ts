import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkMetricsCommand = defineCommand({
  name: 'metrics',
  summary: 'Say which metrics a release takes away or changes against its promises',
  description: [
    'Compares what two releases show at /metrics. A stable metric keeps its name and type until it was deprecated for as long as the policy says; an alpha ' +
      'one may do anything.',
  ],
  operands: [
    { name: 'old', summary: 'what the old release shows, in the text format of Prometheus' },
    { name: 'new', summary: 'what the new release shows' },
  ],
  flags: {
    to: textFlag({
      placeholder: 'version',
      summary: 'the new release, as v2.7.0: with it deprecations are measured in minors',
    }),
    'used-in': textFlag({
      placeholder: 'paths',
      summary: 'dashboards and alert rules, files or folders separated by commas: who uses what goes',
    }),
    changelog: textFlag({
      placeholder: 'file',
      summary: 'the changelog, which has to name what is deprecated and removed',
    }),
    policy: policyFlag,
    waivers: waiversFlag,
    output: outputFlag,
  },
  examples: [
    {
      does: 'Which dashboards a new release breaks',
      line: 'isthmus upgrade check metrics old.txt new.txt --to v2.7.0 --used-in dashboards/',
    },
  ],
  async run(io, flags, [old = '', next = '']) {
    return (await import('./check-metrics.ts')).checkMetrics(io, flags, [old, next]);
  },
});
