import { changedParts, figureCells, headOf, type ComparisonReport } from './comparison-report.ts';

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1b1b; }
table { border-collapse: collapse; } td, th { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
td:first-child, th:first-child { text-align: left; }
article { border: 1px solid #ddd; border-radius: 6px; padding: .6rem 1rem; margin: 1rem 0; }
article.gained { border-left: 5px solid #2a8a4a; } article.lost { border-left: 5px solid #b3382c; }
h3 { font-size: 1rem; margin: .2rem 0; } .parts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; }
.parts h4 { margin: .4rem 0 .2rem; font-size: .85rem; color: #555; }
pre { white-space: pre-wrap; word-break: break-word; background: #f6f6f6; padding: .5rem; margin: 0 0 .4rem; font-size: .85rem; }
@media (max-width: 50rem) { .parts { grid-template-columns: 1fr; } }
`;

/** The report as one HTML page that needs nothing else: no script, no style sheet, no network. */
export function htmlComparison(report: ComparisonReport): string {
  const { comparison, a, b, results } = report;
  const title = `${comparison.metric}: ${a} and ${b}`;
  const [head = [], ...rows] = figureCells(report);
  const articles = comparison.changed.map((changed, index) => {
    const parts = changedParts(changed, results?.[index]).map(
      ({ title: name, sql, result }) =>
        `<div><h4>${escapeHtml(name)}</h4><pre>${escapeHtml(sql)}</pre>${
          result === '' ? '' : `<pre>${escapeHtml(result)}</pre>`
        }</div>`,
    );
    return `<article class="${changed.kind}"><h3>${changed.kind}: ${escapeHtml(headOf(changed))}</h3>
<p>${escapeHtml(changed.a.question)}</p><div class="parts">${parts.join('')}</div></article>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(comparison.metric)}</h1>
<p>A = ${escapeHtml(a)}<br>B = ${escapeHtml(b)}</p>
<table><tr>${cells('th', head)}</tr>
${rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n')}
</table>
${articles.join('\n')}
</body></html>
`;
}

function cells(tag: 'td' | 'th', texts: readonly string[]): string {
  return texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('');
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
