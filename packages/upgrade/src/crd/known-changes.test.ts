import type { JsonSchema } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import { checkDefinition } from './check/check-definition.ts';
import { checkObjects } from './objects/check-objects.ts';
import { readDefinition } from './read-definition.ts';
import { plainOptions } from './testing/definitions.ts';

/** CRDs in the shape of public ones, as far as the change is about it; written for these tests. */
function crd(
  name: string,
  kind: string,
  versions: readonly object[],
  more: { readonly spec?: object; readonly status?: object } = {},
) {
  const [plural = '', ...group] = name.split('.');
  const reading = readDefinition({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: { group: group.join('.'), scope: 'Namespaced', names: { plural, kind }, versions, ...more.spec },
    ...(more.status !== undefined && { status: more.status }),
  });
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problems));
  return reading.definition;
}

const text: JsonSchema = { type: 'string' };
const version = (name: string, spec: Readonly<Record<string, JsonSchema>>, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
  ...more,
});
const stored = { storage: true };
const verdict = (...[old, next, options]: [...Parameters<typeof checkDefinition>]) =>
  checkDefinition(old, next, options).findings.map(({ rule, severity, field = '' }) =>
    `${rule} ${severity} ${field}`.trim(),
  );

describe('changes that broke upgrades of others', () => {
  it('Antrea #4211: fields of ResourceExport renamed in an alpha version leave specs empty', () => {
    const name = 'resourceexports.multicluster.crd.antrea.io';
    const old = crd(name, 'ResourceExport', [version('v1alpha1', { ClusterID: text, Kind: text, name: text }, stored)]);
    const next = crd(name, 'ResourceExport', [
      version('v1alpha1', { clusterID: text, kind: text, name: text }, stored),
    ]);
    expect(verdict(old, next, plainOptions)).toEqual(['F02 B spec.ClusterID', 'F02 B spec.Kind']);
    const object = {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceExport',
      metadata: { namespace: 'n', name: 'x' },
      spec: { ClusterID: 'a', Kind: 'Service', name: 's' },
    };
    const { groups } = checkObjects(old, next, [object], plainOptions);
    expect(groups.map(({ effect, field }) => `${effect} ${field}`)).toEqual([
      'data-loss spec.ClusterID',
      'data-loss spec.Kind',
    ]);
  });

  it('Antrea 2.0: ClusterGroup v1alpha3 is dropped while objects may be stored in it', () => {
    const name = 'clustergroups.crd.antrea.io';
    const versions = [version('v1alpha3', { a: text }, { deprecated: true }), version('v1beta1', { a: text }, stored)];
    const old = crd(name, 'ClusterGroup', versions, { status: { storedVersions: ['v1alpha3', 'v1beta1'] } });
    const next = crd(name, 'ClusterGroup', versions.slice(1));
    const report = checkDefinition(old, next, plainOptions);
    expect(report.findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(['G05 X', 'G07 C']);
    expect(report.migration).toMatchObject({ from: ['v1alpha3'], to: 'v1beta1', when: 'before-crd' });
    const migrated = { ...old, status: { ...old.status, storedVersions: ['v1beta1'] } };
    expect(verdict(migrated, next, plainOptions)).toEqual(['G07 C']);
  });

  it('Antrea IPPool: conversion comes with a Service, which has to be there first', () => {
    const name = 'ippools.crd.antrea.io';
    const versions = [version('v1alpha2', { a: text }, { deprecated: true }), version('v1beta1', { b: text }, stored)];
    const clientConfig = { service: { namespace: 'kube-system', name: 'antrea', path: '/convert/ippool' } };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'] } };
    const next = crd(name, 'IPPool', versions, { spec: { conversion } });
    const old = crd(name, 'IPPool', [version('v1alpha2', { a: text }, stored)]);
    expect(verdict(old, next, plainOptions)).toEqual(['G13 B', 'G13 B', 'G08 R', 'G09 R', 'G11 R', 'F37 I', 'G22 I']);
  });

  it('Antrea 2.7: a webhook without a caBundle, which its controller writes, was there before', () => {
    const name = 'tiers.crd.antrea.io';
    const clientConfig = { service: { namespace: 'kube-system', name: 'antrea', path: '/convert/clustergroup' } };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'] } };
    const of = (fields: Readonly<Record<string, JsonSchema>>) =>
      crd(name, 'Tier', [version('v1beta1', fields, stored)], { spec: { conversion } });
    expect(verdict(of({ a: text }), of({ a: text, b: text }), plainOptions)).toEqual([
      'F37 I spec.b',
      'G13 I',
      'G13 I',
    ]);
  });

  it('Cluster API 1.11 and Antrea 2.0: a version is introduced and stored in at once', () => {
    const name = 'egresses.crd.antrea.io';
    const old = crd(name, 'Egress', [version('v1alpha2', { a: text }, stored)]);
    const next = crd(name, 'Egress', [
      version('v1alpha2', { a: text }, { deprecated: true }),
      version('v1beta1', { a: text }, stored),
    ]);
    expect(verdict(old, next, plainOptions)).toEqual(['G08 R', 'G09 R', 'F37 I', 'G22 I']);
  });

  it('Gateway API 1.1: the storage version changes to one that has more', () => {
    const name = 'httproutes.gateway.example.com';
    const had = version('v1beta1', { a: text });
    const old = crd(name, 'HTTPRoute', [version('v1', { a: text }), { ...had, ...stored }]);
    const next = crd(name, 'HTTPRoute', [
      version('v1', { a: text, b: text }, stored),
      version('v1beta1', { a: text, b: text }),
    ]);
    expect(verdict(old, next, plainOptions)).toEqual(['G08 R', 'F37 I spec.b', 'F37 I spec.b']);
    const less = crd(name, 'HTTPRoute', [version('v1', { b: text }, stored), version('v1beta1', { a: text, b: text })]);
    expect(verdict(old, less, plainOptions)).toContain('G10 B');
  });

  it('Cluster API #6691: an old version is removed in the release that stops to store in it', () => {
    const name = 'clusters.cluster.x-k8s.io';
    const old = crd(name, 'Cluster', [version('v1alpha3', { a: text }, stored), version('v1alpha4', { a: text })]);
    const next = crd(name, 'Cluster', [version('v1alpha4', { a: text }, stored), version('v1beta1', { a: text })]);
    expect(verdict(old, next, plainOptions)).toEqual(['G06 X', 'G07 C', 'G08 R', 'F37 I']);
  });

  it('EKS Anywhere: a field becomes required in the version that is served', () => {
    const name = 'vspheremachineconfigs.anywhere.eks.amazonaws.com';
    const fields = {
      osFamily: text,
      users: { type: 'array', items: { type: 'object', properties: { name: text } } },
    } as const satisfies Readonly<Record<string, JsonSchema>>;
    const strict = version('v1alpha1', fields, stored);
    const next = crd(name, 'VSphereMachineConfig', [
      {
        ...strict,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', required: ['osFamily'], properties: fields } },
          },
        },
      },
    ]);
    expect(verdict(crd(name, 'VSphereMachineConfig', [strict]), next, plainOptions)).toEqual(['F05 B spec.osFamily']);
  });
});
