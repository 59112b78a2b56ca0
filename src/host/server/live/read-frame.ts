import { assert } from "../../../core/base/assert.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, type Result } from "../../../core/base/result.ts";
import { readBoundedJson } from "../../../core/protocol/base/bounded-json.ts";
import type { UpMessage } from "../../../core/protocol/base/messages.ts";
import { readUpMessage } from "../../../core/protocol/read-up-message.ts";
import { serverLimits } from "../http/server-limits.ts";

/** Reads one frame of a client. */
export function readFrame(data: Buffer, isBinary: boolean): Result<UpMessage, Refusal> {
  if (isBinary) return err(refusal("FRAME_MALFORMED", { reason: "not text" }));
  assert(data.length <= serverLimits.frameBytesMax, "a frame that was read is within its bound");
  const json = readBoundedJson(data.toString("utf8"));
  return json.ok ? readUpMessage(json.value) : json;
}
