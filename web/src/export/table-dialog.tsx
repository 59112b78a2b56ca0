import { useMemo } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { readCsv } from "./csv.ts";

/** More rows than this are counted, not drawn. */
const rowsMax = 2_000;

/** A CSV file as a table to read; its text is edited in the document. */
export function TableDialog(props: { readonly title: string; readonly text: string; readonly onClose: () => void }) {
  const { rows, more } = useMemo(() => readCsv(props.text, rowsMax), [props.text]);
  const [head = [], ...rest] = rows;
  const columns = Math.max(0, ...rows.map((cells) => cells.length));
  const places = Array.from({ length: columns }, (_, column) => column);
  return (
    <Dialog title={props.title} className="reading" onClose={props.onClose}>
      {rows.length === 0 ? (
        <p>This file is empty.</p>
      ) : (
        <div className="markdown csv-table" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {places.map((column) => (
                  <th key={column} scope="col">
                    {head[column] ?? ""}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rest.map((cells, row) => (
                <tr key={row}>
                  {places.map((column) => (
                    <td key={column}>{cells[column] ?? ""}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more && <p>Only the first {rowsMax.toLocaleString()} rows are shown. The document has all of them.</p>}
    </Dialog>
  );
}
