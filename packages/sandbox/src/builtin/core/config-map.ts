import { configMapColumns } from '../columns/config-map.ts';
import { defineBuiltIn } from '../define.ts';
import { configMapStrategy } from './config-map-strategy.ts';

export const configMap = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  columns: configMapColumns,
  strategy: configMapStrategy,
});
