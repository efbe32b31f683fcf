import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

export interface Secret extends KubernetesObject {
  readonly type?: string | undefined;
  /** Values are base64. */
  readonly data?: Readonly<Record<string, string>> | undefined;
  /** Values are plain text; written, never read back. */
  readonly stringData?: Readonly<Record<string, string>> | undefined;
  readonly immutable?: boolean | undefined;
}

export const Secret = builtIn<Secret>({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  statusSubresource: false,
});

/** Type of a Secret that the controller-manager fills with a ServiceAccount's token. */
export const serviceAccountTokenType = 'kubernetes.io/service-account-token';
