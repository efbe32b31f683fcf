import { expect, test } from 'vitest';
import { readDevices } from './read-devices.ts';

const setting = (family: string, device: string, forwarding: boolean) => ({ family, interface: device, forwarding });

test('the devices of a Node are read with what it forwards, from one run of ip', async () => {
  const asked: string[] = [];
  const links = [{ ifname: 'lo' }, { ifname: 'eth0' }];
  const settings = [
    setting('inet', 'eth0', false),
    setting('inet', 'all', true),
    setting('inet6', 'eth0', true),
    setting('inet6', 'all', false),
  ];
  const found = await readDevices((program, args, input) => {
    asked.push(`${program} ${args.join(' ')}: ${input}`);
    return Promise.resolve({ code: 0, stdout: `${JSON.stringify(links)}\n${JSON.stringify(settings)}\n`, stderr: '' });
  });
  expect(found).toEqual({ names: ['lo', 'eth0'], notForwarding: new Set(['IPv6']) });
  expect(asked).toEqual(['ip -j -batch -: link show\nnetconf show\n']);
});
