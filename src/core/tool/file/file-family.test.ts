import { expect, test } from "vitest";
import type { ToolOffer } from "../base/family.ts";
import { fileFamily } from "./file-family.ts";

const offer = (facts: Partial<ToolOffer>): ToolOffer => ({ kind: "conversation", ...facts }) as ToolOffer;

test("where files may only be read, no tool that writes is offered, and the prompt names none", () => {
  const reading = fileFamily.specs(offer({ readOnly: true }));
  expect(reading.map(({ access }) => access)).toEqual(reading.map(() => "read"));
  expect(reading.length).toBeGreaterThan(2);
  const writing = fileFamily.specs(offer({ readOnly: false })).filter((spec) => !reading.includes(spec));
  expect(writing.map(({ name }) => name)).toEqual(expect.arrayContaining(["write_file", "move_file", "delete_file"]));
  const prompt = fileFamily.prompt(offer({ readOnly: true }));
  expect(prompt).toContain("may only be read");
  for (const { name } of writing) expect(prompt).not.toContain(name);
});
