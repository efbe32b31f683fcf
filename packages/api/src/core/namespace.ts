import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

export interface Namespace extends KubernetesObject {
  readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined;
  readonly status?: { readonly phase?: 'Active' | 'Terminating' | undefined } | undefined;
}

export const Namespace = builtIn<Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  statusSubresource: true,
});
