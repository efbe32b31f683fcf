import { FixedName } from '@isthmus/api';
import { accessObjects, controllerConfigMap, controllerDeployment, definitionObjects, roles } from '@isthmus/install';
import type { KubernetesObject } from '@isthmus/machinery';
import { when } from './template.ts';

/**
 * Whether an object is of this release, as Helm sees it when it installs; the label is only
 * compared then.
 */
export const ownershipHelper = `{{- define "isthmus.isForeign" -}}
{{- $annotations := .found.metadata.annotations | default dict }}
{{- $labels := .found.metadata.labels | default dict }}
{{- if or (ne (get $annotations "meta.helm.sh/release-name") .Release.Name) (ne (get $annotations "meta.helm.sh/release-namespace") .Release.Namespace) (and .Release.IsInstall (ne (get $labels "app.kubernetes.io/managed-by") "Helm")) }}true{{ end }}
{{- end }}
`;

/**
 * Errors for settings that the release would change, because it takes over the ConfigMap of a
 * controller that was installed without Helm. Otherwise a user who edited the manifest would lose
 * them without notice. An empty setting is a default. The address of the metrics is left out,
 * because the chart has only one port for them.
 */
export const lostSettings = `{{- $config := lookup "v1" "ConfigMap" .Release.Namespace "${FixedName.configMap}" }}
{{- if and $config .Values.crds.adopt }}
{{- if include "isthmus.isForeign" (dict "found" $config "Release" .Release) }}
{{- $set := fromYaml (get ($config.data | default dict) "${FixedName.configKey}") }}
{{- range $key, $value := omit .Values.config "metrics" }}
{{- $there := get $set $key }}
{{- if kindIs "slice" $there }}{{ $there = compact $there }}{{ end }}
{{- if and $there (ne (toJson $there) (toJson $value)) }}{{ $faults = append $faults (printf "config.%s is %s in ConfigMap %s of Namespace %s, which this release takes over, and would become %s: set config.%s to the same value, and change it later with helm upgrade" $key (toJson $there) "${FixedName.configMap}" $.Release.Namespace (toJson $value) $key) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
`;

/**
 * Ends, before anything is changed, where objects exist that this release does not own: definitions
 * at any time, because values can add them to a release, the others when it is installed. Helm
 * would end there, too, at the first one and without a way out.
 */
export function foreignObjects(): string {
  return `{{- $foreign := list }}
${when('.Values.crds.install', definitions())}{{- $others := list }}
${when('.Release.IsInstall', others())}${refusal}`;
}

function definitions(): string {
  const leaders = definitionObjects(roles.leader).map(({ metadata }) => metadata.name);
  const members = definitionObjects(roles.member).map(({ metadata }) => metadata.name);
  const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(' ');
  return `{{- $names := list ${list(leaders)} }}
{{- if eq .Values.role "member" }}{{ $names = concat $names (list ${list(members.filter((name) => !leaders.includes(name)))}) }}{{ end }}
{{- range $names }}
{{- $found := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" . }}
{{- if $found }}
{{- if include "isthmus.isForeign" (dict "found" $found "Release" $.Release) }}{{ $foreign = append $foreign . }}{{ end }}
{{- end }}
{{- end }}
`;
}

/** The objects of every release of the role, whatever its values. */
function others(): string {
  const ofRole = (name: 'leader' | 'member') =>
    `{{- if eq .Values.role "${name}" }}${alwaysInstalled(name)
      .map((one) => `\n{{- $objects = append $objects (list ${one}) }}`)
      .join('')}\n{{- end }}\n`;
  return `{{- $objects := list }}
${ofRole('leader')}${ofRole('member')}{{- range $objects }}
{{- $found := lookup (index . 0) (index . 1) (index . 2) (index . 3) }}
{{- if $found }}
{{- if include "isthmus.isForeign" (dict "found" $found "Release" $.Release) }}{{ $others = append $others (printf "%s %s" (index . 1) (index . 3)) }}{{ end }}
{{- end }}
{{- end }}
`;
}

/** The arguments of `lookup` for each of them. */
function alwaysInstalled(name: 'leader' | 'member'): readonly string[] {
  const namespace = 'NAMESPACE';
  const text = (value: string) =>
    value === namespace
      ? '$.Release.Namespace'
      : value.includes(namespace)
        ? `(replace "${namespace}" $.Release.Namespace "${value}")`
        : `"${value}"`;
  const role = roles[name];
  const objects: readonly KubernetesObject[] = [
    ...accessObjects(role, namespace),
    controllerConfigMap(namespace),
    controllerDeployment({ role, namespace, version: '', sha256: () => '' }),
  ];
  return objects.map(({ apiVersion = '', kind = '', metadata }) =>
    [apiVersion, kind, metadata.namespace ?? '', metadata.name].map(text).join(' '),
  );
}

const refusal = `{{- if and (or $foreign $others) (not .Values.crds.adopt) }}
{{- $flags := "the flag --take-ownership" }}
{{- /* Helm 4 applies on the server, where what others have applied is a conflict. */ -}}
{{- if semverCompare ">=4.0.0-0" .Capabilities.HelmVersion.Version }}{{ $flags = "the flags --take-ownership --server-side=true --force-conflicts" }}{{ end }}
{{- $all := "Helm then also takes over all other objects that exist with a name of this release, cluster-wide ones too: if another controller uses them, do not adopt" }}
{{- $of := printf "do not belong to release %s in Namespace %s" .Release.Name .Release.Namespace }}
{{- if $others }}
{{- $definitions := "" }}
{{- if $foreign }}{{ $definitions = printf ", and these CustomResourceDefinitions: %s" (join ", " $foreign) }}{{ end }}
{{- fail (printf "a controller is installed here without Helm, or by another release: these objects exist and %s: %s%s. To keep that controller, do not install this release. To let this release take it over, set crds.adopt=true and give helm %s. %s. To replace it instead, delete these objects, but not the CustomResourceDefinitions, because this deletes all ClusterSets, exports and imports" $of (join ", " $others) $definitions $flags $all) }}
{{- end }}
{{- fail (printf "these CustomResourceDefinitions exist and %s: %s. To leave them as they are, set crds.install=false. To let this release update them, set crds.adopt=true and give helm %s. %s" $of (join ", " $foreign) $flags $all) }}
{{- end }}
`;
