/** What the address of a request says; the body names neither. */
export interface GeminiTarget {
  readonly model: string;
  readonly stream: boolean;
}

/** The path below the base URL, version and query included. */
export function geminiPath({ model, stream }: GeminiTarget): string {
  // Tuned models say the name of their list themselves.
  const name = model.includes("/") ? model : `models/${model}`;
  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return `/v1beta/${name.split("/").map(encodeURIComponent).join("/")}:${verb}`;
}

/** Reads a path, or a whole URL; undefined where it asks for something else than a reply. */
export function readGeminiPath(path: string): GeminiTarget | undefined {
  const found = /\/v\d+[a-z]*\d*\/(?:.*\/)?([^/:?]+):(streamGenerateContent|generateContent)(?:\?.*)?$/u.exec(path);
  if (found === null) return undefined;
  return { model: decodeURIComponent(found[1] ?? ""), stream: found[2] === "streamGenerateContent" };
}
