import fc from 'fast-check';
import { expect, test } from 'vitest';
import { directMessageText, readDirectMessage } from './direct-message.ts';

test('what agents send past the tunnels is read as it was written, an answer is as long as its question, and nothing else is read', () => {
  const nonce = fc.stringMatching(/^[0-9a-f]{16,64}$/);
  const clusterID = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,40}[a-z0-9])?$/);
  fc.assert(
    fc.property(nonce, clusterID, fc.string(), (id, cluster, tail) => {
      const question = directMessageText({ kind: 'question', nonce: id, clusterID: cluster });
      const answer = directMessageText({ kind: 'answer', nonce: id, clusterID: cluster });
      expect(readDirectMessage(question)).toEqual({ kind: 'question', nonce: id, clusterID: cluster });
      expect(readDirectMessage(answer)).toEqual({ kind: 'answer', nonce: id, clusterID: cluster });
      expect(answer).toHaveLength(question.length);
      expect(readDirectMessage(tail)).toBeUndefined();
      expect(readDirectMessage(`${question} ${tail}`)).toBeUndefined();
    }),
  );
  expect(
    readDirectMessage(directMessageText({ kind: 'question', nonce: 'a'.repeat(64), clusterID: 'x'.repeat(400) })),
  ).toBeUndefined();
});
