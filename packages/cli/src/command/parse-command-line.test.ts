import { describe, expect, it } from 'vitest';
import { rootCommand } from '../root-command.ts';
import { isGroup } from './command.ts';
import type { CommandNode } from './command.ts';
import type { Flag } from './flag.ts';
import { parseCommandLine } from './parse-command-line.ts';

const parse = (line: string) =>
  parseCommandLine(rootCommand, line === '' ? [] : line.split(' '), { version: 'isthmus 1.2.3 (wire 1)' });
const givenBy = (line: string) => {
  const parsed = parse(line);
  if (parsed.kind !== 'run') throw new Error(parsed.stderr);
  return Object.fromEntries(Object.entries(parsed.flags).filter(([, value]) => value !== undefined));
};
const refusalOf = (line: string) => {
  const parsed = parse(line);
  return parsed.kind === 'print'
    ? { exitCode: parsed.exitCode, stdout: parsed.stdout, stderr: parsed.stderr }
    : parsed.kind;
};

describe('the flags of a controller', () => {
  it.each([
    ['', {}],
    ['--config c.yaml', { config: 'c.yaml' }],
    ['--config=c.yaml', { config: 'c.yaml' }],
    ['-k a.kubeconfig -n shop --context east', { kubeconfig: 'a.kubeconfig', namespace: 'shop', context: 'east' }],
    ['--leader-elect', { 'leader-elect': true }],
    ['--leader-elect=false', { 'leader-elect': false }],
    ['--leader-elect=0 --leader-elect=T', { 'leader-elect': true }],
    ['--log-format text', { 'log-format': 'text' }],
    ['-v 4', { v: 4 }],
    ['-v=4', { v: 4 }],
    ['-v4', { v: 4 }],
    ['--v 4', { v: 4 }],
    ['--v=4', { v: 4 }],
    // As the Deployments of Antrea have them.
    [
      '--config=/controller_manager_config.yaml --logtostderr=false --log_dir=/var/log/antrea --alsologtostderr --log_file_max_size=100 --log_file_max_num=4 --v=0',
      {
        config: '/controller_manager_config.yaml',
        logtostderr: false,
        log_dir: '/var/log/antrea',
        alsologtostderr: true,
        log_file_max_size: 100,
        log_file_max_num: 4,
        v: 0,
      },
    ],
    [
      '--log_file= --stderrthreshold=2 --vmodule=a=1,b=2 --skip_headers --add_dir_header=true --skip_log_headers --one_output --log_backtrace_at=x.go:1',
      {
        log_file: '',
        stderrthreshold: '2',
        vmodule: 'a=1,b=2',
        skip_headers: true,
        add_dir_header: true,
        skip_log_headers: true,
        one_output: true,
        log_backtrace_at: 'x.go:1',
      },
    ],
  ])('are read from %j', (line, flags) => {
    for (const role of ['leader', 'member']) expect(givenBy(`controller ${role} ${line}`.trim())).toEqual(flags);
  });

  it.each([
    ['--config=', "error: option '--config <file>' argument '' is invalid. It must not be empty."],
    ['--config', "error: option '--config <file>' argument missing"],
    ['--v=much', "error: option '-v, --v <level>' argument 'much' is invalid. It must be a whole number."],
    [
      '--leader-elect=yes',
      "error: option '--leader-elect [true|false]' argument 'yes' is invalid. It must be true or false.",
    ],
    ['--log-format xml', "error: option '--log-format <format>' argument 'xml' is invalid. It must be json or text."],
    ['--kubconfig x', "error: unknown option '--kubconfig'\n(Did you mean --kubeconfig?)"],
    ['extra', "error: too many arguments for 'leader'. Expected 0 arguments but got 1: extra."],
  ])('are refused in %j', (line, message) => {
    expect(refusalOf(`controller leader ${line}`)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${message}\nRun 'isthmus controller leader --help' for usage.\n`,
    });
  });
});

describe('the words of a command line', () => {
  it.each([
    [
      'contoller leader',
      "error: unknown command 'contoller'\n(Did you mean controller?)\nRun 'isthmus --help' for usage.\n",
    ],
    [
      'controller leeder',
      "error: unknown command 'leeder'\n(Did you mean leader?)\nRun 'isthmus controller --help' for usage.\n",
    ],
    [
      'controller',
      "error: 'isthmus controller' needs a role: leader or member\nRun 'isthmus controller --help' for usage.\n",
    ],
    ['--nothing', "error: unknown option '--nothing'\nRun 'isthmus --help' for usage.\n"],
  ])('are refused in %j', (line, stderr) => {
    expect(refusalOf(line)).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  it.each(['--version', 'controller leader --version'])('print the version for %j', (line) => {
    expect(refusalOf(line)).toEqual({ exitCode: 0, stdout: 'isthmus 1.2.3 (wire 1)\n', stderr: '' });
  });

  it.each(['', '--help', '-h', 'help'])('print the help for %j', (line) => {
    expect(refusalOf(line)).toEqual({ exitCode: 0, stdout: expect.stringContaining('Usage: isthmus '), stderr: '' });
  });

  it.each([
    ['help upgrade', 'isthmus upgrade '],
    ['help upgrade plan', 'isthmus upgrade plan '],
    ['upgrade help plan', 'isthmus upgrade plan '],
    ['help upgrade check crd', 'isthmus upgrade check crd '],
    ['upgrade help check crd', 'isthmus upgrade check crd '],
    ['help sandbox up --help', 'isthmus sandbox up '],
    ['help help', 'isthmus '],
  ])('print the help of the command that %j names, at any depth', (line, usage) => {
    const { exitCode, stdout, stderr } = parse(line) as Extract<ReturnType<typeof parse>, { kind: 'print' }>;
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: ${usage}[options]`);
  });

  it.each([
    ['help upgrade plam', "unknown command 'plam'\n(Did you mean plan?)\nRun 'isthmus upgrade --help'", 1],
    ['help upgrad plan', "unknown command 'upgrad'\n(Did you mean upgrade?)\nRun 'isthmus --help'", 2],
  ])('are refused where %j names no command', (line, message, exitCode) => {
    expect(refusalOf(line)).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('may be help as the value of a flag or an operand', () => {
    expect(givenBy('controller leader --namespace help')).toEqual({ namespace: 'help' });
  });

  it('are missing after "--" alone, which the refusal answers with all commands', () => {
    const names = rootCommand.commands.map(({ name }) => name);
    const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    const stderr = `error: 'isthmus' needs a command: ${list}\nRun 'isthmus --help' for usage.\n`;
    expect(refusalOf('--')).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  it('print help as wide as a narrow terminal, and as the reference page in a wider one', () => {
    const widest = (columns: number | undefined) => {
      const parsed = parseCommandLine(rootCommand, ['sandbox', 'up', '--help'], { version: 'x', columns });
      const lines = parsed.kind === 'print' ? parsed.stdout.split('\n') : [];
      return Math.max(...lines.map(({ length }) => length));
    };
    expect(widest(60)).toBeLessThanOrEqual(60);
    expect(widest(80)).toBeGreaterThan(60);
    expect(widest(300)).toBe(widest(undefined));
  });

  // The texts themselves are recorded in golden/help.yaml.
  it.each([
    ['help', '--help'],
    ['help controller', 'controller --help'],
    ['controller help member', 'controller member --help'],
  ])('print the same help for %j as for %j', (one, other) => {
    expect(refusalOf(one)).toEqual(refusalOf(other));
    expect(refusalOf(other)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Usage: /) as string,
      stderr: '',
    });
  });
});

describe('a flag with a list', () => {
  it.each([
    ['upgrade check manifests -f a.yaml -f b.yaml,c', { filename: 'a.yaml,b.yaml,c' }],
    ['upgrade check manifests -f=a.yaml --filename=b.yaml', { filename: 'a.yaml,b.yaml' }],
    ['upgrade snapshot --context north --context east', { context: 'north,east' }],
  ])('may be given again, as in %j', (line, flags) => {
    expect(givenBy(line)).toEqual(flags);
  });

  it('has no empty part', () => {
    expect(refusalOf('upgrade check manifests -f a.yaml --filename=')).toMatchObject({
      stderr: expect.stringContaining('It must not be empty.') as string,
    });
  });

  it('is each one that help describes as separated by commas', () => {
    const flagsOf = (node: CommandNode): readonly (readonly [string, Flag<unknown>])[] =>
      isGroup(node) ? node.commands.flatMap(flagsOf) : Object.entries(node.flags);
    const lists = flagsOf(rootCommand).filter(([, { summary }]) => summary.includes('separated by commas'));
    expect(lists.length).toBeGreaterThan(30);
    expect(lists.filter(([, { isList }]) => isList !== true).map(([name]) => name)).toEqual([]);
  });
});
