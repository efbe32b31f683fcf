import { describe, expect, it } from 'vitest';
import { madeUpIo } from '../testing/made-up-io.ts';
import { UsageError } from '../command/usage-error.ts';
import type { ControllerFlags } from './flags.ts';
import { controllerFlags } from './flags.ts';
import { roles } from './role.ts';
import { resolveSettings } from './settings.ts';

const kubeconfig = (server: string) => `current-context: one
clusters: [{ name: c, cluster: { server: '${server}' } }]
users: [{ name: u, user: { token: t } }]
contexts:
- { name: one, context: { cluster: c, user: u, namespace: of-the-context } }
- { name: other, context: { cluster: c, user: u } }
`;
const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const podFiles = { '/var/run/secrets/kubernetes.io/serviceaccount/namespace': 'of-the-pod\n' };
const none = Object.fromEntries(
  Object.keys(controllerFlags('')).map((name) => [name, undefined]),
) as unknown as ControllerFlags;

function resolve(given: {
  readonly role?: 'leader' | 'member';
  readonly flags?: Partial<ControllerFlags>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly pid?: number;
}) {
  const { env = {}, isTTY = false, files = {}, pid } = given;
  const homeConfig = { '/home/me/.kube/config': kubeconfig('https://home:6443') };
  const io = madeUpIo({ env, isTTY, pid, home: '/home/me', files: { ...homeConfig, ...files } });
  return resolveSettings(io, roles[given.role ?? 'leader'], { ...none, ...given.flags });
}

describe('the Namespace of a controller', () => {
  it.each([
    ['the flag before all', { flags: { namespace: 'a' }, env: { ...inPod, POD_NAMESPACE: 'b' }, files: podFiles }, 'a'],
    ['POD_NAMESPACE before the file of the Pod', { env: { ...inPod, POD_NAMESPACE: 'b' }, files: podFiles }, 'b'],
    ['the file of the Pod before the default', { env: inPod, files: podFiles }, 'of-the-pod'],
    ['an empty POD_NAMESPACE for none', { env: { ...inPod, POD_NAMESPACE: '' }, files: podFiles }, 'of-the-pod'],
    ['the default of the leader, whatever the context says', {}, 'antrea-multicluster'],
    ['the default of the member', { role: 'member' }, 'kube-system'],
    [
      'the default where a kubeconfig leads out of the Pod',
      { env: inPod, files: { ...podFiles, k: kubeconfig('https://far:6443') }, flags: { kubeconfig: 'k' } },
      'antrea-multicluster',
    ],
  ] as const)('takes %s', async (_what, given, namespace) => {
    expect((await resolve(given)).namespace).toBe(namespace);
  });

  it.each([
    [{ flags: { namespace: 'A_b' } }, '--namespace is "A_b", which is not a valid Namespace name: '],
    [
      { env: { POD_NAMESPACE: 'a.b' } },
      'POD_NAMESPACE is "a.b", which is not a valid Namespace name: must not contain dots',
    ],
  ])('is refused in %j', async (given, message) => {
    await expect(resolve(given)).rejects.toThrow(message);
    await expect(resolve(given)).rejects.toBeInstanceOf(UsageError);
  });
});

describe('the API server of a controller', () => {
  const k = { k: kubeconfig('https://named:6443'), e: kubeconfig('https://env:6443') };
  it.each([
    [
      'the named kubeconfig before all',
      { flags: { kubeconfig: 'k' }, env: { ...inPod, KUBECONFIG: 'e' } },
      'https://named:6443',
    ],
    ['KUBECONFIG before the own cluster of the Pod', { env: { ...inPod, KUBECONFIG: 'e' } }, 'https://env:6443'],
    ['the own cluster of the Pod before the home folder', { env: inPod }, 'https://10.96.0.1:443'],
    ['a named context for a kubeconfig', { flags: { context: 'other' }, env: inPod }, 'https://home:6443'],
    ['the home folder where there is nothing else', {}, 'https://home:6443'],
  ] as const)('takes %s', async (_what, given, server) => {
    expect((await resolve({ ...given, files: k })).connection.server).toBe(server);
  });

  it.each([
    [{ flags: { kubeconfig: 'missing' } }, 'cannot read missing: no such file'],
    [{ flags: { kubeconfig: 'k' }, files: { k: 'a: [' } }, 'k:1'],
    [{ flags: { context: 'nowhere' } }, 'context "nowhere" does not exist (there are: one, other)'],
    [
      { flags: { kubeconfig: 'k' }, files: { k: 'kind: Config\ncontexts: [{ name: one, context: {} }]\n' } },
      'no current-context is set; choose one with --context (there are: one)',
    ],
    [
      { flags: { kubeconfig: 'k' }, files: { k: 'kind: Config\n' } },
      'k: the kubeconfig has no contexts; pass another one with --kubeconfig or KUBECONFIG',
    ],
  ])('is refused in %j with what is wrong', async (given, message) => {
    await expect(resolve(given)).rejects.toThrow(message);
    await expect(resolve(given)).rejects.toThrow('cannot find the API server to serve: ');
    await expect(resolve(given)).rejects.toBeInstanceOf(UsageError);
  });
});

describe('the log of a controller', () => {
  it.each([
    [{}, false, 'json', 'info'],
    [{}, true, 'text', 'info'],
    [{ 'log-format': 'json' }, true, 'json', 'info'],
    [{ 'log-format': 'text', v: 3 }, false, 'text', 'info'],
    [{ v: 4 }, false, 'json', 'debug'],
    [{ v: 10 }, false, 'json', 'debug'],
    [{ v: -1 }, false, 'json', 'info'],
  ] as const)('for %j on a terminal (%j) is %s from %s on', async (flags, isTTY, format, level) => {
    expect(await resolve({ flags, isTTY })).toMatchObject({ logFormat: format, logLevel: level });
  });
});

describe('the identity of a controller', () => {
  it('begins with the name of the Pod, otherwise of the host, and differs after a restart', async () => {
    expect((await resolve({ env: { POD_NAME: 'pod-1' } })).identity).toMatch(/^pod-1_[a-z0-9]{8}$/);
    expect((await resolve({})).identity).toMatch(/^host-1_[a-z0-9]{8}$/);
  });

  it('names its Pod for certain in the first process of a container, and in no other', async () => {
    const env = { POD_NAME: 'pod-1', POD_UID: '6b3f2c1a-0d4e-4f5a-8b6c-7d8e9f0a1b2c' };
    expect((await resolve({ env })).identity).toMatch(/^pod-1_6b3f2c1a-0d4e-4f5a-8b6c-7d8e9f0a1b2c_[a-z0-9]{8}$/);
    expect((await resolve({ env, pid: 17 })).identity).toMatch(/^pod-1_[a-z0-9]{8}$/);
  });
});

describe('the settings of a configuration file that the role does not use', () => {
  const file = `apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: MultiClusterConfig
allowedCIDRs: [10.0.0.0/8]
podCIDRs: [10.10.0.0/16]
serviceCIDR: 10.96.0.0/12
gatewayIPPrecedence: public
importExcludedNamespaces: [bank]
enableStretchedNetworkPolicy: true
endpointIPType: PodIP
`;

  it.each([
    [
      'leader',
      'config.yaml: a leader does not use gatewayIPPrecedence, importExcludedNamespaces, podCIDRs, serviceCIDR: set them in the configuration of members',
    ],
    ['member', 'config.yaml: a member does not use allowedCIDRs: set it in the configuration of the leader'],
  ] as const)('are a warning of a %s, at the start and after a change', async (role, warning) => {
    const settings = await resolve({ role, files: { 'config.yaml': file }, flags: { config: 'config.yaml' } });
    expect(settings.warnings).toEqual([warning]);
    expect((await settings.readConfig?.())?.warnings).toEqual([warning]);
  });
});
