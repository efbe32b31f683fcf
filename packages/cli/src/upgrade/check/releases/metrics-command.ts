import { defineCommand } from '../../../command/command.ts';
import { textFlag } from '../../../command/flag.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { waiversFlag } from '../../flags/check-flags.ts';

export const checkMetricsCommand = defineCommand({
  name: 'metrics',
  summary: 'Check a release for metrics that it removes or changes against its policies',
  description: [
    'Compares the /metrics output of two releases. A stable metric must keep its name and type until it has been deprecated for the time that the policy sets; an alpha ' +
      'metric may change at any time.',
  ],
  operands: [
    { name: 'old', summary: 'the metrics of the old release, in the Prometheus text format' },
    { name: 'new', summary: 'the metrics of the new release' },
  ],
  flags: {
    to: textFlag({
      placeholder: 'version',
      summary: 'the new release, such as v2.7.0; needed to count the minors since a deprecation',
    }),
    'used-in': textFlag({
      isList: true,
      placeholder: 'paths',
      summary: 'dashboards and alert rules to search for removed metrics: files or folders, separated by commas',
    }),
    changelog: textFlag({
      placeholder: 'file',
      summary: 'the changelog, which must name deprecated and removed metrics',
    }),
    policy: policyFlag,
    waivers: waiversFlag,
    output: findingsFlag,
  },
  examples: [
    {
      does: 'Find dashboards that a new release breaks',
      line: 'isthmus upgrade check metrics old.txt new.txt --to v2.7.0 --used-in dashboards/',
    },
  ],
  async run(io, flags, [old = '', next = '']) {
    return (await import('./check-metrics.ts')).checkMetrics(io, flags, [old, next]);
  },
});
