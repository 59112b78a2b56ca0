import { assert } from "../../../core/base/assert.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { TextModule, ThreadTexts } from "../../../core/port/thread-texts.ts";
import { openForReading } from "./open-for-reading.ts";

const textAt = "SELECT words FROM block_words WHERE block_id = ?1 AND version = ?2";

/** Names this module and its file, so that a search thread has a read-only connection of its own. */
export function textModule(file: string): TextModule {
  return { url: import.meta.url, data: { file } };
}

/** In a thread: opens the file that `textModule` named. No transaction stays open between two texts. */
export function openTexts({ file }: JsonObject): ThreadTexts {
  assert(typeof file === "string", "a thread is given a file");
  const statement = openForReading(file).prepare(textAt);
  return {
    read: (asked) =>
      asked.map(({ id, version }) => {
        const text = statement.get(id, version)?.["words"];
        return typeof text === "string" ? text : null;
      }),
  };
}
