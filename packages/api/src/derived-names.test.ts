import * as fc from 'fast-check';
import { dns1123SubdomainErrors, labelValueErrors, qualifiedNameErrors } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import {
  dottedName,
  joinedName,
  mayBeDotted,
  clusterIDErrors,
  clusterIDPattern,
  clusterInfoName,
  gatewayLeaseName,
  importedPolicyName,
  exportedServiceName,
  importedServiceName,
  importedPodSlicePrefix,
  importedSlicePrefix,
  importedSliceSource,
  isResourceExportFinalizer,
  labelIdentityExportName,
  maxImportableNameLength,
  memberAnnounceFinalizer,
  memberAnnounceName,
  parseLabelIdentityExportName,
  perClusterImportName,
  resourceExportName,
  resourceImportName,
} from './derived-names.ts';
import { Annotation, Finalizer, FixedName, Label, importedPrefix } from './names.ts';

describe('derived names agree with the wire to the byte', () => {
  it.each([
    [resourceExportName('east', 'shop', 'cart', 'Service'), 'east-shop-cart-service'],
    [resourceExportName('east', 'shop', 'cart', 'Endpoints'), 'east-shop-cart-endpoints'],
    [clusterInfoName('east'), 'east-clusterinfo'],
    [gatewayLeaseName('node-1'), 'isthmus-gateway-node-1'],
    [labelIdentityExportName('east', '84f96bdf70fe8425'), 'east-84f96bdf70fe8425'],
    [resourceImportName('shop', 'cart', 'Service'), 'shop-cart-service'],
    [resourceImportName('shop', 'cart', 'Endpoints'), 'shop-cart-endpoints'],
    [resourceImportName(undefined, 'strict', 'AntreaClusterNetworkPolicy'), 'strict-antreaclusternetworkpolicy'],
    [resourceImportName('', 'strict', 'AntreaClusterNetworkPolicy'), 'strict-antreaclusternetworkpolicy'],
    [perClusterImportName('shop', 'cart', 'west'), 'shop-cart-endpoints.west'],
    [memberAnnounceName('east'), 'member-announce-from-east'],
    [memberAnnounceFinalizer('east'), 'memberclusterannounce.finalizer.antrea.io/east'],
    [importedServiceName('cart'), 'antrea-mc-cart'],
    [importedPolicyName('strict'), 'antrea-mc-strict'],
  ])('%s', (name, expected) => {
    expect(name).toBe(expected);
  });

  it('the fixed ones, too', () => {
    expect(Finalizer).toEqual({
      resourceExport: 'resourceexport.antrea.io/finalizer',
      legacyResourceExport: 'resourceexport.finalizers.antrea.io',
      leave: 'isthmus.dev/leave',
    });
    expect(Annotation).toMatchObject({
      touchTs: 'touch-ts',
      importedService: 'multicluster.antrea.io/imported-service',
      clusterID: 'multicluster.antrea.io/cluster-id',
      firstExported: 'isthmus.dev/first-exported',
    });
    expect(Label).toMatchObject({
      sourceKind: 'sourceKind',
      mcsSourceCluster: 'multicluster.kubernetes.io/source-cluster',
    });
    expect(FixedName).toMatchObject({ leaderNamespace: 'antrea-multicluster', memberNamespace: 'kube-system' });
  });

  it('labels, annotations and finalizers are valid names for the API server', () => {
    for (const name of [...Object.values(Label), ...Object.values(Annotation), ...Object.values(Finalizer)]) {
      expect(qualifiedNameErrors(name), name).toEqual([]);
    }
  });
});

describe('names with a dot', () => {
  const part = fc.stringMatching(/^[ab](?:[ab-]{0,3}[ab])?$|^[ab]-endpoints$/);
  const service = fc.record({ namespace: part, name: part, clusterID: part });
  const importsOf = ({ namespace, name, clusterID }: { namespace: string; name: string; clusterID: string }) => [
    resourceImportName(namespace, name, 'Service'),
    resourceImportName(namespace, name, 'Endpoints'),
    perClusterImportName(namespace, name, clusterID),
  ];

  it('are those of one Service alone, among all names of imports', () => {
    fc.assert(
      fc.property(service, service, (one, other) => {
        if (!mayBeDotted(one.namespace)) return;
        const dotted = importsOf(one).map((name) => dottedName(name, one.namespace));
        const isSame = one.namespace === other.namespace && one.name === other.name;
        const others = importsOf(other);
        if (mayBeDotted(other.namespace) && !isSame)
          others.push(...importsOf(other).map((name) => dottedName(name, other.namespace)));
        expect(others.filter((name) => dotted.includes(name))).toEqual([]);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('lead back to the names with a dash, which stay as they are', () => {
    for (const name of importsOf({ namespace: 'prod-web', name: 'api', clusterID: 'east' })) {
      expect(joinedName(dottedName(name, 'prod-web'), 'prod-web')).toBe(name);
      expect(joinedName(name, 'prod-web')).toBe(name);
    }
    const joined = resourceExportName('east', 'prod-web', 'api', 'Service');
    expect(dottedName(joined, 'east-prod-web')).toBe('east-prod-web.api-service');
  });
});

describe('lengths', () => {
  const longest = 'a'.repeat(63);

  it('the longest export name still fits an object name', () => {
    expect(dns1123SubdomainErrors(resourceExportName(longest, longest, longest, 'Endpoints'))).toEqual([]);
    expect(dns1123SubdomainErrors(perClusterImportName(longest, longest, longest))).toEqual([]);
    expect(dns1123SubdomainErrors(importedSlicePrefix(longest, longest))).toEqual([]);
    expect(qualifiedNameErrors(memberAnnounceFinalizer(longest))).toEqual([]);
  });

  it('a Service whose imported name would be longer than 63 bytes is recognised beforehand', () => {
    expect(importedServiceName('a'.repeat(maxImportableNameLength))).toHaveLength(63);
    expect(importedPrefix.length + maxImportableNameLength).toBe(63);
  });

  it('the name of the exported Service follows from that of the imported one, and from no other name', () => {
    expect(exportedServiceName(importedServiceName('cart'))).toBe('cart');
    expect(exportedServiceName('cart')).toBeUndefined();
  });
});

describe('names of EndpointSlices', () => {
  it('begin with the imported name and the cluster', () => {
    expect(importedSlicePrefix('cart', 'east')).toMatch(/^antrea-mc-cart-east-[0-9a-z]{7}$/);
    expect(importedSlicePrefix('cart', undefined)).toMatch(/^antrea-mc-cart-[0-9a-z]{7}$/);
  });

  it('do not meet where the parts could be cut otherwise', () => {
    expect(importedSlicePrefix('cart', 'east-1')).not.toBe(importedSlicePrefix('cart-east', '1'));
    expect(importedSlicePrefix('cart-east', undefined)).not.toBe(importedSlicePrefix('cart', 'east'));
    const part = fc.stringMatching(/^[a-c](?:-?[a-c]){0,3}$/);
    fc.assert(
      fc.property(part, part, part, part, (service, cluster, otherService, otherCluster) => {
        const same = service === otherService && cluster === otherCluster;
        expect(importedSlicePrefix(service, cluster) === importedSlicePrefix(otherService, otherCluster)).toBe(same);
      }),
    );
  });
});

describe('reading names', () => {
  it('a label identity export is cut at the last dash', () => {
    expect(parseLabelIdentityExportName('us-east-1-84f96bdf70fe8425')).toEqual({
      clusterID: 'us-east-1',
      hash: '84f96bdf70fe8425',
    });
    expect(parseLabelIdentityExportName('nodash')).toBeUndefined();
  });

  it('both finalizers of an export are known', () => {
    expect(
      [Finalizer.resourceExport, Finalizer.legacyResourceExport, 'other/finalizer'].map(isResourceExportFinalizer),
    ).toEqual([true, true, false]);
  });
});

describe('cluster IDs', () => {
  it.each([
    ['east', 0],
    ['us-east-1', 0],
    ['cluster.registry', 0],
    ['a'.repeat(63), 0],
    ['', 1],
    ['East', 1],
    ['east_1', 1],
    ['-east', 2],
    ['a'.repeat(64), 1],
    ['e ast', 2],
    ['östlich', 2],
  ])('%j has %i problems', (clusterID, count) => {
    expect(clusterIDErrors(clusterID)).toHaveLength(count);
  });

  it('has a pattern that means the same, but for the length', () => {
    const pattern = new RegExp(clusterIDPattern);
    const id = fc.oneof(fc.string({ maxLength: 70 }), fc.stringMatching(/^[a-zA-Z0-9.-]{0,70}$/));
    fc.assert(
      fc.property(id, (clusterID) => {
        expect(clusterID.length <= 63 && pattern.test(clusterID)).toBe(clusterIDErrors(clusterID).length === 0);
      }),
    );
  });

  it('what has no problem can be an object name, a label value and the suffix of a finalizer', () => {
    const id = fc.oneof(fc.string({ maxLength: 70 }), fc.stringMatching(/^[a-z0-9.-]{1,70}$/));
    fc.assert(
      fc.property(id, (clusterID) => {
        fc.pre(clusterIDErrors(clusterID).length === 0);
        expect(dns1123SubdomainErrors(memberAnnounceName(clusterID))).toEqual([]);
        expect(labelValueErrors(clusterID)).toEqual([]);
        expect(qualifiedNameErrors(memberAnnounceFinalizer(clusterID))).toEqual([]);
      }),
    );
  });
});

describe('the name of an imported EndpointSlice', () => {
  it.each([
    ['cart', 'west', ''],
    ['cart', 'east-1', '-2'],
    ['cart-east', '1', '-x'],
    ['cart', 'a.b', '-2-x'],
    ['cart', undefined, ''],
  ])('has what it was made for: Service %s of cluster %s, with the ending "%s"', (name, clusterID, ending) => {
    expect(importedSliceSource(`${importedSlicePrefix(name, clusterID)}${ending}`, name)).toEqual({
      clusterID,
      arePods: false,
    });
    const pods = `${importedPodSlicePrefix(name, clusterID)}${ending}`;
    expect(importedSliceSource(pods, name)).toEqual({ clusterID, arePods: true });
  });

  it.each([
    ['antrea-mc-cart-x7k2p', 'cart'],
    [importedSlicePrefix('cart', 'west'), 'cart-west'],
    [importedSlicePrefix('cart', 'west'), 'db'],
    ['cart', 'cart'],
  ])('is not %s for Service %s', (sliceName, name) => {
    expect(importedSliceSource(sliceName, name)).toBe(undefined);
  });
});
