import { describe, expect, test } from "vitest";
import { accept } from "../../core/base/result.test-support.ts";
import { noChoices, readChoices, without, withAdded, withAddress, withModels } from "./provider-choices.ts";

const house = { name: "Haus Äpfel", api: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" };

describe("what people choose about providers", () => {
  test("an added server has an id of its name that no other provider has", () => {
    expect(accept(withAdded(noChoices, house, [])).id).toBe("haus-a-pfel");
    expect(accept(withAdded(noChoices, { ...house, name: "OpenAI" }, ["openai", "openai-2"])).id).toBe("openai-3");
    expect(accept(withAdded(noChoices, { ...house, name: "家" }, [])).id).toBe("server");
    expect(accept(withAdded(noChoices, { ...house, name: "Local" }, [])).id).toBe("local-2");
  });

  test("the address of a known provider is replaced and taken back, that of an added one changed", () => {
    const elsewhere = withAddress(noChoices, "openai", "https://gateway.example/v1");
    expect(elsewhere.addresses).toEqual({ openai: "https://gateway.example/v1" });
    expect(withAddress(elsewhere, "openai", null)).toEqual(noChoices);
    const { choices, id } = accept(withAdded(noChoices, house, []));
    expect(withAddress(choices, id, "http://127.0.0.1:2").added[0]?.baseUrl).toBe("http://127.0.0.1:2");
    expect(withAddress(choices, id, null)).toEqual(choices);
  });

  test("removing a server removes its models and the default that named it, and nothing else", () => {
    const { choices, id } = accept(withAdded(noChoices, house, []));
    const chosen = { ...withModels(choices, id, ["a", "b", "a"]), defaultModel: `${id}/a` };
    expect(chosen.models).toEqual({ [id]: ["a", "b"] });
    expect(without(withModels(chosen, "groq", ["c"]), id)).toEqual({ ...noChoices, models: { groq: ["c"] } });
  });

  test("at most 64 are added, and unreadable choices are none", () => {
    let choices = noChoices;
    const ids: string[] = [];
    for (let count = 0; count < 64; count += 1) {
      const next = accept(withAdded(choices, house, ids));
      choices = next.choices;
      ids.push(next.id);
    }
    expect(new Set(ids).size).toBe(64);
    const full = withAdded(choices, house, ids);
    expect(full.ok ? "added" : full.error.message).toContain("Remove one");
    expect(readChoices(structuredClone(choices))).toEqual(choices);
    expect(readChoices({ added: "x" })).toEqual(noChoices);
    expect(readChoices(null)).toEqual(noChoices);
  });
});
