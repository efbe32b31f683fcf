import type { Service, ServiceImport } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/machinery';
import { wholeFieldRows } from '@isthmus/wire/testing';
import type { RemoteService } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { ImportStatusInput, ServiceImportDecision, ServiceImportInput } from './decide.ts';
import { decideServiceImport, importStatus } from './decide.ts';

const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
const offered: RemoteService = {
  spec: { type: 'ClusterSetIP', ports },
  perCluster: new Map(),
  merged: [],
  problems: [],
  unusable: undefined,
};
const ourLabel = { 'app.kubernetes.io/managed-by': 'isthmus' };
const antreas = { 'multicluster.antrea.io/imported-service': 'true' };
/** The derived Service as the API server stores it. */
const existing: Service = {
  metadata: { name: 'antrea-mc-cart', namespace: 'shop', uid: 'a', labels: ourLabel, annotations: antreas },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.97.0.11',
    clusterIPs: ['10.97.0.11'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80 }],
  },
};
const serviceImport: ServiceImport = {
  metadata: { name: 'cart', namespace: 'shop', labels: ourLabel },
  spec: { type: 'ClusterSetIP', ports, ips: ['10.97.0.11'] },
};

/** As the API server stores it after its deletion, while a finalizer holds it. */
const deleted = <T extends KubernetesObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: '2026-11-30T10:00:00Z', finalizers: ['example.com/cleanup'] },
});

const decide = (input: Partial<ServiceImportInput> = {}) =>
  decideServiceImport({
    namespace: 'shop',
    name: 'cart',
    remote: offered,
    namespaceState: 'there',
    derived: undefined,
    serviceImport: undefined,
    ...input,
  });
/** The examples contain only valid values. */
type Wishes = Partial<NonNullable<RemoteService['spec']>>;
const withSpec = (spec: Wishes): RemoteService => ({
  ...offered,
  spec: { type: 'ClusterSetIP', ports, ...spec },
});
const problemOf = (decision: ServiceImportDecision) => ('problem' in decision ? decision.problem : undefined);
const serviceOf = (decision: ServiceImportDecision) => (decision.kind === 'import' ? decision.service : undefined);
/** The spec of the Service to write. */
function written(decision: ServiceImportDecision): Service['spec'] {
  const plan = serviceOf(decision);
  if (plan?.kind === 'create') return plan.object.spec;
  return plan?.kind === 'keep' ? undefined : plan?.to.spec;
}

describe('what becomes of an import', () => {
  it.each([
    ['nobody offers it', { remote: { ...offered, spec: undefined } }, 'withdraw', undefined],
    [
      'nobody offers it, in a Namespace that is gone',
      { remote: { ...offered, spec: undefined }, namespaceState: 'missing' },
      'withdraw',
      undefined,
    ],
    ['the Namespace is missing', { namespaceState: 'missing' }, 'wait', 'NamespaceMissing'],
    ['the Namespace is being deleted', { namespaceState: 'terminating' }, 'wait', 'NamespaceMissing'],
    [
      'a foreign ServiceImport stands there',
      { serviceImport: { metadata: { name: 'cart' }, spec: { type: 'ClusterSetIP', ports: [] } } },
      'hold',
      'ForeignServiceImport',
    ],
    [
      'what the leader says cannot be used',
      {
        remote: { ...offered, spec: undefined, unusable: 'ResourceImport x has no port' },
        derived: existing,
        serviceImport,
      },
      'hold',
      'InvalidResourceImport',
    ],
    ['it is new', {}, 'import', undefined],
    ['it stands already', { derived: existing, serviceImport }, 'import', undefined],
    [
      'a foreign Service has the name',
      { derived: { metadata: { name: 'antrea-mc-cart' } } },
      'import',
      'ServiceNameTaken',
    ],
    ['the name is too long', { name: 'a'.repeat(54) }, 'import', 'NameTooLong'],
    [
      'its ServiceImport is being deleted',
      { derived: existing, serviceImport: deleted(serviceImport) },
      'import',
      'BeingDeleted',
    ],
    ['its Service is being deleted', { derived: deleted(existing), serviceImport }, 'import', 'BeingDeleted'],
    [
      'a withdrawn import is still being deleted',
      { remote: { ...offered, spec: undefined }, serviceImport: deleted(serviceImport) },
      'withdraw',
      undefined,
    ],
    ['something of it was left out', { remote: { ...offered, problems: ['x', 'y', 'z'] } }, 'import', 'PartlyImported'],
  ] satisfies readonly (readonly [string, Partial<ServiceImportInput>, string, string | undefined])[])(
    'where %s: %s',
    (_, input, kind, reason) => {
      const decision = decide(input);
      expect(decision.kind).toBe(kind);
      expect(problemOf(decision)?.reason).toBe(reason);
    },
  );

  it('each problem names the object and the next step', () => {
    const said = [
      decide({ namespaceState: 'missing' }),
      decide({ namespaceState: 'terminating' }),
      decide({ derived: { metadata: { name: 'antrea-mc-cart' } } }),
      decide({
        derived: { metadata: { name: 'antrea-mc-cart', labels: { 'app.kubernetes.io/managed-by': 'Helm' } } },
      }),
      decide({
        derived: {
          metadata: {
            name: 'antrea-mc-cart',
            ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Shop', name: 'main', uid: '1' }],
          },
        },
      }),
      decide({ serviceImport: { metadata: { name: 'cart' } } }),
      decide({ remote: { ...offered, unusable: 'ResourceImport x has no port' } }),
      decide({ remote: { ...offered, problems: ['shop-cart-endpoints: "x" is no IP address', 'y'] } }),
    ].map((decision) => problemOf(decision)?.message);
    expect(said).toEqual([
      'Service shop/cart of the ClusterSet is not imported: Namespace shop does not exist in this cluster. Create it to import the Service.',
      'Service shop/cart of the ClusterSet is not imported: Namespace shop is being deleted in this cluster. To import the Service, create the Namespace again when it is deleted. If it stays Terminating, its conditions report what is left: kubectl describe namespace shop',
      'Service shop/antrea-mc-cart has the name that the import of shop/cart needs, and was not created by Isthmus. It is not changed. If it can go, run: kubectl -n shop delete service antrea-mc-cart',
      'Service shop/antrea-mc-cart has the name that the import of shop/cart needs, and was not created by Isthmus (app.kubernetes.io/managed-by: Helm). It is not changed. If it can go, run: kubectl -n shop delete service antrea-mc-cart',
      'Service shop/antrea-mc-cart has the name that the import of shop/cart needs, and was not created by Isthmus (owner: Shop main). It is not changed. If it can go, run: kubectl -n shop delete service antrea-mc-cart',
      'ServiceImport shop/cart was not created by Isthmus and is not changed. Delete it to import the Service of that name from the ClusterSet.',
      'ResourceImport x has no port. The existing import is kept. Ask the administrator of the leader to check it.',
      'Imported without parts that cannot be used here: shop-cart-endpoints: "x" is no IP address (and 1 more)',
    ]);
  });

  it('a name of 53 characters is imported, one more is not', () => {
    expect(problemOf(decide({ name: 'a'.repeat(53) }))).toBeUndefined();
    expect(serviceOf(decide({ name: 'a'.repeat(53) }))?.kind).toBe('create');
    expect(serviceOf(decide({ name: 'a'.repeat(54) }))).toBeUndefined();
  });

  it('a Service of Antrea is taken over, and so is its ServiceImport', () => {
    const derived = { ...existing, metadata: { ...existing.metadata, labels: undefined } };
    const decision = decide({
      derived,
      serviceImport: { ...serviceImport, metadata: { name: 'cart', namespace: 'shop' } },
    });
    expect(decision).toMatchObject({
      kind: 'import',
      service: { kind: 'change', to: { metadata: { labels: ourLabel, annotations: antreas }, spec: existing.spec } },
      serviceImport: { metadata: { labels: ourLabel } },
    });
  });
});

describe('the derived Service', () => {
  it('has neither selector nor address at first, and the target ports that the API server would fill in', () => {
    expect(serviceOf(decide())).toEqual({
      kind: 'create',
      object: {
        metadata: { name: 'antrea-mc-cart', namespace: 'shop', labels: ourLabel, annotations: antreas },
        spec: {
          type: 'ClusterIP',
          ports: [{ name: 'http', port: 80, protocol: 'TCP', appProtocol: undefined, targetPort: 80 }],
          sessionAffinity: undefined,
          sessionAffinityConfig: undefined,
          internalTrafficPolicy: undefined,
          trafficDistribution: undefined,
        },
      },
    });
  });

  it('is decided unchanged where nothing has changed', () => {
    const plan = serviceOf(decide({ derived: existing, serviceImport }));
    expect(plan?.kind).toBe('change');
    expect(JSON.parse(JSON.stringify(plan?.kind === 'change' ? plan.to : undefined))).toEqual(existing);
  });

  it('keeps its address and what others added, and loses a selector', () => {
    const derived: Service = {
      ...existing,
      metadata: { ...existing.metadata, labels: { ...ourLabel, team: 'shop' } },
      spec: { ...existing.spec, selector: { app: 'mine' } },
    };
    const plan = serviceOf(
      decide({ derived, serviceImport, remote: withSpec({ ports: [...ports, { name: 'admin', port: 9000 }] }) }),
    );
    expect(plan).toMatchObject({
      kind: 'change',
      to: {
        metadata: { labels: { ...ourLabel, team: 'shop' } },
        spec: { clusterIP: '10.97.0.11', selector: undefined, ports: [{ port: 80 }, { name: 'admin', port: 9000 }] },
      },
    });
  });

  it.each([
    ['headless where it has an address', existing, 'Headless'],
    [
      'of an address where it is headless',
      { ...existing, spec: { ...existing.spec, clusterIP: 'None', clusterIPs: ['None'] } },
      'ClusterSetIP',
    ],
  ] as const)('is replaced to become %s', (_, derived, type) => {
    const plan = serviceOf(decide({ derived, serviceImport, remote: withSpec({ type }) }));
    expect(plan?.kind).toBe('replace');
  });

  it.each(wholeFieldRows)('is headless without %s, which only addresses know', (field, { set }) => {
    const spec = written(decide({ remote: withSpec({ ...(set as Wishes), type: 'Headless' }) }));
    expect(spec).toMatchObject({ clusterIP: 'None', [field]: undefined });
  });

  it.each(wholeFieldRows)('has the %s of the exported Service, new or standing', (_, { set }) => {
    expect(written(decide({ remote: withSpec(set as Wishes) }))).toMatchObject(set);
    expect(written(decide({ remote: withSpec(set as Wishes), derived: existing }))).toMatchObject(set);
  });

  it.each(wholeFieldRows)('loses a %s that is no longer there', (field, { set, unset }) => {
    const derived: Service = { ...existing, spec: { ...existing.spec, ...(set as Wishes) } };
    expect(written(decide({ derived }))).toMatchObject({ [field]: unset });
  });

  it('keeps what a later Kubernetes adds to its ports, by protocol and number, and loses node ports', () => {
    const port = { name: 'http', port: 80, targetPort: 80, nodePort: 30_080, later: true };
    const derived = { ...existing, spec: { ...existing.spec, ports: [port] } };
    const wanted = [...ports, { name: 'http3', port: 80, protocol: 'UDP' }];
    const found = written(decide({ derived, serviceImport, remote: withSpec({ ports: wanted }) }))?.ports;
    expect(found).toMatchObject([{ name: 'http', later: true }, { name: 'http3' }]);
    expect(found?.map(({ nodePort }) => nodePort)).toEqual([undefined, undefined]);
  });

  it.each<[string, NonNullable<Service['spec']>, unknown]>([
    [
      'is not an alias of a DNS name',
      { type: 'ExternalName', externalName: 'evil.example' },
      { externalName: undefined },
    ],
    [
      'has no load balancer',
      {
        type: 'LoadBalancer',
        loadBalancerClass: 'x',
        loadBalancerIP: '192.0.2.1',
        loadBalancerSourceRanges: ['192.0.2.0/24'],
        allocateLoadBalancerNodePorts: true,
        healthCheckNodePort: 30_000,
        externalTrafficPolicy: 'Local',
      },
      {
        loadBalancerClass: undefined,
        loadBalancerIP: undefined,
        loadBalancerSourceRanges: undefined,
        allocateLoadBalancerNodePorts: undefined,
        healthCheckNodePort: undefined,
        externalTrafficPolicy: undefined,
      },
    ],
    ['has no external addresses', { externalIPs: ['192.0.2.1'] }, { externalIPs: undefined }],
    [
      'publishes no endpoint that is not ready',
      { publishNotReadyAddresses: true },
      { publishNotReadyAddresses: undefined },
    ],
  ])('%s, whatever somebody made of it', (_, edited, repaired) => {
    const derived: Service = { ...existing, spec: { ...existing.spec, ...edited } };
    expect(serviceOf(decide({ derived }))?.kind).toBe('change');
    expect(written(decide({ derived }))).toMatchObject({ ...(repaired as object), type: 'ClusterIP' });
  });

  it('becomes headless again where somebody made it an alias', () => {
    const derived: Service = { ...existing, spec: { type: 'ExternalName', externalName: 'evil.example' } };
    const plan = serviceOf(decide({ derived, remote: withSpec({ type: 'Headless' }) }));
    expect(plan).toMatchObject({ kind: 'change', to: { spec: { type: 'ClusterIP', clusterIP: 'None' } } });
  });

  it('is ours by its label where it has lost the annotation', () => {
    const derived: Service = { ...existing, metadata: { ...existing.metadata, annotations: {} } };
    expect(serviceOf(decide({ derived }))).toMatchObject({
      kind: 'change',
      to: { metadata: { annotations: antreas } },
    });
  });

  it.each<[string, NonNullable<Service['spec']>, Wishes]>([
    [
      'headless without ports',
      { type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'] },
      { type: 'Headless', ports: [] },
    ],
    [
      'with client affinity and the time that the API server gave it',
      {
        ...existing.spec,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
      },
      { sessionAffinity: 'ClientIP' },
    ],
  ])('is decided unchanged where nothing has changed: %s', (_, spec, wishes) => {
    const derived: Service = { ...existing, spec: { ...spec, sessionAffinity: spec.sessionAffinity ?? 'None' } };
    const plan = serviceOf(decide({ derived, serviceImport, remote: withSpec(wishes) }));
    expect(JSON.parse(JSON.stringify(plan?.kind === 'change' ? plan.to : undefined))).toEqual(derived);
  });

  it('comes with a ServiceImport of the name in the Namespace, which keeps what others wrote into one that exists', () => {
    expect(decide()).toMatchObject({
      serviceImport: { metadata: { name: 'cart', namespace: 'shop', labels: ourLabel } },
    });
    const before = { ...serviceImport, metadata: { ...serviceImport.metadata, annotations: { note: 'x' } } };
    expect(decide({ serviceImport: before, derived: existing })).toMatchObject({
      serviceImport: { from: before, metadata: { annotations: { note: 'x' }, labels: ourLabel } },
    });
  });

  it('names the unnamed port beside others, which a Service must', () => {
    const remote = withSpec({ ports: [{ port: 80 }, { name: 'dns', port: 53, protocol: 'UDP' }] });
    expect(written(decide({ remote }))?.ports?.map(({ name }) => name)).toEqual(['tcp-80', 'dns']);
  });
});

describe('the status of a ServiceImport', () => {
  const now = '2026-11-21T12:00:00Z';
  const status = (
    problem: ServiceImportDecision & { kind: 'import' },
    { clusters = ['west', 'east'], calls }: Partial<ImportStatusInput> = {},
  ) =>
    importStatus({
      serviceImport: { ...serviceImport, metadata: { ...serviceImport.metadata, generation: 7 } },
      clusters,
      problem: problem.problem,
      calls,
      now,
    });
  const imported = (input: Partial<ServiceImportInput>) => {
    const decision = decide(input);
    if (decision.kind !== 'import') throw new Error(decision.kind);
    return decision;
  };

  it('names the clusters in their order, and reports that it is ready', () => {
    expect(status(imported({}))).toEqual({
      clusters: [{ cluster: 'east' }, { cluster: 'west' }],
      endpointSliceObjects: 'Present',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Ready',
          message: 'The Service is imported',
          observedGeneration: 7,
          lastTransitionTime: now,
        },
      ],
    });
  });

  it('is not ready where calls do not arrive, and has the rest that is to be known', () => {
    const calls = { status: 'False', reason: 'NoDataPlane', message: 'Calls time out' } as const;
    const found = status(imported({ remote: { ...offered, problems: ['x'] } }), { calls });
    expect(conditionOf(found.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'NoDataPlane',
      message: 'Calls time out. Imported without parts that cannot be used here: x',
    });
    expect(found.endpointSliceObjects).toBe('Present');
  });

  it('is ready where only something was left out, and reports what', () => {
    const found = status(imported({ remote: { ...offered, problems: ['x'] } }));
    expect(conditionOf(found.conditions, 'Ready')).toMatchObject({
      status: 'True',
      message: 'Imported without parts that cannot be used here: x',
    });
    expect(found.endpointSliceObjects).toBe('Present');
  });

  it('is not ready where something is in the way', () => {
    const found = status(imported({ derived: { metadata: { name: 'antrea-mc-cart' } } }));
    expect(conditionOf(found.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'ServiceNameTaken' });
    expect(found.endpointSliceObjects).toBe('Absent');
  });

  it('keeps the reported exporters and slices where nothing has changed', () => {
    const before = { clusters: [{ cluster: 'west' }], endpointSliceObjects: 'Present' as const };
    const held = { ...serviceImport, status: before };
    const problem = { reason: 'InvalidResourceImport', message: 'x' } as const;
    expect(importStatus({ serviceImport: held, clusters: undefined, problem, calls: undefined, now })).toMatchObject({
      ...before,
      conditions: [{ type: 'Ready', status: 'False', reason: 'InvalidResourceImport' }],
    });
  });
});
