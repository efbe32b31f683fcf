import { multiClusterConfig } from '@isthmus/api';
import { printYaml } from '@isthmus/machinery';
import type { JsonSchema } from '@isthmus/schema';
import { controllerPorts } from '@isthmus/controlplane';

/**
 * The configuration file that is installed: every key that has a default, with that default and the
 * description from its definition. Metrics are enabled, unlike the default (defect B33: users do
 * not find metrics that are off). Lists without a default are shown empty.
 */
export function controllerConfigText(): string {
  return printYaml(controllerConfigHead) + commented(controllerConfigFields(), multiClusterConfig.schema);
}

/** The first fields of the file. */
export const controllerConfigHead = {
  apiVersion: `${multiClusterConfig.group}/${multiClusterConfig.version}`,
  kind: multiClusterConfig.kind,
} as const;

/** The keys of that file with their values. */
export function controllerConfigFields(): object {
  const { value } = multiClusterConfig.decode(controllerConfigHead);
  const { apiVersion: _a, kind: _k, ...fields } = value;
  return {
    ...fields,
    metrics: { bindAddress: `:${controllerPorts.metrics}` },
    allowedCIDRs: [],
    importExcludedNamespaces: [],
    podCIDRs: [],
    virtualPodCIDRs: [],
  };
}

/** Each field below its description; nested objects are included. */
function commented(fields: object, schema: JsonSchema): string {
  return Object.entries(fields)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      const field = schema.properties?.[name] ?? {};
      if (field.properties !== undefined) return `${name}:\n${indented(commented(value as object, field))}`;
      return `# ${field.description}\n${printYaml({ [name]: value })}`;
    })
    .join('');
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
