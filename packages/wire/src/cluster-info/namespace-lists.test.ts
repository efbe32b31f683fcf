import { describe, expect, it } from 'vitest';
import type { NamespaceLists } from './namespace-lists.ts';
import { deniedBy } from './namespace-lists.ts';

const usual = { isHardened: false, ofControllers: ['kube-system', 'antrea-multicluster'] };
const hardened = { ...usual, isHardened: true };

describe('a Namespace of a cluster', () => {
  it.each<[string, NamespaceLists, string | undefined]>([
    ['shop', {}, undefined],
    ['kube-public', {}, 'kube-public'],
    ['kube-node-lease', {}, 'kube-node-lease'],
    ['openshift', {}, 'openshift*'],
    ['openshift-monitoring', {}, 'openshift*'],
    ['openshift-storage', {}, undefined],
    ['openshift-storage-x', {}, 'openshift*'],
    ['openshift-storage', { allow: ['*'] }, 'openshift*'],
    ['openshift-apps', { allow: ['*', 'openshift-apps'] }, undefined],
    ['kube-system', {}, undefined],
    ['kube-public', { deny: [] }, undefined],
    ['shop', { allow: ['prod-*'] }, 'no entry of allow (prod-*)'],
    ['prod-shop', { allow: ['prod-*'] }, undefined],
    ['prod-shop', { allow: ['prod-*'], deny: ['prod-shop'] }, 'prod-shop'],
    ['prod-shop', { allow: ['prod-shop'], deny: ['prod-*'] }, undefined],
    ['prod-shop', { allow: ['prod-shop'], deny: ['prod-shop'] }, 'prod-shop'],
    ['prod-shop', { allow: ['prod-shop'], deny: ['prod-shop*'] }, undefined],
    ['prod-shop', { allow: [] }, 'no entry of allow ()'],
  ])('%s is judged by the longest entry that matches: %j', (namespace, lists, expected) => {
    expect(deniedBy(namespace, lists, usual)).toBe(expected);
  });

  it.each([
    ['kube-system', 'kube-system'],
    ['kube-flannel', 'kube-*'],
    ['antrea-multicluster', 'antrea-multicluster'],
    ['shop', undefined],
  ])('%s is denied in a hardened fleet if Kubernetes or a controller uses it', (namespace, expected) => {
    expect(deniedBy(namespace, {}, hardened)).toBe(expected);
  });
});
