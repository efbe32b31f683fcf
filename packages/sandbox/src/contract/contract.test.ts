/** The contract suite against the sandbox: the answers that a real API server has given. */
import { readFileSync } from 'node:fs';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { createSandbox } from '../sandbox.ts';
import { areas } from './areas.ts';
import type { Recording } from './exchange.ts';
import { memoryWebhooks } from './memory-webhooks.ts';
import { virtualTime } from './virtual-time.ts';
import { runRealControllers } from './real-controllers.ts';
import { recordingPath } from './recording-path.ts';
import { namespaceOf, runCase } from './run-case.ts';

const all = areas.flatMap((area) => area.cases.map((one, index) => ({ area, title: one.title, one, index })));
const visited = sweepOf(all, { oneIn: 10, kindOf: ({ area }) => area.name });

describe.each(areas)('area $name', (area) => {
  const { name, compactEveryMs } = area;
  const recorded = JSON.parse(readFileSync(recordingPath(name), 'utf8')) as Recording;

  it.each(visited.filter((point) => point.area === area))('$title', async ({ title, one, index }) => {
    const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
    const defects: unknown[] = [];
    const webhooks = memoryWebhooks();
    const sandbox = createSandbox({
      name: 'contract',
      clock,
      compactEveryMs,
      callWebhook: webhooks.call,
      onDefect: (_, error) => defects.push(error),
    });
    const transport = sandbox.transport({ kind: 'user', user: admin }, { userAgent: 'contract/1' });
    const end = new AbortController();
    if (one.needsControllers === true) {
      const manager = {
        username: 'system:kube-controller-manager',
        groups: ['system:masters', 'system:authenticated'],
      };
      const asManager = sandbox.transport({ kind: 'user', user: manager }, { userAgent: 'kube-controller-manager/1' });
      void runRealControllers(asManager, clock, end.signal);
      await clock.advance(1_000);
    }
    const transcript = await runCase(
      {
        transport,
        openWebhook: webhooks.openWebhook,
        withToken: (token) => sandbox.transport({ kind: 'token', token }, { userAgent: 'contract/1' }),
        time: virtualTime(clock),
      },
      one,
      namespaceOf(name, index),
    );
    end.abort(new Error('the case is over'));
    expect(defects).toEqual([]);
    // A mark does not outlive its reason.
    if (one.knownToDiffer !== undefined) expect(transcript).not.toEqual(recorded[title]);
    else expect(transcript).toEqual(recorded[title]);
  });
});
