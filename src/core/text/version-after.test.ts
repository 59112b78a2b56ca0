import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { accept } from "../base/result.test-support.ts";
import { createDocument } from "./document.ts";
import { trustedLimits } from "./trusted-limits.ts";
import type { ReplicaId, TextDocument, TextVersion } from "./types.ts";
import { versionAfter } from "./version-after.ts";

const step = fc.record({
  who: fc.nat(2),
  what: fc.constantFrom("type", "type", "go-on", "go-on", "older", "send", "send", "cancel"),
  at: fc.nat(),
  remove: fc.nat(4),
  insert: fc.constantFrom("", "a", "bc 😀", "line\n"),
});

test("versionAfter returns the versions of a text when updates arrive once, repeatedly, in parts or together", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const hub = createDocument();
      const pages: readonly { readonly document: TextDocument; sent: TextVersion }[] = [0, 1, 2].map(() => ({
        document: createDocument(),
        sent: [],
      }));
      const versions: TextVersion[] = [[]];
      let version: TextVersion = [];
      for (const { who, what, at, remove, insert } of steps) {
        const page = pages[who] ?? expect.fail("there are three pages");
        const replica = (who + 1) as ReplicaId;
        const { document } = page;
        const text = document.text();
        if (what === "type") {
          const from = Math.min(at % (text.length + 1), text.length);
          const change = { from, to: Math.min(text.length, from + remove), insert };
          if (!document.edit(replica, [change]).ok) continue;
        } else if (what === "go-on") {
          accept(document.edit(replica, [{ from: text.length, to: text.length, insert: "and so on" }]));
        } else if (what === "older") {
          const older = versions[at % versions.length] ?? [];
          if (document.textAt(older).ok) document.edit(replica, [{ from: 0, to: 0, insert: `${insert}old` }], older);
        } else if (what === "cancel") {
          const made = document.nextSeq(replica);
          if (made > 0) document.cancel(replica, [{ replica, seq: at % made, length: 1 }]);
        } else {
          // From a version the hub has had, or from the beginning; then most of the update is known already.
          const update = document.updateSince(at % 3 === 0 ? [] : page.sent);
          const merged = accept(hub.merge(update, trustedLimits));
          version = versionAfter(version, { update, spans: merged.spans });
          expect(version).toEqual(hub.version());
          versions.push(version);
          page.sent = document.version();
          accept(document.merge(hub.updateSince(document.version()), trustedLimits));
        }
      }
    }),
    { numRuns: scaled(300) },
  );
});

test("what another replica wrote under the same numbers is not taken for new", () => {
  const [hub, other] = [createDocument(), createDocument()];
  const [ann, bob, cleo] = [1, 2, 3] as readonly number[] as readonly [ReplicaId, ReplicaId, ReplicaId];
  accept(other.edit(bob, [{ from: 0, to: 0, insert: "cdef" }]));
  accept(hub.edit(ann, [{ from: 0, to: 0, insert: "ab" }]));
  accept(other.merge(hub.updateSince([]), trustedLimits));
  accept(hub.edit(cleo, [{ from: 2, to: 2, insert: "!" }]));
  const before = hub.version();
  const update = other.updateSince([]);
  const { spans } = accept(hub.merge(update, trustedLimits));
  expect(versionAfter(before, { update, spans })).toEqual(hub.version());
});
