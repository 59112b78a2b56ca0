import { aligned } from "../../scripts/aligned.ts";
import type { BenchRow } from "./bench.ts";

/** The rows as aligned text, one line each. */
export function table(rows: readonly BenchRow[]): string {
  return aligned([
    ["work", "subject", "value", "unit", "ratio", "goal", "holds"],
    ...rows.map((row) => [
      row.work,
      row.subject,
      figure(row.value),
      row.unit,
      row.ratio === null ? "" : figure(row.ratio),
      row.goal ?? "",
      row.holds === null ? "" : row.holds ? "yes" : "NO",
    ]),
  ]);
}

function figure(value: number): string {
  if (value === 0 || Math.abs(value) >= 100) return value.toFixed(0);
  return value.toPrecision(3);
}
