import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { membership } from './testing/membership.ts';
import { obstacles } from './testing/obstacles.ts';
import { recordScenario } from './testing/record.ts';
import { removalHold } from './testing/removal-hold.ts';
import { serviceLife } from './testing/service-life.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

describe('every object on the wire and every Event is as recorded', () => {
  it.each([serviceLife, obstacles, membership, removalHold])('in the file of the scenario $name', async (scenario) => {
    await expect(await recordScenario(scenario)).toMatchFileSnapshot(`${folder}${scenario.name}.yaml`);
  });
});
