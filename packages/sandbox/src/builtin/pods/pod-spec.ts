/**
 * The part of `core/v1` PodSpec that defaults and rules read, in its decoded form. Other fields are
 * validated by their shape only, and kept unchanged.
 */
/** A container that is put into a Pod while it runs. */
export interface EphemeralContainer extends Container {
  readonly targetContainerName?: string | undefined;
}

export interface PodSpec {
  /** Null if a client left it out. */
  readonly containers?: readonly Container[] | null | undefined;
  readonly initContainers?: readonly Container[] | undefined;
  readonly ephemeralContainers?: readonly EphemeralContainer[] | undefined;
  readonly volumes?: readonly Volume[] | undefined;
  readonly restartPolicy?: string | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly activeDeadlineSeconds?: number | undefined;
  readonly dnsPolicy?: string | undefined;
  readonly dnsConfig?: object | undefined;
  readonly nodeSelector?: Labels | undefined;
  readonly serviceAccountName?: string | undefined;
  readonly serviceAccount?: string | undefined;
  readonly automountServiceAccountToken?: boolean | undefined;
  readonly nodeName?: string | undefined;
  readonly hostNetwork?: boolean | undefined;
  readonly securityContext?: SecurityContext | undefined;
  readonly imagePullSecrets?: readonly { readonly name?: string | undefined }[] | undefined;
  readonly hostname?: string | undefined;
  readonly subdomain?: string | undefined;
  readonly affinity?: object | undefined;
  readonly schedulerName?: string | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly priorityClassName?: string | undefined;
  readonly priority?: number | undefined;
  readonly preemptionPolicy?: string | undefined;
  readonly enableServiceLinks?: boolean | undefined;
  readonly schedulingGates?: readonly { readonly name: string }[] | undefined;
  readonly topologySpreadConstraints?: readonly { readonly labelSelector?: object | undefined }[] | undefined;
  readonly runtimeClassName?: string | undefined;
  readonly resources?: Resources | undefined;
}

export type Labels = Readonly<Record<string, string>>;

export interface Container {
  readonly name: string;
  readonly image?: string | undefined;
  readonly ports?: readonly ContainerPort[] | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly envFrom?: readonly EnvFrom[] | undefined;
  readonly resources?: Resources | undefined;
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
  readonly livenessProbe?: Probe | undefined;
  readonly readinessProbe?: Probe | undefined;
  readonly startupProbe?: Probe | undefined;
  readonly lifecycle?: { readonly postStart?: Handler; readonly preStop?: Handler } | undefined;
  readonly terminationMessagePath?: string | undefined;
  readonly terminationMessagePolicy?: string | undefined;
  readonly imagePullPolicy?: string | undefined;
  readonly restartPolicy?: string | undefined;
}

export interface ContainerPort {
  readonly name?: string | undefined;
  readonly hostPort?: number | undefined;
  readonly containerPort?: number | undefined;
  readonly protocol?: string | undefined;
  readonly hostIP?: string | undefined;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string | undefined;
  readonly valueFrom?:
    | {
        readonly fieldRef?: FieldRef | undefined;
        readonly resourceFieldRef?: ResourceFieldRef | undefined;
        readonly configMapKeyRef?: KeyRef | undefined;
        readonly secretKeyRef?: KeyRef | undefined;
        readonly fileKeyRef?: object | undefined;
      }
    | undefined;
}

export interface EnvFrom {
  readonly prefix?: string | undefined;
  readonly configMapRef?: { readonly name?: string | undefined } | undefined;
  readonly secretRef?: { readonly name?: string | undefined } | undefined;
}

export interface FieldRef {
  readonly apiVersion?: string | undefined;
  readonly fieldPath: string;
}

export interface ResourceFieldRef {
  readonly resource: string;
}

export interface KeyRef {
  readonly name?: string | undefined;
  readonly key: string;
}

/** Quantities by resource. */
export type ResourceList = Readonly<Record<string, string>>;

export interface Resources {
  readonly limits?: ResourceList | undefined;
  readonly requests?: ResourceList | undefined;
}

export interface VolumeMount {
  readonly name: string;
  readonly readOnly?: boolean | undefined;
  readonly mountPath: string;
  readonly subPath?: string | undefined;
}

export interface Handler {
  readonly exec?: { readonly command?: readonly string[] | undefined } | undefined;
  readonly httpGet?:
    | {
        readonly path?: string | undefined;
        readonly port?: number | string | undefined;
        readonly scheme?: string | undefined;
      }
    | undefined;
  readonly tcpSocket?: { readonly port?: number | string | undefined } | undefined;
  readonly grpc?: { readonly port?: number | undefined; readonly service?: string | null | undefined } | undefined;
  readonly sleep?: object | undefined;
}

export interface Probe extends Handler {
  readonly initialDelaySeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly periodSeconds?: number | undefined;
  readonly successThreshold?: number | undefined;
  readonly failureThreshold?: number | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
}

/** The security context of a Pod or of a container. Each field is set in the one that has it. */
export interface SecurityContext {
  readonly fsGroup?: number | undefined;
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  readonly supplementalGroups?: readonly number[] | undefined;
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string | undefined; readonly sizeLimit?: string | undefined } | undefined;
  readonly hostPath?: { readonly path: string; readonly type?: string | undefined } | undefined;
  readonly secret?: SecretVolume | undefined;
  readonly configMap?: ConfigMapVolume | undefined;
  readonly downwardAPI?:
    | { readonly items?: readonly DownwardFile[] | undefined; readonly defaultMode?: number | undefined }
    | undefined;
  readonly projected?: ProjectedVolume | undefined;
  readonly persistentVolumeClaim?: { readonly claimName: string } | undefined;
}

export interface SecretVolume {
  readonly secretName?: string | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode?: number | undefined;
}

export interface ConfigMapVolume {
  readonly name?: string | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode?: number | undefined;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number | undefined;
}

export interface DownwardFile {
  readonly path: string;
  readonly fieldRef?: FieldRef | undefined;
}

export interface ProjectedVolume {
  readonly sources?: readonly Projection[] | undefined;
  readonly defaultMode?: number | undefined;
}

export interface Projection {
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] | undefined } | undefined;
  readonly serviceAccountToken?: { readonly path: string; readonly expirationSeconds?: number | undefined } | undefined;
  readonly configMap?: object | undefined;
}

export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
}
