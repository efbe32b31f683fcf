import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Store } from '../store/store.ts';
import type { VersionCompiler } from '../definition/compile-version.ts';
import { servedVersions } from './custom-resource.ts';
import { definitionsKey } from '../definition/definition.ts';
import type { Definition } from '../definition/definition.ts';
import type { SandboxImage } from './image.ts';

/**
 * Keeps the registry in step with the definitions from now on, within each write. Versions that the
 * image has compiled are taken from it. Returns the unsubscriber.
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
    const [first] = had;
    const keepsStorage =
      first !== undefined && definition !== undefined && hasSameStorage(before as Definition | undefined, definition);
    const since = keepsStorage ? registry.since(first) : Number(after?.metadata.resourceVersion);
    for (const resource of had) registry.withdraw(resource);
    for (const resource of now) registry.serve(resource, since);
    served.set(key, now);
  });
}

/** Whether objects are validated as before, so that compiled versions can be kept. */
function isSame(before: Definition | undefined, after: Definition): boolean {
  return hasSameStorage(before, after) && terminates(before) === terminates(after);
}

/** The changes that watches have seen stay known. */
function hasSameStorage(before: Definition | undefined, after: Definition): boolean {
  return before?.metadata.generation === after.metadata.generation && accepted(before) === accepted(after);
}

function terminates(definition: Definition | undefined): boolean {
  return definition?.status.conditions?.some(({ type }) => type === 'Terminating') === true;
}

/** The conditions by which its versions are served. */
function accepted(definition: Definition | undefined): string {
  const conditions = (definition?.status.conditions ?? []).filter(({ type }) => type !== 'Terminating');
  return conditions.map(({ type, status }) => `${type}=${status}`).join();
}
