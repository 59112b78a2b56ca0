/** A table of text, as spreadsheets write it. */
export interface CsvTable {
  readonly rows: readonly (readonly string[])[];
  /** Rows of the text that are not among `rows`. */
  readonly more: boolean;
}

/** Returns the sign between cells: the one of comma, semicolon, tab and bar that the first lines have most of. */
export function separatorOf(text: string): string {
  const head = text.slice(0, 10_000).replaceAll(/"(?:[^"]|"")*"/gu, "");
  const counts = [",", ";", "\t", "|"].map((sign) => ({ sign, count: head.split(sign).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).sign;
}

/** Reads a text by RFC 4180: quoted cells hold separators, quotes written twice and line breaks. Nothing is an error. */
export function readCsv(text: string, rowsMax: number, separator = separatorOf(text)): CsvTable {
  const rows: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length && rows.length < rowsMax) {
    const { cell, end } = readCell(text, at, separator);
    cells.push(cell);
    at = end;
    if (text[at] === separator) {
      at += 1;
      if (at < text.length) continue;
      cells.push("");
    } else at += text.startsWith("\r\n", at) ? 2 : 1;
    rows.push(cells);
    cells = [];
  }
  return { rows, more: at < text.length };
}

function readCell(text: string, from: number, separator: string): { readonly cell: string; readonly end: number } {
  if (text[from] !== '"') {
    let end = from;
    while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end += 1;
    return { cell: text.slice(from, end), end };
  }
  let cell = "";
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return { cell: cell + text.slice(at), end: text.length };
    cell += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    cell += '"';
    at += 1;
  }
  // Words behind the closing quote belong to the cell, as spreadsheets read them.
  const rest = readCell(` ${text.slice(at, at + 10_000)}`, 1, separator);
  return { cell: cell + rest.cell, end: at + rest.end - 1 };
}
