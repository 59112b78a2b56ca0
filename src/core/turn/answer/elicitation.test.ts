import { expect, test } from "vitest";
import { isUnusualHost, readElicitation } from "./elicitation.ts";

const form = (properties: object, required: readonly string[] = []): Readonly<Record<string, unknown>> => ({
  mode: "form",
  message: "Who are you?",
  requestedSchema: { type: "object", properties, required },
});

function whyNot(params: Readonly<Record<string, unknown>>): string {
  const read = readElicitation(params, (url) => URL.parse(url));
  return read.ok ? "shown" : read.error;
}

test.each([
  [form({ password: { type: "string" } }), "asks for a secret"],
  [form({ code: { type: "string", format: "password" } }), "asks for a secret"],
  [form({ x: { type: "string", title: "Your API key" } }), "asks for a secret"],
  [form({ x: { type: "string", description: "The pass phrase of your wallet" } }), "asks for a secret"],
  [form({ x: { type: "object", properties: {} } }), "of a kind that cannot be shown"],
  [form({ x: { type: "string", enum: [1, 2] } }), "of a kind that cannot be shown"],
  [form(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, { type: "string" }]))), "more than 20"],
  [{ mode: "form", message: "Hi", requestedSchema: "no" }, "cannot be read"],
  [{ mode: "form" }, "does not say what it asks"],
  [{ mode: "voice", message: "Hi" }, "a way that is not known"],
  [{ mode: "url", message: "Open", url: "javascript:alert(1)" }, "not an https one"],
  [{ mode: "url", message: "Open", url: "http://example.org/" }, "not an https one"],
  [{ mode: "url", message: "Open", url: "https://ada:secret@example.org/" }, "a name or a password"],
  [{ mode: "url", message: "Open" }, "cannot be read"],
  [{ mode: "url", message: "Open", url: "https://example.org/sign" }, "shown"],
  [form({ monkey: { type: "string", title: "Tokens of appreciation" } }), "shown"],
])("I-51 what a program asks in %j is judged before anybody sees it: %s", (params, words) => {
  expect(whyNot(params)).toContain(words);
});

test("I-51 an address of letters that may look like another host is marked, and written as a browser resolves it", () => {
  const read = readElicitation({ mode: "url", message: "Open", url: "https://exаmple.org/a" }, (url) => URL.parse(url));
  expect(read).toMatchObject({ ok: true, value: { url: "https://xn--exmple-4nf.org/a" } });
  expect(isUnusualHost("xn--exmple-4nf.org")).toBe(true);
  expect(isUnusualHost("example.org:8080")).toBe(false);
});
