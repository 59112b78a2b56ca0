/** What `.gitattributes` and the configuration say of a file's line ends; see `git help attributes`. */
export interface LineEndRules {
  /** Each `set`, `unset`, `unspecified` or a value. */
  readonly text: string;
  readonly eol: string;
  /** The older name of `text`. */
  readonly crlf: string;
  /** `core.autocrlf`; "" where there is none. */
  readonly autocrlf: string;
}

/** Whether a file's line ends are LF in the repository: always, never, or where it is text that has them so there. */
export function normalises({ text, eol, crlf, autocrlf }: LineEndRules): "always" | "never" | "guess" {
  const said = text === "unspecified" ? crlf : text;
  if (said === "unset") return "never";
  if (said === "auto") return "guess";
  if (said === "set" || said === "input" || eol === "lf" || eol === "crlf") return "always";
  return /^(?:true|yes|on|1|input)$/i.test(autocrlf) ? "guess" : "never";
}

const [cr, lf, nul] = [13, 10, 0];

/** Whether the bytes are text with some CR LF, and with no CR elsewhere: what git guesses to be text of Windows. */
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

/** The bytes with LF in the place of each CR LF. */
export function withLf(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => byte !== cr || bytes[at + 1] !== lf);
}
