import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { execCredentials } from './exec-plugin.ts';
import type { ExecPlugin } from './kubeconfig.ts';
import type { Program, ProgramEnd, Programs } from './programs.ts';

const v1 = 'client.authentication.k8s.io/v1';
const plugin: ExecPlugin = {
  command: 'aws',
  args: ['eks', 'get-token'],
  env: { AWS_PROFILE: 'prod' },
  apiVersion: v1,
  interactiveMode: 'IfAvailable',
  installHint: 'Install the AWS CLI.',
  provideClusterInfo: false,
};
const credential = (status: object, apiVersion = v1) => JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
const { signal } = new AbortController();

/** The plugin, with what it does each time that it runs. */
function started(
  ends: readonly (Partial<ProgramEnd> | Error)[],
  change: Partial<ExecPlugin> = {},
  hasTerminal = false,
) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) });
  const ran: Program[] = [];
  const programs: Programs = {
    hasTerminal,
    async run(program) {
      const end = ends[Math.min(ran.push(program), ends.length) - 1];
      if (end instanceof Error) throw end;
      return { exitCode: 0, stdout: '', stderr: '', ...end };
    },
  };
  const cluster = { server: 'https://north:6443', caPem: 'PEM', config: { audience: 'x' } };
  return {
    clock,
    ran,
    credentials: () => execCredentials({ plugin: { ...plugin, ...change }, cluster, programs, clock }),
  };
}
const infoOf = ({ env }: Program) => JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? '') as unknown;

describe('an exec plugin', () => {
  it('runs once for requests at the same time, and again when its credentials have expired', async () => {
    const { clock, ran, credentials } = started([
      { stdout: credential({ token: 'one', expirationTimestamp: '2026-11-21T00:10:00Z' }) },
      { stdout: credential({ token: 'two' }) },
    ]);
    const made = credentials();
    expect(await Promise.all([made.authorization(signal), made.authorization(signal)])).toEqual([
      'Bearer one',
      'Bearer one',
    ]);
    await clock.advance(599_999);
    expect(await made.authorization(signal)).toBe('Bearer one');
    expect(ran).toHaveLength(1);
    await clock.advance(1);
    expect(await made.authorization(signal)).toBe('Bearer two');
    await clock.advance(365 * 86_400_000);
    expect(await made.authorization(signal)).toBe('Bearer two');
    expect(ran.map(({ command, args, env }) => [command, args, env['AWS_PROFILE']])).toEqual([
      ['aws', ['eks', 'get-token'], 'prod'],
      ['aws', ['eks', 'get-token'], 'prod'],
    ]);
  });

  it('runs again for credentials that the server refuses, but not each time that it prints the same', async () => {
    const { ran, credentials } = started([
      { stdout: credential({ token: 'one' }) },
      { stdout: credential({ token: 'two' }) },
    ]);
    const made = credentials();
    await made.authorization(signal);
    expect(await made.refused('Bearer one', signal)).toBe(true);
    expect(await made.authorization(signal)).toBe('Bearer two');
    expect(await made.refused('Bearer two', signal)).toBe(false);
    expect(await made.refused('Bearer two', signal)).toBe(false);
    expect(ran).toHaveLength(3);
  });

  it('gives a client certificate', async () => {
    const { credentials } = started([{ stdout: credential({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }) }]);
    const made = credentials();
    expect(await made.authorization(signal)).toBeUndefined();
    expect(await made.clientCertificate?.(signal)).toEqual({ certPem: 'CERT', keyPem: 'KEY' });
  });

  it.each([
    ['Never', true, false],
    ['IfAvailable', true, true],
    ['IfAvailable', false, false],
    ['Always', true, true],
  ])('of interactiveMode %s, with a terminal: %s, may ask: %s', async (interactiveMode, hasTerminal, interactive) => {
    const { ran, credentials } = started([{ stdout: credential({ token: 'a' }) }], { interactiveMode }, hasTerminal);
    await credentials().authorization(signal);
    expect(ran.map((one) => [one.interactive, infoOf(one)])).toEqual([
      [interactive, { apiVersion: v1, kind: 'ExecCredential', spec: { interactive } }],
    ]);
  });

  it('learns which cluster the credentials are for, where it wants to', async () => {
    const { ran, credentials } = started([{ stdout: credential({ token: 'a' }) }], { provideClusterInfo: true });
    await credentials().authorization(signal);
    expect(ran.map(infoOf)).toMatchObject([
      {
        spec: {
          cluster: { server: 'https://north:6443', 'certificate-authority-data': 'UEVN', config: { audience: 'x' } },
        },
      },
    ]);
  });

  it('that asks nobody is ended after a minute', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const programs: Programs = {
      hasTerminal: false,
      run: (_program, limit) =>
        new Promise((_resolve, reject) => limit.addEventListener('abort', () => reject(limit.reason))),
    };
    const made = execCredentials({ plugin, cluster: { server: 'https://north' }, programs, clock });
    const failing = expect(made.authorization(signal)).rejects.toThrow(
      'exec plugin "aws" cannot be run: it has not ended after 60 s',
    );
    await clock.advance(60_000);
    await failing;
  });

  it('of v1beta1 may leave interactiveMode out', async () => {
    const beta = 'client.authentication.k8s.io/v1beta1';
    const { credentials } = started([{ stdout: credential({ token: 'b' }, beta) }], {
      apiVersion: beta,
      interactiveMode: undefined,
    });
    expect(await credentials().authorization(signal)).toBe('Bearer b');
  });

  it.each<[string, Partial<ExecPlugin>, string]>([
    ['an apiVersion that is missing', { apiVersion: undefined }, 'apiVersion is missing; it must be'],
    [
      'an old apiVersion',
      { apiVersion: 'client.authentication.k8s.io/v1alpha1' },
      'apiVersion is "client.authentication.k8s.io/v1alpha1"; it must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1',
    ],
    ['an interactiveMode that is missing', { interactiveMode: undefined }, 'interactiveMode is missing'],
    ['an unknown interactiveMode', { interactiveMode: 'Maybe' }, 'interactiveMode is "Maybe"'],
    ['a person who is not there', { interactiveMode: 'Always' }, 'standard input is not a terminal'],
  ])('with %s is an error at once', (_title, change, message) => {
    expect(started([], change).credentials).toThrow(message);
  });

  it.each<[string, Partial<ProgramEnd> | Error, string]>([
    [
      'does not exist',
      Object.assign(new Error('spawn aws ENOENT'), { code: 'ENOENT' }),
      'exec plugin "aws" cannot be run: the command does not exist\nInstall the AWS CLI.',
    ],
    [
      'fails',
      { exitCode: 255, stderr: 'Expired session\n' },
      'exec plugin "aws" failed with exit code 255: Expired session',
    ],
    ['is ended', { exitCode: null }, 'exec plugin "aws" was ended by a signal'],
    ['prints something else', { stdout: 'hello' }, 'exec plugin "aws" did not print an ExecCredential'],
    ['prints another version', { stdout: credential({ token: 'a' }, 'x/v1') }, 'of "x/v1", not of client.auth'],
    ['prints nothing of use', { stdout: credential({}) }, 'printed neither a token nor a client certificate'],
    ['prints half', { stdout: credential({ clientKeyData: 'k' }) }, 'printed only one of'],
    ['prints no time', { stdout: credential({ token: 'a', expirationTimestamp: 'soon' }) }, 'expirationTimestamp'],
    ['prints no token', { stdout: credential({ token: 'a b' }) }, 'the token of exec plugin "aws" contains characters'],
  ])('that %s is an error that names it, and runs again at the next request', async (_title, end, message) => {
    const { credentials } = started([end, { stdout: credential({ token: 'good' }) }]);
    const made = credentials();
    await expect(made.authorization(signal)).rejects.toThrow(message);
    expect(await made.authorization(signal)).toBe('Bearer good');
  });
});
