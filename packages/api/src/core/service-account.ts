import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { LocalObjectReference } from './built-in.ts';

export interface ServiceAccount extends KubernetesObject {
  readonly secrets?: readonly LocalObjectReference[] | undefined;
  readonly automountServiceAccountToken?: boolean | undefined;
}

export const ServiceAccount = builtIn<ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
  statusSubresource: false,
});
