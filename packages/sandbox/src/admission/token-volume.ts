import type { Container, PodSpec, Volume } from '../builtin/pods/pod-spec.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumeName = 'kube-api-access';

/**
 * A Pod with its ServiceAccount's token in each container that has nothing else in its place.
 * `suffix`: of a new volume's name.
 */
export function withTokenMounted(spec: PodSpec, suffix: string): PodSpec {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(`${volumeName}-`))?.name;
  const name = existing ?? `${volumeName}-${suffix}`;
  let mounted = false;
  const mount = (container: Container): Container => {
    const { volumeMounts = [] } = container;
    if (volumeMounts.some((one) => one.mountPath === mountPath)) return container;
    mounted = true;
    return { ...container, volumeMounts: [...volumeMounts, { name, readOnly: true, mountPath }] };
  };
  const next = {
    ...spec,
    ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(mount) }),
    ...(spec.containers !== undefined && spec.containers !== null && { containers: spec.containers.map(mount) }),
  };
  if (existing !== undefined || !mounted) return next;
  return { ...next, volumes: [...(spec.volumes ?? []), tokenVolume(name)] };
}

/**
 * The token lasts 3607 seconds: the kubelet recognises by this number a token that was added by
 * admission.
 */
function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
