import { isLatest } from './image-tag.ts';
import type { Container, Handler, PodSpec, Probe, ProjectedVolume, Resources, Volume } from './pod-spec.ts';

/**
 * A Pod's spec with the defaults of core/v1 (measured on 1.36). `inTemplate`: for that of a
 * template, requests and Service links get no defaults.
 */
export function podSpecDefaults(spec: PodSpec, inTemplate: boolean): PodSpec {
  const containerDefaults = (given: Container): Container => {
    const container = inTemplate ? given : withRequests(given);
    return withContainerDefaults(container, !inTemplate && spec.hostNetwork === true);
  };
  const account = spec.serviceAccountName || spec.serviceAccount;
  return {
    ...spec,
    ...(spec.volumes !== undefined && { volumes: spec.volumes.map(withVolumeDefaults) }),
    ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(containerDefaults) }),
    ...(spec.ephemeralContainers !== undefined && {
      ephemeralContainers: spec.ephemeralContainers.map((given) => withContainerDefaults(given, false)),
    }),
    containers:
      spec.containers === undefined || spec.containers === null
        ? spec.containers
        : spec.containers.map(containerDefaults),
    restartPolicy: spec.restartPolicy || 'Always',
    terminationGracePeriodSeconds: graceSeconds(spec.terminationGracePeriodSeconds, inTemplate),
    dnsPolicy: spec.dnsPolicy || 'ClusterFirst',
    // The deprecated name of the field has the same value as the new one.
    ...(account && { serviceAccountName: account, serviceAccount: account }),
    securityContext: spec.securityContext ?? {},
    schedulerName: spec.schedulerName || 'default-scheduler',
    ...(!inTemplate && { enableServiceLinks: spec.enableServiceLinks ?? true }),
  };
}

/** A negative grace period becomes one second in a Pod, but not in a template. */
function graceSeconds(given = 30, inTemplate: boolean): number {
  return given < 0 && !inTemplate ? 1 : given;
}

/** A limit without a request is also the request. */
function withRequests(container: Container): Container {
  const { resources } = container;
  if (resources?.limits === undefined) return container;
  const requests: Resources['requests'] = { ...resources.limits, ...resources.requests };
  return { ...container, resources: { ...resources, requests: inOrder(requests) } };
}

/** Keys as Go writes those of a map. */
function inOrder(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withContainerDefaults<C extends Container>(container: C, hostNetwork: boolean): C {
  const { ports, env, livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  return {
    ...container,
    ...(ports !== undefined && {
      ports: ports.map((port) => ({
        ...port,
        ...(hostNetwork &&
          (port.hostPort ?? 0) === 0 &&
          (port.containerPort ?? 0) !== 0 && { hostPort: port.containerPort }),
        protocol: port.protocol || 'TCP',
      })),
    }),
    ...(env !== undefined && {
      env: env.map((one) => {
        const fieldRef = one.valueFrom?.fieldRef;
        if (fieldRef === undefined) return one;
        return {
          ...one,
          valueFrom: { ...one.valueFrom, fieldRef: { ...fieldRef, apiVersion: fieldRef.apiVersion || 'v1' } },
        };
      }),
    }),
    ...(livenessProbe !== undefined && { livenessProbe: withProbeDefaults(livenessProbe) }),
    ...(readinessProbe !== undefined && { readinessProbe: withProbeDefaults(readinessProbe) }),
    ...(startupProbe !== undefined && { startupProbe: withProbeDefaults(startupProbe) }),
    ...(lifecycle !== undefined && {
      lifecycle: {
        ...lifecycle,
        ...(lifecycle.postStart !== undefined && { postStart: withHandlerDefaults(lifecycle.postStart) }),
        ...(lifecycle.preStop !== undefined && { preStop: withHandlerDefaults(lifecycle.preStop) }),
      },
    }),
    terminationMessagePath: container.terminationMessagePath || '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy || 'File',
    imagePullPolicy: container.imagePullPolicy || (isLatest(container.image ?? '') ? 'Always' : 'IfNotPresent'),
  };
}

function withProbeDefaults(probe: Probe): Probe {
  return {
    ...withHandlerDefaults(probe),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

function withHandlerDefaults<H extends Handler>(handler: H): H {
  const { httpGet, grpc } = handler;
  return {
    ...handler,
    ...(httpGet !== undefined && {
      httpGet: { ...httpGet, path: httpGet.path || '/', scheme: httpGet.scheme || 'HTTP' },
    }),
    ...(grpc !== undefined && { grpc: { ...grpc, service: grpc.service ?? '' } }),
  };
}

/** The default mode of files: 0644. */
const fileMode = 420;

/** The sources a volume may have; one that has none is an empty directory. */
function withVolumeDefaults(volume: Volume): Volume {
  const { secret, configMap, downwardAPI, projected, hostPath } = volume;
  return {
    ...volume,
    ...(Object.keys(volume).every((key) => key === 'name') && { emptyDir: {} }),
    ...(secret !== undefined && { secret: { ...secret, defaultMode: secret.defaultMode ?? fileMode } }),
    ...(configMap !== undefined && { configMap: { ...configMap, defaultMode: configMap.defaultMode ?? fileMode } }),
    ...(hostPath !== undefined && { hostPath: { ...hostPath, type: hostPath.type ?? '' } }),
    ...(downwardAPI !== undefined && {
      downwardAPI: withFieldVersions({ ...downwardAPI, defaultMode: downwardAPI.defaultMode ?? fileMode }),
    }),
    ...(projected !== undefined && { projected: withProjectionDefaults(projected) }),
  };
}

function withProjectionDefaults(projected: ProjectedVolume): ProjectedVolume {
  return {
    ...projected,
    ...(projected.sources !== undefined &&
      projected.sources !== null && {
        sources: projected.sources.map(({ serviceAccountToken: token, downwardAPI, ...rest }) => ({
          ...rest,
          ...(downwardAPI !== undefined && { downwardAPI: withFieldVersions(downwardAPI) }),
          ...(token !== undefined && {
            serviceAccountToken: { ...token, expirationSeconds: token.expirationSeconds ?? 3600 },
          }),
        })),
      }),
    defaultMode: projected.defaultMode ?? fileMode,
  };
}

function withFieldVersions<T extends NonNullable<Volume['downwardAPI']>>(source: T): T {
  if (source.items === undefined) return source;
  return {
    ...source,
    items: source.items.map((item) =>
      item.fieldRef === undefined
        ? item
        : { ...item, fieldRef: { ...item.fieldRef, apiVersion: item.fieldRef.apiVersion || 'v1' } },
    ),
  };
}
