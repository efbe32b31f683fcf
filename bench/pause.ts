import { setTimeout as delay } from 'node:timers/promises';

export async function pause(ms: number): Promise<void> {
  await delay(ms);
}
