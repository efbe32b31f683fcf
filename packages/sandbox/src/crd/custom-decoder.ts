import { canonicalJson } from '@isthmus/machinery';
import type { CompiledSchema } from '@isthmus/schema';
import type { StructNode } from '../typed/type-node.ts';
import { builtInType } from '../builtin/types/load.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { decodeTyped } from '../typed/decode.ts';
import { duplicateFields } from '../typed/strict-errors.ts';

/**
 * Reads objects of a custom kind: pruned by the schema, which names each field that it drops;
 * metadata as every object's.
 */
export function customDecoder(compiled: CompiledSchema): ServedResource['decode'] {
  const objectMeta = builtInType('v1', 'ConfigMap').fields['metadata']?.type as StructNode;
  return ({ value, oddities }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { kind: 'refused', message: 'it is not a JSON object' };
    }
    const { metadata, ...rest } = value as Readonly<Record<string, unknown>>;
    const meta = decodeTyped(objectMeta, metadata ?? {}, oddities);
    // The real server reads the metadata with its keys sorted: which mistake it meets first depends
    // on that.
    if (meta.kind === 'refused') return decodeTyped(objectMeta, JSON.parse(canonicalJson(metadata)));
    const pruned = compiled.prune(rest);
    const inMetadata = 'duplicate field "metadata.';
    const unknown = [
      ...duplicateFields(value, oddities).filter((text) => !text.startsWith(inMetadata)),
      ...meta.strictErrors.map((text) => text.replace(' field "', ' field "metadata.')),
      ...pruned.unknownFields.map((path) => `unknown field "${path}"`),
    ];
    const object = { ...(pruned.value as object), metadata: meta.object };
    return { kind: 'decoded', object, strictErrors: unknown };
  };
}
