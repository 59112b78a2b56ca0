import type { StoreWrite } from "../../../../core/port/store.ts";
import { encodeInteger } from "../../row/encode-json.ts";
import { any, type PlannedWrite } from "../plan/planned-write.ts";
import { indexOfWords } from "../plan/words-index.ts";

/** The newest text of each block in the word index. */

const put = `WITH put AS (
    INSERT INTO block_words AS stored (block_id, version, words) VALUES ($1, $2, $3)
    ON CONFLICT (block_id) DO UPDATE SET version = $2, words = $3 WHERE $2 >= stored.version RETURNING block_id)
  INSERT INTO block_index (place, word_count, words)
  SELECT b.place, $4, $5::tsvector FROM put JOIN blocks AS b ON b.id = put.block_id
  ON CONFLICT (place) DO UPDATE SET word_count = excluded.word_count, words = excluded.words`;

export function planPutBlockWords(write: Extract<StoreWrite, { readonly type: "put-block-words" }>): PlannedWrite {
  const { count, words } = indexOfWords(write.text);
  const version = encodeInteger(write.version, "version");
  return { type: write.type, steps: [any(put, [write.blockId, version, write.text, count, words])] };
}
