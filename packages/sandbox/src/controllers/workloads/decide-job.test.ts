import { describe, expect, it } from 'vitest';
import type { Job, Pod } from '../kinds.ts';
import { decideJob } from './decide-job.ts';

const now = '2026-11-21T10:00:00Z';
const pod = (phase: string, index: number): Pod => ({
  metadata: { name: `p${index}`, namespace: 'a' },
  status: { phase },
});
const job = (spec: object): Job => ({ metadata: { name: 'j', namespace: 'a' }, spec: { template: {}, ...spec } });
const [running, succeeded, failed] = ['Running', 'Succeeded', 'Failed'];

describe('what a Job lacks', () => {
  it.each<readonly [string, object, readonly string[], number, boolean]>([
    ['a first Pod', { completions: 1, parallelism: 1 }, [], 1, false],
    ['nothing while its Pod is at work', { completions: 1 }, [running], 0, false],
    ['another Pod in place of one that failed', { completions: 1 }, [failed], 1, false],
    ['as many Pods as may run at a time', { completions: 5, parallelism: 2 }, [succeeded], 2, false],
    [
      'no more Pods than it still has to complete',
      { completions: 3, parallelism: 3 },
      [succeeded, succeeded],
      1,
      false,
    ],
    ['nothing when all have succeeded', { completions: 2 }, [succeeded, succeeded], 0, true],
    ['nothing while it is suspended', { completions: 2, suspend: true }, [], 0, false],
    ['no new Pod after the first success, without a number', { parallelism: 2 }, [succeeded, running], 0, false],
    ['nothing, without a number, when one has succeeded and none is at work', { parallelism: 2 }, [succeeded], 0, true],
  ])('is %s', (_what, spec, phases, create, isComplete) => {
    const decision = decideJob(job(spec), phases.map(pod), now);
    expect(decision.create).toBe(create);
    expect(decision.status.completionTime).toBe(isComplete ? now : undefined);
    expect(decision.status.conditions?.map(({ type }) => type)).toEqual(
      isComplete ? ['SuccessCriteriaMet', 'Complete'] : undefined,
    );
  });
});
