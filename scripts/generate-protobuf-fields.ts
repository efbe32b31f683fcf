/**
 * `node scripts/generate-protobuf-fields.ts`: reads the generated.proto files of the Kubernetes
 * modules that envtest/go.mod pins (field numbers and types) and the Go types beside them (the
 * names of those fields in JSON, which differ: `uID` and `uid`), and writes
 * packages/sandbox/src/protobuf/fields.json: what is reachable from the kinds that clients send as
 * protobuf (CustomResourceDefinitions are not among them).
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const moduleDirectory = (name: string) =>
  execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', name], { cwd: `${root}/envtest`, encoding: 'utf8' }).trim();

const api = moduleDirectory('k8s.io/api');
const apimachinery = moduleDirectory('k8s.io/apimachinery');
const files = [
  ...[
    'core',
    'apps',
    'rbac',
    'authentication',
    'authorization',
    'autoscaling',
    'coordination',
    'discovery',
    'admissionregistration',
    'networking',
    'policy',
    'events',
    'batch',
    'certificates',
    'flowcontrol',
    'node',
    'resource',
    'scheduling',
    'storage',
  ].map((group) => `${api}/${group}/v1/generated.proto`),
  `${api}/autoscaling/v2/generated.proto`,
  ...['apis/meta/v1', 'runtime', 'util/intstr', 'api/resource'].map(
    (path) => `${apimachinery}/pkg/${path}/generated.proto`,
  ),
];

/**
 * `number: [json name, type, 'one' | 'many' | 'map']`; the name is empty if the content is part of
 * the JSON of the message around it.
 */
type Fields = Record<string, readonly [name: string, type: string, count: string]>;

function generate(): void {
  const messages = new Map<string, Fields>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replaceAll(/\/\/.*$/gm, '');
    const name = /^package (\S+);/m.exec(text)?.[1] ?? '';
    const jsonNames = jsonNamesIn(dirname(file));
    for (const [, message = '', body = ''] of text.matchAll(/^message (\w+) \{([^}]*)\}/gm)) {
      const fields: Fields = {};
      for (const [, count = '', key, type = '', field = '', number = ''] of body.matchAll(
        /^\s*(optional|repeated|map)\s*(?:<\s*(\w+)\s*,\s*)?([\w.]+)>?\s+(\w+) = (\d+);/gm,
      )) {
        fields[number] = [
          jsonNames.get(`${message}.${number}`) ?? field,
          qualified(type, name),
          key === undefined ? (count === 'repeated' ? 'many' : 'one') : 'map',
        ];
      }
      messages.set(`${name}.${message}`, fields);
    }
  }

  const roots = [...messages.keys()].filter((name) => {
    const fields = Object.values(messages.get(name) ?? {});
    return (
      fields.some(([field, type]) => field === 'metadata' && type.endsWith('.ObjectMeta')) ||
      name.endsWith('.meta.v1.DeleteOptions')
    );
  });
  const reached = new Set<string>();
  const reach = (name: string): void => {
    if (reached.has(name)) return;
    const fields = messages.get(name);
    if (fields === undefined) return;
    reached.add(name);
    for (const [, type] of Object.values(fields)) reach(type);
  };
  roots.forEach(reach);
  const lines = [...reached].toSorted().map((name) => `${JSON.stringify(name)}: ${JSON.stringify(messages.get(name))}`);
  writeFileSync(`${root}/packages/sandbox/src/protobuf/fields.json`, `{\n${lines.join(',\n')}\n}\n`);
  console.log(`${lines.length} messages`);

  /** A type in full: scalars stay, names without a package are of the file's. */
  function qualified(type: string, packageName: string): string {
    if (/^(string|bytes|bool|double|float|u?int(32|64)|s?fixed(32|64))$/.test(type)) return type;
    return type.startsWith('.') ? type.slice(1) : type.includes('.') ? type : `${packageName}.${type}`;
  }
}

/**
 * By `<type>.<number>`: the names in JSON of the fields that the Go types of a folder give a number
 * in protobuf; empty for those inline.
 */
function jsonNamesIn(folder: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const path of globSync(`${folder}/*.go`)) {
    const text = readFileSync(path, 'utf8');
    for (const [, type = '', body = ''] of text.matchAll(/^type (\w+) struct \{$([\s\S]*?)^\}/gm)) {
      for (const [, tag = ''] of body.matchAll(/`([^`\n]*)`/g)) {
        const json = /json:"([^",]*)(,[^"]*)?"/.exec(tag);
        const number = /protobuf:"\w+,(\d+)/.exec(tag)?.[1];
        if (json === null || json[1] === '-' || number === undefined) continue;
        const [, name = '', options = ''] = json;
        if (name !== '' || options.includes('inline')) names.set(`${type}.${number}`, name);
      }
    }
  }
  return names;
}

generate();
