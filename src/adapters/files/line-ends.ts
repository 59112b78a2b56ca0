/** The line-end rules of a file from `.gitattributes` and the configuration; see `git help attributes`. */
export interface LineEndRules {
  /** Each of these is `set`, `unset`, `unspecified` or a value. */
  readonly text: string;
  readonly eol: string;
  /** The older name of `text`. */
  readonly crlf: string;
  /** `core.autocrlf`; "" when it is not set. */
  readonly autocrlf: string;
}

/** Whether the repository stores a file with LF: always, never, or when the file is text and already stored so. */
export function normalises({ text, eol, crlf, autocrlf }: LineEndRules): "always" | "never" | "guess" {
  const said = text === "unspecified" ? crlf : text;
  if (said === "unset") return "never";
  if (said === "auto") return "guess";
  if (said === "set" || said === "input" || eol === "lf" || eol === "crlf") return "always";
  return /^(?:true|yes|on|1|input)$/i.test(autocrlf) ? "guess" : "never";
}

const [cr, lf, nul] = [13, 10, 0];

/** Whether the bytes are text with some CR LF and no lone CR: git's test for Windows text. */
export function hasCrLf(bytes: Uint8Array): boolean {
  let found = false;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === nul) return false;
    if (bytes[at] !== cr) continue;
    if (bytes[at + 1] !== lf) return false;
    found = true;
  }
  return found;
}

/** Returns the bytes with each CR LF replaced by LF. */
export function withLf(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => byte !== cr || bytes[at + 1] !== lf);
}
