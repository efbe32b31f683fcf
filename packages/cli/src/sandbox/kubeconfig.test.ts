import { parseYaml, printYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { readOwnKubeconfig, renderKubeconfig } from './kubeconfig.ts';

const clusters = ['north', 'east'].map((name) => ({
  name,
  url: `https://127.0.0.1/${name}`,
  caData: `authority of ${name}`,
  user: { certData: `certificate of ${name}`, keyData: `key of ${name}` },
}));
const text = renderKubeconfig(clusters);
const base64 = (plain: string) => Buffer.from(plain).toString('base64');

/** As another program would have it who has changed something. */
function changed(change: (config: Record<string, unknown[]>) => void): string {
  const config = parseYaml(text, { source: 'kubeconfig' })[0]?.value as Record<string, unknown[]>;
  const copy = structuredClone(config);
  change(copy);
  return printYaml(copy);
}

describe('the kubeconfig of a sandbox', () => {
  it('has a context for each cluster, with the keys of an administrator; the first is the current one', () => {
    expect(parseYaml(text, { source: 'kubeconfig' })[0]?.value).toMatchObject({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'north',
      clusters: [
        {
          name: 'north',
          cluster: {
            server: 'https://127.0.0.1/north',
            'certificate-authority-data': base64('authority of north'),
          },
        },
        { name: 'east' },
      ],
      users: [
        { name: 'north' },
        {
          name: 'east',
          user: {
            'client-certificate-data': base64('certificate of east'),
            'client-key-data': base64('key of east'),
          },
        },
      ],
      contexts: [
        { name: 'north', context: { cluster: 'north', user: 'north' } },
        { name: 'east', context: { cluster: 'east', user: 'east' } },
      ],
    });
  });

  it('is known again, also after somebody has chosen another context or added one', () => {
    const own = clusters.map(({ name, url: server, caData, user }) => ({ name, server, caData, user }));
    expect(readOwnKubeconfig(text)).toEqual(own);
    const used = changed((config) => {
      Object.assign(config, { 'current-context': 'shop' });
      config['contexts']?.push({ name: 'shop', context: { cluster: 'east', user: 'east', namespace: 'shop' } });
    });
    expect(readOwnKubeconfig(used)).toEqual(own);
  });

  it.each([
    [
      'another cluster was added',
      changed((c) => c['clusters']?.push({ name: 'work', cluster: { server: 'https://x' } })),
    ],
    ['another user was added', changed((c) => c['users']?.push({ name: 'me', user: { token: 'secret' } }))],
    ['it is a kubeconfig of another', text.replaceAll('sandbox.isthmus.dev', 'minikube.sigs.k8s.io')],
    ['it names no cluster', printYaml({ kind: 'Config', clusters: [], users: [] })],
    ['it is no kubeconfig', 'a: 1'],
    ['it is empty', ''],
    ['it is no YAML', '{{'],
    ['clusters is no list', 'kind: Config\nclusters: 5'],
    ['an entry is nothing', 'kind: Config\nclusters: [null]'],
    ['extensions is no list', 'kind: Config\nclusters: [{name: a, cluster: {extensions: 5}}]'],
    ['users is no list', `${text.split('users:')[0]}users: 5\n`],
  ])('is not ours where %s', (_, other) => {
    expect(readOwnKubeconfig(other)).toBeUndefined();
  });
});
