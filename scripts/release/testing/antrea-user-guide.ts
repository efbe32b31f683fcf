/**
 * The YAML of the user guide of Antrea Multi-cluster 1.8 and later (seed 002), for its example:
 * leader `test-cluster-north`, members `test-cluster-east` and `test-cluster-west`. Lines that the
 * copy has lost are filled in.
 */

/** Set up Access to Leader Cluster: one member, `east`, `west` or `north`. */
export const accessOf = (name: string) => `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: member-${name}
  namespace: antrea-multicluster
---
apiVersion: v1
kind: Secret
metadata:
  name: member-${name}-token
  namespace: antrea-multicluster
  annotations:
    kubernetes.io/service-account.name: member-${name}
type: kubernetes.io/service-account-token
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: member-${name}
  namespace: antrea-multicluster
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: antrea-mc-member-cluster-role
subjects:
  - kind: ServiceAccount
    name: member-${name}
    namespace: antrea-multicluster
`;

/** The command that writes the token of a member to a file. */
export const copyToken = (name: string) =>
  `kubectl get secret member-${name}-token -n antrea-multicluster -o yaml | grep -w -e '^apiVersion' -e '^data' -e '^metadata' -e '^ *name:'  -e   '^kind' -e '  ca.crt' -e '  token:' -e '^type' -e '  namespace' | sed -e 's/kubernetes.io\\/service-account-token/Opaque/g' -e 's/antrea-multicluster/kube-system/g' >  member-${name}-token.yml`;

const claims = (name: string, namespace: string) => `
apiVersion: multicluster.crd.antrea.io/v1alpha2
kind: ClusterClaim
metadata:
  name: id.k8s.io
  namespace: ${namespace}
value: test-cluster-${name}
---
apiVersion: multicluster.crd.antrea.io/v1alpha2
kind: ClusterClaim
metadata:
  name: clusterset.k8s.io
  namespace: ${namespace}
value: test-clusterset
---
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterSet
metadata:
  name: test-clusterset
  namespace: ${namespace}
spec:
  leaders:
    - clusterID: test-cluster-north`;

/** Initialize ClusterSet: in the leader cluster. */
export const leader = `${claims('north', 'antrea-multicluster')}
  namespace: antrea-multicluster
`;

/** Initialize ClusterSet: in a member cluster. */
export const memberOf = (name: string, server: string) => `${claims(name, 'kube-system')}
      secret: "member-${name}-token"
      server: "${server}"
  namespace: antrea-multicluster
`;

/** Multi-cluster Service. */
export const serviceExport = `
apiVersion: multicluster.x-k8s.io/v1alpha1
kind: ServiceExport
metadata:
  name: nginx
  namespace: default
`;

/** Known Issue, of both guides. */
export const deleteAllExports = `kubectl get resourceexport -A -o json | jq -r '.items[]|[.metadata.namespace,.metadata.name]|join(" ")' | xargs -n2 bash -c 'kubectl delete -n $0 resourceexport/$1'`;
