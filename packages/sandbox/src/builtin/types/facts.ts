import type { Json } from '@isthmus/schema';
import admission from './admission-v1.json' with { type: 'json' };
import admissionregistration from './admissionregistration-v1.json' with { type: 'json' };
import apiextensions from './apiextensions-v1.json' with { type: 'json' };
import apiregistration from './apiregistration-v1.json' with { type: 'json' };
import apps from './apps-v1.json' with { type: 'json' };
import authentication from './authentication-v1.json' with { type: 'json' };
import authorization from './authorization-v1.json' with { type: 'json' };
import autoscaling from './autoscaling-v1.json' with { type: 'json' };
import coordination from './coordination-v1.json' with { type: 'json' };
import core from './core-v1.json' with { type: 'json' };
import discovery from './discovery-v1.json' with { type: 'json' };
import events from './events-v1.json' with { type: 'json' };
import kindsJson from './kinds.json' with { type: 'json' };
import machinery from './machinery.json' with { type: 'json' };
import meta from './meta-v1.json' with { type: 'json' };
import networking from './networking-v1.json' with { type: 'json' };
import policy from './policy-v1.json' with { type: 'json' };
import rbac from './rbac-v1.json' with { type: 'json' };
import batch from './batch-v1.json' with { type: 'json' };
import certificates from './certificates-v1.json' with { type: 'json' };
import flowcontrol from './flowcontrol-v1.json' with { type: 'json' };
import node from './node-v1.json' with { type: 'json' };
import resource from './resource-v1.json' with { type: 'json' };
import scheduling from './scheduling-v1.json' with { type: 'json' };
import storage from './storage-v1.json' with { type: 'json' };
import autoscalingV2 from './autoscaling-v2.json' with { type: 'json' };

/**
 * The facts about a definition: its Go struct and its OpenAPI schema, whose `properties` are beside
 * the fields. Written by `scripts/generate-types.ts`.
 */
export interface DefinitionFacts {
  /** Empty if the type has a JSON form of its own. */
  readonly goName: string;
  readonly goType: string;
  /** In the order of the Go struct, in which the server writes them. */
  readonly fields?: Readonly<Record<string, FieldFacts>> | undefined;
  readonly schema?: OpenApiSchema | undefined;
}

export interface FieldFacts {
  /**
   * `[]T`, `{}T` (a map), `goName=T` for a named type that is not a struct, `@definition`, a scalar
   * of {@link ScalarType}, or `any`.
   */
  readonly go: string;
  readonly pointer?: boolean | undefined;
  readonly omit?: 'empty' | 'zero' | undefined;
  readonly inline?: readonly string[] | undefined;
  readonly schema?: OpenApiSchema | undefined;
}

/** A schema of OpenAPI v3, as far as it is looked into. */
export type OpenApiSchema = Readonly<Record<string, Json>>;

/** The definition of a kind, by `apiVersion kind`. */
export const kinds: Readonly<Record<string, string>> = kindsJson;

/** All definitions by name. Not merged into one object, so that nothing runs at import. */
export function definitionNamed(name: string): DefinitionFacts | undefined {
  for (const one of files) if (Object.hasOwn(one, name)) return one[name];
  return undefined;
}

const files = [
  core,
  meta,
  apps,
  apiextensions,
  rbac,
  machinery,
  admission,
  admissionregistration,
  apiregistration,
  authentication,
  authorization,
  autoscaling,
  coordination,
  discovery,
  events,
  networking,
  policy,
  batch,
  certificates,
  flowcontrol,
  node,
  resource,
  scheduling,
  storage,
  autoscalingV2,
] as unknown as readonly Readonly<Record<string, DefinitionFacts>>[];
