/**
 * The YAML of the installation document (seed 003), unchanged except for the leader's address.
 * Test-only.
 */

/** Access of one member to the leader cluster: `east`, `west` or `north`. */
export const accessOf = (name: string) => `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: member-${name}-access-sa
  namespace: antrea-mcs-ns
---
apiVersion: v1
kind: Secret
metadata:
    name: member-${name}-access-token
    namespace: antrea-mcs-ns
    annotations:
      kubernetes.io/service-account.name: member-${name}-access-sa
type: kubernetes.io/service-account-token
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: member-${name}-access-rolebinding
  namespace: antrea-mcs-ns
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: antrea-mc-member-cluster-role
subjects:
  - kind: ServiceAccount
    name: member-${name}-access-sa
    namespace: antrea-mcs-ns
`;

/**
 * Prints the token Secret of a member for its own cluster. In the document, line breaks left blanks
 * inside the last two patterns, so that these match nothing. Here they have one blank.
 */
export const copyToken = (name: string) =>
  `kubectl get secret member-${name}-access-token -n antrea-mcs-ns -o yaml | grep -w -e '^apiVersion' -e '^data' -e '^metadata' -e '^ *name:'  -e   '^kind' -e '  ca.crt' -e '  token:' -e '^type' -e '  namespace' | sed -e 's/kubernetes.io\\/service-account-token/Opaque/g' -e 's/ namespace: antrea-mcs-ns/ namespace: kube-system/g'`;

/** ClusterClaims and ClusterSet of a member. */
export const memberOf = (name: string, server: string) => `
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterClaim
metadata:
  name: ${name}-membercluster-id
  namespace: kube-system
name: id.k8s.io
value: test-cluster-${name}
---
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterClaim
metadata:
  name: clusterset-id
  namespace: kube-system
name: clusterSet.k8s.io
value: test-clusterset
---
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterSet
metadata:
    name: test-clusterset
    namespace: kube-system
spec:
    leaders:
      - clusterID: test-cluster-north
        secret: "member-${name}-access-token"
        server: "${server}"
    members:
      - clusterID: test-cluster-${name}
    namespace: antrea-mcs-ns
`;

const clusterSet = `
apiVersion: multicluster.crd.antrea.io/v1alpha1
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
`;

/** ClusterClaims and ClusterSet of the leader. */
export const leader = `
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterClaim
metadata:
  name: leadercluster-id
  namespace: antrea-mcs-ns
name: id.k8s.io
value: test-cluster-north
---
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterClaim
metadata:
  name: clusterset-id
  namespace: antrea-mcs-ns
name: clusterSet.k8s.io
value: test-clusterset
---
${clusterSet.trim()}
    namespace: antrea-mcs-ns
`;

/** The leader's ClusterSet after the leader's own cluster became a member too. */
export const leaderWithItself = `
${clusterSet.trim()}
      - clusterID: test-cluster-north
        serviceAccount: "member-north-access-sa"
    namespace: antrea-mcs-ns
`;

/** The ServiceExport of the document. */
export const serviceExport = `
apiVersion: multicluster.x-k8s.io/v1alpha1
kind: ServiceExport
metadata:
  name: nginx
  namespace: kube-system
`;
