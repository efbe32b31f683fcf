/** A bundle with two components, as a person would write it. */
export function aBundle(): string {
  return `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ComponentBundle
metadata: {name: bundle-7}
spec:
  number: 7
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
  components:
    - id: flux
      version: {upstream: v2.3.0, build: a34c207}
      artifacts:
        - name: source-controller
          kind: image
          uri: registry.example/flux/source-controller:v2.3.0
          digest: sha256:${'1'.repeat(64)}
    # The CNI of every cluster.
    - id: cilium
      version: {upstream: v1.18.1-1, scheme: eks-suffix}
      supports: {kubernetes: {min: "1.31", max: "1.33"}}
      artifacts:
        - name: agent
          kind: image
          uri: registry.example/cilium:v1.18.1-1
          digest: sha256:${'2'.repeat(64)}
`;
}
