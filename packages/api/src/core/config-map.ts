import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
  /** Values are base64. */
  readonly binaryData?: Readonly<Record<string, string>> | undefined;
  readonly immutable?: boolean | undefined;
}

export const ConfigMap = builtIn<ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  statusSubresource: false,
});
