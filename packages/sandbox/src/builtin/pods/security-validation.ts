import type { Errors } from '../field-checks.ts';
import { inRange, optionalOneOf, when } from '../field-checks.ts';
import { invalid, notSupported, required } from '../field-rules.ts';
import { descendingPathErrors } from './path-validation.ts';
import type { PodSpec, SeccompProfile, SecurityContext } from './pod-spec.ts';

/** User and group numbers. */
const ids: readonly [number, number] = [0, 2_147_483_647];

/**
 * What is wrong with the security context of a container. Whether a cluster allows privileged containers at all is a flag of its API server; as
 * kubeadm's do, this one allows them.
 */
export function securityContextErrors(path: string, context: SecurityContext | undefined, hostUsers: boolean): Errors {
  if (context === undefined) return [];
  const { procMount, privileged, allowPrivilegeEscalation, capabilities } = context;
  const shown = () => goSecurityContext(context);
  return [
    ...inRange(`${path}.runAsUser`, context.runAsUser, ids),
    ...inRange(`${path}.runAsGroup`, context.runAsGroup, ids),
    ...optionalOneOf(`${path}.procMount`, procMount, ['Default', 'Unmasked']),
    ...when(
      hostUsers && procMount === 'Unmasked',
      invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'),
    ),
    ...seccompErrors(`${path}.seccompProfile`, context.seccompProfile),
    ...(allowPrivilegeEscalation !== false
      ? []
      : [
          ...(privileged === true
            ? [
                {
                  ...invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'),
                  shown: shown(),
                },
              ]
            : []),
          ...(capabilities?.add ?? [])
            .filter((one) => one === 'CAP_SYS_ADMIN')
            .map(() => ({
              ...invalid(
                path,
                context,
                'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
              ),
              shown: shown(),
            })),
        ]),
  ];
}

/** The struct in the server's memory: it has no JSON names. */
function goSecurityContext(context: SecurityContext): string {
  const { capabilities, seccompProfile } = context;
  const { seLinuxOptions, windowsOptions, appArmorProfile } = context as Readonly<Record<string, unknown>>;
  return JSON.stringify({
    Capabilities:
      capabilities === undefined ? null : { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null },
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions ?? null,
    WindowsOptions: windowsOptions ?? null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: seccompProfile === undefined ? null : goSeccompProfile(seccompProfile),
    AppArmorProfile: appArmorProfile ?? null,
  });
}

function goSeccompProfile({ type, localhostProfile }: SeccompProfile): object {
  return { Type: type, LocalhostProfile: localhostProfile ?? null };
}

/** What is wrong with the security context of a Pod. */
export function podSecurityErrors(path: string, spec: PodSpec): Errors {
  const context = spec.securityContext;
  if (context === undefined) return [];
  const shared = spec.shareProcessNamespace === true && spec.hostPID === true;
  return [
    ...inRange(`${path}.fsGroup`, context.fsGroup, ids),
    ...inRange(`${path}.runAsUser`, context.runAsUser, ids),
    ...inRange(`${path}.runAsGroup`, context.runAsGroup, ids),
    ...(context.supplementalGroups ?? []).flatMap((group, index) =>
      inRange(`${path}.supplementalGroups[${index}]`, group, ids),
    ),
    ...when(
      shared,
      invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    ),
    ...optionalOneOf(`${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    ...seccompErrors(`${path}.seccompProfile`, context.seccompProfile),
  ];
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function seccompErrors(path: string, profile: SeccompProfile | undefined): Errors {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const typeErrors =
    type === ''
      ? [required(`${path}.type`, 'type is required when seccompProfile is set')]
      : when(!profileTypes.includes(type), notSupported(`${path}.type`, type, profileTypes));
  if (type === 'Localhost') {
    return localhostProfile === undefined
      ? [...typeErrors, required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost')]
      : [...typeErrors, ...descendingPathErrors(`${path}.localhostProfile`, localhostProfile)];
  }
  if (localhostProfile === undefined) return typeErrors;
  const misplaced = invalid(`${path}.localhostProfile`, profile, 'can only be set when seccomp type is Localhost');
  return [...typeErrors, { ...misplaced, shown: JSON.stringify(goSeccompProfile(profile)) }];
}
