/**
 * Which reasons code can give on which objects, read from its syntax. Pure: texts in, names out.
 *
 * Code reports on an object when it names the definition of its status, or a type that is made of
 * that definition: `ReasonOn<typeof serviceImportStatus, …>`, or what another file exports under a
 * name of its own. The words that such code gives are its texts, but those that it only compares
 * with.
 */
import { posix } from 'node:path';
import type { SyntaxNode } from './syntax.ts';
import { childrenOf, field, list, nameOf, parseSource } from './syntax.ts';

export interface ReasonGiver {
  readonly path: string;
  /** The names of the definitions whose objects the file reports on. */
  readonly definitions: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

/**
 * `files`: texts by path; `definitions`: the names that definitions of statuses are imported by.
 */
export function reasonGivers(
  files: ReadonlyMap<string, string>,
  definitions: ReadonlySet<string>,
): readonly ReasonGiver[] {
  const modules = new Map([...files].map(([path, text]) => [path, moduleOf(path, text)]));
  /** Where a name is declared, past the indexes that only pass it on. */
  const originOf = (imported: Imported): Imported => {
    const passedOn = modules.get(imported.from)?.passedOn.get(imported.name);
    return passedOn === undefined ? imported : originOf(passedOn);
  };
  const reached = (module: Module, name: string, seen: Set<string>): readonly string[] => {
    const at = `${module.path} ${name}`;
    if (seen.has(at)) return [];
    seen.add(at);
    const imported = module.imports.get(name);
    if (imported !== undefined) {
      if (definitions.has(imported.name)) return [imported.name];
      const { name: original, from } = originOf(imported);
      const other = modules.get(from);
      return other === undefined ? [] : reached(other, original, seen);
    }
    return namesIn(module.declared.get(name)).flatMap((each) => reached(module, each, seen));
  };
  return [...modules.values()].map((module) => ({
    path: module.path,
    words: new Set(module.body.flatMap(wordsIn)),
    definitions: new Set(
      // The use of a definition in another file does not count for this one; the definitions in its
      // types do.
      [...module.imports].flatMap(([name, imported]) => {
        const { name: original, from } = originOf(imported);
        return definitions.has(original) || isType(modules.get(from)?.declared.get(original))
          ? reached(module, name, new Set())
          : [];
      }),
    ),
  }));
}

interface Module {
  readonly path: string;
  readonly body: readonly SyntaxNode[];
  /** What is declared at the top, by name. */
  readonly declared: ReadonlyMap<string, SyntaxNode>;
  readonly imports: ReadonlyMap<string, Imported>;
  /** What is exported from another file, by the name here. */
  readonly passedOn: ReadonlyMap<string, Imported>;
}

interface Imported {
  readonly name: string;
  /** The path of the file, where it is one of ours. */
  readonly from: string;
}

function moduleOf(path: string, text: string): Module {
  const { body } = parseSource(text);
  const declarations = body.map((node) =>
    node.type === 'ExportNamedDeclaration' ? (field(node, 'declaration') ?? node) : node,
  );
  const declared = declarations.flatMap((node): (readonly [string, SyntaxNode])[] => {
    const nodes = node.type === 'VariableDeclaration' ? list(node, 'declarations') : [node];
    return nodes.flatMap((one) => {
      const name = nameOf(field(one, 'id'));
      return name === undefined ? [] : [[name, one] as const];
    });
  });
  const imports = namesOf(path, body, { kind: 'ImportDeclaration', here: 'local', there: 'imported' });
  const passedOn = namesOf(path, body, { kind: 'ExportNamedDeclaration', here: 'exported', there: 'local' });
  return { path, body, declared: new Map(declared), imports, passedOn };
}

/**
 * The kind of declarations that bring names from other files, and the fields with the name here and
 * the name there.
 */
interface Passage {
  readonly kind: string;
  readonly here: string;
  readonly there: string;
}

/** The names that such declarations bring, by the name here. */
function namesOf(
  path: string,
  body: readonly SyntaxNode[],
  { kind, here, there }: Passage,
): ReadonlyMap<string, Imported> {
  const names = body
    .filter((node) => node.type === kind && field(node, 'source') !== undefined)
    .flatMap((node) => {
      const from = fileOf(path, nameOf(field(node, 'source')) ?? '');
      return list(node, 'specifiers').map((specifier) => {
        const name = nameOf(field(specifier, here)) ?? '';
        return [name, { name: nameOf(field(specifier, there)) ?? name, from }] as const;
      });
    });
  return new Map(names);
}

/** A package is imported by its index. */
function fileOf(path: string, source: string): string {
  if (source.startsWith('.')) return posix.join(posix.dirname(path), source);
  return source.replace(/^@isthmus\/([a-z]+)$/, 'packages/$1/src/index.ts');
}

function isType(node: SyntaxNode | undefined): boolean {
  return node?.type === 'TSTypeAliasDeclaration' || node?.type === 'TSInterfaceDeclaration';
}

function namesIn(node: SyntaxNode | undefined): readonly string[] {
  if (node === undefined) return [];
  const own = node.type === 'Identifier' ? [nameOf(node) ?? ''] : [];
  return [...own, ...childrenOf(node).flatMap(namesIn)];
}

/**
 * Texts that an expression can come to. Of a comparison that is a truth value, and types are
 * nothing that runs.
 */
function wordsIn(node: SyntaxNode): readonly string[] {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : [];
  if (node.type === 'BinaryExpression' || node.type === 'ImportDeclaration') return [];
  if (node.type === 'SwitchCase') return list(node, 'consequent').flatMap(wordsIn);
  if (node.type.startsWith('TS'))
    return [field(node, 'expression')].flatMap((one) => (one === undefined ? [] : wordsIn(one)));
  return childrenOf(node).flatMap(wordsIn);
}
