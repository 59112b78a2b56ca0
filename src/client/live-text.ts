import { decodeBase64 } from "../core/base/base64.ts";
import type { BlockChange } from "../core/block/types.ts";
import type { TextDocument } from "../core/text/types.ts";
import { trustedLimits } from "../core/text/trusted-limits.ts";

/**
 * The text of a live block while it grows. Growth at the end is only joined on; the document with its history is built
 * first when something else happens.
 */
export interface LiveText {
  readonly version: number;
  readonly text: string;
  /** Takes the next change; false when it does not follow, so that a fresh copy is needed. */
  take(change: BlockChange): boolean;
}

export function openLiveText(
  snapshot: { readonly version: number; readonly text: string },
  decode: (bytes: Uint8Array) => TextDocument | undefined,
): LiveText | undefined {
  const bytes = decodeBase64(snapshot.text);
  const opened = bytes === undefined ? undefined : decode(bytes);
  if (opened === undefined) return undefined;
  const doc: TextDocument = opened;
  let behind: Uint8Array[] = [];
  let text = doc.text();
  let { version } = snapshot;

  function catchUp(): boolean {
    for (const update of behind) if (!doc.merge(update, trustedLimits).ok) return false;
    behind = [];
    text = doc.text();
    return true;
  }

  return {
    get version() {
      return version;
    },
    get text() {
      return text;
    },
    take(change) {
      if (change.version <= version) return true;
      if (change.version !== version + 1) return false;
      version = change.version;
      const { what } = change;
      if (what.type !== "text") return true;
      behind.push(what.update);
      if (what.appended === undefined) return catchUp();
      text += what.appended;
      return true;
    },
  };
}
