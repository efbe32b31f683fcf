import { podColumns } from '../pods/pod-columns.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { podStrategy } from '../pods/pod-strategy.ts';
import { selectableFields, textAt } from '../selectable-fields.ts';

export const pod = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  subresources: [
    { name: 'binding', kind: 'action', verbs: ['create'], response: { group: '', version: 'v1', kind: 'Binding' } },
    { name: 'ephemeralcontainers', kind: 'status', verbs: ['get', 'patch', 'update'] },
    {
      name: 'eviction',
      kind: 'action',
      verbs: ['create'],
      response: { group: 'policy', version: 'v1', kind: 'Eviction' },
    },
    statusSubresource,
  ],
  columns: podColumns,
  selectable: {
    ...selectableFields(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.nominatedNodeName',
    ),
    'spec.hostNetwork': (object) => textAt(object, 'spec.hostNetwork') || 'false',
    'status.podIP': (object) => textAt(object, 'status.podIPs.0.ip'),
  },
  strategy: podStrategy,
});
