/** Writes a count with its noun for people: "1 message", "1,200 messages". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
