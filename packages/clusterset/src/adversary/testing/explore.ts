import type { ChaosOptions } from './chaos-run.ts';
import { chaosRun } from './chaos-run.ts';

const [from = '1', to = '10', mode = '{}'] = process.argv.slice(2);
const extra = JSON.parse(mode) as Partial<ChaosOptions>;
let bad = 0;
let imports = 0;
const started = Date.now();
for (let seed = Number(from); seed <= Number(to); seed++) {
  try {
    const result = await chaosRun({ seed, steps: 40, faults: true, ...extra });
    imports += result.imports;
    if (result.breaches.length + result.difference.length + result.restless.length > 0) {
      bad++;
      console.log(`=== seed ${seed}`);
      if (process.argv[5] === 'story') console.log(result.story.join('\n'));
      console.log(result.breaches.slice(0, 10).join('\n'));
      console.log(result.difference.slice(0, 12).join('\n').slice(0, 6000));
      console.log('restless', result.restless.length, result.restless.slice(0, 5));
    }
  } catch (error) {
    bad++;
    console.log(`=== seed ${seed} threw`, error instanceof Error ? error.stack?.slice(0, 3000) : error);
  }
}
console.log(`${bad} bad of ${from}..${to}, ${imports} imports, ${(Date.now() - started) / 1000}s`);
