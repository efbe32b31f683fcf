import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Role } from '@isthmus/api';
import { multiClusterConfig } from '@isthmus/api';
import { decodeControllerConfig } from '@isthmus/controlplane';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import type { RealApiServer } from '@isthmus/testkit';
import { startApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStory } from '../../pages/testing/story.ts';
import { chartArchive } from '../../release/chart-archive.ts';
import { repositoryVersion } from '../repository-version.ts';
import { chartFiles } from './chart.ts';
import { installTools } from '../../../tools/programs.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const chart = join(root, 'deploy/charts/isthmus');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Programs with a home of their own, and the kubeconfig of an API server. */
function shell(home: string, kubeconfig: string) {
  return (program: string, ...args: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig };
      execFile(program, args, { env, maxBuffer: 2 ** 26 }, (error, out, err) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 255, out, err }),
      );
    });
}

const objectsOf = (text: string) =>
  parseYaml(text, { source: 'manifest' }).map(({ value }) => value as KubernetesObject);
/** The objects of a release, without hooks, which do not belong to it. */
const installedObjects = (text: string) =>
  objectsOf(text).filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);
const nameOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

/** The file with a Lease that a replica holds. */
function leaseFile(folder: string, name: string): string {
  const file = join(folder, `${name}.json`);
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 15 };
  const metadata = { name, namespace: 'kube-system' };
  writeFileSync(file, JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }));
  return file;
}

/** The rules about Secrets in all Roles and ClusterRoles: those to read them, or to change them. */
const rulesOfSecrets = (objects: readonly KubernetesObject[], verb: 'get' | 'patch' = 'get') =>
  objects
    .flatMap((one) => (one as Role).rules ?? [])
    .filter(({ resources, verbs }) => resources?.includes('secrets') === true && verbs.includes(verb));

/**
 * Without what the chart adds to every object, and without what follows from the text of the
 * configuration.
 */
function plain(object: KubernetesObject): object {
  const { kind, metadata } = object;
  const without = (record: Readonly<Record<string, string>> = {}, ...keys: readonly string[]) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
  const labels = without(
    metadata.labels,
    'helm.sh/chart',
    'app.kubernetes.io/version',
    'app.kubernetes.io/instance',
    'app.kubernetes.io/managed-by',
  );
  const annotations = without(metadata.annotations, 'helm.sh/resource-policy');
  const same = { ...object, metadata: { ...metadata, labels, annotations } };
  if (kind !== 'ConfigMap')
    return JSON.parse(JSON.stringify(same).replace(/("checksum\/config":")[0-9a-f]{64}/, '$1')) as object;
  const { data } = object as unknown as { readonly data: Readonly<Record<string, string>> };
  const [file] = parseYaml(Object.values(data).join(''), { source: 'config' });
  return { ...same, data: decodeControllerConfig(file?.value) };
}

describe.each(installTools(console.log))('the chart, with the helm of $name', ({ helm, kubectl }) => {
  let home: string;
  let server: RealApiServer;
  let run: ReturnType<typeof shell>;
  const member = ['--namespace', 'kube-system', '--set', 'role=member'];

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'isthmus-chart-'));
    server = await startApiServer({ name: 'chart', controllerManager: true });
    run = shell(home, server.kubeconfigPath);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  const helmed = async (...args: readonly string[]) => {
    const { code, out, err } = await run(helm, ...args);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    return out;
  };
  const kubectled = async (...args: readonly string[]) => {
    const { code, out, err } = await run(kubectl, ...args);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    return out;
  };

  it.each(['leader', 'member'])('has no fault that lint finds, for a %s', async (role) => {
    expect(await helmed('lint', '--strict', chart, '-f', join(chart, `ci/${role}-values.yaml`))).toContain(
      '0 chart(s) failed',
    );
  });

  it.each(['leader', 'member'])('has a base of kustomize beside it, with the objects of %s.yaml', async (role) => {
    const rendered = objectsOf(await kubectled('kustomize', join(root, 'deploy/kustomize', role)));
    const manifest = objectsOf(readFileSync(join(root, `deploy/${role}.yaml`), 'utf8'));
    const byName = (objects: readonly KubernetesObject[]) => new Map(objects.map((one) => [nameOf(one), one]));
    expect(byName(rendered)).toEqual(byName(manifest));
  });

  it.each([
    ['leader', 'antrea-multicluster'],
    ['member', 'kube-system'],
    ['agent', 'kube-system'],
  ])(
    'has a base of kustomize for a %s that fails where a kustomization sets its Namespace, and shows how to replace it',
    async (base, namespace) => {
      const folder = join(home, `namespace-${base}`);
      cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
      const kustomization = `namespace: fleet\nresources: [deploy/kustomize/${base}]\n`;
      writeFileSync(join(folder, 'kustomization.yaml'), kustomization);
      const { code, out, err } = await run(kubectl, 'kustomize', folder);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain('namespace transformation produces ID conflict');
      expect(err).toContain(`sed 's/${namespace}/NAMESPACE/g'`);
    },
  );

  it('has a base of kustomize for a DNS server that takes the Namespace of a kustomization', async () => {
    const folder = join(home, 'namespace-dns');
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    writeFileSync(join(folder, 'kustomization.yaml'), 'namespace: names\nresources: [deploy/kustomize/dns]\n');
    const replaced = readFileSync(join(root, 'deploy/dns.yaml'), 'utf8').replaceAll('kube-system', 'names');
    const byName = (objects: readonly KubernetesObject[]) => new Map(objects.map((one) => [nameOf(one), one]));
    expect(byName(objectsOf(await kubectled('kustomize', folder)))).toEqual(byName(objectsOf(replaced)));
  });

  describe('with kustomize, as the pages have it', () => {
    const kustomizePage = startStory(import.meta.url, 'docs/kustomize.md');
    const agentGuide = startStory(import.meta.url, 'docs/guides/agent.md');
    let folder: string;
    beforeAll(() => {
      folder = join(home, 'kustomize');
      cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    });
    const rendered = (kustomization: string) => {
      writeFileSync(join(folder, 'kustomization.yaml'), kustomization);
      return kubectled('kustomize', folder);
    };

    it('has agents that encrypt and a DNS server', async () => {
      const additions = await kustomizePage.run('Install with kustomize', rendered, 2);
      expect(additions).toContain('- --traffic-encryption-mode=wireGuard\n');
      expect(additions).toMatch(/kind: Deployment\nmetadata:\n(?: {2}.*\n)* {2}name: isthmus-dns\n/);
    });

    it('has an image and replicas of the user', async () => {
      const changes = await kustomizePage.run('Install with kustomize', rendered, 3);
      expect(changes).toContain(`image: registry.example.com/isthmus/controller:${repositoryVersion()}\n`);
      expect(changes).toContain('  replicas: 1\n');
    });

    it('has a controller that reads the Secrets that are named, and no others', async () => {
      const limited = objectsOf(await kustomizePage.run('Install with kustomize', rendered, 5));
      expect(rulesOfSecrets(limited)).toMatchObject([{ resources: ['secrets'], resourceNames: ['leader-token'] }]);
      expect(rulesOfSecrets(limited, 'patch')).toMatchObject([{ resourceNames: ['leader-token'], verbs: ['patch'] }]);
    });

    it('has agents with the configuration of Antrea’s, which serve metrics as before', async () => {
      const agents = objectsOf(await agentGuide.run("Use the configuration of Antrea's agent", rendered));
      const daemonSet = agents.find(({ kind }) => kind === 'DaemonSet');
      expect(daemonSet).toMatchObject({
        spec: {
          template: {
            spec: {
              containers: [
                {
                  command: ['isthmus', 'agent', 'run'],
                  args: ['--config=/etc/antrea/antrea-agent.conf', '--metrics-bind-address=:8483'],
                  volumeMounts: expect.arrayContaining([{ name: 'antrea', mountPath: '/etc/antrea' }]),
                },
              ],
              volumes: expect.arrayContaining([{ name: 'antrea', configMap: { name: 'antrea-config' } }]),
            },
          },
        },
      });
    });
  });

  it('gives the same objects from the archive of a release', async () => {
    const archive = join(home, 'isthmus.tgz');
    writeFileSync(archive, chartArchive(chartFiles(repositoryVersion())));
    const args = ['-n', 'kube-system', '--set', 'role=member'];
    expect(await helmed('template', 'x', archive, ...args)).toBe(await helmed('template', 'x', chart, ...args));
  });

  it('takes no images in a release but those of the release, unless values name others', async () => {
    const archive = join(home, 'release.tgz');
    const [controller, agent] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`];
    writeFileSync(archive, chartArchive(chartFiles('0.1.0', { controller, agent })));
    const images = async (...values: readonly string[]) => {
      const all = ['role=member,agent.enabled=true,dns.enabled=true', ...values].flatMap((one) => ['--set', one]);
      const rendered = await helmed('template', 'x', archive, '-n', 'kube-system', ...all);
      return [...new Set(rendered.match(/(?<=^ +(?:- )?image: ).*$/gm))].toSorted();
    };
    expect(await images()).toEqual([`"isthmus/agent:0.1.0@${agent}"`, `"isthmus/controller:0.1.0@${controller}"`]);
    expect(await images('image.tag=mine', 'agent.image.repository=r.example.com/agent')).toEqual([
      '"isthmus/controller:mine"',
      '"r.example.com/agent:0.1.0"',
    ]);
    expect(await images(`image.digest=${agent}`, `agent.image.digest=${controller}`)).toEqual([
      `"isthmus/agent@${controller}"`,
      `"isthmus/controller@${agent}"`,
    ]);
  });

  it.each([
    ['leader', 'antrea-multicluster'],
    ['member', 'kube-system'],
  ])('gives, with its defaults, the objects of %s.yaml', async (role, namespace) => {
    const rendered = installedObjects(await helmed('template', 'x', chart, '-n', namespace, '--set', `role=${role}`));
    const manifest = objectsOf(readFileSync(join(root, `deploy/${role}.yaml`), 'utf8'));
    expect(rendered.map(nameOf).toSorted()).toEqual(manifest.map(nameOf).toSorted());
    for (const one of manifest) {
      const found = rendered.find((other) => nameOf(other) === nameOf(one));
      expect(found === undefined ? undefined : plain(found), nameOf(one)).toEqual(plain(one));
    }
  });

  it.each([
    ['agent', 'agent.enabled=true'],
    ['dns', 'dns.enabled=true'],
  ])('gives for a member, where it is enabled, the objects of %s.yaml', async (file, value) => {
    const flags = ['-n', 'kube-system', '--set', `role=member,${value}`, '--show-only', `templates/${file}.yaml`];
    const rendered = objectsOf(await helmed('template', 'x', chart, ...flags));
    const manifest = objectsOf(readFileSync(join(root, `deploy/${file}.yaml`), 'utf8'));
    expect(rendered.map(nameOf).toSorted()).toEqual(manifest.map(nameOf).toSorted());
    for (const one of manifest) {
      const found = rendered.find((other) => nameOf(other) === nameOf(one));
      expect(found === undefined ? undefined : plain(found), nameOf(one)).toEqual(plain(one));
    }
  });

  it('warns after the installation of what is allowed without the policies', async () => {
    const notes = async (...values: readonly string[]) => {
      const set = ['crds.install=false', 'admission.enabled=false', ...values].join(',');
      return helmed('install', 'x', chart, '-n', 'default', '--dry-run=client', '--set', set);
    };
    expect(await notes('role=leader')).toContain('the token of a member can write the exports of other members');
    expect(await notes('role=member')).not.toContain('Warning');
    expect(await notes('role=member', 'agent.enabled=true')).toContain('can write every Lease of Namespace default');
  });

  it('gives access to the metrics of all processes of a member, where it is enabled, as metrics.yaml does', async () => {
    const of = async (...values: readonly string[]) => {
      const set = ['role=member', 'metrics.rbac=true', ...values].join(',');
      const rendered = objectsOf(await helmed('template', 'x', chart, '-n', 'kube-system', '--set', set));
      return rendered.filter(({ metadata }) => metadata.name.includes('metrics'));
    };
    const manifest = objectsOf(readFileSync(join(root, 'deploy/metrics.yaml'), 'utf8')).filter(
      ({ metadata }) => !metadata.name.endsWith('antrea-multicluster'),
    );
    const sorted = (objects: readonly KubernetesObject[]) =>
      objects.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).map(plain);
    expect(manifest).toHaveLength(4);
    expect(sorted(await of('agent.enabled=true', 'dns.enabled=true'))).toEqual(sorted(manifest));
    // Nothing has rights that is not installed.
    expect((await of()).map(nameOf).toSorted()).toEqual([
      'ClusterRole /isthmus-metrics-reader',
      'ClusterRoleBinding /isthmus-metrics-auth-kube-system',
    ]);
  });

  it('lets members write Events where memberEvents is set, as leader-events.yaml does, and not otherwise', async () => {
    const set = ['--set', 'role=leader'];
    const rendered = async (...more: readonly string[]) =>
      objectsOf(await helmed('template', 'x', chart, '-n', 'antrea-multicluster', ...set, ...more));
    const isAbout = ({ metadata }: KubernetesObject) => metadata.name === 'isthmus-member-events';
    expect((await rendered()).filter(isAbout)).toEqual([]);
    const manifest = objectsOf(readFileSync(join(root, 'deploy/leader-events.yaml'), 'utf8'));
    expect((await rendered('--set', 'memberEvents=true')).filter(isAbout).map(plain)).toEqual(manifest.map(plain));
  });

  it('lets agents read labels and policies where these are on, as agent-policies.yaml does, and not otherwise', async () => {
    const of = async (...values: readonly string[]) => {
      const set = ['role=member', 'agent.enabled=true', ...values].join(',');
      return objectsOf(await helmed('template', 'x', chart, '-n', 'kube-system', '--set', set));
    };
    const isAbout = ({ metadata }: KubernetesObject) => metadata.name === 'isthmus-agent-policies';
    const on = await of('agent.enableStretchedNetworkPolicy=true');
    const manifest = objectsOf(readFileSync(join(root, 'deploy/agent-policies.yaml'), 'utf8'));
    expect(on.filter(isAbout).map(plain)).toEqual(manifest.map(plain));
    expect(JSON.stringify(on)).toContain('"--enable-stretched-network-policy=true"');
    const off = await of();
    expect(off.filter(isAbout)).toEqual([]);
    expect(JSON.stringify(off)).toContain('"--enable-stretched-network-policy=false"');
  });

  it('lets the controller of a member read and renew the Secrets that are named, and read all others only if none is', async () => {
    const of = async (values: string, verb: 'get' | 'patch' = 'get') =>
      rulesOfSecrets(objectsOf(await helmed('template', 'x', chart, '-n', 'kube-system', '--set', values)), verb);
    const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] };
    expect(await of('role=member,tokenSecrets={leader-token,next.token}')).toEqual([
      { ...rule, resourceNames: ['leader-token', 'next.token'] },
    ]);
    for (const none of ['', ',tokenSecrets=null']) expect(await of(`role=member${none}`)).toEqual([rule]);
    expect(await of('role=member,tokenSecrets={next.token}', 'patch')).toMatchObject([
      { resourceNames: ['next.token'] },
    ]);
    expect(await of('role=member', 'patch')).toMatchObject([{ resourceNames: ['leader-token'] }]);
  });

  it('encrypts, with WireGuard in user space where that is enabled, and has a DNS server at the address of its values', async () => {
    const set = [
      'role=member',
      'agent.enabled=true',
      'agent.trafficEncryptionMode=wireGuard',
      'agent.wireGuard.port=51900',
      'agent.wireGuard.userspace.enabled=true',
      'dns.enabled=true',
      'dns.clusterIP=10.96.0.53',
      'dns.replicas=3',
    ].join(',');
    const rendered = objectsOf(await helmed('template', 'x', chart, '-n', 'kube-system', '--set', set));
    const text = (name: string) => JSON.stringify(rendered.find((one) => nameOf(one) === name));
    expect(text('DaemonSet kube-system/isthmus-agent')).toContain(
      '"--traffic-encryption-mode=wireGuard","--wireguard-port=51900"',
    );
    expect(text('DaemonSet kube-system/isthmus-agent')).toContain(
      '{"name":"wireguard","containerPort":51900,"protocol":"UDP"}',
    );
    const userspace = rendered.find((one) => nameOf(one) === 'DaemonSet kube-system/isthmus-wireguard');
    const [manifest] = objectsOf(readFileSync(join(root, 'deploy/wireguard.yaml'), 'utf8'));
    expect(userspace && plain(userspace)).toEqual(manifest && plain(manifest));
    expect(text('Service kube-system/isthmus-dns')).toContain('"clusterIP":"10.96.0.53"');
    expect(text('Deployment kube-system/isthmus-dns')).toContain('"replicas":3');
  });

  it('has components of kustomize for encryption and policies, and bases for agents and names', async () => {
    const folder = join(home, 'components');
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['deploy/kustomize/agent', 'deploy/kustomize/dns'],
      components: [
        'deploy/kustomize/encryption',
        'deploy/kustomize/userspace-wireguard',
        'deploy/kustomize/agent-policies',
      ],
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const rendered = objectsOf(await kubectled('kustomize', folder));
    const manifest = ['agent', 'agent-policies', 'dns', 'wireguard'].flatMap((file) =>
      objectsOf(
        readFileSync(join(root, `deploy/${file}.yaml`), 'utf8')
          .replace('- --traffic-encryption-mode=none', '- --traffic-encryption-mode=wireGuard')
          .replace('- --enable-stretched-network-policy=false', '- --enable-stretched-network-policy=true'),
      ),
    );
    const byName = (objects: readonly KubernetesObject[]) => new Map(objects.map((one) => [nameOf(one), one]));
    expect(byName(rendered)).toEqual(byName(manifest));
    expect(JSON.stringify(rendered)).toContain('--traffic-encryption-mode=wireGuard');
  });

  it('fails in kustomize where encryption is asked for without agents', async () => {
    const folder = join(home, 'no-agents');
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['deploy/kustomize/member'],
      components: ['deploy/kustomize/encryption'],
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    expect(await run(kubectl, 'kustomize', folder)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/encryption.*no matches for Id DaemonSet.*isthmus-agent/),
    });
  });

  it.each([
    ['no role', [], /role/],
    ['another kind of encryption', ['role=member', 'agent.trafficEncryptionMode=ipsec'], /trafficEncryptionMode/],
    ['a DNS server in a leader', ['role=leader', 'dns.enabled=true'], /dns\.enabled is true/],
    ['a role that does not exist', ['role=boss'], /role/],
    ['a value that does not exist', ['role=member', 'replica=3'], /replica/],
    ['a setting that does not exist', ['role=member', 'config.endpointIPTypes=PodIP'], /endpointIPTypes/],
    ['a setting with a wrong value', ['role=member', 'config.endpointIPType=Pods'], /endpointIPType/],
    ['a digest that is none', ['role=member', 'image.digest=abc'], /digest/],
    ['an image with its tag', ['role=member', 'image.repository=example.com/isthmus:1.0'], /image.repository/],
    ['an image with a scheme', ['role=member', 'image.repository=https://example.com/isthmus'], /image.repository/],
    ['an image with capitals', ['role=member', 'image.repository=example.com/Isthmus'], /image.repository/],
    ['a tag that is none', ['role=member', 'image.tag=1.0@latest'], /image.tag/],
    ['an agent with its digest', ['role=member', 'agent.image.repository=agent@sha256:1'], /agent.image.repository/],
    ['the ID of a member that is none', ['role=leader', 'members={East}'], /members/],
    ['an address that is none', ['role=member', 'dns.enabled=true', 'dns.clusterIP=10.96.0.300'], /dns.clusterIP/],
    ['a range without a length', ['role=member', 'config.serviceCIDR=10.96.0.0'], /config.serviceCIDR/],
    ['a range that is too long', ['role=member', 'config.podCIDRs={10.0.0.0/8,10.0.0.0/44}'], /config.podCIDRs.1/],
    ['accounts of members in a member', ['role=member', 'members={east}'], /members is set/],
    ['the Secrets of a member in a leader', ['role=leader', 'tokenSecrets={leader-token}'], /tokenSecrets is set/],
    ['a Secret with a name that is none', ['role=member', 'tokenSecrets={leader token}'], /tokenSecrets/],
    ['a Secret without a name', ['role=member', 'tokenSecrets={}'], /tokenSecrets/],
    ['every Secret as one with a name', ['role=member', 'tokenSecrets={*}'], /tokenSecrets/],
    [
      'policies without agents',
      ['role=member', 'agent.enableStretchedNetworkPolicy=true'],
      /agent\.enableStretchedNetworkPolicy is true.*no policy is enforced/,
    ],
    [
      'a flag that needs permissions',
      ['role=member', 'agent.enabled=true', 'agent.extraArgs={--enable-stretched-network-policy}'],
      /extraArgs contains --enable-stretched-network-policy/,
    ],
    [
      'flags that the agents have already, all at once',
      [
        'role=member',
        'agent.enabled=true',
        'agent.trafficEncryptionMode=wireGuard',
        'agent.extraArgs={--traffic-encryption-mode=none,--namespace,other}',
      ],
      /extraArgs contains --traffic-encryption-mode, which the container has already: set agent\.trafficEncryptionMode instead.*extraArgs contains --namespace, which/,
    ],
    [
      'several values without effect, all at once',
      ['role=member', 'admission.strict=true', 'agent.trafficEncryptionMode=wireGuard', 'dns.clusterIP=10.96.0.10'],
      /admission\.strict is true.*agent\.trafficEncryptionMode is wireGuard.*nothing is encrypted.*dns\.clusterIP is set/,
    ],
    [
      'another port for metrics',
      ['role=member', 'config.metrics.bindAddress=:9090'],
      /metrics\.bindAddress must have port 8081/,
    ],
    ['the settings of members in a leader', ['role=leader', 'config.podCIDRs={10.0.0.0/8}'], /config\.podCIDRs is set/],
    [
      'the settings of a leader in members, all at once',
      ['role=member', 'config.allowedCIDRs={10.0.0.0/8}', 'config.virtualPodCIDRs={100.64.0.0/10}'],
      /config\.allowedCIDRs is set, but the role is not leader.*config\.virtualPodCIDRs is set, but the role is not leader/,
    ],
    ['a virtual range without a length', ['role=leader', 'config.virtualPodCIDRs={100.64.0.0}'], /virtualPodCIDRs/],
    ['null as the answer to whether policies are installed', ['role=leader', 'admission.enabled=null'], /enabled/],
    ['null as the name of the image', ['role=member', 'image.repository=null'], /repository/],
    ['null as the number of Pods', ['role=member', 'replicas=null'], /replicas/],
    ['null as a group of values', ['role=member', 'networkPolicy=null'], /networkPolicy/],
    ['null as the mode of encryption', ['role=member', 'agent.trafficEncryptionMode=null'], /trafficEncryptionMode/],
    ['the condition of a parent chart without one', ['role=member', 'enabled=false'], /enabled is false/],
    [
      'Events of members in a member',
      ['role=member', 'memberEvents=true'],
      /memberEvents is true, but the role is not/,
    ],
    [
      'Events of members without policies',
      ['role=leader', 'admission.enabled=false,memberEvents=true'],
      /memberEvents is true, but admission\.enabled is false/,
    ],
    ['strict policies without policies', ['role=leader', 'admission.enabled=false,admission.strict=true'], /strict/],
    ['a label of Pods that selectors need', ['role=member', 'podLabels.app=isthmus-dns'], /["']app["']/],
    ['a label of Pods that is no text', ['role=member', 'podLabels.team=1'], /podLabels/],
    [
      'the annotation that replaces Pods',
      ['role=member', 'podAnnotations.checksum/config=no'],
      /["']checksum\/config["']/,
    ],
    ['an annotation of Pods that is no text', ['role=member', 'podAnnotations.scrape=true'], /podAnnotations/],
    ['a label of Nodes that is no text', ['role=member', 'agent.nodeSelector.net=true'], /nodeSelector/],
    ['a toleration with an unknown field', ['role=member', 'tolerations[0].operators=Exists'], /tolerations/],
    ['a toleration of a value that is no text', ['role=member', 'dns.tolerations[0].value=true'], /tolerations/],
    ['a Secret for images without a name', ['role=member', 'imagePullSecrets={pull}'], /imagePullSecrets/],
    ['a Secret for images with another field', ['role=member', 'imagePullSecrets[0].nme=pull'], /imagePullSecrets/],
    ['a variable that is no text', ['role=member', 'extraEnv[0].name=A', 'extraEnv[0].value=1'], /extraEnv/],
    ['a variable without a name', ['role=member', 'extraEnv[0].value=a'], /extraEnv/],
    ['a variable with a name that is none', ['role=member', 'extraEnv[0].name="A=B"'], /extraEnv/],
    [
      'a variable that the container has',
      ['role=member', 'extraEnv[0].name=POD_NAMESPACE', 'extraEnv[0].value=default'],
      /extraEnv has POD_NAMESPACE, which the container has already/,
    ],
    [
      'a variable twice',
      ['role=member', 'extraEnv[0].name=A', 'extraEnv[1].name=A'],
      /extraEnv has A, which the container has already/,
    ],
    [
      'members whose exports could get the same names',
      ['role=leader', 'members={west,east-1,east}'],
      /members has east and east-1: exports of the two clusters could get the same names/,
    ],
    ['an image with its tag', ['role=member', 'image.repository=registry.example.com/isthmus:1'], /image.repository/],
    ['an image with a space', ['role=member', 'agent.image.repository=a b'], /agent.image.repository/],
    ['a tag that is none', ['role=member', 'image.tag=1@2'], /image.tag/],
    ['more Pods than there can be', ['role=member', 'replicas=3000000000'], /replicas/],
    ['a label of Pods with a wrong value', ['role=member', 'podLabels.team=a b'], /podLabels/],
    [
      'the port of tunnels for WireGuard',
      ['role=member', 'agent.wireGuard.port=8479'],
      /agent.wireGuard.port is a UDP port/,
    ],
    ['a label of objects with a wrong value', ['role=member', 'commonLabels.team=a b'], /commonLabels/],
    ['a label of Pods with a wrong name', ['role=member', 'podLabels.-team=a'], /-team/],
    ['an annotation of Pods with a wrong name', ['role=member', 'podAnnotations.a b=c'], /["']a b["']/],
    ['a label of Nodes with a wrong value', ['role=member', 'nodeSelector.net=a/b'], /nodeSelector/],
    ['a priority class that is none', ['role=member', 'priorityClassName=High'], /priorityClassName/],
    ['a Secret for images with a wrong name', ['role=member', 'imagePullSecrets[0].name=Pull'], /imagePullSecrets/],
    ['a toleration with a wrong operator', ['role=member', 'tolerations[0].operator=Sometimes'], /tolerations/],
    ['a toleration with a wrong effect', ['role=member', 'tolerations[0].effect=NoRun'], /tolerations/],
    ['a quantity that is none', ['role=member', 'resources.limits.cpu=lots'], /resources.limits.cpu/],
    ['a kind of resources that is none', ['role=member', 'agent.resources.limit.cpu=1'], /agent.resources/],
    [
      'a Namespace that is none',
      ['role=member', 'config.importExcludedNamespaces={No Namespace}'],
      /importExcludedNamespaces/,
    ],
    ['an address for metrics that is none', ['role=member', 'config.metrics.bindAddress=a:8081'], /bindAddress/],
    [
      'a privileged container on every Node',
      [
        'role=member',
        'agent.enabled=true',
        'agent.trafficEncryptionMode=wireGuard',
        'agent.wireGuard.userspace.enabled=true',
        'agent.wireGuard.userspace.nodeSelector=null',
      ],
      /userspace\.nodeSelector is empty/,
    ],
  ])('refuses %s, and names it', async (_, values, named) => {
    const { code, err } = await run(helm, 'template', 'x', chart, ...values.flatMap((one) => ['--set', one]));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(named) });
  });

  it('refuses an API server that is older than what the policies need', async () => {
    const { code, err } = await run(helm, 'template', 'x', chart, '--set', 'role=leader', '--kube-version', 'v1.29.4');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('>=1.30.0-0') });
  });

  it('sets what its values name', async () => {
    const values = {
      role: 'leader',
      replicas: 3,
      image: { repository: 'example.com:5000/team_a/isthmus', digest: `sha256:${'a'.repeat(64)}` },
      imagePullSecrets: [{ name: 'pull' }],
      tolerations: [{ operator: 'Exists' }],
      priorityClassName: 'system-cluster-critical',
      podLabels: { team: 'net' },
      podAnnotations: { note: 'yes' },
      extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
      podDisruptionBudget: { enabled: false },
      networkPolicy: { enabled: false },
      flowControl: { enabled: false },
      admission: { strict: true },
      metrics: { rbac: true },
      members: ['east', '10.2'],
      crds: { install: false },
      config: { allowedCIDRs: ['10.0.0.0/8'] },
    };
    writeFileSync(join(home, 'values.json'), JSON.stringify(values));
    const rendered = objectsOf(await helmed('template', 'x', chart, '-n', '1234', '-f', join(home, 'values.json')));
    const of = (kind: string) => rendered.filter((one) => one.kind === kind);
    expect(of('CustomResourceDefinition')).toEqual([]);
    expect(of('PodDisruptionBudget')).toEqual([]);
    expect(of('NetworkPolicy')).toEqual([]);
    expect(of('FlowSchema')).toEqual([]);
    expect(of('ServiceAccount').map(nameOf)).toEqual(
      expect.arrayContaining(['ServiceAccount 1234/member-east', 'ServiceAccount 1234/member-10.2']),
    );
    expect(of('ValidatingAdmissionPolicy').map(({ metadata }) => metadata.name)).toContainEqual(
      expect.stringContaining('strict'),
    );
    expect(
      of('ClusterRoleBinding')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(['1234-isthmus-read-admission', 'isthmus-metrics-auth-1234']);
    expect(of('Deployment')).toMatchObject([
      {
        metadata: { namespace: '1234' },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'antrea', component: 'antrea-mc-controller' } },
          template: {
            metadata: { labels: { app: 'antrea', team: 'net' }, annotations: { note: 'yes' } },
            spec: {
              imagePullSecrets: [{ name: 'pull' }],
              tolerations: [{ operator: 'Exists' }],
              priorityClassName: 'system-cluster-critical',
              containers: [
                {
                  image: `example.com:5000/team_a/isthmus@sha256:${'a'.repeat(64)}`,
                  command: ['isthmus', 'controller', 'leader'],
                  env: expect.arrayContaining([{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }]),
                },
              ],
            },
          },
        },
      },
    ]);
  });

  it.each([
    ['leader', ['members={east}', 'admission.strict=true', 'memberEvents=true', 'metrics.rbac=true']],
    [
      'member',
      [
        'agent.enabled=true',
        'agent.trafficEncryptionMode=wireGuard',
        'agent.wireGuard.userspace.enabled=true',
        'agent.enableStretchedNetworkPolicy=true',
        'dns.enabled=true',
        'metrics.rbac=true',
      ],
    ],
  ])(
    'gives every object of a %s the labels that its values name, but none that it has already',
    async (role, values) => {
      const set = [`role=${role}`, ...values].flatMap((one) => ['--set', one]);
      const rendered = objectsOf(await helmed('template', 'x', chart, ...set, '--set', 'commonLabels.team=net'));
      expect(rendered.filter(({ metadata }) => metadata.labels?.['team'] !== 'net').map(nameOf)).toEqual([]);
      for (const one of rendered.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet')) {
        expect(one).toHaveProperty('spec.template.metadata.labels.app');
        expect(one).not.toHaveProperty('spec.template.metadata.labels.team');
      }

      const own = new Set(rendered.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})));
      own.delete('team');
      for (const name of own) {
        const label = `commonLabels.${name.replaceAll('.', String.raw`\.`)}=x`;
        const { err } = await run(helm, 'template', 'x', chart, ...set, '--set', label);
        expect(err).toMatch(new RegExp(`["']${name}["']`));
      }
    },
  );

  it('has every setting of the configuration file that the Deployment does not need for itself', async () => {
    const [values] = parseYaml(readFileSync(join(chart, 'values.yaml'), 'utf8'), { source: 'values.yaml' });
    const { config } = (values as { readonly value: { readonly config: object } }).value;
    const legacy = ['leaderElection'];
    const ofDeployment = ['health', 'webhook'];
    expect(Object.keys(config).toSorted()).toEqual(
      Object.keys(multiClusterConfig.schema.properties ?? {})
        .filter((name) => !['apiVersion', 'kind', ...legacy, ...ofDeployment].includes(name))
        .toSorted(),
    );
    const set = ['--set', 'role=leader', '--set', 'config.virtualPodCIDRs={100.64.0.0/10}'];
    const rendered = objectsOf(await helmed('template', 'x', chart, ...set));
    expect(JSON.stringify(rendered.find(({ kind }) => kind === 'ConfigMap'))).toContain(
      'virtualPodCIDRs:\\n- 100.64.0.0/10',
    );
  });

  it('takes null for what a user wants empty', async () => {
    const empty = [
      'resources',
      'nodeSelector',
      'tolerations',
      'affinity',
      'podLabels',
      'podAnnotations',
      'commonLabels',
      'extraEnv',
    ];
    const set = empty.map((name) => `${name}=null`).join(',');
    const rendered = objectsOf(await helmed('template', 'x', chart, '--set', `role=member,${set}`));
    const deployment = JSON.stringify(rendered.find(({ kind }) => kind === 'Deployment'));
    expect(deployment).not.toMatch(/"resources"|"nodeSelector"|"affinity"|null/);
  });

  it('is a dependency of a chart of the user, on a condition', async () => {
    const parent = join(home, 'parent');
    cpSync(chart, join(parent, 'charts/isthmus'), { recursive: true });
    const dependency = { name: 'isthmus', version: '*', condition: 'isthmus.enabled' };
    const about = { apiVersion: 'v2', name: 'fleet', version: '1.0.0', dependencies: [dependency] };
    writeFileSync(join(parent, 'Chart.yaml'), JSON.stringify(about));
    const of = async (enabled: boolean) =>
      objectsOf(await helmed('template', 'x', parent, '--set', `isthmus.enabled=${enabled},isthmus.role=member`));
    expect((await of(true)).filter(({ kind }) => kind === 'Deployment')).toHaveLength(1);
    expect(await of(false)).toEqual([]);
  });

  it('installs, upgrades, keeps its role, goes back, is uninstalled and installed again; definitions and objects stay', async () => {
    const deployment = () =>
      kubectled('get', 'deployment', '-n', 'kube-system', 'antrea-mc-controller', '-o', 'json').then(
        (text) =>
          JSON.parse(text) as {
            readonly metadata: { readonly uid: string };
            readonly spec: { readonly template: unknown };
          },
      );
    await helmed('install', 'isthmus', chart, ...member);
    const first = await deployment();
    const clusterSet = {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
      kind: 'ClusterSet',
      metadata: { name: 'set', namespace: 'kube-system' },
      spec: { clusterID: 'east', leaders: [{ clusterID: 'north' }], namespace: 'antrea-multicluster' },
    };
    writeFileSync(join(home, 'set.json'), JSON.stringify(clusterSet));
    await kubectled('apply', '-f', join(home, 'set.json'));
    const uid = () => kubectled('get', 'clusterset', '-n', 'kube-system', 'set', '-o', 'jsonpath={.metadata.uid}');
    const before = await uid();

    // A change of a definition and of a setting, as the next release brings them.
    const next = join(home, 'next');
    cpSync(chart, next, { recursive: true });
    const definitions = join(next, 'templates/crds.yaml');
    const changed = readFileSync(definitions, 'utf8').replaceAll(
      'openAPIV3Schema:\n          description: ',
      'openAPIV3Schema:\n          title: next\n          description: ',
    );
    writeFileSync(definitions, changed);
    await helmed('upgrade', 'isthmus', next, ...member, '--set', 'config.endpointIPType=PodIP');
    const titleOf = () =>
      kubectled(
        'get',
        'crd',
        'clustersets.multicluster.crd.antrea.io',
        '-o',
        'jsonpath={.spec.versions[0].schema.openAPIV3Schema.title}',
      );
    expect(await titleOf()).toBe('next');
    const second = await deployment();
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(isDeepStrictEqual(second.spec.template, first.spec.template)).toBe(false);

    const other = await run(helm, 'upgrade', 'isthmus', next, '-n', 'kube-system', '--set', 'role=leader');
    expect({ code: other.code, err: other.err }).toEqual({
      code: 1,
      err: expect.stringMatching(/installed the controller of a member.*role is leader.*another Namespace/),
    });
    expect(await deployment()).toEqual(second);

    await helmed('rollback', 'isthmus', '1', '--namespace', 'kube-system');
    expect((await deployment()).spec.template).toEqual(first.spec.template);
    expect(await titleOf()).toBe('');

    // One Lease as the controller makes it, and one of another program.
    for (const name of ['isthmus-member', 'isthmus-leader']) await kubectled('create', '-f', leaseFile(home, name));
    await helmed('uninstall', 'isthmus', '--namespace', 'kube-system');
    expect(await kubectled('get', 'leases', '-n', 'kube-system', '-o', 'name')).not.toContain('isthmus-member');
    expect(await kubectled('get', 'leases', '-n', 'kube-system', '-o', 'name')).toContain('isthmus-leader');
    expect(
      (
        await kubectled(
          'get',
          'deployment,configmap,clusterrole,role,pdb,networkpolicy',
          '-A',
          '-l',
          'component=antrea-mc-controller',
          '-o',
          'name',
        )
      ).trim(),
    ).toBe('');
    expect(await uid()).toBe(before);
    await helmed('install', 'isthmus', chart, ...member);
    expect(await uid()).toBe(before);

    // Helm does not go back to definitions that it left, but an upgrade takes them into the release
    // again.
    await helmed('upgrade', 'isthmus', chart, ...member, '--set', 'crds.install=false,config.endpointIPType=PodIP');
    const third = await deployment();
    const back = await run(helm, 'rollback', 'isthmus', '1', '--namespace', 'kube-system');
    expect({ code: back.code, err: back.err }).toEqual({ code: 1, err: expect.stringContaining('clusterclaims') });
    expect(await deployment()).toEqual(third);
    await helmed('upgrade', 'isthmus', chart, ...member);
    expect((await deployment()).spec.template).toEqual(first.spec.template);
  });

  it('ends before it changes anything where definitions exist that another owner installed', async () => {
    const namespaces = ['antrea-multicluster', 'mc'];
    for (const one of namespaces) await kubectled('create', 'namespace', one);
    const leader = (namespace: string, ...more: readonly string[]) =>
      run(helm, 'install', 'leader', chart, '--namespace', namespace, '--set', 'role=leader', ...more);
    const { code, err } = await leader('antrea-multicluster');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(
        /clustersets\.multicluster\.crd\.antrea\.io.*set crds\.install=false.*set crds\.adopt=true and give helm the flags? --take-ownership/,
      ),
    });
    expect(await kubectled('get', 'deployment,serviceaccount', '-n', 'antrea-multicluster', '-o', 'name')).toBe(
      'serviceaccount/default\n',
    );
    // A cluster with both roles, and another Common Area. They share the ClusterRole of those who
    // read metrics.
    for (const namespace of namespaces) {
      const { code, err } = await leader(namespace, '--set', 'crds.install=false,metrics.rbac=true,members={east}');
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    }
    expect(await kubectled('get', 'clusterrole', 'isthmus-metrics-reader', '-o', 'name')).not.toBe('');
    expect(await kubectled('get', 'secret', '-n', 'mc', 'member-east', '-o', 'jsonpath={.type}')).toBe(
      'kubernetes.io/service-account-token',
    );
    const adopted = await run(
      helm,
      'upgrade',
      'leader',
      chart,
      '-n',
      'mc',
      '--set',
      'role=leader',
      '--set',
      'crds.adopt=true',
      '--take-ownership',
    );
    expect({ code: adopted.code, err: adopted.code === 0 ? '' : adopted.err }).toEqual({ code: 0, err: '' });
  });

  it('names everything that a user may not create where the chart is rendered for kubectl as on its page, and changes nothing', async () => {
    await kubectled('create', 'namespace', 'team');
    await kubectled('create', 'serviceaccount', 'reader', '-n', 'team');
    await kubectled('create', 'clusterrole', 'reader', '--verb=get,list,watch', '--resource=*.*');
    await kubectled('create', 'clusterrolebinding', 'reader', '--clusterrole=reader', '--serviceaccount=team:reader');
    const rendered = await helmed('template', 'x', chart, '-n', 'team', '--set', 'role=leader');
    writeFileSync(join(home, 'rendered.yaml'), rendered);
    const check = ['apply', '--dry-run=server', '-f', join(home, 'rendered.yaml')];
    await kubectled(...check);
    const { code, err } = await run(kubectl, ...check, '--as', 'system:serviceaccount:team:reader');
    expect(code).toBe(1);
    for (const kind of new Set(objectsOf(rendered).map((one) => one.kind?.toLowerCase() ?? '')))
      expect(err).toMatch(new RegExp(`cannot (create|patch) resource "${kind.replace(/y$/, 'ie')}s"`));
    expect(await kubectled('get', 'deployment,networkpolicy,role,configmap', '-n', 'team', '-o', 'name')).toBe(
      'configmap/kube-root-ca.crt\n',
    );
  });

  it('takes over definitions of another form that kubectl applied, with the flags that its refusal names', async () => {
    await using own = await startApiServer({ name: 'adoption' });
    const there = shell(home, own.kubeconfigPath);
    const definitions = readFileSync(join(root, 'deploy/member-crds.yaml'), 'utf8');
    const file = join(home, 'older.yaml');
    writeFileSync(file, definitions.replaceAll('openAPIV3Schema:\n', 'openAPIV3Schema:\n          title: older\n'));
    expect((await there(kubectl, 'apply', '-f', file)).code).toBe(0);
    const install = (...more: readonly string[]) => there(helm, 'install', 'isthmus', chart, ...member, ...more);
    const refused = await install();
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('also takes over all other objects') });
    const flags = refused.err.match(/--[a-z-]+(?:=true)?/g) ?? [];
    const adopted = await install('--set', 'crds.adopt=true', ...flags);
    expect({ flags, code: adopted.code, err: adopted.code === 0 ? '' : adopted.err }).toEqual({
      flags: expect.arrayContaining(['--take-ownership']),
      code: 0,
      err: '',
    });
    const { out } = await there(
      kubectl,
      'get',
      'crd',
      '-o',
      'jsonpath={.items[*].spec.versions[*].schema.openAPIV3Schema.title}',
    );
    expect(out.trim()).toBe('');
    // Also in an upgrade of a release that was installed without them, by a Helm that applies in
    // the client.
    expect(await there(helm, 'uninstall', 'isthmus', '-n', 'kube-system')).toMatchObject({ code: 0 });
    expect((await there(kubectl, 'annotate', 'crd', '--all', 'meta.helm.sh/release-name-')).code).toBe(0);
    const [clientSide] = installTools(console.log);
    const first = await there(
      clientSide?.helm ?? '',
      'install',
      'isthmus',
      chart,
      ...member,
      '--set',
      'crds.install=false',
    );
    expect(first).toMatchObject({ code: 0 });
    const upgraded = await there(helm, 'upgrade', 'isthmus', chart, ...member, '--set', 'crds.adopt=true', ...flags);
    expect({ flags, err: upgraded.code === 0 ? '' : upgraded.err }).toEqual({ flags, err: '' });
    // Once they are the release's, no flag is needed.
    expect(await there(helm, 'upgrade', 'isthmus', chart, ...member)).toMatchObject({ code: 0 });
  });

  it('has Pods that the strictest of the Pod security standards admits', async () => {
    await kubectled('create', 'namespace', 'strict');
    await kubectled('label', 'namespace', 'strict', 'pod-security.kubernetes.io/enforce=restricted');
    await helmed('install', 'strict', chart, '-n', 'strict', '--set', 'role=leader', '--set', 'crds.install=false');
    await expect
      .poll(
        async () => (await kubectled('get', 'pods', '-n', 'strict', '-o', 'name')).split('\n').filter(Boolean).length,
      )
      .toBe(2);
  });

  it('leaves a controller alone that was installed without it, names its objects, and takes them over with the flags that it names', async () => {
    await kubectled('create', 'namespace', 'taken');
    const manifest = readFileSync(join(root, 'deploy/leader-namespaced.yaml'), 'utf8')
      .replaceAll('changeme', 'taken')
      .replace('endpointIPType: ClusterIP', 'endpointIPType: PodIP')
      .replace('allowedCIDRs: []', 'allowedCIDRs: [10.0.0.0/8]');
    writeFileSync(join(home, 'taken.yaml'), manifest);
    await kubectled('apply', '-f', join(home, 'taken.yaml'));
    const { code, err } = await run(
      helm,
      'install',
      'isthmus',
      chart,
      '-n',
      'taken',
      '--set',
      'role=leader',
      '--set',
      'crds.install=false',
    );
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(
        /a controller is installed here without Helm.* release isthmus in Namespace taken: ServiceAccount antrea-mc-controller, .*Deployment antrea-mc-controller\. To keep that controller/,
      ),
    });
    const names = ['deployment/antrea-mc-controller', 'configmap/antrea-mc-controller-config'];
    const managed = ['get', ...names, '-n', 'taken', '-o', 'jsonpath={.items[*].metadata.labels.helm\\.sh/chart}'];
    expect(await kubectled(...managed)).toBe('');
    const flags = err.match(/--[a-z-]+(?:=true)?/g) ?? [];
    const values = ['--set', 'role=leader', '--set', 'crds.install=false', '--set', 'crds.adopt=true'];
    const forgetful = await run(helm, 'install', 'isthmus', chart, '-n', 'taken', ...values, ...flags);
    expect(forgetful).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /the values are not valid: config\.allowedCIDRs is \["10\.0\.0\.0\/8"\] in ConfigMap antrea-mc-controller-config of Namespace taken.*; config\.endpointIPType is "PodIP" .* would become "ClusterIP": set config\.endpointIPType to the same value/,
      ),
    });
    expect(await kubectled(...managed)).toBe('');
    const settings = ['--set', 'config.endpointIPType=PodIP', '--set', 'config.allowedCIDRs={10.0.0.0/8}'];
    await helmed('install', 'isthmus', chart, '-n', 'taken', ...values, ...settings, ...flags);
    expect((await kubectled(...managed)).split(' ')).toHaveLength(2);
    // The settings are then the release's, and its upgrades change them.
    await helmed('upgrade', 'isthmus', chart, '-n', 'taken', ...values);
    const file = await kubectled('get', names[1] ?? '', '-n', 'taken', '-o', 'jsonpath={.data}');
    expect(file).toContain('endpointIPType: ClusterIP');
  });

  it('reports the next step if a manifest was applied over a release that was then uninstalled', async () => {
    await using own = await startApiServer({ name: 'applied-over' });
    const there = shell(home, own.kubeconfigPath);
    const install = (...more: readonly string[]) => there(helm, 'install', 'isthmus', chart, ...member, ...more);
    expect(await install()).toMatchObject({ code: 0 });
    expect(await there(kubectl, 'apply', '-f', join(root, 'deploy/member.yaml'))).toMatchObject({ code: 0 });
    const upgrade = (...more: readonly string[]) => there(helm, 'upgrade', 'isthmus', chart, ...member, ...more);
    const isHelm4 = (await helmed('version', '--short')).startsWith('v4');
    const upgraded = await upgrade();
    expect(upgraded).toMatchObject(isHelm4 ? { code: 1, err: expect.stringContaining('conflict') } : { code: 0 });
    if (isHelm4) expect(await upgrade('--force-conflicts')).toMatchObject({ code: 0 });
    expect(await there(kubectl, 'apply', '-f', join(root, 'deploy/member.yaml'))).toMatchObject({ code: 0 });
    expect(await there(helm, 'uninstall', 'isthmus', '-n', 'kube-system')).toMatchObject({ code: 0 });
    const refused = await install();
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/these CustomResourceDefinitions exist and do not belong.*crds\.adopt=true/),
    });
    const flags = refused.err.match(/--[a-z-]+(?:=true)?/g) ?? [];
    const installed = await install('--set', 'crds.adopt=true', ...flags);
    expect({ flags, err: installed.code === 0 ? '' : installed.err }).toEqual({
      flags: expect.arrayContaining(['--take-ownership']),
      err: '',
    });
    // Back to the manifest, with the definitions that the release has left.
    expect(await there(helm, 'uninstall', 'isthmus', '-n', 'kube-system')).toMatchObject({ code: 0 });
    expect(await there(kubectl, 'apply', '-f', join(root, 'deploy/member.yaml'))).toMatchObject({ code: 0 });
  });
});
