import { anyCharacter } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseImageReference } from './image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('an image reference', () => {
  it.each([
    ['public.ecr.aws/eks/cilium/cilium:v1.19.4-1', 'public.ecr.aws', 'eks/cilium/cilium', 'v1.19.4-1', undefined],
    ['oci://public.ecr.aws/eks/cilium/cilium:1.19.4-1', 'public.ecr.aws', 'eks/cilium/cilium', '1.19.4-1', undefined],
    ['nginx', 'docker.io', 'library/nginx', 'latest', undefined],
    ['antrea/antrea-agent:v2.7.0', 'docker.io', 'antrea/antrea-agent', 'v2.7.0', undefined],
    ['localhost/x', 'localhost', 'x', 'latest', undefined],
    ['mirror.example:5000/a/b', 'mirror.example:5000', 'a/b', 'latest', undefined],
    ['[::1]:5000/a__b/c-d.e', '[::1]:5000', 'a__b/c-d.e', 'latest', undefined],
    [`quay.io/a@${digest}`, 'quay.io', 'a', undefined, digest],
    [`quay.io/a:v1@${digest}`, 'quay.io', 'a', 'v1', digest],
  ])('%s is read', (text, host, repository, tag, pinned) => {
    expect(parseImageReference(text)).toEqual({ host, repository, tag, digest: pinned });
  });

  it.each([
    ['', 'is not the name of a repository'],
    ['quay.io/', 'is not the name of a repository'],
    ['quay.io/Upper', 'is not the name of a repository, which is in lower case'],
    ['quay.io/a//b', 'is not the name of a repository'],
    ['quay.io/a..b', 'is not the name of a repository'],
    [`quay.io/${'a'.repeat(256)}`, 'is not the name of a repository'],
    ['quay.io/a:', 'is not a tag'],
    ['quay.io/a:v1 ', 'is not a tag'],
    ['-bad.example/a', 'is not the name of a registry'],
    ['user:secret@quay.io/a', 'is not a SHA-256 digest'],
    [`a@${digest}@${digest}`, 'it has more than one @'],
    ['a@sha512:00', 'is not a SHA-256 digest'],
  ])('%j is not one', (text, problem) => {
    expect(parseImageReference(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('is read or refused whatever the text; what is read names nothing outside of its registry', () => {
    const odd = fc.oneof(fc.string({ unit: anyCharacter() }), fc.stringMatching(/^[a-zA-Z0-9.:/@_\-[\] %?#]{0,40}$/));
    fc.assert(
      fc.property(odd, (text) => {
        const read = parseImageReference(text);
        if ('problem' in read) return;
        const url = new URL(`https://${read.host}/v2/${read.repository}/manifests/${read.digest ?? read.tag}`);
        expect(url.pathname).toBe(`/v2/${read.repository}/manifests/${read.digest ?? read.tag}`);
        expect(url.username + url.password + url.search + url.hash).toBe('');
      }),
    );
  });
});
