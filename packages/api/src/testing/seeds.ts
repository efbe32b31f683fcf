/** Objects as users of the first versions wrote them, in the words of those documents. */
export const seeds: readonly (readonly [string, string])[] = [
  [
    'ClusterClaim of a member',
    'apiVersion: multicluster.crd.antrea.io/v1alpha1\nkind: ClusterClaim\nmetadata: {name: east-membercluster-id, namespace: kube-system}\nname: id.k8s.io\nvalue: test-cluster-east\n',
  ],
  [
    'ClusterClaim of the ClusterSet',
    'apiVersion: multicluster.crd.antrea.io/v1alpha1\nkind: ClusterClaim\nmetadata: {name: clusterset-id, namespace: kube-system}\nname: clusterSet.k8s.io\nvalue: test-clusterset\n',
  ],
  [
    'ClusterClaim of 1.8',
    'apiVersion: multicluster.crd.antrea.io/v1alpha2\nkind: ClusterClaim\nmetadata: {name: id.k8s.io, namespace: kube-system}\nvalue: test-cluster-north\n',
  ],
  [
    'ClusterSet of a member',
    `apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterSet
metadata:
    name: test-clusterset
    namespace: kube-system
spec:
    leaders:
      - clusterID: test-cluster-north
        secret: "member-east-access-token"
        server: "https://172.18.0.2:6443"
    members:
      - clusterID: test-cluster-east
    namespace: antrea-mcs-ns
`,
  ],
  [
    'ClusterSet of the leader',
    `apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterSet
metadata:
    name: test-clusterset
    namespace: antrea-mcs-ns
spec:
    leaders:
      - clusterID: test-cluster-north
    members:
      - clusterID: test-cluster-east
        serviceAccount: "member-east-access-sa"
      - clusterID: test-cluster-west
        serviceAccount: "member-west-access-sa"
    namespace: antrea-mcs-ns
`,
  ],
  [
    'ServiceExport',
    'apiVersion: multicluster.x-k8s.io/v1alpha1\nkind: ServiceExport\nmetadata: {name: nginx, namespace: kube-system}\n',
  ],
  [
    'a replicated policy',
    `apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ResourceExport
metadata:
  name: strict-namespace-isolation-for-test-clusterset
  namespace: antrea-multicluster
spec:
  kind: AntreaClusterNetworkPolicy
  name: strict-namespace-isolation
  clusterNetworkPolicy:
    priority: 1
    tier: securityops
    appliedTo:
      - namespaceSelector: {}
    ingress:
      - action: Pass
        from:
          - namespaces:
              match: Self
          - podSelector:
              matchLabels:
                k8s-app: kube-dns
      - action: Drop
        from:
          - namespaceSelector: {}
`,
  ],
];
