// `heddle/text`: plain text that many replicas edit at once, with exact undo. See docs/library/text.md.

export { createDocument, decodeDocument } from "../core/text/document.ts";
export type {
  ReplicaId,
  BlameSpan,
  TextChange,
  TextDocument,
  TextLimits,
  TextRefusal,
  TextVersion,
} from "../core/text/types.ts";
