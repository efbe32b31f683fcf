import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { BuiltInCondition } from './built-in.ts';

interface ContainerPort {
  readonly name?: string | undefined;
  readonly containerPort: number;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP' | undefined;
}

interface EnvVar {
  readonly name: string;
  readonly value?: string | undefined;
  readonly valueFrom?:
    | { readonly fieldRef?: { readonly apiVersion?: string | undefined; readonly fieldPath: string } | undefined }
    | undefined;
}

interface Probe {
  readonly httpGet?: { readonly path?: string | undefined; readonly port: number | string } | undefined;
  readonly exec?: { readonly command: readonly string[] } | undefined;
  readonly initialDelaySeconds?: number | undefined;
  readonly periodSeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly failureThreshold?: number | undefined;
}

export interface Container {
  readonly name: string;
  readonly image?: string | undefined;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly workingDir?: string | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly ports?: readonly ContainerPort[] | undefined;
  readonly resources?:
    | {
        readonly requests?: Readonly<Record<string, string>> | undefined;
        readonly limits?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
  readonly livenessProbe?: Probe | undefined;
  readonly readinessProbe?: Probe | undefined;
  readonly volumeMounts?:
    | readonly {
        readonly name: string;
        readonly mountPath: string;
        readonly subPath?: string | undefined;
        readonly readOnly?: boolean | undefined;
      }[]
    | undefined;
  readonly securityContext?: Readonly<Record<string, unknown>> | undefined;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly nodeName?: string | undefined;
  readonly hostname?: string | undefined;
  readonly subdomain?: string | undefined;
  readonly hostNetwork?: boolean | undefined;
  readonly dnsPolicy?: string | undefined;
  readonly dnsConfig?:
    | {
        readonly nameservers?: readonly string[] | undefined;
        readonly searches?: readonly string[] | undefined;
        readonly options?:
          | readonly { readonly name?: string | undefined; readonly value?: string | undefined }[]
          | undefined;
      }
    | undefined;
  readonly serviceAccountName?: string | undefined;
  readonly automountServiceAccountToken?: boolean | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly priorityClassName?: string | undefined;
  readonly securityContext?: Readonly<Record<string, unknown>> | undefined;
  readonly affinity?: Readonly<Record<string, unknown>> | undefined;
  readonly tolerations?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly volumes?: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[] | undefined;
}

export interface Pod extends KubernetesObject {
  readonly spec?: PodSpec | undefined;
  readonly status?:
    | {
        readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown' | undefined;
        readonly podIP?: string | undefined;
        readonly podIPs?: readonly { readonly ip: string }[] | undefined;
        readonly hostIP?: string | undefined;
        readonly conditions?: readonly BuiltInCondition[] | undefined;
      }
    | undefined;
}

export const Pod = builtIn<Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  statusSubresource: true,
});
