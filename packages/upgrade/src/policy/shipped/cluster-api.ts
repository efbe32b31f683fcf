import type { PolicyData } from './policy-data.ts';

const book = 'The Cluster API Book, Supported versions';

const step = (id: string, subject: string) => ({ id, subject, maxMinors: 3, majors: 'never' as const, source: book });

/** The promises of Cluster API for its core and the kubeadm providers, which are one release. */
export const clusterApi = {
  name: 'cluster-api',
  spec: {
    product: 'Cluster API',
    order: [
      ['capi.order-cert-manager', 'cert-manager', 'capi-core'],
      ['capi.order-bootstrap', 'capi-core', 'capi-kubeadm-bootstrap'],
      ['capi.order-control-plane', 'capi-core', 'capi-kubeadm-control-plane'],
    ].map(([id = '', first = '', next = '']) => ({
      id,
      first,
      next,
      scope: 'cluster' as const,
      source: 'clusterctl upgrade',
    })),
    interruptions: [
      {
        id: 'capi.restart',
        component: 'capi-core',
        text: 'All providers are scaled down meanwhile: Machines are not created, replaced or deleted. The clusters keep running.',
        source: 'clusterctl upgrade',
      },
    ],
    hops: [
      step('capi.step', 'capi-core'),
      step('capi.step-bootstrap', 'capi-kubeadm-bootstrap'),
      step('capi.step-control-plane', 'capi-kubeadm-control-plane'),
    ],
  },
} satisfies PolicyData;
