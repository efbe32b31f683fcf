import { wireNumber } from '@isthmus/api';
import { defineCommand } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { outputFlag } from '../command/output-flag.ts';
import { ExitCode } from '../command/exit-code.ts';
import { isthmusVersion, versionLine } from './version.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version of this program and its wire number',
  description: ['The wire number increases with each change that other clusters of a ClusterSet must know about.'],
  flags: { output: outputFlag, json: switchFlag({ summary: 'the same as -o json' }) },
  examples: [{ does: 'Print it for a script', line: 'isthmus version -o json' }],
  async run(io, flags) {
    const output = flags.output ?? (flags.json === true ? 'json' : 'text');
    if (output === 'text') io.stdout.write(`${versionLine()}\n`);
    else {
      // Loaded only here: the code that prints YAML takes longer to load than a version takes to
      // print.
      const { documentText } = await import('../render/document-text.ts');
      io.stdout.write(documentText({ version: isthmusVersion, wire: wireNumber }, output));
    }
    return ExitCode.ok;
  },
});
