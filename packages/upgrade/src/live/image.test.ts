import { expect, it } from 'vitest';
import { parseImage, versionOfTag } from './image.ts';

const digest = `sha256:${'a'.repeat(64)}`;

it.each([
  ['antrea/antrea-agent-ubuntu:v2.7.0', 'antrea/antrea-agent-ubuntu', 'v2.7.0', undefined],
  ['registry.local:5000/antrea/agent', 'registry.local:5000/antrea/agent', '', undefined],
  ['registry.local:5000/antrea/agent:v1.0.0', 'registry.local:5000/antrea/agent', 'v1.0.0', undefined],
  [`quay.io/cilium/cilium:v1.16.1@${digest}`, 'quay.io/cilium/cilium', 'v1.16.1', digest],
  [`quay.io/cilium/cilium@${digest}`, 'quay.io/cilium/cilium', '', digest],
  ['x@sha256:short', 'x', '', undefined],
])('reads the image %s', (text, repository, tag, digest) => {
  expect(parseImage(text)).toEqual({ repository, tag, digest });
});

it.each([
  ['v2.7.0', 'v2.7.0'],
  ['0.1.0', '0.1.0'],
  ['v1.16.9-2', 'v1.16.9-2'],
  ['v1.18.1-eks-a-92', 'v1.18.1'],
  ['v1.31.9-eks-1-31-30', 'v1.31.9-eks-1-31-30'],
  ['V2.0.0-RC.1', 'v2.0.0-rc.1'],
  ['latest', undefined],
  ['main', undefined],
  ['', undefined],
  ['8539f509df046a4f', undefined],
])('the tag %j names the version %s', (tag, version) => {
  expect(versionOfTag(tag)).toBe(version);
});
