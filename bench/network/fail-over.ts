import { flowServer, openFlows, startPacketLab } from '@isthmus/testkit';
import type { FlowReport } from '@isthmus/testkit';
import { startAgentLab } from '../../packages/dataplane/src/testing/agent-lab.ts';
import { translateAsUpstream } from './as-upstream.ts';
import { layTunnels } from './hand-made-tunnels.ts';

const clusters = { east: { nodes: 3 }, west: { nodes: 3 } };
const clusterIP = '10.99.0.80';
const flows = { address: clusterIP, port: 80, tcp: 100, udp: 20 };

/**
 * One gateway of the clients after the other is cut off and comes back while flows are open, in
 * every second one of which the server speaks first. Agents find it out by their probes.
 */
export async function failOverOfAgents(): Promise<FlowReport> {
  const gateways = ['east-1', 'east-2', 'west-1', 'west-2'];
  await using lab = await startAgentLab({ clusters, masquerade: false }, { gateways, clusterIP });
  await lab.pod('west-3').start(...flowServer());
  lab.exportFrom('west', [lab.pod('west-3').address]);
  await lab.ready();
  const open = await openFlows(lab.pod('east-3'), flows);
  // Flows between two addresses go through one gateway, whichever it is.
  const senders = ['east-3', 'west-1', 'west-2'];
  for (const gateway of ['east-1', 'east-2']) {
    const { place } = lab.node(gateway);
    await place.setLink('down');
    await lab.untilUnused(gateway, senders);
    await place.setLink('up');
    await lab.untilUsed(gateway, senders);
  }
  return await open.stop();
}

/**
 * The same with the translations of Antrea Multi-cluster; the Node of the clients changes to the
 * other gateway at once, without having to find out.
 */
export async function failOverAsUpstream(): Promise<FlowReport> {
  await using lab = await startPacketLab({ clusters, masquerade: false });
  const tunnels = await layTunnels(lab);
  const { layout } = lab.node('west-3');
  await tunnels.route('west-1', layout.podCIDR, 'west-3');
  for (const gateway of ['east-1', 'east-2']) await tunnels.route(gateway, lab.node('east-3').layout.podCIDR, 'east-3');
  const use = await translateAsUpstream(lab, tunnels, {
    client: 'east-3',
    gateways: ['east-1', 'east-2'],
    remote: 'west-1',
    service: clusterIP,
    endpoint: `${lab.pod('west-3').address}:8080`,
  });
  await lab.pod('west-3').start(...flowServer());
  const open = await openFlows(lab.pod('east-3'), flows);
  await lab.node('east-1').place.setLink('down');
  await use('east-2');
  return await open.stop();
}
