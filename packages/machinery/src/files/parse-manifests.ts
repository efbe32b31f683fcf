import { readPlainYaml } from './plain-yaml.ts';
import { parseYaml } from './yaml.ts';
import type { ParseYamlOptions, YamlDocument } from './yaml.ts';

/**
 * The same as {@link parseYaml}, in a seventh of the time where the text is plain: for manifests of
 * releases, which have megabytes. Commands use it; controllers read small files alone, and do
 * without its library.
 */
export function parseManifests(
  text: string,
  options: Omit<ParseYamlOptions, 'mostStructure'>,
): readonly YamlDocument[] {
  const isJson = /^[ \t\r\n]*[{[]/.test(text);
  return (isJson ? undefined : readPlainYaml(text)) ?? parseYaml(text, options);
}
