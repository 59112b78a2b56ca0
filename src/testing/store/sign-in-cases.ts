import { describe, expect, test } from "vitest";
import { freshStore, type OpenStore } from "./opened-store.ts";

/** How people sign in. */
export function describeSignIn(open: OpenStore): void {
  describe("how people sign in", () => {
    const fresh = freshStore(open);

    test("facts are read by key, replaced, and kept over a restart", async () => {
      expect(await fresh.store().signInFacts()).toEqual([]);
      const session = { key: "session b", record: { person: "p", label: '\u0000"😀\ud800' } };
      const other = { key: "session B", record: { deep: { list: [1, null, true] } } };
      await fresh.make({ type: "put-sign-in", fact: session }, { type: "put-sign-in", fact: other });
      await fresh.make({ type: "put-sign-in", fact: { ...session, record: { person: "q" } } });
      const store = fresh.canReopen() ? await fresh.reopened() : fresh.store();
      expect(await store.signInFacts()).toEqual([other, { ...session, record: { person: "q" } }]);
    });

    test("A-27 of two who use one link at once one is refused, and what they wanted with it", async () => {
      const link = { key: "link a", record: {} };
      await fresh.make({ type: "put-sign-in", fact: link });
      const outcomes = await Promise.all(
        ["b", "c"].map((id) =>
          fresh.store().commit([
            { type: "put-sign-in", fact: { key: `session ${id}`, record: {} } },
            { type: "delete-sign-in", key: link.key },
          ]),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(outcomes.find(({ ok }) => !ok)).toEqual({
        ok: false,
        error: { code: "CONFLICT", index: 1, stored: null },
      });
      expect(await fresh.store().signInFacts()).toHaveLength(1);
    });
  });
}
