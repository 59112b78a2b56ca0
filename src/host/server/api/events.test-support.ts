/** One server-sent event. */
export interface SentEvent {
  readonly name: string;
  readonly id: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- what the wire brought, looked at field by field
  readonly data: any;
}

/** Reads the events of an answer one by one, and leaves when `leave` is called. */
export async function readEvents(
  url: string,
  headers: Record<string, string>,
): Promise<{ readonly next: () => Promise<SentEvent | null>; readonly leave: () => void }> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async (): Promise<SentEvent | null> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end === -1) {
        const { done, value } = await reader.read();
        if (done) return null;
        text += value;
        continue;
      }
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
      const data = field("data");
      if (data !== null) return { name: field("event") ?? "message", id: field("id"), data: JSON.parse(data) };
    }
  };
  return { next, leave: () => leaving.abort() };
}
