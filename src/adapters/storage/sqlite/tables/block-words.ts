import type { Statements } from "../../row/sql.ts";

/** The newest text of each block in the word index. */

const put = `INSERT INTO block_words (block_id, version, words) VALUES (?1, ?2, ?3)
  ON CONFLICT (block_id) DO UPDATE SET version = ?2, words = ?3 WHERE ?2 >= version`;
// The index is keyed by the block's place, which never changes.
const drop = "DELETE FROM block_index WHERE rowid = (SELECT place FROM blocks WHERE id = ?1)";
const index = "INSERT INTO block_index (rowid, words) VALUES ((SELECT place FROM blocks WHERE id = ?1), ?2)";

export function applyPutBlockWords(statements: Statements, blockId: string, version: number, text: string): null {
  if (statements.run(put, [blockId, version, text]) === 0) return null;
  statements.run(drop, [blockId]);
  if (text !== "") statements.run(index, [blockId, text]);
  return null;
}
