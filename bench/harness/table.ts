import type { BenchRow } from "./bench.ts";

/** The rows as aligned text, one line each. */
export function table(rows: readonly BenchRow[]): string {
  const lines = [
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
  ];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function figure(value: number): string {
  if (value === 0 || Math.abs(value) >= 100) return value.toFixed(0);
  return value.toPrecision(3);
}
