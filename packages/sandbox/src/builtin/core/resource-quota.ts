import { defineBuiltIn } from '../define.ts';
import { onlyRead } from './limit-range.ts';

/** `kubectl describe namespace` asks for them. */
export const resourceQuota = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  verbs: onlyRead,
});
