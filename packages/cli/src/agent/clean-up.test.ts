import { describe, expect, it } from 'vitest';
import { ExitCode } from '../command/exit-code.ts';
import { runCli } from '../run-cli.ts';
import { runTool } from '../world/run-tool.ts';
import { madeUpIo, nobody } from '../testing/made-up-io.ts';

/**
 * Runs the command on a machine whose agent, if there is one, answers with `answer`. `ran`: the
 * programs that were run.
 */
async function cleanedUp({
  answer,
  flags = [],
  fails,
}: { readonly answer?: object; readonly flags?: readonly string[]; readonly fails?: string } = {}) {
  const ran: string[] = [];
  const io = madeUpIo({
    runTool: (program) => {
      ran.push(program);
      if (fails !== undefined) return Promise.resolve({ code: 1, stdout: '', stderr: fails });
      return Promise.resolve({ code: 0, stdout: program === 'nft' ? '{"nftables":[]}' : '', stderr: '' });
    },
  });
  const dial = () =>
    answer === undefined
      ? nobody
      : {
          send: () =>
            Promise.resolve({
              status: 200,
              headers: {},
              body: (async function* () {
                yield new TextEncoder().encode(JSON.stringify(answer));
              })(),
            }),
          close() {},
        };
  const world = { ...io, network: { ...io.network, dial: dial as never } };
  const code = await runCli(world, ['agent', 'cleanup', ...flags]);
  return { code, out: io.out, err: io.err, ran };
}

const agent = { node: 'east-1', notReady: [] };

describe('isthmus agent cleanup', () => {
  it('removes what is there, where no agent runs', async () => {
    expect(await cleanedUp()).toMatchObject({ code: ExitCode.ok, err: '', ran: expect.arrayContaining(['nft', 'ip']) });
  });

  it('removes nothing while an agent runs, because it would write it again, and reports how to stop it', async () => {
    const { code, err, ran } = await cleanedUp({ answer: agent });
    expect({ code, ran }).toEqual({ code: ExitCode.failed, ran: [] });
    expect(err).toMatch(
      /^error: nothing is removed: the agent of Node east-1 runs on this machine.*kubectl delete daemonset/,
    );
  });

  it('does not mind another program on the port of the agent, and does not ask with 0', async () => {
    expect((await cleanedUp({ answer: { status: 'ok' } })).code).toBe(ExitCode.ok);
    expect((await cleanedUp({ answer: agent, flags: ['--health-probe-bind-address=0'] })).code).toBe(ExitCode.ok);
  });

  it('reports what it was to do, why that failed and what it needs', async () => {
    const { code, err } = await cleanedUp({ fails: 'Operation not permitted (you must be root)' });
    expect(code).toBe(ExitCode.failed);
    expect(err).toMatch(
      /^error: cannot remove what Isthmus wrote.*you must be root.* It needs Linux, root with the capability NET_ADMIN/,
    );
  });
});

it('a program that is not installed is named, without the words of the system call', async () => {
  await expect(runTool('isthmus-no-such-program', [], '')).rejects.toThrow(
    'cannot run isthmus-no-such-program: it is not installed, or not in a folder of PATH',
  );
});
