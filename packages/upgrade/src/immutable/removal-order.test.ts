import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { removalOrder } from './removal-order.ts';

const object = (apiVersion: string, kind: string, name: string, metadata: object = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
});
const exportsCrd = 'resourceexports.multicluster.crd.antrea.io';
const manifest = [
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', exportsCrd),
  object('apps/v1', 'Deployment', 'antrea-mc-controller', { namespace: 'antrea-multicluster' }),
  object('v1', 'Service', 'antrea-mc-webhook-service', { namespace: 'antrea-multicluster' }),
  object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'antrea-mc-validating'),
  object('multicluster.crd.antrea.io/v1alpha1', 'ResourceExport', 'default-nginx', {
    namespace: 'antrea-multicluster',
  }),
];

describe('the order of a removal', () => {
  it('is custom resources, webhooks, controller, the rest, and CRDs last, where the CRD may go', () => {
    const { phases, kept } = removalOrder(manifest, { withObjects: [exportsCrd], objectCounts: { [exportsCrd]: 3 } });
    expect(phases.map(({ phase, objects }) => [phase, objects])).toEqual([
      ['custom-resources', ['ResourceExport antrea-multicluster/default-nginx', `every object of ${exportsCrd}`]],
      ['webhooks', ['ValidatingWebhookConfiguration antrea-mc-validating']],
      ['workloads', ['Deployment antrea-multicluster/antrea-mc-controller']],
      ['others', ['Service antrea-multicluster/antrea-mc-webhook-service']],
      ['definitions', [exportsCrd]],
    ]);
    expect(kept).toEqual([]);
  });

  it.each([
    ['has objects', { [exportsCrd]: 3 }, 'it has 3 objects'],
    ['may have objects', {}, 'it is not known whether it has objects'],
  ])('leaves a CRD that %s', (_what, objectCounts, why) => {
    const { phases, kept } = removalOrder(manifest, { objectCounts });
    expect(phases.map(({ phase }) => phase)).not.toContain('definitions');
    expect(kept).toEqual([{ object: exportsCrd, why: expect.stringContaining(why) as string }]);
  });

  it('takes a CRD that has no objects', () => {
    const { phases } = removalOrder(manifest, { objectCounts: { [exportsCrd]: 0 } });
    expect(phases.at(-1)?.objects).toEqual([exportsCrd]);
  });

  it('names the objects that hold a CRD which is being deleted', () => {
    const definition = {
      ...object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', exportsCrd, {
        deletionTimestamp: '2026-11-20T00:00:00Z',
        finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      }),
      spec: { names: { kind: 'ResourceExport' } },
    };
    const one = (name: string, finalizers?: readonly string[]) =>
      object('multicluster.crd.antrea.io/v1alpha1', 'ResourceExport', name, { namespace: 'n', finalizers });
    const names = Array.from({ length: 7 }, (_, at) => one(`e${at}`, ['resourceexport.finalizers.antrea.io']));
    const { findings } = removalOrder([definition, ...names.toReversed(), one('free'), one('empty', [])]);
    expect(findings.map(({ why }) => why)).toEqual([
      `${exportsCrd} is being deleted since 2026-11-20T00:00:00Z and waits for customresourcecleanup.apiextensions.k8s.io; its objects ResourceExport n/e0, ResourceExport n/e1, ResourceExport n/e2, ResourceExport n/e3, ResourceExport n/e4 and 2 more have the finalizers resourceexport.finalizers.antrea.io`,
    ]);
  });

  it('names what is held by finalizers', () => {
    const stuck = {
      deletionTimestamp: '2026-11-20T00:00:00Z',
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    };
    const { findings } = removalOrder([
      object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', exportsCrd, stuck),
    ]);
    expect(findings).toMatchObject([{ rule: 'removal.stuck', subject: { object: exportsCrd } }]);
  });
});
