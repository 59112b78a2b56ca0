import { isJsonObject } from "../../../core/base/json.ts";

/** Passes on the events of a stream, without the notices about resources of which the reader is not to hear now. */
export async function* heardEvents(
  stream: AsyncIterable<Uint8Array>,
  isHeard: (uri: string) => boolean,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split(/(?<=\r?\n\r?\n)/u);
    rest = /\n\r?\n$/u.test(events.at(-1) ?? "") ? "" : (events.pop() ?? "");
    const passed = events.filter((event) => {
      const uri = noticedIn(event);
      return uri === null || isHeard(uri);
    });
    if (passed.length > 0) yield passed.join("");
  }
  if (rest !== "") yield rest;
}

/** Returns the resource that an event says has changed; null: it says something else. */
function noticedIn(event: string): string | null {
  const data = event
    .split(/\r?\n/u)
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []))
    .join("\n");
  if (!data.includes("notifications/resources/updated")) return null;
  const message: unknown = JSON.parse(data);
  const isNotice = isJsonObject(message) && message["method"] === "notifications/resources/updated";
  const params = isNotice ? message["params"] : null;
  const uri = isJsonObject(params) ? params["uri"] : null;
  return typeof uri === "string" ? uri : null;
}
