import { expect, test } from 'vitest';
import { ipLists } from './ip-lists.ts';
import type { RunProgram } from './write-network.ts';

/**
 * A Node with these lists, whose `ip` has this output for an empty list. The output depends on the
 * version.
 */
function nodeWith(lists: Readonly<Record<string, readonly object[]>>, emptyList: '[]' | '' = '[]') {
  const asked: string[] = [];
  const run: RunProgram = (_, args, input) => {
    const isBatch = args.includes('-batch');
    const names = isBatch ? input.trim().split('\n') : [args.slice(1).join(' ')];
    asked.push(names.join(', '));
    const missing = names.findIndex((name) => lists[name] === undefined);
    const printed = names.slice(0, missing === -1 ? undefined : missing).flatMap((name) => {
      const items = lists[name] ?? [];
      return items.length === 0 && emptyList === '' ? [] : [`${JSON.stringify(items)}\n`];
    });
    return Promise.resolve({
      code: missing === -1 ? 0 : 1,
      stdout: printed.join(''),
      stderr: missing === -1 ? '' : 'Error: Operation not supported.\n',
    });
  };
  return { run, asked };
}

test('lists of ip are read with one run of it', async () => {
  const { run, asked } = nodeWith({ 'rule show': [{ priority: 0 }], 'nexthop show': [] });
  expect(await ipLists(run, 'read', ['rule show', 'nexthop show'])).toEqual([[{ priority: 0 }], []]);
  expect(asked).toEqual(['rule show, nexthop show']);
});

test('where ip prints nothing for an empty list, each is read by itself, and none is taken for another', async () => {
  const { run, asked } = nodeWith({ 'nexthop show': [], 'rule show': [{ priority: 0 }] }, '');
  expect(await ipLists(run, 'read', ['nexthop show', 'rule show'])).toEqual([[], [{ priority: 0 }]]);
  expect(asked).toEqual(['nexthop show, rule show', 'nexthop show', 'rule show']);
});

test('the error names the list that could not be read', async () => {
  const { run } = nodeWith({ 'rule show': [] });
  await expect(ipLists(run, 'read the network', ['rule show', 'nexthop show'])).rejects.toThrow(
    'cannot read the network: ip nexthop show: Error: Operation not supported',
  );
});

test('where ip prints a line without a list, each list is read by itself', async () => {
  const { run, asked } = nodeWith({ 'rule show': [{ priority: 0 }], 'nexthop show': [] });
  const warns: RunProgram = async (program, args, input) => {
    const answer = await run(program, args, input);
    return args.includes('-batch') ? { ...answer, stdout: `a warning\n${answer.stdout.split('\n')[0]}\n` } : answer;
  };
  expect(await ipLists(warns, 'read', ['rule show', 'nexthop show'])).toEqual([[{ priority: 0 }], []]);
  expect(asked).toEqual(['rule show, nexthop show', 'rule show', 'nexthop show']);
});

test.each(['a warning\n[]', '{"ifname":"lo"}', '[{"ifname":'])(
  'the error names the list for which ip printed something else, and what: %s',
  async (stdout) => {
    const run: RunProgram = () => Promise.resolve({ code: 0, stdout, stderr: '' });
    await expect(ipLists(run, 'read the network', ['rule show', 'nexthop show'])).rejects.toThrow(
      `cannot read the network: ip -j rule show printed no list of JSON, but: ${stdout.split('\n')[0]}`,
    );
  },
);
