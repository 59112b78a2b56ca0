import { decodeBase64 } from "../../core/base/base64.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { TextDocument } from "../../core/text/types.ts";
import { trustedLimits } from "../../core/text/trusted-limits.ts";

/**
 * The text of a live block while the model writes it. Text appended at the end is concatenated; the document is brought up to
 * date only for other changes.
 */
export interface LiveText {
  readonly version: number;
  readonly text: string;
  /** Applies the next change; false when changes are missing before it, so that a fresh copy is needed. */
  take(change: BlockChange): boolean;
}

/** Opens the encoded document of a snapshot (base64); undefined when it cannot be decoded. */
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
      const { body } = change;
      if (body.type !== "text") return true;
      behind.push(body.update);
      if (body.appended === undefined) return catchUp();
      text += body.appended;
      return true;
    },
  };
}
