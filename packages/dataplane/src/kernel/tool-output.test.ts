import { expect, test } from 'vitest';
import { toolOutput } from './tool-output.ts';

test('what a program prints when it fails is one line, with what to do where that is known', async () => {
  const failing = (stderr: string) => () => Promise.resolve({ code: 1, stdout: '', stderr });
  const refused = 'Operation not permitted (you must be root)\nnetlink: Error: cache initialization failed\n';
  await expect(toolOutput(failing(refused), 'read the nft tables of this Node', 'nft', [])).rejects.toThrow(
    /^cannot read the nft tables of this Node: Operation not permitted \(you must be root\); netlink: Error: cache initialization failed\. The agent needs the capability NET_ADMIN and user ID 0$/,
  );
  await expect(toolOutput(failing('Dump terminated\n'), 'read routes', 'ip', [])).rejects.toThrow(
    /^cannot read routes: Dump terminated$/,
  );
});
