import type { LoadComparison } from './compare.ts';
import { formatFigure } from './format.ts';
import { metricInfo, QUANTILES, TIMES } from './metrics.ts';
import { reportPlots, type ReportPlot } from './report-plots.ts';
import type { LoadReport } from './report.ts';
import { escapeXml } from './svg-plot.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1b1b; --dim: #5f6368; --rule: #ddd; --back: #fff; --card: #f7f7f8; --bad: #b3261e; --good: #1e7a3c;
  --c1: #0067a5; --c2: #c2570c; --c3: #00806b; --c4: #b3261e; --c5: #7b3fa0; --c6: #5b7083; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --dim: #a0a4a8; --rule: #3a3d40; --back: #17191b; --card: #202326; --bad: #ff8a80; --good: #7fd69a;
  --c1: #62b5f0; --c2: #f29a57; --c3: #4cc7ae; --c4: #ff8a80; --c5: #c79bea; --c6: #93a9bc; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: var(--ink); background: var(--back); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
.dim { color: var(--dim); } .bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1rem 0; }
.cards div { background: var(--card); border-radius: 6px; padding: .6rem .9rem; } .cards b { display: block; font-size: 1.3rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--rule); } td:first-child, th:first-child, td.text { text-align: left; }
svg { width: 100%; height: auto; display: block; } .grid { stroke: var(--rule); stroke-width: 1; } .mark { stroke: var(--ink); stroke-dasharray: 4 4; }
.tick, .axis { font: 11px system-ui, sans-serif; fill: var(--dim); } path { fill: none; stroke-width: 2; } .hit { fill: transparent; }
${[1, 2, 3, 4, 5, 6].map((index) => `.stroke${index} { stroke: var(--c${index}); } .fill${index} { fill: var(--c${index}); background: var(--c${index}); }`).join('\n')}
.legend span { margin-right: 1.2rem; } .legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .35rem; vertical-align: -1px; }
`;

const CARDS = [
  ['batch.median', 'median batch'],
  ['episodes_per_s', 'episodes'],
  ['steps_per_s', 'steps'],
  ['step.p50', 'step, p50'],
  ['step.p99', 'step, p99'],
  ['server.cpu_per_1000_steps', 'server CPU per 1,000 steps'],
  ['server.memory.max', 'server memory at most'],
  ['training.share', 'of a training step'],
  ['errors', 'calls failed'],
  ['rewards.wrong', 'rewards wrong'],
] as const;

/** The report as one page that needs nothing else: no script, no style sheet, no network. Light and dark as the reader's system. */
export function htmlReport(report: LoadReport, comparison: LoadComparison | undefined): string {
  const { server, started_at } = report;
  const title = `Load test of ${server.own ? 'a server of its own' : server.address}, ${started_at}`;
  const sections = [
    cards(report),
    notices(report),
    thresholdSection(report),
    comparison === undefined ? '' : comparisonSection(comparison),
    ...reportPlots(report).map(plotSection),
    section('Times', timesTable(report)),
    section('Policies', policyTable(report)),
    errorSection(report),
    section('All figures', figuresTable(report)),
    section('The load', factsTable(report)),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeXml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeXml(title)}</h1>
<p class="dim">sqlenv ${escapeXml(server.version)}, SQLite ${escapeXml(server.sqlite_version)}, ${server.task_count} tasks; ${escapeXml(report.machine.cpu_model)}, ${report.machine.core_count} cores, Node ${escapeXml(report.machine.node_version)}</p>
${sections.join('\n')}
</body></html>
`;
}

function cards({ metrics }: LoadReport): string {
  const shown = CARDS.flatMap(([name, title]) => {
    const value = metrics[name];
    if (value === undefined) return [];
    const bad = (name === 'errors' || name === 'rewards.wrong') && value > 0 ? ' class="bad"' : '';
    return [`<div><b${bad}>${figure(name, value)}</b>${escapeXml(title)}</div>`];
  });
  return `<div class="cards">${shown.join('')}</div>`;
}

function notices(report: LoadReport): string {
  const { end, end_message, client_bottlenecks, server_problem } = report;
  const { warmup_failure_count, source_problem_count } = report;
  const { load_average, core_count } = report.machine;
  const lines = [
    ...(end === 'complete'
      ? []
      : [
          `It did not get to its end (${end.replace('_', ' ')}): ${end_message || 'this is what was measured before'}.`,
        ]),
    ...(load_average > core_count
      ? [`The machine was at work before: a load of ${load_average} on ${core_count} cores.`]
      : []),
    ...client_bottlenecks.map((reason) => `The client was a bottleneck: ${reason}.`),
    ...(warmup_failure_count > 0
      ? [`${warmup_failure_count} calls of the warm-up failed or rewards were wrong.`]
      : []),
    ...(source_problem_count > 0
      ? [`${source_problem_count} lines or files of the trajectories can't be read.`]
      : []),
    ...(server_problem === ''
      ? []
      : [`Nothing is known of the server's CPU and memory: ${server_problem}.`]),
  ];
  return lines.map((line) => `<p class="bad">${escapeXml(line)}</p>`).join('');
}

function thresholdSection({ thresholds }: LoadReport): string {
  if (thresholds.length === 0) return '';
  const rows = thresholds.map(({ text, value, crossed }) => [
    escapeXml(text),
    value === null ? 'not measured' : figure(/^[\w.]+/.exec(text)?.[0] ?? '', value),
    crossed ? '<span class="bad">failed</span>' : '<span class="good">passed</span>',
  ]);
  return section('Fails if', table(['condition', 'value', ''], rows));
}

function comparisonSection({ changes, notes }: LoadComparison): string {
  const rows = changes.map(({ name, unit, before, after, ratio, noise, verdict }) => [
    escapeXml(name),
    formatFigure(before, unit),
    formatFigure(after, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    noise === undefined ? '?' : `${(noise * 100).toFixed(0)} %`,
    verdict === 'worse'
      ? '<span class="bad">worse</span>'
      : verdict === 'better'
        ? '<span class="good">better</span>'
        : verdict === 'unsure'
          ? 'too few batches'
          : '',
  ]);
  const mind = notes.map((note) => `<p class="bad">Mind: ${escapeXml(note)}.</p>`).join('');
  return section('Compared', mind + table(['figure', 'before', 'now', 'ratio', 'noise', ''], rows));
}

function plotSection({ title, note, legend, svg }: ReportPlot): string {
  const keys = legend.map(
    ({ name, colour }) => `<span><i class="fill${colour}"></i>${escapeXml(name)}</span>`,
  );
  const head = keys.length === 0 ? '' : `<p class="legend">${keys.join('')}</p>`;
  return section(
    title,
    `${note === '' ? '' : `<p class="dim">${escapeXml(note)}</p>`}${head}${svg}`,
  );
}

function timesTable({ metrics }: LoadReport): string {
  const found = Object.keys(metrics).flatMap((name) =>
    name.endsWith('.count') && name !== 'batch.count' ? [name.slice(0, -'.count'.length)] : [],
  );
  const place = (name: string): number => TIMES.indexOf(name as (typeof TIMES)[number]) + 1 || 99;
  const names = found.toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  const statistics = ['count', 'mean', ...QUANTILES.map(([name]) => name), 'max'];
  const rows = names.map((name) => [
    escapeXml(name),
    ...statistics.map((each) => figure(`${name}.${each}`, metrics[`${name}.${each}`] ?? 0)),
  ]);
  return table(['', ...statistics], rows);
}

function policyTable({ policies, wrong_rewards }: LoadReport): string {
  const rows = policies.map(({ policy, episode_count, return_mean, wrong_count, lost_count }) => [
    escapeXml(policy),
    String(episode_count),
    return_mean === null ? '' : return_mean.toFixed(3),
    String(wrong_count),
    String(lost_count),
  ]);
  const wrongs = wrong_rewards.map((each) =>
    [each.policy, each.verdict, String(each.count), each.message].map(escapeXml),
  );
  return (
    table(['policy', 'episodes', 'return', 'wrong', 'lost'], rows) +
    (wrongs.length === 0
      ? ''
      : `<h2>Wrong rewards</h2>${table(['policy', 'verdict', 'count', 'the first one'], wrongs)}`)
  );
}

function errorSection({ errors }: LoadReport): string {
  if (errors.length === 0)
    return section('Failures', '<p>No call failed, no episode was lost.</p>');
  const rows = errors.map(({ call, reason, count, message }) =>
    [call, reason, String(count), message].map(escapeXml),
  );
  return section('Failures', table(['call', 'reason', 'count', 'the first one said'], rows));
}

function figuresTable({ metrics }: LoadReport): string {
  const single = Object.entries(metrics).filter(
    ([name]) =>
      !/\.(count|mean|p[\d.]+|max)$/.test(name) || /^(batch|server|client|wire)\./.test(name),
  );
  return table(
    ['figure', 'value'],
    single.map(([name, value]) => [escapeXml(name), figure(name, value)]),
  );
}

function factsTable(report: LoadReport): string {
  const facts = {
    ...report.load,
    plan_sha256: report.plan_sha256,
    step_seconds: report.step_seconds,
  };
  const rows = Object.entries(facts).map(([name, value]) => [
    escapeXml(name),
    escapeXml(value === null ? '' : String(value)),
  ]);
  return table(['setting', 'value'], rows);
}

function figure(name: string, value: number): string {
  return escapeXml(formatFigure(value, metricInfo(name)?.unit ?? 'count'));
}

function section(title: string, body: string): string {
  return `<section><h2>${escapeXml(title)}</h2>${body}</section>`;
}

/** Cells are markup already. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]): string =>
    row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  return `<div class="scroll"><table><tr>${cells('th', head)}</tr>${rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n')}</table></div>`;
}
