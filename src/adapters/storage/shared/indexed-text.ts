import type { BlockId } from "../../../core/base/ids.ts";
import type { IndexedText } from "../../../core/port/store.ts";
import { RowReader } from "../row/row-reader.ts";
import type { Row } from "../row/sql.ts";

export function decodeIndexedText(row: Row): IndexedText {
  const reader = new RowReader("the words of a block", row);
  return { blockId: reader.text<BlockId>(), version: reader.integer(), text: reader.text() };
}
