import type { EditBuffer } from '../state/edit-buffer.ts';
import { EDIT_TAB_WIDTH, editGlyphWidth, rowOf, visualRows } from '../state/visual-rows.ts';
import type { Line, Style } from '../text/line.ts';
import { glyphsOf, visible } from '../text/visible.ts';
import { fitLine, type Highlighter } from '../text/wrap.ts';

/** The one line of a field, `width` columns; it moves sideways so that the cursor stays in sight. */
export function inputLine(buffer: EditBuffer, width: number): Line {
  const rows = visualRows(buffer.text.replaceAll('\n', ' '), Math.max(1, width - 1));
  const row = rows[rowOf(rows, buffer.cursor)];
  if (row === undefined) return fitLine([], width);
  const text = buffer.text.slice(row.start, row.end);
  return rowLine(text, row.start, buffer.cursor, () => 'plain', width);
}

/** Lines of an editor, `width` columns each, and not more than `height`: those around the cursor. */
export function editorLines(
  buffer: EditBuffer,
  width: number,
  height: number,
  highlight: Highlighter,
  active: boolean,
): Line[] {
  const rows = visualRows(buffer.text, width);
  const at = rowOf(rows, buffer.cursor);
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
  const styleAt = styleRuns(buffer.text, highlight);
  return rows.slice(top, top + height).map(({ start, end }, offset) => {
    const cursor = active && top + offset === at ? buffer.cursor : -1;
    return rowLine(buffer.text.slice(start, end), start, cursor, styleAt, width);
  });
}

/** A piece of a text that begins at `start`; the cursor's character, or the blank behind the text, has the style `cursor`. */
function rowLine(
  text: string,
  start: number,
  cursor: number,
  styleAt: (index: number) => Style,
  width: number,
): Line {
  const line: Line[number][] = [];
  let index = start;
  for (const glyph of glyphsOf(text)) {
    const here = cursor >= index && cursor < index + glyph.size;
    const tab = glyph.text === '\t';
    const picture = glyph.width === 0 && !tab ? visible(glyph.text)[0]?.text : undefined;
    const shown = tab ? '→'.padEnd(EDIT_TAB_WIDTH) : (picture ?? glyph.text);
    const style = glyph.standIn || tab ? 'stand_in' : styleAt(index);
    line.push({ text: shown, style: here ? 'cursor' : style, width: editGlyphWidth(glyph) });
    index += glyph.size;
  }
  if (cursor === index) line.push({ text: ' ', style: 'cursor', width: 1 });
  return fitLine(line, width);
}

/** The style of every place of a text, for places that are asked for in order. */
function styleRuns(text: string, highlight: Highlighter): (index: number) => Style {
  const runs: { readonly end: number; readonly style: Style }[] = [];
  let end = 0;
  for (const part of highlight(text)) {
    end += part.text.length;
    runs.push({ end, style: part.style });
  }
  let run = 0;
  return (index) => {
    while (run < runs.length - 1 && index >= (runs[run]?.end ?? 0)) run += 1;
    return runs[run]?.style ?? 'plain';
  };
}
