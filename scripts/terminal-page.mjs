// Draws the screen of a terminal emulator as a page: every cell where it is, in its colours.

/** The 16 colours, and those of the window. */
const PALETTE = [
  ...['#1b1f27', '#f7768e', '#9ece6a', '#e0af68', '#7aa2f7', '#bb9af7', '#7dcfff', '#c0caf5'],
  ...['#6b7394', '#f7768e', '#9ece6a', '#e0af68', '#7aa2f7', '#bb9af7', '#7dcfff', '#ffffff'],
];
const [TEXT, BACK] = ['#c8d0e8', '#15181f'];

/** A page that shows the screen in a window with a title. */
export function screenPage(emulator, title) {
  const rows = Array.from({ length: emulator.rows }, (_, row) => rowHtml(emulator, row));
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 24px; background: transparent; }
    #window { display: inline-block; background: ${BACK}; border-radius: 10px; overflow: hidden; }
    #bar { height: 34px; background: #232733; color: #8b93ad; display: flex; align-items: center;
      font: 13px 'DejaVu Sans', sans-serif; padding: 0 14px; gap: 8px; }
    #bar i { width: 12px; height: 12px; border-radius: 50%; }
    #bar span { flex: 1; text-align: center; padding-right: 60px; }
    #screen { font: 14px/16px 'DejaVu Sans Mono', monospace; color: ${TEXT}; padding: 10px 12px 12px;
      font-variant-ligatures: none; }
    #screen div { height: 16px; white-space: pre; }
    #screen b { font-weight: 700; }
    #screen s { display: inline-block; text-decoration: none; vertical-align: top; height: 16px; }
  </style><div id="window">
    <div id="bar"><i style="background:#ff5f57"></i><i style="background:#febc2e"></i>
    <i style="background:#28c840"></i><span>${escaped(title)}</span></div>
    <div id="screen">${rows.join('')}</div></div>`;
}

function rowHtml({ buffer: { active }, cols }, row) {
  const line = active.getLine(active.baseY + row);
  let html = '';
  let run = { style: '', text: '', width: 0 };
  const flush = () => {
    if (run.width > 0) {
      html += `<s style="width:${run.width}ch;${run.style}">${escaped(run.text)}</s>`;
    }
  };
  for (let column = 0; column < cols; column += 1) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const text = cell.getChars() || ' ';
    // Letters that are not in the font come from another one, of another width: each keeps to its own cell.
    const alone = /[^ -\u024f\u2500-\u259f]/.test(text);
    if (style !== run.style || alone || run.alone) {
      flush();
      run = { style, text: '', width: 0, alone };
    }
    run.text += text;
    run.width += cell.getWidth();
  }
  flush();
  return `<div>${html}</div>`;
}

function styleOf(cell) {
  let front = colour(cell.isFgPalette(), cell.getFgColor());
  let back = colour(cell.isBgPalette(), cell.getBgColor());
  if (cell.isInverse()) [front, back] = [back ?? BACK, front ?? '#a9b8e8'];
  return [
    front ? `color:${front};` : '',
    back ? `background:${back};` : '',
    cell.isBold() ? 'font-weight:700;' : '',
    cell.isUnderline() ? 'text-decoration:underline;' : '',
  ].join('');
}

function colour(isPalette, index) {
  return isPalette ? PALETTE[index] : undefined;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
