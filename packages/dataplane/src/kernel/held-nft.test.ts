import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import type { HeldOutput } from './held-nft.ts';
import { withHeldNft } from './held-nft.ts';

const transaction = ['-f', '-'];
const done = { code: 0, stdout: '', stderr: '' };

/** The output of `nft -i` about a line that it does not know. */
const unknown = (line: string) => `Error: syntax error, unexpected newline, expecting string\n${line}\n      ^\n`;

/**
 * A Node whose `nft -i` answers its lines by `answer`, and whose other programs print their input.
 */
function node(answer: (line: string, output: HeldOutput) => void = (line, { onError }) => onError(answerTo(line))) {
  const [started, lines]: [string[], string[]] = [[], []];
  let closed = 0;
  const clock = createVirtualClock({ startMs: 0 });
  const nft = withHeldNft({
    clock,
    run(program, args, input) {
      started.push([program, ...args].join(' '));
      return Promise.resolve({ ...done, stdout: input });
    },
    hold(program, args, output) {
      started.push([program, ...args].join(' '));
      return Promise.resolve({
        write(text) {
          for (const line of text.split('\n').filter((one) => one !== '')) {
            lines.push(line);
            answer(line, output);
          }
        },
        close: () => void closed++,
      });
    },
  });
  return { ...nft, clock, started, lines, closed: () => closed };
}

const answerTo = (line: string) => (line.startsWith('isthmus-') ? unknown(line) : '');

it('transactions are lines of one nft that is started once', async () => {
  const { run, started, lines } = node();
  expect(
    await run('nft', transaction, 'add table inet a\nadd chain inet a b {\nudp dport 1 drop\naccept\n}\n'),
  ).toEqual(done);
  expect(await run('nft', transaction, 'delete table inet a\n')).toEqual(done);
  expect(started).toEqual(['nft -i']);
  expect(lines).toEqual([
    'isthmus-1',
    'add table inet a; add chain inet a b { udp dport 1 drop; accept; }',
    'isthmus-2',
    'delete table inet a',
    'isthmus-3',
  ]);
});

it('a transaction that the kernel rejects fails with what nft printed about it, in pieces or not, and the next one does not', async () => {
  const { run } = node((line, { onError }) => {
    const text = line.includes('bad')
      ? `Error: Could not process rule: No such file\n${line}\n    ^^^\n`
      : answerTo(line);
    for (const letter of text) onError(letter);
  });
  const failed = await run('nft', transaction, 'add rule inet bad a accept\n');
  expect(failed).toMatchObject({
    code: 1,
    stderr: 'Error: Could not process rule: No such file\nadd rule inet bad a accept',
  });
  expect(await run('nft', transaction, 'add table inet a\n')).toEqual(done);
});

it.each([
  'netlink: Error: Could not process rule: No buffer space available\n',
  'netlink: Error: cache initialization failed: Operation not permitted\n',
])('a transaction that nft could not send fails, too: %s', async (text) => {
  const { run } = node((line, { onError }) => onError(line.startsWith('isthmus-') ? unknown(line) : text));
  expect(await run('nft', transaction, 'add table inet a\n')).toEqual({ code: 1, stdout: '', stderr: text.trim() });
});

it('of what nft prints about a transaction, the reason and the command that fails are kept, however long the line is', async () => {
  const rules = Array.from({ length: 60 }, (_, index) => `add rule inet a b tcp dport ${1_000 + index}\n`);
  const input = [...rules, 'add rule inet a b goto nowhere\n', ...rules.slice(30)].join('');
  const { run } = node((line, { onError }) => {
    const mark = `${line.replace(/nowhere.*/, '').replaceAll(/./g, ' ')}^^^^^^^`;
    onError(
      line.startsWith('isthmus-') ? unknown(line) : `Error: Could not process rule: No such file\n${line}\n${mark}\n`,
    );
  });
  const stderr = 'Error: Could not process rule: No such file\nadd rule inet a b goto nowhere';
  expect(await run('nft', transaction, input)).toEqual({ code: 1, stdout: '', stderr });
});

it('of many errors about a transaction, the first ones are kept', async () => {
  const { run } = node((line, { onError }) =>
    onError(line.startsWith('isthmus-') ? unknown(line) : `Error: No such file\n${line}\n^^^\n`.repeat(1_000)),
  );
  const { code, stderr } = await run('nft', transaction, 'flush chain inet a b\n');
  expect(code).toBe(1);
  expect(stderr).toHaveLength(2_000);
  expect(stderr).toMatch(/^Error: No such file\nflush chain inet a b\nError: /);
});

it('transactions that are asked for at once are run one after the other', async () => {
  const { run, lines } = node();
  await Promise.all([run('nft', transaction, 'add table inet a\n'), run('nft', transaction, 'add table inet b\n')]);
  expect(lines).toEqual(['isthmus-1', 'add table inet a', 'isthmus-2', 'add table inet b', 'isthmus-3']);
});

it.each([
  ['another program', 'ip', ['-batch', '-'], ''],
  ['a list', 'nft', ['list', 'tables'], ''],
  ['a long transaction', 'nft', transaction, 'x'.repeat(5_000)],
  ['a transaction with a letter that a command line leaves out', 'nft', transaction, 'iifname "eth-é" drop\n'],
  ['a transaction with a backslash, behind which a line goes on', 'nft', transaction, 'add rule inet a b \\\n'],
])('%s is run by a program of its own', async (_, program, args, input) => {
  const { run, started } = node();
  expect(await run(program, args, input)).toMatchObject({ stdout: input });
  expect(started).toEqual([[program, ...args].join(' ')]);
});

describe('the nft that is kept open', () => {
  it('that cannot be started is reported as a program of its own is', async () => {
    const nft = withHeldNft({
      clock: createVirtualClock({ startMs: 0 }),
      run: () => Promise.reject(new Error('nft is not installed')),
      hold: () => Promise.reject(new Error('spawn nft ENOENT')),
    });
    await expect(nft.run('nft', transaction, 'add table inet a\n')).rejects.toThrow('nft is not installed');
  });

  it('is first heard about its terminal, which the answer to a transaction does not have', async () => {
    let isFirst = true;
    const { run } = node((line, { onError }) => {
      if (isFirst) onError('Cannot read termcap database;\nusing dumb terminal settings.\n');
      isFirst = false;
      onError(line.startsWith('isthmus-') ? unknown(line) : `Error: Could not process rule\n${line}\n^^^\n`);
    });
    const { stderr } = await run('nft', transaction, 'add rule inet bad a accept\n');
    expect(stderr).toMatch(/^Error: Could not process rule\n/);
  });

  it('ends after half a minute of rest, after a thousand transactions, and when it is closed, and is started again', async () => {
    const { run, started, clock, closed, close } = node();
    const change = () => run('nft', transaction, 'add table inet a\n');
    await change();
    await clock.advance(20_000);
    await change();
    await clock.advance(20_000);
    expect(closed()).toBe(0);
    await clock.advance(10_000);
    expect(closed()).toBe(1);
    for (let count = 0; count < 1_000; count++) await change();
    expect(started).toHaveLength(2);
    await change();
    expect([started.length, closed()]).toEqual([3, 2]);
    close();
    expect(closed()).toBe(3);
    await change();
    expect(started).toHaveLength(4);
  });

  it('that is ended by a signal fails the transaction with the signal, and is started again for the next one', async () => {
    let isFirst = true;
    const { run, started } = node((line, { onError, onEnd }) => {
      if (!isFirst || line.startsWith('isthmus-')) return onError(answerTo(line));
      isFirst = false;
      onEnd('it was ended by SIGSEGV');
    });
    expect(await run('nft', transaction, 'add table inet a\n')).toEqual({
      code: -1,
      stdout: '',
      stderr: 'it was ended by SIGSEGV',
    });
    expect(await run('nft', transaction, 'add table inet a\n')).toEqual(done);
    expect(started).toEqual(['nft -i', 'nft -i']);
  });

  it('is not tried again where nft has no command line of its own: each transaction is run by a program of its own', async () => {
    const { run, started } = node((_, { onEnd }) =>
      onEnd('Error: interactive CLI not supported in this build\nit ended with code 1'),
    );
    expect(await run('nft', transaction, 'add table inet a\n')).toMatchObject({
      code: 0,
      stdout: 'add table inet a\n',
    });
    await run('nft', transaction, 'add table inet b\n');
    expect(started).toEqual(['nft -i', 'nft -f -', 'nft -f -']);
  });
});
