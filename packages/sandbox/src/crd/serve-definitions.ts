import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Store } from '../store/store.ts';
import type { VersionCompiler } from '../definition/compile-version.ts';
import { servedVersions } from './custom-resource.ts';
import { definitionsKey } from '../definition/definition.ts';
import type { Definition } from '../definition/definition.ts';
import type { SandboxImage } from './image.ts';

/**
 * Keeps the registry serving what the definitions say, from now on, within the write. What the image has compiled is taken from there.
 * Returns the unsubscriber.
 */
export function serveDefinitions(
  store: Store,
  registry: Registry,
  { image, compile }: { readonly image: SandboxImage | undefined; readonly compile: VersionCompiler },
): () => void {
  const served = new Map<string, readonly ServedResource[]>();
  const compiled = new Map(image?.definitions.map((each) => [each.definition.spec, each.served]));
  return store.onChange(definitionsKey, ({ key, before, after }) => {
    const had = served.get(key) ?? [];
    const definition = after as Definition | undefined;
    if (definition !== undefined && had.length > 0 && isSame(before as Definition | undefined, definition)) return;
    const known = before === undefined && definition !== undefined ? compiled.get(definition.spec) : undefined;
    const now = known ?? (definition === undefined ? [] : servedVersions(definition, compile));
    for (const resource of had) registry.withdraw(resource);
    for (const resource of now) registry.serve(resource);
    served.set(key, now);
  });
}

/** What objects are judged by stays; then what was compiled can stay. */
function isSame(before: Definition | undefined, after: Definition): boolean {
  return (
    before?.metadata.generation === after.metadata.generation &&
    terminates(before) === terminates(after) &&
    accepted(before) === accepted(after)
  );
}

function terminates(definition: Definition | undefined): boolean {
  return definition?.status.conditions?.some(({ type }) => type === 'Terminating') === true;
}

function accepted(definition: Definition | undefined): string {
  return (definition?.status.conditions ?? []).map(({ type, status }) => `${type}=${status}`).join();
}
