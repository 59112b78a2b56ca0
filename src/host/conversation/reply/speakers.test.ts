import { describe, expect, test } from "vitest";
import type { Actor } from "../../../core/base/actor.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { node, person, system } from "../../../testing/store/records.ts";
import { messagesWithNames } from "./speakers.ts";

const ben: Actor = { ...person, id: "ben" as Actor["id"], name: "Ben" };

function says(actor: Actor, ...texts: readonly string[]): ForestNode {
  const [text = "", ...rest] = texts;
  const content = [{ type: "text", text }, ...rest.map((each) => ({ type: "text", text: each }) as const)] as const;
  return node("1", {
    actor,
    message: { role: "user", content: [content[0], ...rest.map((each) => ({ type: "text", text: each }) as const)] },
  });
}

const textsOf = (nodes: readonly ForestNode[]): readonly unknown[] =>
  messagesWithNames(
    nodes,
    nodes.map((each) => ({ node: each, message: each.message })),
  ).map(({ content }) => content.map((block) => (block.type === "text" ? block.text : block.type)));

describe("14.22 the names of people", () => {
  test("K-46 precede the messages of everybody but the first, and leave the path before them as it was", () => {
    const before = [says(person, "one"), says(person, "two")];
    const alone = textsOf(before);
    expect(alone).toEqual([["one"], ["two"]]);
    const together = textsOf([...before, says(ben, "three", "more"), says(person, "four")]);
    expect(together).toEqual([...alone, ["[Ben]\nthree", "more"], ["four"]]);
  });

  test("are the names at the time, one line each, and cannot end their brackets", () => {
    const odd = { ...ben, name: "Ben]\n[Ann\u2028" };
    expect(textsOf([says(person, "a"), says(odd, "b"), says({ ...odd, name: "Benjamin" }, "c")])).toEqual([
      ["a"],
      ["[Ben Ann]\nb"],
      ["[Benjamin]\nc"],
    ]);
    expect(textsOf([says(person, "a"), says({ ...ben, name: " \n" }, "b")])[1]).toEqual(["[Somebody]\nb"]);
  });

  test("precede an image that somebody sends without words", () => {
    const image = { type: "image", source: { type: "blob", sha256: "00", mediaType: "image/png", size: 1 } } as const;
    const sent = node("2", { actor: ben, message: { role: "user", content: [image as never] } });
    expect(textsOf([says(person, "a"), sent])[1]).toEqual(["[Ben]", "image"]);
  });

  test("are not added to what Heddle writes", () => {
    const update = node("2", {
      actor: system,
      message: { role: "user", content: [{ type: "text", text: "u" }], instruction: "summary" },
    });
    expect(textsOf([says(person, "a"), update])[1]).toEqual(["u"]);
  });
});
