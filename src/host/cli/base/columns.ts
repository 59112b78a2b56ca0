/** Lays out names in columns. */
export function columns(names: readonly string[], perLine: number): string {
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = names.flatMap((_, at) => (at % perLine === 0 ? [names.slice(at, at + perLine)] : []));
  return lines
    .map(
      (line) =>
        `  ${line
          .map((name) => name.padEnd(width))
          .join("")
          .trimEnd()}`,
    )
    .join("\n");
}
