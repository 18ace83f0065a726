// Faults as repeatable scenarios against the built server: what is promised, what happened. See docs/faults.md.
//
//   npm run chaos                        all but the soak
//   npm run chaos -- NAME...             some of them
//   npm run chaos -- soak --episodes 300000 --seconds 900
//   npm run chaos -- --list
import { parseArgs } from 'node:util';
import { SCENARIOS } from './chaos/scenarios.mjs';
import { runScenario } from './chaos/support/chaos.mjs';
import { printScenario, printSummary, progressBar } from './chaos/support/print.mjs';

const HELP = `usage: npm run chaos [-- [--quick] [--json] [--list] [--episodes N] [--seconds N] [NAME...]]

  NAME...         the scenarios to run; without one, all but the soak
  --list          say which there are
  --quick         smaller counts; promises about speed are measured and break nothing
  --json          one JSON object on stdout
  --episodes N    how many episodes the soak plays (300000)
  --seconds N     how long the soak may take (900)

exit codes: 0 every promise was kept, 1 one was broken, 2 the command was misused`;

process.exitCode = await main();

async function main() {
  const given = readArguments();
  if (given.problem !== undefined) {
    console.error(given.problem);
    console.error(HELP);
    return 2;
  }
  const { values, chosen } = given;
  if (values.help) return say(HELP);
  if (values.list) return say(SCENARIOS.map(describe).join('\n'));
  const results = [];
  for (const scenario of chosen) {
    const bar = progressBar(scenario.name);
    const result = await runScenario(scenario, {
      quick: values.quick,
      episodeCount: given.episodeCount,
      seconds: given.seconds,
      onProgress: bar.update,
    });
    bar.stop();
    results.push(result);
    if (!values.json) printScenario(result);
  }
  if (values.json) console.log(JSON.stringify({ scenarios: results }, undefined, 2));
  else printSummary(results);
  return results.some(({ verdict }) => verdict === 'broken') ? 1 : 0;
}

function readArguments() {
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        list: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        episodes: { type: 'string', default: '300000' },
        seconds: { type: 'string', default: '900' },
      },
    });
  } catch (error) {
    return { problem: error.message };
  }
  const { values, positionals } = parsed;
  const unknown = positionals.filter((name) => !SCENARIOS.some((each) => each.name === name));
  if (unknown.length > 0) return { problem: `no such scenario: ${unknown.join(', ')}; see --list` };
  const [episodeCount, seconds] = [values.episodes, values.seconds].map(Number);
  if (![episodeCount, seconds].every((value) => Number.isInteger(value) && value > 0)) {
    return { problem: '--episodes and --seconds are whole numbers over 0' };
  }
  const chosen = SCENARIOS.filter(({ name, named }) =>
    positionals.length === 0 ? !named : positionals.includes(name),
  );
  return { values, chosen, episodeCount, seconds };
}

function describe({ name, title, named }) {
  return `${name.padEnd(18)} ${title}${named ? ' (only when named)' : ''}`;
}

function say(text) {
  console.log(text);
  return 0;
}
