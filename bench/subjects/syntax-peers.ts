/** The part of saxes that the benchmark uses. */
export interface Saxes {
  readonly SaxesParser: new () => {
    on(event: "opentag" | "text" | "closetag", listener: (value: unknown) => void): void;
    write(piece: string): unknown;
    close(): unknown;
  };
}

/** The part of htmlparser2 that the benchmark uses. */
export interface HtmlParser2 {
  readonly Parser: new (
    handler: { onopentag(name: string): void; ontext(text: string): void; onclosetag(name: string): void },
    options: { readonly xmlMode: boolean },
  ) => { write(piece: string): void; end(): void };
}

/** The part of @ai-sdk-tool/parser that the benchmark uses. */
export interface AiSdkToolParser {
  readonly hermesProtocol: () => ToolCallProtocol;
}

interface ToolCallProtocol {
  createStreamParser(options: { readonly tools: readonly unknown[] }): TransformStream<unknown, unknown>;
}

/** Feeds pieces to saxes inside a root element; returns the number of events. */
export function saxesRun({ SaxesParser }: Saxes, pieces: readonly string[]): number {
  const parser = new SaxesParser();
  let events = 0;
  const count = (): void => {
    events += 1;
  };
  parser.on("opentag", count);
  parser.on("text", count);
  parser.on("closetag", count);
  parser.write("<reply>");
  for (const piece of pieces) parser.write(piece);
  parser.write("</reply>");
  parser.close();
  return events;
}

/** Feeds pieces to htmlparser2; returns the number of events. */
export function htmlparser2Run({ Parser }: HtmlParser2, pieces: readonly string[]): number {
  let events = 0;
  const count = (): void => {
    events += 1;
  };
  const parser = new Parser({ onopentag: count, ontext: count, onclosetag: count }, { xmlMode: true });
  for (const piece of pieces) parser.write(piece);
  parser.end();
  return events;
}

/** Feeds pieces to the hermes parser of @ai-sdk-tool/parser; returns CPU milliseconds. */
export async function aiSdkToolParserCpuMs(
  { hermesProtocol }: AiSdkToolParser,
  pieces: readonly string[],
): Promise<number> {
  const stream = hermesProtocol().createStreamParser({
    tools: [{ type: "function", name: "write_file", inputSchema: { type: "object", properties: {} } }],
  });
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const before = process.cpuUsage();
  const reading = (async (): Promise<void> => {
    for (;;) if ((await reader.read()).done) return;
  })();
  for (const delta of pieces) await writer.write({ type: "text-delta", id: "1", delta });
  await writer.write({ type: "finish", finishReason: "stop", usage: {} });
  await writer.close();
  await reading;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
