/** Returns the value of a metric in Prometheus' text form, its labels as they are written; 0 where it is not there. */
export function valueOf(text: string, metric: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${metric} `));
  return line === undefined ? 0 : Number(line.slice(metric.length + 1));
}
