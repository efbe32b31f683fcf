import { createVirtualClock } from '@isthmus/fleet-sim';
import { checksAllPoints, sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { startStory } from '../../../../scripts/pages/testing/story.ts';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { madeUpIo } from '../testing/made-up-io.ts';
import { memoryNetwork } from '../testing/memory-network.ts';
import { Interrupted, endingOf } from './ending.ts';
import { showSteps } from '../render/steps.ts';
import { textReporter } from './report.ts';
import type { StepResult } from './report.ts';
import { sandboxDemoFleet } from './sandbox-fleet.ts';
import { demoSteps, serviceStory } from './steps.ts';
import { tell } from './tell.ts';

/** The demo on the sandbox, in virtual time and without sockets. */
function demo(
  keep: boolean,
  onStep: (step: StepResult) => void = () => {},
  never: (what: string) => boolean = () => false,
) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const io = madeUpIo({ clock, network: memoryNetwork() });
  const interruption = new AbortController();
  const said = { steps: [] as StepResult[], shown: '', logs: '' };
  const reporter = textReporter(io.stdout);
  const told = tell({
    story: serviceStory,
    async start(options) {
      const fleet = await sandboxDemoFleet(io)(options);
      return { ...fleet, until: (what, look) => fleet.until(what, never(what) ? async () => undefined : look) };
    },
    keep,
    clock,
    run: showSteps({ output: io.stdout, clock }).run,
    note(step) {
      said.steps.push(step);
      reporter.objects(step.objects);
      onStep(step);
    },
    show: (text) => void (said.shown += text),
    async keepLogs(text) {
      said.logs = text;
      return '/tmp/demo.log';
    },
    interrupted: interruption.signal,
  });
  const interrupt = () => interruption.abort(new Interrupted('SIGINT'));
  return { clock, io, said, interrupt, ended: () => inVirtualTime(clock, told) };
}

/** As the demo prints it, but for what differs from run to run: times and addresses. */
function normalised(text: string): readonly string[] {
  return text
    .replaceAll(/\b\d+ ms\b/g, 'N ms')
    .replaceAll(/\b10(?:\.\d+){3}\b/g, 'ADDRESS')
    .replaceAll(/ +/g, ' ')
    .trim()
    .split('\n');
}

/** Whether `lines` are those of `pattern`, in which a line `…` stands for any number of lines. */
function matches(lines: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return lines.length === 0;
  if (first.trim() === '…') return matches(lines, rest) || (lines.length > 0 && matches(lines.slice(1), pattern));
  return lines[0] === first && matches(lines.slice(1), rest);
}

describe('the demo on the sandbox, in README.md', () => {
  const readme = startStory(import.meta.url, 'README.md');

  it('prints what is shown there, but for times and addresses, and writes no file', async () => {
    const { io, said, ended } = demo(false);
    await ended();
    expect([said.shown, io.files.size]).toEqual(['', 0]);
    textReporter(io.stdout).end({ ok: true, apiServer: 'sandbox', network: false, storyMs: 1, steps: said.steps });
    await readme.run(
      'See it work',
      (shown) => {
        const [actual, [command, ...expected]] = [normalised(io.out), normalised(shown)];
        expect(command).toBe('$ npm run demo');
        // On a difference, show both.
        if (!matches(actual, expected)) expect(expected).toEqual(actual);
        expect(expected.filter((line) => line.endsWith(' ... ok N ms')).length).toBe(said.steps.length);
        expect(expected).toContain(' west Deployment/cart 2/2 ready ADDRESS,ADDRESS');
      },
      2,
    );
  });
});

describe('the demo on the sandbox', () => {
  it.runIf(checksAllPoints())(
    'keeps the clusters where it is asked to, with a kubeconfig that goes with them, and leaves the Service in place',
    async () => {
      const { clock, io, said, interrupt, ended } = demo(true);
      await clock.runUntil(() => said.shown.includes('# west'), { limitMs: 60_000 });
      expect(said.steps.filter(({ phase }) => phase === 'story').map(({ name }) => name)).toEqual(
        demoSteps.filter(({ clearsUp }) => clearsUp !== true).map(({ name }) => name),
      );
      expect(said.shown).toContain(
        '\n  kubectl --kubeconfig /home/user/isthmus-sandbox.kubeconfig --context east get serviceexports,serviceimports -A   # east\n',
      );
      expect([...io.files.keys()]).toEqual(['isthmus-sandbox.kubeconfig']);
      interrupt();
      await ended();
      expect(io.files.size).toBe(0);
    },
  );

  it('ends with what did not come, what it last saw and the path of all logs', async () => {
    const { said, ended } = demo(
      false,
      () => {},
      (what) => what.startsWith('east imports'),
    );
    const failure: unknown = await ended().catch((error: unknown) => error);
    const lines = endingOf(failure).error?.split('\n  ') ?? [];
    expect(lines[0]).toBe(
      'west exports Service shop/cart; east imports it: nothing has changed for 60 s while waiting for: east imports ports http:80,metrics:9090',
    );
    expect(lines).toContainEqual(expect.stringContaining('west: ServiceExport/cart  Valid=True Valid'));
    expect(lines).toContainEqual(expect.stringContaining('east: ClusterSet/fleet  Ready=True Connected'));
    expect(lines.at(-1)).toBe('all logs: /tmp/demo.log');
    expect(said.logs).toContain('cluster=west');
    expect(said.steps.at(-1)?.phase).toBe('start');
  });

  const interrupted = ['join the ClusterSet', 'a second Pod becomes ready in west: west reaches its own Pods directly'];
  it.each(sweepOf(interrupted, { oneIn: 2 }))(
    'ends with the interruption after the step "%s", and starts no further step',
    async (name) => {
      const { said, interrupt, ended } = demo(false, (step) => {
        if (step.name === name) interrupt();
      });
      const failure: unknown = await ended().catch((error: unknown) => error);
      expect(endingOf(failure)).toEqual({ ok: false, error: 'interrupted by SIGINT', exitCode: 130 });
      expect(said.steps.at(-1)?.name).toBe(name);
    },
  );
});
