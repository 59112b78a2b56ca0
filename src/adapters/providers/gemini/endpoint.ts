/** The model and mode from a request's address; the body names neither. */
export interface GeminiTarget {
  readonly model: string;
  readonly stream: boolean;
}

/** The path below the base URL, including version and query. */
export function geminiPath({ model, stream }: GeminiTarget): string {
  // Names of tuned models include their list.
  const name = model.includes("/") ? model : `models/${model}`;
  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return `/v1beta/${name.split("/").map(encodeURIComponent).join("/")}:${verb}`;
}

/** Reads a path or a whole URL; undefined when it does not request a reply. */
export function readGeminiPath(path: string): GeminiTarget | undefined {
  const found = /\/v\d+[a-z]*\d*\/(?:.*\/)?([^/:?]+):(streamGenerateContent|generateContent)(?:\?.*)?$/u.exec(path);
  if (found === null) return undefined;
  return { model: decodeURIComponent(found[1] ?? ""), stream: found[2] === "streamGenerateContent" };
}
