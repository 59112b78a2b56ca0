import { must } from "../base/assert.ts";
import { trustedLimits } from "./trusted-limits.ts";
import type { OpId, OpSpan, TextVersion } from "./types.ts";
import { decodeUpdate } from "./update-codec.ts";

/**
 * Returns the version of a text after an update that it merged at `version`, computed without the text. `spans` are the
 * units that were new to the text.
 */
export function versionAfter(
  version: TextVersion,
  { update, spans }: { readonly update: Uint8Array; readonly spans: readonly OpSpan[] },
): TextVersion {
  if (spans.length === 0) return version;
  const decoded = decodeUpdate(update, trustedLimits);
  const runs = must(decoded.ok ? decoded.value : undefined, "a stored update can be read");
  let heads = version;
  let previous: OpId | undefined;
  for (const { replica, seq, length, parents } of runs) {
    const listed = parents ?? [must(previous, "the first run of an update names its parents")];
    for (const from of newUnits({ replica, seq, length }, spans)) {
      const builtOn = from.seq === seq ? listed : [{ replica, seq: from.seq - 1 }];
      const others = heads.filter((head) => !builtOn.some((parent) => isSame(parent, head)));
      heads = [...others, { replica, seq: from.seq + from.length - 1 }];
    }
    previous = { replica, seq: seq + length - 1 };
  }
  return heads.toSorted((a, b) => a.replica - b.replica || a.seq - b.seq);
}

/** Returns the parts of a run that are in these spans. */
function newUnits({ replica, seq, length }: OpSpan, spans: readonly OpSpan[]): readonly OpSpan[] {
  return spans.flatMap((span) => {
    const from = Math.max(seq, span.seq);
    const to = Math.min(seq + length, span.seq + span.length);
    return span.replica === replica && from < to ? [{ replica, seq: from, length: to - from }] : [];
  });
}

function isSame(a: OpId, b: OpId): boolean {
  return a.replica === b.replica && a.seq === b.seq;
}
