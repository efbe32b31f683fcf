import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

const read = (line: string) => readArguments(line === '' ? [] : line.split(' '));

describe('what is measured', () => {
  it.each([
    ['', 'sandbox', false, ['ready', 'requests', 'watches', 'memory', 'members', 'idle']],
    ['sandbox', 'sandbox', false, ['ready', 'requests', 'watches', 'memory', 'members', 'idle']],
    ['sandbox --api-server real', 'sandbox', true, ['ready', 'requests', 'watches', 'memory', 'members', 'idle']],
    ['--api-server real sandbox --only watches,ready', 'sandbox', true, ['watches', 'ready']],
    ['--api-server real', 'fleet', true, ['1', '2', '3', '4', '5']],
    ['churn', 'churn', true, ['churn', 'flap', 'many', 'identities', 'joins', 'restart']],
    ['churn --only flap', 'churn', true, ['flap']],
    ['network', 'network', false, ['stream', 'wire', 'round-trip', 'connections', 'fail-over', 'scale']],
    ['--network --only stream', 'network', false, ['stream']],
    ['--api-server real --only 2', 'fleet', true, ['2']],
    ['--api-server real --only 2 --growth', 'fleet', true, ['2', 'growth']],
    ['--api-server real --only antrea --antrea amc --manifests yml', 'fleet', true, ['antrea']],
    ['--api-server real --only race --against ../old', 'fleet', true, ['race']],
  ])('by "%s" is the %s, beside the real server: %s, rows %j', (line, part, besideReal, rows) => {
    expect(read(line)).toMatchObject({ part, besideReal, wanted: new Set(rows) });
  });

  it.each([
    ['', { members: 200, services: 1000, changes: 40, starts: 5, json: undefined, nodeFlags: [] }],
    ['--api-server real', { changes: 600, against: undefined }],
    ['--api-server real --only race --against ../old', { against: '../old' }],
    ['churn --minutes 1 --exports 100', { minutes: 1, exports: 100 }],
    ['--changes 7 --members 999 --starts 1 --json out.json', { changes: 7, members: 999, starts: 1, json: 'out.json' }],
    ['--api-server real --only antrea --antrea amc --manifests yml', { antrea: { binary: 'amc', manifests: 'yml' } }],
    ['churn --only identities --antrea amc --manifests yml', { antrea: { binary: 'amc', manifests: 'yml' } }],
    ['churn --only identities', { antrea: undefined }],
    ['--api-server real --only antrea --antrea amc --manifests yml --compile-cache', { compileCache: true }],
    ['--api-server real --services 9999 --profile p', { services: 9999, profileInto: 'p' }],
  ])('by "%s" has these sizes', (line, expected) => {
    expect(read(line)).toMatchObject(expected);
  });

  it('hands flags with spaces between them to Node one by one', () => {
    expect(readArguments(['--node-flags=--a=1  --b'])).toMatchObject({ nodeFlags: ['--a=1', '--b'] });
  });
});

describe('a command line that is wrong', () => {
  it.each([
    ['sandbx', 'unknown part "sandbx"; known are sandbox, upgrade, churn'],
    ['sandbox sandbox', 'unknown part "sandbox"'],
    ['--api-server fake', '--api-server can only be real, not "fake"'],
    ['--only 7', 'unknown row "7"; known are ready, requests, watches, memory, members'],
    ['--only flap', 'row "flap" is measured with churn'],
    ['--only 2', 'row "2" is measured with --api-server real alone'],
    ['--api-server real --only ready', 'row "ready" is measured with sandbox, with or without --api-server real'],
    ['--api-server real --only race', 'row race and --against need each other'],
    ['--api-server real --against ../old', 'row race and --against need each other'],
    ['--api-server real --compile-cache', '--compile-cache is of row antrea'],
    ['--growth', '--growth is of the controllers on real API servers'],
    ['--changes 0', '--changes must be a number from 1 to 9999, not "0"'],
    ['--starts x', '--starts must be a number from 1 to 9999, not "x"'],
    ['--members 1', '--members must be a number from 2 to 999, not 1'],
    ['--members 1000', '--members must be a number from 2 to 999, not 1000'],
    ['upgrade --api-server real', 'upgrade is measured without any API server'],
    ['upgrade --only ready', 'row "ready" is measured with sandbox'],
    ['--only stream', 'row "stream" is measured with network'],
    ['network --api-server real', 'network is measured without any API server'],
    ['churn --network', 'unknown part "network"'],
    ['--api-server real --only antrea --antrea amc', 'row antrea needs both --antrea and --manifests'],
    ['churn --only identities --antrea amc', 'row identities can use both'],
    ['churn --only flap --antrea amc --manifests yml', 'and nothing else'],
    [
      '--api-server real --antrea amc --manifests yml',
      'row antrea needs both --antrea and --manifests; row identities can use both',
    ],
    ['--frobnicate', "Unknown option '--frobnicate'"],
  ])('"%s" is rejected: %s', (line, problem) => {
    expect(read(line)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('has no problem where help is requested', () => {
    expect(read('--help')).toEqual({ problem: '' });
  });
});
