import { leaderAccess, memberAccess } from '@isthmus/controlplane';
import { apiVersionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { neededKinds } from './needed-kinds.ts';

const shown = (kinds: ReturnType<typeof neededKinds>) =>
  kinds
    .map(
      ({ type, namespace, optional, mayBeUnserved }) =>
        `${apiVersionOf(type)} ${type.plural} in ${namespace ?? 'all Namespaces'}${optional ? ', optional' : ''}${mayBeUnserved ? ', where it is served' : ''}`,
    )
    .toSorted();

describe('the custom resources that a role needs', () => {
  it('are those that a leader reads in its Namespace', () => {
    expect(shown(neededKinds(leaderAccess, 'ns'))).toMatchInlineSnapshot(`
      [
        "isthmus.dev/v1alpha1 knownclusters in ns, optional",
        "multicluster.crd.antrea.io/v1alpha1 memberclusterannounces in ns",
        "multicluster.crd.antrea.io/v1alpha1 resourceexports in ns",
        "multicluster.crd.antrea.io/v1alpha1 resourceimports in ns",
        "multicluster.crd.antrea.io/v1alpha2 clusterclaims in ns, where it is served",
        "multicluster.crd.antrea.io/v1alpha2 clustersets in ns",
      ]
    `);
  });

  it('are those that a member reads in its own cluster', () => {
    expect(shown(neededKinds(memberAccess, 'ns'))).toMatchInlineSnapshot(`
      [
        "isthmus.dev/v1alpha1 knownclusters in ns, optional",
        "multicluster.crd.antrea.io/v1alpha1 clusterinfoimports in ns, optional",
        "multicluster.crd.antrea.io/v1alpha1 gateways in ns, optional",
        "multicluster.crd.antrea.io/v1alpha1 labelidentities in all Namespaces, optional",
        "multicluster.crd.antrea.io/v1alpha2 clusterclaims in ns, where it is served",
        "multicluster.crd.antrea.io/v1alpha2 clustersets in all Namespaces, optional",
        "multicluster.crd.antrea.io/v1alpha2 clustersets in ns",
        "multicluster.x-k8s.io/v1beta1 serviceexports in all Namespaces",
        "multicluster.x-k8s.io/v1beta1 serviceimports in all Namespaces",
      ]
    `);
  });
});
