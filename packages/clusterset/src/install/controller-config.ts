import { multiClusterConfig } from '@isthmus/api';
import { printYaml } from '@isthmus/machinery';
import type { JsonSchema } from '@isthmus/schema';
import { controllerPorts } from '../roles/ports.ts';

/**
 * The configuration file that is installed: every key that has a default, with that default and what the definition says about it. Metrics
 * differ from the defaults: they are on (defect B33: nobody finds metrics that are off). Lists without a default are shown, empty.
 */
export function controllerConfigText(): string {
  const { group, version, kind, schema } = multiClusterConfig;
  const head = { apiVersion: `${group}/${version}`, kind };
  const { value } = multiClusterConfig.decode(head);
  const {
    apiVersion: _a,
    kind: _k,
    ...fields
  } = {
    ...value,
    metrics: { bindAddress: `:${controllerPorts.metrics}` },
    allowedCIDRs: [],
    importExcludedNamespaces: [],
    podCIDRs: [],
  };
  return printYaml(head) + commented(fields, schema);
}

/** Each field below its description; objects are entered. */
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
