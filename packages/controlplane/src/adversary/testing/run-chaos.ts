/**
 * A program: `run-chaos.ts <first seed> <seeds>` runs every shape of chaos on a fleet for each
 * seed. It prints one JSON document per run, each on a line (a check of `scripts/soak.ts`).
 */
import { chaosRun } from './chaos-run.ts';
import { chaosShapes } from './chaos-shapes.ts';

const [first = 1, seeds = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + seeds; seed++) {
  for (const [shape, options] of Object.entries(chaosShapes)) {
    const { breaches, difference, restless, story } = await chaosRun({ ...options, seed });
    const found = [...breaches, ...difference, ...restless];
    const detail = found.length === 0 ? `${story.length} steps` : found.join('\n');
    process.stdout.write(`${JSON.stringify({ title: `seed ${seed}: ${shape}`, ok: found.length === 0, detail })}\n`);
  }
}
