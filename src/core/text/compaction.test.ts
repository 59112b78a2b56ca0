import { describe, expect, test } from "vitest";
import type { Result } from "../base/result.ts";
import { accept } from "../base/result.test-support.ts";
import { MalformedBytes } from "./bytes.ts";
import { createDocument, decodeDocument, openDocument } from "./document.ts";
import { cancellation } from "./history.ts";
import { trustedLimits } from "./trusted-limits.ts";
import type { ReplicaId, OpSpan, TextDocument, TextVersion } from "./types.ts";
import { encodeUpdate } from "./update-codec.ts";

const ann = 1 as ReplicaId;
const bob = 2 as ReplicaId;

function codeOf(result: Result<unknown, { readonly code: string }>): string {
  return result.ok ? "ok" : result.error.code;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Sentences written by two replicas in turn; each edit also deletes part of the previous sentence. */
function written(): {
  readonly document: TextDocument;
  readonly units: readonly (readonly OpSpan[])[];
  readonly versions: readonly TextVersion[];
} {
  const document = createDocument();
  const units: (readonly OpSpan[])[] = [];
  const versions: TextVersion[] = [];
  for (let i = 0; i < 30; i += 1) {
    const { length } = document;
    const from = i === 0 ? 0 : length - 4;
    const edit = accept(document.edit(i % 2 === 0 ? ann : bob, [{ from, to: length, insert: `sentence ${i}, é😀. ` }]));
    units.push(edit.spans);
    versions.push(document.version());
  }
  return { document, units, versions };
}

describe("a compacted document", () => {
  test("keeps its text, its authors, the requested versions and the remaining undo units", () => {
    const { document, units, versions } = written();
    const whole = written().document;
    expect(document.compact(versions.slice(20), units.slice(25).flat())).toBeGreaterThan(100);
    expect(document.encode().length).toBeLessThan(whole.encode().length);
    for (const each of [document, accept(decodeDocument(document.encode(), trustedLimits))]) {
      expect(each.text()).toBe(whole.text());
      expect(each.version()).toEqual(whole.version());
      expect(each.blame(0, each.length)).toEqual(whole.blame(0, whole.length));
      expect(each.blame(5, 40)).toEqual(whole.blame(5, 40));
      for (const version of versions.slice(20)) {
        expect(each.textAt(version)).toEqual(whole.textAt(version));
        expect(each.diff(version, each.version())).toEqual(whole.diff(version, whole.version()));
      }
      expect(each.diff([], each.version())).toEqual(whole.diff([], whole.version()));
      expect(each.nextSeq(ann)).toBe(whole.nextSeq(ann));
    }
  });

  test("handles edits, updates and undo like the full document", () => {
    const { document, units, versions } = written();
    const whole = written().document;
    const late = written().document;
    document.compact(versions.slice(-3), units.slice(25).flat());
    const edit = { from: 4, to: 9, insert: "a late word" };
    for (const at of versions.slice(-3)) {
      const update = accept(late.edit(3 as ReplicaId, [edit], at)).update;
      expect(document.merge(update, trustedLimits)).toEqual(whole.merge(update, trustedLimits));
    }
    for (const spans of units.slice(25).toReversed()) {
      const undone = accept(document.cancel(ann, spans));
      expect(undone).toEqual(accept(whole.cancel(ann, spans)));
      const redone = accept(document.cancel(ann, undone.spans));
      expect(redone).toEqual(accept(whole.cancel(ann, undone.spans)));
    }
    expect(document.text()).toBe(whole.text());
    expect(document.blame(0, document.length)).toEqual(whole.blame(0, whole.length));
    expect(document.compact([], [])).toBeGreaterThan(0);
    expect(document.blame(0, document.length)).toEqual(whole.blame(0, whole.length));
  });

  test("refuses versions, updates and undo units that are too old, and does not change", () => {
    const { document, units, versions } = written();
    const offline = createDocument();
    accept(offline.merge(written().document.updateSince([]), trustedLimits));
    const old = versions[2] ?? [];
    const late = accept(offline.edit(3 as ReplicaId, [{ from: 0, to: 0, insert: "typed long ago" }], old)).update;
    const early = accept(createDocument().edit(4 as ReplicaId, [{ from: 0, to: 0, insert: "from nothing" }])).update;
    document.compact(versions.slice(20), units.slice(25).flat());
    const before = document.encode();
    expect(codeOf(document.merge(late, trustedLimits))).toBe("UPDATE_GAP");
    expect(codeOf(document.merge(early, trustedLimits))).toBe("UPDATE_GAP");
    expect(codeOf(document.textAt(old))).toBe("VERSION_UNKNOWN");
    expect(codeOf(document.diff(old, document.version()))).toBe("VERSION_UNKNOWN");
    expect(codeOf(document.edit(ann, [{ from: 0, to: 0, insert: "x" }], old))).toBe("VERSION_UNKNOWN");
    expect(codeOf(document.edit(ann, [{ from: 0, to: 0, insert: "x" }], []))).toBe("VERSION_UNKNOWN");
    expect(codeOf(document.cancel(ann, units[1] ?? []))).toBe("UNDO_TOO_OLD");
    expect(codeOf(document.cancel(ann, [{ replica: bob, seq: 1e6, length: 1 }]))).toBe("VERSION_UNKNOWN");
    expect(document.encode()).toEqual(before);
    // A replica without the deleted history cannot continue from the rest; a replica with it can.
    expect(codeOf(createDocument().merge(document.updateSince([]), trustedLimits))).toBe("UPDATE_GAP");
    expect(codeOf(offline.merge(document.updateSince(offline.version()), trustedLimits))).toBe("ok");
  });

  test("refuses to undo the unit after which its log begins, and does not change", () => {
    const { document } = written();
    document.compact([], []);
    const parents = document.version();
    const before = document.encode();
    for (const ref of parents) {
      const run = {
        replica: bob,
        seq: document.nextSeq(bob),
        kind: cancellation,
        pos: 0,
        length: 1,
        back: false,
      } as const;
      const update = encodeUpdate([{ ...run, text: undefined, ref, parents, paired: false }]);
      expect(codeOf(document.merge(update, trustedLimits))).toBe("UPDATE_GAP");
      expect(codeOf(document.cancel(ann, [{ ...ref, length: 1 }]))).toBe("UNDO_TOO_OLD");
    }
    expect(document.encode()).toEqual(before);
  });

  test("deletes nothing that a version or an undo unit needs", () => {
    const { document, units, versions } = written();
    expect(document.compact([[]], [])).toBe(0);
    expect(document.compact([versions[0] ?? []], [])).toBe(units[0]?.[0]?.length);
    expect(document.compact([versions[0] ?? []], [])).toBe(0);
    expect(document.compact([[{ replica: 9 as ReplicaId, seq: 4 }]], units.flat())).toBe(0);
  });
});

describe("a document opened from our own store", () => {
  test("reads and checks its history only when needed", () => {
    const { document, units } = written();
    const stored = document.encode();
    const damaged = stored.slice();
    damaged[damaged.length - 5] = (damaged.at(-5) ?? 0) ^ 1;
    expect(codeOf(decodeDocument(damaged, trustedLimits))).toBe("UPDATE_CORRUPT");
    const opened = accept(openDocument(damaged, trustedLimits, decodeText));
    expect(opened.text()).toBe(document.text());
    expect(opened.version()).toEqual(document.version());
    accept(opened.edit(ann, [{ from: 0, to: 0, insert: "typing goes on. " }]));
    expect(() => opened.cancel(ann, units[0] ?? [])).toThrow(MalformedBytes);
    const sound = accept(openDocument(stored, trustedLimits, decodeText));
    expect(sound.encode()).toBe(stored);
    expect(sound.cancel(ann, units[3] ?? [])).toEqual(document.cancel(ann, units[3] ?? []));
    expect(sound.encode()).toEqual(document.encode());
  });

  test("is refused when a byte of its head or its text is changed or missing", () => {
    const document = createDocument();
    accept(document.edit(ann, [{ from: 0, to: 0, insert: `\ufeffa byte order mark, ${"text é ".repeat(30)}` }]));
    const stored = document.encode();
    const open = (bytes: Uint8Array) => openDocument(bytes, trustedLimits, decodeText);
    expect(accept(open(stored)).text()).toBe(document.text());
    const historyAt = stored.length - document.updateSince([]).length;
    for (let at = 0; at < stored.length; at += 1) {
      expect(codeOf(open(stored.slice(0, at)))).toBe("UPDATE_CORRUPT");
      const changed = stored.slice();
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      if (at < historyAt - 20) expect(codeOf(open(changed))).toBe("UPDATE_CORRUPT");
      expect(codeOf(decodeDocument(changed, trustedLimits))).toBe("UPDATE_CORRUPT");
    }
  });
});
