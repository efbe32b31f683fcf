import { describe, expect, it } from 'vitest';
import {
  binaryNames,
  cacheDirectory,
  goVersionIn,
  kubernetesVersionIn,
  neededBinaries,
  planBinaries,
} from './binaries.ts';

const goMod = `module example.org/envtest

go 1.26.0

tool k8s.io/kubernetes/cmd/kubectl

require (
	k8s.io/component-base v0.36.3 // indirect
	k8s.io/kubernetes v1.36.3 // indirect
)

replace k8s.io/kubernetes => k8s.io/kubernetes v1.36.3
`;

describe('planBinaries', () => {
  const kinds = (present: readonly string[], assets?: string) => {
    const plan = planBinaries({ cache: '/cache', assets, exists: (path) => present.includes(path) });
    return binaryNames.map((name) => `${plan[name].kind} ${plan[name].path}`);
  };

  it('builds everything into an empty cache', () => {
    expect(kinds([])).toEqual([
      'build /cache/etcd',
      'build /cache/etcdutl',
      'build /cache/kube-apiserver',
      'build /cache/kube-controller-manager',
      'build /cache/kubectl',
      'build /cache/registry',
      'build /cache/coredns',
    ]);
  });

  it('builds only what the cache lacks', () => {
    expect(
      kinds(['/cache/etcd', '/cache/etcdutl', '/cache/kube-apiserver', '/cache/kubectl', '/cache/registry']),
    ).toEqual([
      'present /cache/etcd',
      'present /cache/etcdutl',
      'present /cache/kube-apiserver',
      'build /cache/kube-controller-manager',
      'present /cache/kubectl',
      'present /cache/registry',
      'build /cache/coredns',
    ]);
  });

  const archive = ['/assets/etcd', '/assets/kube-apiserver', '/assets/kubectl'];

  it('takes what archives hold from KUBEBUILDER_ASSETS, and builds the rest', () => {
    expect(kinds(archive, '/assets')).toEqual([
      'present /assets/etcd',
      'build /cache/etcdutl',
      'present /assets/kube-apiserver',
      'build /cache/kube-controller-manager',
      'present /assets/kubectl',
      'build /cache/registry',
      'build /cache/coredns',
    ]);
  });

  it.each(['etcdutl', 'kube-controller-manager'] as const)('takes a cached %s beside KUBEBUILDER_ASSETS', (name) => {
    expect(kinds([...archive, `/cache/${name}`], '/assets')).toContain(`present /cache/${name}`);
  });

  it.each(['etcdutl', 'kube-controller-manager'] as const)('prefers %s that KUBEBUILDER_ASSETS does hold', (name) => {
    const present = [...archive, `/assets/${name}`, `/cache/${name}`];
    expect(kinds(present, '/assets')).toContain(`present /assets/${name}`);
  });

  it('reports what KUBEBUILDER_ASSETS lacks instead of mixing in another version from the cache', () => {
    expect(kinds(['/assets/etcd', '/cache/kube-apiserver', '/cache/kubectl'], '/assets')).toEqual([
      'present /assets/etcd',
      'build /cache/etcdutl',
      'missing /assets/kube-apiserver',
      'build /cache/kube-controller-manager',
      'missing /assets/kubectl',
      'build /cache/registry',
      'build /cache/coredns',
    ]);
  });

  it('needs all but etcdutl, the registry and CoreDNS for a cluster', () => {
    expect(binaryNames.filter((name) => !neededBinaries.includes(name))).toEqual(['etcdutl', 'registry', 'coredns']);
  });
});

describe('versions in go.mod', () => {
  it('reads the Kubernetes version from the requirement, not from a tool or replace line', () => {
    expect(kubernetesVersionIn(goMod)).toBe('v1.36.3');
    expect(kubernetesVersionIn('require k8s.io/kubernetes v1.37.0-rc.1\n')).toBe('v1.37.0-rc.1');
  });

  it('reads the least Go', () => expect(goVersionIn(goMod)).toBe('1.26.0'));

  it.each([
    ['Kubernetes', kubernetesVersionIn],
    ['Go', goVersionIn],
  ])('reports which file lacks a version of %s', (_, read) => {
    expect(() => read('module example.org/empty\n')).toThrow('envtest/go.mod');
  });
});

describe('cacheDirectory', () => {
  it.each([
    [{ XDG_CACHE_HOME: '/var/cache/me' }, '/var/cache/me/isthmus/envtest/v1.36.3'],
    [{}, '/home/me/.cache/isthmus/envtest/v1.36.3'],
    [{ XDG_CACHE_HOME: '' }, '/home/me/.cache/isthmus/envtest/v1.36.3'],
    [{ XDG_CACHE_HOME: 'relative' }, '/home/me/.cache/isthmus/envtest/v1.36.3'],
  ])('with %j is %s', (environment, expected) => {
    expect(cacheDirectory(environment, '/home/me', 'v1.36.3')).toBe(expected);
  });
});
