import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { BuiltInCondition } from './built-in.ts';
import type { ServiceSpec } from './service-spec.ts';

export interface Service extends KubernetesObject {
  readonly spec?: ServiceSpec | undefined;
  readonly status?:
    | {
        readonly conditions?: readonly BuiltInCondition[] | undefined;
        readonly loadBalancer?:
          | {
              readonly ingress?:
                | readonly { readonly ip?: string | undefined; readonly hostname?: string | undefined }[]
                | undefined;
            }
          | undefined;
      }
    | undefined;
}

export const Service = builtIn<Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
  statusSubresource: true,
});
