/**
 * The files that each TypeScript file needs at run time: the modules that define the names that it
 * imports, and the files that it names in strings. An import through the index of a package leads
 * to the module that defines the name, not to everything behind the index: modules only declare
 * (ARCHITECTURE.md, rule 5), so the others do not matter. Types do not count: the compiler checks
 * them. Pure: texts in, paths out.
 */
import { posix } from 'node:path';
import { parseSync } from 'rolldown/utils';
import type { SyntaxNode } from '../syntax.ts';
import { childrenOf, field, list, nameOf } from '../syntax.ts';

/** The part of the repository that the graph reads. Paths are relative to the root, with `/`. */
export interface Sources {
  /** Every tracked file. */
  readonly paths: ReadonlySet<string>;
  /** The text of every tracked TypeScript file. */
  readonly texts: ReadonlyMap<string, string>;
  /** The module behind the name of a package, such as `@isthmus/kube` or `@isthmus/schema/cel`. */
  readonly entries: ReadonlyMap<string, string>;
}

/** An import or a re-export of a file: the names, or `*` for all that the module exports. */
interface Import {
  readonly specifier: string;
  readonly names: readonly string[] | '*';
}

interface ReExport {
  readonly specifier: string;
  /** The name in the other module; `*` for the whole module. */
  readonly name: string;
}

interface ModuleFacts {
  readonly imports: readonly Import[];
  /** Names that the file exports without defining them. */
  readonly reExports: ReadonlyMap<string, ReExport>;
  /** Modules of which it exports everything. */
  readonly stars: readonly string[];
  /** Names that it defines itself. */
  readonly defines: ReadonlySet<string>;
  /** Strings that may name a file or a folder, with `${}` for each placeholder. */
  readonly strings: readonly string[];
}

/** The files that each file needs, directly and indirectly. */
export interface ModuleGraph {
  /** The direct dependencies of a file: modules, files of data, and folders, which end with `/`. */
  needs(path: string): ReadonlySet<string>;
  /** All files and folders that a file needs, itself included, with the number of steps to each. */
  reach(path: string): ReadonlyMap<string, number>;
}

/**
 * Reads the graph. Each file is parsed when it is first asked for. `changed`: paths that may have
 * been removed; files that name them need them still.
 */
export function moduleGraph({ texts, entries, ...rest }: Sources, changed: readonly string[] = []): ModuleGraph {
  const sources: Sources = { texts, entries, paths: new Set([...rest.paths, ...changed]) };
  const facts = new Map<string, ModuleFacts>();
  const needed = new Map<string, ReadonlySet<string>>();
  const folders = foldersOf(sources.paths);

  const factsOf = (path: string): ModuleFacts => {
    let found = facts.get(path);
    if (found === undefined) facts.set(path, (found = readFacts(path, sources.texts.get(path) ?? '')));
    return found;
  };
  const resolve = (from: string, specifier: string): string | undefined => {
    const path = specifier.startsWith('.')
      ? posix.join(posix.dirname(from), specifier)
      : sources.entries.get(specifier);
    return path !== undefined && sources.paths.has(path) ? path : undefined;
  };
  /**
   * The module that defines a name which `path` exports; `path` itself if it defines the name, or
   * no module is found.
   */
  const definedIn = (path: string, name: string, seen: ReadonlySet<string> = new Set()): string => {
    if (seen.has(path) || !sources.texts.has(path)) return path;
    const { reExports, stars } = factsOf(path);
    const through = reExports.get(name);
    const next = new Set(seen).add(path);
    if (through !== undefined) {
      const target = resolve(path, through.specifier);
      if (target === undefined) return path;
      return through.name === '*' ? target : definedIn(target, through.name, next);
    }
    for (const specifier of stars) {
      const target = resolve(path, specifier);
      if (target !== undefined && exportsName(target, name)) return definedIn(target, name, next);
    }
    return path;
  };
  const exportsName = (path: string, name: string, seen: ReadonlySet<string> = new Set()): boolean => {
    if (seen.has(path)) return false;
    const { reExports, stars, defines } = factsOf(path);
    if (reExports.has(name) || defines.has(name)) return true;
    const targets = stars.flatMap((specifier) => resolve(path, specifier) ?? []);
    return targets.some((target) => exportsName(target, name, new Set(seen).add(path)));
  };

  const needs = (path: string): ReadonlySet<string> => {
    const known = needed.get(path);
    if (known !== undefined) return known;
    const found = new Set<string>();
    if (sources.texts.has(path)) {
      const { imports, reExports, stars, strings } = factsOf(path);
      for (const { specifier, names } of imports) {
        const target = resolve(path, specifier);
        if (target === undefined) continue;
        if (names === '*') found.add(target);
        else for (const name of names) found.add(definedIn(target, name));
      }
      // An import of a whole index needs everything that the index exports.
      for (const { specifier } of [...reExports.values(), ...stars.map((specifier) => ({ specifier }))]) {
        const target = resolve(path, specifier);
        if (target !== undefined) found.add(target);
      }
      for (const text of strings) {
        // A file that names a test does not run it.
        for (const named of namedBy(path, text, sources.paths, folders)) {
          if (!named.endsWith('.test.ts')) found.add(named);
        }
      }
      found.delete(path);
    }
    needed.set(path, found);
    return found;
  };

  return {
    needs,
    reach(path) {
      const reached = new Map([[path, 0]]);
      // A Map visits entries that are added during the visit: nearer files first.
      for (const [next, steps] of reached) {
        for (const further of needs(next)) if (!reached.has(further)) reached.set(further, steps + 1);
      }
      return reached;
    },
  };
}

/**
 * The folders of these files, each with a `/` at its end, without the root and the folder of all
 * packages, which contain everything.
 */
function foldersOf(paths: ReadonlySet<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at + 1));
  }
  folders.delete('packages/');
  return folders;
}

/** What stands for a part of a name that is not known. */
const placeholder = /\$\{\}|\*+|\{[^}]*\}|\?/;

/**
 * The file or folder that a string names, or the files beside the one that contains it: from the
 * root, which may be a placeholder, or beside the file that contains the string.
 */
function namedBy(
  from: string,
  written: string,
  paths: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): readonly string[] {
  const text = written.replace(/^\$\{\}\/?/, '');
  // The text after a placeholder is unknown, so the folder before it is used.
  const cut = text.search(placeholder);
  const known = cut === -1 ? text : text.slice(0, text.slice(0, cut).lastIndexOf('/') + 1);
  if (known === '' || !/[/.]/.test(known)) return [];
  for (const path of [posix.normalize(known), posix.join(posix.dirname(from), known)]) {
    if (paths.has(path)) return [path];
    const folder = path.endsWith('/') ? path : `${path}/`;
    if (!known.includes('/') || !folders.has(folder)) continue;
    // A folder above the file would contain nearly everything, so only files that fit are used.
    if (!from.startsWith(folder)) return [folder];
    if (known.startsWith('.') && cut !== -1) return fitting(posix.join(posix.dirname(from), text), paths);
  }
  return [];
}

/** The files whose paths fit a text with placeholders. */
function fitting(text: string, paths: ReadonlySet<string>): readonly string[] {
  const parts = text.split(placeholder).map((part) => part.replaceAll(/[$()+.[\\\]^|]/g, String.raw`\$&`));
  // A placeholder at the end could be anything.
  if (parts.at(-1) === '') return [];
  const pattern = new RegExp(`^${parts.join('[^/]*')}$`);
  return [...paths].filter((path) => pattern.test(path));
}

function readFacts(path: string, text: string): ModuleFacts {
  const { module, program } = parseSync(path, text);
  const imports: Import[] = [];
  const reExports = new Map<string, ReExport>();
  const stars: string[] = [];
  const defines = new Set<string>();
  for (const { moduleRequest, entries } of module.staticImports) {
    const values = entries.filter(({ isType }) => !isType);
    // An import without names loads the module for its effects; an import of types alone does not
    // load it.
    if (entries.length > 0 && values.length === 0) continue;
    const isWhole = values.length === 0 || values.some(({ importName }) => importName.kind === 'NamespaceObject');
    const names = values.map(({ importName }) => importName.name ?? 'default');
    imports.push({ specifier: moduleRequest.value, names: isWhole ? '*' : names });
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName, isType } of entries) {
      if (isType) continue;
      if (moduleRequest === null) {
        defines.add(exportName.name ?? 'default');
        continue;
      }
      if (importName.kind === 'AllButDefault') stars.push(moduleRequest.value);
      else {
        const name = importName.kind === 'Name' ? (importName.name ?? '*') : '*';
        reExports.set(exportName.name ?? 'default', { specifier: moduleRequest.value, name });
      }
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = /^['"`](.*)['"`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
    if (specifier !== undefined) imports.push({ specifier, names: '*' });
  }
  const strings = new Set<string>();
  collectStrings(program as unknown as SyntaxNode, strings);
  return { imports, reExports, stars, defines, strings: [...strings] };
}

/** Adds the texts that could be paths. */
function collectStrings(node: SyntaxNode, found: Set<string>): void {
  const text = textOf(node);
  if (text !== undefined && /[/.]/.test(text) && !/\s/.test(text)) found.add(text);
  // Relative without a dot before it.
  const isUrl = node.type === 'NewExpression' && nameOf(field(node, 'callee')) === 'URL';
  const url = isUrl ? list(node, 'arguments').map(textOf)[0] : undefined;
  if (url?.startsWith('${}.') === true) found.add(`./${url}`);
  for (const child of childrenOf(node)) collectStrings(child, found);
}

/** The text of a string; in a template, `${}` stands for each expression. */
function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return list(node, 'quasis')
    .map(({ value }) => (value as { readonly raw: string }).raw)
    .join('${}');
}
