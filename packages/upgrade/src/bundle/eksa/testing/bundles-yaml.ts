const image = (name: string, digit: number) =>
  `{name: ${name}, arch: [amd64], os: linux, uri: "public.example/${name}:v1", imageDigest: "sha256:${String(digit).repeat(64)}"}`;

/** One entry of `versionsBundles`, as long as those of EKS Anywhere are in kind, not in number. */
function versions(minor: string, certManager: string): string {
  return `    - kubeVersion: "${minor}"
      endOfStandardSupport: "2026-12-26"
      eksD:
        name: kubernetes-${minor.replace('.', '-')}-eks-8
        channel: ${minor.replace('.', '-')}
        kubeVersion: v${minor}.4
        manifestUrl: https://distro.example/kubernetes-${minor}.yaml
        components: https://distro.example/crds.yaml
        kindNode: ${image('kind-node', 1)}
        etcd: {uri: https://distro.example/etcd.tar.gz, sha256: "${'2'.repeat(64)}", sha512: "${'2'.repeat(128)}"}
      certManager:
        version: ${certManager}
        acmesolver: ${image('acmesolver', 3)}
        controller: ${image('controller', 4)}
        manifest: {uri: https://release.example/cert-manager.yaml}
      clusterAPI:
        version: v1.6.2+f120729
        controller: ${image('capi', 5)}
        kubeProxy: ${image('kube-rbac-proxy', 6)}
        components: {uri: https://release.example/core-components.yaml}
        metadata: {uri: https://release.example/metadata.yaml}
      bootstrap: {version: v1.6.2+a1b2c3d, controller: ${image('bootstrap', 7)}}
      controlPlane: {version: v1.6.2+d4e5f6a, controller: ${image('control-plane', 7)}}
      cloudStack: {version: deprecated, clusterAPIController: {uri: <placeholder>}}
      eksa: {version: v0.19.0-dev+build.170+6a04c21, clusterController: ${image('eksa', 8)}}
      cilium:
        version: v1.18.1-1
        cilium: ${image('cilium', 9)}
        helmChart: ${image('cilium-chart', 9)}
      flux: {version: v2.3.0+0badc0d, sourceController: ${image('source-controller', 1)}}
      bottlerocketHostContainers: {admin: ${image('admin', 1)}}
      vSphere: {version: v1.16.1+a1b2c3d, clusterAPIController: ${image('capv', 2)}, manager: ${image(`manager-${minor}`, 3)}}
`;
}

/** A `Bundles` of EKS Anywhere; the second entry may have another cert-manager. */
export function bundlesYaml(certManagers: readonly [string, string] = ['v1.13.2+a34c207', 'v1.13.2+a34c207']): string {
  const [first, second] = certManagers;
  return `apiVersion: anywhere.eks.amazonaws.com/v1alpha1
kind: Bundles
metadata:
  name: bundles-56
  annotations:
    anywhere.eks.amazonaws.com/signature: MEUCIQ==
spec:
  number: 56
  cliMinVersion: v0.19.0
  cliMaxVersion: v0.19.3
  versionsBundles:
${versions('1.31', first)}${versions('1.32', second)}`;
}
