import type { ResourceExport, Service, ServiceExport } from '@isthmus/api';
import { again, blocked, done } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { ServiceExportDecision, ServiceExportInput } from './decide.ts';
import { decideServiceExport, isConflictingExport } from './decide.ts';
import { patienceCheckMs } from './patience.ts';
import type { PresentRemote } from './remote.ts';

const now = '2026-11-21T12:00:00Z';
const service: Service = {
  metadata: { name: 'cart', namespace: 'shop' },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.97.0.10',
    clusterIPs: ['10.97.0.10'],
    ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
  },
};
const serviceExport: ServiceExport = { metadata: { name: 'cart', namespace: 'shop', generation: 4 } };

/** An export of this cluster on the leader, with the fields that the decision reads. */
const existing = (
  kind: 'Service' | 'Endpoints',
  conditions?: NonNullable<ResourceExport['status']>['conditions'],
): ResourceExport => ({
  metadata: { name: `west-shop-cart-${kind.toLowerCase()}`, namespace: 'antrea-multicluster' },
  spec: { clusterID: 'west', namespace: 'shop', name: 'cart', kind },
  status: { conditions },
});
const succeeded = [{ type: 'Succeeded', status: 'True' as const }];
const present: PresentRemote = {
  kind: 'present',
  clusterID: 'west',
  leader: 'leader north at https://north:6443',
  leaderClusterID: 'north',
  leaderNamespace: 'antrea-multicluster',
  names: { Service: 'west-shop-cart-service', Endpoints: 'west-shop-cart-endpoints' },
  service: existing('Service', succeeded),
  endpoints: existing('Endpoints', succeeded),
  publishedAlone: false,
  firstExported: undefined,
};
const readySlice = {
  metadata: { name: 'cart-1' },
  addressType: 'IPv4' as const,
  endpoints: [{ addresses: ['10.20.1.5'] }],
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
};

const decide = (input: Partial<ServiceExportInput> = {}): ServiceExportDecision =>
  decideServiceExport({
    serviceExport,
    service,
    slices: [readySlice],
    endpointIPType: 'ClusterIP',
    remote: present,
    now,
    patienceOver: true,
    answer: { kind: 'none' },
    ...input,
  });
/** `type status reason` of each condition. */
const said = ({ conditions = [] }: ServiceExportDecision) =>
  conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
const message = (decision: ServiceExportDecision, type: string) => conditionOf(decision.conditions, type)?.message;
/** The change of the exports on the leader. */
const fate = ({ exports }: ServiceExportDecision) =>
  exports === undefined ? 'left alone' : exports.service === undefined ? 'withdrawn' : 'exported';

describe('whether a Service is exported', () => {
  it('it is, with the conditions of the MCS API and the generation that was seen', () => {
    const decision = decide();
    expect(fate(decision)).toBe('exported');
    expect(decision.conditions).toEqual([
      {
        type: 'Valid',
        status: 'True',
        reason: 'Valid',
        message: 'The Service can be exported',
        observedGeneration: 4,
        lastTransitionTime: now,
      },
      {
        type: 'Ready',
        status: 'True',
        reason: 'Exported',
        message: 'The Service is exported successfully',
        observedGeneration: 4,
        lastTransitionTime: now,
      },
    ]);
  });

  it.each([
    ['there is no ServiceExport', { serviceExport: undefined }, 'withdrawn', []],
    [
      'the ServiceExport is being deleted',
      { serviceExport: { metadata: { ...serviceExport.metadata, deletionTimestamp: now } } },
      'withdrawn',
      [],
    ],
    [
      'the ServiceExport is being deleted, and the finalizer of another controller keeps it',
      {
        serviceExport: {
          metadata: { ...serviceExport.metadata, deletionTimestamp: now, finalizers: ['example.com/audit'] },
        },
      },
      'withdrawn',
      ['Valid True Valid', 'Ready False Failed'],
    ],
    [
      'there is no ServiceExport and no session: nothing can be said or done',
      { serviceExport: undefined, remote: { kind: 'absent', message: 'no session', connecting: false } },
      'left alone',
      [],
    ],
    ['there is no Service', { service: undefined }, 'withdrawn', ['Valid False NoService', 'Ready False Failed']],
    [
      'the Service is being deleted',
      { service: { ...service, metadata: { ...service.metadata, deletionTimestamp: now } } },
      'withdrawn',
      ['Valid False NoService', 'Ready False Failed'],
    ],
    [
      'the Service is an ExternalName',
      { service: { ...service, spec: { type: 'ExternalName', externalName: 'example.com' } } },
      'withdrawn',
      ['Valid False InvalidServiceType', 'Ready False Failed'],
    ],
    [
      'the Service was imported',
      {
        service: {
          ...service,
          metadata: { ...service.metadata, annotations: { 'multicluster.antrea.io/imported-service': 'true' } },
        },
      },
      'withdrawn',
      ['Valid False ImportedService', 'Ready False Failed'],
    ],
    [
      'there is no Service, nor a session',
      { service: undefined, remote: { kind: 'absent', message: 'no session', connecting: false } },
      'left alone',
      ['Valid False NoService', 'Ready False Failed'],
    ],
    [
      'there is no session',
      { remote: { kind: 'absent', message: 'no session', connecting: false } },
      'left alone',
      ['Valid True Valid', 'Ready False Pending'],
    ],
    [
      'the name is too long for the imported one',
      { service: { ...service, metadata: { name: 'a'.repeat(54), namespace: 'shop' } } },
      'withdrawn',
      ['Valid True Valid', 'Ready False Failed'],
    ],
    ['no endpoint is ready: the export stays', { slices: [] }, 'exported', ['Valid True Valid', 'Ready True Exported']],
  ] satisfies readonly (readonly [string, Partial<ServiceExportInput>, string, readonly string[]])[])(
    'where %s',
    (_, input, becomes, conditions) => {
      const decision = decide(input);
      expect(fate(decision)).toBe(becomes);
      expect(said(decision)).toEqual(conditions);
    },
  );

  it('a Service that has lost its ClusterIP leaves no old export behind', () => {
    const decision = decide({ service: { ...service, spec: { ...service.spec, clusterIP: '', clusterIPs: [] } } });
    expect(fate(decision)).toBe('withdrawn');
    expect(said(decision)).toEqual(['Valid True Valid', 'Ready False Pending']);
  });

  it.each([
    [
      'there is no Service',
      undefined,
      'Service does not exist',
      'Create Service shop/cart, or delete this ServiceExport.',
    ],
    [
      'it is an ExternalName',
      { ...service, spec: { type: 'ExternalName' } },
      'Service of ExternalName type is not supported',
      'Give Service shop/cart another type, or delete this ServiceExport.',
    ],
    [
      'it was imported',
      {
        ...service,
        metadata: { ...service.metadata, annotations: { 'multicluster.antrea.io/imported-service': 'true' } },
      },
      'Service shop/cart was imported from the ClusterSet; it can only be exported by the clusters that own it',
      "Delete this ServiceExport; if the Service is this cluster's own, remove its annotation multicluster.antrea.io/imported-service instead.",
    ],
  ])("where %s, reports it with Antrea's text first, then the Service and what to do", (_, found, text, next) => {
    const decision = decide({ service: found });
    expect(message(decision, 'Valid')).toBe(`${text}. ${next}`);
    expect(message(decision, 'Ready')).toBe(`Not exported: ${text}. ${next}`);
  });

  it("keeps Antrea's text of success", () => {
    expect(message(decide(), 'Ready')).toBe('The Service is exported successfully');
  });

  it('where no endpoint is ready, reports it, then where to look, then what the leader reports', () => {
    const none = `The Service is exported successfully, but none of its endpoints is ready. Check the Pods and EndpointSlices of Service shop/cart.`;
    expect(message(decide({ slices: [] }), 'Ready')).toBe(none);
    const told = [{ type: 'Succeeded', status: 'True' as const, message: 'left out a port' }];
    const remote = { ...present, service: existing('Service', told) };
    expect(message(decide({ slices: [], remote }), 'Ready')).toBe(`${none} Leader north: left out a port`);
    expect(message(decide({ remote }), 'Ready')).toBe(
      'The Service is exported successfully. Leader north: left out a port',
    );
  });
});

it('a port that is exported under its former name is reported, until the EndpointSlices have the new one', () => {
  const ports = [{ name: 'web', port: 80, targetPort: 8080, protocol: 'TCP' }];
  const renamed: Service = { ...service, spec: { ...service.spec, ports } };
  const http = [{ name: 'http', port: 80, protocol: 'TCP' }];
  const onLeader = existing('Service', succeeded);
  const remote: PresentRemote = {
    ...present,
    service: { ...onLeader, spec: { ...onLeader.spec, service: { serviceSpec: { ports: http } } } },
  };
  const decision = decide({ service: renamed, remote });
  expect(decision.exports?.service?.spec?.service?.serviceSpec?.ports?.map(({ name }) => name)).toEqual(['http']);
  expect(decision.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
    'The Service is exported successfully. Port "web" is exported under its former name "http" until the EndpointSlices of the Service have the new name',
  );
  const served = { ...readySlice, ports: [{ name: 'web', port: 8080, protocol: 'TCP' }] };
  const after = decide({ service: renamed, remote, slices: [served] });
  expect(after.exports?.service?.spec?.service?.serviceSpec?.ports?.map(({ name }) => name)).toEqual(['web']);
  expect(after.conditions?.find(({ type }) => type === 'Ready')?.message).toBe('The Service is exported successfully');
});

describe('what is on the leader for an exported Service', () => {
  it('names the exporter, what others may see of it, and the finalizer from the first write', () => {
    const { exports } = decide({ service: { ...service, spec: { ...service.spec, selector: { app: 'cart' } } } });
    expect(exports?.service).toEqual({
      metadata: {
        name: 'west-shop-cart-service',
        namespace: 'antrea-multicluster',
        labels: {
          sourceName: 'cart',
          sourceNamespace: 'shop',
          sourceClusterID: 'west',
          sourceKind: 'Service',
          'app.kubernetes.io/managed-by': 'isthmus',
        },
        annotations: {},
        finalizers: ['resourceexport.antrea.io/finalizer'],
      },
      spec: {
        clusterID: 'west',
        namespace: 'shop',
        name: 'cart',
        kind: 'Service',
        service: {
          serviceSpec: {
            ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP', appProtocol: undefined }],
            clusterIP: undefined,
            sessionAffinity: 'None',
            sessionAffinityConfig: undefined,
            internalTrafficPolicy: undefined,
            trafficDistribution: undefined,
            ipFamilies: undefined,
          },
        },
      },
    });
  });

  it('shows that a headless Service is headless, and that its endpoints are Pods', () => {
    const { exports } = decide({
      service: { ...service, spec: { ...service.spec, clusterIP: 'None', clusterIPs: ['None'] } },
    });
    expect(exports?.service?.spec?.service?.serviceSpec?.clusterIP).toBe('None');
    expect(exports?.endpoints?.metadata.annotations).toEqual({ 'isthmus.dev/endpoint-ip-type': 'PodIP' });
  });

  it('echoes when it was first exported', () => {
    const { exports } = decide({ remote: { ...present, firstExported: '2026-11-20T00:00:00Z' } });
    expect(exports?.service?.metadata.annotations).toEqual({ 'isthmus.dev/first-exported': '2026-11-20T00:00:00Z' });
  });

  it('has endpoints without addresses where none is ready', () => {
    expect(decide({ slices: [] }).exports?.endpoints?.spec).toMatchObject({
      endpoints: { subsets: [] },
      endpointSlices: [],
    });
  });
});

describe("the leader's answer", () => {
  const answered = (conditions: NonNullable<ResourceExport['status']>['conditions']) =>
    decide({ remote: { ...present, service: existing('Service', conditions) } });

  it.each([
    ['not written yet', { ...present, service: undefined }, 'Waiting for leader north to accept the export'],
    [
      'endpoints not written yet',
      { ...present, endpoints: undefined },
      'Waiting for leader north to accept the export',
    ],
    [
      'an earlier export is still being withdrawn',
      {
        ...present,
        service: {
          ...existing('Service', succeeded),
          metadata: { name: 'west-shop-cart-service', deletionTimestamp: now },
        },
      },
      'Waiting for leader north to accept the export',
    ],
    [
      'an earlier export that the finalizer of another controller keeps',
      {
        ...present,
        service: {
          ...existing('Service', succeeded),
          metadata: {
            name: 'west-shop-cart-service',
            deletionTimestamp: now,
            finalizers: ['resourceexport.antrea.io/finalizer', 'example.com/audit'],
          },
        },
      },
      'Waiting for leader north to delete ResourceExport west-shop-cart-service of Namespace antrea-multicluster, which finalizers keep: example.com/audit. Find out there which controller has set them, and why it does not remove them.',
    ],
    ['no condition yet', { ...present, service: existing('Service') }, 'Waiting for leader north to merge the export'],
  ] satisfies readonly (readonly [string, PresentRemote, string])[])('%s: pending', (_, remote, text) => {
    const decision = decide({ remote });
    expect(said(decision)).toEqual(['Valid True Valid', 'Ready False Pending']);
    expect(message(decision, 'Ready')).toBe(text);
    expect(fate(decision)).toBe('exported');
  });

  it('is the published import where this cluster exports alone and nothing else is reported', () => {
    const remote = { ...present, publishedAlone: true, service: existing('Service') };
    const decision = decide({ remote, patienceOver: false });
    expect(said(decision)).toEqual(['Valid True Valid', 'Ready True Exported', 'Conflict False NoConflicts']);
    const failure = [{ type: 'Failure', status: 'False' as const, message: 'too large' }];
    const failed = decide({ remote: { ...remote, service: existing('Service', failure) } });
    expect(said(failed)).toEqual(['Valid True Valid', 'Ready False Failed']);
  });

  it('is awaited with patience: nothing is written before it is over', () => {
    const remote = { ...present, service: existing('Service') };
    expect(decide({ remote, patienceOver: false })).toMatchObject({ conditions: undefined, waiting: true });
    expect(decide({ remote, patienceOver: true })).toMatchObject({ waiting: false });
  });

  it('is awaited for a minute of a leader that does not answer heartbeats: then the message names the restart of its controller', () => {
    const unmerged = { ...present, service: existing('Service') };
    const early = decide({ remote: { ...unmerged, overdueInMs: 20_000 } });
    expect(message(early, 'Ready')).toBe('Waiting for leader north to merge the export');
    expect(early).toMatchObject({ waiting: true, outcome: { kind: 'again', afterMs: 20_000 } });
    const late = decide({ remote: { ...unmerged, overdueInMs: 0 } });
    expect(said(late)).toEqual(['Valid True Valid', 'Ready False Pending']);
    expect(message(late, 'Ready')).toBe(
      'Waiting for leader north to merge the export. It has not done so for a minute. Its controller may be stopped, or may not have noticed that its API server was restored from a backup. Restart it there: kubectl -n antrea-multicluster rollout restart deployment antrea-mc-controller',
    );
    expect(late).toMatchObject({ waiting: true, outcome: { kind: 'done' } });
  });

  it('a session that is being set up gets the same patience', () => {
    const remote = { kind: 'absent', message: 'no session yet', connecting: true } as const;
    expect(decide({ remote, patienceOver: false })).toMatchObject({
      exports: undefined,
      conditions: undefined,
      waiting: true,
    });
    expect(said(decide({ remote, patienceOver: true }))).toEqual(['Valid True Valid', 'Ready False Pending']);
  });

  it.each([
    ['with a message', { message: 'ports do not match', reason: 'ConvergeFailure' }, 'ports do not match'],
    ['with a reason alone', { reason: 'ConvergeFailure' }, 'ConvergeFailure'],
    ['without a word', {}, 'no reason given'],
  ])('a refusal %s is reported', (_, why, text) => {
    const decision = answered([{ type: 'Failure', status: 'False', ...why }]);
    expect(said(decision)).toEqual(['Valid True Valid', 'Ready False Failed']);
    expect(message(decision, 'Ready')).toBe(`Leader north rejected the export: ${text}`);
  });

  it('the parts that the leader left out of a merge are reported beside the success', () => {
    const decision = answered([{ type: 'Succeeded', status: 'True', message: 'Merged without 127.0.0.1' }]);
    expect(message(decision, 'Ready')).toBe(
      'The Service is exported successfully. Leader north: Merged without 127.0.0.1',
    );
  });

  it('a conflict is mirrored, and gone when nobody reports it any more', () => {
    const conflict = { type: 'Conflict', status: 'True' as const, reason: 'PortConflict', message: 'port http …' };
    const decision = answered([...succeeded, conflict]);
    expect(said(decision)).toEqual(['Valid True Valid', 'Ready True Exported', 'Conflict True PortConflict']);
    expect(message(decision, 'Conflict')).toBe(
      'port http …. To resolve it, make them the same in every exporting cluster: kubectl -n shop edit service cart',
    );
    const shown = { ...serviceExport, status: { conditions: decision.conditions ?? [] } };
    expect(said(decide({ serviceExport: shown }))).toEqual(['Valid True Valid', 'Ready True Exported']);
    expect(said(decide({ serviceExport: shown, service: undefined }))).toEqual([
      'Valid False NoService',
      'Ready False Failed',
    ]);
  });

  it('keeps conditions of other types, and the time of what does not change', () => {
    const before = '2026-11-21T11:00:00Z';
    const condition = { status: 'True' as const, message: 'x', lastTransitionTime: before };
    const shown = {
      ...serviceExport,
      status: {
        conditions: [
          { ...condition, type: 'Mine', reason: 'Mine' },
          { ...condition, type: 'Valid', reason: 'Valid' },
        ],
      },
    };
    const { conditions = [] } = decide({ serviceExport: shown });
    expect(conditions.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Mine', before],
      ['Valid', before],
      ['Ready', now],
    ]);
  });
});

describe('an export that exists under our name', () => {
  const of = (clusterID: string, namespace: string, name: string): ResourceExport => ({
    metadata: { name: 'east-1-shop-cart-service' },
    spec: { clusterID, namespace, name, kind: 'Service' },
  });
  const ours = { namespace: '1-shop', name: 'cart' };

  it.each([
    ['speaks of our Service', of('east', '1-shop', 'cart'), false],
    ['rightly speaks of another Service of ours', of('east', '1', 'shop-cart'), true],
    ['rightly speaks of a Service of cluster east-1', of('east-1', 'shop', 'cart'), true],
    ['speaks of something whose name it is not', of('west', 'shop', 'cart'), false],
    ['has no spec', { metadata: { name: 'east-1-shop-cart-service' } }, false],
    ['has another kind', { ...of('east-1', 'shop', 'cart'), spec: { kind: 'ClusterInfo' } }, false],
  ])('and %s: rival %s', (_, found, expected) => {
    expect(isConflictingExport(found, ours, 'east')).toBe(expected);
  });

  it('is reported with its Service and left alone', () => {
    const decision = decide({
      service: { ...service, metadata: ours },
      serviceExport: { metadata: ours },
      remote: { ...present, clusterID: 'east', service: of('east-1', 'shop', 'cart'), endpoints: undefined },
    });
    expect(fate(decision)).toBe('left alone');
    expect(said(decision)).toEqual(['Valid True Valid', 'Ready False Failed']);
    expect(message(decision, 'Ready')).toBe(
      'ResourceExport east-1-shop-cart-service on leader north already belongs to shop/cart of cluster east-1: both have the same name there. Use another name for one of the two Services or Namespaces.',
    );
  });
});

describe('the outcome', () => {
  const unmerged = { ...present, service: existing('Service') };
  const tooLong = { ...service, metadata: { ...service.metadata, name: 'a'.repeat(54) } };

  it.each([
    ['nothing to do where the leader has merged the export', {}, done],
    ['nothing to do where the Service has no ClusterIP yet', { service: { ...service, spec: {} } }, done],
    ['nothing to do where the leader is slow, which is reported', { remote: unmerged }, done],
    [
      'another look soon while the leader is awaited with patience',
      { remote: unmerged, patienceOver: false },
      again(patienceCheckMs, 'the leader has not answered yet'),
    ],
    [
      'another look soon while the session is set up',
      { remote: { kind: 'absent', message: 'no session yet', connecting: true }, patienceOver: false },
      again(patienceCheckMs, 'the leader has not answered yet'),
    ],
    [
      'nothing to do where no session is set up',
      { remote: { kind: 'absent', message: 'no session', connecting: false }, patienceOver: false },
      done,
    ],
  ] satisfies readonly (readonly [string, Partial<ServiceExportInput>, ServiceExportDecision['outcome']])[])(
    'is %s',
    (_, input, outcome) => {
      expect(decide(input)).toMatchObject({ outcome, waiting: outcome.kind === 'again' });
    },
  );

  it.each([
    ['there is no Service', { service: undefined }, 'Valid'],
    ['no cluster accepts the name', { service: tooLong }, 'Ready'],
    [
      'the leader rejected the export',
      { remote: { ...present, service: existing('Service', [{ type: 'Failure', status: 'False' }]) } },
      'Ready',
    ],
  ] as const)('is blocked where %s, in the words of the condition, and nothing is awaited', (_, input, type) => {
    for (const patienceOver of [false, true]) {
      const decision = decide({ ...input, patienceOver });
      const condition = conditionOf(decision.conditions, type);
      expect(decision.outcome).toEqual(blocked(condition?.reason ?? '', condition?.message ?? ''));
      expect(decision.waiting).toBe(false);
    }
  });
});

describe('the answer of the API server of the leader to a write', () => {
  /** An export of another cluster whose ID, Namespace and name are joined to the same name. */
  const rival: ResourceExport = {
    metadata: { name: 'west-shop-cart-web-service' },
    spec: { clusterID: 'west-shop', namespace: 'cart', name: 'web', kind: 'Service' },
  };
  const web = { namespace: 'shop', name: 'cart-web' };

  it('that another cluster has the name is reported, and tried again later', () => {
    const decision = decide({
      service: { ...service, metadata: web },
      serviceExport: { metadata: web },
      remote: { ...present, service: undefined, endpoints: undefined },
      answer: { kind: 'conflicting', with: rival },
    });
    expect(said(decision)).toEqual(['Valid True Valid', 'Ready False Failed']);
    expect(message(decision, 'Ready')).toContain('already belongs to cart/web of cluster west-shop');
    expect(fate(decision)).toBe('left alone');
    const { message: why = '' } = conditionOf(decision.conditions, 'Ready') ?? {};
    expect(decision.outcome).toEqual(blocked('Failed', why, { lookAgainMs: 60_000 }));
  });

  it('that is a failure is reported once patience is over, and the writing goes on', () => {
    const failed = { kind: 'failed', message: 'HTTP 503' } as const;
    const early = decide({ answer: failed, patienceOver: false });
    expect(early).toMatchObject({ exports: undefined, conditions: undefined, waiting: true });
    const late = decide({ answer: failed });
    expect(said(late)).toEqual(['Valid True Valid', 'Ready False Pending']);
    expect(message(late, 'Ready')).toBe('Waiting for leader north at https://north:6443: HTTP 503');
    expect(late).toMatchObject({ exports: undefined, waiting: true });
  });

  it('that is a failure does not mention a session that is gone', () => {
    const remote = { kind: 'absent', message: 'no session', connecting: false } as const;
    const decision = decide({ answer: { kind: 'failed', message: 'HTTP 503' }, remote });
    expect(decision).toMatchObject({ exports: undefined, conditions: undefined, waiting: true });
  });
});

it('a conflict that lasts keeps the time at which it began', () => {
  const conflict = { type: 'Conflict', status: 'True' as const, reason: 'PortConflict', message: 'port http …' };
  const began = '2026-11-20T00:00:00Z';
  const before = { ...serviceExport, status: { conditions: [{ ...conflict, lastTransitionTime: began }] } };
  const remote = { ...present, service: existing('Service', [...succeeded, conflict]) };
  const decision = decide({ serviceExport: before, remote });
  expect(conditionOf(decision.conditions, 'Conflict')?.lastTransitionTime).toBe(began);
});

it.each([
  ['the Service itself', { namespace: 'shop', name: 'cart' }, 'west', false],
  ['a Service of another name', { namespace: 'shop', name: 'web' }, 'west', true],
  ['a Service of another Namespace', { namespace: 'mall', name: 'cart' }, 'west', true],
  ['a Service of another cluster', { namespace: 'shop', name: 'cart' }, 'east', true],
] as const)('an export conflicts with %s: %o in %s, %s', (_, ref, clusterID, conflicts) => {
  expect(isConflictingExport(existing('Service'), ref, clusterID)).toBe(conflicts);
});
