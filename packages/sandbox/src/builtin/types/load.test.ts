import { describe, expect, it } from 'vitest';
import type { StructNode, TypeNode } from '../../typed/type-node.ts';
import { kinds } from './facts.ts';
import { builtInType, hasBuiltInType } from './load.ts';
import { definitionNameOf, openApiSchemas } from './open-api.ts';

/** The type at a path of field names, through lists and maps. */
function typeAt(root: StructNode, path: string): TypeNode {
  let type: TypeNode = root;
  for (const key of path.split('.')) {
    if (type.kind === 'list') type = type.items;
    const next: TypeNode | undefined = type.kind === 'struct' ? type.fields[key]?.type : undefined;
    if (next === undefined) throw new Error(`${path}: no field ${key}`);
    type = next;
  }
  return type;
}

const service = builtInType('v1', 'Service');
const deployment = builtInType('apps/v1', 'Deployment');

describe('the built-in types', () => {
  it('are all linked', () => {
    for (const name of Object.keys(kinds)) {
      const [apiVersion = '', kind = ''] = name.split(' ');
      expect(builtInType(apiVersion, kind).kind).toBe('struct');
    }
    expect(Object.keys(kinds).length).toBeGreaterThan(130);
  });

  it('refuse a kind that nothing is known of', () => {
    expect(hasBuiltInType('v1', 'Nothing')).toBe(false);
    expect(() => builtInType('v1', 'Nothing')).toThrow('no such built-in kind');
  });

  it('know keys of lists with their defaults, and how patches merge them', () => {
    expect(typeAt(service, 'spec.ports')).toMatchObject({
      listType: 'map',
      keys: [{ name: 'port' }, { name: 'protocol', default: 'TCP' }],
      patch: { mergeKey: 'port' },
      goType: '[]v1.ServicePort',
    });
    expect(typeAt(service, 'metadata.finalizers')).toMatchObject({ listType: 'set', patch: {} });
    expect(typeAt(service, 'spec.clusterIPs')).toMatchObject({ listType: 'atomic' });
  });

  it.each<readonly [string, StructNode, string, object]>([
    ['a struct owned as a whole', deployment, 'spec.selector', { atomic: true }],
    ['a map owned as a whole', service, 'spec.selector', { kind: 'map', atomic: true, goType: 'map[string]string' }],
    ['what keeps only the keys it is told', deployment, 'spec.strategy', { kind: 'struct', retainKeys: true }],
    ['a text with a name', service, 'spec.type', { scalar: 'string', goType: 'v1.ServiceType' }],
    ['a quantity by name', deployment, 'spec.template.spec.containers.resources.limits', { goType: 'v1.ResourceList' }],
  ])('know %s', (_what, root, path, expected) => {
    expect(typeAt(root, path)).toMatchObject(expected);
  });

  it('pass retainKeys on to the items of a list', () => {
    const volumes = typeAt(deployment, 'spec.template.spec.volumes');
    expect(volumes).toMatchObject({ patch: { mergeKey: 'name' }, items: { retainKeys: true } });
  });

  it('know where a field is embedded, and what is left out', () => {
    const volumes = typeAt(deployment, 'spec.template.spec.volumes');
    const volume = volumes.kind === 'list' && volumes.items.kind === 'struct' ? volumes.items.fields : {};
    expect(volume['emptyDir']).toMatchObject({ inline: ['VolumeSource'], pointer: true, omit: 'empty' });
    expect(service.fields['spec']).toMatchObject({ pointer: false });
    expect(typeAt(service, 'metadata')).toMatchObject({
      fields: { creationTimestamp: { omit: 'zero', pointer: false } },
    });
  });

  it('refer to themselves where the API does', () => {
    const versions = typeAt(
      builtInType('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      'spec.versions.schema.openAPIV3Schema',
    );
    expect(versions.kind === 'struct' && versions.fields['not']?.type).toBe(versions);
  });
});

describe('OpenAPI schemas', () => {
  it('come with all that they refer to', () => {
    const name = definitionNameOf('v1', 'Service') ?? '';
    const schemas = openApiSchemas([name], { group: '', version: 'v1' });
    expect(Object.keys(schemas)).toContain('io.k8s.api.core.v1.LoadBalancerIngress');
    expect(schemas[name]).toMatchObject({
      type: 'object',
      properties: { spec: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.ServiceSpec' }] } },
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'Service', version: 'v1' }],
    });
  });

  it('name the kinds of the document and of the core for what belongs to every group', () => {
    const name = definitionNameOf('v1', 'DeleteOptions') ?? '';
    const { [name]: options = {} } = openApiSchemas([name], { group: 'apps', version: 'v1' });
    expect(options['x-kubernetes-group-version-kind']).toEqual([
      { group: '', kind: 'DeleteOptions', version: 'v1' },
      { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
    ]);
  });
});
